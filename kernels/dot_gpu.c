/* dot_gpu.c - the kernels of dot.c, which load more at a time. */
#define GPU
#include "dot.c"
