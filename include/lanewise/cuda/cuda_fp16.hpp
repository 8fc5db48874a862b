/* cuda_fp16.hpp - cuda_fp16.h has all. */
#ifndef LANEWISE_CUDA_CUDA_FP16_HPP
#define LANEWISE_CUDA_CUDA_FP16_HPP

#include "cuda_fp16.h"

#endif
