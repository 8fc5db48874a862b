/* pointer_offset.c - how far a pointer is after its object.
 *
 * The steps of a pointer from its object are known. So what is counted may be granules of some
 * bytes: a sum of indices, whose shape is that of the address itself.
 */
#include "compile/ir/ir.h"
#include "compile/llvm/llvm.h"

/* An index of a GEP: what it counts, or where a member is. */
struct step {
    LLVMValueRef index; /* NULL: `bytes` are added */
    uint64_t bytes;
};

static struct step step_of(LLVMTargetDataRef data, LLVMValueRef gep, int k, LLVMTypeRef *type)
{
    LLVMValueRef index = LLVMGetOperand(gep, (unsigned)k);
    struct step step = {index, 0};
    if (k == 1) {
        step.bytes = LLVMABISizeOfType(data, *type);
    } else if (LLVMGetTypeKind(*type) == LLVMStructTypeKind) {
        const unsigned member = (unsigned)LLVMConstIntGetZExtValue(index);
        step = (struct step){NULL, LLVMOffsetOfElement(data, *type, member)};
        *type = LLVMStructGetTypeAtIndex(*type, member);
    } else {
        *type = LLVMGetElementType(*type);
        step.bytes = LLVMABISizeOfType(data, *type);
    }
    if (step.index && LLVMIsAConstantInt(index))
        step = (struct step){NULL, step.bytes * (uint64_t)LLVMConstIntGetSExtValue(index)};
    return step;
}

bool lw__ir_is_multiple(LLVMTargetDataRef data, LLVMValueRef pointer, uint64_t bytes)
{
    for (; pointer != lw__ir_object(pointer); pointer = LLVMGetOperand(pointer, 0)) {
        LLVMTypeRef type = LLVMGetGEPSourceElementType(pointer);
        for (int k = 1; k < LLVMGetNumOperands(pointer); k++)
            if (step_of(data, pointer, k, &type).bytes % bytes)
                return false;
    }
    return true;
}

bool lw__ir_adds_constant(LLVMTargetDataRef data, LLVMValueRef gep, int64_t *offset)
{
    LLVMTypeRef type = LLVMGetGEPSourceElementType(gep);
    for (int k = 1; k < LLVMGetNumOperands(gep); k++) {
        const struct step step = step_of(data, gep, k, &type);
        if (step.index)
            return false;
        *offset += (int64_t)step.bytes;
    }
    return true;
}

static LLVMValueRef add_step(LLVMBuilderRef b, LLVMValueRef sum, struct step step, uint64_t bytes)
{
    LLVMTypeRef i64 = LLVMTypeOf(sum);
    LLVMValueRef n = LLVMConstInt(i64, (uint64_t)((int64_t)step.bytes / (int64_t)bytes), 0);
    if (step.index)
        n = LLVMBuildMul(b, LLVMBuildSExtOrBitCast(b, step.index, i64, ""), n, "");
    return LLVMBuildAdd(b, sum, n, "");
}

LLVMValueRef lw__ir_offset(LLVMBuilderRef b, LLVMTargetDataRef data, LLVMValueRef pointer,
                           uint64_t bytes)
{
    if (pointer == lw__ir_object(pointer))
        return LLVMConstNull(LLVMInt64TypeInContext(LLVMGetTypeContext(LLVMTypeOf(pointer))));
    LLVMValueRef sum = lw__ir_offset(b, data, LLVMGetOperand(pointer, 0), bytes);
    LLVMTypeRef type = LLVMGetGEPSourceElementType(pointer);
    for (int k = 1; k < LLVMGetNumOperands(pointer); k++)
        sum = add_step(b, sum, step_of(data, pointer, k, &type), bytes);
    return sum;
}

/* ---- as one number --------------------------------------------------------------------------- */

static uint64_t common_divisor(uint64_t a, uint64_t b)
{
    while (b) {
        const uint64_t rest = a % b;
        a = b;
        b = rest;
    }
    return a;
}

/* The sum of the indices, each times its step over the scale. */
static LLVMValueRef sum_indices(LLVMBuilderRef b, LLVMTargetDataRef data, LLVMValueRef pointer,
                                uint64_t scale)
{
    LLVMContextRef context = LLVMGetTypeContext(LLVMTypeOf(pointer));
    if (pointer == lw__ir_object(pointer))
        return LLVMConstNull(LLVMInt64TypeInContext(context));
    LLVMValueRef sum = sum_indices(b, data, LLVMGetOperand(pointer, 0), scale);
    LLVMTypeRef type = LLVMGetGEPSourceElementType(pointer);
    for (int k = 1; k < LLVMGetNumOperands(pointer); k++) {
        const struct step step = step_of(data, pointer, k, &type);
        if (step.index)
            sum = add_step(b, sum, step, scale);
    }
    return sum;
}

void lw__ir_narrow(LLVMBuilderRef b, LLVMValueRef *number, bool *is_signed)
{
    LLVMTypeRef i32 = LLVMInt32TypeInContext(LLVMGetTypeContext(LLVMTypeOf(*number)));
    const bool extends = LLVMIsASExtInst(*number) || LLVMIsAZExtInst(*number);
    LLVMValueRef inner = extends ? LLVMGetOperand(*number, 0) : *number;
    *is_signed = !LLVMIsAZExtInst(*number);
    if (LLVMGetIntTypeWidth(LLVMTypeOf(inner)) <= 32)
        *number = LLVMBuildIntCast2(b, inner, i32, *is_signed, "");
    else if (LLVMGetIntTypeWidth(LLVMTypeOf(*number)) < 64)
        *number = LLVMBuildSExt(
            b, *number, LLVMInt64TypeInContext(LLVMGetTypeContext(LLVMTypeOf(*number))), "");
}

struct lw__ir_place lw__ir_place_of(LLVMBuilderRef b, LLVMTargetDataRef data, LLVMValueRef pointer)
{
    struct lw__ir_place place = {.is_signed = true};
    unsigned count = 0;
    /* What the steps add up to without their indices; number: the only index. */
    for (LLVMValueRef p = pointer; p != lw__ir_object(p); p = LLVMGetOperand(p, 0)) {
        LLVMTypeRef type = LLVMGetGEPSourceElementType(p);
        for (int k = 1; k < LLVMGetNumOperands(p); k++) {
            const struct step step = step_of(data, p, k, &type);
            if (!step.index) {
                place.constant += step.bytes;
            } else if (step.bytes) {
                place.scale = common_divisor(place.scale, step.bytes);
                place.number = step.index;
                ++count;
            }
        }
    }
    if (count == 1)
        lw__ir_narrow(b, &place.number, &place.is_signed);
    else if (count)
        place.number = sum_indices(b, data, pointer, place.scale);
    return place;
}
