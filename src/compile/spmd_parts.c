/* spmd_parts.c - pairs fall into their parts.
 *
 * cmpxchg makes a pair: what it found, and whether it has exchanged. LLVM takes pairs through phis,
 * selects and freezes, and the part that is asked for out of them at the end. Here those become
 * phis, selects and freezes of the parts: widening knows pairs where they are made only.
 */
#include "compile/spmd.h"

static bool passes_pair(LLVMValueRef i)
{
    return LLVMGetTypeKind(LLVMTypeOf(i)) == LLVMStructTypeKind &&
           (LLVMIsAPHINode(i) || LLVMIsASelectInst(i) || LLVMIsAFreezeInst(i));
}

static void stand_before(LLVMBuilderRef b, LLVMValueRef i, LLVMValueRef where)
{
    LLVMPositionBuilderBefore(b, where);
    LLVMSetCurrentDebugLocation2(b, LLVMInstructionGetDebugLoc(i));
}

/* Part k of a select or freeze. */
static LLVMValueRef make_part(LLVMBuilderRef b, LLVMValueRef i, unsigned k)
{
    if (LLVMIsAFreezeInst(i))
        return LLVMBuildFreeze(b, LLVMBuildExtractValue(b, LLVMGetOperand(i, 0), k, ""), "");
    LLVMValueRef yes = LLVMBuildExtractValue(b, LLVMGetOperand(i, 1), k, ""),
                 no = LLVMBuildExtractValue(b, LLVMGetOperand(i, 2), k, "");
    return LLVMBuildSelect(b, LLVMGetOperand(i, 0), yes, no, "");
}

/* What comes to part k of the phi, each at the end of the block that it comes from. */
static void fill_phi(LLVMBuilderRef b, LLVMValueRef phi, LLVMValueRef part, unsigned k)
{
    for (unsigned n = 0; n < LLVMCountIncoming(phi); n++) {
        LLVMBasicBlockRef from = LLVMGetIncomingBlock(phi, n);
        stand_before(b, phi, LLVMGetBasicBlockTerminator(from));
        LLVMValueRef v = LLVMBuildExtractValue(b, LLVMGetIncomingValue(phi, n), k, "");
        LLVMAddIncoming(part, &v, &from, 1);
    }
}

/* Its parts, and a pair made of them for those who ask for one. */
static void part(LLVMBuilderRef b, LLVMValueRef i)
{
    LLVMTypeRef type = LLVMTypeOf(i);
    LLVMValueRef pair = LLVMGetPoison(type);
    for (unsigned k = 0; k < LLVMCountStructElementTypes(type); k++) {
        LLVMValueRef v;
        stand_before(b, i, i);
        if (LLVMIsAPHINode(i)) {
            v = LLVMBuildPhi(b, LLVMStructGetTypeAtIndex(type, k), "");
            fill_phi(b, i, v, k);
            stand_before(b, i, lw__ir_first_after_phis(LLVMGetInstructionParent(i)));
        } else {
            v = make_part(b, i, k);
        }
        pair = LLVMBuildInsertValue(b, pair, v, k, "");
    }
    LLVMReplaceAllUsesWith(i, pair);
    LLVMInstructionEraseFromParent(i);
}

/* From where the part was put in. */
static void take(LLVMValueRef i)
{
    const unsigned k = *LLVMGetIndices(i);
    LLVMValueRef v = LLVMGetOperand(i, 0);
    while (LLVMIsAInsertValueInst(v) && *LLVMGetIndices(v) != k)
        v = LLVMGetOperand(v, 0);
    if (LLVMIsAInsertValueInst(v))
        LLVMReplaceAllUsesWith(i, LLVMGetOperand(v, 1));
    else
        LLVMSetOperand(i, 0, v);
}

static bool is_left_over(LLVMValueRef i)
{
    return !LLVMGetFirstUse(i) && (LLVMIsAInsertValueInst(i) || LLVMIsAExtractValueInst(i));
}

void lw__spmd_part_pairs(LLVMValueRef function)
{
    LLVMBuilderRef b =
        LLVMCreateBuilderInContext(LLVMGetModuleContext(LLVMGetGlobalParent(function)));
    LLVMBasicBlockRef block;
    LLVMValueRef i, next;
    for (block = LLVMGetFirstBasicBlock(function); block; block = LLVMGetNextBasicBlock(block))
        for (i = LLVMGetFirstInstruction(block); i; i = next) {
            next = LLVMGetNextInstruction(i);
            if (passes_pair(i))
                part(b, i);
        }
    LLVMDisposeBuilder(b);
    for (block = LLVMGetFirstBasicBlock(function); block; block = LLVMGetNextBasicBlock(block))
        for (i = LLVMGetFirstInstruction(block); i; i = LLVMGetNextInstruction(i))
            if (LLVMIsAExtractValueInst(i))
                take(i);
    for (bool again = true; again;) {
        again = false;
        for (block = LLVMGetFirstBasicBlock(function); block; block = LLVMGetNextBasicBlock(block))
            for (i = LLVMGetFirstInstruction(block); i; i = next) {
                next = LLVMGetNextInstruction(i);
                if (is_left_over(i)) {
                    LLVMInstructionEraseFromParent(i);
                    again = true;
                }
            }
    }
}
