#include <lanewise/kernel.h>

KERNEL void reference(int rows, int cols, int inner, double *out, const float *a, const float *b)
{
    for (int i = 0; i < rows * cols; i++) {
        out[i] = 0;
        for (int k = 0; k < inner; k++)
            out[i] += (double)a[i / cols * inner + k] * b[k * cols + i % cols];
    }
}
