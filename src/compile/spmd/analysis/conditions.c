/* conditions.c - conditions that scalars decide: linear values compared with uniform ones. */
#include "compile/spmd/analysis/analysis.h"

enum { STRIDE_MAX = 1 << 16 }; /* so that it does not wrap around twice in a piece */

static void keep_for_agreement(struct lw__spmd *s, LLVMValueRef v, unsigned depth)
{
    uint32_t index = lw__spmd_value_index(s, v);
    if (index == UINT32_MAX || depth > LW_CONDITION_DEPTH)
        return;
    s->emitted[index].crosses = true;
    if (!lw__control_is_condition(s, v))
        return;
    for (int k = 0; k < LLVMGetNumOperands(v); k++)
        keep_for_agreement(s, LLVMGetOperand(v, (unsigned)k),
                           LLVMIsAICmpInst(v) ? LW_CONDITION_DEPTH : depth + 1);
}

void lw__spmd_keep_conditions(struct lw__spmd *s)
{
    for (uint32_t b = 0; b < s->cfg.count; b++) {
        LLVMValueRef condition = lw__cfg_condition(&s->cfg, b);
        if (condition)
            keep_for_agreement(s, condition, 0);
    }
}

/* True if only branches use it, or conditions that only branches use. */
static bool is_asked_by_branches(const struct lw__spmd *s, LLVMValueRef v, unsigned depth)
{
    if (depth > LW_CONDITION_DEPTH || LLVMTypeOf(v) != s->i1 ||
        lw__spmd_value_index(s, v) == UINT32_MAX)
        return false;
    for (LLVMUseRef u = LLVMGetFirstUse(v); u; u = LLVMGetNextUse(u)) {
        LLVMValueRef user = LLVMGetUser(u);
        if (!LLVMIsABranchInst(user) &&
            (!lw__control_is_linear(s, user, 0) || !is_asked_by_branches(s, user, depth + 1)))
            return false;
    }
    return true;
}

void lw__spmd_defer_conditions(struct lw__spmd *s)
{
    for (uint32_t b = 0; b < s->cfg.count; b++)
        for (LLVMValueRef i = LLVMGetFirstInstruction(s->cfg.blocks[b]); i;
             i = LLVMGetNextInstruction(i)) {
            const uint32_t index = lw__spmd_value_index(s, i);
            if (index != UINT32_MAX && s->shapes[index].kind != LW_SHAPE_OFFSET &&
                lw__control_is_linear(s, i, 0) && is_asked_by_branches(s, i, 0) &&
                !lw__spmd_live_across_exit(s, i))
                s->emitted[index].deferred = true;
        }
}

bool lw__spmd_is_deferred(const struct lw__spmd *s, LLVMValueRef v)
{
    const uint32_t index = lw__spmd_value_index(s, v);
    return index != UINT32_MAX && s->emitted[index].deferred;
}

bool lw__spmd_is_linear_in_pieces(const struct lw__spmd *s, LLVMValueRef x, LLVMValueRef y)
{
    struct lw__value_shape a = lw__shape_of(s, x), b = lw__shape_of(s, y);
    LLVMTypeRef type = LLVMTypeOf(x);
    int64_t of_x, of_y;
    return (a.kind == LW_SHAPE_PIECE || b.kind == LW_SHAPE_PIECE) &&
           LLVMGetTypeKind(type) == LLVMIntegerTypeKind && LLVMGetIntTypeWidth(type) >= 32 &&
           lw__shape_as_piece(s, a, &of_x) && lw__shape_as_piece(s, b, &of_y) && !of_y &&
           of_x > -STRIDE_MAX && of_x < STRIDE_MAX;
}

bool lw__control_is_condition(const struct lw__spmd *s, LLVMValueRef v)
{
    return LLVMTypeOf(v) == s->i1 && lw__ir_is_logic(v);
}

bool lw__control_is_linear(const struct lw__spmd *s, LLVMValueRef c, unsigned depth)
{
    if (lw__shape_is_uniform(s, lw__shape_of(s, c)))
        return true;
    if (!lw__control_is_condition(s, c) || depth > LW_CONDITION_DEPTH)
        return false;
    if (LLVMIsAICmpInst(c)) {
        LLVMValueRef x = LLVMGetOperand(c, 0), y = LLVMGetOperand(c, 1);
        struct lw__value_shape a = lw__shape_of(s, x), b = lw__shape_of(s, y);
        return (a.kind == LW_SHAPE_OFFSET && lw__shape_is_uniform(s, b)) ||
               (b.kind == LW_SHAPE_OFFSET && lw__shape_is_uniform(s, a)) ||
               (lw__ir_is_order(LLVMGetICmpPredicate(c)) &&
                (lw__spmd_is_linear_in_pieces(s, x, y) || lw__spmd_is_linear_in_pieces(s, y, x)));
    }
    for (int k = 0; k < LLVMGetNumOperands(c); k++)
        if (!lw__control_is_linear(s, LLVMGetOperand(c, (unsigned)k), depth + 1))
            return false;
    return true;
}
