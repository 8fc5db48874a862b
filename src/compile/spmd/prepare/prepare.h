/* prepare.h - a kernel is prepared for widening: the block's size known, loops unrolled, short
 * vectors and odd integers split, private parameters and joins, duplicated tails. The GPU side
 * runs the same steps.
 */
#ifndef LW_COMPILE_SPMD_PREPARE_H
#define LW_COMPILE_SPMD_PREPARE_H
#include "compile/support/unit.h"

/* ---- unroll.c -------------------------------------------------------------------------------- */

/* Set metadata on the loops' branches that tells LLVM how to unroll them, and add their number to
 * *marked. kept: loops that stay; whole: that become straight code; sums: some iterations become
 * one. */
void lw__spmd_mark_kept(struct lw__unit *unit, const struct lw__kernel *kernel);
void lw__spmd_mark_whole(struct lw__unit *unit, const struct lw__kernel *kernel, uint32_t *marked);
/* Add to *depths the nesting depths of the loops that are marked to become straight code. */
void lw__spmd_count_nests(struct lw__unit *unit, const struct lw__kernel *kernel, uint32_t *depths);
void lw__spmd_mark_sums(struct lw__unit *unit, const struct lw__kernel *kernel, uint32_t *marked);

/* ---- own_parameters.c ------------------------------------------------------------------------ */

/* Each thread has its own copy of a struct parameter that the kernel writes. */
void lw__prepare_own_parameters(const struct lw__kernel *kernel);

/* ---- private_joins.c ------------------------------------------------------------------------- */

/* A branch that the thread index decides gets a private join. */
void lw__prepare_split_joins(struct lw__arena *arena, LLVMValueRef function);
/* True if v is computed from thread indices and constants only. */
bool lw__is_thread_index_expr(LLVMValueRef v);
/* True if an i1 depends on the edge to the join. */
bool lw__prepare_decides_by_edge(LLVMBasicBlockRef join);

/* ---- if_convert.c ---------------------------------------------------------------------------- */

/* Such a branch around a few values becomes a select between them. */
void lw__prepare_if_convert(LLVMValueRef function);

/* ---- scalarize.c ----------------------------------------------------------------------------- */

/* No phi, select or freeze has cmpxchg's pair type. */
void lw__prepare_split_pairs(LLVMValueRef function);
/* Loads and stores of integers have 1, 2, 4 or 8 bytes. */
void lw__prepare_split_integers(LLVMValueRef function);
/* No scalar is a bit cast of a vector. */
void lw__prepare_split_vectors(LLVMValueRef function);

/* ---- duplicate_tails.c ----------------------------------------------------------------------- */

/* A copy of a return's code for each group of edges with no block op in between. */
void lw__prepare_duplicate_returns(struct lw__arena *arena, LLVMValueRef function);
/* A copy of a failed assert for each edge to it; mergereturn has merged them. */
void lw__prepare_duplicate_dead_ends(struct lw__arena *arena, LLVMValueRef function);

/* ---- place_guards.c -------------------------------------------------------------------------- */

/* A check needs about so many more instructions, for what it compares. */
enum { LW_GUARD_MORE = 3 };
/* Checks that others imply go; those of a block stand before its accesses. */
void lw__prepare_place_guards(struct lw__arena *scratch, LLVMValueRef function);

/* ---- index_edges.c --------------------------------------------------------------------------- */

/* A short block to which the thread index leads, and data as well, is copied for the former. */
void lw__prepare_index_edges(struct lw__arena *scratch, LLVMValueRef function);

/* ---- invariant_loads.c ----------------------------------------------------------------------- */

/* Loads and checks of a loop's header that every iteration repeats come before the loop. */
void lw__prepare_invariant_loads(struct lw__arena *scratch, LLVMValueRef function);

/* ---- prepare.c ------------------------------------------------------------------------------- */

bool lw__pass_prepare(struct lw__unit *unit);
#endif
