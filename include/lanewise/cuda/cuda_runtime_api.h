/* cuda_runtime_api.h - the functions of the runtime. C and C++. */
#ifndef LANEWISE_CUDA_CUDA_RUNTIME_API_H
#define LANEWISE_CUDA_CUDA_RUNTIME_API_H

#include "lw/runtime_functions.h"

#endif
