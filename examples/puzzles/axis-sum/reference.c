#include <lanewise/kernel.h>

KERNEL void reference(int rows, int cols, double *out, const float *in)
{
    for (int r = 0; r < rows; r++) {
        out[r] = 0;
        for (int c = 0; c < cols; c++)
            out[r] += in[r * cols + c];
    }
}
