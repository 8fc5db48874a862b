/* reference.c - what every variant has to give, in plain C and double.
 */
#include "bench.h"
#include <math.h>
#include <string.h>

void reference_dot(const struct work *w, double *want)
{
    const float *b = w->b;
    double sum = 0;
    for (size_t i = 0; i < w->n; i++)
        sum += (double)w->a[i] * b[i];
    want[0] = sum;
}

void reference_dot_bool(const struct work *w, double *want)
{
    const bool *b = w->b;
    double sum = 0;
    for (size_t i = 0; i < w->n; i++)
        sum += b[i] ? (double)w->a[i] : 0;
    want[0] = sum;
}

void reference_difference(const struct work *w, double *want)
{
    for (size_t i = 0; i + 1 < w->n; i++)
        want[i] = (double)w->a[i + 1] - w->a[i];
}

void reference_average(const struct work *w, double *want)
{
    for (size_t i = 0; i + 2 < w->n; i++)
        want[i] = ((double)w->a[i] + w->a[i + 1] + w->a[i + 2]) / 3;
}

void reference_normalise(const struct work *w, double *want)
{
    enum { GROUP = 128 };
    for (size_t i = 0; i < w->n; i += GROUP) {
        double sum = 0;
        for (size_t k = i; k < i + GROUP; k++)
            sum += w->a[k];
        for (size_t k = i; k < i + GROUP; k++)
            want[k] = w->a[k] / (sum / GROUP);
    }
}

void reference_softmax(const struct work *w, double *want)
{
    for (size_t r = 0; r < w->rows; r++) {
        const float *x = w->a + r * w->cols;
        double *y = want + r * w->cols, sum = 0;
        for (size_t c = 0; c < w->cols; c++)
            sum += y[c] = exp(x[c]);
        for (size_t c = 0; c < w->cols; c++)
            y[c] /= sum;
    }
}

void reference_transpose(const struct work *w, double *want)
{
    for (size_t r = 0; r < w->rows; r++)
        for (size_t c = 0; c < w->cols; c++)
            want[c * w->rows + r] = w->a[r * w->cols + c];
}

void reference_scan(const struct work *w, double *want)
{
    enum { BLOCK = 256 };
    double sum = 0;
    for (size_t i = 0; i < w->n; i++) {
        sum = (i % BLOCK ? sum : 0) + w->a[i];
        want[i] = sum;
    }
}

void reference_matmul(const struct work *w, double *want)
{
    const float *b = w->b;
    size_t n = w->rows;
    memset(want, 0, n * n * sizeof *want);
    for (size_t i = 0; i < n; i++)
        for (size_t k = 0; k < n; k++)
            for (size_t j = 0; j < n; j++)
                want[i * n + j] += (double)w->a[i * n + k] * b[k * n + j];
}
