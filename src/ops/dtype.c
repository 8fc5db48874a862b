/* dtype.c - what the types of elements become: accumulation, promotion. */
#include "ops/op.h"

bool lw__dtype_is_unsigned(lw_dtype dtype)
{
    return lw__dtypes[dtype].kind == 'u' || lw__dtypes[dtype].kind == 'b';
}

enum lw__accumulate lw__accumulate(lw_dtype in, lw_dtype out)
{
    if (!lw__dtype_is_float(in) && !lw__dtype_is_float(out))
        return LW_ACC_I64;
    return lw__dtype_is_float(in) && lw__dtype_is_float(out) && in != LW_F64 && out != LW_F64
               ? LW_ACC_F32
               : LW_ACC_F64;
}

const char *lw__accumulate_name(enum lw__accumulate type)
{
    static const char *const names[] = {"float", "double", "int64"}; /* ORDER ACCUMULATE */

    _Static_assert(sizeof names / sizeof *names == LW_ACC_I64 + 1, "ORDER ACCUMULATE");
    return names[type];
}

lw_dtype lw__accumulate_dtype(enum lw__accumulate type)
{
    static const lw_dtype dtypes[] = {LW_F32, LW_F64, LW_I64}; /* ORDER ACCUMULATE */

    _Static_assert(sizeof dtypes / sizeof *dtypes == LW_ACC_I64 + 1, "ORDER ACCUMULATE");
    return dtypes[type];
}

/* Of integers and bool: the smallest that holds both; u64 with a signed one is computed in 64 bits.
 */
static lw_dtype promote_integers(lw_dtype a, lw_dtype b)
{
    const bool a_unsigned = lw__dtype_is_unsigned(a), b_unsigned = lw__dtype_is_unsigned(b);
    const size_t size_a = lw_dtype_size(a), size_b = lw_dtype_size(b);

    if (a_unsigned == b_unsigned)
        return size_a >= size_b ? a : b;
    if (b_unsigned)
        return promote_integers(b, a); /* a is the unsigned one from here on */
    if (size_b > size_a)
        return b;
    _Static_assert(LW_I64 - LW_I8 == 3 && LW_U64 - LW_U8 == 3, "both rise by size");
    lw_dtype mixed = (lw_dtype)(LW_I8 + (a - LW_U8) + 1);
    return mixed > LW_I64 ? LW_I64 : mixed;
}

/* Of a float and an integer: a float that holds the integer's type, at most f64. */
static lw_dtype promote_mixed(lw_dtype f, lw_dtype i)
{
    const size_t size = lw_dtype_size(i);

    if (size >= 4)
        return LW_F64;
    return size == 2 && f != LW_F64 ? LW_F32 : f;
}

lw_dtype lw__promote(lw_dtype a, lw_dtype b)
{
    if (a == b || b == LW_BOOL)
        return a;
    if (a == LW_BOOL)
        return b;
    if (!lw__dtype_is_float(a) && !lw__dtype_is_float(b))
        return promote_integers(a, b);
    if (!lw__dtype_is_float(a))
        return promote_mixed(b, a);
    if (!lw__dtype_is_float(b))
        return promote_mixed(a, b);
    if (lw_dtype_size(a) == 2 && lw_dtype_size(b) == 2)
        return LW_F32;
    _Static_assert(LW_F16 < LW_F32 && LW_BF16 < LW_F32 && LW_F32 < LW_F64, "they rise");
    return a > b ? a : b; /* f16, bf16, f32, f64 rise */
}

uint64_t lw__dtype_mask(lw_dtype dtype)
{
    const size_t bits = 8 * lw_dtype_size(dtype);
    const uint64_t all = UINT64_MAX >> (64 - bits);

    return lw__dtype_is_float(dtype) ? all >> 1 : all;
}
