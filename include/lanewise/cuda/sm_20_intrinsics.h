/* sm_20_intrinsics.h - a part of CUDA; cuda_runtime.h has all. */
#ifndef LANEWISE_CUDA_SM_20_INTRINSICS_H
#define LANEWISE_CUDA_SM_20_INTRINSICS_H

#include "cuda_runtime.h"

#endif
