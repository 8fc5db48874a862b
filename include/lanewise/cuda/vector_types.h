/* vector_types.h - int2, float4 and so on. C and C++. */
#ifndef LANEWISE_CUDA_VECTOR_TYPES_H
#define LANEWISE_CUDA_VECTOR_TYPES_H

#include "lw/vector_types.h"

#endif
