/* target_ptx.c - the common bitcode retargeted to NVIDIA's PTX.
 *
 * Today this proves, for every kernel, that one front end serves the GPU too: block memory becomes
 * address space 3, kernels get their convention, and collectives, printf and assert stay calls to
 * functions that have no body yet. ptxas accepts the text (tests/ptx says what is not lowered).
 */
#include "compile/compile.h"
#include <llvm-c/DebugInfo.h>
#include <llvm-c/Target.h>
#include <string.h>

enum { PTX_KERNEL = 71, SHARED_SPACE = 3 }; /* llvm/IR/CallingConv.h; NVPTX usage guide */

static void to_block_memory(struct lw__unit *unit)
{
    LLVMTypeRef ptr = LLVMPointerTypeInContext(unit->context, 0);
    for (LLVMValueRef g = LLVMGetFirstGlobal(unit->module), next; g; g = next) {
        next = LLVMGetNextGlobal(g);
        bool dynamic = lw__ir_in_section(g, "lw.dynshared");
        if (!dynamic && !lw__ir_in_section(g, "lw.shared"))
            continue;
        LLVMTypeRef type = LLVMGlobalGetValueType(g);
        LLVMValueRef s = LLVMAddGlobalInAddressSpace(unit->module, type, "", SHARED_SPACE);
        LLVMSetAlignment(s, LLVMGetAlignment(g));
        if (!dynamic) {
            LLVMSetInitializer(s, LLVMGetUndef(type));
            LLVMSetLinkage(s, LLVMInternalLinkage);
        }
        LLVMReplaceAllUsesWith(g, LLVMConstAddrSpaceCast(s, ptr));
        size_t length;
        const char *name = LLVMGetValueName2(g, &length);
        LLVMSetValueName2(s, name, length);
        LLVMDeleteGlobal(g);
    }
}

/* The code generator knows no "lw.instance" bundles. */
static void drop_instances(struct lw__unit *unit, LLVMValueRef f)
{
    LLVMBuilderRef b = LLVMCreateBuilderInContext(unit->context);
    for (LLVMBasicBlockRef k = LLVMGetFirstBasicBlock(f); k; k = LLVMGetNextBasicBlock(k))
        for (LLVMValueRef i = LLVMGetFirstInstruction(k), next; i; i = next) {
            next = LLVMGetNextInstruction(i);
            if (!lw__ir_collective(i, NULL))
                continue;
            LLVMValueRef callee = LLVMGetCalledValue(i), args[4];
            int n = LLVMGetNumArgOperands(i);
            for (int a = 0; a < n; a++)
                args[a] = LLVMGetOperand(i, (unsigned)a);
            LLVMPositionBuilderBefore(b, i);
            LLVMValueRef plain =
                LLVMBuildCall2(b, LLVMGlobalGetValueType(callee), callee, args, (unsigned)n, "");
            LLVMReplaceAllUsesWith(i, plain);
            LLVMInstructionEraseFromParent(i);
        }
    LLVMDisposeBuilder(b);
}

/* PTX names have no dots. */
static void rename_for_ptx(LLVMValueRef value)
{
    size_t length;
    const char *name = LLVMGetValueName2(value, &length);
    struct lw__text plain = {0};
    lw__text_add_bytes(&plain, name, length);
    for (size_t i = 0; i < plain.length; i++)
        if (plain.data[i] == '.')
            plain.data[i] = '_';
    if (plain.length && !plain.failed && strncmp(name, "llvm.", 5))
        LLVMSetValueName2(value, plain.data, plain.length);
    lw__text_free(&plain);
}

static void prepare(struct lw__unit *unit)
{
    LLVMStripModuleDebugInfo(unit->module);
    to_block_memory(unit);
    for (LLVMValueRef f = LLVMGetFirstFunction(unit->module), next; f; f = next) {
        size_t length;
        next = LLVMGetNextFunction(f);
        const char *name = LLVMGetValueName2(f, &length);
        if (!strncmp(name, "lw.sizes.", 9) || lw__ir_is_libcall(name)) { /* the host's */
            LLVMDeleteFunction(f);
            continue;
        }
        if (lw__ir_is_kernel(unit, f))
            LLVMSetFunctionCallConv(f, PTX_KERNEL);
        drop_instances(unit, f);
        rename_for_ptx(f);
    }
    for (LLVMValueRef g = LLVMGetFirstGlobal(unit->module); g; g = LLVMGetNextGlobal(g))
        rename_for_ptx(g);
}

/* lw__pass_ptx - PTX text for the --device ptx:sm_NN.
 * needs COMMON   makes PAYLOAD   breaks COMMON
 */
bool lw__pass_ptx(struct lw__unit *unit)
{
    const char *colon = strchr(unit->options->device, ':');
    LLVMInitializeNVPTXTargetInfo();
    LLVMInitializeNVPTXTarget();
    LLVMInitializeNVPTXTargetMC();
    LLVMInitializeNVPTXAsmPrinter();
    prepare(unit);
    if (!lw__llvm_machine(unit, "nvptx64-nvidia-cuda", colon ? colon + 1 : "sm_80", "+ptx78",
                          LLVMCodeGenLevelDefault))
        return false;
    char *why = NULL;
    LLVMMemoryBufferRef text = NULL;
    bool ok = lw__llvm_passes(unit->module, unit->machine, "default<O1>");
    if (ok && LLVMTargetMachineEmitToMemoryBuffer(unit->machine, unit->module, LLVMAssemblyFile,
                                                  &why, &text)) {
        ok = lw__defect("LLVM made no PTX: %s", why);
        LLVMDisposeMessage(why);
    }
    if (ok) {
        lw__text_add_bytes(&unit->payload, LLVMGetBufferStart(text), LLVMGetBufferSize(text));
        LLVMDisposeMemoryBuffer(text);
    }
    return ok;
}
