/* device_atomic_functions.h - a part of CUDA; cuda_runtime.h has all. */
#ifndef LANEWISE_CUDA_DEVICE_ATOMIC_FUNCTIONS_H
#define LANEWISE_CUDA_DEVICE_ATOMIC_FUNCTIONS_H

#include "cuda_runtime.h"

#endif
