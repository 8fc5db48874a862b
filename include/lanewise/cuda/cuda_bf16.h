/* cuda_bf16.h - __nv_bfloat16 and __nv_bfloat162, their conversions, arithmetic and maths. */
#ifndef LANEWISE_CUDA_CUDA_BF16_H
#define LANEWISE_CUDA_CUDA_BF16_H
#define __CUDA_BF16_H__

#include "cuda_runtime.h"

#if defined(__CUDA__) && defined(__clang__)
#include "lw/half_types.h"

#define LW_T __nv_bfloat16
#define LW_T2 __nv_bfloat162
#define LW_S __bf16
#define LW_H(before, after) before##bfloat16##after
#define LW_H2(before, after) before##bfloat162##after
#define LW_BROADCAST __bfloat162bfloat162
#include "lw/half_functions.h"
#undef LW_T
#undef LW_T2
#undef LW_S
#undef LW_H
#undef LW_H2
#undef LW_BROADCAST
#else
/* A host compiler sees the bits. */
typedef struct __attribute__((aligned(2))) __nv_bfloat16 {
    unsigned short __x;
} __nv_bfloat16;
typedef struct __attribute__((aligned(4))) __nv_bfloat162 {
    __nv_bfloat16 x, y;
} __nv_bfloat162;
typedef __nv_bfloat16 nv_bfloat16;
typedef __nv_bfloat162 nv_bfloat162;
#endif

#endif
