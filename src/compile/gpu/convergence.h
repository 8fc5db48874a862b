/* convergence.h - which lanes take part in each collective of a kernel for the GPU. convergence.c
 * finds them, rendezvous.c builds the code; convergence.c's head describes both.
 */
#ifndef LW_COMPILE_GPU_CONVERGENCE_H
#define LW_COMPILE_GPU_CONVERGENCE_H
#include "compile/spmd/analysis/analysis.h"
#include "compile/gpu/gpu.h"

/* Consecutive collectives of a basic block, each split into a block of its own. The successor of
 * each holds the code up to the next. */
struct group {
    LLVMBasicBlockRef *blocks;
    size_t count;
    bool all_come; /* it is in no rendezvous */
};

/* One sync point of a rendezvous. */
struct sync_point {
    LLVMBasicBlockRef block;
    const struct group *group; /* NULL: the header of a loop, without a collective */
};

/* An outermost region that holds collectives. */
struct rendezvous {
    const struct lw__facts *facts; /* of the analysis that found it */
    int region;
    uint32_t first;               /* number of its first block */
    LLVMBasicBlockRef head, join; /* of the region; join NULL: there is none */
    bool is_loop;                 /* head is in it */
    LLVMBasicBlockRef *inside;    /* all blocks of it */
    size_t inside_count;
    struct sync_point *sync_points;
    size_t sync_point_count;
    struct lw__loop_range *ranges; /* inner before outer */
    size_t range_count;
};

/* Operands of a call's instance bundle that differ between lanes that converge. */
struct differing {
    LLVMValueRef call;
    unsigned operands[LW_ITERATIONS_MAX], count;
    struct differing *next;
};

struct convergence {
    struct lw__gpu *x;
    const struct lw__facts *of_block, *by_warp; /* by divergence of the block; of a warp */
    struct group *groups;
    size_t group_count;
    struct rendezvous *rendezvous;
    size_t rendezvous_count;
    struct differing *differing;
    bool must_reconverge; /* lanes may leave a loop one by one and go on: reconverge.c */
    bool *may_diverge;    /* per block of by_warp: lanes may reach it like that */
};

/* The existing lanes of this warp, at the builder; and those of mask that are in the same
 * iterations as this lane, before a call. */
LLVMValueRef lw__gpu_all_lanes(struct lw__gpu *x);
LLVMValueRef lw__gpu_same_iterations(struct convergence *m, LLVMValueRef call, LLVMValueRef mask);

/* rendezvous.c, in this order, each for all rendezvous:
 *   hoist    compute before the region what does not depend on it: it needs no memory then
 *   demote   move values that live across its blocks to memory, so that edges can be redirected
 *   build    its code */
void lw__gpu_hoist(struct convergence *m, const struct rendezvous *h);
void lw__gpu_demote(struct convergence *m, const struct rendezvous *h);
void lw__gpu_build_rendezvous(struct convergence *m, struct rendezvous *h);

/* reconverge.c, once the rendezvous are known.
 *   find_reconvergence   where lanes may still be diverged after a loop in which they yield; it
 *                        also reconverges all lanes after each atomic operation that becomes a loop
 *   may_diverge          true if lanes may reach the block diverged
 *   syncwarp             reconverge all lanes at the builder */
void lw__gpu_find_reconvergence(struct convergence *m);
bool lw__gpu_may_diverge(const struct convergence *m, LLVMBasicBlockRef block);
void lw__gpu_syncwarp(struct convergence *m);
#endif
