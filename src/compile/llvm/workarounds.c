/* workarounds.c - which defects of LLVM and of NVIDIA's assembler the compiler avoids: all rows of
 * workarounds.def, but those that the command line leaves out.
 */
#include "compile/llvm/llvm.h"
#include <string.h>

static const char *const names[] = {
#define LW_WORKAROUND(name, whose, upstream, found, test) #name,
#include "compile/llvm/workarounds.def"
#undef LW_WORKAROUND
};
_Static_assert(LW_AROUND_COUNT <= 64, "struct lw__options has a bit for each");

bool lw__works_around(const struct lw__unit *unit, enum lw__workaround row)
{
    return !(unit->options->without >> row & 1);
}

bool lw__workaround_leave(struct lw__options *options, const char *name)
{
    for (int i = 0; i < LW_AROUND_COUNT; i++)
        if (!strcmp(name, names[i])) {
            options->without |= UINT64_C(1) << i;
            return true;
        }
    return false;
}
