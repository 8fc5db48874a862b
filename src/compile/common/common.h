/* common.h - from clang's IR to the common bitcode, which all targets start from: devlib linked in,
 * numbers and builtins in shared terms, the instance of each collective, one entry per loop.
 */
#ifndef LW_COMPILE_COMMON_H
#define LW_COMPILE_COMMON_H
#include "compile/support/unit.h"

/* ---- bitcode.c ------------------------------------------------------------------------------- */

bool lw__pass_common(struct lw__unit *unit);
bool lw__pass_load(struct lw__unit *unit);
bool lw__pass_blocks(struct lw__unit *unit);
/* The module's bitcode, with the kernels' facts that only clang's text had.
 * owns     release with LLVMDisposeMemoryBuffer */
LLVMMemoryBufferRef lw__common_bitcode(struct lw__unit *unit);

/* ---- add_record.c ---------------------------------------------------------------------------- */

/* The kernel's function anew, with one parameter more, the last: a pointer to a record. The packed
 * arguments have its address, or if it has so many bytes itself. The arena has the kernel's rows.
 */
LLVMValueRef lw__add_record(struct lw__unit *unit, struct lw__arena *arena, struct lw__kernel *k,
                            uint64_t bytes);

/* ---- symbols.c ------------------------------------------------------------------------------- */

bool lw__pass_symbols(struct lw__unit *unit);

/* ---- addresses.c ----------------------------------------------------------------------------- */

bool lw__pass_addresses(struct lw__unit *unit);

/* ---- volatile_memory.c ----------------------------------------------------------------------- */

/* In a module of CUDA, where pointers into variables are visible. */
void lw__relax_volatile(struct lw__unit *unit);

/* ---- unsigned_indices.c ---------------------------------------------------------------------- */

/* In a module of CUDA without checks, whose variables are values. */
void lw__hold_unsigned_indices(struct lw__unit *unit);
/* In such a module with checks, whose proofs are there. */
void lw__hold_signed_indices(struct lw__unit *unit);

/* ---- narrow_counters.c ----------------------------------------------------------------------- */

/* Of a target that is widened, behind the proofs: counters of loops that begin in memory. */
void lw__narrow_counters(struct lw__unit *unit);

/* ---- same_joins.c ---------------------------------------------------------------------------- */

/* In a module of CUDA, whose variables are values. */
void lw__join_same_sums(struct lw__unit *unit);

/* ---- link_devlib.c --------------------------------------------------------------------------- */

bool lw__pass_link(struct lw__unit *unit);
bool lw__pass_inline(struct lw__unit *unit);
bool lw__pass_clean(struct lw__unit *unit);
bool lw__pass_tidy(struct lw__unit *unit);
/* Link devlib's bitcode into the module. Remove clang's attributes of the host from a function. */
bool lw__link_bitcode(struct lw__unit *unit, const char *begin, const char *end);
void lw__link_no_target(LLVMValueRef function);

/* ---- join_helpers.c, join_collectives.c, join_calls.c ---------------------------------------- */

/* In kernels that would become too long, calls of helpers are joined. */
bool lw__join_helpers(struct lw__unit *unit);
/* The same, before instances are marked, for calls of helpers that hold collectives. A kernel with
 * too many instances left is an error. */
bool lw__join_collectives(struct lw__unit *unit);
/* These calls in the function become one call of each helper. Threads that make one of them make
 * all, in this order, or no collective is between two of them. */
void lw__join_calls(struct lw__unit *unit, LLVMValueRef function, LLVMValueRef *calls,
                    unsigned count);

/* ---- phantom_backedge.c ---------------------------------------------------------------------- */

/* A loop of the source that only a jump into it repeats becomes a loop of the graph. */
void lw__phantom_backedges(struct lw__arena *arena, LLVMValueRef function);

/* ---- builtins.c ------------------------------------------------------------------------------ */

bool lw__pass_builtin(struct lw__unit *unit);

/* ---- legalize_numbers.c ---------------------------------------------------------------------- */

bool lw__pass_half(struct lw__unit *unit);

/* ---- instances.c ----------------------------------------------------------------------------- */

bool lw__pass_instance(struct lw__unit *unit);

/* ---- single_entry.c -------------------------------------------------------------------------- */

bool lw__pass_enter(struct lw__unit *unit);

/* ---- describe.c ------------------------------------------------------------------------------ */

bool lw__pass_describe(struct lw__unit *unit);
#endif
