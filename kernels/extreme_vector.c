/* extreme_vector.c - extreme.c for vectors of more than 128 bits: rows may be strided. */
#define VECTOR_LEVELS
#include "extreme.c"
