/* collectives.c - the rows of warp_ops.def as a table. */
#include "base/collectives.h"

enum { WARP = false, BLOCK = true };

const struct lw__op_info lw__op_table[LW_OP_COUNT] = {
    [LW_OP_NONE] = {"none", false, LW_ARGS_N, LW_KIND_NONE, LW_BY_NONE},
#define LW_OP(name, scope, types, arguments, result, kind, by)                                     \
    [LW_OP_##name] = {#name, scope, LW_ARGS_##arguments, LW_KIND_##kind, LW_BY_##by},
#include "lanewise/warp_ops.def"
#undef LW_OP
};
