/* debug_info.c - operands of debug info nodes, which LLVM's C interface does not name.
 *
 * Their order is that of LLVM 19's DebugInfoMetadata.h; front/clang_contract_test.c tests it.
 */
#include "compile/llvm/llvm.h"

unsigned lw__di_operand_count(LLVMContextRef context, LLVMMetadataRef node)
{
    return node ? LLVMGetMDNodeNumOperands(LLVMMetadataAsValue(context, node)) : 0;
}

LLVMMetadataRef lw__di_operand(LLVMContextRef context, LLVMMetadataRef node, unsigned index)
{
    const unsigned count = lw__di_operand_count(context, node);
    if (index >= count)
        return NULL;
    LLVMValueRef operand = LLVMGetOperand(LLVMMetadataAsValue(context, node), index);
    return operand ? LLVMValueAsMetadata(operand) : NULL;
}

unsigned lw__di_tag(LLVMMetadataRef node)
{
    return node ? LLVMGetDINodeTag(node) : 0;
}

const char *lw__di_variable_name(LLVMContextRef context, LLVMMetadataRef variable, size_t *length)
{
    LLVMMetadataRef name = lw__di_operand(context, variable, LW_DI_VARIABLE_NAME);
    unsigned n = 0;
    const char *text = name ? LLVMGetMDString(LLVMMetadataAsValue(context, name), &n) : NULL;
    *length = n;
    return text;
}

void lw__di_scopes(LLVMContextRef context, LLVMMetadataRef scope, struct lw__text *out)
{
    const LLVMMetadataKind kind = scope ? LLVMGetMetadataKind(scope) : LLVMDIFileMetadataKind;
    if (kind != LLVMDINamespaceMetadataKind && kind != LLVMDICompositeTypeMetadataKind)
        return;
    lw__di_scopes(context, lw__di_operand(context, scope, LW_DI_SCOPE), out);
    LLVMMetadataRef name = lw__di_operand(context, scope, LW_DI_SCOPE_NAME);
    unsigned length = 0;
    const char *text = name ? LLVMGetMDString(LLVMMetadataAsValue(context, name), &length) : NULL;
    if (text)
        lw__text_add(out, "%.*s::", (int)length, text);
}
