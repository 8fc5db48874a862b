#include <lanewise/kernel.h>

KERNEL void reference(int n, double *fahrenheit, const float *celsius)
{
    for (int i = 0; i < n; i++)
        fahrenheit[i] = 1.8 * celsius[i] + 32;
}
