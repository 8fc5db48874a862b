/* builtins.c - clang's builtins in terms that all targets share.
 *
 * A builtin of clang arrives as an LLVM intrinsic or as a call into the C library. Each target
 * would lower it in its own way, by its own C library, or not at all. Here they become devlib's
 * functions or plain instructions. The intrinsics that remain are computed exactly by all targets.
 * front/restrictions.c then refuses all others by name.
 *
 * The permissions to compute otherwise than written (fast-math flags, contraction), which pragmas
 * can give, are deleted. So are prefetches of a thread's own variables, which would keep these from
 * registers. ir/atomic_access.c does the same for fences, atomics and volatile accesses.
 */
#include "compile/common/common.h"
#include "compile/llvm/llvm.h"
#include "compile/ir/ir.h"
#include <llvm-c/DebugInfo.h>
#include <stdio.h>
#include <string.h>

struct builtin_work {
    LLVMModuleRef module;
    LLVMContextRef context;
    LLVMBuilderRef b;
    LLVMTypeRef i32, f32;
};

static bool starts_with(const char *text, const char *begin)
{
    return !strncmp(text, begin, strlen(begin));
}

static bool is_vector(LLVMTypeRef type)
{
    return LLVMGetTypeKind(type) == LLVMVectorTypeKind;
}

static bool is_half(LLVMTypeRef type)
{
    const LLVMTypeKind kind = LLVMGetTypeKind(lw__ir_scalar(type));
    return kind == LLVMHalfTypeKind || kind == LLVMBFloatTypeKind;
}

static bool is_float_or_double(LLVMTypeRef type)
{
    const LLVMTypeKind kind = LLVMGetTypeKind(type);
    return kind == LLVMFloatTypeKind || kind == LLVMDoubleTypeKind;
}

static LLVMValueRef at(struct builtin_work *w, unsigned index)
{
    return LLVMConstInt(w->i32, index, 0);
}

/* A call of lw.NAME, which devlib defines or the target lowers. */
static LLVMValueRef call(struct builtin_work *w, const char *name, LLVMTypeRef result,
                         LLVMValueRef *args, unsigned count)
{
    LLVMTypeRef types[2];
    for (unsigned i = 0; i < count; i++)
        types[i] = LLVMTypeOf(args[i]);
    LLVMTypeRef type = LLVMFunctionType(result, types, count, 0);
    LLVMValueRef f = LLVMGetNamedFunction(w->module, name);
    if (!f) {
        f = LLVMAddFunction(w->module, name, type);
        lw__llvm_attribute(f, "nounwind", true);
    }
    return LLVMBuildCall2(w->b, type, f, args, count, "");
}

/* A call of devlib's function for float or double scalars. */
static LLVMValueRef maths_of_scalars(struct builtin_work *w, const char *name, LLVMTypeRef result,
                                     LLVMValueRef *args, unsigned count)
{
    char full[48];
    const bool is_float = LLVMTypeOf(args[0]) == w->f32;
    snprintf(full, sizeof full, "lw.%s.%s", name, is_float ? "f32" : "f64");
    return call(w, full, result, args, count);
}

/* The same, element by element where the arguments are vectors; result: a scalar type. */
static LLVMValueRef maths(struct builtin_work *w, const char *name, LLVMTypeRef result,
                          LLVMValueRef *args, unsigned count)
{
    LLVMTypeRef type = LLVMTypeOf(args[0]);
    if (!is_vector(type))
        return maths_of_scalars(w, name, result, args, count);
    LLVMValueRef all = LLVMGetPoison(lw__ir_shaped_like(result, type));
    for (unsigned k = 0; k < LLVMGetVectorSize(type); k++) {
        LLVMValueRef of[2];
        for (unsigned i = 0; i < count; i++)
            of[i] = is_vector(LLVMTypeOf(args[i]))
                        ? LLVMBuildExtractElement(w->b, args[i], at(w, k), "")
                        : args[i];
        all = LLVMBuildInsertElement(w->b, all, maths_of_scalars(w, name, result, of, count),
                                     at(w, k), "");
    }
    return all;
}

/* ---- floating-point functions ---------------------------------------------------------------- */

/* Intrinsics that take floats and give one of the same type. Those without a devlib name are exact
 * and stay, except for 16-bit floats, which are computed in float. */
static const struct {
    enum lw__intrinsic row;
    const char *devlib;
} functions[] = {
    {LW_LLVM_sin, "sin"},         {LW_LLVM_cos, "cos"},      {LW_LLVM_tan, "tan"},
    {LW_LLVM_tanh, "tanh"},       {LW_LLVM_exp, "exp"},      {LW_LLVM_exp2, "exp2"},
    {LW_LLVM_log, "log"},         {LW_LLVM_log2, "log2"},    {LW_LLVM_pow, "pow"},
    {LW_LLVM_exp10, "exp10"},     {LW_LLVM_log10, "log10"},  {LW_LLVM_sinh, "sinh"},
    {LW_LLVM_cosh, "cosh"},       {LW_LLVM_asin, "asin"},    {LW_LLVM_acos, "acos"},
    {LW_LLVM_atan, "atan"},       {LW_LLVM_minnum, "fmin"},  {LW_LLVM_maxnum, "fmax"},
    {LW_LLVM_sqrt, NULL},         {LW_LLVM_fabs, NULL},      {LW_LLVM_copysign, NULL},
    {LW_LLVM_floor, NULL},        {LW_LLVM_ceil, NULL},      {LW_LLVM_trunc, NULL},
    {LW_LLVM_round, NULL},        {LW_LLVM_roundeven, NULL}, {LW_LLVM_rint, NULL},
    {LW_LLVM_nearbyint, NULL},    {LW_LLVM_minimum, "fmin"}, {LW_LLVM_maximum, "fmax"},
    {LW_LLVM_canonicalize, NULL},
};

static LLVMValueRef widened(struct builtin_work *w, LLVMValueRef v)
{
    LLVMTypeRef type = LLVMTypeOf(v);
    return is_half(type) ? LLVMBuildFPExt(w->b, v, lw__ir_shaped_like(w->f32, type), "") : v;
}

static LLVMValueRef narrowed(struct builtin_work *w, LLVMValueRef v, LLVMTypeRef to)
{
    return is_half(to) ? LLVMBuildFPTrunc(w->b, v, to, "") : v;
}

/* For minimum and maximum a NaN wins; for minnum and maxnum, by devlib, it loses. -0 < +0 for
 * all. */
static LLVMValueRef extreme(struct builtin_work *w, const char *devlib, bool nan_wins,
                            LLVMValueRef a, LLVMValueRef b)
{
    LLVMValueRef v = maths(w, devlib, lw__ir_scalar(LLVMTypeOf(a)), (LLVMValueRef[]){a, b}, 2);
    if (!nan_wins)
        return v;
    LLVMValueRef is_nan = LLVMBuildFCmp(w->b, LLVMRealUNO, a, b, "");
    return LLVMBuildSelect(w->b, is_nan, LLVMBuildFAdd(w->b, a, b, ""), v, "");
}

static LLVMValueRef rewrite_function(struct builtin_work *w, LLVMValueRef i, enum lw__intrinsic row,
                                     const char *devlib)
{
    LLVMTypeRef type = LLVMTypeOf(i);
    LLVMValueRef args[2] = {NULL};
    const unsigned n = LLVMGetNumArgOperands(i);
    if (row == LW_LLVM_canonicalize)
        return LLVMGetOperand(i, 0);
    if (n > 2 || (!devlib && !is_half(type)) ||
        !(is_half(type) || is_float_or_double(lw__ir_scalar(type))))
        return NULL;
    for (unsigned k = 0; k < n; k++)
        args[k] = widened(w, LLVMGetOperand(i, k));
    LLVMTypeRef wide = LLVMTypeOf(args[0]);
    if (!devlib)
        return narrowed(w, lw__llvm_intrinsic(w->b, w->module, row, &wide, args, n), type);
    const bool nan_wins = row == LW_LLVM_minimum || row == LW_LLVM_maximum;
    LLVMValueRef v = n == 2 && (nan_wins || *devlib == 'f')
                         ? extreme(w, devlib, nan_wins, args[0], args[1])
                         : maths(w, devlib, lw__ir_scalar(wide), args, n);
    return narrowed(w, v, type);
}

/* frexp: {significand, exponent}. */
static LLVMValueRef frexp_of(struct builtin_work *w, LLVMValueRef i)
{
    LLVMTypeRef type = LLVMTypeOf(i);
    LLVMValueRef x = widened(w, LLVMGetOperand(i, 0));
    LLVMTypeRef given = LLVMStructGetTypeAtIndex(type, 0),
                exponent = LLVMStructGetTypeAtIndex(type, 1);
    if (!is_float_or_double(lw__ir_scalar(LLVMTypeOf(x))))
        return NULL;
    LLVMValueRef half = maths(w, "frexp", lw__ir_scalar(LLVMTypeOf(x)), &x, 1),
                 n = maths(w, "frexp_exponent", lw__ir_scalar(exponent), &x, 1);
    LLVMValueRef both =
        LLVMBuildInsertValue(w->b, LLVMGetPoison(type), narrowed(w, half, given), 0, "");
    return LLVMBuildInsertValue(w->b, both, n, 1, "");
}

/* ldexp and powi: a float and an int. */
static LLVMValueRef with_integer(struct builtin_work *w, LLVMValueRef i, const char *devlib)
{
    LLVMTypeRef type = LLVMTypeOf(i);
    LLVMValueRef args[] = {widened(w, LLVMGetOperand(i, 0)), LLVMGetOperand(i, 1)};
    LLVMTypeRef scalar = lw__ir_scalar(LLVMTypeOf(args[0]));
    if (!is_float_or_double(scalar) || lw__ir_scalar(LLVMTypeOf(args[1])) != w->i32)
        return NULL;
    return narrowed(w, maths(w, devlib, scalar, args, 2), type);
}

/* ---- reductions of a short vector ------------------------------------------------------------ */

static LLVMValueRef combined(struct builtin_work *w, LLVMValueRef i, LLVMValueRef a, LLVMValueRef b)
{
    static const struct {
        enum lw__intrinsic reduction;
        LLVMOpcode op;
        enum lw__intrinsic of_two; /* what a call calls */
    } operations[] = {{LW_LLVM_reduce_add, LLVMAdd, 0},
                      {LW_LLVM_reduce_mul, LLVMMul, 0},
                      {LW_LLVM_reduce_and, LLVMAnd, 0},
                      {LW_LLVM_reduce_or, LLVMOr, 0},
                      {LW_LLVM_reduce_xor, LLVMXor, 0},
                      {LW_LLVM_reduce_smax, LLVMCall, LW_LLVM_smax},
                      {LW_LLVM_reduce_smin, LLVMCall, LW_LLVM_smin},
                      {LW_LLVM_reduce_umax, LLVMCall, LW_LLVM_umax},
                      {LW_LLVM_reduce_umin, LLVMCall, LW_LLVM_umin}};
    LLVMTypeRef type = LLVMTypeOf(a);
    for (size_t k = 0; k < sizeof operations / sizeof *operations; k++)
        if (lw__ir_calls(i, operations[k].reduction))
            return operations[k].op == LLVMCall
                       ? lw__llvm_intrinsic(w->b, w->module, operations[k].of_two, &type,
                                            (LLVMValueRef[]){a, b}, 2)
                       : LLVMBuildBinOp(w->b, operations[k].op, a, b, "");
    const bool is_least = lw__ir_calls(i, LW_LLVM_reduce_fmin);
    if (is_least || lw__ir_calls(i, LW_LLVM_reduce_fmax))
        return extreme(w, is_least ? "fmin" : "fmax", false, a, b);
    return NULL;
}

/* From the first element to the last. */
static LLVMValueRef reduce(struct builtin_work *w, LLVMValueRef i)
{
    LLVMValueRef v = widened(w, LLVMGetOperand(i, LLVMGetNumArgOperands(i) - 1));
    LLVMValueRef sum = NULL;
    if (LLVMGetNumArgOperands(i) != 1)
        return NULL;
    for (unsigned k = 0; k < LLVMGetVectorSize(LLVMTypeOf(v)); k++) {
        LLVMValueRef one = LLVMBuildExtractElement(w->b, v, at(w, k), "");
        sum = sum ? combined(w, i, sum, one) : one;
        if (!sum)
            return NULL;
    }
    return narrowed(w, sum, LLVMTypeOf(i));
}

/* ---- calls into a C library ------------------------------------------------------------------ */

/* modf: the fraction has x's sign, and is 0 for infinities. */
static LLVMValueRef modf_of(struct builtin_work *w, LLVMValueRef i)
{
    LLVMValueRef x = LLVMGetOperand(i, 0);
    LLVMTypeRef type = LLVMTypeOf(x);
    LLVMValueRef whole = lw__llvm_intrinsic(w->b, w->module, LW_LLVM_trunc, &type, &x, 1);
    LLVMBuildStore(w->b, whole, LLVMGetOperand(i, 1));
    LLVMValueRef is_whole = LLVMBuildFCmp(w->b, LLVMRealOEQ, x, whole, "");
    LLVMValueRef rest =
        LLVMBuildSelect(w->b, is_whole, LLVMConstNull(type), LLVMBuildFSub(w->b, x, whole, ""), "");
    return lw__llvm_intrinsic(w->b, w->module, LW_LLVM_copysign, &type, (LLVMValueRef[]){rest, x},
                              2);
}

/* True if it calls the function `is`, or `is` + "f" for float. The declaration may be any. */
static bool is_library_call(LLVMValueRef i, const char *name, const char *is, LLVMTypeRef second)
{
    const size_t n = strlen(is);
    LLVMTypeRef type = LLVMTypeOf(i);
    const bool is_float = LLVMGetTypeKind(type) == LLVMFloatTypeKind;
    return !strncmp(name, is, n) && !strcmp(name + n, is_float ? "f" : "") &&
           is_float_or_double(type) && LLVMGetNumArgOperands(i) == (second ? 2u : 1u) &&
           LLVMTypeOf(LLVMGetOperand(i, 0)) == type &&
           (!second || LLVMTypeOf(LLVMGetOperand(i, 1)) == second);
}

/* Functions that clang has no intrinsics for. devlib has them by the same names. */
static const char *const of_one[] = {"cbrt",  "erf",   "logb",  "expm1", "log1p",
                                     "asinh", "acosh", "atanh", "erfc"};
static const char *const of_two[] = {"fdim", "remainder", "hypot", "atan2"};

static LLVMValueRef rewrite_library_call(struct builtin_work *w, LLVMValueRef i, const char *name)
{
    LLVMTypeRef pointer = LLVMPointerTypeInContext(w->context, 0), type = LLVMTypeOf(i);
    LLVMValueRef x = LLVMGetNumArgOperands(i) ? LLVMGetOperand(i, 0) : NULL;
    if (is_library_call(i, name, "modf", pointer))
        return modf_of(w, i);
    for (size_t k = 0; k < sizeof of_one / sizeof *of_one; k++)
        if (is_library_call(i, name, of_one[k], NULL))
            return maths(w, of_one[k], type, &x, 1);
    for (size_t k = 0; k < sizeof of_two / sizeof *of_two; k++)
        if (is_library_call(i, name, of_two[k], type))
            return maths(w, of_two[k], type, (LLVMValueRef[]){x, LLVMGetOperand(i, 1)}, 2);
    if (is_library_call(i, name, "scalbn", w->i32) || is_library_call(i, name, "ldexp", w->i32))
        return with_integer(w, i, "ldexp");
    return NULL;
}

/* ---- everything else ------------------------------------------------------------------------- */

static LLVMValueRef rewrite_intrinsic(struct builtin_work *w, LLVMValueRef i)
{
    if (starts_with(lw__ir_callee(i), "llvm.vector.reduce."))
        return reduce(w, i);
    for (size_t k = 0; k < sizeof functions / sizeof *functions; k++)
        if (lw__ir_calls(i, functions[k].row))
            return rewrite_function(w, i, functions[k].row, functions[k].devlib);
    if (lw__ir_calls(i, LW_LLVM_frexp))
        return frexp_of(w, i);
    if (lw__ir_calls(i, LW_LLVM_ldexp))
        return with_integer(w, i, "ldexp");
    if (lw__ir_calls(i, LW_LLVM_powi))
        return with_integer(w, i, "powi");
    if (lw__ir_calls(i, LW_LLVM_fmuladd)) {
        /* #pragma STDC FP_CONTRACT ON permits contraction and does not require it. */
        LLVMValueRef product = LLVMBuildFMul(w->b, LLVMGetOperand(i, 0), LLVMGetOperand(i, 1), "");
        return LLVMBuildFAdd(w->b, product, LLVMGetOperand(i, 2), "");
    }
    if (lw__ir_calls(i, LW_LLVM_is_constant))
        return LLVMConstInt(LLVMTypeOf(i), LLVMIsConstant(LLVMGetOperand(i, 0)), 0);
    if (lw__ir_calls(i, LW_LLVM_objectsize)) /* unknown: 0 as a least, -1 as a greatest size */
        return LLVMIsNull(LLVMGetOperand(i, 1)) ? LLVMConstAllOnes(LLVMTypeOf(i))
                                                : LLVMConstNull(LLVMTypeOf(i));
    if (lw__ir_calls(i, LW_LLVM_get_rounding))
        return LLVMConstInt(LLVMTypeOf(i), 1, 0); /* to nearest, see docs/kernel-language.md */
    static const enum lw__intrinsic same[] = {LW_LLVM_fence, LW_LLVM_annotation,
                                              LW_LLVM_ptr_annotation, LW_LLVM_expect,
                                              LW_LLVM_expect_with};
    for (size_t k = 0; k < sizeof same / sizeof *same; k++)
        if (lw__ir_calls(i, same[k]))
            return LLVMGetOperand(i, 0);
    return NULL;
}

/* The replacement, or NULL if it may stay. frem is C's fmod: C has no operator for it. */
static LLVMValueRef rewritten(struct builtin_work *w, LLVMValueRef i)
{
    if (LLVMGetInstructionOpcode(i) == LLVMFRem) {
        LLVMTypeRef type = LLVMTypeOf(i);
        LLVMValueRef args[] = {widened(w, LLVMGetOperand(i, 0)), widened(w, LLVMGetOperand(i, 1))};
        LLVMTypeRef scalar = lw__ir_scalar(LLVMTypeOf(args[0]));
        return is_float_or_double(scalar) ? narrowed(w, maths(w, "fmod", scalar, args, 2), type)
                                          : NULL;
    }
    if (!LLVMIsACallInst(i))
        return NULL;
    const char *name = lw__ir_callee(i);
    LLVMValueRef callee = LLVMGetCalledValue(i);
    if (!LLVMIsAFunction(callee) || !LLVMIsDeclaration(callee))
        return NULL;
    if (!starts_with(name, "llvm."))
        return rewrite_library_call(w, i, name);
    /* if a kernel declares one by such a name, it is refused */
    return LLVMGetSubprogram(callee) ? NULL : rewrite_intrinsic(w, i);
}

static bool is_own_prefetch(LLVMValueRef i)
{
    return lw__ir_calls(i, LW_LLVM_prefetch) &&
           LLVMIsAAllocaInst(lw__ir_object(LLVMGetOperand(i, 0)));
}

/* lw__pass_builtin - clang's builtins become devlib's functions and plain instructions.
 * needs SIGNATURE   makes BUILTIN
 */
bool lw__pass_builtin(struct lw__unit *unit)
{
    LLVMContextRef c = unit->context;
    struct builtin_work w = {unit->module, c, LLVMCreateBuilderInContext(c),
                             LLVMInt32TypeInContext(c), LLVMFloatTypeInContext(c)};
    EACH_FUNCTION(f, unit->module)
        EACH_INSTRUCTION_OF_SAFE(i, f) {
            lw__where_at(unit, i);
            LLVMPositionBuilderBefore(w.b, i);
            if (LLVMCanValueUseFastMathFlags(i))
                LLVMSetFastMathFlags(i, LLVMFastMathNone);
            if (lw__ir_rewrite_access(w.module, w.b, i))
                continue;
            /* clang says that clz and ctz of 0 have no value. In the language they have: the
             * width. */
            if (lw__ir_calls(i, LW_LLVM_ctlz) || lw__ir_calls(i, LW_LLVM_cttz))
                LLVMSetOperand(i, 1, LLVMConstNull(LLVMTypeOf(LLVMGetOperand(i, 1))));
            LLVMValueRef instead = rewritten(&w, i);
            if (instead)
                LLVMReplaceAllUsesWith(i, instead);
            if (instead || is_own_prefetch(i) || lw__ir_calls(i, LW_LLVM_var_annotation))
                LLVMInstructionEraseFromParent(i);
        }
    LLVMDisposeBuilder(w.b);
    return true;
}
