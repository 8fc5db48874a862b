/* emit.h - code for one instruction: the forms of a value (a scalar, one a piece, a vector a
 * piece), masks, arithmetic, and calls of the library.
 */
#ifndef LW_COMPILE_SPMD_EMIT_H
#define LW_COMPILE_SPMD_EMIT_H
#include "compile/spmd/spmd.h"

/* ---- runtime_call.c -------------------------------------------------------------------------- */

LLVMValueRef lw__spmd_field(struct lw__spmd *s, LLVMTypeRef type, LLVMValueRef record,
                            size_t offset); /* loaded */
/* lw.cpu.K of a kernel, without a body if there is none yet. */
LLVMValueRef lw__spmd_declare(struct lw__spmd *s, const char *kernel);
/* At s->builder, the call that returns the worker's frame; its operand 1 is the size in bytes. */
LLVMValueRef lw__spmd_frame(struct lw__spmd *s);
/* The kernel's call of a function without a result, made once: its operands are uniform. */
void lw__spmd_call_once(struct lw__spmd *s, LLVMValueRef call);
LLVMValueRef lw__spmd_call_out(struct lw__spmd *s, size_t slot, LLVMTypeRef result,
                               LLVMTypeRef *types, LLVMValueRef *args, unsigned count);

/* ---- values.c -------------------------------------------------------------------------------- */

LLVMTypeRef lw__spmd_vector_type(const struct lw__spmd *s, LLVMTypeRef scalar);
LLVMValueRef lw__spmd_splat(struct lw__spmd *s, LLVMValueRef scalar);
LLVMValueRef lw__spmd_const32(const struct lw__spmd *s, int64_t value);
LLVMValueRef lw__spmd_const64(const struct lw__spmd *s, int64_t value);
/* <width x type> of these constants; type an integer. */
LLVMValueRef lw__spmd_const_lanes(const struct lw__spmd *s, LLVMTypeRef type, const int64_t *lanes);
/* A permutation: result[i] = element indices[i] of a ++ b (width lanes each); negative: any. */
LLVMValueRef lw__spmd_shuffle(struct lw__spmd *s, LLVMValueRef a, LLVMValueRef b,
                              const int *indices, uint32_t count);
/* An operand or any value of the kernel, in the form needed. Uniform values and constants have all
 * three forms. */
LLVMValueRef lw__spmd_uniform(struct lw__spmd *s, LLVMValueRef v);          /* it is uniform */
LLVMValueRef lw__spmd_base(struct lw__spmd *s, LLVMValueRef v, uint32_t p); /* lane 0 of piece p;
                                                                               not VARYING */
LLVMValueRef lw__spmd_vector(struct lw__spmd *s, LLVMValueRef v, uint32_t p);
/* Set the block's value for an instruction, in the form that its shape requires. */
void lw__spmd_set_uniform(struct lw__spmd *s, LLVMValueRef v, LLVMValueRef scalar);
void lw__spmd_set_base(struct lw__spmd *s, LLVMValueRef v, uint32_t p, LLVMValueRef scalar);
void lw__spmd_set_vector(struct lw__spmd *s, LLVMValueRef v, uint32_t p, LLVMValueRef vector);
/* A value of struct type ({T, i1} of cmpxchg): its members, each a vector a piece. */
LLVMValueRef lw__spmd_member(struct lw__spmd *s, LLVMValueRef v, uint32_t p, uint32_t member);
void lw__spmd_set_member(struct lw__spmd *s, LLVMValueRef v, uint32_t p, uint32_t member,
                         LLVMValueRef vector);
/* The allocas that hold a value across blocks: one, or one a piece. */
LLVMValueRef *lw__spmd_slots(struct lw__spmd *s, LLVMValueRef v, uint32_t *count);

/* ---- masks.c --------------------------------------------------------------------------------- */

bool lw__mask_is_none(LLVMValueRef piece);                            /* constant, all zero */
LLVMValueRef lw__mask_vector(struct lw__spmd *s, LLVMValueRef piece); /* NULL -> all ones */
LLVMValueRef lw__mask_and(struct lw__spmd *s, LLVMValueRef a, LLVMValueRef b); /* pieces; NULL ok */
LLVMValueRef lw__mask_and_not(struct lw__spmd *s, LLVMValueRef a, LLVMValueRef b);
LLVMValueRef lw__mask_without(struct lw__spmd *s, LLVMValueRef a, LLVMValueRef member);
LLVMValueRef lw__mask_or(struct lw__spmd *s, LLVMValueRef a, LLVMValueRef b);
/* may: lane l as bit l, of the lanes that no constant in the mask excludes. The next: the mask
 * within a set of lanes. */
uint64_t lw__mask_may(const struct lw__spmd *s, LLVMValueRef piece);
LLVMValueRef lw__mask_within(struct lw__spmd *s, LLVMValueRef piece, uint64_t lanes);
LLVMValueRef lw__mask_bits(struct lw__spmd *s, LLVMValueRef piece); /* i<width>; NULL: all ones */
LLVMValueRef lw__mask_any(struct lw__spmd *s, const LLVMValueRef *pieces); /* i1 over the gang */
LLVMValueRef lw__mask_piece_any(struct lw__spmd *s, LLVMValueRef piece);   /* i1 */
/* The threads of piece p that exist and are current; NULL: all of them. */
LLVMValueRef lw__mask_exists(struct lw__spmd *s, uint32_t p);

/* ---- arith.c --------------------------------------------------------------------------------- */

/* Each of these emits one instruction of the kernel at s->builder and sets its value. mask: the
 * lanes that run it; it is never NULL itself, its pieces may be.
 */

/* Pure instructions; for one piece, or the scalar form (p = UINT32_MAX). */
bool lw__spmd_arith_scalar(struct lw__spmd *s, LLVMValueRef i);
bool lw__spmd_arith_base(struct lw__spmd *s, LLVMValueRef i, uint32_t p);
bool lw__spmd_arith_vector(struct lw__spmd *s, LLVMValueRef i, uint32_t p, LLVMValueRef mask);
/* One piece of an instruction that needs no mask, in the form that its shape requires; not set. */
LLVMValueRef lw__spmd_arith_again(struct lw__spmd *s, LLVMValueRef i, uint32_t p);

/* ---- native_math.c --------------------------------------------------------------------------- */

LLVMValueRef lw__spmd_native(struct lw__spmd *s, LLVMValueRef i, LLVMValueRef a, LLVMValueRef b);
/* True if a value of the kernel is known to be no NaN. */
bool lw__spmd_is_number(LLVMValueRef v);
/* The larger or smaller of vectors. With AVX-512 they have no signalling NaNs; of a vector with
 * itself: the vector with its NaNs quieted. With maxps they have no NaNs, but for the larger NaNs
 * with all bits set. */
LLVMValueRef lw__spmd_extreme(struct lw__spmd *s, bool max, LLVMValueRef a, LLVMValueRef b);

/* ---- int_divide.c ---------------------------------------------------------------------------- */

/* A division or remainder of vectors, where no lane traps. */
LLVMValueRef lw__spmd_divide(struct lw__spmd *s, LLVMOpcode op, LLVMValueRef a, LLVMValueRef b);

/* ---- float_to_int.c -------------------------------------------------------------------------- */

/* A call of fptosi.sat or fptoui.sat on this vector. */
LLVMValueRef lw__spmd_convert(struct lw__spmd *s, LLVMValueRef call, bool is_signed,
                              LLVMValueRef x);

/* ---- remarks.c ------------------------------------------------------------------------------- */

/* Refuse the instruction; always false. */
bool lw__spmd_refuse(struct lw__spmd *s, LLVMValueRef instruction, const char *what);
void lw__spmd_remark(struct lw__spmd *s, LLVMValueRef instruction, enum lw__remark remark,
                     const char *why);
/* True if it is part of a compare-and-swap: an atomic of devlib that is a loop. */
bool lw__spmd_is_of_swap(const struct lw__spmd *s, LLVMValueRef instruction);

/* ---- emitter.c ------------------------------------------------------------------------------- */

/* The emitter of a function by these facts, which live longer. */
void lw__spmd_open(struct lw__spmd *s, const struct lw__facts *facts);
void lw__spmd_close(struct lw__spmd *s);

/* ---- blocks.c -------------------------------------------------------------------------------- */

/* A new block; s->builder at its end. */
LLVMBasicBlockRef lw__builder_new_block(struct lw__spmd *s, const char *name);
void lw__builder_at_end(struct lw__spmd *s, LLVMBasicBlockRef block);
/* Count what the builder has added to its block. Beyond s->length_max s is too_long and failed. */
void lw__builder_step(struct lw__spmd *s);
#endif
