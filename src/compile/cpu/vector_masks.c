/* vector_masks.c - between blocks, masks are words, with a lane's bit in its sign.
 *
 * LLVM's code generator works on one block at a time. Without mask registers it keeps a <8 x i1>
 * between two blocks as 16 bits a lane: it packs each comparison's result into half a register and
 * unpacks it again. Words are what comparisons produce and blends need.
 */
#include "compile/cpu/cpu.h"
#include "compile/llvm/llvm.h"

bool lw__cpu_is_mask(LLVMValueRef v)
{
    LLVMTypeRef type = LLVMTypeOf(v);
    return LLVMGetTypeKind(type) == LLVMVectorTypeKind &&
           LLVMGetTypeKind(LLVMGetElementType(type)) == LLVMIntegerTypeKind &&
           LLVMGetIntTypeWidth(LLVMGetElementType(type)) == 1;
}

static LLVMTypeRef words_for(LLVMValueRef mask)
{
    LLVMTypeRef type = LLVMTypeOf(mask);
    return LLVMVectorType(LLVMInt32TypeInContext(LLVMGetTypeContext(type)),
                          LLVMGetVectorSize(type));
}

static LLVMValueRef behind_phis(LLVMBasicBlockRef block)
{
    LLVMValueRef i = LLVMGetFirstInstruction(block);
    while (LLVMIsAPHINode(i))
        i = LLVMGetNextInstruction(i);
    return i;
}

static LLVMValueRef signs(LLVMBuilderRef b, LLVMValueRef words)
{
    return LLVMBuildICmp(b, LLVMIntSLT, words, LLVMConstNull(LLVMTypeOf(words)), "");
}

/* Words with the mask in their signs, if `i` computes the mask from such; else NULL. */
static LLVMValueRef words_compared(LLVMValueRef i)
{
    if (!LLVMIsAICmpInst(i) || LLVMGetICmpPredicate(i) != LLVMIntSLT || !lw__cpu_is_mask(i) ||
        LLVMTypeOf(LLVMGetOperand(i, 0)) != words_for(i) || !LLVMIsNull(LLVMGetOperand(i, 1)))
        return NULL;
    return LLVMGetOperand(i, 0);
}

/* Words with the mask in their signs. */
static LLVMValueRef words_of(LLVMBuilderRef b, LLVMValueRef mask)
{
    LLVMTypeRef type = words_for(mask);
    if (!LLVMIsAInstruction(mask))
        return LLVMBuildSExt(b, mask, type, "");
    if (words_compared(mask))
        return words_compared(mask);
    LLVMValueRef next = LLVMGetNextInstruction(mask);
    if (LLVMIsASExtInst(next) && LLVMGetOperand(next, 0) == mask && LLVMTypeOf(next) == type)
        return next;
    LLVMPositionBuilderBefore(b, next);
    return LLVMBuildSExt(b, mask, type, "");
}

/* A phi of words before each phi of a mask, whose uses it takes. It has no operands yet, as
 * these may be such phis. */
static void replace_uses(LLVMBuilderRef b, LLVMBasicBlockRef block)
{
    LLVMValueRef first = behind_phis(block);
    EACH_PHI_SAFE(phi, block) {
        if (!lw__cpu_is_mask(phi))
            continue;
        LLVMPositionBuilderBefore(b, phi);
        LLVMValueRef words = LLVMBuildPhi(b, words_for(phi), "");
        LLVMPositionBuilderBefore(b, first);
        LLVMReplaceAllUsesWith(phi, signs(b, words));
    }
}

static void replace_phis(LLVMBuilderRef b, LLVMBasicBlockRef block)
{
    EACH_PHI_SAFE(phi, block) {
        if (!lw__cpu_is_mask(phi))
            continue;
        LLVMValueRef words = LLVMGetPreviousInstruction(phi);
        for (unsigned k = 0; k < LLVMCountIncoming(phi); k++) {
            LLVMBasicBlockRef from = LLVMGetIncomingBlock(phi, k);
            LLVMValueRef v = words_of(b, LLVMGetIncomingValue(phi, k));
            LLVMAddIncoming(words, &v, &from, 1);
        }
        LLVMInstructionEraseFromParent(phi);
    }
}

/* The mask in another block: computed from its words at that block's start. */
static LLVMValueRef mask_in(LLVMBuilderRef b, LLVMValueRef words, LLVMBasicBlockRef block)
{
    LLVMValueRef first = behind_phis(block);
    for (LLVMValueRef i = first; words_compared(i); i = LLVMGetNextInstruction(i))
        if (words_compared(i) == words)
            return i;
    LLVMPositionBuilderBefore(b, first);
    return signs(b, words);
}

static void replace_uses_elsewhere(LLVMBuilderRef b, LLVMValueRef mask)
{
    LLVMBasicBlockRef here = LLVMGetInstructionParent(mask);
    for (LLVMUseRef use = LLVMGetFirstUse(mask), next; use; use = next) {
        LLVMValueRef user = LLVMGetUser(use);
        next = LLVMGetNextUse(use);
        if (LLVMGetInstructionParent(user) == here || LLVMIsAPHINode(user))
            continue;
        LLVMValueRef there = mask_in(b, words_of(b, mask), LLVMGetInstructionParent(user));
        for (int k = 0; k < LLVMGetNumOperands(user); k++)
            if (LLVMGetOperand(user, (unsigned)k) == mask)
                LLVMSetOperand(user, (unsigned)k, there);
        next = LLVMGetFirstUse(mask); /* the user may have had more than one use */
    }
}

/* True for an operation on bits, of its first operand and operand *other. a && b and a || b are
 * selects, whose b may be poison where a decides. */
static bool is_bitwise(LLVMValueRef i, LLVMOpcode *op, unsigned *other)
{
    *op = LLVMGetInstructionOpcode(i);
    *other = 1;
    if (*op != LLVMSelect || !lw__cpu_is_mask(LLVMGetOperand(i, 0)))
        return *op == LLVMAnd || *op == LLVMOr || *op == LLVMXor;
    LLVMValueRef yes = LLVMGetOperand(i, 1), no = LLVMGetOperand(i, 2);
    const bool both = LLVMIsConstant(no) && LLVMIsNull(no),
               either = yes == LLVMConstAllOnes(LLVMTypeOf(yes));
    *op = both ? LLVMAnd : LLVMOr;
    *other = both ? 1 : 2;
    return both || either;
}

/* A bitwise operation on words does the same to their signs: no comparison is needed. Returns the
 * mask. */
static LLVMValueRef operate_on_words(LLVMBuilderRef b, LLVMValueRef i)
{
    LLVMOpcode op;
    unsigned other;
    if (!is_bitwise(i, &op, &other))
        return i;
    LLVMValueRef x = LLVMGetOperand(i, 0), y = LLVMGetOperand(i, other);
    if (!words_compared(x) && !words_compared(y))
        return i;
    x = words_of(b, x);
    y = words_of(b, y);
    LLVMPositionBuilderBefore(b, i);
    y = LLVMIsASelectInst(i) ? LLVMBuildFreeze(b, y, "") : y;
    LLVMValueRef mask = signs(b, LLVMBuildBinOp(b, op, x, y, ""));
    LLVMReplaceAllUsesWith(i, mask);
    LLVMInstructionEraseFromParent(i);
    return mask;
}

void lw__cpu_masks_as_words(LLVMValueRef function)
{
    LLVMBuilderRef b = LLVMCreateBuilderInContext(LLVMGetTypeContext(LLVMTypeOf(function)));
    EACH_BLOCK(k, function)
        replace_uses(b, k);
    LLVMValueRef next;
    EACH_BLOCK(k, function)
        for (LLVMValueRef i = behind_phis(k); i; i = next) {
            next = LLVMGetNextInstruction(i);
            if (lw__cpu_is_mask(i))
                replace_uses_elsewhere(b, operate_on_words(b, i));
        }
    EACH_BLOCK(k, function)
        replace_phis(b, k);
    LLVMDisposeBuilder(b);
}
