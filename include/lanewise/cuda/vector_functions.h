/* vector_functions.h - make_float4 and so on. C and C++. */
#ifndef LANEWISE_CUDA_VECTOR_FUNCTIONS_H
#define LANEWISE_CUDA_VECTOR_FUNCTIONS_H

#include "lw/vector_functions.h"

#endif
