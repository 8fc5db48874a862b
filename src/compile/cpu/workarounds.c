/* workarounds.c - what kernels must hide from LLVM's code generator: defects of LLVM 19.
 *
 * Each has its row in llvm/workarounds.def, with the issue and the test that shows it.
 */
#include "compile/cpu/cpu.h"
#include "compile/llvm/llvm.h"
#include <string.h>

LLVMValueRef lw__cpu_opaque_zero(LLVMBuilderRef b, LLVMValueRef function, bool all_bits)
{
    LLVMTypeRef i64 = LLVMInt64TypeInContext(LLVMGetTypeContext(LLVMTypeOf(function)));
    LLVMPositionBuilderBefore(b, LLVMGetFirstInstruction(LLVMGetEntryBasicBlock(function)));
    LLVMValueRef address = LLVMBuildPtrToInt(b, LLVMGetParam(function, 0), i64, "");
    return LLVMBuildBinOp(b, all_bits ? LLVMAShr : LLVMLShr, address, LLVMConstInt(i64, 63, 0), "");
}

/* A vector of this type with the value in all lanes. */
static LLVMValueRef splat(LLVMBuilderRef b, LLVMTypeRef type, LLVMValueRef v)
{
    LLVMTypeRef i32 = LLVMInt32TypeInContext(LLVMGetTypeContext(type));
    LLVMValueRef none = LLVMGetPoison(type),
                 one = LLVMBuildInsertElement(b, none, v, LLVMConstNull(i32), "");
    LLVMTypeRef lanes = LLVMVectorType(i32, LLVMGetVectorSize(type));
    return LLVMBuildShuffleVector(b, one, none, LLVMConstNull(lanes), "");
}

/* ---- masks of the lower eight of sixteen lanes ----------------------------------------------- */

/* LLVM 19 selects `kmovb %ka, %kb` to keep the lower eight of sixteen lanes and clear the others.
 * If the result is spilled, the spiller takes that instruction for a copy. It then stores all
 * sixteen bits of the operand. So LLVM must not see that the lanes are exactly these. The mask
 * becomes a comparison of the lanes' numbers with 8 + x. x is a bit of an address that is never
 * set. Masks of masked accesses are left out: such an access gets half the lanes instead.
 * instcombine has left the addresses of the others undefined. A gather from such addresses may
 * become an instruction that does not exist. */
enum { HALF = 8, LANES = 16 };

static LLVMValueRef half_mask(LLVMContextRef context)
{
    LLVMValueRef lanes[LANES];
    for (unsigned k = 0; k < LANES; k++)
        lanes[k] = LLVMConstInt(LLVMInt1TypeInContext(context), k < HALF, 0);
    return LLVMConstVector(lanes, LANES);
}

static LLVMValueRef make_half_mask(LLVMBuilderRef b, LLVMValueRef function)
{
    LLVMTypeRef i32 = LLVMInt32TypeInContext(LLVMGetTypeContext(LLVMTypeOf(function)));
    LLVMValueRef never = lw__cpu_opaque_zero(b, function, false), lanes[LANES];
    LLVMValueRef end =
        LLVMBuildAdd(b, LLVMBuildTrunc(b, never, i32, ""), LLVMConstInt(i32, HALF, 0), "");
    for (unsigned k = 0; k < LANES; k++)
        lanes[k] = LLVMConstInt(i32, k, 0);
    LLVMValueRef all = splat(b, LLVMVectorType(i32, LANES), end);
    return LLVMBuildICmp(b, LLVMIntULT, LLVMConstVector(lanes, LANES), all, "");
}

/* True for a shuffle of masks that takes lanes 0 ... 7 of the first and 8 ... 15 of the second. */
static bool joins_halves(LLVMValueRef i, LLVMTypeRef mask)
{
    if (!LLVMIsAShuffleVectorInst(i) || LLVMTypeOf(i) != mask ||
        LLVMTypeOf(LLVMGetOperand(i, 0)) != mask)
        return false;
    for (unsigned k = 0; k < LANES; k++)
        if (LLVMGetMaskValue(i, k) != (int)(k < HALF ? k : k + LANES))
            return false;
    return true;
}

static bool has_operand(LLVMValueRef i, LLVMValueRef v)
{
    for (int n = 0; n < LLVMGetNumOperands(i); n++)
        if (LLVMGetOperand(i, (unsigned)n) == v)
            return true;
    return false;
}

static void put_mask(LLVMBuilderRef b, LLVMValueRef i, LLVMValueRef constant, LLVMValueRef hidden)
{
    if (!joins_halves(i, LLVMTypeOf(constant))) {
        for (int n = 0; n < LLVMGetNumOperands(i); n++)
            if (LLVMGetOperand(i, (unsigned)n) == constant)
                LLVMSetOperand(i, (unsigned)n, hidden);
        return;
    }
    LLVMPositionBuilderBefore(b, i);
    LLVMReplaceAllUsesWith(
        i, LLVMBuildSelect(b, hidden, LLVMGetOperand(i, 0), LLVMGetOperand(i, 1), ""));
    LLVMInstructionEraseFromParent(i);
}

void lw__cpu_hide_half_masks(const struct lw__unit *unit, LLVMValueRef function)
{
    if (!lw__works_around(unit, LW_AROUND_half_masks))
        return;
    LLVMContextRef context = LLVMGetTypeContext(LLVMTypeOf(function));
    LLVMBuilderRef b = LLVMCreateBuilderInContext(context);
    LLVMValueRef constant = half_mask(context), hidden = NULL;
    EACH_INSTRUCTION_OF_SAFE(i, function) {
        if (LLVMIsACallInst(i) ||
            (!joins_halves(i, LLVMTypeOf(constant)) && !has_operand(i, constant)))
            continue;
        hidden = hidden ? hidden : make_half_mask(b, function);
        put_mask(b, i, constant, hidden);
    }
    LLVMDisposeBuilder(b);
}

/* ---- constants that decide single lanes ------------------------------------------------------ */

/* Two faults of LLVM 19 (llvm-project issues 129181 and 134602). A select between two constants
 * that differ by one becomes the mask as a number and an addition. It does so also where a lane of
 * one is poison, though that lane must be that of the other. The second: a lane of a constant may
 * decide the result alone, by 0 in `and` or all bits in `or`. LLVM leaves the other operand
 * undefined there, and then takes the result for undefined. So such constants are hidden, unless
 * all lanes decide, or none. A bit of an address that is never set is added to them. LLVM makes an
 * `and` of a product with 0 and 1. */

enum { LANES_MAX = 256 };

static bool is_constant_vector(LLVMValueRef v)
{
    return (LLVMIsAConstantDataVector(v) || LLVMIsAConstantVector(v)) &&
           LLVMGetVectorSize(LLVMTypeOf(v)) <= LANES_MAX;
}

static LLVMValueRef without_poison(LLVMValueRef v, LLVMValueRef other)
{
    LLVMValueRef lanes[LANES_MAX];
    const unsigned count = LLVMGetVectorSize(LLVMTypeOf(v));
    for (unsigned k = 0; k < count; k++) {
        lanes[k] = LLVMGetAggregateElement(v, k);
        if (LLVMIsUndef(lanes[k]))
            lanes[k] = LLVMGetAggregateElement(other, k);
    }
    return LLVMConstVector(lanes, count);
}

static void fill_choice(LLVMValueRef i)
{
    LLVMValueRef a = LLVMGetOperand(i, 1), b = LLVMGetOperand(i, 2);
    if (!is_constant_vector(a) || !is_constant_vector(b))
        return;
    LLVMSetOperand(i, 1, without_poison(a, b));
    LLVMSetOperand(i, 2, without_poison(b, a));
}

/* True if one lane of the constant decides alone, and another does not. */
static bool decides(LLVMOpcode op, LLVMValueRef constant)
{
    unsigned deciding = 0, all_one = 0;
    const unsigned count = LLVMGetVectorSize(LLVMTypeOf(constant));
    for (unsigned k = 0; k < count; k++) {
        LLVMValueRef v = LLVMGetAggregateElement(constant, k);
        const bool known = LLVMIsAConstantInt(v);
        deciding += op == LLVMOr ? known && LLVMConstIntGetSExtValue(v) == -1 : LLVMIsNull(v);
        all_one += known && LLVMConstIntGetZExtValue(v) == 1;
    }
    return deciding && deciding < count && (op != LLVMMul || deciding + all_one == count);
}

static void hide_constant(LLVMBuilderRef b, LLVMValueRef function, LLVMValueRef i,
                          LLVMValueRef *never)
{
    const LLVMOpcode op = LLVMGetInstructionOpcode(i);
    LLVMValueRef constant = LLVMGetOperand(i, 1);
    LLVMTypeRef type = LLVMTypeOf(constant);
    if ((op != LLVMAnd && op != LLVMOr && op != LLVMMul) || !is_constant_vector(constant) ||
        lw__cpu_is_mask(constant) || !decides(op, constant))
        return;
    if (!*never)
        *never = lw__cpu_opaque_zero(b, function, true);
    LLVMPositionBuilderBefore(b, LLVMGetNextInstruction(*never));
    LLVMValueRef bits = LLVMBuildIntCast2(b, *never, LLVMGetElementType(type), true, "");
    bits = splat(b, type, bits);
    LLVMSetOperand(i, 1, LLVMBuildXor(b, bits, constant, ""));
}

void lw__cpu_define_lanes(const struct lw__unit *unit, LLVMValueRef function)
{
    const bool fills = lw__works_around(unit, LW_AROUND_poison_choice);
    const bool hides = lw__works_around(unit, LW_AROUND_deciding_lane);
    LLVMBuilderRef b = LLVMCreateBuilderInContext(LLVMGetTypeContext(LLVMTypeOf(function)));
    LLVMValueRef never = NULL;
    EACH_INSTRUCTION_OF(i, function)
        if (fills && LLVMIsASelectInst(i))
            fill_choice(i);
        else if (hides && LLVMIsABinaryOperator(i))
            hide_constant(b, function, i, &never);
    LLVMDisposeBuilder(b);
}

/* ---- comparisons of one lane ----------------------------------------------------------------- */

/* LLVM 19 does not terminate when it compares some vectors with differing constants. In these
 * vectors all lanes but one are constants. So only that lane is compared. */
void lw__cpu_compare_one(const struct lw__unit *unit, LLVMValueRef function)
{
    if (!lw__works_around(unit, LW_AROUND_one_lane_compare))
        return;
    LLVMBuilderRef b = LLVMCreateBuilderInContext(LLVMGetTypeContext(LLVMTypeOf(function)));
    EACH_INSTRUCTION_OF_SAFE(i, function) {
        LLVMValueRef one = LLVMIsAICmpInst(i) ? LLVMGetOperand(i, 0) : NULL;
        if (!one || !LLVMIsAInsertElementInst(one) || !LLVMIsAConstant(LLVMGetOperand(one, 0)) ||
            !LLVMIsAConstant(LLVMGetOperand(i, 1)) || !LLVMIsAConstantInt(LLVMGetOperand(one, 2)))
            continue;
        const LLVMIntPredicate predicate = LLVMGetICmpPredicate(i);
        LLVMValueRef with = LLVMGetOperand(i, 1), lane = LLVMGetOperand(one, 2);
        LLVMPositionBuilderBefore(b, i);
        LLVMValueRef others = LLVMBuildICmp(b, predicate, LLVMGetOperand(one, 0), with, ""),
                     bit = LLVMBuildICmp(b, predicate, LLVMGetOperand(one, 1),
                                         LLVMBuildExtractElement(b, with, lane, ""), "");
        LLVMReplaceAllUsesWith(i, LLVMBuildInsertElement(b, others, bit, lane, ""));
        LLVMInstructionEraseFromParent(i);
    }
    LLVMDisposeBuilder(b);
}

/* ---- divisions of 64 bits -------------------------------------------------------------------- */

static bool divides_lanes(LLVMValueRef i)
{
    LLVMTypeRef type = LLVMTypeOf(i);
    return LLVMIsABinaryOperator(i) && lw__ir_divides(i) &&
           LLVMGetTypeKind(type) == LLVMVectorTypeKind &&
           LLVMGetIntTypeWidth(LLVMGetElementType(type)) == 64;
}

/* A division by 1, which instcombine makes of unused lanes. */
static LLVMValueRef divided_by_one(LLVMOpcode op, LLVMValueRef v)
{
    return op == LLVMURem || op == LLVMSRem ? LLVMConstNull(LLVMTypeOf(v)) : v;
}

/* No level divides vectors of 64-bit integers, so LLVM 19 divides lane by lane. But for AVX-512 it
 * first moves shuffles of quotients to the operands. Unused lanes of a constant divisor then are
 * undefined, and so is the whole division. So it is split before that. */
void lw__cpu_divide_by_lane(const struct lw__unit *unit, LLVMValueRef function)
{
    if (!lw__works_around(unit, LW_AROUND_wide_division))
        return;
    LLVMContextRef context = LLVMGetTypeContext(LLVMTypeOf(function));
    LLVMBuilderRef b = LLVMCreateBuilderInContext(context);
    EACH_INSTRUCTION_OF_SAFE(i, function) {
        if (!divides_lanes(i))
            continue;
        const LLVMOpcode op = LLVMGetInstructionOpcode(i);
        LLVMValueRef all = LLVMGetPoison(LLVMTypeOf(i));
        LLVMPositionBuilderBefore(b, i);
        for (unsigned n = 0; n < LLVMGetVectorSize(LLVMTypeOf(i)); n++) {
            LLVMValueRef lane = LLVMConstInt(LLVMInt32TypeInContext(context), n, 0);
            LLVMValueRef v = LLVMBuildExtractElement(b, LLVMGetOperand(i, 0), lane, "");
            LLVMValueRef by = LLVMBuildExtractElement(b, LLVMGetOperand(i, 1), lane, "");
            const bool by_one = LLVMIsAConstantInt(by) && LLVMConstIntGetZExtValue(by) == 1;
            v = by_one ? divided_by_one(op, v) : LLVMBuildBinOp(b, op, v, by, "");
            all = LLVMBuildInsertElement(b, all, v, lane, "");
        }
        LLVMReplaceAllUsesWith(i, all);
        LLVMInstructionEraseFromParent(i);
    }
    LLVMDisposeBuilder(b);
}

/* ---- masks as numbers ------------------------------------------------------------------------ */

/* For AVX-512, LLVM 19 does not terminate when it adds up a mask's lanes if the first is 0. It does
 * terminate for a select of 1 and 0, which is one instruction less. */
void lw__cpu_choose_ones(const struct lw__unit *unit, LLVMValueRef function)
{
    if (!lw__works_around(unit, LW_AROUND_mask_numbers))
        return;
    LLVMBuilderRef b = LLVMCreateBuilderInContext(LLVMGetTypeContext(LLVMTypeOf(function)));
    EACH_BLOCK(k, function)
        for (LLVMValueRef i = LLVMGetFirstInstruction(k), next, ones[64]; i; i = next) {
            next = LLVMGetNextInstruction(i);
            if (!LLVMIsAZExtInst(i) || !lw__cpu_is_mask(LLVMGetOperand(i, 0)))
                continue;
            LLVMTypeRef type = LLVMTypeOf(i);
            const unsigned lanes = LLVMGetVectorSize(type);
            for (unsigned n = 0; n < lanes; n++)
                ones[n] = LLVMConstInt(LLVMGetElementType(type), 1, 0);
            LLVMPositionBuilderBefore(b, i);
            LLVMValueRef choice = LLVMBuildSelect(
                b, LLVMGetOperand(i, 0), LLVMConstVector(ones, lanes), LLVMConstNull(type), "");
            LLVMReplaceAllUsesWith(i, choice);
            LLVMInstructionEraseFromParent(i);
        }
    LLVMDisposeBuilder(b);
}

/* ---- addresses of absent lanes --------------------------------------------------------------- */

/* True if each lane of v depends only on that lane of its operands, and is poison if that is. A
 * bitcast may change lanes. */
static bool is_by_lane(LLVMValueRef v)
{
    return LLVMIsAGetElementPtrInst(v) || LLVMIsABinaryOperator(v) ||
           (LLVMIsACastInst(v) && !LLVMIsABitCastInst(v));
}

/* Follows at most that many values. */
static bool lane_is_undefined(LLVMValueRef v, unsigned lane, int *steps)
{
    if (LLVMGetTypeKind(LLVMTypeOf(v)) != LLVMVectorTypeKind)
        return false;
    if (LLVMIsPoison(v))
        return true;
    if (LLVMIsAConstantVector(v))
        return LLVMIsPoison(LLVMGetOperand(v, lane));
    if (--*steps < 0)
        return false;
    if (LLVMIsAShuffleVectorInst(v)) {
        const unsigned lanes = LLVMGetVectorSize(LLVMTypeOf(LLVMGetOperand(v, 0)));
        const int from = LLVMGetMaskValue(v, lane);
        return from == LLVMGetUndefMaskElem() ||
               lane_is_undefined(LLVMGetOperand(v, (unsigned)from >= lanes), (unsigned)from % lanes,
                                 steps);
    }
    if (LLVMIsAInsertElementInst(v)) {
        LLVMValueRef at = LLVMGetOperand(v, 2);
        if (!LLVMIsAConstantInt(at))
            return false;
        return LLVMConstIntGetZExtValue(at) == lane
                   ? LLVMIsPoison(LLVMGetOperand(v, 1))
                   : lane_is_undefined(LLVMGetOperand(v, 0), lane, steps);
    }
    for (int n = 0; is_by_lane(v) && n < LLVMGetNumOperands(v); n++)
        if (lane_is_undefined(LLVMGetOperand(v, (unsigned)n), lane, steps))
            return true;
    return false;
}

/* The addresses, with 0 where undefined; the same value if all are defined. */
static LLVMValueRef defined(LLVMBuilderRef b, LLVMValueRef addresses)
{
    enum { STEPS = 4 * LANES };
    LLVMTypeRef type = LLVMTypeOf(addresses),
                i32 = LLVMInt32TypeInContext(LLVMGetTypeContext(type));
    const unsigned lanes = LLVMGetVectorSize(type);
    LLVMValueRef from[64];
    bool all = true;
    if (LLVMIsUndef(addresses))
        return LLVMConstNull(type);
    for (unsigned k = 0; k < lanes; k++) {
        int steps = STEPS;
        const bool none = lane_is_undefined(addresses, k, &steps);
        from[k] = LLVMConstInt(i32, none ? k + lanes : k, 0);
        all &= !none;
    }
    return all ? addresses
               : LLVMBuildShuffleVector(b, addresses, LLVMConstNull(type),
                                        LLVMConstVector(from, lanes), "");
}

/* If no lane of a piece, or only some, reach a gather, the others' addresses are undefined. LLVM 19
 * then uses any register for them, even that of the result: no such instruction exists. */
void lw__cpu_define_addresses(const struct lw__unit *unit, LLVMValueRef function)
{
    if (!lw__works_around(unit, LW_AROUND_no_address))
        return;
    LLVMBuilderRef b = LLVMCreateBuilderInContext(LLVMGetTypeContext(LLVMTypeOf(function)));
    EACH_INSTRUCTION_OF(i, function) {
        const unsigned at = lw__ir_calls(i, LW_LLVM_masked_scatter);
        if (!at && !lw__ir_calls(i, LW_LLVM_masked_gather))
            continue;
        LLVMPositionBuilderBefore(b, i);
        LLVMSetOperand(i, at, defined(b, LLVMGetOperand(i, at)));
    }
    LLVMDisposeBuilder(b);
}

/* ---- the larger of a value and a constant ---------------------------------------------------- */

/* For AArch64, LLVM 19 selects fmaxnm for `x >= 1 ? x : 1`, and fminnm for its like. Of a
 * signalling NaN these make a quiet one, not 1. So the select's comparison is hidden. */
void lw__cpu_hide_comparisons(const struct lw__unit *unit, LLVMValueRef function)
{
    if (!lw__works_around(unit, LW_AROUND_quiet_extreme))
        return;
    LLVMBuilderRef b = LLVMCreateBuilderInContext(LLVMGetTypeContext(LLVMTypeOf(function)));
    EACH_INSTRUCTION_OF(i, function) {
        if (!LLVMIsASelectInst(i) || !LLVMIsAFCmpInst(LLVMGetOperand(i, 0)))
            continue;
        LLVMPositionBuilderBefore(b, i);
        LLVMSetOperand(i, 0, LLVMBuildFreeze(b, LLVMGetOperand(i, 0), ""));
    }
    LLVMDisposeBuilder(b);
}
