/* convergence.h - who meets in a kernel for the GPU, as convergence.c finds it and
 * rendezvous.c builds it; what both say of it is in the former's head.
 */
#ifndef LW_COMPILE_TARGET_PTX_MEET_H
#define LW_COMPILE_TARGET_PTX_MEET_H
#include "compile/spmd/analysis/analysis.h"
#include "compile/ptx/ptx.h"

/* The collectives of a block, one after the other, each now in a block of its own; the block that
 * goes on behind each is its successor. */
struct group {
    LLVMBasicBlockRef *blocks;
    size_t count;
    bool all_come; /* it is in no hall */
};

/* A meeting of a hall. */
struct sync_point {
    LLVMBasicBlockRef block;
    const struct group *group; /* NULL: the header of a loop, without a collective */
};

/* A region with collectives, of those that lie in no other. */
struct rendezvous {
    const struct lw__spmd *s; /* the analysis that it is of */
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

/* What of a call's instance differs between lanes that meet: operands of its bundle. */
struct differing {
    LLVMValueRef call;
    unsigned operands[LW_TRIPS_MAX], count;
    struct differing *next;
};

struct convergence {
    struct lw__ptx *x;
    struct lw__spmd s, by_warp; /* who is parted of the block; of a warp */
    struct group *groups;
    size_t group_count;
    struct rendezvous *rendezvous;
    size_t rendezvous_count;
    struct differing *differing;
    bool must_reconverge; /* lanes may leave a loop one by one and go on: reconverge.c */
    bool *may_diverge;    /* per block of by_warp: they may come to it like that */
};

/* The lanes that there are in this warp, at the builder; those of mask that are
 * in the same trips as this one, before a call. */
LLVMValueRef lw__ptx_all_lanes(struct lw__ptx *x);
LLVMValueRef lw__ptx_same_trips(struct convergence *m, LLVMValueRef call, LLVMValueRef mask);

/* rendezvous.c. What does not depend on a hall's region is computed in front of it: it needs
 * no memory then. What its blocks compute for each other, and for those behind, goes to where edges
 * can be bent, for all halls; then each hall's code. */
void lw__ptx_hoist(struct convergence *m, const struct rendezvous *h);
void lw__ptx_demote(struct convergence *m, const struct rendezvous *h);
bool lw__ptx_build_rendezvous(struct convergence *m, struct rendezvous *h);

/* reconverge.c. Once the halls are known: do lanes yield in a loop of the kernel, and where
 * are they still apart? Behind an atomic operation that becomes a loop they come together at once,
 * if all come by. May they come to this block apart? At the builder all lanes come together. */
bool lw__ptx_find_reconvergence(struct convergence *m);
bool lw__ptx_may_diverge(const struct convergence *m, LLVMBasicBlockRef block);
void lw__ptx_syncwarp(struct convergence *m);
#endif
