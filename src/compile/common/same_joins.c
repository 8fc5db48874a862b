/* same_joins.c - CUDA: a phi of one sum, however it was reached, is that sum.
 *
 *     int i = (int)(blockIdx.x * blockDim.x + threadIdx.x) - 1;
 *     if (i >= 0)
 *         sum = a[i];                     here LLVM widens i, zext, and at the join
 *     b[i] = sum;                         phi [zext i], [sext i, computed on the other edge]
 *
 * LLVM computes a number on each edge where one edge has it already. Where lanes come by both edges
 * a phi is anything, so the neighbours' elements would be gathered. The number is computed at the
 * join instead: its operands are there, since they are before all edges.
 */
#include "compile/common/common.h"
#include "compile/ir/ir.h"
#include "compile/llvm/llvm.h"

static bool widens(LLVMValueRef v)
{
    return LLVMIsASExtInst(v) || (LLVMIsAZExtInst(v) && LLVMGetNNeg(v));
}

static bool is_sum(LLVMValueRef v)
{
    if (!LLVMIsAInstruction(v))
        return false;
    switch (LLVMGetInstructionOpcode(v)) {
    case LLVMAdd:
    case LLVMSub:
    case LLVMMul:
    case LLVMShl: return true;
    default: return widens(v);
    }
}

static bool are_same(LLVMValueRef v, LLVMValueRef w)
{
    if (!is_sum(w) ||
        (LLVMGetInstructionOpcode(v) != LLVMGetInstructionOpcode(w) && !(widens(v) && widens(w))))
        return false;
    for (unsigned k = 0; k < (unsigned)LLVMGetNumOperands(v); k++)
        if (LLVMGetOperand(v, k) != LLVMGetOperand(w, k))
            return false;
    return true;
}

/* The sum at the join, or NULL if the edges' values differ. It promises what all of them do. */
static LLVMValueRef sum_of(LLVMBuilderRef builder, LLVMValueRef phi)
{
    LLVMValueRef first = LLVMGetIncomingValue(phi, 0), sum;
    const unsigned count = LLVMCountIncoming(phi);
    bool nsw = true, nuw = true;
    if (!is_sum(first))
        return NULL;
    for (unsigned k = 0; k < count; k++) {
        LLVMValueRef v = LLVMGetIncomingValue(phi, k);
        if (!are_same(first, v))
            return NULL;
        nsw = nsw && !widens(v) && LLVMGetNSW(v);
        nuw = nuw && !widens(v) && LLVMGetNUW(v);
    }
    LLVMValueRef at = LLVMGetFirstInstruction(LLVMGetInstructionParent(phi));
    while (LLVMIsAPHINode(at))
        at = LLVMGetNextInstruction(at);
    LLVMPositionBuilderBefore(builder, at);
    if (widens(first))
        return LLVMBuildSExt(builder, LLVMGetOperand(first, 0), LLVMTypeOf(phi), "");
    sum = LLVMInstructionClone(first);
    LLVMInsertIntoBuilder(builder, sum);
    LLVMSetNSW(sum, nsw);
    LLVMSetNUW(sum, nuw);
    return sum;
}

void lw__join_same_sums(struct lw__unit *unit)
{
    LLVMBuilderRef builder = LLVMCreateBuilderInContext(unit->context);
    for (size_t i = 0; lw__ir_is_cuda(unit->module) && i < unit->kernels.count; i++)
        EACH_BLOCK(b, unit->kernels.rows[i].function)
            EACH_PHI_SAFE(phi, b) {
                LLVMValueRef sum = sum_of(builder, phi);
                if (!sum)
                    continue;
                LLVMReplaceAllUsesWith(phi, sum);
                LLVMInstructionEraseFromParent(phi);
            }
    LLVMDisposeBuilder(builder);
}
