/* curand_globals.h - curand_kernel.h has all. */
#ifndef LANEWISE_CUDA_CURAND_GLOBALS_H
#define LANEWISE_CUDA_CURAND_GLOBALS_H

#include "curand_kernel.h"

#endif
