#include <lanewise/kernel.h>

KERNEL void outer(int rows, int cols, float out[rows][cols], const float a[rows],
                  const float b[cols])
{
    /* YOUR TURN: this thread's element of the table. */
}
