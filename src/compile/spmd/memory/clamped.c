/* clamped.c - loads of neighbours whose index is clamped: a row, but at an edge.
 *
 *     west = image[y * width + max(x - 1, 0)];
 *
 * Only the lanes of one piece in a row are clamped, and all others are neighbours. So the addresses
 * are compared with those of a row from the first lane's: then it is one vector, else a gather. The
 * comparison is worth it where what is chosen from are rows or one number for all lanes, since then
 * the addresses are a row nearly always. Under a mask its lanes alone count.
 */
#include "compile/spmd/memory/memory.h"
#include "compile/llvm/llvm.h"
#include "compile/spmd/analysis/analysis.h"
#include "compile/spmd/emit/emit.h"

enum { DEPTH_MAX = 8 };

static bool is_known(const struct lw__spmd *s, LLVMValueRef v)
{
    return lw__shape_of(s->facts, v).kind != LW_SHAPE_VARYING;
}

/* A choice between numbers that are known but for one of the gang. */
static bool is_clamp(const struct lw__spmd *s, LLVMValueRef v)
{
    if (LLVMIsASelectInst(v))
        return is_known(s, LLVMGetOperand(v, 1)) && is_known(s, LLVMGetOperand(v, 2));
    return (lw__ir_calls(v, LW_LLVM_usub_sat) || lw__ir_calls(v, LW_LLVM_smin) ||
            lw__ir_calls(v, LW_LLVM_smax) || lw__ir_calls(v, LW_LLVM_umin) ||
            lw__ir_calls(v, LW_LLVM_umax)) &&
           is_known(s, LLVMGetOperand(v, 0)) && is_known(s, LLVMGetOperand(v, 1));
}

/* Sums of clamps and what is known. */
static bool is_sum(const struct lw__spmd *s, LLVMValueRef v, unsigned depth)
{
    if (is_known(s, v))
        return true;
    if (!LLVMIsAInstruction(v) || depth > DEPTH_MAX)
        return false;
    switch (LLVMGetInstructionOpcode(v)) {
    case LLVMAdd:
    case LLVMSub:
    case LLVMSExt:
    case LLVMZExt:
    case LLVMGetElementPtr: break;
    default: return is_clamp(s, v);
    }
    for (unsigned k = 0; k < (unsigned)LLVMGetNumOperands(v); k++)
        if (!is_sum(s, LLVMGetOperand(v, k), depth + 1))
            return false;
    return true;
}

bool lw__access_is_clamped(const struct lw__spmd *s, const struct lw__access *a)
{
    return !a->constant && a->count == s->width && (a->size == 4 || a->size == 8) &&
           lw__has(s->unit, LW_HAS_MASK_REGISTERS) && is_sum(s, a->address, 0);
}

/* Are the active lanes' addresses a row? */
static LLVMValueRef is_row(struct lw__spmd *s, const struct lw__access *a, LLVMValueRef where,
                           LLVMValueRef first)
{
    int64_t distance[LW_LANES_MAX];
    for (uint32_t l = 0; l < s->width; l++)
        distance[l] = (int64_t)l * a->size;
    LLVMTypeRef numbers = lw__spmd_vector_type(s, s->i64);
    LLVMValueRef bytes = lw__spmd_const_lanes(s, s->i64, distance);
    LLVMValueRef row = LLVMBuildGEP2(s->builder, s->i8, first, &bytes, 1, "");
    LLVMValueRef apart =
        LLVMBuildICmp(s->builder, LLVMIntNE, LLVMBuildPtrToInt(s->builder, where, numbers, ""),
                      LLVMBuildPtrToInt(s->builder, row, numbers, ""), "");
    if (a->mask)
        apart = LLVMBuildAnd(s->builder, apart, a->mask, "");
    return LLVMBuildNot(s->builder, lw__mask_piece_any(s, apart), "");
}

LLVMValueRef lw__clamped_load(struct lw__spmd *s, const struct lw__access *a, LLVMValueRef mask)
{
    LLVMValueRef where = lw__spmd_vector(s, a->address, a->piece);
    LLVMTypeRef vector = lw__spmd_vector_type(s, a->moved), types[2] = {vector, s->ptr};
    LLVMValueRef align = lw__spmd_const32(s, a->align);
    LLVMValueRef first = LLVMBuildExtractElement(s->builder, where, lw__spmd_const32(s, 0), "");
    LLVMBasicBlockRef row = lw__builder_new_block(s, "row"),
                      edge = lw__builder_new_block(s, "edge"), on = lw__builder_new_block(s, "");
    LLVMBuildCondBr(s->builder, is_row(s, a, where, first), row, edge);
    LLVMPositionBuilderAtEnd(s->builder, row);
    LLVMValueRef args[4] = {first, align, mask, LLVMConstNull(vector)}, values[2];
    values[0] = lw__llvm_intrinsic(s->builder, s->module, LW_LLVM_masked_load, types, args, 4);
    LLVMBuildBr(s->builder, on);
    LLVMPositionBuilderAtEnd(s->builder, edge);
    types[1] = LLVMTypeOf(where);
    args[0] = where;
    values[1] = lw__llvm_intrinsic(s->builder, s->module, LW_LLVM_masked_gather, types, args, 4);
    LLVMBuildBr(s->builder, on);
    LLVMPositionBuilderAtEnd(s->builder, on);
    LLVMValueRef phi = LLVMBuildPhi(s->builder, vector, "");
    LLVMAddIncoming(phi, values, (LLVMBasicBlockRef[]){row, edge}, 2);
    return phi;
}
