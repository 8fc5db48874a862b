/* masked_select.c - a constant choice of lanes between two results becomes masked operations.
 *
 *     %least = ... min ...              vminps zmm2, zmm0, zmm1
 *     %most  = ... max ...      ->      vmaxps zmm2 {k1}, zmm0, zmm1
 *     shuffle %least, %most
 *
 * The code generator, like instcombine, takes such a choice for a shuffle. That needs one more
 * instruction; if pairs of lanes go together, even one that runs on a single port. A sorting
 * network is full of them. So the mask is hidden: it is a constant and x, x the sign of an address
 * that is never set. Only for AVX-512, which has masks, and if one of the results has no other use.
 */
#include "compile/cpu/cpu.h"
#include "compile/llvm/llvm.h"

enum { LANES = 16, MASKS_MAX = 32 };

struct choices {
    LLVMValueRef function, never; /* i16 */
    LLVMBuilderRef b;
    uint32_t count, lanes[MASKS_MAX];
    LLVMValueRef masks[MASKS_MAX];
};

/* True for a choice; *first: the lanes that come from the first operand. */
static bool is_choice(LLVMValueRef i, uint32_t *first)
{
    if (!LLVMIsAShuffleVectorInst(i) || LLVMGetVectorSize(LLVMTypeOf(i)) != LANES ||
        LLVMTypeOf(i) != LLVMTypeOf(LLVMGetOperand(i, 0)))
        return false;
    const uint32_t all = (1u << LANES) - 1;
    *first = 0;
    for (unsigned k = 0; k < LANES; k++) {
        const int from = LLVMGetMaskValue(i, k);
        if (from != LLVMGetUndefMaskElem() && from != (int)k && from != (int)k + LANES)
            return false;
        *first |= (uint32_t)(from == (int)k) << k;
    }
    return *first && *first != all;
}

static bool is_word(LLVMTypeRef type)
{
    const LLVMTypeKind kind = LLVMGetTypeKind(type);
    return kind == LLVMFloatTypeKind ||
           (kind == LLVMIntegerTypeKind && LLVMGetIntTypeWidth(type) == 32);
}

/* True for the smaller or the larger of two numbers. */
static bool is_extreme(LLVMValueRef i)
{
    if (!LLVMIsASelectInst(i) || !LLVMIsACmpInst(LLVMGetOperand(i, 0)))
        return false;
    LLVMValueRef compare = LLVMGetOperand(i, 0), x = LLVMGetOperand(compare, 0),
                 y = LLVMGetOperand(compare, 1), yes = LLVMGetOperand(i, 1),
                 no = LLVMGetOperand(i, 2);
    return (yes == x && no == y) || (yes == y && no == x);
}

/* True if it can write only some lanes, over the other result. */
static bool can_be_masked(LLVMValueRef v)
{
    LLVMUseRef use = LLVMGetFirstUse(v);
    if (!LLVMIsAInstruction(v) || !use || LLVMGetNextUse(use))
        return false;
    return is_extreme(v) || LLVMIsABinaryOperator(v);
}

static LLVMValueRef mask_of(struct choices *c, uint32_t lanes)
{
    LLVMContextRef context = LLVMGetTypeContext(LLVMTypeOf(c->function));
    LLVMTypeRef i16 = LLVMInt16TypeInContext(context);
    for (uint32_t k = 0; k < c->count; k++)
        if (c->lanes[k] == lanes)
            return c->masks[k];
    if (c->count == MASKS_MAX)
        return NULL;
    if (!c->never)
        c->never = LLVMBuildTrunc(c->b, lw__cpu_opaque_zero(c->b, c->function, true), i16, "");
    LLVMPositionBuilderBefore(c->b, LLVMGetNextInstruction(c->never));
    LLVMValueRef bits = LLVMBuildXor(c->b, c->never, LLVMConstInt(i16, lanes, 0), "");
    LLVMTypeRef mask = LLVMVectorType(LLVMInt1TypeInContext(context), LANES);
    c->lanes[c->count] = lanes;
    c->masks[c->count] = LLVMBuildBitCast(c->b, bits, mask, "");
    return c->masks[c->count++];
}

static void choose(struct choices *c, LLVMValueRef i, uint32_t first)
{
    LLVMValueRef a = LLVMGetOperand(i, 0), b = LLVMGetOperand(i, 1);
    const bool swaps = can_be_masked(b) && (!can_be_masked(a) || !(first & 1));
    if (!swaps && !can_be_masked(a))
        return;
    LLVMValueRef mask = mask_of(c, swaps ? first ^ ((1u << LANES) - 1) : first);
    if (!mask)
        return;
    LLVMPositionBuilderBefore(c->b, i);
    LLVMReplaceAllUsesWith(i, LLVMBuildSelect(c->b, mask, swaps ? b : a, swaps ? a : b, ""));
    LLVMInstructionEraseFromParent(i);
}

void lw__cpu_mask_choices(LLVMValueRef function)
{
    struct choices c = {.function = function};
    c.b = LLVMCreateBuilderInContext(LLVMGetTypeContext(LLVMTypeOf(function)));
    uint32_t first;
    EACH_INSTRUCTION_OF_SAFE(i, function) {
        if (is_choice(i, &first) && is_word(LLVMGetElementType(LLVMTypeOf(i))))
            choose(&c, i, first);
    }
    LLVMDisposeBuilder(c.b);
}
