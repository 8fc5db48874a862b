#include <lanewise/kernel.h>

KERNEL void reference(int n, double *out, const float *a, const float *b)
{
    double sum = 0;
    for (int i = 0; i < n; i++)
        sum += (double)a[i] * (double)b[i];
    *out = sum;
}

KERNEL void of_bytes(int n, double *out, const int8_t *a, const int8_t *b)
{
    double sum = 0;
    for (int i = 0; i < n; i++)
        sum += (double)a[i] * (double)b[i];
    *out = sum;
}

KERNEL void with_bool(int n, double *out, const float *a, const bool *b)
{
    double sum = 0;
    for (int i = 0; i < n; i++)
        sum += (double)a[i] * (double)b[i];
    *out = sum;
}

KERNEL void with_double(int n, double *out, const float *a, const double *b)
{
    double sum = 0;
    for (int i = 0; i < n; i++)
        sum += (double)a[i] * (double)b[i];
    *out = sum;
}

KERNEL void with_bytes(int n, double *out, const int8_t *a, const float *b)
{
    double sum = 0;
    for (int i = 0; i < n; i++)
        sum += (double)a[i] * (double)b[i];
    *out = sum;
}
