/* device_launch_parameters.h - a part of CUDA; cuda_runtime.h has all. */
#ifndef LANEWISE_CUDA_DEVICE_LAUNCH_PARAMETERS_H
#define LANEWISE_CUDA_DEVICE_LAUNCH_PARAMETERS_H

#include "cuda_runtime.h"

#endif
