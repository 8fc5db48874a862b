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
    return false;
}

bool lw__read_our_header(const char *name, struct lw__text *text)
{
    char path[LW_PATH_MAX + 32], folder[LW_PATH_MAX];
    if (!lw__header_folder(folder))
        return false;
    snprintf(path, sizeof path, "%s/lanewise/%s", folder, name);
    const int file = open(path, O_RDONLY | O_CLOEXEC);
    const bool ok = file >= 0 && lw__read_all(file, text);
    if (file >= 0)
        close(file);
    return ok || lw__defect("%s cannot be read", path);
}

/* True if the header leaves this name to the file. */
static bool gives_way(const struct lw__text *header, const char *word, size_t length)
{
    char line[64];
    if (length > sizeof line - 16)
        return false;
    snprintf(line, sizeof line, "\n#ifndef %.*s\n", (int)length, word);
    return header->data && strstr(header->data, line);
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
bool lw__own_suspect(struct lw__own *own, const char *said)
{
    struct lw__text header = {0};
    bool of_error = false, ok = lw__read_our_header("kernel_maths.h", &header);
    while (ok && *said) {
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
                if (n && gives_way(&header, word, n) && !is_suspected(own, word, n)) {
                    lw__text_add(&own->names, "%.*s=%.*s", (int)n, word, (int)n, word);
                    lw__text_add_bytes(&own->names, "", 1);
                    own->count++;
                }
                p += !n;
            }
        }
        said += length + (said[length] == '\n');
    }
    lw__text_free(&header);
    lw__finished(&own->names);
    return ok;
}

/* True: some were none, and are removed. */
bool lw__own_acquit(struct lw__own *own, const char *said)
{
    struct lw__text kept = {0};
    size_t count = 0;
    const char *at = own->names.data;
    for (size_t i = 0; i < own->count; i++, at += strlen(at) + 1) {
        char missing[128];
        snprintf(missing, sizeof missing, "call to undeclared function '%.*s'",
                 (int)strcspn(at, "="), at);
        if (strstr(said, missing))
            continue;
        lw__text_add_bytes(&kept, at, strlen(at) + 1);
        count++;
    }
    const bool any = count < own->count;
    lw__text_free(&own->names);
    own->names = kept;
    own->count = count;
    return any;
}
