/* spmd_copy.h - shared by spmd_control.c (which blocks, under which mask), spmd_sequence.c (who
 * waits for what), spmd_phi.c (what edges carry), spmd_agree.c (do all lanes take one side?) and
 * spmd_emit.c (what is in a block).
 */
#ifndef LW_COMPILE_SPMD_COPY_H
#define LW_COMPILE_SPMD_COPY_H
#include "compile/spmd.h"

/* A region's classes under masks. */
struct lw__sequence {
    int region;
    struct lw__copy *outer;   /* the copy that has the join */
    LLVMValueRef *waiting;    /* per class and piece: a slot, the lanes that wait for it */
    LLVMValueRef *fixed;      /* per class and piece: their mask where it is one constant; NULL:
                                   nobody yet; poison: it is none */
    uint64_t *may;            /* per class and piece: lanes that may come, as lw__mask_may */
    LLVMValueRef *somebody;   /* per class: an i1 slot, lanes have been sent to wait for it, */
    bool *perhaps;            /* of whom no constant tells that there were any */
    LLVMBasicBlockRef *check; /* per class: does anybody wait? and the end */
    LLVMBasicBlockRef *body;  /* per class: its code, behind the check */
    LLVMBasicBlockRef *next;  /* per class: where it goes when it is done */
};

/* One emission of some blocks. */
struct lw__copy {
    struct lw__copy *parent;       /* has the region's join; NULL: of the kernel's own blocks */
    int region;                    /* the blocks' innermost region, -1 */
    bool masked;                   /* the blocks of one class; else all of the region */
    uint32_t class, order;         /* masked: the class and its place in the sequence */
    struct lw__sequence *sequence; /* of the region; NULL in the kernel's own copy */
    LLVMValueRef *mask;            /* per piece; unmasked: the threads that exist */
    LLVMBasicBlockRef *bb; /* per block: its code here; of a loop inside: the way in; or NULL */
};

void *lw__copy_memory(size_t count, size_t size); /* zeroed; release with free() */

/* spmd_sequence.c: a new block; s->b at its end. */
LLVMBasicBlockRef lw__copy_block(struct lw__spmd *s, const char *name);
void lw__copy_stand_at(struct lw__spmd *s, LLVMBasicBlockRef block);

/* A sequence with nobody in it, its slots and labels; joins: lanes that are done go straight to the
 * join, where nobody else waits. release with lw__sequence_close */
struct lw__sequence *lw__sequence_open(struct lw__spmd *s, int region, struct lw__copy *outer,
                                       bool joins);
void lw__sequence_close(struct lw__sequence *q);
/* The place of the class in the sequence; UINT32_MAX: block begins none. */
uint32_t lw__sequence_place(const struct lw__region *r, uint32_t block);
/* Lanes more wait for class k. */
void lw__sequence_wait(struct lw__spmd *s, struct lw__sequence *q, uint32_t k,
                       const LLVMValueRef *mask);
/* Behind class k: again from the header of a loop that ends there, while lanes wait at it. Where
 * it goes on when nobody has waited for class k itself. */
LLVMBasicBlockRef lw__sequence_repeat(struct lw__spmd *s, const struct lw__sequence *q, uint32_t k);
/* Into class k, or to `skip`: its mask; nobody waits for it any more. All that come are known. */
void lw__sequence_enter(struct lw__spmd *s, const struct lw__sequence *q, uint32_t k,
                        LLVMBasicBlockRef skip, LLVMValueRef *mask);
/* Where it goes on when all lanes of a class have gone to block `to`. */
LLVMBasicBlockRef lw__sequence_after(const struct lw__spmd *s, const struct lw__copy *c,
                                     uint32_t to);

/* spmd_phi.c: what the edge from -> to gives to the phis of `to`, read and then stored: what one
 * gets may be another. mask NULL: for all lanes. */
LLVMValueRef *lw__phis_read(struct lw__spmd *s, uint32_t from, uint32_t to);
void lw__phis_store(struct lw__spmd *s, uint32_t to, LLVMValueRef *read, const LLVMValueRef *mask);
/* Must one of the block's keep what lanes have that were there in an earlier trip? */
bool lw__phis_last(const struct lw__spmd *s, uint32_t block);
/* Nothing is in them yet: the first lanes that write need not keep what others have; but for those
 * that do. */
void lw__phis_clear(struct lw__spmd *s, uint32_t block);

/* The block's phis that all pieces share, as they are at s->b; and again. owns: release with
 * free() */
LLVMValueRef *lw__phis_keep(struct lw__spmd *s, uint32_t block);
void lw__phis_restore(struct lw__spmd *s, uint32_t block, const LLVMValueRef *kept);

/* spmd_agree.c: i1 values that say that a condition holds for all threads of the block, and for
 * none. One of both may be false although it could be true. */
void lw__control_agree(struct lw__spmd *s, LLVMValueRef condition, LLVMValueRef *all,
                       LLVMValueRef *none);

/* The condition's value, i1, for all lanes of the masks; NULL: they are no constants, or it may
 * differ among them. */
LLVMValueRef lw__control_same(struct lw__spmd *s, LLVMValueRef condition, const LLVMValueRef *mask);

/* What a condition is made of, joined by && and ||, is looked at this far. */
enum { LW_CONDITION_DEPTH = 8 };

/* Does the value compare others, or join those that do? It again, of other operands. */
bool lw__control_is_condition(const struct lw__spmd *s, LLVMValueRef v);
LLVMValueRef lw__control_again(struct lw__spmd *s, LLVMValueRef v, const LLVMValueRef *operands);

/* Is the condition a comparison of linear values, or made of such? Then scalars decide it. */
bool lw__control_is_linear(const struct lw__spmd *s, LLVMValueRef condition, unsigned depth);

/* spmd_call.c: a failed assert ends s->b's block; all live threads must be at a barrier. */
void lw__spmd_print(struct lw__spmd *s, LLVMValueRef call, lw__mask mask);
void lw__spmd_assert_fail(struct lw__spmd *s, LLVMValueRef call, lw__mask mask);
void lw__spmd_meet(struct lw__spmd *s, LLVMValueRef call, lw__mask mask);

/* Which threads of each piece have not returned. One bit a lane, a word a warp, into an array. A
 * call of the library's; slot: offset in struct lw_cpu_calls. */
void lw__spmd_live(struct lw__spmd *s, LLVMValueRef *live);
void lw__spmd_store_lanes(struct lw__spmd *s, lw__mask lanes, LLVMValueRef words);
LLVMValueRef lw__spmd_call_out(struct lw__spmd *s, size_t slot, LLVMTypeRef result,
                               LLVMTypeRef *types, LLVMValueRef *args, unsigned count);

/* spmd_emit.c: the value of lw.block_idx.* or lw.grid_dim.*, NULL: the name is another; the
 * instructions of block b, but for phis and the terminator, at s->b. */
LLVMValueRef lw__spmd_grid_place(const struct lw__spmd *s, const char *name);
void lw__spmd_emit(struct lw__spmd *s, const struct lw__copy *c, uint32_t b);
#endif
