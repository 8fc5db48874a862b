/* link_devlib.c - bring in devlib and make each kernel one function.
 *
 * devlib is the maths, the 16-bit conversions and the atomics, as bitcode inside this program.
 */
#include "compile/common/common.h"
#include "compile/ir/ir.h"
#include "compile/llvm/llvm.h"
#include <llvm-c/BitReader.h>
#include <llvm-c/DebugInfo.h>
#include <llvm-c/Linker.h>
#include <stdio.h>
#include <string.h>

extern const char lw__devlib_begin[], lw__devlib_end[]; /* devlib_blob.S */

/* True if the linker may omit it while it has no caller. Later passes call conversions, and the
 * code generator calls libgcc's functions. */
static bool is_on_demand(LLVMValueRef f)
{
    size_t length;
    const char *name = LLVMGetValueName2(f, &length);
    return !LLVMIsDeclaration(f) && !strncmp(name, "lw.", 3) && !strstr(name, "_to_");
}

/* Bodies are read when they are linked. */
bool lw__link_bitcode(struct lw__unit *unit, const char *begin, const char *end)
{
    LLVMMemoryBufferRef buffer =
        LLVMCreateMemoryBufferWithMemoryRange(begin, (size_t)(end - begin), "devlib", 0);
    LLVMModuleRef devlib;
    int failed = LLVMGetBitcodeModuleInContext2(unit->context, buffer, &devlib); /* owns it */
    if (!failed) { /* what is linked takes on the module's target */
        EACH_FUNCTION(f, devlib)
            if (is_on_demand(f))
                LLVMSetLinkage(f, LLVMLinkOnceODRLinkage);
        LLVMSetTarget(devlib, LLVMGetTarget(unit->module));
        LLVMSetDataLayout(devlib, LLVMGetDataLayoutStr(unit->module));
        failed = LLVMLinkModules2(unit->module, devlib);
    }
    return !failed || lw__defect("devlib's bitcode does not link");
}

void lw__link_no_target(LLVMValueRef f)
{
    static const char *const target[] = {"target-cpu",      "target-features",
                                         "tune-cpu",        "min-legal-vector-width",
                                         "no-builtins",     "stack-protector-buffer-size",
                                         "no-trapping-math"};
    for (size_t i = 0; i < sizeof target / sizeof *target; i++)
        LLVMRemoveStringAttributeAtIndex(f, LLVMAttributeFunctionIndex, target[i],
                                         (unsigned)strlen(target[i]));
}

static bool stays_visible(struct lw__unit *unit, LLVMValueRef f)
{
    size_t length;
    const char *name = LLVMGetValueName2(f, &length);
    return lw__ir_is_kernel(unit, f) || !strncmp(name, "lw.sizes.", 9) || lw__ir_is_libcall(name);
}

/* clang marks every function and call convergent. Thread indices and maths functions are not. */
static void not_convergent(LLVMValueRef declaration)
{
    unsigned kind = LLVMGetEnumAttributeKindForName("convergent", 10);
    LLVMRemoveEnumAttributeAtIndex(declaration, LLVMAttributeFunctionIndex, kind);
    EACH_USE(u, declaration) {
        LLVMValueRef call = LLVMGetUser(u);
        if (LLVMIsACallInst(call))
            LLVMRemoveCallSiteEnumAttribute(call, LLVMAttributeFunctionIndex, kind);
    }
}

/* A collective or barrier returns, or the launch has failed. With this, LLVM deletes code before
 * `unreachable`, such as the last iteration of an unrolled loop that is never executed. */
static void returns(LLVMValueRef declaration)
{
    unsigned kind = LLVMGetEnumAttributeKindForName("noreturn", 8);
    if (!LLVMGetEnumAttributeAtIndex(declaration, LLVMAttributeFunctionIndex, kind))
        lw__llvm_attribute(declaration, "willreturn", true);
}

/* lw__pass_link - link devlib; all functions but the entry points become internal.
 * needs ALLOWED   makes LINKED
 */
bool lw__pass_link(struct lw__unit *unit)
{
    /* clang's lists of functions would keep uses of deleted functions. */
    static const char *const lists[] = {"llvm.global.annotations", "llvm.used",
                                        "llvm.compiler.used"};
    for (size_t i = 0; i < sizeof lists / sizeof *lists; i++) {
        LLVMValueRef list = LLVMGetNamedGlobal(unit->module, lists[i]);
        if (list)
            LLVMDeleteGlobal(list);
    }
    if (!lw__link_bitcode(unit, lw__devlib_begin, lw__devlib_end))
        return false;
    EACH_FUNCTION(f, unit->module) {
        lw__link_no_target(f);
        /* A noalias argument would let passes move loads across barriers. Another thread of the
         * block may write there. A metadata name of our own keeps the source's restrict. */
        unsigned kind = LLVMGetEnumAttributeKindForName("noalias", 7);
        LLVMContextRef context = LLVMGetModuleContext(LLVMGetGlobalParent(f));
        for (unsigned i = 0; i <= LLVMCountParams(f); i++) {
            if (i && LLVMGetEnumAttributeAtIndex(f, i, kind))
                LLVMAddAttributeAtIndex(
                    f, i, LLVMCreateStringAttribute(context, "lw.restrict", 11, "", 0));
            LLVMRemoveEnumAttributeAtIndex(f, i, kind);
        }
        size_t length;
        if (!LLVMCountBasicBlocks(f)) {
            const char *name = LLVMGetValueName2(f, &length);
            if (lw__ir_thread_index(name, NULL))
                not_convergent(f);
            if (!strncmp(name, "lw.", 3) && strcmp(name, "lw.index") && strcmp(name, "lw.promise"))
                returns(f);
            continue;
        }
        lw__llvm_attribute(f, "noinline", false);
        lw__llvm_attribute(f, "optnone", false);
        if (stays_visible(unit, f)) {
            LLVMSetLinkage(f, LLVMExternalLinkage);
            continue;
        }
        LLVMSetLinkage(f, LLVMInternalLinkage);
        lw__llvm_attribute(f, "alwaysinline", false); /* not before their collectives are marked */
    }
    return true;
}

/* The function keeps its name and loses its body: the target lowers it. */
static void make_operation(struct lw__unit *unit, LLVMValueRef f)
{
    static const char *const pure[] = {"memory", "nounwind", "willreturn"}; /* memory(none) */
    char name[32];
    size_t length;
    snprintf(name, sizeof name, "%s", LLVMGetValueName2(f, &length));
    LLVMValueRef operation = LLVMAddFunction(unit->module, "", LLVMGlobalGetValueType(f));
    for (size_t k = 0; k < sizeof pure / sizeof *pure; k++)
        lw__llvm_attribute(operation, pure[k], true);
    LLVMReplaceAllUsesWith(f, operation);
    LLVMDeleteFunction(f);
    LLVMSetValueName2(operation, name, strlen(name));
}

static bool is_inlined(LLVMValueRef f)
{
    return LLVMCountBasicBlocks(f) && LLVMGetLinkage(f) == LLVMInternalLinkage;
}

/* lw__pass_inline - inline each helper and devlib function into its callers, except those for which
 * the target has an instruction. Unused ones are deleted.
 * needs INSTANCE   makes INLINED
 */
bool lw__pass_inline(struct lw__unit *unit)
{
    EACH_FUNCTION_SAFE(f, unit->module) {
        size_t length;
        if (is_inlined(f) && lw__spmd_has_native(unit, LLVMGetValueName2(f, &length)))
            make_operation(unit, f);
    }
    if (!lw__join_helpers(unit))
        return false;
    EACH_FUNCTION(f, unit->module)
        if (is_inlined(f))
            lw__llvm_attribute(f, "alwaysinline", true);
    return lw__llvm_passes(unit, LW_PASSES_inline_helpers);
}

/* lw__pass_tidy - the part of the common clean-up that a debugger allows: the control flow that
 * later passes need. Variables stay in memory, statements where they are.
 * needs ENTERED   makes COMMON
 */
bool lw__pass_tidy(struct lw__unit *unit)
{
    return lw__llvm_passes(unit, LW_PASSES_tidy);
}

/* lw__pass_clean - the common clean-up, once for all targets. Scalars leave memory, control flow is
 * simple and keeps its structure, loops are canonical.
 *
 * Vectors are scalarized before instcombine: if only one element of a phi is used, LLVM 19's
 * instcombine makes phi - x of x - phi. Vector loads are scalarized too, except for cuda, which has
 * instructions for them. If a vector is part of one that was loaded before, gvn makes an integer of
 * 256 bits. Where code stays unreachable, the thread returns.
 * needs INSTANCE   makes COMMON
 */
bool lw__pass_clean(struct lw__unit *unit)
{
    /* Overloads are declarations of one name and line. After stripping other debug information
     * than lines, LLVM distinguishes their subprograms as it does those of bodies. It then
     * refuses to read what it has written. Nothing uses the locations of declarations. */
    EACH_FUNCTION(f, unit->module)
        if (!LLVMCountBasicBlocks(f))
            LLVMSetSubprogram(f, NULL);
    if (!lw__has(unit, LW_HAS_SHORT_VECTORS))
        lw__llvm_scalarize_memory();
    if (!lw__llvm_passes(unit, lw__works_around(unit, LW_AROUND_vector_phi)
                                   ? LW_PASSES_clean
                                   : LW_PASSES_clean_vectors))
        return false;
    lw__relax_volatile(unit);
    lw__join_same_sums(unit);
    lw__hold_unsigned_indices(unit);
    if (!LLVMGetNamedFunction(unit->module, "lw.access")) /* else proofs are still read off it */
        lw__narrow_counters(unit);
    for (size_t i = 0; i < unit->kernels.count; i++)
        lw__ir_end_unreached(unit->kernels.rows[i].function);
    return true;
}
