/* conditions.c - conditions that scalars decide: linear values compared with uniform ones. */
#include "compile/spmd/analysis/analysis.h"

enum { STRIDE_MAX = 1 << 16 }; /* so that it does not wrap around twice in a piece */

static bool is_bit(LLVMValueRef v)
{
    return LLVMGetTypeKind(LLVMTypeOf(v)) == LLVMIntegerTypeKind &&
           LLVMGetIntTypeWidth(LLVMTypeOf(v)) == 1;
}

static void keep_for_agreement(struct lw__facts *facts, LLVMValueRef v, unsigned depth)
{
    uint32_t index = lw__spmd_value_index(facts, v);
    if (index == UINT32_MAX || depth > LW_CONDITION_DEPTH)
        return;
    facts->uses[index].crosses = true;
    if (!lw__control_is_condition(v))
        return;
    for (int k = 0; k < LLVMGetNumOperands(v); k++)
        keep_for_agreement(facts, LLVMGetOperand(v, (unsigned)k),
                           LLVMIsAICmpInst(v) ? LW_CONDITION_DEPTH : depth + 1);
}

void lw__spmd_keep_conditions(struct lw__facts *facts)
{
    for (uint32_t b = 0; b < facts->cfg.count; b++) {
        LLVMValueRef condition = lw__cfg_condition(&facts->cfg, b);
        if (condition)
            keep_for_agreement(facts, condition, 0);
        EACH_INSTRUCTION(i, facts->cfg.blocks[b])
            if (lw__ir_guards(i))
                keep_for_agreement(facts, LLVMGetOperand(i, LW_GUARD_FAILS), 0);
    }
}

/* True if only branches use it, or conditions that only branches use. */
static bool is_asked_by_branches(const struct lw__facts *facts, LLVMValueRef v, unsigned depth)
{
    if (depth > LW_CONDITION_DEPTH || !is_bit(v) || lw__spmd_value_index(facts, v) == UINT32_MAX)
        return false;
    EACH_USE(u, v) {
        LLVMValueRef user = LLVMGetUser(u);
        if (!LLVMIsABranchInst(user) && (!lw__control_is_linear(facts, user, 0) ||
                                         !is_asked_by_branches(facts, user, depth + 1)))
            return false;
    }
    return true;
}

void lw__spmd_defer_conditions(struct lw__facts *facts)
{
    for (uint32_t b = 0; b < facts->cfg.count; b++)
        EACH_INSTRUCTION(i, facts->cfg.blocks[b]) {
            const uint32_t index = lw__spmd_value_index(facts, i);
            if (index != UINT32_MAX && facts->shapes[index].kind != LW_SHAPE_OFFSET &&
                lw__control_is_linear(facts, i, 0) && is_asked_by_branches(facts, i, 0) &&
                !lw__spmd_live_across_exit(facts, i))
                facts->uses[index].deferred = true;
        }
}

bool lw__spmd_is_deferred(const struct lw__facts *facts, LLVMValueRef v)
{
    const uint32_t index = lw__spmd_value_index(facts, v);
    return index != UINT32_MAX && facts->uses[index].deferred;
}

bool lw__spmd_is_linear_in_pieces(const struct lw__facts *facts, LLVMValueRef x, LLVMValueRef y)
{
    struct lw__value_shape a = lw__shape_of(facts, x), b = lw__shape_of(facts, y);
    LLVMTypeRef type = LLVMTypeOf(x);
    int64_t of_x, of_y;
    return (a.kind == LW_SHAPE_PIECE || b.kind == LW_SHAPE_PIECE) &&
           LLVMGetTypeKind(type) == LLVMIntegerTypeKind && LLVMGetIntTypeWidth(type) >= 32 &&
           lw__shape_as_piece(facts, a, &of_x) && lw__shape_as_piece(facts, b, &of_y) && !of_y &&
           of_x > -STRIDE_MAX && of_x < STRIDE_MAX;
}

bool lw__control_is_condition(LLVMValueRef v)
{
    return is_bit(v) && lw__ir_is_logic(v);
}

bool lw__control_is_linear(const struct lw__facts *facts, LLVMValueRef c, unsigned depth)
{
    if (lw__is_uniform(facts, c))
        return true;
    if (!lw__control_is_condition(c) || depth > LW_CONDITION_DEPTH)
        return false;
    if (LLVMIsAICmpInst(c)) {
        LLVMValueRef x = LLVMGetOperand(c, 0), y = LLVMGetOperand(c, 1);
        struct lw__value_shape a = lw__shape_of(facts, x), b = lw__shape_of(facts, y);
        return (a.kind == LW_SHAPE_OFFSET && lw__shape_is_uniform(facts, b)) ||
               (b.kind == LW_SHAPE_OFFSET && lw__shape_is_uniform(facts, a)) ||
               (lw__ir_is_order(LLVMGetICmpPredicate(c)) &&
                (lw__spmd_is_linear_in_pieces(facts, x, y) ||
                 lw__spmd_is_linear_in_pieces(facts, y, x)));
    }
    for (int k = 0; k < LLVMGetNumOperands(c); k++)
        if (!lw__control_is_linear(facts, LLVMGetOperand(c, (unsigned)k), depth + 1))
            return false;
    return true;
}
