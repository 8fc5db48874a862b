/* Two rods take turns, so one barrier in a step is enough.
 *
 * Behind the barrier of a step all cells of `to` are written, and all reads of `from` are done. So
 * the next step may read the one and overwrite the other. Waves, fluids and the game of life are
 * computed in this way; larger ones take a launch for each step, and two arrays in global memory.
 */
#include <lanewise/kernel.h>

KERNEL void heat(int n, int steps, float *x)
{
    SHARED float rod[2][256];
    int i = thread_idx.x;
    if (i < n)
        rod[0][i] = x[i];
    barrier();

    for (int s = 0; s < steps; s++) {
        const float *from = rod[s % 2];
        float *to = rod[1 - s % 2];
        if (i > 0 && i < n - 1)
            to[i] = (from[i - 1] + 2 * from[i] + from[i + 1]) / 4;
        else if (i < n)
            to[i] = from[i];
        barrier();
    }

    if (i < n)
        x[i] = rod[steps % 2][i];
}
