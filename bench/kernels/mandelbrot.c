/* mandelbrot - how many steps of z = z z + c stay within |z| <= 2, up to 256, for a c of each pixel
 * of [-2.5, 1] x [-1.25, 1.25]. Neighbours leave the loop at different trips. Nothing is fused: the
 * number of steps depends on each rounding.
 */
#include <lanewise/kernel.h>

enum { STEPS = 256 };

KERNEL void mandelbrot(int rows, int cols, float out[rows][cols])
{
    int c = global_idx.x, r = global_idx.y;
    if (c >= cols || r >= rows)
        return;
    float x0 = -2.5f + c * (3.5f / cols), y0 = -1.25f + r * (2.5f / rows);
    float x = 0, y = 0;
    int step;
    for (step = 0; step < STEPS; step++) {
        float xx = x * x, yy = y * y;
        if (xx + yy > 4)
            break;
        y = 2 * x * y + y0;
        x = xx - yy + x0;
    }
    out[r][c] = step;
}
