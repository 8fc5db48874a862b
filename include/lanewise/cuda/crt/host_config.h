/* crt/host_config.h - CUDA's words. C and C++. */
#ifndef LANEWISE_CUDA_CRT_HOST_CONFIG_H
#define LANEWISE_CUDA_CRT_HOST_CONFIG_H

#include "../lw/keywords.h"

#endif
