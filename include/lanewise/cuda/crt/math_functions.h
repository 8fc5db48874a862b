/* crt/math_functions.h - functions of the device; cuda_runtime.h has all. */
#ifndef LANEWISE_CUDA_CRT_MATH_FUNCTIONS_H
#define LANEWISE_CUDA_CRT_MATH_FUNCTIONS_H

#include "../cuda_runtime.h"

#endif
