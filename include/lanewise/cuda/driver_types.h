/* driver_types.h - the types of the runtime. C and C++. */
#ifndef LANEWISE_CUDA_DRIVER_TYPES_H
#define LANEWISE_CUDA_DRIVER_TYPES_H

#include "lw/runtime_types.h"

#endif
