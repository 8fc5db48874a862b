/* maths.c - the functions of C's <math.h>, float and double.
 */
#include "common.h"

/* clang-format off */
#define ONE(X)                                                                                     \
    X(exp)                                                                                         \
    X(exp2)                                                                                        \
    X(log)                                                                                         \
    X(log2)                                                                                        \
    X(sin)                                                                                         \
    X(cos) X(tan) X(tanh) X(erf) X(sqrt) X(rsqrt) X(cbrt) X(fabs) X(floor) X(ceil) X(trunc)        \
        X(round) X(rint) X(logb) X(exp10) X(expm1) X(log10) X(log1p) X(sinh) X(cosh) X(asinh)      \
        X(acosh) X(atanh) X(asin) X(acos) X(atan) X(erfc)
/* clang-format on */
#define TWO(X) X(fmod) X(fmin) X(fmax) X(pow) X(copysign) X(fdim) X(remainder) X(hypot) X(atan2)

#define EACH_ONE(name)                                                                             \
    KERNEL void name##_float(float *out, const float *a, int n)                                    \
    {                                                                                              \
        if (I < n)                                                                                 \
            out[I] = name(a[I]);                                                                   \
    }                                                                                              \
    KERNEL void name##_double(double *out, const double *a, int n)                                 \
    {                                                                                              \
        if (I < n)                                                                                 \
            out[I] = name(a[I]);                                                                   \
    }
ONE(EACH_ONE)

#define EACH_TWO(name)                                                                             \
    KERNEL void name##_float(float *out, const float *a, const float *b, int n)                    \
    {                                                                                              \
        if (I < n)                                                                                 \
            out[I] = name(a[I], b[I]);                                                             \
    }                                                                                              \
    KERNEL void name##_double(double *out, const double *a, const double *b, int n)                \
    {                                                                                              \
        if (I < n)                                                                                 \
            out[I] = name(a[I], b[I]);                                                             \
    }
TWO(EACH_TWO)

KERNEL void fma_float(float *out, const float *a, const float *b, const float *c)
{
    out[I] = fma(a[I], b[I], c[I]);
}

KERNEL void fma_double(double *out, const double *a, const double *b, const double *c)
{
    out[I] = fma(a[I], b[I], c[I]);
}

/* No contraction, no reassociation. */
KERNEL void written(float *out, const float *a, const float *b)
{
    out[I] = a[I] * b[I] + a[I] - (b[I] + a[I] + 1.0f) / 3;
}

/* Whole numbers. */
KERNEL void whole(int *out, const int *a, const int *b, int n)
{
    if (I < n)
        out[I] = min(a[I], b[I]) ^ max(a[I], b[I]) * 3 ^ abs(a[I]) ^ clamp(a[I], b[I], 100) ^
                 mulhi(a[I], b[I]) ^ rotate_left(a[I], b[I]) ^ bitreverse(b[I]) ^ byte_swap(a[I]);
}

KERNEL void whole_wide(unsigned long *out, const unsigned long *a, const long *b, int n)
{
    if (I < n)
        out[I] = mulhi(a[I], 3ul) ^ (unsigned long)mulhi(b[I], (long)a[I]) ^
                 rotate_left(a[I], (int)b[I]) ^ (unsigned long)bitreverse(b[I]) ^ byte_swap(a[I]) ^
                 (unsigned long)clamp(b[I], -9l, (long)a[I]);
}

KERNEL void parts(float *out, const float *a, int n)
{
    int exponent = 7;
    if (I < n) {
        float fraction = frexp(a[I], &exponent);
        out[I] = ldexp(fraction, exponent / 2) + (isfinite(a[I]) ? signbit(a[I]) : 4);
    }
}
