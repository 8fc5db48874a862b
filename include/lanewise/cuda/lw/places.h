/* places.h - threadIdx, blockIdx, blockDim, gridDim, warpSize.
 *
 * Each is an object without a state. A read of its members x, y, z calls the compiler's operation.
 * They are unsigned, read only, and convert to uint3 and dim3.
 */
#ifndef LANEWISE_CUDA_PLACES_H
#define LANEWISE_CUDA_PLACES_H

#include "operations.h"
#include "vector_types.h"

#define LW_PLACE_VARIABLE(variable, name)                                                          \
    struct lw_##name##_type {                                                                      \
        __declspec(property(get = lw_x)) unsigned x;                                               \
        __declspec(property(get = lw_y)) unsigned y;                                               \
        __declspec(property(get = lw_z)) unsigned z;                                               \
        static LW_MEMBER unsigned lw_x() { return (unsigned)lw_##name##_x(); }                     \
        static LW_MEMBER unsigned lw_y() { return (unsigned)lw_##name##_y(); }                     \
        static LW_MEMBER unsigned lw_z() { return (unsigned)lw_##name##_z(); }                     \
        LW_MEMBER operator uint3() const { return uint3{lw_x(), lw_y(), lw_z()}; }                 \
        LW_MEMBER operator dim3() const { return dim3(lw_x(), lw_y(), lw_z()); }                   \
    };                                                                                             \
    static __device__ const lw_##name##_type variable = {};
LW_PLACE_VARIABLE(threadIdx, thread_idx)
LW_PLACE_VARIABLE(blockIdx, block_idx)
LW_PLACE_VARIABLE(blockDim, block_dim)
LW_PLACE_VARIABLE(gridDim, grid_dim)
#undef LW_PLACE_VARIABLE

static __device__ const int warpSize = 32;

#endif
