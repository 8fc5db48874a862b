/* collectives.h - what warp_ops.def says of each collective. */
#ifndef LW_BASE_COLLECTIVES_H
#define LW_BASE_COLLECTIVES_H
#include "base/ref_abi.h"
#include <stdbool.h>

enum lw__op_arguments { LW_ARGS_N, LW_ARGS_P, LW_ARGS_V, LW_ARGS_VI, LW_ARGS_VVI };

enum lw__op_kind {
    LW_KIND_NONE, /* no collective */
    LW_KIND_MOVE,
    LW_KIND_PARTNER,
    LW_KIND_REDUCE,
    LW_KIND_SCAN,
    LW_KIND_VOTE,
    LW_KIND_SYNC,
};

enum lw__operator {
    LW_BY_NONE,
#define LW_OPERATOR(name) LW_BY_##name,
#include "lanewise/warp_ops.def"
#undef LW_OPERATOR
};

struct lw__op_info {
    const char *name; /* as users write it */
    bool block;       /* scope: the block, not the warp */
    enum lw__op_arguments args;
    enum lw__op_kind kind;
    enum lw__operator by;
};

extern const struct lw__op_info lw__op_table[LW_OP_COUNT];

/* True if all threads of the scope get the same result. */
static inline bool lw__op_is_joint(enum lw__op op)
{
    const enum lw__op_kind kind = lw__op_table[op].kind;
    return kind == LW_KIND_REDUCE || kind == LW_KIND_VOTE;
}
#endif
