/* driver_functions.h - make_cudaExtent and its like; cuda_runtime.h has them. */
#ifndef LANEWISE_CUDA_DRIVER_FUNCTIONS_H
#define LANEWISE_CUDA_DRIVER_FUNCTIONS_H

#include "cuda_runtime.h"

#endif
