/* softmax_gpu.c - the kernels of softmax.c, which load a whole leaf at a time. */
#define GPU
#include "softmax.c"
