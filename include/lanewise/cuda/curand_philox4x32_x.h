/* curand_philox4x32_x.h - curand_kernel.h has all. */
#ifndef LANEWISE_CUDA_CURAND_PHILOX4X32_X_H
#define LANEWISE_CUDA_CURAND_PHILOX4X32_X_H

#include "curand_kernel.h"

#endif
