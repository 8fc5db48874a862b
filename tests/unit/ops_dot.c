/* Dot products of every pair of dtypes, of several lengths and steps, against plain loops in the
 * order of docs/order.md: all bits. And what is refused. Arguments: the device, and "small" where
 * it is slow.
 */
#include "ops_values.h"

enum { LEAF = 1024, LANES = 64 };

/* ---- what should come out ---- */

enum kind { FLOAT, DOUBLE, WHOLE };

/* The type that products of two dtypes are added in for a result of a third: docs/order.md. */
static enum kind kind_of(lw_dtype a, lw_dtype b, lw_dtype out)
{
    const bool small_a = lw_dtype_size(a) <= 2, small_b = lw_dtype_size(b) <= 2;

    if (!is_float(a) && !is_float(b))
        return is_float(out) ? DOUBLE : WHOLE;
    if (out == LW_F64 || !is_float(out) || a == LW_F64 || b == LW_F64 ||
        (!is_float(a) && !small_a) || (!is_float(b) && !small_b))
        return DOUBLE;
    return FLOAT;
}

/* The aligned tree over nodes i < count of values, in place. */
static double tree(double *v, size_t count, bool in_float)
{
    for (size_t step = 1; step < count; step *= 2)
        for (size_t i = 0; i + step < count; i += 2 * step)
            v[i] = in_float ? (double)((float)v[i] + (float)v[i + step]) : v[i] + v[i + step];
    return v[0];
}

static double dot_reals(const double *x, const double *y, size_t n, bool in_float)
{
    const size_t leaves = (n + LEAF - 1) / LEAF;
    double lanes[LANES], *all = calloc(leaves + 1, sizeof *all), result;

    for (size_t leaf = 0; leaf < leaves; leaf++) {
        const size_t first = leaf * LEAF, here = n - first < LEAF ? n - first : LEAF;
        for (size_t l = 0; l < LANES; l++) {
            lanes[l] = -0.0;
            for (size_t j = first + l; j < first + here; j += LANES)
                lanes[l] = in_float ? (double)fmaf((float)x[j], (float)y[j], (float)lanes[l])
                                    : fma(x[j], y[j], lanes[l]);
        }
        all[leaf] = tree(lanes, here < LANES ? here : LANES, in_float);
    }
    result = n ? tree(all, leaves, in_float) : 0;
    free(all);
    return result;
}

static uint64_t dot_whole(const struct array *x, const struct array *y, size_t n, size_t step)
{
    uint64_t sum = 0;

    for (size_t i = 0; i < n; i++)
        sum += (uint64_t)as_int(x->memory, x->dtype, i * step) *
               (uint64_t)as_int(y->memory, y->dtype, i * step);
    return sum;
}

/* ---- one pair ---- */

static void complain(const struct array *x, const struct array *y, const struct array *out,
                     size_t n, double need)
{
    failures++;
    printf("dot of %s and %s, n = %zu, to %s: %a, need %a\n", lw_dtype_name(x->dtype),
           lw_dtype_name(y->dtype), n, lw_dtype_name(out->dtype),
           as_real(out->memory, out->dtype, 0), need);
}

static void compare_reals(const struct array *x, const struct array *y, const struct array *out,
                          size_t n, size_t step, bool in_float)
{
    double *a = malloc((n + 1) * sizeof *a), *b = malloc((n + 1) * sizeof *b), need, got;

    for (size_t i = 0; i < n; i++) {
        a[i] = as_real(x->memory, x->dtype, i * step);
        b[i] = as_real(y->memory, y->dtype, i * step);
    }
    need = rounded(dot_reals(a, b, n, in_float), out->dtype);
    got = as_real(out->memory, out->dtype, 0);
    uint64_t whole = saturated(need, out->dtype);
    if (!is_float(out->dtype) ? memcmp(out->memory, &whole, lw_dtype_size(out->dtype))
        : isnan(need)         ? !isnan(got)
                              : need != got || !signbit(need) != !signbit(got))
        complain(x, y, out, n, need);
    free(a);
    free(b);
}

static void compare_whole(const struct array *x, const struct array *y, const struct array *out,
                          size_t n, size_t step)
{
    const uint64_t sum = dot_whole(x, y, n, step);
    const uint64_t need = out->dtype == LW_BOOL ? sum != 0 : sum;

    if (memcmp(out->memory, &need, lw_dtype_size(out->dtype)))
        complain(x, y, out, n, (double)(int64_t)sum);
}

static void try_pair(lw_dtype a, lw_dtype b, size_t n, size_t step)
{
    const lw_dtype type = (lw_dtype)random_below(LW_DTYPE_COUNT);
    const enum kind kind = kind_of(a, b, type);
    const ptrdiff_t extent = (ptrdiff_t)(n * step);
    struct array x = random_array(a, 1, &extent), y = random_array(b, 1, &extent);
    struct array out = new_array(type, 0, NULL);
    lw_tensor tx = x.t, ty = y.t;

    if (step > 1) {
        WORKS(lw_tensor_slice(x.t, 0, 0, extent, (ptrdiff_t)step, &tx));
        WORKS(lw_tensor_slice(y.t, 0, 0, extent, (ptrdiff_t)step, &ty));
    }
    WORKS(lw_dot(stream, out.t, tx, ty, NULL));
    receive(&out);
    if (kind == WHOLE)
        compare_whole(&x, &y, &out, n, step);
    else
        compare_reals(&x, &y, &out, n, step, kind == FLOAT);
    drop(&x);
    drop(&y);
    drop(&out);
}

static void try_pairs(bool small)
{
    static const size_t sizes[] = {0,    1,    3,    31,   32,   33,   63,    64,    65,
                                   1000, 1023, 1024, 1025, 4096, 5000, 66000, 300000};
    const size_t count = sizeof sizes / sizeof *sizes - (small ? 2 : 0);

    for (size_t i = 0; i < count; i++)
        for (int a = 0; a < LW_DTYPE_COUNT; a++)
            for (int b = 0; b < LW_DTYPE_COUNT; b++)
                if (sizes[i] < 10000 || random_below(8) == 0)
                    try_pair((lw_dtype)a, (lw_dtype)b, sizes[i], 1 + (random_below(4) == 0));
}

static void try_wrong(void)
{
    struct array x = random_array(LW_F32, 1, (const ptrdiff_t[]){3});
    struct array y = random_array(LW_I8, 1, (const ptrdiff_t[]){4});
    struct array z = random_array(LW_I8, 2, (const ptrdiff_t[]){3, 1});
    struct array out = new_array(LW_F32, 0, NULL);
    const lw_dot_options odd = {.sum = (lw_sum_order)-1};

    FAILS(lw_dot(NULL, out.t, x.t, x.t, NULL), LW_E_ARG, "dot: the stream is NULL");
    FAILS(lw_dot(stream, out.t, x.t, y.t, NULL), LW_E_SHAPE,
          "dot: x has shape (3,) and y has (4,); need the same");
    FAILS(lw_dot(stream, out.t, z.t, z.t, NULL), LW_E_SHAPE, "dot: x has rank 2; need 1");
    FAILS(lw_dot(stream, x.t, y.t, y.t, NULL), LW_E_SHAPE, "dot: out has shape (3,); need ()");
    FAILS(lw_dot(stream, out.t, x.t, x.t, &odd), LW_E_ARG,
          "dot: sum is -1; need LW_SUM_FIXED, _EXACT or _FREE");
    drop(&x);
    drop(&y);
    drop(&z);
    drop(&out);
}

int main(int count, char **arguments)
{
    if (!open_device(count, arguments))
        return 77;
    try_wrong();
    try_pairs(count > 2);
    return done();
}
