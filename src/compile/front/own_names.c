/* own_names.c - functions of the kernel file with names of <lanewise/kernel_maths.h>.
 *
 * Those names are macros, and a macro in the place of a function's name is an error for clang. So
 * if clang reports errors, each such name in a line with one is suspected. clang.c tries again with
 * the suspects defined as themselves, which the header leaves alone. A name that the file calls
 * without defining it was no suspect. Files without errors cost nothing.
 */
#include "compile/front/front.h"
#include <limits.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

bool lw__is_our_header(const char *file, size_t length)
{
    static const char *const headers[] = {"lanewise/kernel.h", "lanewise/kernel_maths.h",
                                          "lanewise/warp_ops.def", "lanewise/libc/math.h",
                                          "lanewise/libc/stdio.h"};
    for (size_t i = 0; i < sizeof headers / sizeof headers[0]; i++) {
        const size_t n = strlen(headers[i]);
        if (length >= n && !memcmp(file + length - n, headers[i], n))
            return true;
    }
    return memmem(file, length, "/lanewise/cuda/", strlen("/lanewise/cuda/"));
}

const char *lw__our_header(struct lw__arena *arena, const char *name)
{
    char folder[LW_PATH_MAX];
    struct lw__text text = lw__text_in(arena);
    if (!lw__header_folder(folder))
        return NULL;
    const char *path = lw__format(arena, "%s/lanewise/%s", folder, name);
    const int file = open(path, O_RDONLY | O_CLOEXEC);
    const bool ok = file >= 0 && lw__read_all(file, &text);
    if (file >= 0)
        close(file);
    return ok || lw__defect("%s cannot be read", path) ? text.data : NULL;
}

/* True if the header leaves this name to the file. */
static bool gives_way(const char *header, const char *word, size_t length)
{
    char line[64];
    if (length > sizeof line - 16)
        return false;
    snprintf(line, sizeof line, "\n#ifndef %.*s\n", (int)length, word);
    return strstr(header, line);
}

static bool is_suspected(const struct lw__own *own, const char *word, size_t length)
{
    const char *at = own->names.data;
    for (size_t i = 0; i < own->count; i++, at += strlen(at) + 1)
        if (!strncmp(at, word, length) && at[length] == '=')
            return true;
    return false;
}

/* Suspect the names in lines with errors, and in the snippet below each, whose lines begin with a
 * blank. */
bool lw__own_suspect(struct lw__arena *arena, struct lw__own *own, const char *said)
{
    const char *header = lw__our_header(arena, "kernel_maths.h");
    bool of_error = false;
    while (header && *said) {
        const size_t length = strcspn(said, "\n");
        const char *error = *said == ' ' ? NULL : strstr(said, "error: ");
        if (*said != ' ')
            of_error = error && error < said + length;
        if (of_error) {
            for (const char *p = said, *end = said + length; p < end;) {
                const char *word = p;
                while (p < end && lw__is_word_char(*p))
                    p++;
                const size_t n = (size_t)(p - word);
                if (n && gives_way(header, word, n) && !is_suspected(own, word, n)) {
                    lw__text_add(&own->names, "%.*s=%.*s", (int)n, word, (int)n, word);
                    lw__text_add_bytes(&own->names, "", 1);
                    own->count++;
                }
                p += !n;
            }
        }
        said += length + (said[length] == '\n');
    }
    return header;
}

/* True: some were none, and are removed. */
bool lw__own_acquit(struct lw__own *own, const char *said)
{
    size_t count = 0, length = 0;
    char *at = own->names.data, *to = at;
    for (size_t i = 0; i < own->count; i++, at += length) {
        char missing[128];
        length = strlen(at) + 1;
        snprintf(missing, sizeof missing, "call to undeclared function '%.*s'",
                 (int)strcspn(at, "="), at);
        if (strstr(said, missing))
            continue;
        memmove(to, at, length);
        to += length;
        count++;
    }
    const bool any = count < own->count;
    own->names.length = (size_t)(to - own->names.data);
    own->count = count;
    return any;
}
