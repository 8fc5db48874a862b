/* channel_descriptor.h - cudaCreateChannelDesc; cuda_runtime.h has it. */
#ifndef LANEWISE_CUDA_CHANNEL_DESCRIPTOR_H
#define LANEWISE_CUDA_CHANNEL_DESCRIPTOR_H

#include "cuda_runtime.h"

#endif
