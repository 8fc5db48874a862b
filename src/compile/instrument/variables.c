/* variables.c - what messages and tables tell of a variable, and where pointers to it go. */
#include "compile/instrument/instrument.h"
#include "compile/llvm/llvm.h"
#include <string.h>

LLVMTypeRef lw__variable_type(LLVMValueRef object)
{
    if (LLVMIsAAllocaInst(object))
        return LLVMGetAllocatedType(object);
    return LLVMIsAGlobalVariable(object) ? LLVMGlobalGetValueType(object) : NULL;
}

/* clang prefixes a static variable with the function's name. LLVM adds a point and a number to the
 * second of a name, and its passes other suffixes after a point. */
char *lw__variable_name(struct lw__arena *arena, LLVMValueRef variable)
{
    static const char tensor[] = "lw__shared_";
    size_t length;
    const char *name = LLVMGetValueName2(variable, &length), *point = strchr(name, '.');
    const bool is_numbered = point && point[1] >= '0' && point[1] <= '9';
    if (LLVMIsAGlobalVariable(variable) && point && point != name && !is_numbered)
        name = point + 1;
    if (!strncmp(name, tensor, sizeof tensor - 1))
        name += sizeof tensor - 1;
    return lw__copy_bytes(arena, name, strcspn(name, "."));
}

uint64_t lw__variable_element(LLVMTargetDataRef data, LLVMTypeRef type)
{
    if (LLVMGetTypeKind(type) == LLVMStructTypeKind)
        return 0;
    while (LLVMGetTypeKind(type) == LLVMArrayTypeKind)
        type = LLVMGetElementType(type);
    return LLVMABISizeOfType(data, type);
}

bool lw__is_lifetime_marker(LLVMValueRef user)
{
    return lw__ir_calls(user, LW_LLVM_lifetime_start) || lw__ir_calls(user, LW_LLVM_lifetime_end);
}

bool lw__variable_escapes(LLVMValueRef p, bool *checked)
{
    EACH_USE(u, p) {
        LLVMValueRef user = LLVMGetUser(u);
        const bool is_check = lw__is_access_check(user) || lw__is_index_check(user);
        *checked |= is_check;
        if (LLVMIsAGetElementPtrInst(user) && LLVMGetOperand(user, 0) == p
                ? lw__variable_escapes(user, checked)
                : !lw__ir_only_accesses(user, p) && !is_check && !lw__is_lifetime_marker(user) &&
                      strncmp(lw__ir_callee(user), "llvm.mem", 8) != 0)
            return true;
    }
    return false;
}
