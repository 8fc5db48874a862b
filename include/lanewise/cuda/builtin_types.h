/* builtin_types.h - the types of CUDA. C and C++. */
#ifndef LANEWISE_CUDA_BUILTIN_TYPES_H
#define LANEWISE_CUDA_BUILTIN_TYPES_H

#include "lw/runtime_types.h"

#endif
