/* clang_program.c - clang as a child process: the one in this program, or the one that
 * $LANEWISE_CLANG names. Where the build found no archives of clang there is none in here, and
 * without the variable it is the clang-19 of PATH.
 *
 * The clang in here runs in a child, too: some texts crash it or make it run or grow without bound.
 */
#include "base/manifest.h"
#include "compile/front/front.h"
#include "compile/llvm/llvm.h"
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>

#if LW_CLANG_INSIDE
#include "compile/llvm/clang.h"

bool lw__clang_is_inside(void)
{
    return !getenv("LANEWISE_CLANG");
}

const char *lw__clang_own_headers(const char **end)
{
    *end = lw__clang_headers_end;
    return lw__clang_headers;
}

static int run_inside(const char *const *words)
{
    size_t count = 0;
    while (words[count])
        count++;
    lw__where_leave();
    prctl(PR_SET_NAME, words[0]);
    return lw__clang(words, count);
}
#else
bool lw__clang_is_inside(void)
{
    return false;
}

const char *lw__clang_own_headers(const char **end)
{
    return *end = "";
}

#define run_inside NULL
#define lw__clang_version() ""
#endif

/* The clang that will be started. False: it is not clang alone. */
bool lw__clang_hash(uint64_t *hash)
{
    char path[LW_PATH_MAX];
    struct lw__tool tool;
    lw__tool_find(&tool);
    *hash = lw__hash(*hash, LW_VERSION, sizeof LW_VERSION);
    if (lw__clang_is_inside())
        *hash = lw__hash(*hash, lw__clang_version(), strlen(lw__clang_version()));
    else if (tool.count == 1 && lw__tool_path(&tool, path, sizeof path))
        *hash = lw__hash_program(*hash, path);
    else
        return false;
    return true;
}

/* argv with its first word replaced by the words that start the program. */
static const char **words_of(struct lw__arena *arena, const char *const *argv,
                             const struct lw__tool *tool)
{
    size_t count = 0, n = 0;
    while (argv[count])
        count++;
    const char **words = lw__new(arena, tool->count + count, sizeof *words);
    for (; n < tool->count; n++)
        words[n] = tool->words[n];
    for (size_t i = 1; i < count; i++)
        words[n++] = argv[i];
    return words;
}

static bool cannot_start(const char *program, int e)
{
    const char *chosen = getenv("LANEWISE_CLANG");
    if (chosen)
        return lw__defect("LANEWISE_CLANG is '%s', and %s cannot be started: %s; need the path of "
                          "clang 19 or of zig 0.14",
                          chosen, *program ? program : "it", strerror(e));
    if (e != ENOENT && e != EACCES)
        return lw__defect("%s cannot be started: %s", program, strerror(e));
    return lw__defect("%s cannot be started: %s; kernels need clang 19: apt install clang-19, or "
                      "LANEWISE_CLANG=PATH",
                      program, strerror(e));
}

bool lw__clang_start(struct lw__arena *arena, const char *const *argv, int in, const int *keep,
                     size_t keep_count, struct lw__process *process)
{
    struct lw__tool tool;
    lw__tool_find(&tool);
    const bool is_inside = lw__clang_is_inside();
    const struct lw__child child = {
        .words = is_inside ? argv : words_of(arena, argv, &tool),
        .run = is_inside ? run_inside : NULL,
        .in = in,
        .keep = keep,
        .keep_count = keep_count,
    };
    const int e = lw__process_start(&child, process);
    return !e || (e < 0 ? false : cannot_start(child.words[0], e));
}
