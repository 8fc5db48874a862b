/* verify.c - what later passes assume of the module at each stage, checked after every pass.
 *
 * LLVM's verifier checks that a module is well formed; this checks our own rules. docs/compiler.md
 * lists them in words.
 */
#include "compile/ir/ir.h"
#include "compile/llvm/llvm.h"
#include <llvm-c/Analysis.h>
#include <string.h>

static bool wrong(LLVMValueRef at, const char *rule)
{
    char *text = LLVMPrintValueToString(at);
    lw__defect("ir_verify: %s:%s", rule, text);
    LLVMDisposeMessage(text);
    return false;
}

static bool is_half(LLVMValueRef v)
{
    LLVMTypeRef type = lw__ir_scalar(LLVMTypeOf(v));
    return LLVMGetTypeKind(type) == LLVMHalfTypeKind || LLVMGetTypeKind(type) == LLVMBFloatTypeKind;
}

/* HALF: 16-bit floats are stored, loaded, selected and moved, never computed with. Negations and
 * comparisons are exact in any width: LLVM makes them of the integer operations that replaced
 * them. */
static bool computes(LLVMOpcode op)
{
    return op == LLVMFAdd || op == LLVMFSub || op == LLVMFMul || op == LLVMFDiv || op == LLVMFRem ||
           op == LLVMFPTrunc || op == LLVMFPExt || op == LLVMSIToFP || op == LLVMUIToFP ||
           op == LLVMFPToSI || op == LLVMFPToUI;
}

static bool check_half(LLVMValueRef i)
{
    if (!computes(LLVMGetInstructionOpcode(i)))
        return true;
    if (is_half(i) || is_half(LLVMGetOperand(i, 0)))
        return wrong(i, "arithmetic on a 16-bit float is left");
    return true;
}

/* INLINED: a kernel calls lw.* operations that have no body, and intrinsics. */
static bool check_call(LLVMValueRef i)
{
    const char *name = lw__ir_callee(i);
    if (!strncmp(name, "llvm.", 5))
        return true;
    if (strncmp(name, "lw.", 3))
        return wrong(i, "a call is left that is no lw.* operation");
    if (LLVMCountBasicBlocks(LLVMGetCalledValue(i)))
        return wrong(i, "a function with a body was not inlined");
    return true;
}

/* INSTANCE: one bundle on each collective, of place, iteration, ... place. */
static bool check_instance(LLVMValueRef i)
{
    if (!lw__ir_collective(i, NULL))
        return true;
    if (LLVMGetNumOperandBundles(i) != 1)
        return wrong(i, "a collective needs one operand bundle");
    LLVMOperandBundleRef bundle = LLVMGetOperandBundleAtIndex(i, 0);
    size_t length;
    bool ok = !strcmp(LLVMGetOperandBundleTag(bundle, &length), "lw.instance") &&
              LLVMGetNumOperandBundleArgs(bundle) % 2 == 1;
    LLVMDisposeOperandBundle(bundle);
    return ok || wrong(i, "a collective's bundle is no lw.instance(place, iteration, ... place)");
}

/* COMMON: no switch; at most one return. */
static bool check_common(LLVMValueRef i, unsigned *returns)
{
    if (LLVMIsASwitchInst(i))
        return wrong(i, "a switch is left");
    if (LLVMIsAReturnInst(i) && ++*returns > 1)
        return wrong(i, "a kernel has two returns");
    return true;
}

static bool check_kernel(const struct lw__unit *unit, LLVMValueRef f)
{
    unsigned returns = 0;
    EACH_INSTRUCTION_OF(i, f) {
        if (unit->facts & FACT_HALF && !check_half(i))
            return false;
        if (unit->facts & FACT_INLINED && LLVMIsACallInst(i) && !check_call(i))
            return false;
        if (unit->facts & FACT_INSTANCE && !check_instance(i))
            return false;
        if (unit->facts & FACT_COMMON && !check_common(i, &returns))
            return false;
    }
    return true;
}

/* ENTERED: a loop has one entry. */
static bool check_loops(struct lw__unit *unit, LLVMValueRef f)
{
    if (!(unit->facts & FACT_ENTERED))
        return true;
    const struct lw__arena_mark mark = lw__arena_mark(&unit->scratch);
    struct lw__cfg g;
    lw__cfg_build(&unit->scratch, f, &g);
    struct lw__loops loops;
    lw__loops_build(&g, &loops);
    const bool ok = !lw__loops_jumped_into(&g, &loops) || wrong(f, "a loop has several entries");
    lw__arena_release(&unit->scratch, mark);
    return ok;
}

/* LINKED: no argument of a kernel is noalias: another thread may write there. */
static bool check_arguments(const struct lw__unit *unit, LLVMValueRef f)
{
    unsigned kind = LLVMGetEnumAttributeKindForName("noalias", 7);
    for (unsigned i = 1; unit->facts & FACT_LINKED && i <= LLVMCountParams(f); i++)
        if (LLVMGetEnumAttributeAtIndex(f, i, kind))
            return wrong(f, "a kernel's argument is noalias");
    return true;
}

bool lw__ir_verify(struct lw__unit *unit, const char *after)
{
    char *why = NULL;
    bool broken = LLVMVerifyModule(unit->module, LLVMReturnStatusAction, &why);
    if (broken)
        lw__defect("pass %s made a wrong module: %s", after, why);
    LLVMDisposeMessage(why);
    if (broken)
        return false;
    const unsigned replaced = FACT_THREADS | FACT_WIDENED | FACT_FINAL | FACT_OBJECT;
    for (size_t i = 0; i < unit->kernels.count && !(unit->facts & replaced); i++) {
        LLVMValueRef f = unit->kernels.rows[i].function;
        if (!check_arguments(unit, f) || !check_kernel(unit, f) || !check_loops(unit, f))
            return lw__defect("after pass %s", after);
    }
    return true;
}
