/* sum_gpu.c - the kernels of sum.c, which load more at a time. */
#define GPU
#include "sum.c"
