/* What both scanners are tried with: texts, numbers drawn from a seed, and what was found.
 *
 * Included once by fuzz_scanner.c and once by fuzz_packets.c.
 */

#include <stdio.h>
#include <time.h>

#define LONGEST 4096 /* bytes that a text begins with */
#define ROOM (2 * LONGEST)

typedef struct {
    unsigned char *bytes;
    size_t length;
} Text;

static uint64_t state;
static unsigned char last_bytes[ROOM];
static Text last = {last_bytes, 0};

void __sanitizer_set_death_callback(void (*callback)(void));

static uint64_t draw(uint64_t below)
{
    state ^= state << 13;
    state ^= state >> 7;
    state ^= state << 17;
    return below ? (state * 0x2545f4914f6cdd1du >> 11) % below : 0;
}

static void *checked(void *memory)
{
    if (memory)
        return memory;
    fputs("no memory\n", stderr);
    exit(2);
}

static Text read_file(const char *path)
{
    FILE *file = fopen(path, "rb");
    Text text = {checked(malloc(1 << 20)), 0};
    if (!file) {
        perror(path);
        exit(2);
    }
    text.length = fread(text.bytes, 1, 1 << 20, file);
    fclose(file);
    return text;
}

static void write_finding(void)
{
    FILE *file = fopen("finding.bin", "wb");
    if (!file || fwrite(last.bytes, 1, last.length, file) != last.length)
        perror("finding.bin");
    if (file)
        fclose(file);
}
