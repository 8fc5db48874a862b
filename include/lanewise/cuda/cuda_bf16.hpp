/* cuda_bf16.hpp - cuda_bf16.h has all. */
#ifndef LANEWISE_CUDA_CUDA_BF16_HPP
#define LANEWISE_CUDA_CUDA_BF16_HPP

#include "cuda_bf16.h"

#endif
