/* draw.c - a case from its number: parameters, dtypes, shapes, values. */
#include "conform.h"
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const size_t longs[] = {0,   1,   2,    3,    31,   32,   33,   63,    64,    65,
                               100, 999, 1000, 1023, 1024, 1025, 2500, 33000, 70000, 1000000};
_Static_assert(sizeof longs / sizeof *longs == LONGS, "as conform.h says");
enum { DRAWN_LONGS = LONGS - 1 };

uint64_t draw(struct session *s, uint64_t below)
{
    s->random ^= s->random << 13;
    s->random ^= s->random >> 7;
    s->random ^= s->random << 17;
    return (s->random >> 11) % below;
}

const char *const ops[] = {"dot",
                           "sum",
                           "prod",
                           "max",
                           "min",
                           "mean",
                           "any",
                           "all",
                           "argmax",
                           "argmin",
                           "map_reduce",
                           "scan",
                           "difference",
                           "moving_average",
                           "softmax",
                           "log_softmax",
                           "mean_normalize",
                           "rms_norm",
                           "layer_norm",
                           "permute",
                           "copy",
                           "matmul",
                           "attention",
                           "take",
                           "take_along_axis",
                           "scatter",
                           "scatter_add",
                           "compact",
                           "conv1d",
                           "conv2d",
                           "histogram",
                           "sort",
                           "argsort",
                           "top_k",
                           "searchsorted"};

const size_t op_count = sizeof ops / sizeof *ops;

static bool is(const struct test_case *c, const char *op)
{
    return !strcmp(c->op, op);
}

static bool takes_floats(const struct test_case *c)
{
    return strstr(c->op, "norm") || strstr(c->op, "softmax") || is(c, "attention");
}

static lw_dtype draw_dtype(struct session *s, const struct test_case *c)
{
    static const lw_dtype floats[] = {LW_F32, LW_F32, LW_F16, LW_BF16, LW_F64};

    if (s->pairs)
        return takes_floats(c) ? floats[s->dtype % 5] : (lw_dtype)s->dtype;
    return takes_floats(c) ? floats[draw(s, 5)] : (lw_dtype)draw(s, LW_DTYPE_COUNT);
}

/* One long extent, the others short. */
static int draw_shape(struct session *s, size_t *extent)
{
    const int rank = s->pairs ? 1 + (int)draw(s, 4) : (int)draw(s, 5);
    const int axis = rank ? (int)draw(s, (uint64_t)rank) : 0;

    for (int k = 0; k < rank; k++)
        extent[k] =
            k != axis ? 1 + draw(s, 5) : longs[s->pairs ? s->length : (int)draw(s, DRAWN_LONGS)];
    return rank;
}

/* A value that every dtype of the kind holds exactly; products stay within f16's range. */
static double draw_value(struct session *s, const struct test_case *c, lw_dtype dtype)
{
    static const double factors[] = {1, 1, 1, 1, 1, 0.5, 2, -1};
    const bool is_signed = dtype < LW_U8 || dtype >= LW_F16;
    double v;

    if (is(c, "prod") || (is(c, "scan") && c->mode == 1))
        v = dtype >= LW_F16 ? factors[draw(s, 8)] : 1;
    else if (dtype == LW_BOOL)
        v = (double)draw(s, 2);
    else
        v = (double)draw(s, 129) - 64;
    if (dtype < LW_F16 && !is(c, "prod"))
        v = trunc(v / 8);
    else if (dtype >= LW_F16 && !is(c, "prod") && !(is(c, "scan") && c->mode == 1))
        v /= 16;
    if (is(c, "mean_normalize"))
        return fabs(v) + 1;
    return is_signed && !is(c, "copy") ? v : fabs(v);
}

/* Make all values along the axis equal, so that a stride of 0 can say them. */
static void repeat(struct array *a, int axis)
{
    size_t step = 1;

    for (int k = a->rank - 1; k > axis; k--)
        step *= a->extent[k];
    for (size_t i = 0; i < a->count; i++)
        a->value[i] = a->value[i - i / step % a->extent[axis] * step];
    a->repeated = axis;
}

static void draw_array(struct session *s, const struct test_case *c, struct array *a,
                       lw_dtype dtype, int rank, const size_t *extent)
{
    array_make(a, dtype, rank, extent);
    for (size_t i = 0; i < a->count; i++)
        a->value[i] = draw_value(s, c, dtype);
    if (rank && (s->pairs ? s->layout == REPEATED : draw(s, 8) == 0))
        repeat(a, (int)draw(s, (uint64_t)rank));
}

static void draw_matrices(struct session *s, struct test_case *c)
{
    static const size_t sizes[] = {1, 2, 3, 7, 16, 31, 33, 64, 65};
    const size_t b = 1 + draw(s, 2), m = sizes[draw(s, 9)], n = sizes[draw(s, 9)];
    const size_t k = draw(s, 8) ? sizes[draw(s, 9)] : 1000 + draw(s, 1200), e = sizes[draw(s, 9)];
    const lw_dtype dtype = draw_dtype(s, c);

    c->axis = -1;
    if (is(c, "matmul")) {
        const int rank = draw(s, 3) ? 2 : 3;

        c->inputs = 2;
        draw_array(s, c, &c->in[0], dtype, rank,
                   rank == 3 ? (size_t[]){b, m, k} : (size_t[]){m, k});
        draw_array(s, c, &c->in[1], dtype, rank,
                   rank == 3 ? (size_t[]){b, k, n} : (size_t[]){k, n});
        return;
    }
    c->inputs = 3;
    c->flag = draw(s, 2) && m <= k;
    snprintf(c->json, sizeof c->json, "{\"causal\": %s}", c->flag ? "true" : "false");
    const int rank = draw(s, 2) ? 2 : 4;
    draw_array(s, c, &c->in[0], dtype, rank, rank == 4 ? (size_t[]){b, 2, m, n} : (size_t[]){m, n});
    draw_array(s, c, &c->in[1], dtype, rank, rank == 4 ? (size_t[]){b, 2, k, n} : (size_t[]){k, n});
    draw_array(s, c, &c->in[2], dtype, rank, rank == 4 ? (size_t[]){b, 2, k, e} : (size_t[]){k, e});
}

/* The axis as Python's, sometimes from the end. */
static int draw_axis(struct session *s, struct test_case *c, int rank)
{
    c->axis = (int)draw(s, (uint64_t)rank);
    return draw(s, 2) ? c->axis : c->axis - rank;
}

static void draw_parameters(struct session *s, struct test_case *c, int rank)
{
    static const char *const how[] = {"add", "mul", "max", "min"};
    static const char *const edges[] = {"valid", "zero", "shrink"};
    char *json = c->json;
    const size_t room = sizeof c->json;
    const int axis = rank ? draw_axis(s, c, rank) : 0;

    c->axis = rank ? c->axis : -1;
    if (is(c, "scan")) {
        c->mode = (int)draw(s, 4);
        c->flag = draw(s, 2);
        snprintf(json, room, "{\"axis\": %d, \"op\": \"%s\", \"exclusive\": %s}", axis,
                 how[c->mode], c->flag ? "true" : "false");
    } else if (is(c, "difference")) {
        c->mode = (int)draw(s, 2);
        c->window = 2;
        snprintf(json, room, "{\"axis\": %d, \"edge\": \"%s\"}", axis, edges[c->mode]);
    } else if (is(c, "moving_average")) {
        c->mode = draw(s, 2) ? 2 : 0;
        c->window = 1 + draw(s, 9);
        c->flag = draw(s, 2);
        snprintf(json, room, "{\"axis\": %d, \"edge\": \"%s\", \"window\": %zu, \"centre\": %s}",
                 axis, edges[c->mode], c->window, c->flag ? "true" : "false");
    } else if (takes_floats(c)) {
        snprintf(json, room, "{\"axis\": %d}", axis);
    } else if (!is(c, "copy") && !is(c, "permute")) { /* reductions */
        const char *more = is(c, "map_reduce") ? ", \"map\": \"a\", \"combine\": \"x+y\", "
                                                 "\"identity\": 0"
                                               : "";

        c->keepdims = draw(s, 2);
        if (!rank || draw(s, 3) == 0)
            c->axis = -1;
        if (c->axis < 0)
            snprintf(json, room, "{\"keepdims\": %s%s}", c->keepdims ? "true" : "false", more);
        else
            snprintf(json, room, "{\"axis\": %d, \"keepdims\": %s%s}", axis,
                     c->keepdims ? "true" : "false", more);
    }
}

/* Another dtype of the output, that has all values: products are too large but for f64, and i64
 * has identities that a scan in f64 lacks. */
static void draw_out(struct session *s, struct test_case *c)
{
    static const char *const names[] = {"f64", "f32", "f16", "bf16", "i32", "i64"};
    static const char *const with_dtype[] = {"sum",    "prod",       "mean",  "max",
                                             "min",    "scan",       "dot",   "matmul",
                                             "conv1d", "map_reduce", "conv2d"};
    const bool multiplies = is(c, "prod") || (is(c, "scan") && c->mode == 1);
    const size_t some = is(c, "map_reduce") ? 4 : is(c, "scan") && c->mode > 1 ? 5 : 6;
    const size_t length = strlen(c->json) - 1; /* without the brace */
    bool has_dtype = false;

    for (size_t k = 0; k < sizeof with_dtype / sizeof *with_dtype; k++)
        has_dtype = has_dtype || is(c, with_dtype[k]);
    if (!has_dtype || draw(s, 2))
        return;
    snprintf(c->json + length, sizeof c->json - length, "%s\"dtype\": \"%s\"}",
             length > 1 ? ", " : "", names[multiplies ? 0 : draw(s, some)]);
}

/* Indices of an axis of n elements, few of them for types of 8 bits. */
static void draw_indices(struct session *s, const struct test_case *c, struct array *a, int rank,
                         const size_t *shape, size_t n)
{
    static const lw_dtype integers[] = {LW_I64, LW_I32, LW_U8, LW_I16, LW_U64, LW_U32};
    const lw_dtype of = integers[draw(s, 6)];
    const size_t most = n < 100 ? n : 100; /* what u8 and i16 can say */

    draw_array(s, c, a, of, rank, shape);
    for (size_t i = 0; i < a->count; i++)
        a->value[i] = (double)draw(s, most) - (of < LW_U8 && draw(s, 2) ? (double)most : 0);
    a->repeated = -1;
}

/* Indices of slices; sometimes of two axes. */
static void draw_take(struct session *s, struct test_case *c, lw_dtype dtype, int rank,
                      const size_t *extent)
{
    const int axis = draw_axis(s, c, rank);
    const size_t n = extent[c->axis];
    const bool has_two = c->axis + 1 < rank && n && extent[c->axis + 1] && draw(s, 3) == 0;
    const int rest = 5 - rank + has_two;
    const int least = n ? 0 : 1; /* of nothing, no index */
    const int index_rank =
        least + (int)draw(s, (uint64_t)(rest < 4 ? rest : 3) + 1 - (uint64_t)least);
    size_t shape[4] = {1, 1, 1, 1};

    draw_array(s, c, &c->in[0], dtype, rank, extent);
    snprintf(c->json, sizeof c->json, "{\"axis\": %d}", axis);
    for (int k = 0; k < index_rank; k++)
        shape[k] = n ? 1 + draw(s, draw(s, 4) ? 5 : 60) : 0;
    draw_indices(s, c, &c->in[1], index_rank, shape, n);
    c->inputs = 2 + has_two;
    if (!has_two)
        return;
    const int first = index_rank ? (int)draw(s, (uint64_t)index_rank + 1) : 0; /* it lacks axes */
    draw_indices(s, c, &c->in[2], index_rank - first, shape + first, extent[c->axis + 1]);
}

/* An index for each element of the result; an axis may be repeated on either side. */
static void draw_along(struct session *s, struct test_case *c, lw_dtype dtype, int rank,
                       const size_t *extent)
{
    const int axis = draw_axis(s, c, rank);
    const size_t n = extent[c->axis];
    size_t of_x[4], of_indices[4];

    for (int k = 0; k < rank; k++)
        of_x[k] = of_indices[k] = extent[k];
    of_indices[c->axis] = n ? 1 + draw(s, 70) : 0;
    const int k = (int)draw(s, (uint64_t)rank);
    if (k != c->axis && draw(s, 3) == 0)
        *(draw(s, 2) ? &of_x[k] : &of_indices[k]) = 1;
    c->inputs = 2;
    draw_array(s, c, &c->in[0], dtype, rank, of_x);
    draw_indices(s, c, &c->in[1], rank, of_indices, n);
    snprintf(c->json, sizeof c->json, "{\"axis\": %d}", axis);
}

/* Values for the slices that the indices name, as drawn by draw_take: some axes are repeated. */
static void draw_scatter(struct session *s, struct test_case *c, lw_dtype dtype, int rank,
                         const size_t *extent)
{
    static const lw_dtype floats[] = {LW_F32, LW_F64, LW_F16, LW_BF16, LW_I8, LW_BOOL},
                          integers[] = {LW_I8, LW_I64, LW_BOOL};
    size_t shape[5] = {1, 1, 1, 1, 1};
    int n = 0;

    draw_take(s, c, dtype, rank, extent);
    for (int k = 0; k < c->axis; k++)
        shape[n++] = extent[k];
    for (int k = 0; k < c->in[1].rank; k++)
        shape[n++] = c->in[1].extent[k];
    for (int k = c->axis + (int)c->inputs - 1; k < rank; k++)
        shape[n++] = extent[k];
    const int first = draw(s, 3) ? 0 : (int)draw(s, (uint64_t)n + 1);
    for (int k = 0; k < n; k++)
        shape[k] = draw(s, 8) ? shape[k] : 1;
    const lw_dtype of = dtype >= LW_F16        ? floats[draw(s, 6)]
                        : is(c, "scatter_add") ? integers[draw(s, 3)]
                                               : dtype;
    draw_array(s, c, &c->in[c->inputs++], draw(s, 2) ? dtype : of, n - first, shape + first);
}

static int compare(const void *a, const void *b)
{
    const double x = *(const double *)a, y = *(const double *)b;

    return isnan(x) || isnan(y) ? isnan(x) - isnan(y) : (x > y) - (x < y);
}

/* A sorted row, and values of any shape; of floats, some NaNs. */
static void draw_search(struct session *s, struct test_case *c, lw_dtype dtype, int rank,
                        const size_t *extent)
{
    const size_t n = longs[draw(s, DRAWN_LONGS)];

    c->flag = draw(s, 2);
    snprintf(c->json, sizeof c->json, "{\"side\": \"%s\"}", c->flag ? "right" : "left");
    c->inputs = 2;
    draw_array(s, c, &c->in[0], dtype, 1, &n);
    draw_array(s, c, &c->in[1], draw(s, 2) ? dtype : draw_dtype(s, c), rank, extent);
    for (size_t k = 0; k < 2; k++)
        for (size_t i = 0; i < c->in[k].count && c->in[k].dtype >= LW_F16; i++)
            if (c->in[k].repeated < 0 && draw(s, 20) == 0)
                c->in[k].value[i] = (double)NAN;
    qsort(c->in[0].value, n, sizeof(double), compare);
}

/* Slices by index, or a mask. */
static void draw_selection(struct session *s, struct test_case *c, lw_dtype dtype, int rank,
                           const size_t *extent)
{
    if (is(c, "take")) {
        draw_take(s, c, dtype, rank, extent);
        return;
    }
    if (is(c, "take_along_axis")) {
        draw_along(s, c, dtype, rank, extent);
        return;
    }
    if (!strncmp(c->op, "scatter", 7)) {
        draw_scatter(s, c, dtype, rank, extent);
        return;
    }
    c->inputs = 2;
    draw_array(s, c, &c->in[0], dtype, rank, extent);
    draw_array(s, c, &c->in[1], (lw_dtype)draw(s, LW_DTYPE_COUNT), 1, extent);
}

static bool sorts(const struct test_case *c)
{
    return is(c, "sort") || is(c, "argsort") || is(c, "top_k");
}

/* Of floats, some NaNs. */
static void draw_sort(struct session *s, struct test_case *c, lw_dtype dtype, int rank,
                      const size_t *extent)
{
    const int axis = draw_axis(s, c, rank);
    const char *fall = draw(s, 2) ? "true" : "false";

    c->flag = (fall[0] == 't') != is(c, "top_k");
    c->inputs = 1;
    if (is(c, "top_k"))
        snprintf(c->json, sizeof c->json, "{\"axis\": %d, \"smallest\": %s, \"k\": %d}", axis, fall,
                 (int)draw(s, (extent[c->axis] < 9 ? extent[c->axis] : 9) + 1));
    else
        snprintf(c->json, sizeof c->json, "{\"axis\": %d, \"descending\": %s}", axis, fall);
    draw_array(s, c, &c->in[0], dtype, rank, extent);
    for (size_t i = 0; i < c->in[0].count && dtype >= LW_F16 && c->in[0].repeated < 0; i++)
        if (draw(s, 20) == 0)
            c->in[0].value[i] = (double)NAN;
}

static void draw_convolution(struct session *s, struct test_case *c)
{
    const bool is_flat = is(c, "conv1d"), has_images = draw(s, 2);
    const size_t channels = 1 + draw(s, 4), n = has_images ? 1 + draw(s, 3) : 1;
    const size_t h = 3 + draw(s, 20), w = 3 + draw(s, is_flat ? 400 : 30);
    const lw_dtype dtype = draw_dtype(s, c);
    size_t image[4], filter[4];
    int rank = 0;

    c->axis = -1;
    c->inputs = 2;
    c->mode = (int)draw(s, 3);  /* padding */
    c->window = 1 + draw(s, 2); /* stride */
    if (has_images) {
        image[rank] = n;
        filter[rank++] = 1 + draw(s, 5);
        image[rank] = filter[rank] = channels;
        rank++;
    }
    if (!is_flat) {
        image[rank] = h;
        filter[rank++] = 1 + draw(s, 3);
    }
    image[rank] = w;
    filter[rank++] = 1 + draw(s, 3);
    snprintf(c->json, sizeof c->json, "{\"pad\": \"%d\", \"stride\": \"%zu\"}", c->mode, c->window);
    draw_array(s, c, &c->in[0], dtype, rank, image);
    draw_array(s, c, &c->in[1], draw_dtype(s, c), rank, filter);
}

static void draw_call(struct session *s, struct test_case *c)
{
    size_t extent[4];
    int rank = draw_shape(s, extent);
    const lw_dtype dtype = draw_dtype(s, c);
    const bool has_rows = is(c, "scan") || is(c, "difference") || is(c, "moving_average");

    if (is(c, "conv1d") || is(c, "conv2d")) {
        draw_convolution(s, c);
        return;
    }
    if (is(c, "matmul") || is(c, "attention")) {
        draw_matrices(s, c);
        return;
    }
    const bool selects =
        !strncmp(c->op, "take", 4) || !strncmp(c->op, "scatter", 7) || is(c, "compact");

    if (is(c, "compact") && rank > 1) {
        for (int k = 1; k < rank; k++)
            extent[0] = extent[0] > extent[k] ? extent[0] : extent[k];
        rank = 1;
    }
    if ((has_rows || selects || sorts(c) || takes_floats(c) || is(c, "dot")) && !rank) {
        rank = 1;
        extent[0] = 1 + draw(s, 100);
    }
    if (is(c, "dot")) {
        c->axis = -1;
        c->inputs = 2;
        draw_array(s, c, &c->in[0], dtype, 1, extent);
        draw_array(s, c, &c->in[1], draw_dtype(s, c), 1, extent);
        return;
    }
    if (selects) {
        draw_selection(s, c, dtype, rank, extent);
        return;
    }
    if (is(c, "searchsorted")) {
        draw_search(s, c, dtype, rank, extent);
        return;
    }
    if (is(c, "histogram")) {
        c->window = 1 + draw(s, draw(s, 4) ? 20 : 6000); /* bins */
        c->flag = draw(s, 2);                            /* between -2.5 and 2 */
        snprintf(c->json, sizeof c->json, "{\"bins\": %zu%s}", c->window,
                 c->flag ? ", \"low\": -2.5, \"high\": 2" : "");
        c->axis = -1;
        c->inputs = 1;
        draw_array(s, c, &c->in[0], dtype, rank, extent);
        return;
    }
    if (sorts(c)) {
        draw_sort(s, c, dtype, rank, extent);
        return;
    }
    draw_parameters(s, c, rank);
    c->inputs = 1;
    draw_array(s, c, &c->in[0], dtype, rank, extent);
    if (c->axis >= 0 && (is(c, "layer_norm") || is(c, "rms_norm"))) {
        c->inputs = draw(s, 2) ? is(c, "layer_norm") ? 3 : 2 : 1;
        for (size_t k = 1; k < c->inputs; k++)
            draw_array(s, c, &c->in[k], LW_F32, 1, &extent[c->axis]);
    }
}

void draw_case(struct session *s, struct test_case *c)
{
    draw_call(s, c);
    draw_out(s, c);
}
