/* curand_uniform.h - curand_kernel.h has all. */
#ifndef LANEWISE_CUDA_CURAND_UNIFORM_H
#define LANEWISE_CUDA_CURAND_UNIFORM_H

#include "curand_kernel.h"

#endif
