/* control.h - which blocks run, in which order and under which masks.
 *
 * linearize.c emits a region once without masks, for lanes that agree, and once under masks;
 * masked_schedule.c says who waits for what; phi_slots.c what edges carry; branch_votes.c whether
 * all lanes take one side; emit_block.c what is in a block.
 */
#ifndef LW_COMPILE_SPMD_CONTROL_H
#define LW_COMPILE_SPMD_CONTROL_H
#include "compile/spmd/spmd.h"

/* A region's classes under masks. */
struct lw__masked_schedule {
    int region;
    struct lw__emission *outer; /* the copy that has the join */
    LLVMValueRef *waiting;      /* per class and piece: a slot, the lanes that wait for it */
    LLVMValueRef *fixed;        /* per class and piece: their mask where it is one constant; NULL:
                                   nobody yet; poison: it is none */
    uint64_t *may;              /* per class and piece: lanes that may come, as lw__mask_may */
    LLVMValueRef *somebody;     /* per class: an i1 slot, lanes have been sent to wait for it, */
    bool *perhaps;              /* of whom no constant tells that there were any */
    LLVMBasicBlockRef *check;   /* per class: does anybody wait? and the end */
    LLVMBasicBlockRef *body;    /* per class: its code, behind the check */
    LLVMBasicBlockRef *next;    /* per class: where it goes when it is done */
};

/* One emission of some blocks. */
struct lw__emission {
    struct lw__emission *parent; /* has the region's join; NULL: of the kernel's own blocks */
    int region;                  /* the blocks' innermost region, -1 */
    bool masked;                 /* the blocks of one class; else all of the region */
    uint32_t class, order;       /* masked: the class and its place in the sequence */
    struct lw__masked_schedule *schedule; /* of the region; NULL in the kernel's own copy */
    LLVMValueRef *mask;                   /* per piece; unmasked: the threads that exist */
    LLVMBasicBlockRef *bb; /* per block: its code here; of a loop inside: the way in; or NULL */
};

/* ---- loop_groups.c --------------------------------------------------------------------------- */

/* How many pieces make a region, a loop, by themselves before others begin with it;
 * s->pieces or more: all together. */
uint32_t lw__spmd_group(const struct lw__spmd *s, int region);

/* ---- exited_lanes.c -------------------------------------------------------------------------- */

LLVMValueRef lw__spmd_exited_on_edge(struct lw__spmd *s, uint32_t from, uint32_t to, uint32_t piece,
                                     LLVMValueRef mask);

/* ---- linearize.c ----------------------------------------------------------------------------- */

/* The blocks of the kernel, for one block of threads, from s->builder on; a return
 * branches to s->done. */
void lw__spmd_control(struct lw__spmd *s);

/* ---- masked_schedule.c ----------------------------------------------------------------------- */

/* A sequence with nobody in it, its slots and labels; joins: lanes that are done go straight to the
 * join, where nobody else waits. release with lw__masked_schedule_close */
struct lw__masked_schedule *lw__masked_schedule_open(struct lw__spmd *s, int region,
                                                     struct lw__emission *outer, bool joins);
void lw__masked_schedule_close(struct lw__masked_schedule *q);
/* The place of the class in the sequence; UINT32_MAX: block begins none. */
uint32_t lw__masked_schedule_index(const struct lw__region *r, uint32_t block);
/* Lanes more wait for class k. */
void lw__masked_schedule_wait(struct lw__spmd *s, struct lw__masked_schedule *q, uint32_t k,
                              const LLVMValueRef *mask);
/* Behind class k: again from the header of a loop that ends there, while lanes wait at it. Where
 * it goes on when nobody has waited for class k itself. */
LLVMBasicBlockRef lw__masked_schedule_repeat(struct lw__spmd *s,
                                             const struct lw__masked_schedule *q, uint32_t k);
/* Into class k, or to `skip`: its mask; nobody waits for it any more. All that come are known. */
void lw__masked_schedule_enter(struct lw__spmd *s, const struct lw__masked_schedule *q, uint32_t k,
                               LLVMBasicBlockRef skip, LLVMValueRef *mask);
/* Where it goes on when all lanes of a class have gone to block `to`. */
LLVMBasicBlockRef lw__masked_schedule_after(const struct lw__spmd *s, const struct lw__emission *c,
                                            uint32_t to);

/* ---- phi_slots.c ----------------------------------------------------------------------------- */

/* What the edge from -> to gives to the phis of `to`, read and then stored: what one
 * gets may be another. mask NULL: for all lanes. */
LLVMValueRef *lw__phis_read(struct lw__spmd *s, uint32_t from, uint32_t to);
void lw__phis_store(struct lw__spmd *s, uint32_t to, LLVMValueRef *read, const LLVMValueRef *mask);
/* Must one of the block's keep what lanes have that were there in an earlier trip? */
bool lw__phis_last(const struct lw__spmd *s, uint32_t block);
/* Nothing is in them yet: the first lanes that write need not keep what others have; but for those
 * that do. */
void lw__phis_clear(struct lw__spmd *s, uint32_t block);
/* The block's phis that all pieces share, as they are at s->builder; and again. owns: release with
 * free() */
LLVMValueRef *lw__phis_keep(struct lw__spmd *s, uint32_t block);
void lw__phis_restore(struct lw__spmd *s, uint32_t block, const LLVMValueRef *kept);

/* ---- branch_votes.c -------------------------------------------------------------------------- */

/* I1 values that say that a condition holds for all threads of the block, and for
 * none. One of both may be false although it could be true. */
void lw__control_vote(struct lw__spmd *s, LLVMValueRef condition, LLVMValueRef *all,
                      LLVMValueRef *none);
/* The condition's value, i1, for all lanes of the masks; NULL: they are no constants, or it may
 * differ among them. */
LLVMValueRef lw__control_same(struct lw__spmd *s, LLVMValueRef condition, const LLVMValueRef *mask);
LLVMValueRef lw__control_again(struct lw__spmd *s, LLVMValueRef v, const LLVMValueRef *operands);

/* ---- emit_block.c ---------------------------------------------------------------------------- */

void lw__spmd_emit(struct lw__spmd *s, const struct lw__emission *c, uint32_t b);
#endif
