/* collective.h - collectives: votes, shuffles, reductions, scans.
 *
 * warp.c and block.c choose the implementation of each operation. reduce.c reduces, scan.c scans,
 * shuffle.c moves values between lanes. x[] is always a value's vectors, one a piece. Inactive
 * lanes may hold anything, even poison: a select replaces them before they matter.
 */
#ifndef LW_COMPILE_SPMD_COLLECTIVE_H
#define LW_COMPILE_SPMD_COLLECTIVE_H
#include "compile/spmd/spmd.h"

enum { LW_LANES = 32, LW_WARPS_MAX = 32 }; /* lanes of a warp, warps of a block */

/* An array on the stack, for one collective. Indices are of elements, i32. */
struct lw__scratch {
    LLVMTypeRef type;
    LLVMValueRef memory, bytes;
};

/* ---- warp.c ---------------------------------------------------------------------------------- */

/* True if a warp's part of the operation does not depend on other warps. To execute it with theirs
 * would gain nothing. */
bool lw__spmd_is_warps_own(const struct lw__spmd *s, LLVMValueRef call);
/* Emit it for one warp. */
void lw__spmd_one_warp(struct lw__spmd *s, LLVMValueRef call, lw__mask mask, uint32_t warp);
/* Collectives of the warp, for all pieces at once. */
bool lw__spmd_warp(struct lw__spmd *s, LLVMValueRef call, enum lw__op op, const char *type,
                   lw__mask mask);

/* ---- block.c --------------------------------------------------------------------------------- */

bool lw__spmd_block(struct lw__spmd *s, LLVMValueRef call, enum lw__op op, const char *type,
                    lw__mask mask);

/* ---- match_instances.c ----------------------------------------------------------------------- */

/* The value in the first lane of a mask. */
LLVMValueRef lw__spmd_first_value(struct lw__spmd *s, LLVMValueRef v, const LLVMValueRef *mask);
/* Keep of the mask the lanes in the same iterations as its first lane. */
void lw__spmd_first_instance(struct lw__spmd *s, LLVMValueRef call, LLVMValueRef *mask);
bool lw__spmd_warp_by_iterations(struct lw__spmd *s, LLVMValueRef call, enum lw__op op,
                                 const char *type, lw__mask mask);

/* ---- lane_ops.c ------------------------------------------------------------------------------ */

uint32_t lw__warps(const struct lw__spmd *s);
uint32_t lw__warp_first(const struct lw__spmd *s, uint32_t warp);  /* its first piece */
uint32_t lw__warp_pieces(const struct lw__spmd *s, uint32_t warp); /* and how many */
/* 1 if a thread is active, 0 if not, -1 if only known at run time. */
int lw__mask_thread(const struct lw__spmd *s, lw__mask mask, uint32_t thread);
/* True if constants tell that, of `count` threads from `first` on, exactly the first *active are
 * active. */
bool lw__mask_prefix(const struct lw__spmd *s, lw__mask mask, uint32_t first, uint32_t count,
                     uint32_t *active);
LLVMValueRef lw__warp_bits(struct lw__spmd *s, lw__mask mask, uint32_t warp); /* i32 */
void lw__vectors(struct lw__spmd *s, LLVMValueRef value, LLVMValueRef *x);
void lw__set_vectors(struct lw__spmd *s, LLVMValueRef value, const LLVMValueRef *x);
/* The lanes as integers, i1 as i8; and back to a vector of `scalar`. */
LLVMValueRef lw__vector_bits(struct lw__spmd *s, LLVMValueRef vector);
LLVMValueRef lw__bits_vector(struct lw__spmd *s, LLVMValueRef bits, LLVMTypeRef scalar);
LLVMValueRef lw__splat32(struct lw__spmd *s, int64_t value); /* <width x i32> */
/* <width x i32>: first, first + 1 ... */
LLVMValueRef lw__count32(struct lw__spmd *s, int64_t first);
/* An intrinsic overloaded by one type; b may be NULL. */
LLVMValueRef lw__intrinsic(struct lw__spmd *s, enum lw__intrinsic row, LLVMValueRef a,
                           LLVMValueRef b);
/* The index of the highest bit that is set, -1 if none; any integer type. */
LLVMValueRef lw__highest_bit(struct lw__spmd *s, LLVMValueRef bits);
LLVMValueRef lw__lowest_bit(struct lw__spmd *s, LLVMValueRef bits); /* the width if none */
/* Lane i is lane index[i] of x[0] ++ x[1] ++ ...; negative: anything. */
LLVMValueRef lw__pick(struct lw__spmd *s, const LLVMValueRef *x, const int *index);
/* Within a warp of `count` pieces of integers: lane i of to[g] is the warp's lane index[g][i], from
 * 0 to 31; anything if that lane does not exist. */
void lw__permute(struct lw__spmd *s, const LLVMValueRef *x, uint32_t count,
                 const LLVMValueRef *index, LLVMValueRef *to);
struct lw__scratch lw__scratch_open(struct lw__spmd *s, LLVMTypeRef type, uint32_t count);
void lw__scratch_close(struct lw__spmd *s, const struct lw__scratch *a);
void lw__scratch_store(struct lw__spmd *s, const struct lw__scratch *a, LLVMValueRef index,
                       LLVMValueRef value); /* an element, or a vector of them from there on */
LLVMValueRef lw__scratch_load(struct lw__spmd *s, const struct lw__scratch *a, LLVMValueRef index);
LLVMValueRef lw__scratch_vector(struct lw__spmd *s, const struct lw__scratch *a,
                                LLVMValueRef index);
/* Lane i is element indices[i]. */
LLVMValueRef lw__scratch_gather(struct lw__spmd *s, const struct lw__scratch *a,
                                LLVMValueRef indices);
/* At the start of `block`, which `a` and `b` branch to: x[p] becomes a's or b's, per piece. */
void lw__merge(struct lw__spmd *s, LLVMValueRef *x, LLVMBasicBlockRef a, const LLVMValueRef *of_a,
               LLVMBasicBlockRef b, const LLVMValueRef *of_b);

/* ---- reduce.c -------------------------------------------------------------------------------- */

/* Op is one of sum, max, min, prod of either scope; numbers: none of x is a NaN; x may be changed.
 * result: one scalar, or one a warp. */
void lw__tree(struct lw__spmd *s, enum lw__op op, const char *type, bool numbers, LLVMValueRef *x,
              lw__mask mask, LLVMValueRef *result);

/* ---- scan.c ---------------------------------------------------------------------------------- */

/* Inclusive and exclusive sums, of either scope. */
void lw__scan(struct lw__spmd *s, LLVMValueRef call, enum lw__op op, lw__mask mask);

/* ---- shuffle.c ------------------------------------------------------------------------------- */

/* shuffles, warp_broadcast and a step of WARP_REDUCE, of one warp; block_broadcast and
 * a step of BLOCK_REDUCE. */
void lw__move_warp(struct lw__spmd *s, LLVMValueRef call, enum lw__op op, lw__mask mask,
                   uint32_t warp);
void lw__move_block(struct lw__spmd *s, LLVMValueRef call, lw__mask mask);
void lw__partner_block(struct lw__spmd *s, LLVMValueRef call, lw__mask mask);
#endif
