/* link.c - lld: from object files to one that is loaded, or to another object file.
 *
 * lld runs in this process, since to start it takes ten times as long as its work here. Of a
 * memory file it reads by name, but it would write beside it: it writes to standard output.
 */
#include "compile/llvm/linker.h"
#include "compile/llvm/llvm.h"
#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

enum { WORDS_MAX = 32, NAME_BYTES = 32, MESSAGE_BYTES = 2048 };

struct words {
    const char *words[WORDS_MAX];
    size_t count;
};

static void add(struct words *w, const char *const *words)
{
    while (*words && w->count < WORDS_MAX)
        w->words[w->count++] = *words++;
}

static bool run(const char *const *options, const char *const *libraries, int in)
{
    char from[NAME_BYTES], said[MESSAGE_BYTES];
    struct words w = {.count = 0};
    snprintf(from, sizeof from, "/proc/self/fd/%d", in);
    add(&w, (const char *const[]){"ld.lld", "--threads=1", "-o", "-", NULL});
    add(&w, options);
    add(&w, (const char *const[]){from, NULL});
    add(&w, libraries);
    const int status = lw__lld(w.words, w.count, said, sizeof said);
    return !status || lw__defect("lld failed (status %d): %s", status, said);
}

/* The same, with this file as standard output. */
static bool run_into(const char *const *options, const char *const *libraries, int in, int out)
{
    const int before = dup(STDOUT_FILENO);
    if (before < 0 || dup2(out, STDOUT_FILENO) < 0)
        return lw__defect("no output for the linker: %s", strerror(errno));
    const bool ok = run(options, libraries, in);
    dup2(before, STDOUT_FILENO);
    close(before);
    return ok;
}

bool lw__link(const char *const *options, const char *const *libraries,
              const struct lw__text *object, struct lw__text *linked)
{
    const int in = lw__memory_file("lanewise-object"), out = lw__memory_file("lanewise-linked");
    bool ok = (in >= 0 && out >= 0 && lw__write_all(in, object->data, object->length)) ||
              lw__defect("no memory file for the linker: %s", strerror(errno));
    ok = ok && run_into(options, libraries, in, out);
    linked->length = 0;
    ok = ok && lw__read_all(out, linked);
    if (in >= 0)
        close(in);
    if (out >= 0)
        close(out);
    return ok;
}
