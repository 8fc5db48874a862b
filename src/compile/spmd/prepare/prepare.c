/* prepare.c - kernels are prepared for widening: the block's dimensions become constants, and what
 * is then known folds.
 *
 * This is still one thread's code under the rules of the common bitcode. So only passes run that
 * preserve convergence: none threads jumps through a collective, merges two of them or moves one.
 * The instances on the calls make unrolling safe: each iteration's copy of a collective has that
 * iteration's number. unroll.c decides which loops are unrolled, and how far.
 */
#include "compile/spmd/prepare/prepare.h"
#include "compile/common/common.h"
#include "compile/llvm/llvm.h"
#include "compile/ir/ir.h"
#include <string.h>

enum { WARP = 32, GRID_X_MAX = INT32_MAX, GRID_YZ_MAX = 65535 };

/* ---- thread indices -------------------------------------------------------------------------- */

/* The values that a thread index has: first ... last. */
struct range {
    uint64_t first, last;
};

static bool range_of(const char *name, const uint32_t block[3], struct range *r)
{
    const uint64_t threads = (uint64_t)block[0] * block[1] * block[2];
    unsigned axis = 0;
    const enum lw__thread_index index = lw__ir_thread_index(name, &axis);
    const uint64_t grid = axis ? GRID_YZ_MAX : GRID_X_MAX;
    switch (index) {
    case LW_INDEX_none: return false;
    case LW_INDEX_thread_idx: *r = (struct range){0, block[axis] - 1}; break;
    case LW_INDEX_block_idx: *r = (struct range){0, grid - 1}; break;
    case LW_INDEX_block_dim: *r = (struct range){block[axis], block[axis]}; break;
    case LW_INDEX_grid_dim: *r = (struct range){1, grid}; break;
    case LW_INDEX_lane_id: *r = (struct range){0, (threads < WARP ? threads : WARP) - 1}; break;
    case LW_INDEX_warp_id: *r = (struct range){0, (threads - 1) / WARP}; break;
    }
    return true;
}

/* A thread index of one value becomes that value; others get their range. */
static void fold_places(const struct lw__kernel *kernel)
{
    EACH_INSTRUCTION_OF_SAFE(i, kernel->function) {
        struct range r = {0};
        if (!LLVMIsACallInst(i) || !range_of(lw__ir_callee(i), kernel->block, &r))
            continue;
        if (r.first < r.last) {
            lw__ir_set_range(i, r.first, r.last);
            continue;
        }
        LLVMReplaceAllUsesWith(i, LLVMConstInt(LLVMTypeOf(i), r.first, 0));
        LLVMInstructionEraseFromParent(i);
    }
}

/* GPUs hide the time to memory by other warps. */
static void delete_prefetches(LLVMValueRef function)
{
    EACH_INSTRUCTION_OF_SAFE(i, function)
        if (lw__ir_calls(i, LW_LLVM_prefetch))
            LLVMInstructionEraseFromParent(i);
}

static void place_guards(struct lw__unit *unit)
{
    for (size_t i = 0; i < unit->kernels.count; i++)
        lw__prepare_place_guards(&unit->scratch, unit->kernels.rows[i].function);
}

/* ---- unrolling ------------------------------------------------------------------------------- */

/* LLVM counts a check as a call with as many operands. */
enum { GUARD_SIZE = LW_GUARD_OPERANDS };

/* Each instruction becomes one for every piece: the more pieces, the less is unrolled. */
static uint32_t most_pieces(const struct lw__unit *unit)
{
    uint32_t most = 1;
    for (size_t i = 0; i < unit->kernels.count; i++) {
        const uint32_t pieces = lw__spmd_pieces(unit, &unit->kernels.rows[i]);
        most = pieces > most ? pieces : most;
    }
    return most;
}

static uint32_t count_nests(struct lw__unit *unit)
{
    uint32_t depths = 0;
    for (size_t i = 0; i < unit->kernels.count; i++)
        lw__spmd_count_nests(unit, &unit->kernels.rows[i], &depths);
    return depths;
}

/* The trip count of an inner loop may be known only after the outer loop is straight code. LLVM
 * does not return to it. */
static bool unroll_marked(struct lw__unit *unit)
{
    for (uint32_t before = count_nests(unit), after;; before = after) {
        if (!lw__llvm_passes(unit, LW_PASSES_unroll))
            return false;
        after = count_nests(unit);
        if (!after || after == before)
            return true;
    }
}

static bool unroll(struct lw__unit *unit)
{
    uint32_t whole = 0, sums = 0;
    for (size_t i = 0; i < unit->kernels.count; i++)
        lw__spmd_mark_kept(unit, &unit->kernels.rows[i]);
    if (lw__has(unit, LW_HAS_THREADS))
        return lw__llvm_passes(unit, LW_PASSES_unroll);
    for (size_t i = 0; i < unit->kernels.count; i++) {
        lw__ir_expand_copies(unit->kernels.rows[i].function, false);
        lw__spmd_mark_whole(unit, &unit->kernels.rows[i], &whole);
    }
    /* How much longer checks make the blocks that have some, as LLVM counts. The loops
     * that are unrolled should be those of code without checks. */
    uint64_t all = 0, guards = 0, others = 0;
    for (size_t i = 0; i < unit->kernels.count; i++)
        EACH_BLOCK(b, unit->kernels.rows[i].function) {
            uint64_t size = 0, here = 0;
            EACH_INSTRUCTION(k, b)
                size++, here += lw__ir_guards(k);
            all += size;
            guards += here;
            others += !here                               ? 0
                      : size > (LW_GUARD_MORE + 2) * here ? size - LW_GUARD_MORE * here
                                                          : 2 * here;
        }
    const uint32_t percent = (uint32_t)(100 + (guards ? 100 * GUARD_SIZE * guards / others : 0));
    lw__llvm_cpu_options(unit, most_pieces(unit), whole * all, percent);
    if (!unroll_marked(unit))
        return false;
    for (size_t i = 0; i < unit->kernels.count; i++)
        lw__spmd_mark_sums(unit, &unit->kernels.rows[i], &sums);
    if (sums && !lw__llvm_passes(unit, LW_PASSES_unroll_sums))
        return false;
    for (size_t i = 0; i < unit->kernels.count; i++)
        lw__prepare_if_convert(unit->kernels.rows[i].function);
    return true;
}

/* ---- the pass -------------------------------------------------------------------------------- */

/* lw__pass_prepare - constants for the block's dimensions, then scalar clean-up.
 * needs COMMON BLOCKS   makes PREPARED
 */
bool lw__pass_prepare(struct lw__unit *unit)
{
    const bool is_widened = unit->target->lanes > 1 && !lw__has(unit, LW_HAS_THREADS);
    if (is_widened && !lw__has(unit, LW_IS_LATE) &&
        !lw__target_machine(unit, LLVMCodeGenLevelDefault))
        return false;
    for (size_t i = 0; i < unit->kernels.count; i++) {
        fold_places(&unit->kernels.rows[i]);
        if (lw__has(unit, LW_HAS_THREADS))
            delete_prefetches(unit->kernels.rows[i].function);
        if (!lw__has(unit, LW_HAS_THREADS)) /* there each thread's copy is made at its entry */
            lw__prepare_own_parameters(&unit->kernels.rows[i]);
    }
    bool ok = lw__llvm_passes(unit, LW_PASSES_before_unrolling);
    place_guards(unit);
    for (size_t i = 0; is_widened && ok && i < unit->kernels.count; i++)
        lw__prepare_invariant_loads(&unit->scratch, unit->kernels.rows[i].function);
    ok = ok && unroll(unit);
    for (size_t i = 0; ok && i < unit->kernels.count; i++)
        lw__prepare_duplicate_returns(&unit->scratch, unit->kernels.rows[i].function);
    place_guards(unit); /* LLVM keeps no sum in a register around a call that may not return */
    ok = ok && lw__llvm_passes(unit, LW_PASSES_after_unrolling);
    for (size_t i = 0; ok && i < unit->kernels.count; i++) {
        LLVMValueRef function = unit->kernels.rows[i].function;
        lw__ir_expand_copies(function, true);
        lw__prepare_split_pairs(function);
        lw__prepare_split_integers(function);
        if (!lw__has(unit, LW_HAS_SHORT_VECTORS))
            lw__prepare_split_vectors(function);
        lw__prepare_duplicate_dead_ends(&unit->scratch, function);
        if (is_widened)
            lw__prepare_index_edges(&unit->scratch, function);
        lw__prepare_split_joins(&unit->scratch, function);
    }
    if (is_widened && ok) /* LLVM has widened them again */
        lw__narrow_counters(unit);
    place_guards(unit);
    return ok;
}
