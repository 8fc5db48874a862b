/* target.c - the device cuda: entries retargeted to NVIDIA's PTX.
 *
 *     prepare    the block's dimensions are constants              prepare/prepare.c
 *     converge   which lanes take part in each collective          gpu/
 *     lower      entries, thread indices, shared memory, prints    gpu/, entry.c
 *     ptx        LLVM's passes for the GPU, and its text           here
 *                loops issue the loads of several iterations       gpu/unroll_loads.c
 *
 * Nothing is contracted or flushed: LLVM writes add.rn, mul.rn, fma.rn, div.rn, sqrt.rn, which the
 * driver's assembler leaves as they are.
 */
#include "base/cuda_abi.h"
#include "compile/ptx/ptx.h"
#include "compile/cpu/cpu.h"
#include <llvm-c/DebugInfo.h>
#include <llvm-c/Target.h>
#include <string.h>

/* PTX names have no dots. */
static void rename_for_ptx(struct lw__arena *arena, LLVMValueRef value)
{
    size_t length;
    const char *name = LLVMGetValueName2(value, &length);
    char *plain = lw__copy_bytes(arena, name, length);
    for (size_t i = 0; i < length; i++)
        if (plain[i] == '.')
            plain[i] = '_';
    if (length && strncmp(name, "llvm.", 5))
        LLVMSetValueName2(value, plain, length);
}

static bool optimise(struct lw__unit *unit)
{
    if (!lw__llvm_passes(unit, LW_PASSES_before_loads))
        return false;
    bool some = false;
    for (size_t i = 0; i < unit->kernels.count; i++) {
        lw__gpu_mark_read_only(&unit->kernels.rows[i]);
        lw__gpu_unroll_loads(unit, &unit->kernels.rows[i], &some);
    }
    if (some) /* else loads sink to their uses, past branches of earlier iterations */
        lw__llvm_disable_sinking();
    if (!lw__llvm_passes(unit, LW_PASSES_after_loads) ||
        (lw__works_around(unit, LW_AROUND_jump_table) &&
         !lw__llvm_passes(unit, LW_PASSES_no_switches)) ||
        (lw__works_around(unit, LW_AROUND_two_entries) &&
         !lw__llvm_passes(unit, LW_PASSES_one_entry)))
        return false;
    for (size_t i = 0; i < unit->kernels.count; i++) {
        lw__gpu_remark_generic(unit, &unit->kernels.rows[i]);
        lw__ptx_relax(unit->kernels.rows[i].function);
        if (lw__has(unit, LW_HAS_FOLLOWING))
            lw__ptx_follow(unit->context, unit->kernels.rows[i].function);
    }
    lw__ptx_work_around(unit);
    LLVMStripModuleDebugInfo(unit->module);
    return true;
}

/* The target's machine, by a later PTX where the arguments need it. */
static bool make_machine(struct lw__unit *unit)
{
    const struct lw__target *t = unit->target;
    const char *features = t->features;
    for (size_t i = 0; i < unit->kernels.count; i++)
        if (unit->kernels.rows[i].arg_bytes > LW_CUDA_ARGS_FEW)
            features = "+ptx81";
    return lw__llvm_machine(unit, t->triple, t->processor, features, LLVMCodeGenLevelDefault);
}

/* lw__pass_ptx - PTX text for --device cuda:sm_NN.
 * needs LOWERED   makes PAYLOAD   breaks LOWERED
 */
bool lw__pass_ptx(struct lw__unit *unit)
{
    LLVMInitializeNVPTXTargetInfo();
    LLVMInitializeNVPTXTarget();
    LLVMInitializeNVPTXTargetMC();
    LLVMInitializeNVPTXAsmPrinter();
    if (!make_machine(unit) || !optimise(unit))
        return false;
    EACH_FUNCTION(f, unit->module)
        rename_for_ptx(&unit->scratch, f);
    EACH_GLOBAL(g, unit->module)
        rename_for_ptx(&unit->scratch, g);
    return lw__emit(unit, LLVMAssemblyFile);
}
