/* clamped.c - loads of neighbours whose index is clamped: a row, but at an edge.
 *
 *     west = image[y * width + max(x - 1, 0)];
 *
 * Only the lanes of one piece in a row are clamped, and all others are neighbours. Where what is
 * chosen from are rows or one number for all lanes, the addresses are a row nearly always. Scalars
 * mostly tell that: the first and the last lane's number are on one side of the bound. Else the
 * addresses are compared with those of a row from the first lane's: then it is one vector, else a
 * gather. Under a mask its lanes alone count there.
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

/* True if it adds its operands, or makes one wider. */
static bool adds(LLVMValueRef v)
{
    switch (LLVMGetInstructionOpcode(v)) {
    case LLVMAdd:
    case LLVMSub:
    case LLVMSExt:
    case LLVMZExt:
    case LLVMGetElementPtr: return true;
    default: return false;
    }
}

/* Sums of clamps and what is known. */
static bool is_sum(const struct lw__spmd *s, LLVMValueRef v, unsigned depth)
{
    if (is_known(s, v))
        return true;
    if (!LLVMIsAInstruction(v) || depth > DEPTH_MAX)
        return false;
    if (!adds(v))
        return is_clamp(s, v);
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

/* ---- by scalars ------------------------------------------------------------------------------ */

/* A number of the lanes of a piece, if nothing is clamped in it: lane l has first + l * stride. */
struct line {
    LLVMValueRef first;
    int64_t stride;
};

struct lines {
    struct lw__spmd *s;
    LLVMBasicBlockRef block; /* of the access */
    uint32_t piece;
    LLVMValueRef holds; /* i1: the numbers are lines; NULL: they always are */
};

static void require(struct lines *k, LLVMIntPredicate p, LLVMValueRef a, LLVMValueRef b)
{
    LLVMBuilderRef builder = k->s->builder;
    LLVMValueRef holds = LLVMBuildICmp(builder, p, a, b, "");
    k->holds = k->holds ? LLVMBuildAnd(builder, k->holds, holds, "") : holds;
}

static LLVMValueRef last_of(const struct lines *k, struct line line)
{
    const uint64_t far = (uint64_t)line.stride * (k->s->width - 1);
    return LLVMBuildAdd(k->s->builder, line.first, LLVMConstInt(LLVMTypeOf(line.first), far, true),
                        "");
}

/* No number of it wraps around in between. */
static void require_order(struct lines *k, struct line line, bool is_signed)
{
    LLVMValueRef last = last_of(k, line);
    if (line.stride)
        require(k,
                line.stride > 0 ? is_signed ? LLVMIntSGE : LLVMIntUGE
                : is_signed     ? LLVMIntSLE
                                : LLVMIntULE,
                last, line.first);
}

static bool line_of(struct lines *k, LLVMValueRef v, unsigned depth, struct line *line);

/* The one that varies is not clamped if neither its first nor its last number is. */
static bool line_of_clamp(struct lines *k, LLVMValueRef v, unsigned depth, struct line *line)
{
    static const struct {
        enum lw__intrinsic of;
        LLVMIntPredicate keeps;
        bool is_signed;
    } clamps[] = {{LW_LLVM_smax, LLVMIntSGE, true},
                  {LW_LLVM_smin, LLVMIntSLE, true},
                  {LW_LLVM_umax, LLVMIntUGE, false},
                  {LW_LLVM_umin, LLVMIntULE, false},
                  {LW_LLVM_usub_sat, LLVMIntUGE, false}};
    size_t n = 0;
    struct line sides[2];
    while (n < sizeof clamps / sizeof *clamps && !lw__ir_calls(v, clamps[n].of))
        n++;
    if (n == sizeof clamps / sizeof *clamps ||
        !line_of(k, LLVMGetOperand(v, 0), depth, &sides[0]) ||
        !line_of(k, LLVMGetOperand(v, 1), depth, &sides[1]))
        return false;
    const bool subtracts = clamps[n].of == LW_LLVM_usub_sat, second = !sides[0].stride;
    const struct line kept = sides[second], bound = sides[!second];
    if (bound.stride || (subtracts && second))
        return false;
    require_order(k, kept, clamps[n].is_signed);
    require(k, clamps[n].keeps, kept.first, bound.first);
    require(k, clamps[n].keeps, last_of(k, kept), bound.first);
    *line = kept;
    if (subtracts)
        line->first = LLVMBuildSub(k->s->builder, kept.first, bound.first, "");
    return true;
}

/* The same of a choice by an order: it is made alike for the first and the last lane. */
static bool line_of_choice(struct lines *k, LLVMValueRef v, unsigned depth, struct line *line)
{
    LLVMValueRef compare = LLVMGetOperand(v, 0);
    struct line a, b, arms[2];
    if (!LLVMIsAICmpInst(compare) || !lw__ir_is_order(LLVMGetICmpPredicate(compare)) ||
        !line_of(k, LLVMGetOperand(compare, 0), depth, &a) ||
        !line_of(k, LLVMGetOperand(compare, 1), depth, &b) || !a.stride == !b.stride ||
        !line_of(k, LLVMGetOperand(v, 1), depth, &arms[0]) ||
        !line_of(k, LLVMGetOperand(v, 2), depth, &arms[1]))
        return false;
    const bool second = !arms[0].stride;
    LLVMIntPredicate p = LLVMGetICmpPredicate(compare);
    p = second ? lw__ir_inverse(p) : p;
    p = a.stride ? p : lw__ir_swapped(p);
    const struct line moves = a.stride ? a : b, bound = a.stride ? b : a;
    require_order(k, moves, p >= LLVMIntSGT);
    require(k, p, moves.first, bound.first);
    require(k, p, last_of(k, moves), bound.first);
    *line = arms[second];
    return true;
}

static bool line_of_sum(struct lines *k, LLVMValueRef v, unsigned depth, struct line *line)
{
    LLVMBuilderRef b = k->s->builder;
    const LLVMOpcode op = LLVMGetInstructionOpcode(v);
    const bool extends = op == LLVMSExt || op == LLVMZExt;
    struct line x, y = {NULL, 0};
    if ((!extends && LLVMGetNumOperands(v) != 2) || !line_of(k, LLVMGetOperand(v, 0), depth, &x) ||
        (!extends && !line_of(k, LLVMGetOperand(v, 1), depth, &y)))
        return false;
    if (extends) {
        require_order(k, x, op == LLVMSExt);
        *line = (struct line){LLVMBuildCast(b, op, x.first, LLVMTypeOf(v), ""), x.stride};
    } else if (op == LLVMGetElementPtr) {
        const int64_t size = (int64_t)LLVMABISizeOfType(k->s->data, LLVMGetGEPSourceElementType(v));
        LLVMTypeRef type = LLVMGetGEPSourceElementType(v);
        if (lw__private_scale(k->s->facts, v) != 1 || LLVMTypeOf(y.first) != k->s->i64)
            return false;
        *line = (struct line){LLVMBuildGEP2(b, type, x.first, &y.first, 1, ""),
                              x.stride + y.stride * size};
    } else {
        const bool minus = op == LLVMSub;
        *line = (struct line){LLVMBuildBinOp(b, op, x.first, y.first, ""),
                              minus ? x.stride - y.stride : x.stride + y.stride};
    }
    return true;
}

static bool line_of(struct lines *k, LLVMValueRef v, unsigned depth, struct line *line)
{
    const struct lw__facts *facts = k->s->facts;
    int64_t stride;
    if (is_known(k->s, v)) {
        if (!lw__shape_piece_stride(facts, lw__shape_of(facts, v), k->piece, &stride))
            return false;
        *line = (struct line){lw__spmd_base(k->s, v, k->piece), stride};
        return true;
    }
    /* Of another block's instruction the operands may be lost, or a later iteration's. */
    if (!LLVMIsAInstruction(v) || depth > DEPTH_MAX || LLVMGetInstructionParent(v) != k->block)
        return false;
    if (adds(v))
        return line_of_sum(k, v, depth + 1, line);
    return LLVMIsASelectInst(v) ? line_of_choice(k, v, depth + 1, line)
                                : line_of_clamp(k, v, depth + 1, line);
}

/* ---- by vectors ------------------------------------------------------------------------------ */

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

static LLVMValueRef load_row(struct lw__spmd *s, const struct lw__access *a, LLVMValueRef first,
                             LLVMValueRef mask)
{
    LLVMTypeRef vector = lw__spmd_vector_type(s, a->moved), types[2] = {vector, s->ptr};
    LLVMValueRef args[4] = {first, lw__spmd_const32(s, a->align), mask, LLVMConstNull(vector)};
    return lw__llvm_intrinsic(s->builder, s->module, LW_LLVM_masked_load, types, args, 4);
}

LLVMValueRef lw__clamped_load(struct lw__spmd *s, const struct lw__access *a, LLVMValueRef mask)
{
    LLVMTypeRef vector = lw__spmd_vector_type(s, a->moved);
    LLVMBasicBlockRef on = lw__builder_new_block(s, ""), from[3];
    LLVMValueRef values[3], where = lw__spmd_vector(s, a->address, a->piece);
    struct lines lines = {
        .s = s, .block = LLVMGetInstructionParent(a->instruction), .piece = a->piece};
    struct line line;
    unsigned count = 0;
    if (line_of(&lines, a->address, 0, &line) && line.stride == (int64_t)a->size && lines.holds) {
        LLVMBasicBlockRef inside = lw__builder_new_block(s, "inside"),
                          clamped = lw__builder_new_block(s, "clamped");
        LLVMValueRef fails = LLVMBuildNot(s->builder, lines.holds, "");
        fails = LLVMBuildFreeze(s->builder, fails, ""); /* of a lane that is masked off */
        lw__ir_set_rare(LLVMBuildCondBr(s->builder, fails, clamped, inside));
        s->unit->has_clamps = true;
        LLVMPositionBuilderAtEnd(s->builder, inside);
        values[count] = load_row(s, a, line.first, mask);
        from[count++] = inside;
        LLVMBuildBr(s->builder, on);
        LLVMPositionBuilderAtEnd(s->builder, clamped);
    }
    LLVMValueRef first = LLVMBuildExtractElement(s->builder, where, lw__spmd_const32(s, 0), "");
    LLVMBasicBlockRef row = lw__builder_new_block(s, "row"),
                      edge = lw__builder_new_block(s, "edge");
    LLVMBuildCondBr(s->builder, is_row(s, a, where, first), row, edge);
    LLVMPositionBuilderAtEnd(s->builder, row);
    values[count] = load_row(s, a, first, mask);
    from[count++] = row;
    LLVMBuildBr(s->builder, on);
    LLVMPositionBuilderAtEnd(s->builder, edge);
    LLVMTypeRef types[2] = {vector, LLVMTypeOf(where)};
    LLVMValueRef args[4] = {where, lw__spmd_const32(s, a->align), mask, LLVMConstNull(vector)};
    values[count] =
        lw__llvm_intrinsic(s->builder, s->module, LW_LLVM_masked_gather, types, args, 4);
    from[count++] = edge;
    LLVMBuildBr(s->builder, on);
    LLVMPositionBuilderAtEnd(s->builder, on);
    LLVMValueRef phi = LLVMBuildPhi(s->builder, vector, "");
    LLVMAddIncoming(phi, values, from, count);
    return phi;
}
