/* reference.c - what every variant has to give, in plain C and double.
 */
#include "bench.h"
#include <math.h>
#include <stdlib.h>
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

/* In float, as the kernel does it: with other roundings an orbit leaves at another step. */
static int steps_of(float x0, float y0)
{
    float x = 0, y = 0;
    for (int step = 0; step < 256; step++) {
        float xx = x * x, yy = y * y;
        if (xx + yy > 4)
            return step;
        y = 2 * x * y + y0;
        x = xx - yy + x0;
    }
    return 256;
}

void reference_mandelbrot(const struct work *w, double *want)
{
    float dx = 3.5f / (float)w->cols, dy = 2.5f / (float)w->rows;
    for (size_t r = 0; r < w->rows; r++)
        for (size_t c = 0; c < w->cols; c++)
            want[r * w->cols + c] = steps_of(-2.5f + (float)c * dx, -1.25f + (float)r * dy);
}

/* The pull of all bodies on one, along x, y and z, into sum. */
static void reference_pull(const struct work *w, size_t i, double sum[3])
{
    size_t n = w->cols;
    for (size_t k = 0; k < n; k++) {
        double apart[3], far = 1e-3f;
        for (size_t d = 0; d < 3; d++) {
            apart[d] = (double)w->a[d * n + k] - w->a[d * n + i];
            far += apart[d] * apart[d];
        }
        for (size_t d = 0; d < 3; d++)
            sum[d] += apart[d] * w->a[3 * n + k] / (far * sqrt(far));
    }
}

void reference_nbody(const struct work *w, double *want)
{
    for (size_t i = 0; i < w->cols; i++) {
        double sum[3] = {0};
        reference_pull(w, i, sum);
        for (size_t d = 0; d < 3; d++)
            want[d * w->cols + i] = sum[d] / (double)w->cols;
    }
}

void reference_stencil(const struct work *w, double *want)
{
    for (size_t r = 0; r < w->rows; r++)
        for (size_t c = 0; c < w->cols; c++) {
            size_t i = r * w->cols + c;
            want[i] = w->a[i];
            if (r > 0 && r + 1 < w->rows && c > 0 && c + 1 < w->cols)
                want[i] =
                    want[i] / 2 +
                    ((double)w->a[i - w->cols] + w->a[i + w->cols] + w->a[i - 1] + w->a[i + 1]) / 8;
        }
}

void reference_layernorm(const struct work *w, double *want)
{
    for (size_t r = 0; r < w->rows; r++) {
        const float *x = w->a + r * w->cols;
        double *y = want + r * w->cols, mean = 0, variance = 0;
        for (size_t c = 0; c < w->cols; c++)
            mean += x[c] / (double)w->cols;
        for (size_t c = 0; c < w->cols; c++)
            variance += (x[c] - mean) * (x[c] - mean) / (double)w->cols;
        for (size_t c = 0; c < w->cols; c++)
            y[c] = (x[c] - mean) / sqrt(variance + 1e-5f);
    }
}

/* ---- lists ----------------------------------------------------------------------------------- */

static int compare_doubles(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

void reference_bitonic(const struct work *w, double *want)
{
    enum { BLOCK = 1024 };
    for (size_t i = 0; i < w->n; i++)
        want[i] = w->a[i];
    for (size_t i = 0; i < w->n; i += BLOCK)
        qsort(want + i, BLOCK, sizeof *want, compare_doubles);
}

void reference_histogram(const struct work *w, double *want)
{
    const uint8_t *b = w->b;
    memset(want, 0, 256 * sizeof *want);
    for (size_t i = 0; i < w->n; i++)
        want[b[i]]++;
}

void reference_compact(const struct work *w, double *want)
{
    size_t kept = 0;
    for (size_t i = 0; i < w->n; i++)
        if (w->a[i] > 0.5f)
            want[kept++] = w->a[i];
    while (kept < w->n)
        want[kept++] = (double)NAN;
}

void reference_csr(const struct work *w, double *want)
{
    const uint32_t *column = w->b;
    for (size_t r = 0; r < w->rows; r++) {
        want[r] = 0;
        for (size_t i = w->u[r]; i < w->u[r + 1]; i++)
            want[r] += (double)w->a[i] * w->x[column[i]];
    }
}

/* ---- attention ------------------------------------------------------------------------------- */

/* One query of the matrix whose keys and values these are. */
static void reference_query(const struct work *w, const float *query, const float *keys,
                            const float *values, double *want)
{
    double sum = 0;
    for (size_t r = 0; r < w->rows; r++) {
        double product = 0;
        for (size_t c = 0; c < w->cols; c++)
            product += (double)query[c] * keys[r * w->cols + c];
        double weight = exp(product / sqrt((double)w->cols));
        sum += weight;
        for (size_t c = 0; c < w->cols; c++)
            want[c] += weight * values[r * w->cols + c];
    }
    for (size_t c = 0; c < w->cols; c++)
        want[c] /= sum;
}

void reference_attention_one(const struct work *w, double *want)
{
    memset(want, 0, w->cols * sizeof *want);
    reference_query(w, w->a, w->a, w->b, want);
}

void reference_attention(const struct work *w, double *want)
{
    const float *b = w->b;
    size_t size = w->rows * w->cols;
    memset(want, 0, w->n * sizeof *want);
    for (size_t i = 0; i < w->n; i += w->cols)
        reference_query(w, w->a + i, b + i / size * size, w->x + i / size * size, want + i);
}

/* ---- barriers -------------------------------------------------------------------------------- */

/* In float, as the kernel does it: after so many steps other roundings would show. */
void reference_barriers(const struct work *w, double *want)
{
    enum { THREADS = 256 };
    float value[4][THREADS];
    memcpy(value, w->a, sizeof value);
    for (size_t step = 0; step < w->n; step++) {
        float *v = value[step % 4], first = v[0];
        for (size_t t = 0; t < THREADS; t++)
            v[t] = 0.5f * (v[t] + (t + 1 < THREADS ? v[t + 1] : first));
    }
    for (size_t i = 0; i < 4; i++)
        for (size_t t = 0; t < THREADS; t++)
            want[i * THREADS + t] = value[i][t];
}
