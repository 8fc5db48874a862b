#include <lanewise/kernel.h>

KERNEL void reference(int rows, int cols, double *out, const float *in, const float *gain,
                      const float *shift)
{
    for (int r = 0; r < rows; r++) {
        double mean = 0, var = 0;
        for (int c = 0; c < cols; c++)
            mean += in[r * cols + c] / (double)cols;
        for (int c = 0; c < cols; c++)
            var += (in[r * cols + c] - mean) * (in[r * cols + c] - mean) / cols;
        for (int c = 0; c < cols; c++)
            out[r * cols + c] = (in[r * cols + c] - mean) / sqrt(var + 1e-5) * gain[c] + shift[c];
    }
}
