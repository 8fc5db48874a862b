/* cuda_profiler_api.h - the profiler's functions of the runtime. C and C++. */
#ifndef LANEWISE_CUDA_CUDA_PROFILER_API_H
#define LANEWISE_CUDA_CUDA_PROFILER_API_H

#include "lw/runtime_functions.h"

#endif
