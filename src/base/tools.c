/* tools.c - clang and the linker: their names become the words that start them.
 *
 * $LANEWISE_CLANG names a clang 19, or zig 0.14. zig is clang 19 and lld 19 in one program, with
 * clang's headers beside it. Without the variable they are clang-19 and ld.lld-19 of PATH.
 */
#include "base/base.h"
#include "base/manifest.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
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
