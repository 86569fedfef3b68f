/* Text of whole Kineto events in, columns of numbers out: the fast half of the Kineto reader.
 *
 * Where it stands.  EventStream (json_stream.py) cuts a file into stretches of whole events.  Such a
 * stretch used to become one Python object per event, then columns.  Here it becomes rows in one
 * pass, without an object, and with the GIL released.
 *
 * What makes both readers equal.  plain_scan.py makes the same rows in Python.  The scanner decides nothing that is hard.  As soon as a stretch
 * holds anything but plain JSON with the values that profilers write, it gives up the whole stretch
 * (UNDECIDED), and Python reads it as if there were no scanner: it alone mends, counts and
 * complains.  So the scanner may be stricter than Python anywhere, and must never be laxer: what it
 * accepts, msgspec accepts, with the same meaning.  It gives up keys with escapes or written twice,
 * values of unusual types, bytes that are no UTF-8, lone surrogates, control bytes, deep nesting, and
 * every error of syntax.
 *
 * What it reads.  The keys in EVENT_KEYS and ARGUMENT_KEYS, in any order and spacing; all else is
 * checked and skipped.  An event whose category has a table becomes one row there, int64 cells in
 * the order of TABLES.  -1 stands for what is absent.  Of samples of GPUs only their place is told.
 *
 * Texts.  Names, processes and such are interned: a cell holds the number of a text, the same for
 * the same bytes as long as the scanner lives, and `text(number)` gives the bytes between the
 * quotes, escapes as written.  Python decodes each of them once.
 *
 * Safety.  `at` never passes `end`: whoever reads a byte has compared them before.  The text need
 * not end with a zero byte.  No size is computed from what the text says, and no number in it can
 * overflow.  scripts/fuzz_scanner.c includes this file without Python and runs it under sanitizers.
 */

#ifndef SCANNER_ALONE
#define PY_SSIZE_T_CLEAN
#include <Python.h>
#endif

#include <limits.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#ifdef __SSE2__
#include <emmintrin.h>
#endif

typedef enum { GOOD, UNDECIDED, NEW_CATEGORY, NO_MEMORY } Verdict;

#define TRY(step)                          \
    do {                                   \
        Verdict verdict_ = (step);         \
        if (verdict_ != GOOD)              \
            return verdict_;               \
    } while (0)

#define COUNT(list) (sizeof(list) / sizeof((list)[0]))

#define ABSENT (-1)
#define NO_TIME INT64_MIN /* while an event is read; 0 and -1 are times */

/* ------------------------------------------------------------------ keys, fields and tables */

/* What an event may say in numbers; a row holds some of them. */
typedef enum {
    EVENT,
    START_NS,
    DUR_NS,
    NAME,
    KIND,
    PROCESS,
    THREAD,
    THREAD_NAME,
    PID,
    TID,
    CORRELATION,
    EXTERNAL,
    EXTERNAL_OLD,
    SEQUENCE,
    DEVICE,
    STREAM,
    GRAPH,
    GRAPH_NODE,
    CAPTURE,
    OWNER,
    KERNEL,
    DETAIL,
    GRID_X,
    GRID_Y,
    GRID_Z,
    BLOCK_X,
    BLOCK_Y,
    BLOCK_Z,
    BEGIN,
    END,
    FIELDS
} Field;

static const char *const FIELD_NAMES[FIELDS] = {
    "event", "start_ns", "dur_ns", "name", "kind", "process", "thread", "thread_name", "pid",
    "tid", "correlation", "external", "external_old", "sequence", "device", "stream", "graph",
    "graph_node", "capture", "owner", "kernel", "detail", "grid_x", "grid_y", "grid_z",
    "block_x", "block_y", "block_z", "begin", "end",
};

/* What an event may say in texts; kept where they stand until it is clear that the event counts. */
typedef enum {
    NAME_TEXT,
    PID_TEXT,
    TID_TEXT,
    OWNER_TEXT,
    ARG_THREAD_TEXT,
    KERNEL_TEXT,
    FIRST_DETAIL,
    LAST_DETAIL = FIRST_DETAIL + 5,
    PIECES
} PieceOf;

typedef enum { RANGES, APIS, LAUNCHES, FRAMES, COUNTERS, TABLE_COUNT } TableOf;

/* Categories that have no table. */
enum { DROPPED = -1, HANDED_BACK = -2, NO_CATEGORY = -3 };

typedef struct {
    const char *name;
    Field columns[FIELDS];
    size_t width;
} Table;

static const Table TABLES[TABLE_COUNT] = {
    {"ranges",
     {EVENT, START_NS, DUR_NS, NAME, KIND, PROCESS, THREAD, THREAD_NAME, EXTERNAL, EXTERNAL_OLD,
      SEQUENCE, DETAIL},
     12},
    {"apis",
     {EVENT, START_NS, DUR_NS, NAME, KIND, PROCESS, THREAD, THREAD_NAME, EXTERNAL, EXTERNAL_OLD,
      CORRELATION, CAPTURE, KERNEL},
     13},
    {"launches",
     {EVENT, START_NS, DUR_NS, NAME, KIND, PID, TID, OWNER, DEVICE, STREAM, CORRELATION, EXTERNAL,
      EXTERNAL_OLD, GRAPH, GRAPH_NODE, CAPTURE, GRID_X, GRID_Y, GRID_Z, BLOCK_X, BLOCK_Y, BLOCK_Z},
     22},
    {"frames", {EVENT, START_NS, DUR_NS, NAME, KIND, PROCESS, THREAD, THREAD_NAME}, 8},
    /* Where samples of GPUs stand in the stretch: few events, whose numbers Python reads. */
    {"counters", {BEGIN, END}, 2},
};

/* How the value of a key is read. */
typedef enum { PHASE, CATEGORY, TEXT, PLACE, TIME, ID, EXTENT, SCALAR, ARGUMENTS } How;

typedef struct {
    const char *name;
    How how;
    int to; /* a Field or a PieceOf */
} Key;

#define MOST_KEYS 20

#define LONGEST_KEY 16

enum { NO_KEY = MOST_KEYS, CLOSED = MOST_KEYS + 1, LONGEST_GAP = 32, GAPS = 24, GAP_SETS = 8 };

/* What stands before a value: a comma, a key and a colon with the space around them; or what closes
 * an object instead.  `rest` has all bits set behind its bytes. */
typedef struct {
    unsigned char bytes[LONGEST_GAP], rest[LONGEST_GAP];
    unsigned char length; /* 0: not seen yet */
    unsigned char key;    /* NO_KEY for one that is not read; CLOSED where the object ends */
} Gap;

/* The gaps of an object that was read, by their position. */
typedef Gap Layout[GAPS];

/* Keys in the order of their lengths; those of length n begin at `first[n]`. */
typedef struct {
    const Key *keys;
    unsigned char first[LONGEST_KEY + 2];
    unsigned base; /* bit of the first key in Scan.seen */

    /* Writers keep an order of keys and a spacing: mostly one comparison passes all that stands
     * between two values.  Two layouts are remembered in each set, as events of two phases often
     * take turns; arguments have a set by the category of the event. */
    Layout layouts[GAP_SETS][2];
} KeySet;

static const Key EVENT_KEYS[] = {
    {"ph", PHASE, 0},
    {"ts", TIME, START_NS},
    {"cat", CATEGORY, 0},
    {"pid", PLACE, PID_TEXT},
    {"tid", PLACE, TID_TEXT},
    {"dur", TIME, DUR_NS},
    {"name", TEXT, NAME_TEXT},
    {"args", ARGUMENTS, 0},
};

/* The details follow the order of kineto_values.EXPORTED. */
static const Key ARGUMENT_KEYS[] = {
    {"grid", EXTENT, GRID_X},
    {"block", EXTENT, BLOCK_X},
    {"device", ID, DEVICE},
    {"stream", ID, STREAM},
    {"kernel", TEXT, KERNEL_TEXT},
    {"graph id", ID, GRAPH},
    {"num_warps", SCALAR, FIRST_DETAIL + 4},
    {"thread id", PLACE, ARG_THREAD_TEXT},
    {"num_stages", SCALAR, FIRST_DETAIL + 5},
    {"process id", PLACE, OWNER_TEXT},
    {"capture id", ID, CAPTURE},
    {"correlation", ID, CORRELATION},
    {"External id", ID, EXTERNAL},
    {"external id", ID, EXTERNAL_OLD},
    {"kernel_file", SCALAR, FIRST_DETAIL},
    {"kernel_hash", SCALAR, FIRST_DETAIL + 1},
    {"graph node id", ID, GRAPH_NODE},
    {"kernel_kwargs", SCALAR, FIRST_DETAIL + 2},
    {"kernel_backend", SCALAR, FIRST_DETAIL + 3},
    {"Sequence number", ID, SEQUENCE},
};

/* Does not compile where there are too many keys for KeySet.next, or for the bits of Scan.seen. */
enum {
    KEYS_FIT = 1
        / (COUNT(ARGUMENT_KEYS) <= MOST_KEYS && COUNT(EVENT_KEYS) + COUNT(ARGUMENT_KEYS) <= 32)
};

static void index_keys(KeySet *set, const Key *keys, size_t count, unsigned base)
{
    memset(set, 0, sizeof *set);
    set->keys = keys;
    set->base = base;
    for (size_t at = 0; at < count; at++)
        set->first[strlen(keys[at].name) + 1] = (unsigned char)(at + 1);
    for (size_t length = 1; length < COUNT(set->first); length++)
        if (!set->first[length])
            set->first[length] = set->first[length - 1];
}

/* ------------------------------------------------------------------ texts */

static inline uint64_t load(const unsigned char *start, size_t size)
{
    uint64_t word = 0;
    memcpy(&word, start, size);
    return word;
}

/* As memcmp() == 0, without a call for what is short, as nearly all keys and names are. */
static inline bool same(const unsigned char *one, const unsigned char *other, size_t length)
{
    if (length > 16)
        return memcmp(one, other, length) == 0;
    if (length >= 8)
        return load(one, 8) == load(other, 8)
            && load(one + length - 8, 8) == load(other + length - 8, 8);
    if (length >= 4)
        return load(one, 4) == load(other, 4)
            && load(one + length - 4, 4) == load(other + length - 4, 4);
    for (size_t at = 0; at < length; at++)
        if (one[at] != other[at])
            return false;
    return true;
}

/* A value where it stands in the text that is scanned, of a string what is between its quotes;
 * `start` NULL where absent. */
typedef struct {
    const unsigned char *start;
    size_t length;
    bool quoted, escaped;
} Piece;

typedef struct {
    size_t start; /* in Texts.bytes */
    size_t length;
    uint64_t hash;
    bool is_category;
    signed char kind, table; /* of a category */
    signed char use;         /* of a frame's name, a FrameUse; ABSENT: not looked at */
} Entry;

/* Distinct texts, numbered as they come: a hash table with open addressing.  The seed is a secret
 * of the process, so that no file can be made whose texts all meet in one slot. */
typedef struct {
    unsigned char *bytes;
    size_t used, room;
    Entry *entries;
    size_t count, entry_room;
    uint32_t *slots; /* number of a text + 1, 0 where free */
    size_t mask;
    uint64_t seed;
} Texts;

/* No file has more; beyond that Python reads. */
#define MOST_TEXTS 0x7fffffff

static uint64_t hash_of(uint64_t seed, const unsigned char *start, size_t length)
{
    uint64_t hash = seed ^ (length * 0x9e3779b97f4a7c15u);
    for (; length >= 8; start += 8, length -= 8) {
        hash = (hash ^ load(start, 8)) * 0xbf58476d1ce4e5b9u;
        hash ^= hash >> 31;
    }
    if (length) {
        uint64_t word = length & 4 ? load(start, 4) : 0;
        for (size_t at = length & 4; at < length; at++)
            word = word << 8 | start[at];
        hash = (hash ^ word) * 0xbf58476d1ce4e5b9u;
        hash ^= hash >> 31;
    }
    hash *= 0x94d049bb133111ebu;
    return hash ^ (hash >> 29);
}

/* `*items` with place for `wanted` of them, each `size` bytes; false without memory. */
static bool grow(void **items, size_t *room, size_t wanted, size_t size)
{
    if (wanted <= *room)
        return true;
    size_t more = *room ? *room : 64;
    while (more < wanted) {
        if (more > SIZE_MAX / 2 / size)
            return false;
        more *= 2;
    }
    void *again = realloc(*items, more * size);
    if (!again)
        return false;
    *items = again;
    *room = more;
    return true;
}

static bool spread_slots(Texts *texts)
{
    size_t size = texts->mask ? 2 * (texts->mask + 1) : 1024;
    uint32_t *slots = calloc(size, sizeof *slots);
    if (!slots)
        return false;
    for (size_t number = 0; number < texts->count; number++) {
        size_t slot = texts->entries[number].hash & (size - 1);
        while (slots[slot])
            slot = (slot + 1) & (size - 1);
        slots[slot] = (uint32_t)number + 1;
    }
    free(texts->slots);
    texts->slots = slots;
    texts->mask = size - 1;
    return true;
}

static Verdict add_text(Texts *texts, const unsigned char *start, size_t length, uint64_t hash)
{
    if (texts->count >= MOST_TEXTS)
        return UNDECIDED;
    if (!grow((void **)&texts->bytes, &texts->room, texts->used + length, 1)
        || !grow((void **)&texts->entries, &texts->entry_room, texts->count + 1, sizeof(Entry)))
        return NO_MEMORY;
    if (length)
        memcpy(texts->bytes + texts->used, start, length);
    Entry *entry = &texts->entries[texts->count++];
    *entry = (Entry){.start = texts->used, .length = length, .hash = hash, .use = ABSENT};
    texts->used += length;
    return GOOD;
}

static Verdict intern(Texts *texts, const unsigned char *start, size_t length, int64_t *number)
{
    if (2 * texts->count >= texts->mask && !spread_slots(texts))
        return NO_MEMORY;
    uint64_t hash = hash_of(texts->seed, start, length);
    size_t slot = hash & texts->mask;
    for (; texts->slots[slot]; slot = (slot + 1) & texts->mask) {
        const Entry *entry = &texts->entries[texts->slots[slot] - 1];
        if (entry->hash == hash && entry->length == length
            && same(texts->bytes + entry->start, start, length)) {
            *number = texts->slots[slot] - 1;
            return GOOD;
        }
    }
    TRY(add_text(texts, start, length, hash));
    texts->slots[slot] = (uint32_t)texts->count;
    *number = (int64_t)texts->count - 1;
    return GOOD;
}

/* As `intern`, for what is often the text that `*last` numbers: the same as in the event before. */
static inline Verdict intern_again(Texts *texts, const unsigned char *start, size_t length,
                                   int64_t *last, int64_t *number)
{
    if (*last >= 0) {
        const Entry *entry = &texts->entries[*last];
        if (entry->length == length && same(texts->bytes + entry->start, start, length)) {
            *number = *last;
            return GOOD;
        }
    }
    TRY(intern(texts, start, length, number));
    *last = *number;
    return GOOD;
}

static void free_texts(Texts *texts)
{
    free(texts->bytes);
    free(texts->entries);
    free(texts->slots);
}

/* ------------------------------------------------------------------ the scanner */

typedef struct {
    int64_t *cells;
    size_t used, room;
} Rows;

typedef struct {
    /* the text, and how far it is read */
    const unsigned char *text, *at, *end;

    /* the event that is being read */
    int64_t field[FIELDS];
    Piece piece[PIECES];
    int64_t category; /* number of its text; ABSENT without one */
    uint32_t seen;    /* bit n: key n was there */
    bool complete;    /* its phase is X */
    bool counter;     /* its phase is C */

    /* what is given */
    Rows rows[TABLE_COUNT];
    int64_t events;

    /* what stays from one stretch to the next */
    Texts texts;
    int64_t last_category, last_process; /* numbers of texts, or ABSENT */
    KeySet event_keys, argument_keys;
    Piece *needles;
    size_t needle_count;
    unsigned char *scratch;
    size_t scratch_room;
} Scan;

static inline bool is_at(const Scan *scan, unsigned char byte)
{
    return scan->at < scan->end && *scan->at == byte;
}

static inline bool accept(Scan *scan, unsigned char byte)
{
    bool there = is_at(scan, byte);
    scan->at += there;
    return there;
}

static inline Verdict expect(Scan *scan, unsigned char byte)
{
    return accept(scan, byte) ? GOOD : UNDECIDED;
}

static inline void space(Scan *scan)
{
    const unsigned char *at = scan->at, *end = scan->end;
    while (at < end && (*at == ' ' || *at == '\n' || *at == '\r' || *at == '\t'))
        at++;
    scan->at = at;
}

/* ------------------------------------------------------------------ strings */

/* Move to the next quote, backslash, control byte or byte above ASCII, or to the end. */
static inline void plain(Scan *scan)
{
    const unsigned char *at = scan->at, *end = scan->end;
#ifdef __SSE2__
    /* As signed bytes, those above ASCII are below 0x20, too. */
    const __m128i quote = _mm_set1_epi8('"'), slash = _mm_set1_epi8('\\');
    const __m128i lowest = _mm_set1_epi8(0x20);
    for (; end - at >= 16; at += 16) {
        __m128i bytes = _mm_loadu_si128((const __m128i *)(const void *)at);
        __m128i odd = _mm_or_si128(
            _mm_or_si128(_mm_cmpeq_epi8(bytes, quote), _mm_cmpeq_epi8(bytes, slash)),
            _mm_cmplt_epi8(bytes, lowest));
        int found = _mm_movemask_epi8(odd);
        if (found) {
            scan->at = at + __builtin_ctz((unsigned)found);
            return;
        }
    }
#else
    /* Eight bytes in a word: the top bit of a byte is set where it is one of those.  A borrow may
     * set it for a byte behind such a one, too, which does no harm: the loop below looks again. */
    const uint64_t ones = UINT64_MAX / 255, tops = ones * 0x80;
    for (; end - at >= 8; at += 8) {
        uint64_t word;
        memcpy(&word, at, sizeof word);
        uint64_t quote = word ^ (ones * '"'), slash = word ^ (ones * '\\');
        uint64_t odd = ((quote - ones) & ~quote) | ((slash - ones) & ~slash)
            | ((word - ones * 0x20) & ~word) | word;
        if (odd & tops)
            break;
    }
#endif
    while (at < end && *at >= 0x20 && *at < 0x80 && *at != '"' && *at != '\\')
        at++;
    scan->at = at;
}

/* The number of the four hexadecimal digits here, ABSENT without them. */
static int hexadecimal(Scan *scan)
{
    int value = 0;
    for (int digit = 0; digit < 4; digit++) {
        if (scan->at >= scan->end)
            return ABSENT;
        unsigned char byte = *scan->at++;
        if (byte >= '0' && byte <= '9')
            value = value * 16 + (byte - '0');
        else if ((byte | 0x20) >= 'a' && (byte | 0x20) <= 'f')
            value = value * 16 + ((byte | 0x20) - 'a' + 10);
        else
            return ABSENT;
    }
    return value;
}

/* Behind a backslash.  Surrogates must come in pairs. */
static Verdict escape(Scan *scan)
{
    if (scan->at >= scan->end)
        return UNDECIDED;
    unsigned char byte = *scan->at++;
    if (byte != 'u')
        return byte && strchr("\"\\/bfnrt", byte) ? GOOD : UNDECIDED;
    int unit = hexadecimal(scan);
    if (unit < 0 || (unit >= 0xdc00 && unit <= 0xdfff))
        return UNDECIDED;
    if (unit < 0xd800 || unit > 0xdbff)
        return GOOD;
    TRY(expect(scan, '\\'));
    TRY(expect(scan, 'u'));
    unit = hexadecimal(scan);
    return unit >= 0xdc00 && unit <= 0xdfff ? GOOD : UNDECIDED;
}

/* One character above ASCII, as the standard spells it: as short as can be, and no surrogate. */
static Verdict wide(Scan *scan)
{
    const unsigned char *at = scan->at;
    unsigned lead = at[0];
    ptrdiff_t length = lead >= 0xf0 ? 4 : lead >= 0xe0 ? 3 : 2;
    if (lead < 0xc2 || lead > 0xf4 || scan->end - at < length)
        return UNDECIDED;
    unsigned least = lead == 0xe0 ? 0xa0 : lead == 0xf0 ? 0x90 : 0x80;
    unsigned most = lead == 0xed ? 0x9f : lead == 0xf4 ? 0x8f : 0xbf;
    if (at[1] < least || at[1] > most)
        return UNDECIDED;
    for (ptrdiff_t next = 2; next < length; next++)
        if ((at[next] & 0xc0) != 0x80)
            return UNDECIDED;
    scan->at += length;
    return GOOD;
}

/* From the first byte on that needs a look, up to the closing quote. */
static Verdict rest_of_string(Scan *scan, Piece *piece)
{
    for (;; plain(scan)) {
        if (scan->at >= scan->end || *scan->at < 0x20)
            return UNDECIDED;
        if (*scan->at == '"')
            return GOOD;
        if (*scan->at == '\\') {
            piece->escaped = true;
            scan->at++;
            TRY(escape(scan));
        } else
            TRY(wide(scan));
    }
}

static inline Verdict string(Scan *scan, Piece *piece)
{
    TRY(expect(scan, '"'));
    *piece = (Piece){.start = scan->at, .quoted = true};
    plain(scan);
    if (!is_at(scan, '"'))
        TRY(rest_of_string(scan, piece));
    piece->length = (size_t)(scan->at - piece->start);
    scan->at++;
    return GOOD;
}

/* ------------------------------------------------------------------ numbers */

/* Digits: how many, and their value, which wraps around beyond 19 of them. */
static inline size_t digits(Scan *scan, uint64_t *value)
{
    const unsigned char *at = scan->at, *end = scan->end;
    *value = 0;
    for (; at < end && *at >= '0' && *at <= '9'; at++)
        *value = *value * 10 + (uint64_t)(*at - '0');
    size_t length = (size_t)(at - scan->at);
    scan->at = at;
    return length;
}

/* Digits before a decimal point: 0 of them where a zero stands before others, which is no JSON. */
static inline size_t leading_digits(Scan *scan, uint64_t *value)
{
    bool zero = is_at(scan, '0');
    size_t length = digits(scan, value);
    return zero && length > 1 ? 0 : length;
}

/* Any number; what is longer than any profiler writes is given up. */
static Verdict skip_number(Scan *scan)
{
    const unsigned char *start = scan->at;
    uint64_t ignored;
    accept(scan, '-');
    if (!leading_digits(scan, &ignored))
        return UNDECIDED;
    if (accept(scan, '.') && !digits(scan, &ignored))
        return UNDECIDED;
    if (is_at(scan, 'e') || is_at(scan, 'E')) {
        scan->at++;
        if (is_at(scan, '+') || is_at(scan, '-'))
            scan->at++;
        size_t length = digits(scan, &ignored);
        if (!length || length > 2) /* perhaps beyond a double */
            return UNDECIDED;
    }
    return scan->at - start <= 40 ? GOOD : UNDECIDED;
}

#define ALL_ONES_64 "18446744073709551615"

/* An integer of 64 bits; a fraction or exponent behind it is met by whoever expects a comma. */
static Verdict integer(Scan *scan, int64_t *value)
{
    uint64_t number;
    bool negative = accept(scan, '-'), zero = is_at(scan, '0');
    size_t length = leading_digits(scan, &number);
    if (!length || length > 19 || number > INT64_MAX || (negative && zero))
        return UNDECIDED;
    *value = negative ? -(int64_t)number : (int64_t)number;
    return GOOD;
}

#define LATEST_US 2305843009213692u /* 2**61 ns */
#define MILLION 1000000u

/* What stands behind the decimal point, as millionths of a nanosecond; `more`: not all of it. */
static Verdict fraction(Scan *scan, uint64_t *value, bool *more)
{
    static const uint32_t tens[] = {1,      10,      100,      1000,      10000,
                                    100000, 1000000, 10000000, 100000000, 1000000000};
    size_t length = digits(scan, value);
    if (!length || length > 18)
        return UNDECIDED;
    if (length <= 9)
        *value *= tens[9 - length];
    else {
        *more = *value % tens[length - 9] != 0;
        *value /= tens[length - 9];
    }
    return GOOD;
}

/* Decimal microseconds -> nanoseconds, to the nearest, of two the even one. */
static Verdict nanoseconds(Scan *scan, int64_t *value)
{
    uint64_t whole, part = 0;
    bool negative = accept(scan, '-'), more = false;
    size_t length = leading_digits(scan, &whole);
    if (!length || length > 16 || whole > LATEST_US)
        return UNDECIDED;
    if (accept(scan, '.'))
        TRY(fraction(scan, &part, &more));
    uint64_t ns = whole * 1000 + part / MILLION, rest = part % MILLION;
    ns += rest > MILLION / 2 || (rest == MILLION / 2 && (more || (ns & 1)));
    *value = negative ? -(int64_t)ns : (int64_t)ns;
    return GOOD;
}

/* ------------------------------------------------------------------ values that are skipped */

#define DEEPEST 64

static Verdict skip(Scan *scan, int depth);

static Verdict word(Scan *scan, const char *expected)
{
    size_t length = strlen(expected);
    if ((size_t)(scan->end - scan->at) < length || memcmp(scan->at, expected, length) != 0)
        return UNDECIDED;
    scan->at += length;
    return GOOD;
}

/* Whether a plain integer is here, as most numbers are; then it is passed. */
static inline bool skip_integer(Scan *scan)
{
    const unsigned char *start = scan->at, *at = start, *end = scan->end;
    while (at < end && *at >= '0' && *at <= '9')
        at++;
    if (at == start || at == end || at - start > 18 || (*start == '0' && at - start > 1)
        || *at == '.' || (*at | 0x20) == 'e')
        return false;
    scan->at = at;
    return true;
}

static Verdict skip_list(Scan *scan, int depth)
{
    scan->at++;
    space(scan);
    if (accept(scan, ']'))
        return GOOD;
    do {
        space(scan);
        if (!skip_integer(scan))
            TRY(skip(scan, depth));
        space(scan);
    } while (accept(scan, ','));
    return expect(scan, ']');
}

static Verdict skip_object(Scan *scan, int depth)
{
    Piece ignored;
    scan->at++;
    space(scan);
    if (accept(scan, '}'))
        return GOOD;
    do {
        space(scan);
        TRY(string(scan, &ignored));
        space(scan);
        TRY(expect(scan, ':'));
        space(scan);
        TRY(skip(scan, depth));
        space(scan);
    } while (accept(scan, ','));
    return expect(scan, '}');
}

static Verdict skip(Scan *scan, int depth)
{
    Piece ignored;
    if (scan->at >= scan->end || depth > DEEPEST)
        return UNDECIDED;
    switch (*scan->at) {
    case '"':
        return string(scan, &ignored);
    case '[':
        return skip_list(scan, depth + 1);
    case '{':
        return skip_object(scan, depth + 1);
    case 't':
        return word(scan, "true");
    case 'f':
        return word(scan, "false");
    case 'n':
        return word(scan, "null");
    default:
        return skip_number(scan);
    }
}

/* ------------------------------------------------------------------ values that are read */

/* What a value says of a number: one, surely none in any reading of Python's, or it is unclear. */
typedef enum { NUMBER, LETTERS, UNCLEAR } Looks;

static Looks looks(const Piece *piece)
{
    size_t digit = 0, letter = 0;
    if (!piece->quoted)
        return NUMBER;
    for (size_t at = 0; at < piece->length; at++) {
        unsigned char byte = piece->start[at];
        digit += byte >= '0' && byte <= '9';
        letter += (byte | 0x20) >= 'a' && (byte | 0x20) <= 'z';
    }
    if (piece->length && piece->length <= 18 && digit == piece->length)
        return NUMBER;
    return (letter || !piece->length) && !piece->escaped ? LETTERS : UNCLEAR;
}

/* Of a piece that looks like a number; it was checked to fit. */
static int64_t number_of(const Piece *piece)
{
    bool negative = piece->start[0] == '-';
    int64_t number = 0;
    for (size_t at = negative; at < piece->length; at++)
        number = number * 10 + (piece->start[at] - '0');
    return negative ? -number : number;
}

static Verdict take_phase(Scan *scan)
{
    Piece phase;
    TRY(string(scan, &phase));
    scan->complete = phase.length == 1 && phase.start[0] == 'X';
    scan->counter = phase.length == 1 && phase.start[0] == 'C';
    return phase.escaped ? UNDECIDED : GOOD;
}

static Verdict take_category(Scan *scan)
{
    Piece category;
    if (is_at(scan, 'n'))
        return word(scan, "null");
    TRY(string(scan, &category));
    return intern_again(&scan->texts, category.start, category.length, &scan->last_category,
                        &scan->category);
}

static Verdict take_text(Scan *scan, Piece *piece)
{
    return is_at(scan, 'n') ? word(scan, "null") : string(scan, piece);
}

/* Who runs or where: an integer, a text or null; the piece is what Python's str() of it gives. */
static Verdict take_place(Scan *scan, Piece *piece)
{
    int64_t ignored;
    if (is_at(scan, '"') || is_at(scan, 'n'))
        return take_text(scan, piece);
    const unsigned char *start = scan->at;
    TRY(integer(scan, &ignored));
    *piece = (Piece){.start = start, .length = (size_t)(scan->at - start)};
    return GOOD;
}

static Verdict take_time(Scan *scan, int64_t *value)
{
    if (is_at(scan, 'n'))
        return word(scan, "null");
    bool quoted = accept(scan, '"');
    TRY(nanoseconds(scan, value));
    return quoted ? expect(scan, '"') : GOOD;
}

/* An id: texts that are no numbers, and all 64 bits set, mean none. */
static Verdict take_id(Scan *scan, int64_t *value)
{
    Piece piece;
    if (is_at(scan, 'n'))
        return word(scan, "null");
    if (!is_at(scan, '"')) {
        const unsigned char *start = scan->at;
        if (integer(scan, value) == GOOD)
            return GOOD;
        scan->at = start;
        return word(scan, ALL_ONES_64);
    }
    TRY(string(scan, &piece));
    Looks like = looks(&piece);
    if (like == NUMBER)
        *value = number_of(&piece);
    return like == UNCLEAR ? UNDECIDED : GOOD;
}

/* A list of one to three sizes, what is not listed being 1; or a text, which only host events have.
 * A text leaves -2, so that a launch with one is given up. */
static Verdict take_extent(Scan *scan, int64_t *sizes)
{
    Piece ignored;
    int64_t count = 0;
    if (is_at(scan, 'n'))
        return word(scan, "null");
    if (is_at(scan, '"')) {
        sizes[0] = HANDED_BACK;
        return string(scan, &ignored);
    }
    TRY(expect(scan, '['));
    do {
        space(scan);
        if (count == 3)
            return UNDECIDED;
        TRY(integer(scan, &sizes[count]));
        if (sizes[count++] < 0)
            return UNDECIDED;
        space(scan);
    } while (accept(scan, ','));
    while (count < 3)
        sizes[count++] = 1;
    return expect(scan, ']');
}

/* A value of which the text is kept as it is written, with its quotes. */
static Verdict take_scalar(Scan *scan, Piece *piece)
{
    int64_t ignored;
    const unsigned char *start = scan->at;
    if (is_at(scan, '"'))
        TRY(string(scan, piece));
    else if (is_at(scan, 't') || is_at(scan, 'f') || is_at(scan, 'n'))
        TRY(skip(scan, 0));
    else
        TRY(integer(scan, &ignored));
    *piece = (Piece){.start = start, .length = (size_t)(scan->at - start)};
    return GOOD;
}

/* ------------------------------------------------------------------ events */

static Verdict read_object(Scan *scan, KeySet *keys);

static unsigned find_key(const KeySet *set, const Piece *name)
{
    if (name->length > LONGEST_KEY)
        return NO_KEY;
    for (unsigned key = set->first[name->length]; key < set->first[name->length + 1]; key++)
        if (same((const unsigned char *)set->keys[key].name, name->start, name->length))
            return key;
    return NO_KEY;
}

/* Whether the text at `start`, of LONGEST_GAP bytes, begins like this gap. */
static inline bool begins_like(const unsigned char *start, const Gap *gap)
{
#ifdef __SSE2__
    __m128i equal = _mm_set1_epi8(-1);
    for (int at = 0; at < LONGEST_GAP; at += 16) {
        __m128i text = _mm_loadu_si128((const __m128i *)(const void *)(start + at));
        __m128i bytes = _mm_loadu_si128((const __m128i *)(const void *)(gap->bytes + at));
        __m128i rest = _mm_loadu_si128((const __m128i *)(const void *)(gap->rest + at));
        equal = _mm_and_si128(equal, _mm_or_si128(_mm_cmpeq_epi8(text, bytes), rest));
    }
    return _mm_movemask_epi8(equal) == 0xffff;
#else
    uint64_t other = 0;
    for (int at = 0; at < LONGEST_GAP; at += 8)
        other |= (load(start + at, 8) ^ load(gap->bytes + at, 8)) & ~load(gap->rest + at, 8);
    return !other;
#endif
}

/* Whether this gap is here; then it is passed, with space that may follow. */
static inline bool pass(Scan *scan, const Gap *gap)
{
    if (!gap->length || scan->end - scan->at < LONGEST_GAP || !begins_like(scan->at, gap))
        return false;
    scan->at += gap->length;
    if (gap->key != CLOSED)
        space(scan);
    return true;
}

/* The gap that begins at `start` and ends here means `key`, wherever it is met again. */
static void remember(const Scan *scan, const unsigned char *start, unsigned key, Gap *gap)
{
    size_t length = (size_t)(scan->at - start);
    memset(gap, 0, sizeof *gap);
    if (length > LONGEST_GAP)
        return;
    memcpy(gap->bytes, start, length);
    memset(gap->rest + length, 0xff, LONGEST_GAP - length);
    gap->length = (unsigned char)length;
    gap->key = (unsigned char)key;
}

/* A gap, read byte by byte.  Names that are the sign of source frames have to be seen each time, so
 * gaps with one are not remembered. */
static Verdict read_new_gap(Scan *scan, const KeySet *set, size_t position, Gap *gap, unsigned *key)
{
    const unsigned char *start = scan->at;
    Piece name;
    space(scan);
    *key = CLOSED;
    if (!accept(scan, '}')) {
        if (position)
            TRY(expect(scan, ','));
        space(scan);
        TRY(string(scan, &name));
        space(scan);
        TRY(expect(scan, ':'));
        space(scan);
        *key = find_key(set, &name);
        if (name.escaped)
            return UNDECIDED;
    }
    if (gap)
        remember(scan, start, *key, gap);
    return GOOD;
}

/* What stands before the value at `position` of an object, or closes it; `way` is the layout that
 * the object has followed so far. */
static inline Verdict read_gap(Scan *scan, const KeySet *set, Layout *layouts, size_t position,
                               unsigned *way, unsigned *key)
{
    if (position >= GAPS)
        return read_new_gap(scan, set, position, NULL, key);
    for (int turn = 0; turn < 2; turn++, *way ^= 1) {
        const Gap *gap = &layouts[*way][position];
        if (pass(scan, gap)) {
            *key = gap->key;
            return GOOD;
        }
    }
    /* A new gap goes into this layout, or into the other one where this has another gap here. */
    *way ^= layouts[*way][position].length != 0;
    return read_new_gap(scan, set, position, &layouts[*way][position], key);
}

static Verdict take_arguments(Scan *scan)
{
    if (is_at(scan, 'n'))
        return word(scan, "null");
    return read_object(scan, &scan->argument_keys);
}

static Verdict take(Scan *scan, const Key *key)
{
    switch (key->how) {
    case PHASE:
        return take_phase(scan);
    case CATEGORY:
        return take_category(scan);
    case TEXT:
        return take_text(scan, &scan->piece[key->to]);
    case PLACE:
        return take_place(scan, &scan->piece[key->to]);
    case TIME:
        return take_time(scan, &scan->field[key->to]);
    case ID:
        return take_id(scan, &scan->field[key->to]);
    case EXTENT:
        return take_extent(scan, &scan->field[key->to]);
    case SCALAR:
        return take_scalar(scan, &scan->piece[key->to]);
    case ARGUMENTS:
        return take_arguments(scan);
    }
    return UNDECIDED;
}

static Verdict read_value(Scan *scan, const KeySet *set, unsigned key)
{
    if (key == NO_KEY)
        return skip_integer(scan) ? GOOD : skip(scan, 0);
    uint32_t bit = (uint32_t)1 << (set->base + key);
    if (scan->seen & bit)
        return UNDECIDED;
    scan->seen |= bit;
    return take(scan, &set->keys[key]);
}

static Verdict read_object(Scan *scan, KeySet *set)
{
    Layout *layouts = set->layouts[(size_t)scan->category % GAP_SETS];
    unsigned way = 0, key;
    TRY(expect(scan, '{'));
    for (size_t position = 0;; position++) {
        TRY(read_gap(scan, set, layouts, position, &way, &key));
        if (key == CLOSED)
            return GOOD;
        TRY(read_value(scan, set, key));
    }
}

/* ------------------------------------------------------------------ rows */

static Verdict intern_piece(Scan *scan, PieceOf which, Field field)
{
    const Piece *piece = &scan->piece[which];
    if (!piece->start)
        return GOOD;
    return intern(&scan->texts, piece->start, piece->length, &scan->field[field]);
}

/* What Python calls a process or thread that is not named. */
static const Piece UNNAMED = {(const unsigned char *)"None", 4, true, false};

static Verdict intern_process(Scan *scan)
{
    if (!scan->piece[PID_TEXT].start)
        scan->piece[PID_TEXT] = UNNAMED;
    const Piece *process = &scan->piece[PID_TEXT];
    return intern_again(&scan->texts, process->start, process->length, &scan->last_process,
                        &scan->field[PROCESS]);
}

/* The thread: its number, or the number of the text that names it.  What `args` say of it wins. */
static Verdict intern_thread(Scan *scan)
{
    Piece *own = &scan->piece[ARG_THREAD_TEXT], *thread = &scan->piece[TID_TEXT];
    if (own->start)
        *thread = *own;
    if (!thread->start)
        *thread = UNNAMED;
    switch (looks(thread)) {
    case NUMBER:
        scan->field[THREAD] = number_of(thread);
        return GOOD;
    case LETTERS:
        return intern_piece(scan, TID_TEXT, THREAD_NAME);
    default:
        return UNDECIDED;
    }
}

/* What Inductor exports, as one text: a JSON list of the six values; absent where all are. */
static Verdict intern_details(Scan *scan)
{
    size_t length = 1, said = 0;
    for (int which = FIRST_DETAIL; which <= LAST_DETAIL; which++) {
        const Piece *piece = &scan->piece[which];
        said += piece->start != NULL;
        length += 1 + (piece->start ? piece->length : 4);
    }
    if (!said)
        return GOOD;
    if (!grow((void **)&scan->scratch, &scan->scratch_room, length, 1))
        return NO_MEMORY;
    unsigned char *to = scan->scratch;
    *to++ = '[';
    for (int which = FIRST_DETAIL; which <= LAST_DETAIL; which++) {
        const Piece *piece = &scan->piece[which];
        size_t size = piece->start ? piece->length : 4;
        memcpy(to, piece->start ? (const void *)piece->start : "null", size);
        to += size;
        *to++ = which == LAST_DETAIL ? ']' : ',';
    }
    return intern(&scan->texts, scan->scratch, length, &scan->field[DETAIL]);
}

static bool holds(const unsigned char *start, size_t length, const Piece *needle)
{
    for (; length >= needle->length; start++, length--)
        if (memcmp(start, needle->start, needle->length) == 0)
            return true;
    return false;
}

/* What is done with frames of a name: dropped; kept, as it may have a role or is that of a function
 * in a file; or left to Python, because its escapes hide which it is. */
typedef enum { DROP, KEEP, ODD } FrameUse;

static const Piece IN_FILE = {(const unsigned char *)"): ", 3, true, false};

/* Each name is looked at once. */
static FrameUse frame_use(Scan *scan, int64_t name)
{
    Entry *entry = &scan->texts.entries[name];
    const unsigned char *start = scan->texts.bytes + entry->start;
    if (entry->use == ABSENT) {
        entry->use = DROP;
        for (size_t at = 0; at < scan->needle_count; at++)
            if (holds(start, entry->length, &scan->needles[at]))
                entry->use = KEEP;
        if (entry->use == DROP && entry->length && start[0] != '<') {
            if (memchr(start, '\\', entry->length))
                entry->use = ODD;
            else if (holds(start, entry->length, &IN_FILE))
                entry->use = KEEP;
        }
    }
    return (FrameUse)entry->use;
}

/* The number of a launch's track, which says where it ran if nothing else does. */
static Verdict take_track(Scan *scan, PieceOf which, Field field)
{
    const Piece *track = &scan->piece[which];
    if (!track->start)
        return GOOD;
    Looks like = looks(track);
    if (like == NUMBER)
        scan->field[field] = number_of(track);
    return like == UNCLEAR ? UNDECIDED : GOOD;
}

static Verdict fill_launch(Scan *scan)
{
    if (scan->field[GRID_X] == HANDED_BACK || scan->field[BLOCK_X] == HANDED_BACK)
        return UNDECIDED;
    TRY(take_track(scan, PID_TEXT, PID));
    TRY(take_track(scan, TID_TEXT, TID));
    return intern_piece(scan, OWNER_TEXT, OWNER);
}

static Verdict fill_host(Scan *scan)
{
    TRY(intern_process(scan));
    TRY(intern_thread(scan));
    if (scan->piece[KERNEL_TEXT].length)
        TRY(intern_piece(scan, KERNEL_TEXT, KERNEL));
    return intern_details(scan);
}

static Verdict write_row(Scan *scan, TableOf which)
{
    const Table *table = &TABLES[which];
    Rows *rows = &scan->rows[which];
    if (!grow((void **)&rows->cells, &rows->room, rows->used + table->width, sizeof(int64_t)))
        return NO_MEMORY;
    for (size_t column = 0; column < table->width; column++)
        rows->cells[rows->used++] = scan->field[table->columns[column]];
    return GOOD;
}

static Verdict keep_in(Scan *scan, TableOf table)
{
    TRY(intern_piece(scan, NAME_TEXT, NAME));
    if (table == FRAMES) {
        FrameUse use = scan->field[NAME] < 0 ? DROP : frame_use(scan, scan->field[NAME]);
        if (use != KEEP)
            return use == DROP ? GOOD : UNDECIDED;
    }
    TRY(table == LAUNCHES ? fill_launch(scan) : fill_host(scan));
    return write_row(scan, table);
}

static bool begins_with(const Piece *piece, const char *word)
{
    size_t length = strlen(word);
    return piece->quoted && piece->length >= length && memcmp(piece->start, word, length) == 0;
}

/* An event without a duration: the sample of a GPU, or of no use.  counters.py says what a sample is;
 * this leaves out what is many or can be none. */
static Verdict keep_moment(Scan *scan, const unsigned char *begin)
{
    const Piece *process = &scan->piece[PID_TEXT], *name = &scan->piece[NAME_TEXT];
    if (!scan->counter)
        return GOOD;
    if (process->escaped || name->escaped)
        return UNDECIDED;
    if (!begins_with(process, "GPU ") || begins_with(name, "Cycles ("))
        return GOOD;
    scan->field[BEGIN] = begin - scan->text;
    scan->field[END] = scan->at - scan->text;
    return write_row(scan, COUNTERS);
}

static Verdict keep(Scan *scan, bool has_dur, const unsigned char *begin)
{
    int table = NO_CATEGORY;
    if (!scan->complete && !has_dur)
        return keep_moment(scan, begin);
    if (scan->category >= 0) {
        const Entry *category = &scan->texts.entries[scan->category];
        if (!category->is_category)
            return NEW_CATEGORY;
        table = category->table;
        scan->field[KIND] = category->kind;
    }
    if (!scan->complete)
        return table >= 0 ? UNDECIDED : GOOD;
    if (table == NO_CATEGORY) /* whoever leaves out categories writes no ids */
        return scan->field[CORRELATION] > 0 || scan->field[EXTERNAL] > 0 ? UNDECIDED : GOOD;
    if (table == HANDED_BACK)
        return UNDECIDED;
    if (table == DROPPED || (table == FRAMES && !has_dur))
        return GOOD;
    return keep_in(scan, (TableOf)table);
}

/* A time that is absent makes the duration absent, too.  Whether there was a duration is given. */
static bool settle_times(Scan *scan)
{
    bool has_dur = scan->field[DUR_NS] != NO_TIME;
    if (scan->field[START_NS] == NO_TIME || !has_dur) {
        scan->field[START_NS] = 0;
        scan->field[DUR_NS] = ABSENT;
    }
    return has_dur;
}

static Verdict read_event(Scan *scan)
{
    memset(scan->piece, 0, sizeof scan->piece);
    memset(scan->field, 0xff, sizeof scan->field); /* ABSENT */
    scan->field[START_NS] = scan->field[DUR_NS] = NO_TIME;
    scan->field[EVENT] = scan->events;
    scan->category = ABSENT;
    scan->seen = 0;
    scan->complete = scan->counter = false;
    const unsigned char *begin = scan->at;
    TRY(read_object(scan, &scan->event_keys));
    TRY(keep(scan, settle_times(scan), begin));
    scan->events++;
    return GOOD;
}

/* All events of a stretch, with commas between them. */
static Verdict scan_events(Scan *scan, const unsigned char *text, size_t length)
{
    scan->text = scan->at = text;
    scan->end = text + length;
    scan->events = 0;
    for (int table = 0; table < TABLE_COUNT; table++)
        scan->rows[table].used = 0;
    space(scan);
    if (scan->at == scan->end)
        return GOOD;
    do {
        space(scan);
        TRY(read_event(scan));
        space(scan);
    } while (accept(scan, ','));
    return scan->at == scan->end ? GOOD : UNDECIDED;
}

static void start_scan(Scan *scan, uint64_t seed)
{
    memset(scan, 0, sizeof *scan);
    scan->texts.seed = seed;
    scan->last_category = scan->last_process = ABSENT;
    index_keys(&scan->event_keys, EVENT_KEYS, COUNT(EVENT_KEYS), 0);
    index_keys(&scan->argument_keys, ARGUMENT_KEYS, COUNT(ARGUMENT_KEYS), COUNT(EVENT_KEYS));
}

static void end_scan(Scan *scan)
{
    free_texts(&scan->texts);
    for (int table = 0; table < TABLE_COUNT; table++)
        free(scan->rows[table].cells);
    for (size_t each = 0; each < scan->needle_count; each++)
        free((void *)(uintptr_t)scan->needles[each].start);
    free(scan->needles);
    free(scan->scratch);
}

static Verdict add_needle(Scan *scan, const void *bytes, size_t length)
{
    unsigned char *copy = malloc(length + 1);
    Piece *needles = realloc(scan->needles, (scan->needle_count + 1) * sizeof *needles);
    if (needles)
        scan->needles = needles;
    if (!copy || !needles) {
        free(copy);
        return NO_MEMORY;
    }
    memcpy(copy, bytes, length);
    needles[scan->needle_count++] = (Piece){.start = copy, .length = length};
    return GOOD;
}

/* Frames of this name are of no use, whatever it looks like. */
static bool drop_frames(Scan *scan, size_t name)
{
    if (name >= scan->texts.count)
        return false;
    scan->texts.entries[name].use = DROP;
    return true;
}

static Verdict set_category(Scan *scan, const void *bytes, size_t length, int kind, int table)
{
    int64_t number;
    TRY(intern(&scan->texts, bytes, length, &number));
    Entry *entry = &scan->texts.entries[number];
    entry->is_category = true;
    entry->kind = (signed char)kind;
    entry->table = (signed char)table;
    return GOOD;
}

/* ------------------------------------------------------------------ Python */

/* Of what is given to Python; native.py leaves alone what was built from another one. */
#define VERSION 7

#ifndef SCANNER_ALONE

typedef struct {
    PyObject_HEAD
    Scan scan;
    bool busy; /* in a thread that has released the GIL */
} Scanner;

static PyObject *no_result(Verdict verdict)
{
    if (verdict == NO_MEMORY)
        return PyErr_NoMemory();
    Py_RETURN_NONE;
}

static bool is_busy(const Scanner *self)
{
    if (self->busy)
        PyErr_SetString(PyExc_RuntimeError, "this scanner is at work in another thread");
    return self->busy;
}

static PyObject *scanner_new(PyTypeObject *type, PyObject *args, PyObject *kwargs)
{
    static char *names[] = {"seed", "needles", NULL};
    unsigned long long seed;
    PyObject *needles;
    if (!PyArg_ParseTupleAndKeywords(args, kwargs, "KO!", names, &seed, &PyTuple_Type, &needles))
        return NULL;
    allocfunc allocate = (allocfunc)PyType_GetSlot(type, Py_tp_alloc);
    Scanner *self = (Scanner *)allocate(type, 0);
    if (!self)
        return NULL;
    start_scan(&self->scan, seed);
    self->busy = false;
    for (Py_ssize_t each = 0; each < PyTuple_Size(needles); each++) {
        char *bytes;
        Py_ssize_t length;
        if (PyBytes_AsStringAndSize(PyTuple_GetItem(needles, each), &bytes, &length) < 0) {
            Py_DECREF(self);
            return NULL;
        }
        if (add_needle(&self->scan, bytes, (size_t)length) != GOOD) {
            Py_DECREF(self);
            return PyErr_NoMemory();
        }
    }
    return (PyObject *)self;
}

static void scanner_dealloc(PyObject *self)
{
    PyTypeObject *type = Py_TYPE(self);
    end_scan(&((Scanner *)self)->scan);
    ((freefunc)PyType_GetSlot(type, Py_tp_free))(self);
    Py_DECREF(type);
}

/* Rows as columns, one behind the other. */
static void write_columns(const Rows *rows, size_t width, int64_t *to)
{
    size_t count = rows->used / width;
    for (size_t row = 0; row < count; row++)
        for (size_t column = 0; column < width; column++)
            to[column * count + row] = rows->cells[row * width + column];
}

/* The tables of a scanner as bytes: one column behind the other. */
static PyObject *bytes_of_tables(Scanner *self)
{
    int64_t *columns[TABLE_COUNT];
    PyObject *tables = PyTuple_New(TABLE_COUNT);
    for (int table = 0; tables && table < TABLE_COUNT; table++) {
        Py_ssize_t size = (Py_ssize_t)(self->scan.rows[table].used * sizeof(int64_t));
        PyObject *bytes = PyBytes_FromStringAndSize(NULL, size);
        columns[table] = bytes ? (int64_t *)(void *)PyBytes_AsString(bytes) : NULL;
        if (!bytes || PyTuple_SetItem(tables, table, bytes) < 0)
            Py_CLEAR(tables);
    }
    if (!tables)
        return NULL;
    self->busy = true;
    Py_BEGIN_ALLOW_THREADS
    for (int table = 0; table < TABLE_COUNT; table++)
        write_columns(&self->scan.rows[table], TABLES[table].width, columns[table]);
    Py_END_ALLOW_THREADS
    self->busy = false;
    return tables;
}

static PyObject *result_of(Scanner *self)
{
    const Scan *scan = &self->scan;
    PyObject *tables = bytes_of_tables(self);
    if (!tables)
        return NULL;
    return Py_BuildValue("(LN)", (long long)scan->events, tables);
}

/* Scan a text and give what `result` makes of it, None, or the bytes of a new category. */
static PyObject *scanned(Scanner *self, PyObject *text)
{
    Py_buffer view;
    Verdict verdict;
    if (is_busy(self) || PyObject_GetBuffer(text, &view, PyBUF_SIMPLE) < 0)
        return NULL;
    self->busy = true;
    Py_BEGIN_ALLOW_THREADS
    verdict = scan_events(&self->scan, view.buf, (size_t)view.len);
    Py_END_ALLOW_THREADS
    self->busy = false;
    PyBuffer_Release(&view);
    if (verdict == GOOD)
        return result_of(self);
    if (verdict != NEW_CATEGORY)
        return no_result(verdict);
    const Texts *texts = &self->scan.texts;
    const Entry *category = &texts->entries[self->scan.category];
    return PyBytes_FromStringAndSize((const char *)texts->bytes + category->start,
                                     (Py_ssize_t)category->length);
}

PyDoc_STRVAR(scan_doc,
"scan(text)\n--\n\n"
"Read whole events, joined by commas: (how many, whether the text names source frames, whether some\n"
"of those are odd, the bytes of the columns of each table). None where Python has to read them; the\n"
"bytes of a category where `set_category` has to be called first.");

static PyObject *scanner_scan(PyObject *self, PyObject *text)
{
    return scanned((Scanner *)self, text);
}

PyDoc_STRVAR(set_category_doc,
"set_category(category, kind, table)\n--\n\n"
"Say what becomes of events of a category, given as it is written between its quotes: a position\n"
"in TABLES, before that of counters, and what goes into the column `kind`; DROPPED; or HANDED_BACK, so that Python reads.");

static PyObject *scanner_set_category(PyObject *object, PyObject *args)
{
    Scanner *self = (Scanner *)object;
    const char *category;
    Py_ssize_t length;
    int kind, table;
    if (is_busy(self) || !PyArg_ParseTuple(args, "y#ii", &category, &length, &kind, &table))
        return NULL;
    if (table < HANDED_BACK || table >= COUNTERS || kind < SCHAR_MIN || kind > SCHAR_MAX) {
        PyErr_SetString(PyExc_ValueError, "no such table or kind");
        return NULL;
    }
    return no_result(set_category(&self->scan, category, (size_t)length, kind, table));
}

PyDoc_STRVAR(drop_frames_doc,
"drop_frames(number)\n--\n\n"
"Leave out from now on the source frames whose name is the text of this number.");

static PyObject *scanner_drop_frames(PyObject *object, PyObject *number)
{
    Scanner *self = (Scanner *)object;
    size_t name = PyLong_AsSize_t(number);
    if (PyErr_Occurred() || is_busy(self))
        return NULL;
    if (drop_frames(&self->scan, name))
        Py_RETURN_NONE;
    PyErr_SetString(PyExc_IndexError, "no text has this number");
    return NULL;
}

PyDoc_STRVAR(text_doc,
"text(number)\n--\n\n"
"The bytes of a text, as they are written between its quotes.");

static PyObject *scanner_text(PyObject *object, PyObject *number)
{
    Scanner *self = (Scanner *)object;
    const Texts *texts = &self->scan.texts;
    size_t at = PyLong_AsSize_t(number);
    if (PyErr_Occurred() || is_busy(self))
        return NULL;
    if (at >= texts->count) {
        PyErr_SetString(PyExc_IndexError, "no text has this number");
        return NULL;
    }
    const Entry *entry = &texts->entries[at];
    return PyBytes_FromStringAndSize((const char *)texts->bytes + entry->start,
                                     (Py_ssize_t)entry->length);
}

static PyMethodDef scanner_methods[] = {
    {"scan", scanner_scan, METH_O, scan_doc},
    {"set_category", scanner_set_category, METH_VARARGS, set_category_doc},
    {"drop_frames", scanner_drop_frames, METH_O, drop_frames_doc},
    {"text", scanner_text, METH_O, text_doc},
    {NULL, NULL, 0, NULL},
};

PyDoc_STRVAR(scanner_doc,
"Scanner(seed, needles)\n--\n\n"
"Turns stretches of one trace into rows. `seed` is a secret number; source frames are left out whose\n"
"names hold none of the `needles` and are not those of functions in files.");

static PyType_Slot scanner_slots[] = {
    {Py_tp_doc, (void *)scanner_doc},
    {Py_tp_new, (void *)scanner_new},
    {Py_tp_dealloc, (void *)scanner_dealloc},
    {Py_tp_methods, scanner_methods},
    {0, NULL},
};

static PyType_Spec scanner_spec = {
    .name = "kernelmap.traces.kineto._scanner.Scanner",
    .basicsize = sizeof(Scanner),
    .flags = Py_TPFLAGS_DEFAULT,
    .slots = scanner_slots,
};

/* ((name of a table, (names of its columns)), ...) */
static PyObject *names_of_tables(void)
{
    PyObject *tables = PyTuple_New(TABLE_COUNT);
    for (int which = 0; tables && which < TABLE_COUNT; which++) {
        const Table *table = &TABLES[which];
        PyObject *names = PyTuple_New((Py_ssize_t)table->width);
        for (size_t column = 0; names && column < table->width; column++) {
            PyObject *name = PyUnicode_FromString(FIELD_NAMES[table->columns[column]]);
            if (!name || PyTuple_SetItem(names, (Py_ssize_t)column, name) < 0)
                Py_CLEAR(names);
        }
        PyObject *pair = names ? Py_BuildValue("(sN)", table->name, names) : NULL;
        if (!pair || PyTuple_SetItem(tables, which, pair) < 0)
            Py_CLEAR(tables);
    }
    return tables;
}

static bool add_object(PyObject *module, const char *name, PyObject *value)
{
    bool added = value && PyModule_AddObjectRef(module, name, value) == 0;
    Py_XDECREF(value);
    return added;
}

static int scanner_exec(PyObject *module)
{
    bool whole = add_object(module, "Scanner", PyType_FromSpec(&scanner_spec))
        && add_object(module, "TABLES", names_of_tables())
        && PyModule_AddIntConstant(module, "VERSION", VERSION) == 0
        && PyModule_AddIntConstant(module, "DROPPED", DROPPED) == 0
        && PyModule_AddIntConstant(module, "HANDED_BACK", HANDED_BACK) == 0;
    return whole ? 0 : -1;
}

static PyModuleDef_Slot module_slots[] = {
    {Py_mod_exec, (void *)scanner_exec},
    {0, NULL},
};

static struct PyModuleDef module_def = {
    PyModuleDef_HEAD_INIT,
    .m_name = "kernelmap.traces.kineto._scanner",
    .m_doc = "Text of Kineto events in, rows of numbers out.",
    .m_slots = module_slots,
};

PyMODINIT_FUNC PyInit__scanner(void)
{
    return PyModuleDef_Init(&module_def);
}

#endif
