/* Reductions: every dtype, over all and over each axis of tensors of rank 0 to 4, of views that
 * are reversed, transposed, stepped or broadcast, against plain loops in the order of
 * docs/order.md: all bits. And what is refused. Arguments: the device; "small" where it is slow;
 * "few" for one call in sixteen.
 */
#include "ops_values.h"

enum op { SUM, PROD, MEAN, MAX, MIN, ANY, ALL, ARGMAX, ARGMIN, OPS };

typedef lw_status operation(lw_stream *s, lw_tensor out, lw_tensor x,
                            const lw_reduce_options *options);
static operation *const operations[OPS] = {lw_sum, lw_prod, lw_mean,   lw_max,   lw_min,
                                           lw_any, lw_all,  lw_argmax, lw_argmin};
static const char *const names[OPS] = {"sum", "prod", "mean",   "max",   "min",
                                       "any", "all",  "argmax", "argmin"};

/* ---- the order ---- */

enum { LEAF = 1024, LANES = 64 };

/* The aligned tree over leaves, or over the lanes of one: the node of `size` from `first` on, of
 * `count` there are; `at` gives the value. ORDER_TREE(name, A, op) */
#define ORDER(A, name, op, identity)                                                               \
    static A name##_tree(const A *v, size_t first, size_t size, size_t count)                      \
    {                                                                                              \
        if (size == 1)                                                                             \
            return v[first];                                                                       \
        const A left = name##_tree(v, first, size / 2, count);                                     \
        if (first + size / 2 >= count)                                                             \
            return left;                                                                           \
        const A right = name##_tree(v, first + size / 2, size / 2, count);                         \
        return (A)(left op right);                                                                 \
    }                                                                                              \
    static A name##_row(const A *v, size_t n)                                                      \
    {                                                                                              \
        const size_t leaves = (n + LEAF - 1) / LEAF;                                               \
        A lanes[LANES], *all = malloc(leaves * sizeof(A)), result;                                 \
        size_t size = 1;                                                                           \
        for (size_t leaf = 0; leaf < leaves; leaf++) {                                             \
            const size_t here = n - leaf * LEAF < LEAF ? n - leaf * LEAF : LEAF;                   \
            for (size_t l = 0; l < LANES; l++) {                                                   \
                lanes[l] = identity;                                                               \
                for (size_t j = l; j < here; j += LANES)                                           \
                    lanes[l] = (A)(lanes[l] op v[leaf * LEAF + j]);                                \
            }                                                                                      \
            all[leaf] = name##_tree(lanes, 0, LANES, here < LANES ? here : LANES);                 \
        }                                                                                          \
        while (size < leaves)                                                                      \
            size *= 2;                                                                             \
        result = name##_tree(all, 0, size, leaves);                                                \
        free(all);                                                                                 \
        return result;                                                                             \
    }
ORDER(float, sum_float, +, -0.0f)
ORDER(double, sum_double, +, -0.0)
ORDER(uint64_t, sum_int, +, 0)
ORDER(float, prod_float, *, 1)
ORDER(double, prod_double, *, 1)
ORDER(uint64_t, prod_int, *, 1)

/* ---- what should come out ---- */

/* A row of elements, and a result: a real or an integer. */
struct row {
    lw_dtype dtype, out; /* out: of the result */
    size_t n;
    const double *real;
    const uint64_t *whole;
};
struct result {
    double real;
    uint64_t whole;
};

#define IN_FLOATS(row, call)                                                                       \
    float *v = malloc((row)->n * sizeof *v);                                                       \
    for (size_t i = 0; i < (row)->n; i++)                                                          \
        v[i] = (float)(row)->real[i];                                                              \
    const float r = call;                                                                          \
    free(v)

/* True if sums are made in f64: one of the dtypes is that, or one alone is floating. */
static bool adds_in_double(const struct row *row, bool is_mean)
{
    return row->dtype == LW_F64 || row->out == LW_F64 ||
           is_float(row->dtype) != is_float(row->out) || (is_mean && !is_float(row->dtype));
}

static struct result sum_of(const struct row *row, bool is_product, bool is_mean)
{
    struct result result = {is_product, is_product};

    if (!row->n)
        return (struct result){is_mean ? (double)NAN : is_product, is_product};
    if (adds_in_double(row, is_mean)) {
        result.real = (is_product ? prod_double_row : sum_double_row)(row->real, row->n);
        result.real = is_mean ? result.real / (double)row->n : result.real;
    } else if (is_float(row->dtype)) {
        IN_FLOATS(row, (is_product ? prod_float_row : sum_float_row)(v, row->n));
        result.real = (double)(is_mean ? r / (float)row->n : r);
    } else {
        result.whole = (is_product ? prod_int_row : sum_int_row)(row->whole, row->n);
    }
    return result;
}

/* True if element i comes before the best so far. */
static bool is_better(const struct row *row, size_t i, size_t best, bool is_min, bool by_sign)
{
    if (is_float(row->dtype)) {
        const double a = row->real[i], b = row->real[best];
        if (isnan(a) || isnan(b))
            return isnan(a) && !isnan(b);
        if (a == b)
            return by_sign && !signbit(a) != !signbit(b) && !signbit(a) == !is_min;
        return is_min ? a < b : a > b;
    }
    if (is_unsigned(row->dtype))
        return is_min ? row->whole[i] < row->whole[best] : row->whole[i] > row->whole[best];
    return is_min
        ? (int64_t)row->whole[i]<(int64_t)row->whole[best] : (int64_t)row->whole[i]>(int64_t)
              row->whole[best];
}

static struct result extreme_of(const struct row *row, bool is_min, bool is_arg)
{
    size_t best = 0;

    for (size_t i = 1; i < row->n; i++)
        if (is_better(row, i, best, is_min, !is_arg))
            best = i;
    return is_arg ? (struct result){0, best} : (struct result){row->real[best], row->whole[best]};
}

static struct result any_of(const struct row *row, bool all)
{
    bool result = all;

    for (size_t i = 0; i < row->n; i++)
        if ((is_float(row->dtype) ? row->real[i] != 0 : row->whole[i] != 0) != all)
            result = !all;
    return (struct result){0, result};
}

static struct result expected(enum op op, const struct row *row)
{
    switch (op) {
    case SUM: return sum_of(row, false, false);
    case PROD: return sum_of(row, true, false);
    case MEAN: return sum_of(row, false, true);
    case MAX:
    case MIN: return extreme_of(row, op == MIN, false);
    case ANY:
    case ALL: return any_of(row, op == ALL);
    default: return extreme_of(row, op == ARGMIN, true);
    }
}

/* ---- comparison ---- */

static bool gives_real(enum op op, lw_dtype x, lw_dtype out)
{
    return op == MEAN || (is_float(x) && op <= MIN) || (is_float(out) && op <= PROD);
}

static bool is_right(const struct array *out, size_t i, struct result want, bool real,
                     bool from_unsigned)
{
    if (is_float(out->dtype)) {
        const double whole = from_unsigned ? (double)want.whole : (double)(int64_t)want.whole;
        const double need = rounded(real ? want.real : whole, out->dtype);
        const double got = as_real(out->memory, out->dtype, i);
        return isnan(need) ? isnan(got) : need == got && !signbit(need) == !signbit(got);
    }
    const size_t size = lw_dtype_size(out->dtype);
    if (real)
        want.whole = saturated(want.real, out->dtype);
    else if (out->dtype == LW_BOOL)
        want.whole = want.whole != 0;
    return !memcmp((char *)out->memory + i * size, &want.whole, size);
}

/* Any, or what it is by default. */
static lw_dtype out_type(enum op op, lw_dtype x, int variant)
{
    if (op >= ARGMAX)
        return LW_I64;
    if (variant)
        return (lw_dtype)random_below(LW_DTYPE_COUNT);
    return is_float(x) ? x : op == MEAN ? LW_F64 : is_unsigned(x) ? LW_U64 : LW_I64;
}

/* ---- one call ---- */

struct call {
    enum op op;
    const struct array *x;
    lw_tensor view;
    int axis; /* -1: all */
    bool keepdims;
    int variant;
};

/* Row `number` of the view, in C order over the other axes. */
static void take_row(const struct call *c, size_t number, struct row *row, double *real,
                     uint64_t *whole)
{
    const lw_tensor *t = &c->view;
    ptrdiff_t index[4] = {0};

    for (int k = t->rank - 1; k >= 0; k--)
        if (c->axis >= 0 && k != c->axis) {
            index[k] = (ptrdiff_t)(number % (size_t)t->extent[k]);
            number /= (size_t)t->extent[k];
        }
    for (size_t i = 0; i < row->n; i++) {
        size_t rest = i;
        for (int k = t->rank - 1; k >= 0; k--)
            if (c->axis < 0) {
                index[k] = (ptrdiff_t)(rest % (size_t)t->extent[k]);
                rest /= (size_t)t->extent[k];
            }
        if (c->axis >= 0)
            index[c->axis] = (ptrdiff_t)i;
        real[i] = as_real(c->x->memory, row->dtype, place_of(t, index));
        whole[i] = is_float(row->dtype)
                       ? 0
                       : (uint64_t)as_int(c->x->memory, row->dtype, place_of(t, index));
    }
    row->real = real;
    row->whole = whole;
}

/* The output's extents; returns the rank, and the elements of a row. */
static int shape_of(const struct call *c, ptrdiff_t *extents, size_t *n)
{
    int rank = 0;

    *n = 1;
    for (int k = 0; k < c->view.rank; k++) {
        const bool reduced = c->axis < 0 || k == c->axis;
        if (reduced)
            *n *= (size_t)c->view.extent[k];
        if (!reduced || c->keepdims)
            extents[rank++] = reduced ? 1 : c->view.extent[k];
    }
    return rank;
}

static void compare(const struct call *c, const struct array *out, size_t n)
{
    struct row row = {.dtype = c->x->dtype, .out = out->dtype, .n = n};
    double *real = malloc((n + 1) * sizeof *real);
    uint64_t *whole = malloc((n + 1) * sizeof *whole);

    for (size_t i = 0; i < out->count; i++) {
        take_row(c, i, &row, real, whole);
        if (is_right(out, i, expected(c->op, &row), gives_real(c->op, row.dtype, row.out),
                     is_unsigned(row.dtype) && c->op <= MIN))
            continue;
        failures++;
        printf("%s of %s, rank %d (%td, %td, %td, %td), axis %d to %s: element %zu of %zu is %g\n",
               names[c->op], lw_dtype_name(row.dtype), c->view.rank, c->view.extent[0],
               c->view.extent[1], c->view.extent[2], c->view.extent[3], c->axis,
               lw_dtype_name(out->dtype), i, out->count, as_real(out->memory, out->dtype, i));
        break;
    }
    free(real);
    free(whole);
}

static void try_call(const struct call *c)
{
    const lw_reduce_options options = {.axis = c->axis < 0 ? 0 : LW_AXIS(c->axis),
                                       .keepdims = c->keepdims,
                                       .sum = c->variant % 3 == 2 ? LW_SUM_FREE : LW_SUM_FIXED};
    ptrdiff_t extents[4];
    size_t n;
    const int rank = shape_of(c, extents, &n);
    struct array out;

    if (!n && c->op != SUM && c->op != PROD && c->op != MEAN && c->op != ANY && c->op != ALL)
        return;
    out = new_array(out_type(c->op, c->x->dtype, c->variant), rank, extents);
    WORKS(operations[c->op](stream, out.t, c->view, &options));
    receive(&out);
    compare(c, &out, n);
    drop(&out);
}

/* ---- views ---- */

static lw_tensor view_of(lw_tensor t, int variant)
{
    ptrdiff_t extents[4];
    lw_tensor v = t;
    const int axis = variant < 6 ? 0 : t.rank - 1;

    for (int k = 0; k < t.rank; k++)
        extents[k] = t.extent[k];
    switch (variant % 6) {
    case 1: /* reversed in its last axis */
        if (t.rank && t.extent[t.rank - 1])
            WORKS(lw_tensor_slice(t, -1, t.extent[t.rank - 1] - 1, -1 - t.extent[t.rank - 1], -1,
                                  &v));
        break;
    case 2:
        WORKS(lw_tensor_permute(
            t, (const int[][4]){{0}, {0}, {1, 0}, {2, 0, 1}, {3, 1, 0, 2}}[t.rank], &v));
        break;
    case 3:
        if (t.rank)
            WORKS(lw_tensor_slice(t, 0, 0, t.extent[0], 2, &v));
        break;
    case 4:
        if (t.rank)
            WORKS(lw_tensor_slice(t, -1, t.extent[t.rank - 1] / 3, t.extent[t.rank - 1], 1, &v));
        break;
    case 5: /* one element of the first or the last axis, broadcast */
        if (t.rank && t.extent[axis]) {
            WORKS(lw_tensor_slice(t, axis, 0, 1, 1, &v));
            WORKS(lw_tensor_broadcast(v, t.rank, extents, &v));
        }
        break;
    default: break;
    }
    return v;
}

static void try_shape(int rank, const ptrdiff_t *extents, size_t one_in)
{
    for (int dtype = 0; dtype < LW_DTYPE_COUNT; dtype++) {
        struct array x = random_array((lw_dtype)dtype, rank, extents);
        for (int axis = -1; axis < rank; axis++)
            for (int op = 0; op < OPS; op++) {
                const int variant = (int)random_below(12);
                if (random_below(one_in))
                    continue;
                struct call c = {(enum op)op, &x,          view_of(x.t, variant),
                                 axis,        variant % 2, (int)random_below(3)};
                try_call(&c);
            }
        drop(&x);
    }
}

static void try_shapes(bool small, size_t one_in)
{
    static const ptrdiff_t rows[] = {0,    1,    3,    31,   32,   33,   63,    64,    65,
                                     1000, 1023, 1024, 1025, 2049, 5000, 66000, 200000};
    static const ptrdiff_t shapes[][4] = {{0, 5},         {5, 0},     {5, 7},      {100, 3},
                                          {3, 100},       {40, 65},   {4, 1025},   {1025, 20},
                                          {70, 70},       {2, 3, 70}, {70, 3, 20}, {3, 2, 4, 5},
                                          {2, 30, 3, 20}, {7, 1, 80}, {2, 66000},  {66000, 3}};

    try_shape(0, NULL, one_in);
    for (size_t i = 0; i < sizeof rows / sizeof *rows - (small ? 2 : 0); i++)
        try_shape(1, &rows[i], one_in);
    for (size_t i = 0; i < sizeof shapes / sizeof *shapes - (small ? 2 : 0); i++)
        try_shape(shapes[i][3] ? 4 : shapes[i][2] ? 3 : 2, shapes[i], one_in);
}

/* ---- special numbers ---- */

/* NaN of either sign, zeros of either sign, infinities, at places of each lane and leaf. */
static void try_specials(lw_dtype dtype, size_t n, bool few)
{
    static const double specials[] = {NAN, -NAN, 0.0, -0.0, INFINITY, -INFINITY};

    for (int mask = 1; mask < 64; mask += few ? 11 : 1) {
        const ptrdiff_t extents[] = {(ptrdiff_t)n, 2};
        struct array x = new_array(dtype, 2, extents);
        for (size_t i = 0; i < x.count; i++)
            put_real(x.memory, dtype, i, mask & 32 ? 0.0 : random_real());
        for (int k = 0; k < 6; k++)
            if (mask >> k & 1)
                put_real(x.memory, dtype, random_below(x.count), specials[k]);
        send(&x);
        for (int op = MAX; op < OPS; op++)
            for (int axis = -1; axis < 2; axis++) {
                struct call c = {(enum op)op, &x, x.t, axis, false, 0};
                try_call(&c);
            }
        drop(&x);
    }
}

/* All sums of negative zeros are -0, and the sum of nothing is +0. */
static void try_zeros(void)
{
    const ptrdiff_t extents[] = {3000};
    struct array x = new_array(LW_F32, 1, extents);

    for (size_t i = 0; i < x.count; i++)
        ((float *)x.memory)[i] = -0.0f;
    send(&x);
    struct call c = {SUM, &x, x.t, -1, false, 0};
    try_call(&c);
    drop(&x);
}

/* ---- refused ---- */

static void try_wrong(void)
{
    struct array x = random_array(LW_F32, 2, (const ptrdiff_t[]){3, 4});
    struct array none = new_array(LW_F32, 2, (const ptrdiff_t[]){3, 0});
    struct array out = new_array(LW_F32, 1, (const ptrdiff_t[]){3});
    struct array whole = new_array(LW_F32, 0, NULL);
    const lw_reduce_options last = {.axis = -1}, third = {.axis = LW_AXIS(2)};
    const lw_reduce_options kept = {.axis = -1, .keepdims = true}, odd = {.sum = (lw_sum_order)7};
    const lw_reduce_options exact = {.sum = LW_SUM_EXACT};

    FAILS(lw_sum(NULL, whole.t, x.t, NULL), LW_E_ARG, "sum: the stream is NULL");
    FAILS(lw_sum(stream, out.t, x.t, NULL), LW_E_SHAPE, "sum: out has shape (3,); need ()");
    FAILS(lw_sum(stream, out.t, x.t, &third), LW_E_ARG, "sum: x has no axis 2; its rank is 2");
    FAILS(lw_sum(stream, out.t, x.t, &kept), LW_E_SHAPE, "sum: out has shape (3,); need (3, 1)");
    FAILS(lw_sum(stream, whole.t, x.t, &odd), LW_E_ARG,
          "sum: sum is 7; need LW_SUM_FIXED, _EXACT or _FREE");
    FAILS(lw_prod(stream, whole.t, x.t, &exact), LW_E_ARG,
          "prod: sum is LW_SUM_EXACT, which products cannot keep");
    FAILS(lw_max(stream, out.t, none.t, &last), LW_E_SHAPE,
          "max: x of shape (3, 0) has nothing along the axis; need an element");
    FAILS(lw_argmin(stream, out.t, x.t, &last), LW_E_DTYPE, "argmin: out is of f32; need i64");
    FAILS(lw_any(stream, x.t, x.t, NULL), LW_E_ARG,
          "any: the output out, from element 0 on, overlaps x, from 0 on");
    drop(&x);
    drop(&none);
    drop(&out);
    drop(&whole);
}

int main(int count, char **arguments)
{
    const bool small = count > 2 && strcmp(arguments[2], "few"), few = count > 2 + small;

    if (!open_device(count, arguments))
        return 77;
    try_wrong();
    try_zeros();
    for (int t = LW_F16; t <= LW_F64; t++) {
        try_specials((lw_dtype)t, 100, few);
        if (!small)
            try_specials((lw_dtype)t, 2000, few);
    }
    try_shapes(small, few ? 16 : 1);
    return done();
}
