/* cuda_fp16.h - __half and __half2, their conversions, arithmetic and maths. */
#ifndef LANEWISE_CUDA_CUDA_FP16_H
#define LANEWISE_CUDA_CUDA_FP16_H
#define __CUDA_FP16_H__

#include "cuda_runtime.h"

#if defined(__CUDA__) && defined(__clang__)
#include "lw/half_types.h"

#define LW_T __half
#define LW_T2 __half2
#define LW_S _Float16
#define LW_H(before, after) before##half##after
#define LW_H2(before, after) before##half2##after
#define LW_BROADCAST __half2half2
#include "lw/half_functions.h"
#undef LW_T
#undef LW_T2
#undef LW_S
#undef LW_H
#undef LW_H2
#undef LW_BROADCAST
#else
/* A host compiler sees the bits. */
typedef struct __attribute__((aligned(2))) __half {
    unsigned short __x;
} __half;
typedef struct __attribute__((aligned(4))) __half2 {
    __half x, y;
} __half2;
typedef __half half;
typedef __half2 half2;
#endif

#endif
