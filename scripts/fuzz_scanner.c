/* The scanner without Python, for sanitizers: damages the texts of files and scans them.
 *
 *     fuzz_scanner SECONDS SEED FILE...
 *
 * Every text lies in a block of exactly its size, so that reading one byte too many is seen.  What
 * the scanner gives is held to what it promises: whole rows, and texts that exist.  A text that
 * breaks this, or at which a sanitizer stops, is written to finding.bin.
 * scripts/fuzz_scanner.py builds and runs it.
 */

#define SCANNER_ALONE
#include "../kernelmap/traces/kineto/_scanner.c"

#include "fuzz_text.h"

/* Behind the object that begins at `start`, by its brackets; the end of the seed without one. */
static size_t behind_object(const Text *seed, size_t start)
{
    bool quoted = false;
    int depth = 0;
    for (size_t at = start; at < seed->length; at++) {
        unsigned char byte = seed->bytes[at];
        if (quoted && byte == '\\')
            at++;
        else if (byte == '"')
            quoted = !quoted;
        else if (!quoted && (byte == '{' || byte == '['))
            depth++;
        else if (!quoted && (byte == '}' || byte == ']') && --depth == 0)
            return at + 1;
    }
    return seed->length;
}

/* Some objects of a seed: events, if the first of them is one. */
static void take_piece(Text *text, const Text *seed)
{
    size_t start = draw(seed->length);
    while (start < seed->length && seed->bytes[start] != '{')
        start++;
    size_t end = start;
    for (uint64_t more = draw(6); more && end < seed->length; more--) {
        size_t next = behind_object(seed, end);
        if (next - start > LONGEST)
            break;
        end = next;
    }
    text->length = end - start;
    memcpy(text->bytes, seed->bytes + start, text->length);
}

static const char *const TOKENS[] = {
    "\"",     "\\",    "{",      "}",     "[",      "]",       ",",       ":",      "-",
    "0",      "1e5",   ".5",     "null",  "true",   "\\u",     "\\ud83d", "\\udc00", "\xff",
    "\xed\xa0\x80",    "\xf0\x9f\x98\x80", "\xc3",  "\x01",    "\"ph\":\"X\"", "\"args\":{",
    "\"cat\":\"kernel\"", "\"ts\":1.5", "\"dur\":2", "\"grid\":[1,2,3]", "\"tid\":\"x\"",
    "\"num_warps\":4", "18446744073709551615", "9223372036854775807", "9223372036854775808",
    "\"cat\":\"python_function\"", "\"name\":\"x_inductor\"", "99999999999999999999.9999999999",
    "\"name\":\"m.py(3): f\"", "\\u0029: ",
    "\"python_function\"", "\"\"", "  \n\t", "\"stack\":[\"\\n\"]", "\"annotation\":{\"a\":[1]}",
    "\"copy kind\":9", "\"original_stream\":3",
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
    switch (draw(5)) {
    case 0:
        text->length = at;
        break;
    case 1:
        if (at < text->length)
            text->bytes[at] ^= (unsigned char)(1u << draw(8));
        break;
    case 2:
        replace(text, at, 0, token, strlen(token));
        break;
    case 3:
        replace(text, at, draw(8), token, strlen(token));
        break;
    default:
        replace(text, at, draw(40), "", 0);
    }
}

/* The rows as Python would take them: cells that number texts are within the texts. */
static bool keeps_its_word(const Scan *scan)
{
    static const Field numbers[] = {NAME, PROCESS, THREAD_NAME, OWNER, KERNEL, DETAIL};
    for (int which = 0; which < TABLE_COUNT; which++) {
        const Table *table = &TABLES[which];
        const Rows *rows = &scan->rows[which];
        if (rows->used % table->width)
            return false;
        for (size_t cell = 0; cell < rows->used; cell++) {
            Field column = table->columns[cell % table->width];
            for (size_t each = 0; each < COUNT(numbers); each++)
                if (column == numbers[each]
                    && (rows->cells[cell] < -1
                        || rows->cells[cell] >= (int64_t)scan->texts.count))
                    return false;
            if ((column == BEGIN || column == END)
                && (rows->cells[cell] < 0 || rows->cells[cell] > (int64_t)last.length))
                return false;
        }
    }
    return scan->at <= scan->end;
}

static Verdict scan_last(Scan *scan)
{
    unsigned char *exact = checked(malloc(last.length ? last.length : 1));
    Verdict verdict;
    memcpy(exact, last.bytes, last.length);
    while ((verdict = scan_events(scan, exact, last.length)) == NEW_CATEGORY) {
        Entry category = scan->texts.entries[scan->category];
        unsigned char name[ROOM];
        if (category.length) /* without a text there are no bytes yet */
            memcpy(name, scan->texts.bytes + category.start, category.length);
        int table = (int)(category.hash % (COUNTERS + 1)) - 1;
        set_category(scan, name, category.length, 1, table);
    }
    if (!keeps_its_word(scan))
        abort();
    free(exact);
    return verdict;
}

int main(int count, char **arguments)
{
    if (count < 4) {
        fputs("fuzz_scanner SECONDS SEED FILE...\n", stderr);
        return 2;
    }
    time_t end = time(NULL) + atoi(arguments[1]);
    __sanitizer_set_death_callback(write_finding);
    state = strtoull(arguments[2], NULL, 10) | 1;
    size_t seeds = (size_t)count - 3, tried = 0, good = 0;
    Text *seed = checked(malloc(seeds * sizeof *seed));
    for (size_t each = 0; each < seeds; each++)
        seed[each] = read_file(arguments[each + 3]);
    while (time(NULL) < end) {
        Scan scan;
        start_scan(&scan, state);
        add_needle(&scan, "_inductor", 9);
        for (int again = 0; again < 500; again++, tried++) {
            take_piece(&last, &seed[draw(seeds)]);
            for (uint64_t times = draw(3); times; times--)
                damage(&last);
            good += scan_last(&scan) == GOOD;
            drop_frames(&scan, draw(scan.texts.count + 2));
        }
        end_scan(&scan);
    }
    printf("tried %zu, of which %zu were scanned wholly\n", tried, good);
    for (size_t each = 0; each < seeds; each++)
        free(seed[each].bytes);
    free(seed);
    return 0;
}
