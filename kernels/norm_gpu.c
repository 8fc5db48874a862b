/* norm_gpu.c - the kernels of norm.c, which load a whole leaf at a time. */
#define GPU
#include "norm.c"
