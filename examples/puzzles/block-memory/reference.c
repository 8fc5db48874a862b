#include <lanewise/kernel.h>

KERNEL void reference(int grid, double *x)
{
    for (int b = 0; b < grid; b++)
        for (int t = 0; t < 32; t++) {
            double other = x[b * 64 + 63 - t];
            x[b * 64 + 63 - t] = x[b * 64 + t];
            x[b * 64 + t] = other;
        }
}
