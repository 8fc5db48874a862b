#include <lanewise/kernel.h>

#ifndef SIZE
#define SIZE 8
#endif

KERNEL BLOCK(SIZE, SIZE) void matmul(int rows, int cols, int inner, float out[rows][cols],
                                     const float a[rows][inner], const float b[inner][cols])
{
    SHARED float ta[SIZE][SIZE], tb[SIZE][SIZE];
    int x = thread_idx.x, y = thread_idx.y;
    int c = global_idx.x, r = global_idx.y;
    float sum = 0;

    /* YOUR TURN: tile by tile, through ta and tb. */

    if (r < rows && c < cols)
        out[r][c] = sum;
}
