/* crt/host_defines.h - CUDA's words. C and C++. */
#ifndef LANEWISE_CUDA_CRT_HOST_DEFINES_H
#define LANEWISE_CUDA_CRT_HOST_DEFINES_H

#include "../lw/keywords.h"

#endif
