/* vector_functions.h - make_int2 and its like: a vector from its elements, on host and device. */
#ifndef LANEWISE_CUDA_VECTOR_FUNCTIONS_H
#define LANEWISE_CUDA_VECTOR_FUNCTIONS_H
#define __VECTOR_FUNCTIONS_H__

#include "vector_types.h"

#define LW_MAKE_VECTORS(T, name)                                                                   \
    LW_BOTH name##1 make_##name##1(T x)                                                            \
    {                                                                                              \
        name##1 v;                                                                                 \
        v.x = x;                                                                                   \
        return v;                                                                                  \
    }                                                                                              \
    LW_BOTH name##2 make_##name##2(T x, T y)                                                       \
    {                                                                                              \
        name##2 v;                                                                                 \
        v.x = x, v.y = y;                                                                          \
        return v;                                                                                  \
    }                                                                                              \
    LW_BOTH name##3 make_##name##3(T x, T y, T z)                                                  \
    {                                                                                              \
        name##3 v;                                                                                 \
        v.x = x, v.y = y, v.z = z;                                                                 \
        return v;                                                                                  \
    }                                                                                              \
    LW_BOTH name##4 make_##name##4(T x, T y, T z, T w)                                             \
    {                                                                                              \
        name##4 v;                                                                                 \
        v.x = x, v.y = y, v.z = z, v.w = w;                                                        \
        return v;                                                                                  \
    }

LW_MAKE_VECTORS(signed char, char)
LW_MAKE_VECTORS(unsigned char, uchar)
LW_MAKE_VECTORS(short, short)
LW_MAKE_VECTORS(unsigned short, ushort)
LW_MAKE_VECTORS(int, int)
LW_MAKE_VECTORS(unsigned, uint)
LW_MAKE_VECTORS(long, long)
LW_MAKE_VECTORS(unsigned long, ulong)
LW_MAKE_VECTORS(long long, longlong)
LW_MAKE_VECTORS(unsigned long long, ulonglong)
LW_MAKE_VECTORS(float, float)
LW_MAKE_VECTORS(double, double)
#undef LW_MAKE_VECTORS

#endif
