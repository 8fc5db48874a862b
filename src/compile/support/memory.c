/* memory.c - memory that must not fail: without it there is nothing to report to. */
#include "compile/support/unit.h"
#include <stdlib.h>

void *lw__calloc(size_t count, size_t size)
{
    void *memory = calloc(count + 1, size);
    if (memory)
        return memory;
    lw__defect("out of memory");
    abort(); /* of lanewise-compile, which the library reports */
}
