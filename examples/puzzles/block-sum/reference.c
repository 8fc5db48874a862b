#include <lanewise/kernel.h>

KERNEL void reference(int n, double *out, const float *a, const float *b)
{
    double sum = 0;
    for (int i = 0; i < n; i++)
        sum += (double)a[i] * b[i];
    out[0] = sum;
}
