/* scopes.c - atomic loads and stores have the scope of the GPU.
 *
 * LLVM 19 knows no scopes here: it writes relaxed accesses as volatile, which has the scope of the
 * whole system.
 */
#include "compile/ptx/ptx.h"
#include <assert.h>
#include <stdio.h>

/* Replace an atomic load or store of that many bits by ld.relaxed.gpu or st.relaxed.gpu. */
static void relax(LLVMBuilderRef b, LLVMValueRef i, unsigned bits)
{
    const bool loads = LLVMIsALoadInst(i);
    LLVMContextRef context = LLVMGetTypeContext(LLVMTypeOf(i));
    LLVMValueRef address = lw__ir_address(i);
    assert(bits == 32 || bits == 64);
    LLVMTypeRef word = LLVMIntTypeInContext(context, bits), pointer = LLVMTypeOf(address),
                void_type = LLVMVoidTypeInContext(context),
                type = loads ? LLVMFunctionType(word, &pointer, 1, 0)
                             : LLVMFunctionType(void_type, (LLVMTypeRef[]){pointer, word}, 2, 0);
    char text[64], constraints[32];
    const char *space = LLVMGetPointerAddressSpace(pointer) ? ".global" : "";
    const char of_value = bits == 64 ? 'l' : 'r';
    if (loads) {
        snprintf(text, sizeof text, "ld.relaxed.gpu%s.b%u $0, [$1];", space, bits);
        snprintf(constraints, sizeof constraints, "=%c,l,~{memory}", of_value);
    } else {
        snprintf(text, sizeof text, "st.relaxed.gpu%s.b%u [$0], $1;", space, bits);
        snprintf(constraints, sizeof constraints, "l,%c,~{memory}", of_value);
    }
    LLVMPositionBuilderBefore(b, i);
    if (loads) {
        LLVMValueRef value = lw__llvm_asm(b, type, text, constraints, true, &address, 1);
        LLVMReplaceAllUsesWith(i, LLVMBuildBitCast(b, value, LLVMTypeOf(i), ""));
    } else {
        LLVMValueRef value = LLVMBuildBitCast(b, LLVMGetOperand(i, 0), word, "");
        lw__llvm_asm(b, type, text, constraints, true, (LLVMValueRef[]){address, value}, 2);
    }
    LLVMInstructionEraseFromParent(i);
}

/* 32 or 64, if the access is atomic, else 0. Shared memory belongs to one block: it needs no
 * scope. */
static unsigned bits_to_relax(LLVMTargetDataRef data, LLVMValueRef i)
{
    if ((!LLVMIsALoadInst(i) && !LLVMIsAStoreInst(i)) ||
        LLVMGetOrdering(i) != LLVMAtomicOrderingMonotonic ||
        LLVMGetPointerAddressSpace(LLVMTypeOf(lw__ir_address(i))) > LW_PTX_GLOBAL)
        return 0;
    LLVMTypeRef type = lw__ir_accessed(i);
    const unsigned bits = (unsigned)LLVMSizeOfTypeInBits(data, type);
    return LLVMGetTypeKind(type) != LLVMPointerTypeKind && (bits == 32 || bits == 64) ? bits : 0;
}

void lw__ptx_relax(LLVMValueRef function)
{
    LLVMModuleRef module = LLVMGetGlobalParent(function);
    LLVMBuilderRef b = LLVMCreateBuilderInContext(LLVMGetModuleContext(module));
    EACH_INSTRUCTION_OF_SAFE(i, function) {
        const unsigned bits = bits_to_relax(LLVMGetModuleDataLayout(module), i);
        if (bits)
            relax(b, i, bits);
    }
    LLVMDisposeBuilder(b);
}
