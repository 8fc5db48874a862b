/* tools.c - clang and the linker: their names become the words that start them.
 *
 * $LANEWISE_CLANG names a clang 19, or zig 0.14. zig is clang 19 and lld 19 in one program, with
 * clang's headers beside it. Without the variable they are clang-19 and ld.lld-19 of PATH.
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

static void use_zig(struct lw__tool *tool, const char *zig, bool is_linker)
{
    char *real = realpath(zig, NULL); /* its headers are beside the program, not beside a link */
    const char *path = real ? real : zig;
    snprintf(tool->program, sizeof tool->program, "%s", path);
    snprintf(tool->headers, sizeof tool->headers, "%.*slib", folder_length(path), path);
    free(real);
    tool->words[tool->count++] = tool->program;
    tool->words[tool->count++] = is_linker ? "ld.lld" : "clang";
    if (!is_linker) {
        tool->words[tool->count++] = "-resource-dir";
        tool->words[tool->count++] = tool->headers;
    }
}

/* The linker of a clang: beside it, or that of PATH. */
static void use_clang(struct lw__tool *tool, const char *clang, const char *name, bool is_linker)
{
    if (!is_linker)
        snprintf(tool->program, sizeof tool->program, "%s", clang);
    else
        snprintf(tool->program, sizeof tool->program, "%.*sld.lld", folder_length(clang), clang);
    if (is_linker && access(tool->program, X_OK))
        snprintf(tool->program, sizeof tool->program, "%s", name);
    tool->words[tool->count++] = tool->program;
}

void lw__tool_find(const char *name, struct lw__tool *tool)
{
    const bool is_linker = !strcmp(name, LW_LINKER);
    const char *chosen = is_linker || !strcmp(name, LW_FRONT_END) ? getenv("LANEWISE_CLANG") : NULL;
    tool->count = 0;
    if (!chosen)
        tool->words[tool->count++] = name;
    else if (!strncmp(chosen + folder_length(chosen), "zig", 3))
        use_zig(tool, chosen, is_linker);
    else
        use_clang(tool, chosen, name, is_linker);
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
