/* cuda_runtime.h - the runtime, and in CUDA files all that a kernel may call. C and C++. */
#ifndef LANEWISE_CUDA_CUDA_RUNTIME_H
#define LANEWISE_CUDA_CUDA_RUNTIME_H

#if defined(__CUDA__) && defined(__clang__)
#include "lanewise_cuda.h"
#elif defined(__cplusplus)
#include "lw/runtime_cpp.h"
#include "lw/vector_functions.h"
#else
#include "lw/runtime_functions.h"
#include "lw/vector_functions.h"
#endif

#endif
