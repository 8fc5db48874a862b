/* target.c - LLVM's passes after the widening, for the target's vector level.
 *
 * Nothing may be contracted to a fused multiply-add: no instruction has fast-math flags, and the
 * code generator fuses only those that do.
 */
#include "compile/cpu/cpu.h"
#include "compile/llvm/llvm.h"
#include "compile/ir/ir.h"
#include <stdio.h>
#include <string.h>

/* Without them LLVM splits 512-bit vectors: it would spare older processors' clock. */
static void set_widths(LLVMValueRef f, const struct lw__target *target)
{
    char bits[16];
    snprintf(bits, sizeof bits, "%u", 32 * target->lanes);
    lw__llvm_word(f, "prefer-vector-width", bits);
    lw__llvm_word(f, "min-legal-vector-width", bits);
}

/* Instructions. LLVM takes quadratic time here: in loop-rotate, and for AArch64 in the machine
 * combiner. That makes one instruction of a product and a sum of integers. */
enum { ROTATED_MAX = 30000, COMBINED_MAX = 10000 };

static size_t size_of(LLVMModuleRef module)
{
    size_t n = 0;
    EACH_FUNCTION(f, module)
        EACH_INSTRUCTION_OF(i, f)
            n++;
    return n;
}

/* Coroutines are split first, but with values in place of slots: so their frames hold only what is
 * live across a suspension. */
static bool split_gangs(struct lw__unit *unit)
{
    EACH_FUNCTION(f, unit->module) {
        size_t length;
        if (!strncmp(LLVMGetValueName2(f, &length), "lw.gang.", 8))
            return lw__llvm_passes(unit, LW_PASSES_slots_to_values) && lw__coroutine_split(unit);
    }
    return true;
}

/* A finished kernel or the code of its gangs. */
static bool is_widened(LLVMValueRef f, bool *gang)
{
    size_t length;
    const char *name = LLVMGetValueName2(f, &length);
    *gang = !strncmp(name, "lw.gang.", 8);
    return LLVMCountBasicBlocks(f) && (*gang || !strncmp(name, "lw.cpu.", 7));
}

/* True if some slots stay in memory. */
static bool keep_slots(struct lw__unit *unit)
{
    bool kept = false, gang;
    EACH_FUNCTION(f, unit->module)
        if (is_widened(f, &gang))
            kept |= lw__cpu_keep_slots(&unit->scratch, f);
    return kept;
}

static enum lw__pipeline list_for(LLVMModuleRef module, bool in_memory)
{
    if (size_of(module) <= ROTATED_MAX)
        return in_memory ? LW_PASSES_optimise_slots : LW_PASSES_optimise;
    return in_memory ? LW_PASSES_optimise_large_slots : LW_PASSES_optimise_large;
}

/* lw__pass_optimise - clean up after the widening: slots become phis, constants fold, invariants
 * leave their loops.
 *
 * The code is vectorised already. So neither of LLVM's vectorisers runs, which would only split its
 * vectors, nor loop-idiom, whose memset is a call. dse, gvn, indvars and loop unswitching improved
 * no kernel in bench/, and dse took longer than all the others together. Until here code for
 * AArch64 is treated as the baseline's. So the unroll limits, which were chosen for the baseline,
 * apply.
 * needs WIDENED   makes FINAL   breaks WIDENED
 */
bool lw__pass_optimise(struct lw__unit *unit)
{
    const struct lw__target *target = unit->target;
    if (lw__has(unit, LW_IS_LATE) && !lw__target_machine(unit, LLVMCodeGenLevelDefault))
        return false;
    EACH_FUNCTION(f, unit->module)
        if (target->lanes > 1 && LLVMCountBasicBlocks(f))
            set_widths(f, target);
    if (unit->has_rare) /* else sums sink after all rare blocks, and their terms with them */
        lw__llvm_disable_sinking();
    /* True if its kernels had checks. */
    const bool in_memory = keep_slots(unit),
               has_guards = LLVMGetNamedFunction(unit->module, LW_GUARD ".i32") ||
                            LLVMGetNamedFunction(unit->module, LW_GUARD ".i64");
    if (!split_gangs(unit) || !lw__llvm_passes(unit, list_for(unit->module, in_memory)))
        return false;
    if (lw__is_for_aarch64(unit) && size_of(unit->module) > COMBINED_MAX)
        lw__llvm_skip_combiner();
    EACH_FUNCTION(f, unit->module) {
        bool gang;
        if (!is_widened(f, &gang))
            continue;
        if (!gang)
            lw__cpu_fetch_ahead(&unit->scratch, f);
        lw__cpu_fetch_iterations(&unit->scratch, f);
        if (has_guards || unit->has_clamps)
            lw__cpu_sink_to_rare(&unit->scratch, f);
        if (lw__has(unit, LW_HAS_MASK_REGISTERS)) {
            lw__cpu_hide_half_masks(unit, f);
            lw__cpu_mask_choices(f);
            lw__cpu_choose_ones(unit, f);
        }
        if (target->lanes > 1 && !lw__has(unit, LW_HAS_FMA))
            lw__cpu_share_fused(f);
        /* Otherwise LLVM spills relative to the end of the caller's stack, a multiple of 16
         * bytes. Then each vector, or every other one, spans two cache lines, in one process and
         * not in another. */
        if (target->lanes > 4)
            lw__llvm_word(f, "stackrealign", "");
        lw__cpu_compare_one(unit, f);
        lw__cpu_divide_by_lane(unit, f);
        lw__cpu_define_lanes(unit, f);
        lw__cpu_define_addresses(unit, f);
        lw__cpu_repeat_addresses(f);
        if (has_guards || lw__has(unit, LW_HAS_SHORT_INDICES))
            lw__cpu_repeat_lane_addresses(f);
        lw__cpu_add_indices(f);
        lw__cpu_split_blocks(f);
        if (!lw__has(unit, LW_HAS_MASK_REGISTERS))
            lw__cpu_masks_as_words(f);
    }
    lw__cpu_define_amx(unit);
    return true;
}
