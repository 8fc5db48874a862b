/* tools.c - clang: the words that start it.
 *
 * $LANEWISE_CLANG names a clang 19, or zig 0.14, which has clang 19 in it and the headers of that
 * beside it. Without the variable it is the clang-19 of PATH.
 */
#include "base/base.h"
#include "base/manifest.h"
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* The length of the folder of a path, with its slash. */
static int folder_length(const char *path)
{
    const char *slash = strrchr(path, '/');
    return slash ? (int)(slash - path) + 1 : 0;
}

static void use_zig(struct lw__tool *tool, const char *zig)
{
    char *real = realpath(zig, NULL); /* its headers are beside the program, not beside a link */
    const char *path = real ? real : zig;
    snprintf(tool->program, sizeof tool->program, "%s", path);
    snprintf(tool->headers, sizeof tool->headers, "%.*slib", folder_length(path), path);
    free(real);
    const char *const words[] = {tool->program, "clang", "-resource-dir", tool->headers};
    _Static_assert(sizeof words <= sizeof tool->words, "struct lw__tool has room for them");
    tool->count = sizeof words / sizeof *words;
    memcpy(tool->words, words, sizeof words);
}

void lw__tool_find(struct lw__tool *tool)
{
    const char *chosen = getenv("LANEWISE_CLANG");
    if (chosen && !strncmp(chosen + folder_length(chosen), "zig", 3)) {
        use_zig(tool, chosen);
        return;
    }
    snprintf(tool->program, sizeof tool->program, "%s", chosen ? chosen : LW_FRONT_END);
    tool->words[0] = tool->program;
    tool->count = 1;
}

static bool is_program(const char *path)
{
    struct stat s;
    return !access(path, X_OK) && !stat(path, &s) && S_ISREG(s.st_mode);
}

bool lw__tool_path(const struct lw__tool *tool, char *path, size_t size)
{
    const char *name = tool->words[0], *rest = getenv("PATH");
    if (strchr(name, '/'))
        return snprintf(path, size, "%s", name) < (int)size;
    for (rest = rest ? rest : "/bin:/usr/bin"; rest;) {
        const int folder = (int)strcspn(rest, ":");
        const int length = snprintf(path, size, "%.*s%s%s", folder, rest, folder ? "/" : "", name);
        if (length < (int)size && is_program(path))
            return true;
        rest = rest[folder] ? rest + folder + 1 : NULL;
    }
    return false;
}

uint64_t lw__hash_program(uint64_t hash, const char *path)
{
    const int file = open(path, O_RDONLY | O_CLOEXEC | O_NOCTTY | O_NONBLOCK);
    struct stat s = {0};
    char page[4096];
    ssize_t got = 0;
    if (stat(path, &s))
        s.st_size = -1;
    const uint64_t facts[] = {(uint64_t)s.st_size, (uint64_t)s.st_mtim.tv_sec,
                              (uint64_t)s.st_mtim.tv_nsec};
    if (file >= 0 && S_ISREG(s.st_mode))
        got = pread(file, page, sizeof page, 0);
    if (file >= 0)
        close(file);
    return lw__hash(lw__hash(hash, facts, sizeof facts), page, got > 0 ? (size_t)got : 0);
}
