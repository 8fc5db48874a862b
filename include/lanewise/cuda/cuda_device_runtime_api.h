/* cuda_device_runtime_api.h - a part of CUDA; cuda_runtime.h has all. */
#ifndef LANEWISE_CUDA_CUDA_DEVICE_RUNTIME_API_H
#define LANEWISE_CUDA_CUDA_DEVICE_RUNTIME_API_H

#include "cuda_runtime.h"

#endif
