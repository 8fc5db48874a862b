/* add_record.c - a kernel gets one parameter more: what a launch tells its code.
 *
 * It is the last of the packed arguments: the record's address, or the record itself.
 */
#include "compile/common/common.h"
#include "compile/llvm/llvm.h"
#include <assert.h>

enum { RECORD_ALIGN = 8 };

static void copy_attributes(struct lw__arena *arena, LLVMValueRef from, LLVMValueRef to,
                            LLVMAttributeIndex at)
{
    const unsigned count = LLVMGetAttributeCountAtIndex(from, at);
    LLVMAttributeRef *list = lw__new(arena, count + 1, sizeof(LLVMAttributeRef));
    LLVMGetAttributesAtIndex(from, at, list);
    for (unsigned i = 0; i < count; i++)
        LLVMAddAttributeAtIndex(to, at, list[i]);
}

LLVMValueRef lw__add_record(struct lw__unit *unit, struct lw__arena *arena, struct lw__kernel *k,
                            uint64_t bytes)
{
    LLVMValueRef old = k->function;
    LLVMTypeRef types[LW_PARAMS_MAX + 1], was = LLVMGlobalGetValueType(old);
    const unsigned count = k->param_count;
    assert(LLVMCountParams(old) == count && count <= LW_PARAMS_MAX);
    LLVMGetParamTypes(was, types);
    types[count] = LLVMPointerTypeInContext(unit->context, 0);
    LLVMTypeRef type = LLVMFunctionType(LLVMGetReturnType(was), types, count + 1, 0);
    LLVMSetValueName2(old, "", 0);
    LLVMValueRef f = LLVMAddFunction(unit->module, k->name, type);
    LLVMSetFunctionCallConv(f, LLVMGetFunctionCallConv(old));
    copy_attributes(&unit->scratch, old, f, LLVMAttributeFunctionIndex);
    if (LLVMGetSubprogram(old))
        LLVMSetSubprogram(f, LLVMGetSubprogram(old));
    LLVMContextRef context = LLVMGetModuleContext(LLVMGetGlobalParent(f));
    LLVMBasicBlockRef first = LLVMAppendBasicBlockInContext(context, f, ""), last = first, next;
    for (LLVMBasicBlockRef b = LLVMGetFirstBasicBlock(old); b;
         b = next, last = LLVMGetLastBasicBlock(f)) {
        next = LLVMGetNextBasicBlock(b);
        LLVMMoveBasicBlockAfter(b, last);
    }
    LLVMDeleteBasicBlock(first);
    for (unsigned i = 0; i < count; i++) {
        copy_attributes(&unit->scratch, old, f, i + 1);
        LLVMReplaceAllUsesWith(LLVMGetParam(old, i), LLVMGetParam(f, i));
    }
    LLVMDeleteFunction(old);
    k->function = f;
    struct lw__param *params = lw__new(arena, k->param_count + 2, sizeof *params);
    memcpy(params, k->params, k->param_count * sizeof *params);
    k->params = params;
    const uint64_t offset = (k->arg_bytes + RECORD_ALIGN - 1) / RECORD_ALIGN * RECORD_ALIGN;
    params[k->param_count++] = (struct lw__param){.name = lw__copy(arena, ""),
                                                  .offset = offset,
                                                  .size = bytes ? bytes : sizeof(void *),
                                                  .align = RECORD_ALIGN,
                                                  .in_place = bytes != 0};
    k->arg_bytes = offset + (bytes ? bytes : sizeof(void *));
    return f;
}
