#include <lanewise/kernel.h>

KERNEL void reference(int rows, int cols, double *out, const float *a, const float *b)
{
    for (int r = 0; r < rows; r++)
        for (int c = 0; c < cols; c++)
            out[r * cols + c] = (double)a[r] * b[c];
}
