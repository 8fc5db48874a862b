/* special.h - the special functions of CUDA's maths that are no operation of Lanewise. */
#ifndef LANEWISE_CUDA_SPECIAL_H
#define LANEWISE_CUDA_SPECIAL_H

#include "libdevice.h"

#define LW_NONE_1(name)                                                                            \
    __device__ float __nv_##name##f(float);                                                        \
    __device__ double __nv_##name(double);
LW_NONE_1(cyl_bessel_i0) LW_NONE_1(cyl_bessel_i1) LW_NONE_1(erfcinv) LW_NONE_1(erfcx)
LW_NONE_1(erfinv) LW_NONE_1(j0) LW_NONE_1(j1) LW_NONE_1(y0) LW_NONE_1(y1) LW_NONE_1(lgamma)
LW_NONE_1(tgamma) LW_NONE_1(normcdf) LW_NONE_1(normcdfinv)
__device__ float __nv_jnf(int, float);
__device__ double __nv_jn(int, double);
__device__ float __nv_ynf(int, float);
__device__ double __nv_yn(int, double);

#endif
