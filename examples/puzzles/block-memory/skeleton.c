#include <lanewise/kernel.h>

#ifndef SIZE
#define SIZE 64
#endif

KERNEL BLOCK(SIZE) void reverse(float *x)
{
    SHARED float tile[SIZE];
    int t = thread_idx.x;
    size_t i = global_idx.x;

    /* YOUR TURN: put the element into the tile, wait for the others, take the right one. */
    tile[t] = x[i];
    x[i] = tile[t];
}
