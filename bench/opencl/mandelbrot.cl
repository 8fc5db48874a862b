#pragma OPENCL FP_CONTRACT OFF

__kernel void mandelbrot_kernel(int rows, int cols, __global float *out)
{
    int c = get_global_id(0), r = get_global_id(1);
    if (c >= cols || r >= rows)
        return;
    float x0 = -2.5f + c * (3.5f / cols), y0 = -1.25f + r * (2.5f / rows);
    float x = 0, y = 0;
    int step;
    for (step = 0; step < 256; step++) {
        float xx = x * x, yy = y * y;
        if (xx + yy > 4)
            break;
        y = 2 * x * y + y0;
        x = xx - yy + x0;
    }
    out[(size_t)r * cols + c] = step;
}
