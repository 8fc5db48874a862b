/* host_config.h - what a host compiler needs to know: here nothing but CUDA's words. */
#ifndef LANEWISE_CUDA_HOST_CONFIG_H
#define LANEWISE_CUDA_HOST_CONFIG_H

#include "lw/keywords.h"

#endif
