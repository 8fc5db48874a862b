/* unroll_loads.h - shared by unroll_loads.c (which loops make several trips under one test)
 * and unroll_emit.c (their code).
 */
#ifndef LW_COMPILE_TARGET_PTX_TRIPS_H
#define LW_COMPILE_TARGET_PTX_TRIPS_H
#include "compile/ir/ir.h"

enum { LW_TRIPS_AT_ONCE = 4, LW_TRIP_SIZE = 80, LW_TRIP_PAIRS = 8, LW_TRIP_LEVELS = 2 };

/* An instruction of the loop. */
struct lw__trip_item {
    LLVMValueRef instruction;
    int level;  /* behind how many loads it lies, where it needs nothing but counters, values from
                 * outside and such loads; -1: it needs more, or not each trip comes to it */
    bool ahead; /* a load for which a trip does not wait: it comes before what others store */
};

/* A load that comes ahead, and what may write where it reads; in_trip: also in its own trip. */
struct lw__trip_pair {
    LLVMValueRef load, writer;
    bool in_trip;
};

/* A loop with one way out, at its header, where a counter has come to a bound. */
struct lw__unrolled_loop {
    LLVMContextRef context;
    const struct lw__cfg *cfg;
    const struct lw__loop *loop;
    LLVMBasicBlockRef before, header, latch, stay; /* stay: behind the header within the loop */
    LLVMValueRef counter, step, bound;             /* while (counter < bound), += step */
    bool is_signed, or_equal;                      /* the comparison; or_equal: <= */
    unsigned count;                                /* trips at once */
    size_t item_count;
    struct lw__trip_item items[LW_TRIP_SIZE]; /* in reverse postorder */
    unsigned pair_count;
    struct lw__trip_pair pairs[LW_TRIP_PAIRS];
};

LLVMValueRef lw__unrolled_next(const struct lw__unrolled_loop *t,
                               LLVMValueRef phi); /* from the latch */
LLVMValueRef lw__unrolled_begin(const struct lw__unrolled_loop *t,
                                LLVMValueRef phi); /* from outside */
bool lw__unrolled_is_linear(const struct lw__unrolled_loop *t, LLVMValueRef v);
size_t lw__unrolled_find(const struct lw__unrolled_loop *t,
                         LLVMValueRef v); /* item_count: no item */
LLVMValueRef lw__unrolled_address(LLVMValueRef access);
LLVMTypeRef lw__unrolled_type(LLVMValueRef access); /* of what it reads or writes */

/* In front of the loop, another of which each trip is t->count of it. */
bool lw__unrolled_build(const struct lw__unrolled_loop *t);
#endif
