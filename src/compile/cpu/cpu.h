/* cpu.h - from widened IR to machine code: LLVM's passes, workarounds for its code generator, and
 * the object. Each lw__cpu_ function below works on a finished lw.cpu.K, or on a gang's code.
 */
#ifndef LW_COMPILE_CPU_H
#define LW_COMPILE_CPU_H
#include "compile/support/unit.h"

/* ---- object.c -------------------------------------------------------------------------------- */

bool lw__pass_split(struct lw__unit *unit);
bool lw__pass_object(struct lw__unit *unit);
bool lw__pass_linked(struct lw__unit *unit);
/* The module's machine code, or assembly text, in unit->payload. */
bool lw__emit(struct lw__unit *unit, LLVMCodeGenFileType kind);

/* ---- workarounds.c --------------------------------------------------------------------------- */

/* Each does nothing if its row is left out. */
void lw__cpu_hide_comparisons(const struct lw__unit *unit, LLVMValueRef function); /* AArch64 */
void lw__cpu_hide_half_masks(const struct lw__unit *unit, LLVMValueRef function);
void lw__cpu_choose_ones(const struct lw__unit *unit, LLVMValueRef function);
void lw__cpu_compare_one(const struct lw__unit *unit, LLVMValueRef function);
void lw__cpu_divide_by_lane(const struct lw__unit *unit, LLVMValueRef function);
void lw__cpu_define_lanes(const struct lw__unit *unit, LLVMValueRef function);
void lw__cpu_define_addresses(const struct lw__unit *unit, LLVMValueRef function);
/* An i64 that is 0, at the function's start. LLVM does not know that of one bit, or of all 64. It
 * is made of the sign of the address that is the first argument. */
LLVMValueRef lw__cpu_opaque_zero(LLVMBuilderRef b, LLVMValueRef function, bool all_bits);

/* ---- addresses.c ----------------------------------------------------------------------------- */

void lw__cpu_repeat_addresses(LLVMValueRef function);
/* Of guarded code. */
void lw__cpu_repeat_lane_addresses(LLVMValueRef function);
void lw__cpu_add_indices(LLVMValueRef function);

/* ---- long_blocks.c --------------------------------------------------------------------------- */

void lw__cpu_split_blocks(LLVMValueRef function);

/* ---- long_lived_slots.c ---------------------------------------------------------------------- */

/* Before LLVM's passes. True if slots of the function stay in memory; sroa must not run then. */
bool lw__cpu_keep_slots(struct lw__arena *arena, LLVMValueRef function);

/* ---- prefetch.c ------------------------------------------------------------------------------ */

/* For a finished lw.cpu.K, or a gang's code. */
void lw__cpu_fetch_ahead(struct lw__arena *arena, LLVMValueRef function);

/* ---- prefetch_iteration.c -------------------------------------------------------------------- */

/* The same, of loops whose iterations are a step apart that only the launch knows. */
void lw__cpu_fetch_iterations(struct lw__arena *arena, LLVMValueRef function);

/* ---- rare_values.c --------------------------------------------------------------------------- */

/* Vectors that only rare blocks and one other use are computed there. */
void lw__cpu_sink_to_rare(struct lw__arena *arena, LLVMValueRef function);

/* ---- vector_masks.c -------------------------------------------------------------------------- */

void lw__cpu_masks_as_words(LLVMValueRef function);
bool lw__cpu_is_mask(LLVMValueRef v); /* a vector of i1 */

/* ---- fused_multiply_add.c -------------------------------------------------------------------- */

void lw__cpu_share_fused(LLVMValueRef function); /* for levels without fma */

/* ---- masked_select.c ------------------------------------------------------------------------- */

void lw__cpu_mask_choices(LLVMValueRef function);

/* ---- amx.c ----------------------------------------------------------------------------------- */

void lw__cpu_define_amx(struct lw__unit *unit); /* if the module calls it */

/* ---- target.c -------------------------------------------------------------------------------- */

bool lw__pass_optimise(struct lw__unit *unit);
#endif
