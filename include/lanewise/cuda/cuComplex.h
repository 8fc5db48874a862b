/* cuComplex.h - complex numbers as pairs: cuFloatComplex, cuDoubleComplex. C and C++. */
#ifndef LANEWISE_CUDA_CUCOMPLEX_H
#define LANEWISE_CUDA_CUCOMPLEX_H
#define CU_COMPLEX_H_

#include <math.h>
#include "lw/vector_functions.h"

typedef float2 cuFloatComplex;
typedef double2 cuDoubleComplex;
typedef cuFloatComplex cuComplex;

/* f: the ending of C's functions. A quotient is scaled, so that it overflows only if it must. */
#define LW_COMPLEX(T, C, f)                                                                        \
    LW_BOTH T cuCreal##f(C z) { return z.x; }                                                      \
    LW_BOTH T cuCimag##f(C z) { return z.y; }                                                      \
    LW_BOTH C make_##C(T x, T y)                                                                   \
    {                                                                                              \
        C z;                                                                                       \
        z.x = x, z.y = y;                                                                          \
        return z;                                                                                  \
    }                                                                                              \
    LW_BOTH C cuConj##f(C z) { return make_##C(z.x, -z.y); }                                       \
    LW_BOTH C cuCadd##f(C a, C b) { return make_##C(a.x + b.x, a.y + b.y); }                       \
    LW_BOTH C cuCsub##f(C a, C b) { return make_##C(a.x - b.x, a.y - b.y); }                       \
    LW_BOTH C cuCmul##f(C a, C b)                                                                  \
    {                                                                                              \
        return make_##C(a.x * b.x - a.y * b.y, a.x * b.y + a.y * b.x);                             \
    }                                                                                              \
    LW_BOTH C cuCdiv##f(C a, C b)                                                                  \
    {                                                                                              \
        const T scale = 1 / (fabs##f(b.x) + fabs##f(b.y));                                         \
        const T ax = a.x * scale, ay = a.y * scale, bx = b.x * scale, by = b.y * scale;            \
        const T square = 1 / (bx * bx + by * by);                                                  \
        return make_##C((ax * bx + ay * by) * square, (ay * bx - ax * by) * square);               \
    }                                                                                              \
    LW_BOTH T cuCabs##f(C z) { return hypot##f(z.x, z.y); }
LW_COMPLEX(float, cuFloatComplex, f)
LW_COMPLEX(double, cuDoubleComplex, )
#undef LW_COMPLEX

LW_BOTH cuComplex make_cuComplex(float x, float y) { return make_cuFloatComplex(x, y); }
LW_BOTH cuDoubleComplex cuComplexFloatToDouble(cuFloatComplex z)
{
    return make_cuDoubleComplex(z.x, z.y);
}
LW_BOTH cuFloatComplex cuComplexDoubleToFloat(cuDoubleComplex z)
{
    return make_cuFloatComplex((float)z.x, (float)z.y);
}
/* x * y + z */
LW_BOTH cuComplex cuCfmaf(cuComplex x, cuComplex y, cuComplex z)
{
    return cuCaddf(cuCmulf(x, y), z);
}
LW_BOTH cuDoubleComplex cuCfma(cuDoubleComplex x, cuDoubleComplex y, cuDoubleComplex z)
{
    return cuCadd(cuCmul(x, y), z);
}

#endif
