/* workarounds.c - rewrites of what LLVM 19 or the driver's assembler (of CUDA 13.0) compile wrong.
 *
 * LLVM 19 converts a signed i1 that is true to the float +1; -1 is right. A select does it.
 *
 * Floats are converted to integers of less than 32 bits through 32 bits. The hardware's conversion
 * to 16 bits leaves the upper half of the register as it was. The assembler takes that half for
 * zero when the number is extended later.
 *
 * -x >> k, x half of a 64-bit register, and added to something, becomes LEA.HI.SX32 of -x. A kernel
 * with it went wrong for an odd x on an H200, as if -(x >> k) were meant. CUDA 13.5 does not write
 * it. The same number is ~((x - 1) >> k).
 *
 * For neg.s16 and abs.s16 the assembler computes in 32 bits, where -32768 becomes 32768 (random
 * kernel 1181003178). It leaves ~x + 1 alone, but LLVM must not see what that computes.
 *
 * For a select between 1 or -1 and minus zero the assembler (CUDA 13.5's too) converts a
 * comparison's result. That zero has no sign (random kernel 1093000752). Integers are not affected.
 *
 * A predicate's number, 0 or 1, may be used far from where it is computed. There the assembler may
 * compute it again, from a register that by then holds another predicate (random kernel 902501120).
 * So each block that uses the number computes it, hidden from LLVM, which would merge two of them.
 *
 * LLVM 19 makes a 16-bit compare-and-swap a loop around a 32-bit one. The assembler keeps its
 * address in a uniform register. In an outer loop an H200 found another value in that register
 * (random kernel 998506972: an illegal instruction). The hardware's own atom.cas.b16 is shorter,
 * too.
 *
 * LLVM 19 takes two elements at one index for neighbours though their types differ in size. It
 * loads both at once (LoadStoreVectorizer; fixed in LLVM, pull request 186671). A pointer with
 * steps of both sizes is therefore stepped in bytes, which that pass does not compare.
 */
#include "compile/ptx/ptx.h"
#include <llvm-c/Target.h>
#include <stdio.h>
#include <string.h>

static LLVMModuleRef module_of(LLVMValueRef i)
{
    return LLVMGetGlobalParent(LLVMGetBasicBlockParent(LLVMGetInstructionParent(i)));
}

/* For each element of a vector. */
static LLVMValueRef constant(LLVMBuilderRef b, LLVMTypeRef type, int64_t value)
{
    const bool is_vector = LLVMGetTypeKind(type) == LLVMVectorTypeKind;
    LLVMTypeRef i32 = LLVMInt32TypeInContext(LLVMGetTypeContext(type));
    LLVMValueRef v = LLVMConstInt(i32, (uint64_t)value, 1), none = LLVMGetPoison(type);
    if (!is_vector)
        return v;
    LLVMValueRef first = LLVMBuildInsertElement(b, none, v, LLVMConstInt(i32, 0, 0), "");
    LLVMTypeRef lanes = LLVMVectorType(i32, LLVMGetVectorSize(type));
    return LLVMBuildShuffleVector(b, first, none, LLVMConstNull(lanes), "");
}

/* llvm.fptosi.sat or llvm.fptoui.sat; is_signed: the former. */
static LLVMValueRef convert_bounded(LLVMBuilderRef b, LLVMValueRef i, LLVMTypeRef wide,
                                    bool is_signed)
{
    LLVMModuleRef module = module_of(i);
    const unsigned bits = LLVMGetIntTypeWidth(lw__ir_scalar(LLVMTypeOf(i)));
    LLVMValueRef x = LLVMGetOperand(i, 0);
    const int64_t most = (INT64_C(1) << (bits - is_signed)) - 1, least = is_signed ? -most - 1 : 0;
    LLVMValueRef v = lw__llvm_intrinsic(b, module, LW_LLVM_fptosi_sat,
                                        (LLVMTypeRef[]){wide, LLVMTypeOf(x)}, &x, 1);
    v = lw__llvm_intrinsic(b, module, LW_LLVM_smax, &wide,
                           (LLVMValueRef[]){v, constant(b, wide, least)}, 2);
    return lw__llvm_intrinsic(b, module, LW_LLVM_smin, &wide,
                              (LLVMValueRef[]){v, constant(b, wide, most)}, 2);
}

static bool is_of_bool(LLVMValueRef i)
{
    return LLVMIsASIToFPInst(i) &&
           LLVMGetIntTypeWidth(lw__ir_scalar(LLVMTypeOf(LLVMGetOperand(i, 0)))) == 1;
}

static void choose(LLVMBuilderRef b, LLVMValueRef i)
{
    LLVMTypeRef type = LLVMTypeOf(i);
    LLVMPositionBuilderBefore(b, i);
    LLVMValueRef minus =
        LLVMBuildSIToFP(b, LLVMConstAllOnes(LLVMTypeOf(LLVMGetOperand(i, 0))), type, "");
    LLVMValueRef v = LLVMBuildSelect(b, LLVMGetOperand(i, 0), minus, LLVMConstNull(type), "");
    LLVMReplaceAllUsesWith(i, v);
    LLVMInstructionEraseFromParent(i);
}

static bool is_negated_and_shifted(LLVMValueRef i)
{
    LLVMTypeRef type = lw__ir_scalar(LLVMTypeOf(i));
    if (!LLVMIsAInstruction(i) || LLVMGetInstructionOpcode(i) != LLVMAShr ||
        LLVMGetIntTypeWidth(type) != 32 || !LLVMIsAConstant(LLVMGetOperand(i, 1)))
        return false;
    LLVMValueRef v = LLVMGetOperand(i, 0);
    return LLVMIsAInstruction(v) && LLVMGetInstructionOpcode(v) == LLVMSub &&
           LLVMIsNull(LLVMGetOperand(v, 0));
}

static void shift_inverted(LLVMBuilderRef b, LLVMValueRef i)
{
    LLVMValueRef x = LLVMGetOperand(LLVMGetOperand(i, 0), 1);
    LLVMPositionBuilderBefore(b, i);
    LLVMValueRef less = LLVMBuildAdd(b, x, LLVMConstAllOnes(LLVMTypeOf(x)), "");
    LLVMValueRef v = LLVMBuildNot(b, LLVMBuildAShr(b, less, LLVMGetOperand(i, 1), ""), "");
    LLVMReplaceAllUsesWith(i, v);
    LLVMInstructionEraseFromParent(i);
}

static bool is_short(LLVMTypeRef type)
{
    type = lw__ir_scalar(type);
    return LLVMGetTypeKind(type) == LLVMIntegerTypeKind && LLVMGetIntTypeWidth(type) == 16;
}

/* LLVM makes a shift and a negation of a product with minus a power of two. The exponent of that
 * power; -1: the factor is none. */
static int negated_power(LLVMValueRef factor)
{
    if (!factor || !LLVMIsAConstantInt(factor))
        return -1;
    for (int k = 0; k < 15; k++)
        if (LLVMConstIntGetSExtValue(factor) == -(INT64_C(1) << k))
            return k;
    return -1;
}

static bool is_negating_product(LLVMValueRef i)
{
    LLVMValueRef factor = LLVMGetOperand(i, 1);
    if (!LLVMIsAConstant(factor) || LLVMGetTypeKind(LLVMTypeOf(i)) != LLVMVectorTypeKind)
        return negated_power(factor) >= 0;
    bool some = false;
    for (unsigned k = 0; k < LLVMGetVectorSize(LLVMTypeOf(i)); k++)
        some |= negated_power(LLVMGetAggregateElement(factor, k)) >= 0;
    return some;
}

static bool is_short_negation(LLVMValueRef i)
{
    if (!LLVMIsAInstruction(i) || !is_short(LLVMTypeOf(i)))
        return false;
    switch (LLVMGetInstructionOpcode(i)) {
    case LLVMSub: return LLVMIsNull(LLVMGetOperand(i, 0));
    case LLVMMul: return is_negating_product(i);
    case LLVMCall: return lw__ir_calls(i, LW_LLVM_abs);
    default: return false;
    }
}

static LLVMValueRef negate_short(LLVMBuilderRef b, LLVMValueRef x)
{
    LLVMTypeRef type = LLVMTypeOf(x);
    return lw__llvm_asm(b, LLVMFunctionType(type, &type, 1, false),
                        "not.b16 $0, $1;\n\tadd.s16 $0, $0, 1;", "=h,h", false, &x, 1);
}

/* The result of i, a short negation, for this element. factor: the other operand, if i is a
 * product. */
static LLVMValueRef negated_element(LLVMBuilderRef b, LLVMValueRef i, LLVMValueRef x,
                                    LLVMValueRef factor)
{
    LLVMTypeRef type = LLVMTypeOf(x);
    if (LLVMGetInstructionOpcode(i) == LLVMSub)
        return negate_short(b, x);
    if (LLVMGetInstructionOpcode(i) == LLVMCall)
        return lw__llvm_intrinsic(b, module_of(i), LW_LLVM_smax, &type,
                                  (LLVMValueRef[]){x, negate_short(b, x)}, 2);
    const int k = negated_power(factor);
    return k < 0 ? LLVMBuildMul(b, x, factor, "")
                 : negate_short(b, LLVMBuildShl(b, x, LLVMConstInt(type, (unsigned)k, 0), ""));
}

static void negate(LLVMBuilderRef b, LLVMValueRef i)
{
    LLVMTypeRef type = LLVMTypeOf(i), i32 = LLVMInt32TypeInContext(LLVMGetTypeContext(type));
    LLVMValueRef x = LLVMGetOperand(i, LLVMGetInstructionOpcode(i) == LLVMSub);
    LLVMValueRef factor = LLVMGetOperand(i, 1), v = LLVMGetPoison(type);
    LLVMPositionBuilderBefore(b, i);
    if (LLVMGetTypeKind(type) != LLVMVectorTypeKind)
        v = negated_element(b, i, x, factor);
    else
        for (unsigned k = 0; k < LLVMGetVectorSize(type); k++) {
            LLVMValueRef at = LLVMConstInt(i32, k, 0);
            LLVMValueRef one = negated_element(
                b, i, LLVMBuildExtractElement(b, x, at, ""),
                LLVMIsAConstant(factor) ? LLVMGetAggregateElement(factor, k) : NULL);
            v = LLVMBuildInsertElement(b, v, one, at, "");
        }
    LLVMReplaceAllUsesWith(i, v);
    LLVMInstructionEraseFromParent(i);
}

static bool is_narrowed(LLVMValueRef i)
{
    bool is_signed;
    return (lw__ir_saturates(i, &is_signed) || LLVMIsAFPToSIInst(i) || LLVMIsAFPToUIInst(i)) &&
           LLVMGetIntTypeWidth(lw__ir_scalar(LLVMTypeOf(i))) < 32;
}

static void convert(LLVMBuilderRef b, LLVMValueRef i)
{
    LLVMTypeRef type = LLVMTypeOf(i);
    LLVMTypeRef wide = lw__ir_shaped_like(LLVMInt32TypeInContext(LLVMGetTypeContext(type)), type);
    LLVMPositionBuilderBefore(b, i);
    bool is_signed;
    LLVMValueRef v = lw__ir_saturates(i, &is_signed)
                         ? convert_bounded(b, i, wide, is_signed)
                         : LLVMBuildFPToSI(b, LLVMGetOperand(i, 0), wide, "");
    LLVMReplaceAllUsesWith(i, LLVMBuildTrunc(b, v, type, ""));
    LLVMInstructionEraseFromParent(i);
}

/* True if v is minus zero, or a vector that has one: its select becomes selects between
 * elements. */
static bool has_minus_zero(LLVMValueRef v)
{
    LLVMTypeRef type = v ? LLVMTypeOf(v) : NULL;
    if (type && LLVMGetTypeKind(type) == LLVMVectorTypeKind) {
        bool some = false;
        for (unsigned k = 0; k < LLVMGetVectorSize(type); k++)
            some |= has_minus_zero(LLVMGetAggregateElement(v, k));
        return some;
    }
    LLVMBool is_inexact;
    return type && LLVMGetTypeKind(type) == LLVMFloatTypeKind && LLVMIsAConstantFP(v) &&
           LLVMConstRealGetDouble(v, &is_inexact) == 0 && !LLVMIsNull(v);
}

static bool is_choice_of_minus_zero(LLVMValueRef i)
{
    if (!LLVMIsASelectInst(i))
        return false;
    LLVMValueRef a = LLVMGetOperand(i, 1), b = LLVMGetOperand(i, 2);
    return LLVMIsAConstant(a) && LLVMIsAConstant(b) && (has_minus_zero(a) || has_minus_zero(b));
}

static void choose_bits(LLVMBuilderRef b, LLVMValueRef i)
{
    LLVMTypeRef type = LLVMTypeOf(i);
    LLVMTypeRef bits = lw__ir_shaped_like(LLVMInt32TypeInContext(LLVMGetTypeContext(type)), type);
    LLVMPositionBuilderBefore(b, i);
    LLVMValueRef v =
        LLVMBuildSelect(b, LLVMGetOperand(i, 0), LLVMConstBitCast(LLVMGetOperand(i, 1), bits),
                        LLVMConstBitCast(LLVMGetOperand(i, 2), bits), "");
    LLVMReplaceAllUsesWith(i, LLVMBuildBitCast(b, v, type, ""));
    LLVMInstructionEraseFromParent(i);
}

static bool is_number_of_bool(LLVMValueRef i)
{
    LLVMTypeRef type = LLVMIsAZExtInst(i) ? LLVMTypeOf(LLVMGetOperand(i, 0)) : NULL;
    return type && LLVMGetTypeKind(type) == LLVMIntegerTypeKind && LLVMGetIntTypeWidth(type) == 1 &&
           LLVMGetIntTypeWidth(LLVMTypeOf(i)) <= 64;
}

/* The same number, computed at the builder. */
static LLVMValueRef number_here(LLVMBuilderRef b, LLVMValueRef i)
{
    LLVMValueRef truth = LLVMGetOperand(i, 0);
    LLVMTypeRef from = LLVMTypeOf(truth);
    const unsigned width = LLVMGetIntTypeWidth(LLVMTypeOf(i));
    const unsigned bits = width <= 16 ? 16 : width <= 32 ? 32 : 64;
    LLVMTypeRef to = LLVMIntTypeInContext(LLVMGetTypeContext(from), bits);
    LLVMTypeRef type = LLVMFunctionType(to, &from, 1, false);
    char text[32], kinds[] = "=h,b";
    snprintf(text, sizeof text, "selp.u%u $0, 1, 0, $1;", bits);
    kinds[1] = bits == 16 ? 'h' : bits == 32 ? 'r' : 'l';
    LLVMValueRef number = lw__llvm_asm(b, type, text, kinds, false, &truth, 1);
    return LLVMBuildIntCast2(b, number, LLVMTypeOf(i), false, "");
}

/* Compute the number in each block that uses it, except the predicate's own. A phi with two edges
 * from one block needs the same value on both; it stays as it is. */
static void make_numbers(LLVMBuilderRef b, LLVMValueRef i)
{
    LLVMValueRef truth = LLVMGetOperand(i, 0);
    LLVMBasicBlockRef home = LLVMIsAInstruction(truth) ? LLVMGetInstructionParent(truth) : NULL;
    EACH_USE_SAFE(use, i) {
        LLVMValueRef user = LLVMGetUser(use);
        unsigned k = 0;
        while (LLVMGetOperandUse(user, k) != use)
            k++;
        /* Where an operand is used: at the user, or at the end of a phi's incoming block. */
        LLVMValueRef at = LLVMIsAPHINode(user)
                              ? LLVMGetBasicBlockTerminator(LLVMGetIncomingBlock(user, k))
                              : user;
        const bool both_edges = LLVMIsAPHINode(user) && LLVMGetNumSuccessors(at) == 2 &&
                                LLVMGetSuccessor(at, 0) == LLVMGetSuccessor(at, 1);
        if (LLVMGetInstructionParent(at) == home || both_edges)
            continue;
        LLVMPositionBuilderBefore(b, at);
        LLVMSetOperand(user, k, number_here(b, i));
    }
    if (!LLVMGetFirstUse(i))
        LLVMInstructionEraseFromParent(i);
}

static bool is_short_swap(LLVMValueRef i)
{
    return LLVMIsAAtomicCmpXchgInst(i) && is_short(LLVMTypeOf(LLVMGetOperand(i, 1)));
}

static void swap_short(LLVMBuilderRef b, LLVMValueRef i)
{
    LLVMValueRef args[] = {LLVMGetOperand(i, 0), LLVMGetOperand(i, 1), LLVMGetOperand(i, 2)};
    LLVMTypeRef type = LLVMTypeOf(args[1]), types[] = {LLVMTypeOf(args[0]), type, type};
    const unsigned space = LLVMGetPointerAddressSpace(types[0]);
    char text[64];
    snprintf(text, sizeof text, "atom%s.cas.b16 $0, [$1], $2, $3;",
             space == LW_PTX_GLOBAL   ? ".global"
             : space == LW_PTX_SHARED ? ".shared"
                                      : "");
    LLVMPositionBuilderBefore(b, i);
    LLVMValueRef old = lw__llvm_asm(b, LLVMFunctionType(type, types, 3, false), text,
                                    "=h,l,h,h,~{memory}", true, args, 3);
    LLVMValueRef same = LLVMBuildICmp(b, LLVMIntEQ, old, args[1], "");
    LLVMValueRef pair = LLVMBuildInsertValue(b, LLVMGetPoison(LLVMTypeOf(i)), old, 0, "");
    LLVMReplaceAllUsesWith(i, LLVMBuildInsertValue(b, pair, same, 1, ""));
    LLVMInstructionEraseFromParent(i);
}

/* The variable last index of a getelementptr; NULL: it is none. */
static LLVMValueRef last_index(LLVMValueRef i)
{
    if (!LLVMIsAGetElementPtrInst(i) || LLVMGetTypeKind(LLVMTypeOf(i)) != LLVMPointerTypeKind)
        return NULL;
    LLVMValueRef last = LLVMGetOperand(i, (unsigned)LLVMGetNumOperands(i) - 1);
    return LLVMIsAConstant(last) ? NULL : last;
}

static bool steps_differ(LLVMTargetDataRef layout, LLVMValueRef i, LLVMValueRef other)
{
    LLVMTypeRef type = LLVMGetGEPSourceElementType(i), type2 = LLVMGetGEPSourceElementType(other);
    return LLVMGetNumOperands(i) == 2
               ? LLVMABISizeOfType(layout, type) != LLVMABISizeOfType(layout, type2)
               : type != type2;
}

static bool is_stepped_otherwise(LLVMValueRef i)
{
    if (!last_index(i))
        return false;
    LLVMTargetDataRef layout = LLVMGetModuleDataLayout(module_of(i));
    LLVMValueRef base = LLVMGetOperand(i, 0);
    EACH_USE(use, base) {
        LLVMValueRef other = LLVMGetUser(use);
        if (LLVMIsAInstruction(other) && last_index(other) && LLVMGetOperand(other, 0) == base &&
            LLVMGetNumOperands(other) == LLVMGetNumOperands(i) && steps_differ(layout, i, other))
            return true;
    }
    return false;
}

/* By as many bytes as the same steps lead from null. */
static void step_in_bytes(LLVMBuilderRef b, LLVMValueRef i)
{
    LLVMContextRef context = LLVMGetTypeContext(LLVMTypeOf(i));
    LLVMValueRef from_null = LLVMInstructionClone(i);
    LLVMSetOperand(from_null, 0, LLVMConstNull(LLVMTypeOf(i)));
    LLVMSetIsInBounds(from_null, false);
    LLVMPositionBuilderBefore(b, i);
    LLVMInsertIntoBuilder(b, from_null);
    LLVMValueRef bytes = LLVMBuildPtrToInt(b, from_null, LLVMInt64TypeInContext(context), "");
    LLVMValueRef v =
        LLVMBuildGEP2(b, LLVMInt8TypeInContext(context), LLVMGetOperand(i, 0), &bytes, 1, "");
    LLVMReplaceAllUsesWith(i, v);
    LLVMInstructionEraseFromParent(i);
}

static const struct rewrite {
    enum lw__workaround row;
    bool (*concerns)(LLVMValueRef i);
    void (*write)(LLVMBuilderRef b, LLVMValueRef i);
} rewrites[] = {
    {LW_AROUND_short_swap, is_short_swap, swap_short},
    {LW_AROUND_negated_shift, is_negated_and_shifted, shift_inverted},
    {LW_AROUND_short_negation, is_short_negation, negate},
    {LW_AROUND_signed_bool, is_of_bool, choose},
    {LW_AROUND_minus_zero, is_choice_of_minus_zero, choose_bits},
    {LW_AROUND_predicate_number, is_number_of_bool, make_numbers},
    {LW_AROUND_two_steps, is_stepped_otherwise, step_in_bytes},
    {LW_AROUND_narrow_integer, is_narrowed, convert},
};

/* The first that concerns the instruction writes it. */
static void mend(const struct lw__unit *unit, LLVMBuilderRef b, LLVMValueRef i)
{
    for (size_t k = 0; k < sizeof rewrites / sizeof *rewrites; k++)
        if (lw__works_around(unit, rewrites[k].row) && rewrites[k].concerns(i)) {
            rewrites[k].write(b, i);
            return;
        }
}

void lw__ptx_work_around(struct lw__unit *unit)
{
    LLVMModuleRef module = unit->module;
    LLVMBuilderRef b = LLVMCreateBuilderInContext(unit->context);
    EACH_FUNCTION(f, module)
        EACH_INSTRUCTION_OF_SAFE(i, f) {
            mend(unit, b, i);
        }
    LLVMDisposeBuilder(b);
}
