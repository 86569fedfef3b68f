/* The scanner of packets without Python, for sanitizers: damages traces and scans them.
 *
 *     fuzz_packets SECONDS SEED FILE...
 *
 * Every trace lies in a block of exactly its size, so that reading one byte too many is seen.  What
 * the scanner gives is held to what it promises: whole rows, packets that are there, and places of
 * texts inside of the trace.  A trace that breaks this, or at which a sanitizer stops, is written to
 * finding.bin.  scripts/fuzz_scanner.py builds and runs it.
 */

#define SCANNER_ALONE
#include "../kernelmap/traces/perfetto/_packets.c"

#include "fuzz_text.h"

#define COUNT(list) (sizeof(list) / sizeof((list)[0]))

/* Some packets of a seed, which begin where a packet does. */
static void take_piece(Text *text, const Text *seed)
{
    Span rest = {seed->bytes, seed->bytes + seed->length};
    size_t skipped = draw(seed->length);
    uint64_t tag, size;
    const unsigned char *start = rest.at;
    while (take_varint(&rest, &tag) && take_varint(&rest, &size)
           && size <= (uint64_t)(rest.end - rest.at) && (size_t)(start - seed->bytes) < skipped) {
        rest.at += size;
        start = rest.at;
    }
    text->length = (size_t)(seed->bytes + seed->length - start);
    if (text->length > LONGEST)
        text->length = LONGEST;
    memcpy(text->bytes, start, text->length);
}

static const char *const TOKENS[] = {
    "\x0a", "\x0a\x00", "\x5a", "\x5a\x02", "\x22\x04", "\x52\x0b" "correlation", "\xaa\x03",
    "\xff\xff\xff\xff\xff\xff\xff\xff\xff\x01", "\xff\xff\xff\xff\x0f", "\x80\x80\x80\x80",
    "\x48\x01", "\x48\x02", "\x62", "\x68\x01", "\x92\x03", "\x32\x04", "\xaa\x01\x02\x0a\x00",
    "\x10\xff\x01", "\x0b", "\x0c", "\x29", "\x0d",
};

static void replace(Text *text, size_t at, size_t gone, const void *bytes, size_t length)
{
    if (gone > text->length - at)
        gone = text->length - at;
    if (text->length - gone + length > ROOM)
        return;
    memmove(text->bytes + at + length, text->bytes + at + gone, text->length - at - gone);
    memcpy(text->bytes + at, bytes, length);
    text->length += length - gone;
}

static void damage(Text *text)
{
    size_t at = draw(text->length + 1);
    const char *token = TOKENS[draw(COUNT(TOKENS))];
    switch (draw(6)) {
    case 0:
        text->length = at;
        break;
    case 1:
        if (at < text->length)
            text->bytes[at] ^= (unsigned char)(1u << draw(8));
        break;
    case 2:
        if (at < text->length)
            text->bytes[at] = (unsigned char)draw(256);
        break;
    case 3:
        replace(text, at, 0, token, strlen(token));
        break;
    case 4:
        replace(text, at, draw(8), token, strlen(token));
        break;
    default:
        replace(text, at, draw(40), "", 0);
    }
}

/* Whether a text that a row tells the place of lies in the trace. */
static bool is_inside(int64_t at, int64_t size)
{
    if (at == ABSENT)
        return size == ABSENT;
    return at >= 0 && size >= 0 && at <= (int64_t)last.length && size <= (int64_t)last.length - at;
}

/* The cell of a row; ABSENT where nothing was written to its column. */
static int64_t cell_of(const Rows *rows, size_t row, size_t column)
{
    return rows->cells[column] ? rows->cells[column][row] : ABSENT;
}

static bool is_row(const Scan *scan, int table, int64_t row)
{
    return row >= 0 && row < count_rows(scan, table);
}

static bool keeps_its_word(const Scan *scan, size_t taken)
{
    for (int which = 0; which < TABLE_COUNT; which++) {
        const Rows *rows = &scan->rows[which];
        if (rows->used > rows->room)
            return false;
        for (size_t row = 0; row < rows->used; row++) {
            int64_t cells[MOST_COLUMNS];
            bool holds = true;
            for (size_t column = 0; column < TABLES[which].width; column++)
                cells[column] = cell_of(rows, row, column);
            if (which == STATES)
                holds = is_inside(cells[T_AT], cells[T_SIZE]);
            else if (which == DETAILS)
                holds = is_inside(cells[D_AT], cells[D_SIZE]);
            else if (which == INTERNED_TEXTS)
                holds = is_inside(cells[I_AT], cells[I_SIZE]);
            else if (which == SLICES)
                holds = is_inside(cells[S_NAME_AT], cells[S_NAME_SIZE])
                    && is_inside(cells[S_CATEGORY_AT], cells[S_CATEGORY_SIZE])
                    && (cells[S_DETAIL] == ABSENT || is_row(scan, DETAILS, cells[S_DETAIL]))
                    && is_row(scan, TRACKS, cells[S_TRACK]);
            else if (which == ENDS)
                holds = is_row(scan, TRACKS, cells[E_TRACK]) && cells[E_SLICES] >= 0
                    && cells[E_SLICES] <= count_rows(scan, SLICES);
            else if (which == STAGES)
                holds = is_inside(cells[G_NAME_AT], cells[G_NAME_SIZE]);
            else if (which == NOTES)
                holds = ((cells[N_VALUE_KIND] != TEXT && cells[N_VALUE_KIND] != OTHER)
                         || is_inside(cells[N_VALUE], cells[N_SIZE]))
                    && is_row(scan, cells[N_OF] == OF_SLICE ? SLICES : STAGES, cells[N_ROW]);
            if (which != NOTES && which != PACKETS && which != TRACKS && which != DETAILS)
                holds = holds && is_row(scan, PACKETS, cells[0]);
            if (!holds)
                return false;
        }
    }
    return taken <= last.length && (!count_rows(scan, PACKETS) || count_rows(scan, STRETCHES));
}

static void scan_last(void)
{
    static const char *const names[] = {
        "correlation", "External id", "external id", "Sequence number", "graph id",
        "graph node id", "device id", "stream id", "kernel", "name", "kernel_file", "num_warps",
    };
    Scan scan = {.first_detail = 10};
    unsigned char *exact = checked(malloc(last.length ? last.length : 1));
    int end;
    for (size_t each = 0; each < COUNT(names); each++)
        add_key(&scan, names[each], strlen(names[each]));
    memcpy(exact, last.bytes, last.length);
    size_t taken = scan_packets(&scan, exact, last.length, (int64_t)(1 + draw(1000)), &end);
    if (!keeps_its_word(&scan, taken))
        abort();
    end_scan(&scan);
    free(exact);
}

int main(int count, char **arguments)
{
    if (count < 4) {
        fputs("fuzz_packets SECONDS SEED FILE...\n", stderr);
        return 2;
    }
    time_t end = time(NULL) + atoi(arguments[1]);
    __sanitizer_set_death_callback(write_finding);
    state = strtoull(arguments[2], NULL, 10) | 1;
    size_t seeds = (size_t)count - 3;
    Text *seed = checked(calloc(seeds, sizeof *seed));
    for (size_t each = 0; each < seeds; each++)
        seed[each] = read_file(arguments[3 + each]);
    uint64_t scanned = 0;
    for (; time(NULL) < end; scanned++) {
        take_piece(&last, &seed[draw(seeds)]);
        for (uint64_t more = draw(6); more; more--)
            damage(&last);
        scan_last();
    }
    printf("%llu traces scanned\n", (unsigned long long)scanned);
    for (size_t each = 0; each < seeds; each++)
        free(seed[each].bytes);
    free(seed);
    return 0;
}
