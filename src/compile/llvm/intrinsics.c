/* intrinsics.c - LLVM's intrinsics by the rows of intrinsics.def. */
#include "compile/llvm/llvm.h"
#include <string.h>

static const struct {
    const char *name;
    unsigned types;
} rows[] = {
#define LW_INTRINSIC(row, name, types) {name, types},
#include "compile/llvm/intrinsics.def"
};

static unsigned ids[sizeof rows / sizeof *rows]; /* of this LLVM */

bool lw__llvm_find_intrinsics(void)
{
    for (size_t row = 0; row < sizeof rows / sizeof *rows; row++) {
        ids[row] = LLVMLookupIntrinsicID(rows[row].name, strlen(rows[row].name));
        if (!ids[row])
            return lw__defect("this LLVM has no intrinsic %s", rows[row].name);
        if (LLVMIntrinsicIsOverloaded(ids[row]) != (rows[row].types > 0))
            return lw__defect("this LLVM has other types for %s", rows[row].name);
    }
    return true;
}

LLVMValueRef lw__llvm_intrinsic(LLVMBuilderRef b, LLVMModuleRef module, enum lw__intrinsic row,
                                LLVMTypeRef *types, LLVMValueRef *args, unsigned arg_count)
{
    LLVMContextRef context = LLVMGetModuleContext(module);
    const unsigned id = ids[row], type_count = rows[row].types;
    LLVMValueRef f = LLVMGetIntrinsicDeclaration(module, id, types, type_count);
    LLVMTypeRef type = LLVMIntrinsicGetType(context, id, types, type_count);
    return LLVMBuildCall2(b, type, f, args, arg_count, "");
}

bool lw__ir_calls(LLVMValueRef i, enum lw__intrinsic row)
{
    LLVMValueRef callee = LLVMIsACallInst(i) ? LLVMGetCalledValue(i) : NULL;
    return callee && LLVMIsAFunction(callee) && LLVMGetIntrinsicID(callee) == ids[row];
}
