/* curand_normal.h - curand_kernel.h has all. */
#ifndef LANEWISE_CUDA_CURAND_NORMAL_H
#define LANEWISE_CUDA_CURAND_NORMAL_H

#include "curand_kernel.h"

#endif
