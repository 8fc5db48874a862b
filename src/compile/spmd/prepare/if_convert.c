/* if_convert.c - if-conversion of branches that the thread index decides.
 *
 *     if (((t & apart) == 0) == is_up)
 *         mine = other < mine ? other : mine;
 *     else
 *         mine = other > mine ? other : mine;
 *
 * A divergent branch ends a block of instructions. Its arms run one after the other under masks,
 * each for all pieces. In between the values of all pieces are in memory. The pass needs constants
 * that decide the branch for each thread, and arms that only compute values. Then both arms are
 * computed in place and a select chooses. For a piece whose lanes all take one edge, the other arm
 * is dead code.
 * source   Allen, Kennedy, Porterfield & Warren, "Conversion of Control Dependence to Data
 * Dependence",
 *          POPL 1983
 */
#include "compile/spmd/prepare/prepare.h"
#include "compile/llvm/llvm.h"
#include <string.h>

enum { ARM_MAX = 16 }; /* instructions */

static bool is_pure(LLVMValueRef i)
{
    const bool has_value = LLVMGetTypeKind(LLVMTypeOf(i)) != LLVMVoidTypeKind;
    if (LLVMIsACallInst(i))
        return has_value && (lw__spmd_is_native(i) || !strncmp(lw__ir_callee(i), "llvm.", 5));
    return (lw__ir_is_arith(i) && !lw__ir_may_trap(i)) || LLVMIsAGetElementPtrInst(i);
}

/* True if the block only computes values, and `branch` is its only predecessor; *join: its
 * successor. */
static bool is_arm(LLVMBasicBlockRef arm, LLVMBasicBlockRef branch, LLVMBasicBlockRef *join)
{
    LLVMValueRef end = LLVMGetBasicBlockTerminator(arm);
    unsigned n = 0;
    EACH_USE(u, LLVMBasicBlockAsValue(arm))
        if (LLVMGetUser(u) != LLVMGetBasicBlockTerminator(branch) || n++)
            return false;
    if (LLVMGetNumSuccessors(end) != 1)
        return false;
    n = 0;
    for (LLVMValueRef i = LLVMGetFirstInstruction(arm); i != end; i = LLVMGetNextInstruction(i))
        if (!is_pure(i) || ++n > ARM_MAX)
            return false;
    *join = LLVMGetSuccessor(end, 0);
    return true;
}

/* Which successors of the branch are arms; the others are the join itself. False: it is no such
 * branch. */
static bool find_arms(LLVMBasicBlockRef branch, bool is[2], LLVMBasicBlockRef *join)
{
    LLVMValueRef end = LLVMGetBasicBlockTerminator(branch);
    LLVMBasicBlockRef to[2], behind[2];
    if (LLVMGetNumSuccessors(end) != 2 || !lw__is_thread_index_expr(LLVMGetCondition(end)))
        return false;
    for (unsigned k = 0; k < 2; k++) {
        to[k] = behind[k] = LLVMGetSuccessor(end, k);
        is[k] = is_arm(to[k], branch, &behind[k]);
    }
    for (unsigned k = 0; k < 2; k++) /* an edge without an arm leads to the join of the other */
        if (is[!k] && is[k] && to[k] == behind[!k])
            is[k] = false, behind[k] = to[k];
    *join = behind[0];
    return to[0] != to[1] && (is[0] || is[1]) && behind[0] == behind[1] && *join != branch &&
           !lw__prepare_decides_by_edge(*join);
}

/* Remove the arms' incoming values from the phi, and add the select, from the branch. */
static void choose(LLVMBuilderRef b, LLVMValueRef phi, LLVMBasicBlockRef branch,
                   LLVMBasicBlockRef const from[2])
{
    LLVMValueRef end = LLVMGetBasicBlockTerminator(branch);
    LLVMPositionBuilderBefore(b, end);
    LLVMValueRef v = LLVMBuildSelect(b, LLVMGetCondition(end), lw__ir_incoming(phi, from[0]),
                                     lw__ir_incoming(phi, from[1]), "");
    LLVMPositionBuilderBefore(b, phi);
    LLVMValueRef less = LLVMBuildPhi(b, LLVMTypeOf(phi), "");
    LLVMAddIncoming(less, &v, &branch, 1);
    for (unsigned k = 0; k < LLVMCountIncoming(phi); k++) {
        LLVMBasicBlockRef block = LLVMGetIncomingBlock(phi, k);
        LLVMValueRef other = LLVMGetIncomingValue(phi, k);
        if (block != from[0] && block != from[1])
            LLVMAddIncoming(less, &other, &block, 1);
    }
    LLVMReplaceAllUsesWith(phi, less);
    LLVMInstructionEraseFromParent(phi);
}

/* lw__prepare_if_convert - from the last block to the first: inner branches precede outer ones. */
void lw__prepare_if_convert(LLVMValueRef function)
{
    LLVMContextRef context = LLVMGetModuleContext(LLVMGetGlobalParent(function));
    LLVMBuilderRef b = LLVMCreateBuilderInContext(context);
    LLVMBasicBlockRef join, branch = LLVMGetLastBasicBlock(function);
    bool is[2];
    while (branch) {
        if (find_arms(branch, is, &join)) {
            /* Both arms are hoisted before the branch; selects choose between their values. */
            LLVMValueRef next, end = LLVMGetBasicBlockTerminator(branch);
            LLVMBasicBlockRef from[2];
            for (unsigned k = 0; k < 2; k++) {
                from[k] = is[k] ? LLVMGetSuccessor(end, k) : branch;
                LLVMValueRef i = is[k] ? LLVMGetFirstInstruction(from[k]) : NULL;
                for (; i && !LLVMIsATerminatorInst(i); i = next) {
                    next = LLVMGetNextInstruction(i);
                    LLVMPositionBuilderBefore(b, end);
                    lw__ir_move(i, b);
                }
            }
            EACH_PHI_SAFE(phi, join) {
                choose(b, phi, branch, from);
            }
            LLVMPositionBuilderBefore(b, end);
            LLVMBuildBr(b, join);
            LLVMInstructionEraseFromParent(end);
            for (unsigned k = 0; k < 2; k++)
                if (is[k])
                    LLVMDeleteBasicBlock(from[k]);
            branch = LLVMGetLastBasicBlock(function);
        } else {
            branch = LLVMGetPreviousBasicBlock(branch);
        }
    }
    LLVMDisposeBuilder(b);
}
