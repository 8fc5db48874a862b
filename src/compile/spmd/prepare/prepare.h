/* prepare.h - a kernel made ready for widening: the block's size known, loops unrolled, short
 * vectors and odd integers split, joins and tails of their own. The GPU side takes the same steps.
 */
#ifndef LW_COMPILE_SPMD_PREPARE_H
#define LW_COMPILE_SPMD_PREPARE_H
#include "compile/support/unit.h"

/* ---- unroll.c -------------------------------------------------------------------------------- */

/* Say on the loops' branches how LLVM is to unroll them, add to *marked how many:
 * loops that stay; that become straight code; of which some trips become one. */
bool lw__spmd_mark_kept(const struct lw__unit *unit, const struct lw__kernel *kernel);
bool lw__spmd_mark_whole(const struct lw__unit *unit, const struct lw__kernel *kernel,
                         uint32_t *marked);
/* Add to *depths how deep the loops lie that are marked to be straight code. */
bool lw__spmd_count_nests(const struct lw__unit *unit, const struct lw__kernel *kernel,
                          uint32_t *depths);
bool lw__spmd_mark_sums(const struct lw__unit *unit, const struct lw__kernel *kernel,
                        uint32_t *marked);

/* ---- private_joins.c ------------------------------------------------------------------------- */

/* A branch that the thread's place decides has its join to itself; is that what v is
 * made of, with constants and nothing else? */
bool lw__prepare_split_joins(LLVMValueRef function);
bool lw__is_thread_index_expr(LLVMValueRef v);
bool lw__prepare_decides_by_edge(LLVMBasicBlockRef join); /* an i1 depends on the way to it */

/* ---- if_convert.c ---------------------------------------------------------------------------- */

/* Such a branch around a few values becomes a choice between them. */
void lw__prepare_if_convert(LLVMValueRef function);

/* ---- scalarize.c ----------------------------------------------------------------------------- */

/* No phi, select or freeze takes a pair of cmpxchg along; no integer is loaded or
 * stored that is not one of 1, 2, 4 or 8 bytes; no number is made of a vector's bits. */
void lw__prepare_split_pairs(LLVMValueRef function);
void lw__prepare_split_integers(LLVMValueRef function);
void lw__prepare_split_vectors(LLVMValueRef function);

/* ---- duplicate_tails.c ----------------------------------------------------------------------- */

/* What threads do before they return, once for each way to it that a block operation
 * parts from the others; before they fail, once for each way: mergereturn has made one end of all.
 */
bool lw__prepare_duplicate_returns(LLVMValueRef function);
bool lw__prepare_duplicate_dead_ends(LLVMValueRef function);

/* ---- prepare.c ------------------------------------------------------------------------------- */

bool lw__pass_prepare(struct lw__unit *unit);
#endif
