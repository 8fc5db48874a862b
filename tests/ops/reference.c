/* reference.c - the operations in double, one row at a time, and how far a result may be off. */
#include "conform.h"
#include <math.h>
#include <stdlib.h>
#include <string.h>

/* A row of an axis in an array in C order. */
struct row {
    size_t first, step, n;
};

static struct row row_of(const struct array *a, int axis, size_t index)
{
    size_t inner = 1;

    if (axis < 0)
        return (struct row){0, 1, a->count};
    for (int k = axis + 1; k < a->rank; k++)
        inner *= a->extent[k];
    return (struct row){index / inner * inner * a->extent[axis] + index % inner, inner,
                        a->extent[axis]};
}

static size_t rows_in(const struct array *a, int axis)
{
    size_t rows = 1;

    for (int k = 0; k < a->rank && axis >= 0; k++)
        rows *= k == axis ? 1 : a->extent[k];
    return rows;
}

/* Half a unit in the last place of what sums are made in, from one dtype to another. */
static double unit_of(lw_dtype in, lw_dtype out)
{
    if (in < LW_F16 && out < LW_F16)
        return 0;
    return in < LW_F16 || out < LW_F16 || in == LW_F64 || out == LW_F64 ? 0x1p-53 : 0x1p-24;
}

static double depth(size_t n)
{
    const size_t leaf = n < 1024 ? n : 1024;

    return ceil((double)leaf / 64) + 6 + ceil(log2(ceil((double)n / 1024) + 1)) + 1;
}

static double at(const struct array *a, struct row r, size_t k)
{
    return a->value[r.first + k * r.step];
}

/* ---- reductions ---- */

static void extreme(const struct array *x, struct row r, bool is_max, double *value, double *index)
{
    *value = at(x, r, 0);
    *index = 0;
    for (size_t k = 1; k < r.n; k++) {
        const double v = at(x, r, k);

        if (is_max ? v > *value : v < *value) {
            *value = v;
            *index = (double)k;
        }
    }
}

static double reduce(const struct test_case *c, struct row r, lw_dtype out, double *slack)
{
    const struct array *x = &c->in[0];
    const double u = unit_of(x->dtype, out);
    double sum = 0, size = 0, product = 1, value, index;
    bool any = false, all = true;

    *slack = 0;
    for (size_t k = 0; k < r.n; k++) {
        const double v = at(x, r, k);

        sum += v;
        size += fabs(v);
        product *= v;
        any = any || v != 0;
        all = all && v != 0;
    }
    if (!strcmp(c->op, "any") || !strcmp(c->op, "all"))
        return c->op[1] == 'n' ? any : all;
    if (!strcmp(c->op, "prod")) {
        *slack = depth(r.n) * u * fabs(product);
        return product;
    }
    if (!strcmp(c->op, "sum") || !strcmp(c->op, "map_reduce")) {
        *slack = depth(r.n) * u * size;
        return sum;
    }
    if (!strcmp(c->op, "mean")) {
        *slack = (depth(r.n) + 1) * (u != 0 ? u : 0x1p-53) * size / (double)(r.n ? r.n : 1);
        return r.n ? sum / (double)r.n : (double)NAN;
    }
    extreme(x, r, strstr(c->op, "max") != NULL, &value, &index);
    return c->op[0] == 'a' ? index : value;
}

static void dot(const struct test_case *c, struct array *out, double *slack)
{
    double sum = 0, size = 0;
    const double u = fmax(unit_of(c->in[0].dtype, out->dtype), unit_of(c->in[1].dtype, out->dtype));

    for (size_t k = 0; k < c->in[0].count; k++) {
        sum += c->in[0].value[k] * c->in[1].value[k];
        size += fabs(c->in[0].value[k] * c->in[1].value[k]);
    }
    out->value[0] = sum;
    *slack = depth(c->in[0].count) * u * size;
}

/* ---- rows to rows ---- */

static double combine(int op, double a, double b)
{
    return op == 0 ? a + b : op == 1 ? a * b : op == 2 ? fmax(a, b) : fmin(a, b);
}

/* Of the output's dtype. */
static double identity(int op, lw_dtype dtype)
{
    const int bits = 8 * (int)lw_dtype_size(dtype);
    const bool is_unsigned = dtype >= LW_U8 && dtype <= LW_BOOL;

    if (op < 2)
        return op;
    if (dtype >= LW_F16)
        return op == 2 ? -(double)INFINITY : (double)INFINITY;
    if (op == 2)
        return is_unsigned ? 0 : -ldexp(1, bits - 1);
    return dtype == LW_BOOL ? 1 : ldexp(1, bits - !is_unsigned) - 1;
}

static void scan(const struct test_case *c, struct row r, struct array *out, double *slack)
{
    const struct array *x = &c->in[0];
    double all = 0, size = 0;

    for (size_t k = 0; k < r.n; k++) {
        const double v = at(x, r, k);
        const size_t to = r.first + k * r.step;

        if (c->flag) {
            out->value[to] = k ? all : identity(c->mode, out->dtype);
            slack[to] = c->mode > 1 ? 0 : (depth(r.n) + 16) * unit_of(x->dtype, out->dtype) * size;
        }
        all = k ? combine(c->mode, all, v) : v;
        size = c->mode == 1 ? fabs(all) : size + fabs(v);
        if (!c->flag) {
            out->value[to] = all;
            slack[to] = c->mode > 1 ? 0 : (depth(r.n) + 16) * unit_of(x->dtype, out->dtype) * size;
        }
    }
}

struct moments {
    double mean, square, deviation, top, sum, largest;
};

/* Sums are long, or the reference would be as far off as the operation may be. */
static struct moments moments_of(const struct array *x, struct row r)
{
    struct moments m = {.top = -(double)INFINITY};
    long double mean = 0, square = 0, deviation = 0, sum = 0;

    for (size_t k = 0; k < r.n; k++) {
        const long double v = at(x, r, k);

        mean += v / r.n;
        square += v * v / r.n;
        m.top = fmax(m.top, (double)v);
        m.largest = fmax(m.largest, fabs((double)v));
    }
    for (size_t k = 0; k < r.n; k++) {
        const long double d = at(x, r, k) - mean;

        deviation += d * d / r.n;
        sum += exp(at(x, r, k) - m.top);
    }
    m.mean = (double)mean;
    m.square = (double)square;
    m.deviation = (double)deviation;
    m.sum = (double)sum;
    return m;
}

static double weight(const struct test_case *c, size_t input, size_t k, double otherwise)
{
    return c->inputs > input ? c->in[input].value[k] : otherwise;
}

static void norm(const struct test_case *c, struct row r, struct array *out, double *slack)
{
    const struct moments m = moments_of(&c->in[0], r);
    const double u = unit_of(c->in[0].dtype, out->dtype), d = 2 * depth(r.n) + 16;

    for (size_t k = 0; k < r.n; k++) {
        const size_t to = r.first + k * r.step;
        const double v = c->in[0].value[to], w = weight(c, 1, k, 1), b = weight(c, 2, k, 0);
        double y, scale;

        if (!strcmp(c->op, "softmax")) {
            y = exp(v - m.top) / m.sum;
            scale = y * (1 + fabs(v - m.top));
        } else if (!strcmp(c->op, "log_softmax")) {
            y = v - m.top - log(m.sum);
            scale = fabs(v - m.top) + log(m.sum) + 1;
        } else if (!strcmp(c->op, "mean_normalize")) {
            y = v / m.mean;
            scale = fabs(y) * (1 + m.largest / fabs(m.mean));
        } else if (!strcmp(c->op, "rms_norm")) {
            scale = y = v / sqrt(m.square + 1e-5) * w;
        } else {
            y = (v - m.mean) / sqrt(m.deviation + 1e-5) * w + b;
            scale = (2 * m.largest + 1) / sqrt(m.deviation + 1e-5) * (1 + fabs(w)) + fabs(b);
        }
        out->value[to] = y;
        slack[to] = d * u * fabs(scale);
    }
}

/* ---- windows: the output may have another extent ---- */

static void window(const struct test_case *c, size_t index, struct array *out, double *slack)
{
    const struct array *x = &c->in[0];
    const struct row from = row_of(x, c->axis, index), to = row_of(out, c->axis, index);
    const bool is_average = c->op[0] == 'm';
    const size_t before = c->mode == 2 && c->flag ? (c->window - 1) / 2 : 0;

    for (size_t k = 0; k < to.n; k++) {
        double sum = 0, size = 0, terms = 0;

        for (size_t j = 0; is_average && j < c->window; j++)
            if (k + j >= before && k + j - before < from.n) {
                sum += at(x, from, k + j - before);
                size += fabs(at(x, from, k + j - before));
                terms++;
            }
        if (!is_average && k + 1 < from.n)
            sum = at(x, from, k + 1) - at(x, from, k);
        out->value[to.first + k * to.step] = is_average ? sum / terms : sum;
        slack[to.first + k * to.step] =
            is_average ? (double)(c->window + 1) * fmax(unit_of(x->dtype, out->dtype), 0x1p-53) *
                             size / terms
                       : unit_of(x->dtype, out->dtype) * fabs(sum);
    }
}

static void copy(const struct test_case *c, struct array *out)
{
    const struct array *x = &c->in[0];
    const bool is_permute = c->op[0] == 'p';

    for (size_t i = 0; i < out->count; i++) {
        size_t rest = i, from = 0, step = 1;

        for (int k = out->rank - 1, axis = 0; is_permute && k >= 0; k--, axis++) {
            /* reversed: axis k of out is axis rank - 1 - k of x */
            const size_t place = rest % out->extent[k];

            rest /= out->extent[k];
            step = 1;
            for (int j = axis + 1; j < x->rank; j++)
                step *= x->extent[j];
            from += place * step;
        }
        out->value[i] = x->value[is_permute ? from : i];
    }
}

/* ---- products of matrices ---- */

static void matmul(const struct test_case *c, struct array *out, double *slack)
{
    const struct array *x = &c->in[0], *y = &c->in[1];
    const size_t m = x->extent[x->rank - 2], k = x->extent[x->rank - 1];
    const size_t n = y->extent[y->rank - 1], batches = m && n ? out->count / (m * n) : 0;
    const double u = fmax(unit_of(x->dtype, out->dtype), unit_of(y->dtype, out->dtype));

    for (size_t b = 0; b < batches; b++)
        for (size_t i = 0; i < m; i++)
            for (size_t j = 0; j < n; j++) {
                const size_t xb = x->rank > 2 ? b : 0, yb = y->rank > 2 ? b : 0;
                double sum = 0, size = 0;

                for (size_t l = 0; l < k; l++) {
                    const double t =
                        x->value[(xb * m + i) * k + l] * y->value[(yb * k + l) * n + j];

                    sum += t;
                    size += fabs(t);
                }
                out->value[(b * m + i) * n + j] = sum;
                slack[(b * m + i) * n + j] = ((double)(k < 1024 ? k : 1024) + 4) * u * size;
            }
}

/* Extents of images and filters with those that a shape lacks: 4 each. */
static void fill_axes(const struct test_case *c, const struct array *a, size_t extent[4])
{
    const int dimensions = c->op[4] - '0', lead = a->rank > dimensions ? 2 : 0;

    extent[0] = lead ? a->extent[0] : 1;
    extent[1] = lead ? a->extent[1] : 1;
    extent[2] = dimensions == 2 ? a->extent[lead] : 1;
    extent[3] = a->extent[a->rank - 1];
}

static void convolution(const struct test_case *c, struct array *out, double *slack)
{
    const struct array *x = &c->in[0], *filter = &c->in[1];
    const double u = fmax(unit_of(x->dtype, out->dtype), unit_of(filter->dtype, out->dtype));
    const size_t pad[2] = {c->op[4] == '2' ? (size_t)c->mode : 0, (size_t)c->mode};
    const size_t step[2] = {c->op[4] == '2' ? c->window : 1, c->window};
    size_t in[4], f[4], to[4];

    fill_axes(c, x, in);
    fill_axes(c, filter, f);
    fill_axes(c, out, to);
    for (size_t at = 0; at < out->count; at++) {
        const size_t column = at % to[3], row = at / to[3] % to[2],
                     o = at / (to[3] * to[2]) % to[1], image = at / (to[3] * to[2] * to[1]);
        double sum = 0, size = 0;

        for (size_t k = 0; k < f[1] * f[2] * f[3]; k++) {
            const size_t channel = k / (f[2] * f[3]), i = k / f[3] % f[2], j = k % f[3];
            const size_t r = row * step[0] + i - pad[0], q = column * step[1] + j - pad[1];
            const double v = r < in[2] && q < in[3]
                                 ? x->value[((image * in[1] + channel) * in[2] + r) * in[3] + q]
                                 : 0;

            sum += v * filter->value[o * f[1] * f[2] * f[3] + k];
            size += fabs(v * filter->value[o * f[1] * f[2] * f[3] + k]);
        }
        out->value[at] = sum;
        slack[at] = (double)(f[1] * f[2] * f[3] + 4) * u * size;
    }
}

static bool is_seen(const struct test_case *c, size_t query, size_t queries, size_t key,
                    size_t keys)
{
    return !c->flag || key + queries <= query + keys;
}

static void attention(const struct test_case *c, struct array *out, double *slack)
{
    const struct array *q = &c->in[0], *k = &c->in[1], *v = &c->in[2];
    const size_t queries = q->extent[q->rank - 2], keys = k->extent[k->rank - 2];
    const size_t d = q->extent[q->rank - 1], e = v->extent[v->rank - 1];
    const size_t heads = q->rank == 4 ? q->extent[0] * q->extent[1] : 1;

    for (size_t h = 0; h < heads; h++)
        for (size_t i = 0; i < queries; i++) {
            double weights[4096], top = -(double)INFINITY, sum = 0, size = 0;

            for (size_t j = 0; j < keys; j++) {
                double s = 0, a = 0;

                for (size_t l = 0; l < d; l++) {
                    s += q->value[(h * queries + i) * d + l] * k->value[(h * keys + j) * d + l];
                    a += fabs(q->value[(h * queries + i) * d + l] *
                              k->value[(h * keys + j) * d + l]);
                }
                weights[j] = is_seen(c, i, queries, j, keys) ? s : -(double)INFINITY;
                top = fmax(top, weights[j]);
                size = fmax(size, a);
            }
            for (size_t j = 0; j < keys; j++)
                sum += weights[j] = top > -(double)INFINITY ? exp(weights[j] - top) : 0;
            for (size_t l = 0; l < e; l++) {
                double y = 0, a = 0;

                for (size_t j = 0; j < keys && sum > 0; j++) {
                    y += weights[j] / sum * v->value[(h * keys + j) * e + l];
                    a += weights[j] / sum * fabs(v->value[(h * keys + j) * e + l]);
                }
                out->value[(h * queries + i) * e + l] = y;
                slack[(h * queries + i) * e + l] = unit_of(q->dtype, out->dtype) * a *
                                                   ((double)(d + 200) + 4 * (double)d * (1 + size));
            }
        }
}

void reference(const struct test_case *c, struct array *out, double *slack)
{
    const size_t rows = rows_in(&c->in[0], c->axis);

    memset(slack, 0, out->count * sizeof *slack);
    if (reference_selection(c, out))
        return;
    if (!strcmp(c->op, "dot"))
        dot(c, out, slack);
    else if (!strcmp(c->op, "copy") || !strcmp(c->op, "permute"))
        copy(c, out);
    else if (!strcmp(c->op, "matmul"))
        matmul(c, out, slack);
    else if (!strncmp(c->op, "conv", 4))
        convolution(c, out, slack);
    else if (!strcmp(c->op, "attention"))
        attention(c, out, slack);
    else
        for (size_t r = 0; r < rows && out->count; r++) {
            if (!strcmp(c->op, "scan"))
                scan(c, row_of(&c->in[0], c->axis, r), out, slack);
            else if (!strcmp(c->op, "difference") || !strcmp(c->op, "moving_average"))
                window(c, r, out, slack);
            else if (strstr(c->op, "norm") || strstr(c->op, "softmax"))
                norm(c, row_of(&c->in[0], c->axis, r), out, slack);
            else
                out->value[r] = reduce(c, row_of(&c->in[0], c->axis, r), out->dtype, &slack[r]);
        }
}
