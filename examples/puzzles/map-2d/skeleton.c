#include <lanewise/kernel.h>

KERNEL void flip_rows(int rows, int cols, float out[rows][cols], const float in[rows][cols])
{
    int c = 0, r = 0; /* YOUR TURN: this thread's column and row, */

    out[r][c] = in[r][c]; /* a guard, and where the element comes from. */
}
