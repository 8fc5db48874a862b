#include <lanewise/kernel.h>

KERNEL void matmul(int r, int c, int d, double *out, const float *a, const float *b)
{
    for (int i = 0; i < r * c; i++) {
        out[i] = 0;
        for (int k = 0; k < d; k++)
            out[i] += (double)a[i / c * d + k] * b[k * c + i % c];
    }
}

KERNEL void softmax(int n, double *y, const float *x)
{
    double largest = -INFINITY, sum = 0;
    for (int i = 0; i < n; i++)
        largest = max(largest, (double)x[i]);
    for (int i = 0; i < n; i++)
        sum += exp(x[i] - largest);
    for (int i = 0; i < n; i++)
        y[i] = exp(x[i] - largest) / sum;
}

KERNEL void attention(int n, int d, double *out, const float *q, const float *K, const float *V)
{
    double sum = 0;
    for (int j = 0; j < d; j++)
        out[j] = 0;
    for (int i = 0; i < n; i++) {
        double score = 0;
        for (int j = 0; j < d; j++)
            score += (double)q[j] * K[i * d + j];
        sum += exp(score);
        for (int j = 0; j < d; j++)
            out[j] += exp(score) * V[i * d + j];
    }
    for (int j = 0; j < d; j++)
        out[j] /= sum;
}
