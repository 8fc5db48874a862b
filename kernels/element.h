/* element.h - elements whose dtype is an argument of the launch.
 *
 * `type` is the same for all threads, so each `switch` below is one branch for a block and the
 * loads behind it are those of a kernel that was written for the type. An element is loaded as one
 * of four types that hold it exactly: float, double, int64_t, uint64_t (u64 as int64_t wraps). It
 * is stored by one conversion, with the language's rules: to nearest, toward zero and saturated
 * from floating point to integers, integers wrap, bool is != 0.
 */
#ifndef LW_KERNELS_ELEMENT_H
#define LW_KERNELS_ELEMENT_H
#include <lanewise/kernel.h>

/* ORDER DTYPE: enum lw_dtype in lanewise.h. */
enum dtype {
    DT_I8,
    DT_I16,
    DT_I32,
    DT_I64,
    DT_U8,
    DT_U16,
    DT_U32,
    DT_U64,
    DT_BOOL,
    DT_F16,
    DT_BF16,
    DT_F32,
    DT_F64
};

/* clang-format off */
#define INTEGER_TYPES(X)                                                                           \
    X(DT_I8, int8_t) X(DT_I16, int16_t) X(DT_I32, int32_t) X(DT_I64, int64_t)                      \
    X(DT_U8, uint8_t) X(DT_U16, uint16_t) X(DT_U32, uint32_t) X(DT_U64, uint64_t)                  \
    X(DT_BOOL, bool)
#define ELEMENT_TYPES(X)                                                                           \
    INTEGER_TYPES(X) X(DT_F16, _Float16) X(DT_BF16, __bf16) X(DT_F32, float) X(DT_F64, double)
/* clang-format on */

DEVICE static size_t element_size(int type)
{
    switch (type) {
#define ELEMENT_SIZE_CASE(code, T)                                                                 \
    case code: return sizeof(T);
        ELEMENT_TYPES(ELEMENT_SIZE_CASE)
#undef ELEMENT_SIZE_CASE
    default: return 0;
    }
}

/* load_float(x, type, i) and the like: element i of x; load_int64: of integers and bool. */
#define ELEMENT_LOAD(name, A, TYPES)                                                               \
    DEVICE static A name(const void *x, int type, size_t i)                                        \
    {                                                                                              \
        switch (type) {                                                                            \
            TYPES(ELEMENT_LOAD_CASE)                                                               \
        default: return 0;                                                                         \
        }                                                                                          \
    }
#define ELEMENT_LOAD_CASE(code, T)                                                                 \
    case code: return ((const T *)x)[i];
ELEMENT_LOAD(load_float, float, ELEMENT_TYPES)
ELEMENT_LOAD(load_double, double, ELEMENT_TYPES)
ELEMENT_LOAD(load_int64, int64_t, INTEGER_TYPES)

/* u64 alone has values that int64_t lacks. */
DEVICE static uint64_t load_uint64(const void *x, int type, size_t i)
{
    (void)type;
    return ((const uint64_t *)x)[i];
}

/* store_float(out, type, i, v) and the like: out[i] = v, rounded once. */
#define ELEMENT_STORE(name, A)                                                                     \
    DEVICE static void name(void *out, int type, size_t i, A v)                                    \
    {                                                                                              \
        switch (type) {                                                                            \
            ELEMENT_TYPES(ELEMENT_STORE_CASE)                                                      \
        default: break;                                                                            \
        }                                                                                          \
    }
#define ELEMENT_STORE_CASE(code, T)                                                                \
    case code: ((T *)out)[i] = (T)v; break;
ELEMENT_STORE(store_float, float)
ELEMENT_STORE(store_double, double)
ELEMENT_STORE(store_int64, int64_t)
ELEMENT_STORE(store_uint64, uint64_t)

/* ---- floating types alone: less code ---- */

/* Of f16, bf16, f32; of f64. */
DEVICE static float load_real_float(const void *x, int type, size_t i)
{
    if (type == DT_F32)
        return ((const float *)x)[i];
    if (type == DT_F16)
        return ((const _Float16 *)x)[i];
    return ((const __bf16 *)x)[i];
}
DEVICE static double load_real_double(const void *x, int type, size_t i)
{
    (void)type;
    return ((const double *)x)[i];
}

/* One rounding, to any floating type. */
DEVICE static void store_real_float(void *out, int type, size_t i, float v)
{
    if (type == DT_F32)
        ((float *)out)[i] = v;
    else if (type == DT_F16)
        ((_Float16 *)out)[i] = (_Float16)v;
    else if (type == DT_BF16)
        ((__bf16 *)out)[i] = (__bf16)v;
    else
        ((double *)out)[i] = v;
}
DEVICE static void store_real_double(void *out, int type, size_t i, double v)
{
    if (type == DT_F64)
        ((double *)out)[i] = v;
    else if (type == DT_F32)
        ((float *)out)[i] = (float)v;
    else if (type == DT_F16)
        ((_Float16 *)out)[i] = (_Float16)v;
    else
        ((__bf16 *)out)[i] = (__bf16)v;
}
#endif
