/* text.c - the table of a program's texts.
 */
#include "text.h"
#include <stdio.h>
#include <string.h>

struct text {
    const char *name, *begin, *end;
};

extern const struct text bench_texts[] __attribute__((visibility("hidden")));

const char *kernel_text(const char *folder, const char *name, size_t *length)
{
    char wanted[64];
    snprintf(wanted, sizeof wanted, "%s/%s", folder, name);
    for (const struct text *t = bench_texts; t->name; t++)
        if (strcmp(t->name, wanted) == 0) {
            *length = (size_t)(t->end - t->begin);
            return t->begin;
        }
    *length = 0;
    return NULL;
}
