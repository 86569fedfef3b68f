/* Bytes of Perfetto packets in, columns of numbers out: the fast half of the reader of .pftrace files.
 *
 * Where it stands.  packets.py cuts a file into pieces and asks for the rows of each; what rows mean
 * (interned names, tracks, clocks, which end belongs to which begin) is found in Python, for whole
 * columns.  So nothing is remembered here from one piece to the next.  plain_packets.py makes the
 * same rows in Python, to the last cell; the test of both is tests/traces/test_perfetto_native.py.
 *
 * What it reads.  A trace is packets one after the other, each a tag, its length, and fields.  Of a
 * packet: time, clock, sequence and flags.  Of track events, GPU render stages and GPU counters what
 * the tables below name, and the texts that are interned; everything else is passed over by its
 * length.  Packets that change what later ones mean (tracks, clocks, defaults, packed packets) are
 * marked, and Python reads them by itself.
 *
 * What makes it fast.  Columns that no row of a piece has are not written; packets in a row that
 * agree are told of once, as a stretch; notes and ends that are written as profilers write them are
 * taken in one step.  All else takes the general way, field by field, and gives the same.
 *
 * Damage.  A packet whose fields do not fill it exactly becomes a row without anything but its
 * place.  Where no packet begins, scanning stops, and the answer says so.
 *
 * Safety.  A Span is never read beyond its end: whoever takes bytes has compared them before.  No
 * size is computed from what the file says, but it is compared with what is there.
 * scripts/fuzz_scanner.py builds this file without Python and runs it under sanitizers.
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

#define VERSION 3

/* What reads a field is small and called from everywhere. */
#if defined(__GNUC__)
#define ALWAYS_INLINE inline __attribute__((always_inline))
#define NEVER_INLINE __attribute__((noinline))
#else
#define ALWAYS_INLINE inline
#define NEVER_INLINE
#endif

#define ABSENT (-1)
#define NO_TIME INT64_MIN

/* ------------------------------------------------------------------ tables */

enum { PACKETS, STRETCHES, STATES, INTERNED_TEXTS, TRACKS, DETAILS, SLICES, ENDS, STAGES, COUNTERS, NOTES, TABLE_COUNT };

/* Notes whose names are the first keys hold ids, and have columns of their own. */
#define SLICE_IDS 4
#define STAGE_IDS 8

enum { P_TIME, P_WIDTH };
enum { R_PACKET, R_SEQUENCE, R_CLEARED, R_CLOCK, R_PAYLOAD, R_STATE, R_WIDTH };
enum { T_PACKET, T_AT, T_SIZE, T_WIDTH };
enum { I_PACKET, I_KIND, I_IID, I_AT, I_SIZE, I_WIDTH };
enum { U_UUID, U_WIDTH };
enum { D_AT, D_SIZE, D_WIDTH };
enum {
    S_PACKET, S_EVENT, S_TRACK, S_NAME, S_NAME_AT, S_NAME_SIZE, S_CATEGORY, S_CATEGORY_AT, S_CATEGORY_SIZE,
    S_DURATION_US, S_DETAIL, S_IDS, S_WIDTH = S_IDS + SLICE_IDS
};
enum { E_PACKET, E_TRACK, E_SLICES, E_WIDTH };
enum {
    G_PACKET, G_EVENT, G_DURATION, G_GPU, G_QUEUE, G_STAGE, G_NAME, G_NAME_AT, G_NAME_SIZE,
    G_KERNEL, G_GRID_X, G_GRID_Y, G_GRID_Z, G_BLOCK_X, G_BLOCK_Y, G_BLOCK_Z, G_IDS,
    G_WIDTH = G_IDS + STAGE_IDS
};
enum { C_PACKET, C_GPU, C_DESCRIPTOR, C_COUNTER, C_VALUE_KIND, C_VALUE, C_WIDTH };
enum { N_OF, N_ROW, N_KEY, N_KEY_NAME, N_VALUE_KIND, N_VALUE, N_SIZE, N_WIDTH };

#define MOST_COLUMNS G_WIDTH

typedef struct {
    const char *name;
    size_t width;
    const char *columns[MOST_COLUMNS];
} Table;

static const Table TABLES[TABLE_COUNT] = {
    {"packets", P_WIDTH, {"time"}},
    {"stretches", R_WIDTH, {"packet", "sequence", "cleared", "clock", "payload", "state"}},
    {"states", T_WIDTH, {"packet", "at", "size"}},
    {"interned", I_WIDTH, {"packet", "kind", "iid", "at", "size"}},
    {"tracks", U_WIDTH, {"uuid"}},
    {"details", D_WIDTH, {"at", "size"}},
    {"slices", S_WIDTH,
     {"packet", "event", "track", "name", "name_at", "name_size", "category", "category_at", "category_size",
      "duration_us", "detail", "id_0", "id_1", "id_2", "id_3"}},
    {"ends", E_WIDTH, {"packet", "track", "slices"}},
    {"stages", G_WIDTH,
     {"packet", "event", "duration", "gpu", "queue", "stage", "name", "name_at", "name_size",
      "kernel", "grid_x", "grid_y", "grid_z", "block_x", "block_y", "block_z", "id_0", "id_1",
      "id_2", "id_3", "id_4", "id_5", "id_6", "id_7"}},
    {"counters", C_WIDTH, {"packet", "gpu", "descriptor", "counter", "value_kind", "value"}},
    {"notes", N_WIDTH, {"of", "row", "key", "key_name", "value_kind", "value", "size"}},
};

/* What stands in a column `value`. */
enum { INTEGER, DOUBLE, TEXT, TEXT_NAME, BOOLEAN, OTHER };
/* What a note belongs to, in its column `of`. */
enum { OF_SLICE, OF_STAGE };

typedef struct {
    const unsigned char *at, *end;
} Span;

/* Rows of a table, column by column.  Most columns are absent in most pieces: one is written only
 * from the first row on that has it; before that its `cells` are NULL. */
typedef struct {
    int64_t *cells[MOST_COLUMNS];
    size_t used, room; /* rows; there is room in every column that has memory */
    int64_t *memory[MOST_COLUMNS];
} Rows;

typedef struct {
    const unsigned char *name;
    size_t size;
    int next; /* key of the same slot, ABSENT for none */
} Key;

#define MOST_KEYS 64
#define KEY_SLOTS 256
#define TRACK_SLOTS 64
#define DETAIL_SLOTS 256
#define LOOKED_AT 24 /* bytes of details that choose their slot */

typedef struct {
    const unsigned char *start; /* of the piece: places of texts count from here */
    Rows rows[TABLE_COUNT];
    Key keys[MOST_KEYS];
    size_t key_count;
    unsigned char first_key[KEY_SLOTS]; /* number of the first key of a slot, and 1 */
    int64_t events;       /* packets that hold any */
    int64_t first_detail; /* keys from here on are details: only their place is kept */
    int64_t slot_uuid[TRACK_SLOTS], slot_row[TRACK_SLOTS];
    int64_t slot_detail[DETAIL_SLOTS];
    Span details[DETAIL_SLOTS];
    bool no_memory;
} Scan;

static int64_t count_rows(const Scan *scan, int table)
{
    return (int64_t)scan->rows[table].used;
}

/* Makes room for one row more. */
static NEVER_INLINE bool widen(Scan *scan, Rows *rows)
{
    /* No power of two: columns that begin at one place of their pages push each other out of the
     * processor's first cache. */
    size_t room = rows->room ? rows->room * 2 : 1000;
    for (size_t column = 0; column < MOST_COLUMNS; column++) {
        if (!rows->memory[column])
            continue;
        int64_t *cells = realloc(rows->memory[column], room * sizeof *cells);
        if (!cells) {
            scan->no_memory = true;
            return false;
        }
        rows->memory[column] = cells;
        if (rows->cells[column])
            rows->cells[column] = cells;
    }
    rows->room = room;
    return true;
}

/* Begins to write a column; it is absent in the rows that are there. */
static NEVER_INLINE bool begin_column(Scan *scan, Rows *rows, size_t column)
{
    if (!rows->memory[column])
        rows->memory[column] = malloc(rows->room * sizeof(int64_t));
    if (!rows->memory[column]) {
        scan->no_memory = true;
        return false;
    }
    rows->cells[column] = rows->memory[column];
    for (size_t row = 0; row < rows->used; row++)
        rows->cells[column][row] = ABSENT;
    return true;
}

/* Adds a row with these cells. */
static ALWAYS_INLINE bool add_cells(Scan *scan, int table, const int64_t *cells, size_t width)
{
    Rows *rows = &scan->rows[table];
    if (rows->used == rows->room && !widen(scan, rows))
        return false;
    const size_t row = rows->used;
    for (size_t column = 0; column < width; column++)
        if (rows->cells[column])
            rows->cells[column][row] = cells[column];
        else if (cells[column] != ABSENT) {
            if (!begin_column(scan, rows, column))
                return false;
            rows->cells[column][row] = cells[column];
        }
    rows->used = row + 1;
    return true;
}

#define ADD_CELLS(scan, table, cells) \
    add_cells((scan), (table), (cells), sizeof(cells) / sizeof((cells)[0]))

/* ------------------------------------------------------------------ the wire format */

typedef struct {
    uint32_t number, wire, tag;
    uint64_t value; /* of VARINT, FIXED64 and FIXED32 */
    Span bytes;     /* of BYTES */
} Field;

enum { VARINT = 0, FIXED64 = 1, BYTES = 2, FIXED32 = 5 };

#define LARGEST_FIELD ((1u << 29) - 1)
#define LONGEST_VARINT 10

/* Where a number of several bytes ends, and what it is; `after` is NULL where there is none.  Given
 * by value, so that compilers keep places in registers. */
typedef struct {
    const unsigned char *after;
    uint64_t value;
} Number;

static Number short_of_room(const unsigned char *at, const unsigned char *end)
{
    int places = end - at < LONGEST_VARINT ? (int)(end - at) : LONGEST_VARINT;
    uint64_t result = 0;
    for (int place = 0; place < places; place++) {
        unsigned char byte = at[place];
        result |= (uint64_t)(byte & 0x7f) << (7 * place);
        /* The last of ten bytes has one bit of the sixty-four. */
        if (byte < 0x80)
            return (Number){place == LONGEST_VARINT - 1 && byte > 1 ? NULL : at + place + 1, result};
    }
    return (Number){NULL, 0};
}

#if defined(__GNUC__) && defined(__BYTE_ORDER__) && __BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__

/* The seven low bits of each of eight bytes, side by side. */
static ALWAYS_INLINE uint64_t joined_bits(uint64_t bytes)
{
    bytes = (bytes & 0x007f007f007f007f) | (bytes & 0x7f007f007f007f00) >> 1;
    bytes = (bytes & 0x00003fff00003fff) | (bytes & 0x3fff00003fff0000) >> 2;
    return (bytes & 0x000000000fffffff) | (bytes & 0x0fffffff00000000) >> 4;
}

/* As short_of_room, eight bytes at a time where there are ten: times have nine. */
static Number long_varint(const unsigned char *at, const unsigned char *end)
{
    uint64_t bytes;
    if (end - at < LONGEST_VARINT)
        return short_of_room(at, end);
    memcpy(&bytes, at, sizeof bytes);
    uint64_t last = ~bytes & 0x8080808080808080;
    if (last)
        return (Number){at + (__builtin_ctzll(last) >> 3) + 1, joined_bits(bytes & (last ^ (last - 1)))};
    uint64_t value = joined_bits(bytes) | (uint64_t)(at[8] & 0x7f) << 56;
    if (at[8] < 0x80)
        return (Number){at + 9, value};
    /* The last of ten bytes has one bit of the sixty-four. */
    return (Number){at[9] > 1 ? NULL : at + 10, value | (uint64_t)at[9] << 63};
}

#else
#define long_varint short_of_room
#endif

/* Most numbers have one byte or two. */
static ALWAYS_INLINE bool take_varint(Span *span, uint64_t *value)
{
    if (span->at < span->end && *span->at < 0x80) {
        *value = *span->at++;
        return true;
    }
    if (span->end - span->at >= 2 && span->at[1] < 0x80) {
        *value = (uint64_t)(span->at[0] & 0x7f) | (uint64_t)span->at[1] << 7;
        span->at += 2;
        return true;
    }
    Number number = long_varint(span->at, span->end);
    if (!number.after)
        return false;
    span->at = number.after;
    *value = number.value;
    return true;
}

static ALWAYS_INLINE bool take_fixed(Span *span, int size, uint64_t *value)
{
    if (span->end - span->at < size)
        return false;
    *value = 0;
    for (int place = 0; place < size; place++)
        *value |= (uint64_t)span->at[place] << (8 * place);
    span->at += size;
    return true;
}

/* The next field of a message that has bytes left; false where it is damaged. */
static ALWAYS_INLINE bool take_field(Span *span, Field *field)
{
    uint64_t tag, size;
    /* Most fields are numbers whose tag has one byte. */
    if (span->at < span->end && *span->at < 0x80 && (*span->at & 7) == VARINT && *span->at >> 3) {
        field->number = *span->at >> 3;
        field->wire = VARINT;
        field->tag = *span->at++;
        return take_varint(span, &field->value);
    }
    if (!take_varint(span, &tag) || tag >> 3 > LARGEST_FIELD || !(tag >> 3))
        return false;
    field->number = (uint32_t)(tag >> 3);
    field->wire = (uint32_t)(tag & 7);
    field->tag = (uint32_t)tag;
    switch (field->wire) {
    case VARINT:
        return take_varint(span, &field->value);
    case FIXED64:
        return take_fixed(span, 8, &field->value);
    case FIXED32:
        return take_fixed(span, 4, &field->value);
    case BYTES:
        if (!take_varint(span, &size) || size > (uint64_t)(span->end - span->at))
            return false;
        field->bytes = (Span){span->at, span->at + size};
        span->at += size;
        return true;
    default:
        return false;
    }
}

#define TAG(number, wire) ((uint32_t)(number) << 3 | (uint32_t)(wire))
#define IS(field, its_number, its_wire) ((field).tag == TAG(its_number, its_wire))

static int64_t place_of(const Scan *scan, const Span *bytes)
{
    return (int64_t)(bytes->at - scan->start);
}

static int64_t size_of(const Span *bytes)
{
    return (int64_t)(bytes->end - bytes->at);
}

/* ------------------------------------------------------------------ notes: a name and a value */

/* Where a name is looked for: most names that are no key have a slot without any. */
static ALWAYS_INLINE size_t slot_of_key(const unsigned char *name, size_t size)
{
    if (size < 2)
        return size;
    /* So that the names of notes.py have a slot each, but for two that begin alike. */
    return (15 * size + 17u * name[0] + name[1]) % KEY_SLOTS;
}

static ALWAYS_INLINE bool are_same(const unsigned char *one, const unsigned char *other, size_t size)
{
    uint64_t words[4];
    /* Most keys have eight bytes to sixteen: two words, which may overlap. */
    if (size < sizeof *words || size > 2 * sizeof *words)
        return !memcmp(one, other, size);
    memcpy(&words[0], one, sizeof *words);
    memcpy(&words[1], other, sizeof *words);
    memcpy(&words[2], one + size - sizeof *words, sizeof *words);
    memcpy(&words[3], other + size - sizeof *words, sizeof *words);
    return words[0] == words[1] && words[2] == words[3];
}

static ALWAYS_INLINE int64_t find_key(const Scan *scan, const Span *name)
{
    size_t size = (size_t)(name->end - name->at);
    int key = scan->first_key[slot_of_key(name->at, size)] - 1;
    for (; key >= 0; key = scan->keys[key].next)
        if (scan->keys[key].size == size && are_same(scan->keys[key].name, name->at, size))
            return key;
    return ABSENT;
}

static void add_key(Scan *scan, const void *name, size_t size)
{
    unsigned char *first = &scan->first_key[slot_of_key(name, size)];
    scan->keys[scan->key_count++] = (Key){name, size, *first - 1};
    *first = (unsigned char)scan->key_count;
}

#define UNNAMED (-2)

/* The key of the name that a note begins with, ABSENT if that is no key; UNNAMED where it begins with
 * something else.  Writers put names first.  The rest of a note is not looked at if its name is no
 * key, as most are, or is that of a detail. */
static ALWAYS_INLINE int64_t first_key_of(const Scan *scan, Span span, uint32_t of_name)
{
    Field field = {0};
    if (span.at == span.end || !take_field(&span, &field) || !IS(field, of_name, BYTES))
        return UNNAMED;
    return find_key(scan, &field.bytes);
}

/* One note as it is read: a name written out or interned, and the last of its values. */
typedef struct {
    Span name;
    bool has_name;
    uint64_t name_iid;
    int64_t kind, value, size;
} Note;

static void set_value(Note *note, int64_t kind, int64_t value, int64_t size)
{
    note->kind = kind;
    note->value = value;
    note->size = size;
}

/* Where a note goes: into a column of the row it belongs to, where it is an id as profilers write
 * them; else it becomes a row, if its name is a key that is no detail, or is not known here. */
static bool add_note(Scan *scan, const Note *note, int64_t of, int64_t owner, int64_t *ids,
                     bool *is_detail)
{
    int64_t key = ABSENT;
    *is_detail = false;
    if (note->has_name) {
        key = find_key(scan, &note->name);
        *is_detail = key >= scan->first_detail;
        if (key == ABSENT || *is_detail)
            return true;
        if (key < (of == OF_SLICE ? SLICE_IDS : STAGE_IDS) && note->kind == INTEGER) {
            ids[key] = note->value;
            return true;
        }
    } else if (!note->name_iid)
        return true;
    const int64_t cells[N_WIDTH] = {
        [N_OF] = of, [N_ROW] = owner, [N_KEY] = key,
        [N_KEY_NAME] = note->has_name ? ABSENT : (int64_t)note->name_iid,
        [N_VALUE_KIND] = note->kind, [N_VALUE] = note->value, [N_SIZE] = note->size,
    };
    return ADD_CELLS(scan, NOTES, cells);
}

/* A number as torch writes it: decimal digits, without zeros before them, that fit easily. */
static bool is_decimal(const Span *text, int64_t *number)
{
    ptrdiff_t size = text->end - text->at;
    if (size < 1 || size > 18 || (text->at[0] == '0' && size > 1))
        return false;
    *number = 0;
    for (const unsigned char *at = text->at; at < text->end; at++) {
        if (*at < '0' || *at > '9')
            return false;
        *number = *number * 10 + (*at - '0');
    }
    return true;
}

/* What stands behind the name of an id as profilers write it: one number, or a decimal text. */
static ALWAYS_INLINE bool take_id(Span rest, int64_t of, int64_t *id)
{
    uint64_t number;
    if (of == OF_STAGE) {
        if (rest.end - rest.at < 2 || rest.at[0] != TAG(2, BYTES) || rest.at[1] >= 0x80
            || rest.at[1] != rest.end - rest.at - 2)
            return false;
        rest.at += 2;
        return is_decimal(&rest, id);
    }
    if (rest.at == rest.end || *rest.at++ != TAG(4, VARINT) || !take_varint(&rest, &number)
        || rest.at != rest.end)
        return false;
    *id = (int64_t)number;
    return true;
}

/* Makes `detail` reach from the first detail of a slice to the end of this one. */
static ALWAYS_INLINE void add_detail(Span *detail, const unsigned char *at, const unsigned char *end)
{
    if (!detail->at)
        detail->at = at;
    detail->end = end;
}

/* Takes notes that are written as profilers do, name first: names that are no key are passed over,
 * ids go to `ids`, places of details to `detail`.  Every other note is left, and read field by field.
 * `of_note` and `of_name` are tags. */
static ALWAYS_INLINE void take_plain_notes(const Scan *scan, Span *span, unsigned char of_note,
                                           unsigned char of_name, int64_t of, int64_t *ids,
                                           Span *detail)
{
    const unsigned char *at = span->at, *const end = span->end;
    while (end - at > 4 && at[0] == of_note) {
        const unsigned char *note = at + 2;
        size_t size = at[1];
        int64_t id;
        if (size >= 0x80) {
            if (at[2] >= 0x80)
                break;
            size = (size & 0x7f) | (size_t)at[2] << 7;
            note++;
        }
        if (size > (size_t)(end - note) || note[0] != of_name || note[1] >= 0x80
            || note[1] + (size_t)2 > size)
            break;
        const Span name = {note + 2, note + 2 + note[1]};
        const int64_t key = find_key(scan, &name);
        if (key >= scan->first_detail)
            add_detail(detail, at, note + size);
        else if (key != ABSENT) {
            if (key >= (of == OF_SLICE ? SLICE_IDS : STAGE_IDS)
                || !take_id((Span){name.end, note + size}, of, &id))
                break;
            ids[key] = id;
        }
        at = note + size;
    }
    span->at = at;
}

/* DebugAnnotation */
static bool read_annotation(Scan *scan, Span span, int64_t owner, int64_t *ids, bool *is_detail)
{
    const Span whole = span;
    Note note = {.kind = OTHER, .value = ABSENT, .size = ABSENT};
    Field field = {0};
    *is_detail = false;
    while (span.at < span.end) {
        if (!take_field(&span, &field))
            return false;
        if (IS(field, 10, BYTES)) {
            note.name = field.bytes;
            note.has_name = true;
        } else if (IS(field, 1, VARINT))
            note.name_iid = field.value;
        else if (IS(field, 2, VARINT))
            set_value(&note, BOOLEAN, field.value != 0, ABSENT);
        else if (IS(field, 3, VARINT) || IS(field, 4, VARINT))
            set_value(&note, INTEGER, (int64_t)field.value, ABSENT);
        else if (IS(field, 5, FIXED64))
            set_value(&note, DOUBLE, (int64_t)field.value, ABSENT);
        else if (IS(field, 6, BYTES))
            set_value(&note, TEXT, place_of(scan, &field.bytes), size_of(&field.bytes));
        else if (IS(field, 17, VARINT))
            set_value(&note, TEXT_NAME, (int64_t)field.value, ABSENT);
        /* Of a list or an object the place of the whole annotation is kept. */
        else if (IS(field, 11, BYTES) || IS(field, 12, BYTES))
            set_value(&note, OTHER, place_of(scan, &whole), size_of(&whole));
    }
    return add_note(scan, &note, OF_SLICE, owner, ids, is_detail);
}

/* GpuRenderStageEvent.ExtraData: all values are texts there. */
static bool read_extra(Scan *scan, Span span, int64_t owner, int64_t *ids)
{
    Note note = {.kind = OTHER, .value = ABSENT, .size = ABSENT};
    Field field = {0};
    int64_t number;
    bool is_detail;
    const int64_t key = first_key_of(scan, span, 1);
    if (key == ABSENT || key >= scan->first_detail)
        return true;
    while (span.at < span.end) {
        if (!take_field(&span, &field))
            return false;
        if (IS(field, 1, BYTES)) {
            note.name = field.bytes;
            note.has_name = true;
        } else if (IS(field, 2, BYTES)) {
            if (is_decimal(&field.bytes, &number))
                set_value(&note, INTEGER, number, ABSENT);
            else
                set_value(&note, TEXT, place_of(scan, &field.bytes), size_of(&field.bytes));
        }
    }
    return add_note(scan, &note, OF_STAGE, owner, ids, &is_detail);
}

/* ------------------------------------------------------------------ events */

/* TrackEvent.LegacyEvent: phase and duration of what Chrome's tracing calls a complete event. */
static NEVER_INLINE bool read_legacy(Span span, int64_t *phase, int64_t *duration_us)
{
    Field field = {0};
    while (span.at < span.end) {
        if (!take_field(&span, &field))
            return false;
        if (IS(field, 2, VARINT))
            *phase = (int64_t)field.value;
        else if (IS(field, 3, VARINT))
            *duration_us = (int64_t)field.value;
    }
    return true;
}

enum { SLICE_BEGIN = 1, SLICE_END = 2 };

/* The row of a track in its table.  Of tracks that share a slot the last one is remembered, so one
 * may have several rows. */
static inline int64_t row_of_track(Scan *scan, int64_t uuid)
{
    size_t slot = (size_t)(((uint64_t)uuid + ((uint64_t)uuid >> 6)) % TRACK_SLOTS);
    int64_t *row = &scan->slot_row[slot];
    if (*row == ABSENT || scan->slot_uuid[slot] != uuid) {
        const int64_t cells[U_WIDTH] = {uuid};
        *row = count_rows(scan, TRACKS);
        scan->slot_uuid[slot] = uuid;
        ADD_CELLS(scan, TRACKS, cells);
    }
    return *row;
}

/* The row of details in their table: equal bytes say the same, and kernels say the same each time
 * they run.  As with tracks the last ones of a slot are remembered. */
static int64_t row_of_detail(Scan *scan, Span detail)
{
    size_t size = (size_t)(detail.end - detail.at);
    uint32_t mixed = (uint32_t)size;
    for (size_t at = 0; at < size; at += size / LOOKED_AT + 1)
        mixed = mixed * 31 + detail.at[at];
    size_t slot = mixed % DETAIL_SLOTS;
    const Span *known = &scan->details[slot];
    if (scan->slot_detail[slot] == ABSENT || (size_t)(known->end - known->at) != size
        || memcmp(known->at, detail.at, size)) {
        const int64_t cells[D_WIDTH] = {place_of(scan, &detail), size_of(&detail)};
        scan->slot_detail[slot] = count_rows(scan, DETAILS);
        scan->details[slot] = detail;
        ADD_CELLS(scan, DETAILS, cells);
    }
    return scan->slot_detail[slot];
}

/* An end as writers write it: its type and its track, nothing else.  Whether it is one. */
static ALWAYS_INLINE bool take_plain_end(Scan *scan, Span span, int64_t packet)
{
    uint64_t track;
    if (span.end - span.at < 4 || span.at[0] != TAG(9, VARINT) || span.at[1] != SLICE_END
        || span.at[2] != TAG(11, VARINT))
        return false;
    span.at += 3;
    if (!take_varint(&span, &track) || span.at != span.end)
        return false;
    const int64_t row = row_of_track(scan, (int64_t)track);
    const int64_t end[E_WIDTH] = {packet, row, count_rows(scan, SLICES)};
    return ADD_CELLS(scan, ENDS, end);
}

/* TrackEvent: a row for a begin or an end.  Notes of what is no begin are taken back. */
static NEVER_INLINE bool read_slice(Scan *scan, Span span, int64_t packet)
{
    int64_t cells[S_WIDTH], owner = count_rows(scan, SLICES);
    int64_t type = ABSENT, phase = ABSENT;
    size_t notes = scan->rows[NOTES].used;
    Span detail = {NULL, NULL};
    Field field = {0};
    if (take_plain_end(scan, span, packet))
        return true;
    for (int cell = 0; cell < S_WIDTH; cell++)
        cells[cell] = ABSENT;
    cells[S_PACKET] = packet;
    cells[S_EVENT] = scan->events;
    while (span.at < span.end) {
        const unsigned char *start;
        int64_t key;
        bool is_detail;
        take_plain_notes(scan, &span, TAG(4, BYTES), TAG(10, BYTES), OF_SLICE, &cells[S_IDS], &detail);
        if (span.at == span.end)
            break;
        start = span.at;
        if (!take_field(&span, &field))
            return false;
        switch (field.tag) {
        case TAG(4, BYTES):
            key = first_key_of(scan, field.bytes, 10);
            if (key == ABSENT)
                break;
            is_detail = key >= scan->first_detail;
            if (!is_detail && !read_annotation(scan, field.bytes, owner, &cells[S_IDS], &is_detail))
                return false;
            if (is_detail)
                add_detail(&detail, start, span.at);
            break;
        case TAG(9, VARINT):
            type = (int64_t)field.value;
            break;
        case TAG(11, VARINT):
            cells[S_TRACK] = (int64_t)field.value;
            break;
        case TAG(10, VARINT):
            cells[S_NAME] = (int64_t)field.value;
            break;
        case TAG(23, BYTES):
            cells[S_NAME_AT] = place_of(scan, &field.bytes);
            cells[S_NAME_SIZE] = size_of(&field.bytes);
            break;
        case TAG(3, VARINT):
            if (cells[S_CATEGORY] == ABSENT)
                cells[S_CATEGORY] = (int64_t)field.value;
            break;
        case TAG(22, BYTES):
            if (cells[S_CATEGORY_AT] == ABSENT) {
                cells[S_CATEGORY_AT] = place_of(scan, &field.bytes);
                cells[S_CATEGORY_SIZE] = size_of(&field.bytes);
            }
            break;
        case TAG(6, BYTES):
            if (!read_legacy(field.bytes, &phase, &cells[S_DURATION_US]))
                return false;
            break;
        default:
            break;
        }
    }
    if (type <= 0 && (phase == 'B' || phase == 'X'))
        type = SLICE_BEGIN;
    else if (type <= 0 && phase == 'E')
        type = SLICE_END;
    if (phase != 'X')
        cells[S_DURATION_US] = ABSENT;
    if (type == SLICE_BEGIN) {
        cells[S_TRACK] = row_of_track(scan, cells[S_TRACK]);
        if (detail.at)
            cells[S_DETAIL] = row_of_detail(scan, detail);
        return ADD_CELLS(scan, SLICES, cells);
    }
    scan->rows[NOTES].used = notes;
    if (type == SLICE_END) {
        const int64_t end[E_WIDTH] = {packet, row_of_track(scan, cells[S_TRACK]), owner};
        return ADD_CELLS(scan, ENDS, end);
    }
    return true;
}

/* ComputeKernelLaunch.Dim3 */
static bool read_extent(Span span, int64_t *axes)
{
    Field field = {0};
    while (span.at < span.end) {
        if (!take_field(&span, &field))
            return false;
        if (field.wire == VARINT && field.number <= 3)
            axes[field.number - 1] = (int64_t)field.value;
    }
    return true;
}

/* ComputeKernelLaunch */
static bool read_launch(Span span, int64_t *cells)
{
    Field field = {0};
    while (span.at < span.end) {
        if (!take_field(&span, &field))
            return false;
        if (IS(field, 1, BYTES) && !read_extent(field.bytes, &cells[G_GRID_X]))
            return false;
        if (IS(field, 2, BYTES) && !read_extent(field.bytes, &cells[G_BLOCK_X]))
            return false;
    }
    return true;
}

/* Which cell of a stage a field of GpuRenderStageEvent goes to; G_PACKET for none. */
static int cell_of_stage(uint32_t number)
{
    switch (number) {
    case 2:
        return G_DURATION;
    case 11:
        return G_GPU;
    case 13:
        return G_QUEUE;
    case 14:
        return G_STAGE;
    case 20:
        return G_NAME;
    case 19:
        return G_KERNEL;
    default:
        return G_PACKET;
    }
}

/* GpuRenderStageEvent */
static NEVER_INLINE bool read_stage(Scan *scan, Span span, int64_t packet)
{
    int64_t cells[G_WIDTH], owner = count_rows(scan, STAGES);
    Span detail = {NULL, NULL}; /* Inductor exports nothing with stages */
    Field field = {0};
    for (int cell = 0; cell < G_WIDTH; cell++)
        cells[cell] = ABSENT;
    while (span.at < span.end) {
        take_plain_notes(scan, &span, TAG(6, BYTES), TAG(1, BYTES), OF_STAGE, &cells[G_IDS], &detail);
        if (span.at == span.end)
            break;
        if (!take_field(&span, &field))
            return false;
        if (field.wire == VARINT)
            cells[cell_of_stage(field.number)] = (int64_t)field.value;
        else if (IS(field, 6, BYTES)) {
            if (!read_extra(scan, field.bytes, owner, &cells[G_IDS]))
                return false;
        } else if (IS(field, 21, BYTES)) {
            if (!read_launch(field.bytes, cells))
                return false;
        } else if (IS(field, 17, BYTES)) {
            cells[G_NAME_AT] = place_of(scan, &field.bytes);
            cells[G_NAME_SIZE] = size_of(&field.bytes);
        }
    }
    cells[G_PACKET] = packet;
    cells[G_EVENT] = scan->events;
    return ADD_CELLS(scan, STAGES, cells);
}

/* GpuCounterEvent.GpuCounter; `cells` are those of its row. */
static bool read_sample(Span span, int64_t *cells)
{
    Field field = {0};
    while (span.at < span.end) {
        if (!take_field(&span, &field))
            return false;
        if (IS(field, 1, VARINT))
            cells[C_COUNTER] = (int64_t)field.value;
        else if (IS(field, 2, VARINT) || IS(field, 3, FIXED64)) {
            cells[C_VALUE_KIND] = field.wire == VARINT ? INTEGER : DOUBLE;
            cells[C_VALUE] = (int64_t)field.value;
        }
    }
    return true;
}

/* GpuCounterEvent: a row for each of its samples, and whether it describes its counters. */
static NEVER_INLINE bool read_counters(Scan *scan, const Span whole, int64_t packet, bool *is_described)
{
    int64_t gpu = ABSENT, descriptor = ABSENT;
    Field field = {0};
    for (Span span = whole; span.at < span.end;) {
        if (!take_field(&span, &field))
            return false;
        if (IS(field, 3, VARINT))
            gpu = (int64_t)field.value;
        else if (IS(field, 4, VARINT))
            descriptor = (int64_t)field.value;
        else if (IS(field, 1, BYTES))
            *is_described = true;
    }
    /* What all of its samples share may stand behind them. */
    for (Span span = whole; span.at < span.end && take_field(&span, &field);) {
        int64_t cells[C_WIDTH] = {packet, gpu, descriptor, ABSENT, ABSENT, ABSENT};
        if (!IS(field, 2, BYTES))
            continue;
        if (!read_sample(field.bytes, cells) || !ADD_CELLS(scan, COUNTERS, cells))
            return false;
    }
    return true;
}

/* ------------------------------------------------------------------ packets */

enum {
    CLOCK_SNAPSHOT = 6, TIMESTAMP = 8, SEQUENCE = 10, TRACK_EVENT = 11, INTERNED = 12, FLAGS = 13,
    CLEARED = 41, COMPRESSED = 50, GPU_COUNTERS = 52, GPU_STAGE = 53, CLOCK = 58, DEFAULTS = 59,
    TRACK = 60, GPU_INFO = 128
};

/* Whether a field changes what later packets mean, so that Python has to read the packet. */
static bool is_state(uint32_t number)
{
    switch (number) {
    case CLOCK_SNAPSHOT:
    case CLEARED:
    case COMPRESSED:
    case DEFAULTS:
    case TRACK:
    case GPU_INFO:
        return true;
    default:
        return false;
    }
}

/* Which fields of InternedData hold texts, and the field of an entry that does; 0 for others. */
static uint32_t text_of_interned(uint32_t number)
{
    switch (number) {
    case 1:    /* categories */
    case 2:    /* names */
    case 3:    /* names of notes */
    case 29:   /* texts of notes */
    case 24:   /* stages */
        return 2;
    case 1000: /* kernels */
        return 3;
    default:
        return 0;
    }
}

#define DESCRIPTORS 47 /* of counters: Python reads these */

/* InternedData: a row for each text, up to where it is damaged. */
static NEVER_INLINE void read_interned(Scan *scan, Span span, int64_t packet, bool *is_described)
{
    Field entry = {0}, field = {0};
    while (span.at < span.end && take_field(&span, &entry)) {
        if (entry.wire != BYTES)
            continue;
        *is_described |= entry.number == DESCRIPTORS;
        uint32_t text = text_of_interned(entry.number);
        int64_t cells[I_WIDTH] = {packet, entry.number, 0, ABSENT, ABSENT};
        if (!text)
            continue;
        for (Span rest = entry.bytes; rest.at < rest.end;) {
            if (!take_field(&rest, &field))
                return;
            if (IS(field, 1, VARINT))
                cells[I_IID] = (int64_t)field.value;
            else if (IS(field, text, BYTES)) {
                cells[I_AT] = place_of(scan, &field.bytes);
                cells[I_SIZE] = size_of(&field.bytes);
            }
        }
        if (!ADD_CELLS(scan, INTERNED_TEXTS, cells))
            return;
    }
}

#define IS_CLEARED 1 /* of the flags of a packet */

/* Takes the numbers that writers put before what a packet is about. */
static ALWAYS_INLINE void take_plain_head(Span *span, int64_t *time, int64_t *cells)
{
    while (span->at < span->end) {
        Span rest = {span->at + 1, span->end};
        int64_t *cell;
        uint64_t value;
        switch (*span->at) {
        case TAG(TIMESTAMP, VARINT):
            cell = time;
            break;
        case TAG(SEQUENCE, VARINT):
            cell = &cells[R_SEQUENCE];
            break;
        default:
            return;
        }
        if (!take_varint(&rest, &value))
            return;
        *cell = (int64_t)value;
        *span = rest;
    }
}

/* TracePacket.  `cells` are those of its stretch. */
static bool read_packet(Scan *scan, Span span, int64_t packet, int64_t *time, int64_t *cells)
{
    Field field = {0};
    take_plain_head(&span, time, cells);
    while (span.at < span.end) {
        bool is_described = false;
        if (!take_field(&span, &field))
            return false;
        if (field.wire == BYTES) {
            /* What a packet is about is the last of its messages that is no state. */
            if (field.number != INTERNED && field.number != DEFAULTS)
                cells[R_PAYLOAD] = field.number;
            if (field.number == TRACK_EVENT) {
                if (!read_slice(scan, field.bytes, packet))
                    return false;
            } else if (field.number == GPU_STAGE) {
                if (!read_stage(scan, field.bytes, packet))
                    return false;
            } else if (field.number == GPU_COUNTERS) {
                if (!read_counters(scan, field.bytes, packet, &is_described))
                    return false;
            } else if (field.number == INTERNED)
                read_interned(scan, field.bytes, packet, &is_described);
        } else if (field.wire == VARINT) {
            if (field.number == TIMESTAMP)
                *time = (int64_t)field.value;
            else if (field.number == SEQUENCE)
                cells[R_SEQUENCE] = (int64_t)field.value;
            else if (field.number == FLAGS)
                cells[R_CLEARED] = field.value & IS_CLEARED;
            else if (field.number == CLOCK)
                cells[R_CLOCK] = (int64_t)field.value;
        }
        if (is_described || is_state(field.number))
            cells[R_STATE] = 1;
    }
    return true;
}

static void begin_packet(int64_t packet, int64_t *time, int64_t *cells)
{
    const int64_t empty[R_WIDTH] = {packet, 0, 0, ABSENT, ABSENT, 0};
    memcpy(cells, empty, sizeof empty);
    *time = NO_TIME;
}

/* One whole packet becomes rows; damaged ones leave none but their own, which say `broken`.
 * `stretch` are the cells of the last stretch, and become those of this packet's. */
static void add_packet(Scan *scan, const Span *bytes, int64_t *stretch)
{
    int64_t cells[R_WIDTH], packet = count_rows(scan, PACKETS);
    int64_t time[P_WIDTH];
    size_t used[TABLE_COUNT];
    for (int table = 0; table < TABLE_COUNT; table++)
        used[table] = scan->rows[table].used;
    begin_packet(packet, time, cells);
    if (!read_packet(scan, *bytes, packet, time, cells)) {
        for (int table = 0; table < TABLE_COUNT; table++)
            if (table != TRACKS && table != DETAILS) /* whose rows are remembered */
                scan->rows[table].used = used[table];
        begin_packet(packet, time, cells);
        cells[R_STATE] = ABSENT;
    }
    if (cells[R_STATE] == 1) {
        const int64_t state[T_WIDTH] = {packet, place_of(scan, bytes), size_of(bytes)};
        ADD_CELLS(scan, STATES, state);
    }
    ADD_CELLS(scan, PACKETS, time);
    scan->events += scan->rows[SLICES].used > used[SLICES] || scan->rows[STAGES].used > used[STAGES];
    /* Neighbors that change nothing and agree in all but their time are one stretch. */
    bool goes_on = packet && !cells[R_STATE] && !cells[R_CLEARED];
    for (int cell = R_SEQUENCE; goes_on && cell < R_WIDTH; cell++)
        goes_on = cells[cell] == stretch[cell];
    if (!goes_on)
        add_cells(scan, STRETCHES, memcpy(stretch, cells, sizeof cells), R_WIDTH);
}

enum { WHOLE, CUT, NO_PACKET };

/* Rows of at most `most` packets.  Gives how many bytes they take, and why there are no more: all
 * bytes or packets are taken, the last packet is cut, or no packet begins here. */
static size_t scan_packets(Scan *scan, const unsigned char *bytes, size_t size, int64_t most,
                           int *end)
{
    Span rest = {bytes, bytes + size};
    int64_t stretch[R_WIDTH];
    scan->start = bytes;
    scan->events = 0;
    scan->no_memory = false;
    for (int table = 0; table < TABLE_COUNT; table++) {
        scan->rows[table].used = 0;
        for (size_t column = 0; column < MOST_COLUMNS; column++)
            scan->rows[table].cells[column] = NULL;
    }
    for (size_t slot = 0; slot < TRACK_SLOTS; slot++)
        scan->slot_row[slot] = ABSENT;
    for (size_t slot = 0; slot < DETAIL_SLOTS; slot++)
        scan->slot_detail[slot] = ABSENT;
    for (*end = WHOLE; rest.at < rest.end && count_rows(scan, PACKETS) < most;) {
        Span next = rest;
        uint64_t tag, length;
        /* Fields of a trace that are no packets may come one day; until then they are damage. */
        if (!take_varint(&next, &tag)) {
            *end = next.end - next.at < LONGEST_VARINT ? CUT : NO_PACKET;
            break;
        }
        if (tag != (1 << 3 | BYTES)) {
            *end = NO_PACKET;
            break;
        }
        if (!take_varint(&next, &length)) {
            *end = next.end - next.at < LONGEST_VARINT ? CUT : NO_PACKET;
            break;
        }
        if (length > (uint64_t)(next.end - next.at)) {
            *end = CUT;
            break;
        }
        Span packet = {next.at, next.at + length};
        add_packet(scan, &packet, stretch);
        if (scan->no_memory)
            break;
        rest.at = packet.end;
    }
    return (size_t)(rest.at - bytes);
}

static void end_scan(Scan *scan)
{
    for (int table = 0; table < TABLE_COUNT; table++)
        for (size_t column = 0; column < MOST_COLUMNS; column++)
            free(scan->rows[table].memory[column]);
}

/* ------------------------------------------------------------------ Python */

#ifndef SCANNER_ALONE

/* The memory of the last scan, for the next one: new memory costs more than what is written to it.
 * Whoever holds the GIL takes it, or puts it back. */
typedef struct {
    Rows rows[TABLE_COUNT];
    bool is_there;
} Spare;

#define MOST_SPARE ((size_t)64 << 20) /* bytes */

static void take_spare(Spare *spare, Scan *scan)
{
    if (!spare->is_there)
        return;
    memcpy(scan->rows, spare->rows, sizeof scan->rows);
    spare->is_there = false;
}

static void leave_spare(Spare *spare, Scan *scan)
{
    size_t room = 0;
    for (int table = 0; table < TABLE_COUNT; table++)
        for (size_t column = 0; column < MOST_COLUMNS; column++)
            if (scan->rows[table].memory[column])
                room += scan->rows[table].room * sizeof(int64_t);
    if (spare->is_there || room > MOST_SPARE) {
        end_scan(scan);
        return;
    }
    memcpy(spare->rows, scan->rows, sizeof scan->rows);
    spare->is_there = true;
}

/* A table as (how many rows, (the bytes of a column, or None where all of it is absent, ...)). */
static PyObject *table_of_rows(const Rows *rows, size_t width)
{
    PyObject *columns = PyTuple_New((Py_ssize_t)width);
    for (size_t each = 0; columns && each < width; each++) {
        PyObject *cells = rows->cells[each]
            ? PyBytes_FromStringAndSize((const char *)rows->cells[each],
                                        (Py_ssize_t)(rows->used * sizeof(int64_t)))
            : Py_NewRef(Py_None);
        if (!cells || PyTuple_SetItem(columns, (Py_ssize_t)each, cells) < 0)
            Py_CLEAR(columns);
    }
    return columns ? Py_BuildValue("(nN)", (Py_ssize_t)rows->used, columns) : NULL;
}

static PyObject *tables_of(const Scan *scan)
{
    PyObject *tables = PyTuple_New(TABLE_COUNT);
    for (int which = 0; tables && which < TABLE_COUNT; which++) {
        PyObject *table = table_of_rows(&scan->rows[which], TABLES[which].width);
        if (!table || PyTuple_SetItem(tables, which, table) < 0)
            Py_CLEAR(tables);
    }
    return tables;
}

static bool take_keys(Scan *scan, PyObject *keys)
{
    if (PyTuple_Size(keys) > MOST_KEYS) {
        PyErr_SetString(PyExc_ValueError, "too many keys");
        return false;
    }
    for (Py_ssize_t each = 0; each < PyTuple_Size(keys); each++) {
        char *name;
        Py_ssize_t size;
        if (PyBytes_AsStringAndSize(PyTuple_GetItem(keys, each), &name, &size) < 0)
            return false;
        add_key(scan, name, (size_t)size);
    }
    return true;
}

PyDoc_STRVAR(scan_doc,
"scan(data, keys, first_detail, most)\n--\n\n"
"Rows of at most `most` packets: (how many bytes they take, WHOLE, CUT or NO_PACKET, tables: how\n"
"many rows, and the bytes of each column, None where all is absent). Notes are kept whose name is one of `keys`, or is interned; of those\n"
"from `first_detail` on only where they stand.");

static PyObject *module_scan(PyObject *module, PyObject *args)
{
    Spare *spare = PyModule_GetState(module);
    PyObject *keys, *data;
    long long first_detail, most;
    if (!PyArg_ParseTuple(args, "OO!LL", &data, &PyTuple_Type, &keys, &first_detail, &most))
        return NULL;
    Scan scan = {.first_detail = (int64_t)first_detail};
    Py_buffer view;
    if (!take_keys(&scan, keys) || PyObject_GetBuffer(data, &view, PyBUF_SIMPLE) < 0)
        return NULL;
    int end;
    size_t taken;
    take_spare(spare, &scan);
    Py_BEGIN_ALLOW_THREADS
    taken = scan_packets(&scan, view.buf, (size_t)view.len, (int64_t)most, &end);
    Py_END_ALLOW_THREADS
    PyBuffer_Release(&view);
    PyObject *tables = scan.no_memory ? PyErr_NoMemory() : tables_of(&scan);
    leave_spare(spare, &scan);
    return tables ? Py_BuildValue("(niN)", (Py_ssize_t)taken, end, tables) : NULL;
}

/* ((name of a table, (names of its columns)), ...) */
static PyObject *names_of_tables(void)
{
    PyObject *tables = PyTuple_New(TABLE_COUNT);
    for (int which = 0; tables && which < TABLE_COUNT; which++) {
        const Table *table = &TABLES[which];
        PyObject *names = PyTuple_New((Py_ssize_t)table->width);
        for (size_t column = 0; names && column < table->width; column++) {
            PyObject *name = PyUnicode_FromString(table->columns[column]);
            if (!name || PyTuple_SetItem(names, (Py_ssize_t)column, name) < 0)
                Py_CLEAR(names);
        }
        PyObject *pair = names ? Py_BuildValue("(sN)", table->name, names) : NULL;
        if (!pair || PyTuple_SetItem(tables, which, pair) < 0)
            Py_CLEAR(tables);
    }
    return tables;
}

static int module_exec(PyObject *module)
{
    PyObject *tables = names_of_tables();
    bool whole = tables && PyModule_AddObjectRef(module, "TABLES", tables) == 0
        && PyModule_AddIntConstant(module, "VERSION", VERSION) == 0;
    Py_XDECREF(tables);
    return whole ? 0 : -1;
}

static PyMethodDef module_methods[] = {
    {"scan", module_scan, METH_VARARGS, scan_doc},
    {NULL, NULL, 0, NULL},
};

static PyModuleDef_Slot module_slots[] = {
    {Py_mod_exec, (void *)module_exec},
    {0, NULL},
};

static void module_free(void *module)
{
    Spare *spare = PyModule_GetState((PyObject *)module);
    Scan scan = {0};
    if (!spare)
        return;
    take_spare(spare, &scan);
    end_scan(&scan);
}

static struct PyModuleDef module_def = {
    PyModuleDef_HEAD_INIT,
    .m_name = "kernelmap.traces.perfetto._packets",
    .m_doc = "Bytes of Perfetto packets in, rows of numbers out.",
    .m_size = sizeof(Spare),
    .m_methods = module_methods,
    .m_slots = module_slots,
    .m_free = module_free,
};

PyMODINIT_FUNC PyInit__packets(void)
{
    return PyModuleDef_Init(&module_def);
}

#endif
