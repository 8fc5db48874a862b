#include <lanewise/kernel.h>

KERNEL void layer_norm(int rows, int cols, float out[rows][cols], const float in[rows][cols],
                       const float gain[cols], const float shift[cols])
{
    int r = block_idx.x;
    float mean = 0; /* YOUR TURN */
    float var = 1;  /* YOUR TURN */

    for (int c = thread_idx.x; c < cols; c += block_dim.x)
        out[r][c] = (in[r][c] - mean) * rsqrt(var + 1e-5f) * gain[c] + shift[c];
}
