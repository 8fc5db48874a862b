/* Lines of this program itself, which the C compiler has put into it; and damage of every kind,
 * which must be read no byte too far. */
#include "run_test.h"
#include <dlfcn.h>

/* One of each kind of code; what is looked for is the address of a label in it. */
__attribute__((noinline)) static int first(int n)
{
    return n * 3;
}
enum { FIRST_LINE = __LINE__ - 4 };

__attribute__((noinline)) static int second(int n)
{
    return first(n) + 2;
}
enum { SECOND_LINE = __LINE__ - 4 };

static char *object;
static size_t object_bytes;

static void read_self(void)
{
    FILE *file = fopen("/proc/self/exe", "rb");

    CHECK(file);
    size_t n;
    do {
        object = realloc(object, object_bytes + (1 << 20));
        n = fread(object + object_bytes, 1, 1 << 20, file);
        object_bytes += n;
    } while (n);
    fclose(file);
}

static uint64_t place_of(int (*function)(int))
{
    void *address;

    memcpy(&address, &function, sizeof address);
    Dl_info info;
    CHECK(dladdr(address, &info));
    return (uint64_t)((char *)address - (char *)info.dli_fbase);
}

static void find(const struct lw__lines *lines, int (*function)(int), unsigned line)
{
    static const char name[] = "tests/unit/run_lines.c";
    struct lw__line found = {0};

    CHECK(lw__lines_find(lines, place_of(function), &found));
    size_t length = strlen(found.file);
    CHECK(length >= sizeof name - 1 && !strcmp(found.file + length - (sizeof name - 1), name));
    CHECK(found.line >= line && found.line <= line + 2); /* optimised: that of its statement */
}

static void find_own(void)
{
    struct lw__lines lines;

    lw__lines_take(&lines, object, object_bytes);
    find(&lines, first, FIRST_LINE);
    find(&lines, second, SECOND_LINE);
    struct lw__line found;
    CHECK(!lw__lines_find(&lines, 0, &found));
    CHECK(!lw__lines_find(&lines, UINT64_MAX, &found));
    lw__lines_free(&lines);
    CHECK(!lw__lines_find(&lines, place_of(first), &found));
}

static uint32_t next(uint32_t *state)
{
    *state = *state * 1664525 + 1013904223;
    return *state >> 8;
}

/* In the copies, which are small, and a sanitizer sees their ends. */
static void damage_sections(void)
{
    uint32_t state = 1;

    struct lw__lines lines;
    lw__lines_take(&lines, object, object_bytes);
    size_t bytes = lines.table_bytes + lines.string_bytes;
    char *sound = malloc(bytes);
    memcpy(sound, lines.bytes, bytes);
    struct lw__line found;
    for (int i = 0; i < 20000; i++) {
        for (uint32_t n = 1 + next(&state) % 4; n > 0; n--)
            lines.bytes[next(&state) % (next(&state) % 2 ? bytes : 400)] = (char)next(&state);
        (void)lw__lines_find(&lines, place_of(first), &found);
        if (i % 4 == 3)
            memcpy(lines.bytes, sound, bytes);
    }
    free(sound);
    lw__lines_free(&lines);
}

static void damage_object(void)
{
    uint32_t state = 2;
    char *copy = malloc(object_bytes);

    uint64_t headers;
    memcpy(&headers, object + 40, sizeof headers); /* e_shoff */
    struct lw__lines lines;
    for (size_t cut = 0; cut < object_bytes; cut += 1 + object_bytes / 500) {
        char *exact = malloc(cut + 1);
        memcpy(exact, object, cut);
        lw__lines_take(&lines, exact, cut);
        lw__lines_free(&lines);
        free(exact);
    }
    for (int i = 0; i < 2000; i++) {
        const size_t rest = object_bytes - (size_t)headers;
        const bool in_head = next(&state) % 2;
        const size_t at = in_head ? next(&state) % 64 : (size_t)headers + next(&state) % rest;
        if (i % 4 == 0)
            memcpy(copy, object, object_bytes);
        copy[at] = (char)next(&state);
        lw__lines_take(&lines, copy, object_bytes);
        lw__lines_free(&lines);
    }
    free(copy);
}

int main(void)
{
    read_self();
    struct lw__lines lines;
    lw__lines_take(&lines, object, object_bytes);
    if (!lines.bytes) {
        printf("this program has no lines of DWARF 5\n");
        return 77;
    }
    lw__lines_free(&lines);
    CHECK(second(2) == 8);
    find_own();
    damage_sections();
    damage_object();
    free(object);
    return failures != 0;
}
