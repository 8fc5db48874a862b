/* unroll_loads.h - shared by unroll_loads.c (which loops make several iterations under one test)
 * and unroll_emit.c (their code).
 */
#ifndef LW_COMPILE_GPU_UNROLL_LOADS_H
#define LW_COMPILE_GPU_UNROLL_LOADS_H
#include "compile/gpu/gpu.h"

enum { LW_UNROLL_COUNT = 4, LW_UNROLL_SIZE = 80, LW_UNROLL_PAIRS = 8, LW_UNROLL_LEVELS = 2 };

/* An instruction of the loop. */
struct lw__unrolled_item {
    LLVMValueRef instruction;
    int level;  /* the length of the chain of loads that its operands depend on; -1: it needs other
                 * values than counters, outside values and such loads, or is not executed in each
                 * iteration */
    bool ahead; /* a load that may be issued before earlier stores */
};

/* A load that is issued early, and a store that may write where it reads. in_iteration: the store
 * may come first in the same iteration, too. */
struct lw__unrolled_pair {
    LLVMValueRef load, writer;
    bool in_iteration;
};

/* A loop with one exit, at its header, when a counter reaches a bound. */
struct lw__unrolled_loop {
    LLVMContextRef context;
    const struct lw__gpu_target *target;
    const struct lw__cfg *cfg;
    const struct lw__loop *loop;
    LLVMBasicBlockRef before, header, latch, stay; /* stay: the header's successor in the loop */
    LLVMValueRef counter, step, bound;             /* while (counter < bound), += step */
    bool is_signed, or_equal;                      /* the comparison; or_equal: <= */
    unsigned count;                                /* iterations at once */
    size_t item_count;
    struct lw__unrolled_item items[LW_UNROLL_SIZE]; /* in reverse postorder */
    unsigned pair_count;
    struct lw__unrolled_pair pairs[LW_UNROLL_PAIRS];
};

LLVMValueRef lw__unrolled_next(const struct lw__unrolled_loop *t,
                               LLVMValueRef phi); /* from the latch */
LLVMValueRef lw__unrolled_begin(const struct lw__unrolled_loop *t,
                                LLVMValueRef phi); /* from outside */
bool lw__unrolled_is_linear(const struct lw__unrolled_loop *t, LLVMValueRef v);
size_t lw__unrolled_find(const struct lw__unrolled_loop *t,
                         LLVMValueRef v); /* item_count: no item */
/* True if the address may be to buffers: it is to nothing else that is known. */
bool lw__unrolled_is_global(const struct lw__unrolled_loop *t, LLVMValueRef address);

/* Build another loop before this one, each iteration of which makes t->count iterations. */
void lw__unrolled_build(const struct lw__unrolled_loop *t);
#endif
