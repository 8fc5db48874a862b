/* arena_test.c - a test program: what an arena gives is zero and apart, also where it was given
 * back before; rows that move keep their contents; where memory is short the program ends.
 */
#include "base/manifest.h"
#include "compile/support/unit.h"
#include <stdio.h>
#include <sys/wait.h>
#include <unistd.h>

enum { LARGE = 1 << 20 }; /* more than a block */

static int failures;

#define CHECK(condition) check(condition, __LINE__, #condition)

static void check(bool ok, int line, const char *what)
{
    if (!ok) {
        printf("arena_test.c:%d: not so: %s\n", line, what);
        failures++;
    }
}

static bool is_zero(const unsigned char *bytes, size_t count)
{
    while (count && !bytes[count - 1])
        count--;
    return !count;
}

/* Of all sizes up to 1000 bytes, and some larger than a block; each is filled. */
static void fill(struct lw__arena *arena)
{
    for (size_t size = 0; size < 1000; size++) {
        unsigned char *rows = lw__new(arena, size % 100 ? 1 : LARGE / 200, size);
        const size_t bytes = size % 100 ? size : LARGE / 200 * size;
        CHECK(rows && (uintptr_t)rows % 16 == 0 && is_zero(rows, bytes));
        memset(rows, 0xff, bytes);
    }
}

static void test_release(void)
{
    struct lw__arena arena = {0};
    unsigned char *kept = lw__new(&arena, 100, 3);
    memset(kept, 7, 300);
    const struct lw__arena_mark mark = lw__arena_mark(&arena);
    for (int pass = 0; pass < 3; pass++) {
        const void *first = lw__new(&arena, 1, 1);
        fill(&arena);
        lw__arena_release(&arena, mark);
        CHECK(lw__new(&arena, 1, 1) == first);
        lw__arena_release(&arena, mark);
    }
    for (int i = 0; i < 300; i++)
        CHECK(kept[i] == 7);
    lw__arena_free(&arena);
    CHECK(!arena.last && !arena.spare);
    fill(&arena);
    lw__arena_free(&arena);
}

static void test_growth(void)
{
    struct lw__arena arena = {0};
    size_t *rows = NULL, *others = NULL;
    for (size_t n = 0; n < 100000; n++) {
        rows = lw__one_more(&arena, rows, n, sizeof *rows);
        others = lw__one_more(&arena, others, n, sizeof *others);
        CHECK(!rows[n] && !others[n]);
        rows[n] = n;
        others[n] = ~n;
    }
    bool same = true;
    for (size_t n = 0; n < 100000; n++)
        same &= rows[n] == n && others[n] == ~n;
    CHECK(same);
    lw__arena_free(&arena);
}

static void test_copies(void)
{
    struct lw__arena arena = {0};
    CHECK(!strcmp(lw__copy(&arena, "some text"), "some text") && !*lw__copy(&arena, ""));
    CHECK(!strcmp(lw__copy_bytes(&arena, "some text", 4), "some"));
    CHECK(!*lw__copy_bytes(&arena, NULL, 0));
    lw__arena_free(&arena);
}

static void test_texts(void)
{
    struct lw__arena arena = {0};
    struct lw__text text = lw__text_in(&arena), other = text;
    CHECK(!*text.data && !text.length);
    for (int i = 0; i < LARGE / 8; i++) {
        lw__text_add(&text, "%08d", i);
        lw__text_add_bytes(&other, "x", 1);
    }
    CHECK(text.length == LARGE && !memcmp(text.data + LARGE - 8, "00131071", 9));
    CHECK(strspn(other.data, "x") == LARGE / 8);
    CHECK(!strcmp(lw__format(&arena, "%s.%zu", "lw", other.length), "lw.131072"));
    CHECK(!*lw__format(&arena, "%s", ""));
    lw__arena_free(&arena);
}

/* How a program ends, by exit status, that asks for so much. */
static int status_of(size_t count, size_t size)
{
    int status = -1;
    const pid_t child = fork();
    if (!child) {
        struct lw__arena arena = {0};
        close(STDERR_FILENO);
        lw__new(&arena, count, size);
        _exit(0);
    }
    return waitpid(child, &status, 0) == child && WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

static void test_shortage(void)
{
    CHECK(status_of(1, 1) == 0);
    CHECK(status_of(SIZE_MAX / 4, 8) == LW_EXIT_MEMORY);
}

int main(void)
{
    test_release();
    test_growth();
    test_copies();
    test_texts();
    test_shortage();
    return failures != 0;
}
