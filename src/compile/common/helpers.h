/* helpers.h - the helpers of a module, and how long they are: join_helpers.c, join_collectives.c.
 */
#ifndef LW_COMPILE_COMMON_HELPERS_H
#define LW_COMPILE_COMMON_HELPERS_H
#include "compile/support/unit.h"

struct lw__helper {
    LLVMValueRef function;
    uint64_t length; /* with those calls inlined that are not joined */
    bool joined;     /* its calls in the root are to be joined */
    bool reaches;    /* it is joined, or calls such a helper */
    bool seen;       /* from the root */
};

/* Callees before callers. */
struct lw__helpers {
    struct lw__unit *unit;
    struct lw__helper *row;
    size_t count;
};

enum { LW_LENGTH_MANY = 1 << 30 }; /* the most of a length; the sum of two is one */

void lw__helpers_list(struct lw__helpers *h); /* rows are in the unit's scratch arena */
/* The helper that an instruction calls, or NULL. */
struct lw__helper *lw__helpers_callee(const struct lw__helpers *h, LLVMValueRef i);
/* The length of an instruction that calls no helper. */
uint64_t lw__helpers_weight(LLVMValueRef i);
/* A call is inlined by the next "always-inline" of LLVM's. */
void lw__helpers_inline_call(struct lw__unit *unit, LLVMValueRef call);
#endif
