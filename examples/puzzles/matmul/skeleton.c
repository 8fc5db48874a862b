#include <lanewise/kernel.h>

KERNEL void matmul(int rows, int cols, int inner, float out[rows][cols], const float a[rows][inner],
                   const float b[inner][cols])
{
    /* YOUR TURN: this thread's row of a times its column of b. */
}
