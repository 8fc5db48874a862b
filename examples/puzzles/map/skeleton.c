#include <lanewise/kernel.h>

KERNEL void convert(float *fahrenheit, const float *celsius)
{
    int i = thread_idx.x;

    /* YOUR TURN: this thread's temperature in Fahrenheit. */
}
