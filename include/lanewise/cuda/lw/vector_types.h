/* vector_types.h - CUDA's vector types: structs with its sizes and alignments, and no operators.
 *
 * Two elements are aligned to twice the element and four to 16 bytes at most; three elements have
 * the alignment of one. C programs and both passes of clang see the same layouts.
 */
#ifndef LANEWISE_CUDA_VECTOR_TYPES_H
#define LANEWISE_CUDA_VECTOR_TYPES_H
#define __VECTOR_TYPES_H__

#include "keywords.h"

#define LW_VECTOR_TYPES(T, name, align2, align4)                                                   \
    struct name##1 {                                                                               \
        T x;                                                                                       \
    };                                                                                             \
    struct __attribute__((aligned(align2))) name##2 {                                              \
        T x, y;                                                                                    \
    };                                                                                             \
    struct name##3 {                                                                               \
        T x, y, z;                                                                                 \
    };                                                                                             \
    struct __attribute__((aligned(align4))) name##4 {                                              \
        T x, y, z, w;                                                                              \
    };                                                                                             \
    typedef struct name##1 name##1;                                                                \
    typedef struct name##2 name##2;                                                                \
    typedef struct name##3 name##3;                                                                \
    typedef struct name##4 name##4;

LW_VECTOR_TYPES(signed char, char, 2, 4)
LW_VECTOR_TYPES(unsigned char, uchar, 2, 4)
LW_VECTOR_TYPES(short, short, 4, 8)
LW_VECTOR_TYPES(unsigned short, ushort, 4, 8)
LW_VECTOR_TYPES(int, int, 8, 16)
LW_VECTOR_TYPES(unsigned, uint, 8, 16)
LW_VECTOR_TYPES(long, long, 16, 16)
LW_VECTOR_TYPES(unsigned long, ulong, 16, 16)
LW_VECTOR_TYPES(long long, longlong, 16, 16)
LW_VECTOR_TYPES(unsigned long long, ulonglong, 16, 16)
LW_VECTOR_TYPES(float, float, 8, 16)
LW_VECTOR_TYPES(double, double, 16, 16)
#undef LW_VECTOR_TYPES

/* The extent of a grid or a block. In C++ what is left out is 1. */
struct dim3 {
    unsigned x, y, z;
#ifdef __cplusplus
    __host__ __device__ constexpr dim3(unsigned vx = 1, unsigned vy = 1, unsigned vz = 1)
        : x(vx), y(vy), z(vz)
    {
    }
    __host__ __device__ constexpr dim3(uint3 v) : x(v.x), y(v.y), z(v.z) {}
    __host__ __device__ constexpr operator uint3() const { return uint3{x, y, z}; }
#endif
};
typedef struct dim3 dim3;

#endif
