/* curand_poisson.h - curand_kernel.h has all. */
#ifndef LANEWISE_CUDA_CURAND_POISSON_H
#define LANEWISE_CUDA_CURAND_POISSON_H

#include "curand_kernel.h"

#endif
