/* extreme_gpu.c - the kernels of extreme.c with the columns of a GPU's blocks. */
#define GPU
#include "extreme.c"
