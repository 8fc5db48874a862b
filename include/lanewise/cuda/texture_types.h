/* texture_types.h - types of textures and surfaces; the runtime's types have them. */
#ifndef LANEWISE_CUDA_TEXTURE_TYPES_H
#define LANEWISE_CUDA_TEXTURE_TYPES_H

#include "lw/runtime_types.h"

#endif
