#include <lanewise/kernel.h>

KERNEL void reference(int rows, int cols, double *out, const float *in)
{
    for (int r = 0; r < rows; r++) {
        double m = -INFINITY, sum = 0;
        for (int c = 0; c < cols; c++)
            m = max(m, (double)in[r * cols + c]);
        for (int c = 0; c < cols; c++)
            sum += exp(in[r * cols + c] - m);
        for (int c = 0; c < cols; c++)
            out[r * cols + c] = exp(in[r * cols + c] - m) / sum;
    }
}
