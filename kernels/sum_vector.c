/* sum_vector.c - sum.c for vectors of more than 128 bits: rows may be strided. */
#define VECTOR_LEVELS
#include "sum.c"
