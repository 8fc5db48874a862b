/* dot_vector.c - dot.c for vectors of more than 128 bits: rows may be strided. */
#define VECTOR_LEVELS
#include "dot.c"
