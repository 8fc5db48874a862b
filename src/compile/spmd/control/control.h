/* control.h - which blocks run, in which order and under which masks.
 *
 * linearize.c emits a region once without masks, for lanes that agree, and once under masks.
 * masked_schedule.c decides which lanes wait for which class. phi_slots.c stores what edges carry.
 * branch_votes.c decides whether all lanes take one side. emit_block.c emits a block's
 * instructions.
 */
#ifndef LW_COMPILE_SPMD_CONTROL_H
#define LW_COMPILE_SPMD_CONTROL_H
#include "compile/spmd/spmd.h"

/* A region's classes under masks. */
struct lw__masked_schedule {
    int region;
    struct lw__emission *outer; /* the copy that has the join */
    LLVMValueRef *waiting;      /* per class and piece: a slot, the lanes that wait for it */
    LLVMValueRef *fixed;        /* per class and piece: their mask if it is one constant; NULL:
                                 * no lanes so far; poison: it is none */
    uint64_t *may;              /* per class and piece: lanes that may arrive, as lw__mask_may */
    LLVMValueRef *somebody;     /* per class: an i1 slot: lanes have been sent to wait for it, */
    bool *perhaps;              /* though no constant tells whether there were any */
    LLVMBasicBlockRef *check;   /* per class: does a lane wait? and the end */
    LLVMBasicBlockRef *body;    /* per class: its code, after the check */
    LLVMBasicBlockRef *next;    /* per class: where it branches at its end */
};

/* One emission of some blocks. */
struct lw__emission {
    struct lw__emission *parent; /* has the region's join; NULL: of the kernel's own blocks */
    int region;                  /* the blocks' innermost region, -1 */
    bool masked;                 /* the blocks of one class; else all of the region */
    uint32_t class, order;       /* masked: the class and its position in the schedule */
    struct lw__masked_schedule *schedule; /* of the region; NULL in the kernel's own copy */
    LLVMValueRef *mask;                   /* per piece; unmasked: the threads that exist */
    LLVMBasicBlockRef *bb; /* per block: its code here; of an inner loop: its entry; or NULL */
};

/* ---- loop_groups.c --------------------------------------------------------------------------- */

/* How many pieces execute a region, a loop, to its end before other pieces begin it. s->pieces or
 * more: all pieces together. */
uint32_t lw__spmd_group(const struct lw__spmd *s, int region);

/* ---- exited_lanes.c -------------------------------------------------------------------------- */

LLVMValueRef lw__spmd_exited_on_edge(struct lw__spmd *s, uint32_t from, uint32_t to, uint32_t piece,
                                     LLVMValueRef mask);

/* ---- linearize.c ----------------------------------------------------------------------------- */

/* The blocks of the kernel, for one block of threads, from s->builder on; a return
 * branches to s->done. */
void lw__spmd_control(struct lw__spmd *s);

/* ---- masked_schedule.c ----------------------------------------------------------------------- */

/* Open a schedule without lanes, its slots and labels. joins: lanes that are done branch directly
 * to the join, where no others wait. */
struct lw__masked_schedule *lw__masked_schedule_open(struct lw__spmd *s, int region,
                                                     struct lw__emission *outer, bool joins);
/* The class's position in the schedule; UINT32_MAX: block begins none. */
uint32_t lw__masked_schedule_index(const struct lw__region *r, uint32_t block);
/* More lanes wait for class k. */
void lw__masked_schedule_wait(struct lw__spmd *s, struct lw__masked_schedule *q, uint32_t k,
                              const LLVMValueRef *mask);
/* Build the code after class k: back to the header of each loop that ends there, while lanes wait
 * at it. Returns where the schedule continues if no lane has waited for class k. */
LLVMBasicBlockRef lw__masked_schedule_repeat(struct lw__spmd *s,
                                             const struct lw__masked_schedule *q, uint32_t k);
/* Branch to class k, with the mask of the lanes that wait for it, or to `skip`. No lane waits for
 * it any more. All that arrive are known. */
void lw__masked_schedule_enter(struct lw__spmd *s, const struct lw__masked_schedule *q, uint32_t k,
                               LLVMBasicBlockRef skip, LLVMValueRef *mask);
/* Where the schedule continues after all lanes of a class have branched to block `to`. */
LLVMBasicBlockRef lw__masked_schedule_after(const struct lw__spmd *s, const struct lw__emission *c,
                                            uint32_t to);

/* ---- phi_slots.c ----------------------------------------------------------------------------- */

/* What the edge from -> to gives to the phis of `to`: first read, then stored, since one may read
 * another. mask NULL: for all lanes. */
LLVMValueRef *lw__phis_read(struct lw__spmd *s, uint32_t from, uint32_t to);
void lw__phis_store(struct lw__spmd *s, uint32_t to, LLVMValueRef const *read,
                    const LLVMValueRef *mask);
/* True if a phi of the block must keep the values of lanes that executed it in an earlier
 * iteration. */
bool lw__phis_last(const struct lw__spmd *s, uint32_t block);
/* The phis have no value yet: the first lanes that write need not keep those of others. Except for
 * phis of lw__phis_last. */
void lw__phis_clear(struct lw__spmd *s, uint32_t block);
/* The values at s->builder of the block's phis that all pieces share. */
LLVMValueRef *lw__phis_keep(struct lw__spmd *s, uint32_t block);
/* Store them again. */
void lw__phis_restore(struct lw__spmd *s, uint32_t block, const LLVMValueRef *kept);

/* ---- branch_votes.c -------------------------------------------------------------------------- */

/* I1 values: the condition holds for all threads of the block; for none. Either may be false
 * although it could be true. */
void lw__control_vote(struct lw__spmd *s, LLVMValueRef condition, LLVMValueRef *all,
                      LLVMValueRef *none);
/* The condition's value, i1, for all lanes of the masks. NULL: the masks are no constants, or it
 * may differ among the lanes. */
LLVMValueRef lw__control_same(struct lw__spmd *s, LLVMValueRef condition, const LLVMValueRef *mask);
LLVMValueRef lw__control_again(struct lw__spmd *s, LLVMValueRef v, const LLVMValueRef *operands);

/* ---- guards.c -------------------------------------------------------------------------------- */

/* A check of guarded code that is to be emitted. */
struct lw__guarded {
    LLVMValueRef call;
    LLVMValueRef fails; /* scalars decide it for all lanes, an i1; NULL: vectors do */
};

/* For a call of LW_GUARD and the lanes that execute it: is there something to emit? *fails: as in
 * struct lw__guarded. */
bool lw__guard_vote(struct lw__spmd *s, LLVMValueRef call, const LLVMValueRef *mask,
                    LLVMValueRef *fails);
/* True if all that is told of an access is known before the code of any piece. */
bool lw__guard_is_shared(const struct lw__spmd *s, LLVMValueRef call);
/* Emit checks for some pieces. */
void lw__guard_pieces(struct lw__spmd *s, const struct lw__guarded *guards, size_t count,
                      const LLVMValueRef *mask, uint32_t first, uint32_t end);

/* ---- emit_block.c ---------------------------------------------------------------------------- */

void lw__spmd_emit(struct lw__spmd *s, const struct lw__emission *c, uint32_t b);
#endif
