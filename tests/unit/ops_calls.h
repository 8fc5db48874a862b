/* ops_calls.h - for tests of the ready-made operations: a small good call of each, whose arguments
 * a test may change, with its result.
 *
 * Every input has a buffer of its own, of 1, 2, 3 ... as f32, or as i32 where it has integers. That
 * of an output has a pattern.
 */
#ifndef OPS_CALLS_H
#define OPS_CALLS_H
#include <lanewise/ops.h>
#include <limits.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { INPUTS = 5, ELEMENTS = 24, RESULTS = 8, PATTERN = 0x5a };

static int failures;

#define CHECK(condition)                                                                           \
    do {                                                                                           \
        if (!(condition)) {                                                                        \
            failures++;                                                                            \
            printf("%s:%d: %s (%s)\n", __FILE__, __LINE__, #condition, lw_last_error());           \
        }                                                                                          \
    } while (0)
#define WORKS(call) CHECK((call) == LW_OK)

struct operation;

/* The arguments of an operation. Those that it lacks are not looked at. */
struct call {
    const struct operation *op;
    lw_stream *stream;
    lw_tensor out, in[INPUTS], weights; /* in: as operation.inputs names them */
    lw_tensor second;                   /* of two outputs */
    const lw_tensor *list;              /* of map and map_reduce */
    size_t count;
    const char *expression, *combine;
    double identity, eps, scale, high;
    int axis, window, pad, stride;
    const int *axes;
    bool keepdims, exclusive, centre, causal, has_weights;
    lw_sum_order sum;
    lw_scan_op scan;
    lw_edge edge;
};

struct form {
    int rank;
    ptrdiff_t extent[4];
};

struct operation {
    const char *name;
    lw_status (*run)(const struct call *c);
    size_t count;
    struct {
        const char *name;
        struct form form;
    } inputs[INPUTS];
    lw_dtype dtype; /* of out */
    struct form out;
    bool in_place; /* out may be the first input */
    double result[RESULTS];
};

/* ---- from fields to arguments ---- */

static const lw_tensor *at(const struct call *c, size_t k)
{
    return c->count > k ? &c->in[k] : NULL;
}

static lw_status run_dot(const struct call *c)
{
    return lw_dot(c->stream, c->out, c->in[0], c->in[1], &(lw_dot_options){c->sum});
}

#define RUN_REDUCTION(name)                                                                        \
    static lw_status run_##name(const struct call *c)                                              \
    {                                                                                              \
        const lw_reduce_options o = {c->axis, c->keepdims, c->sum};                                \
                                                                                                   \
        return lw_##name(c->stream, c->out, c->in[0], &o);                                         \
    }
RUN_REDUCTION(sum)
RUN_REDUCTION(prod)
RUN_REDUCTION(max)
RUN_REDUCTION(min)
RUN_REDUCTION(mean)
RUN_REDUCTION(any)
RUN_REDUCTION(all)
RUN_REDUCTION(argmax)
RUN_REDUCTION(argmin)

static lw_status run_map(const struct call *c)
{
    return lw_map(c->stream, c->out, c->expression, c->list, c->count);
}

static lw_status run_map_reduce(const struct call *c)
{
    const lw_map_reduce_options o = {.axis = c->axis, .keepdims = c->keepdims};

    return lw_map_reduce(c->stream, c->out, c->expression, c->combine, c->identity, c->list,
                         c->count, &o);
}

static lw_status run_scan(const struct call *c)
{
    const lw_scan_options o = {c->axis, c->exclusive, c->scan};

    return lw_scan(c->stream, c->out, c->in[0], &o);
}

static lw_status run_difference(const struct call *c)
{
    return lw_difference(c->stream, c->out, c->in[0], &(lw_difference_options){c->axis, c->edge});
}

static lw_status run_moving_average(const struct call *c)
{
    const lw_moving_average_options o = {c->axis, c->window, c->edge, c->centre};

    return lw_moving_average(c->stream, c->out, c->in[0], &o);
}

#define RUN_NORM(name)                                                                             \
    static lw_status run_##name(const struct call *c)                                              \
    {                                                                                              \
        const lw_norm_options o = {c->axis, c->eps, at(c, 1), at(c, 2)};                           \
                                                                                                   \
        return lw_##name(c->stream, c->out, c->in[0], &o);                                         \
    }
RUN_NORM(mean_normalize)
RUN_NORM(layer_norm)
RUN_NORM(rms_norm)
RUN_NORM(softmax)
RUN_NORM(log_softmax)

static lw_status run_permute(const struct call *c)
{
    return lw_permute(c->stream, c->out, c->in[0], c->axes);
}

static lw_status run_copy(const struct call *c)
{
    return lw_copy(c->stream, c->out, c->in[0]);
}

static lw_status run_matmul(const struct call *c)
{
    const lw_matmul_options o = {at(c, 2), c->sum};

    return lw_matmul(c->stream, c->out, c->in[0], c->in[1], &o);
}

static lw_status run_attention(const struct call *c)
{
    const lw_attention_options o = {c->scale, c->causal, c->window,
                                    c->has_weights ? &c->weights : NULL, c->sum};

    return lw_attention(c->stream, c->out, c->in[0], c->in[1], c->in[2], &o);
}

static lw_status run_take(const struct call *c)
{
    return lw_take(c->stream, c->out, c->in[0], c->in[1], &(lw_take_options){.axis = c->axis});
}

static lw_status run_take_two(const struct call *c)
{
    const lw_take_options o = {c->axis, &c->in[2], 1};

    return lw_take(c->stream, c->out, c->in[0], c->in[1], &o);
}

static lw_status run_take_along_axis(const struct call *c)
{
    return lw_take_along_axis(c->stream, c->out, c->in[0], c->in[1],
                              &(lw_take_along_axis_options){c->axis});
}

static lw_status run_scatter(const struct call *c)
{
    return lw_scatter(c->stream, c->out, c->in[0], c->in[1], c->in[2],
                      &(lw_scatter_options){.axis = c->axis});
}

static lw_status run_scatter_add(const struct call *c)
{
    return lw_scatter_add(c->stream, c->out, c->in[0], c->in[1], c->in[2],
                          &(lw_scatter_options){.axis = c->axis});
}

static lw_status run_compact(const struct call *c)
{
    return lw_compact(c->stream, c->out, c->second, c->in[0], c->in[1]);
}

static lw_status run_sort(const struct call *c)
{
    return lw_sort(c->stream, c->out, c->in[0], &(lw_sort_options){c->axis, false});
}

static lw_status run_searchsorted(const struct call *c)
{
    return lw_searchsorted(c->stream, c->out, c->in[0], c->in[1], NULL);
}

static lw_status run_argsort(const struct call *c)
{
    return lw_argsort(c->stream, c->out, c->in[0], &(lw_sort_options){c->axis, true});
}

static lw_status run_top_k(const struct call *c)
{
    return lw_top_k(c->stream, c->out, c->second, c->in[0], &(lw_top_k_options){c->axis, false});
}

static lw_status run_conv1d(const struct call *c)
{
    const lw_conv_options o = {{c->pad}, {c->stride}, c->sum};

    return lw_conv1d(c->stream, c->out, c->in[0], c->in[1], &o);
}

static lw_status run_conv2d(const struct call *c)
{
    const lw_conv_options o = {{0, c->pad}, {c->stride}, c->sum};

    return lw_conv2d(c->stream, c->out, c->in[0], c->in[1], &o);
}

static lw_status run_histogram(const struct call *c)
{
    return lw_histogram(c->stream, c->out, c->in[0], &(lw_histogram_options){0, c->high});
}

/* ---- the good calls ---- */

#define M23 {2, {2, 3}}
#define V2 {1, {2}}
#define V3 {1, {3}}

static const struct operation operations[] = {
    {"dot", run_dot, 2, {{"x", {1, {6}}}, {"y", {1, {6}}}}, LW_F32, {0, {0}}, false, {91}},
    {"sum", run_sum, 1, {{"x", M23}}, LW_F32, V2, false, {6, 15}},
    {"prod", run_prod, 1, {{"x", M23}}, LW_F32, V2, false, {6, 120}},
    {"max", run_max, 1, {{"x", M23}}, LW_F32, V2, false, {3, 6}},
    {"min", run_min, 1, {{"x", M23}}, LW_F32, V2, false, {1, 4}},
    {"mean", run_mean, 1, {{"x", M23}}, LW_F32, V2, false, {2, 5}},
    {"any", run_any, 1, {{"x", M23}}, LW_BOOL, V2, false, {1, 1}},
    {"all", run_all, 1, {{"x", M23}}, LW_BOOL, V2, false, {1, 1}},
    {"argmax", run_argmax, 1, {{"x", M23}}, LW_I64, V2, false, {2, 2}},
    {"argmin", run_argmin, 1, {{"x", M23}}, LW_I64, V2, false, {0, 0}},
    {"map", run_map, 2, {{"a", M23}, {"b", V3}}, LW_F32, M23, true, {3, 6, 9, 6, 9, 12}},
    {"map_reduce", run_map_reduce, 2, {{"a", M23}, {"b", V3}}, LW_F32, V2, false, {14, 32}},
    {"scan", run_scan, 1, {{"x", M23}}, LW_F32, M23, true, {1, 3, 6, 4, 9, 15}},
    {"difference", run_difference, 1, {{"x", M23}}, LW_F32, {2, {2, 2}}, false, {1, 1, 1, 1}},
    {"moving_average",
     run_moving_average,
     1,
     {{"x", M23}},
     LW_F32,
     {2, {2, 2}},
     false,
     {1.5, 2.5, 4.5, 5.5}},
    {"mean_normalize",
     run_mean_normalize,
     1,
     {{"x", M23}},
     LW_F32,
     M23,
     true,
     {0.5, 1, 1.5, 0.8, 1, 1.2}},
    {"layer_norm",
     run_layer_norm,
     3,
     {{"x", M23}, {"weight", V3}, {"bias", V3}},
     LW_F32,
     M23,
     true,
     {-0.2247357, 2, 6.6742071, -0.2247357, 2, 6.6742071}},
    {"rms_norm",
     run_rms_norm,
     2,
     {{"x", M23}, {"weight", V3}},
     LW_F32,
     M23,
     true,
     {0.4629095, 1.8516382, 4.1661858, 0.7895421, 1.9738554, 3.5529397}},
    {"softmax",
     run_softmax,
     1,
     {{"x", M23}},
     LW_F32,
     M23,
     true,
     {0.0900306, 0.2447285, 0.6652410, 0.0900306, 0.2447285, 0.6652410}},
    {"log_softmax",
     run_log_softmax,
     1,
     {{"x", M23}},
     LW_F32,
     M23,
     true,
     {-2.4076059, -1.4076059, -0.4076059, -2.4076059, -1.4076059, -0.4076059}},
    {"permute", run_permute, 1, {{"x", M23}}, LW_F32, {2, {3, 2}}, false, {1, 4, 2, 5, 3, 6}},
    {"copy", run_copy, 1, {{"x", M23}}, LW_F32, M23, true, {1, 2, 3, 4, 5, 6}},
    {"matmul",
     run_matmul,
     3,
     {{"x", M23}, {"y", {2, {3, 2}}}, {"bias", V2}},
     LW_F32,
     {2, {2, 2}},
     false,
     {23, 30, 50, 66}},
    {"attention",
     run_attention,
     3,
     {{"q", {2, {2, 2}}}, {"k", {2, {3, 2}}}, {"v", {2, {3, 2}}}},
     LW_F32,
     {2, {2, 2}},
     false,
     {4.9950303, 5.9950303, 4.9999983, 5.9999983}},
    {"take",
     run_take,
     2,
     {{"x", {2, {4, 2}}}, {"indices", V2}},
     LW_F32,
     {2, {2, 2}},
     false,
     {3, 4, 5, 6}},
    {"take",
     run_take_two,
     3,
     {{"x", {2, {4, 4}}}, {"indices", {2, {2, 1}}}, {"indices", {2, {1, 2}}}},
     LW_F32,
     {2, {2, 2}},
     false,
     {6, 7, 10, 11}},
    {"take_along_axis",
     run_take_along_axis,
     2,
     {{"x", {2, {2, 5}}}, {"indices", {2, {2, 2}}}},
     LW_F32,
     {2, {2, 2}},
     false,
     {2, 3, 9, 10}},
    {"scatter",
     run_scatter,
     3,
     {{"x", {2, {4, 2}}}, {"indices", V2}, {"values", {2, {2, 2}}}},
     LW_F32,
     {2, {4, 2}},
     true,
     {1, 2, 1, 2, 3, 4, 7, 8}},
    {"scatter_add",
     run_scatter_add,
     3,
     {{"x", {2, {4, 2}}}, {"indices", V2}, {"values", {2, {2, 2}}}},
     LW_F32,
     {2, {4, 2}},
     true,
     {1, 2, 4, 6, 8, 10, 7, 8}},
    {"compact", run_compact, 2, {{"x", V3}, {"mask", V3}}, LW_F32, V3, false, {1, 2, 3}},
    {"conv1d", run_conv1d, 2, {{"x", {1, {4}}}, {"filter", V3}}, LW_F32, V2, false, {14, 20}},
    {"conv2d",
     run_conv2d,
     2,
     {{"x", {2, {3, 3}}}, {"filter", {2, {2, 2}}}},
     LW_F32,
     {2, {2, 2}},
     false,
     {37, 47, 67, 77}},
    {"histogram", run_histogram, 1, {{"x", M23}}, LW_I64, V2, false, {3, 3}},
    {"sort", run_sort, 1, {{"x", M23}}, LW_F32, M23, false, {1, 2, 3, 4, 5, 6}},
    {"argsort", run_argsort, 1, {{"x", M23}}, LW_I64, M23, false, {2, 1, 0, 2, 1, 0}},
    {"searchsorted",
     run_searchsorted,
     2,
     {{"sorted", {1, {4}}}, {"values", M23}},
     LW_I64,
     M23,
     false,
     {0, 1, 2, 3, 4, 4}},
    {"top_k", run_top_k, 1, {{"x", V3}}, LW_F32, V2, false, {3, 2}},
};

enum { OPERATIONS = sizeof operations / sizeof *operations };

/* Of an input: i32. Of the operation: a second output, of i64. */
static inline bool has_integers(const struct operation *op, size_t input)
{
    return (!strncmp(op->name, "take", 4) && input > 0) ||
           (!strncmp(op->name, "scatter", 7) && input == 1);
}
static inline bool has_second(const struct operation *op)
{
    return op->run == run_compact || op->run == run_top_k;
}

static inline const char *out_name(const struct operation *op)
{
    return op->run == run_top_k ? "values" : op->run == run_histogram ? "counts" : "out";
}

static inline const struct operation *operation_of(const char *name)
{
    for (size_t k = 0; k < OPERATIONS; k++)
        if (!strcmp(operations[k].name, name))
            return &operations[k];
    printf("no operation %s\n", name);
    exit(1);
}

/* ---- memory ---- */

struct place {
    lw_device *device;
    lw_stream *stream;
    lw_buffer *in[INPUTS], *integers[INPUTS], *out[LW_DTYPE_COUNT];
};

static inline lw_buffer *numbers(lw_device *device, lw_dtype dtype)
{
    float reals[ELEMENTS];
    int32_t integers[ELEMENTS];

    for (int i = 0; i < ELEMENTS; i++)
        reals[i] = (float)(i + 1), integers[i] = i + 1;
    lw_buffer *b;
    WORKS(lw_buffer_create(device, dtype, ELEMENTS, &b));
    if (dtype == LW_F32 || dtype == LW_I32)
        WORKS(lw_buffer_write(b, 0, ELEMENTS, dtype == LW_F32 ? (void *)reals : (void *)integers));
    return b;
}

static inline void fill_out(const struct place *p, lw_dtype dtype)
{
    unsigned char pattern[ELEMENTS * 8];

    memset(pattern, dtype == LW_BOOL ? 1 : PATTERN, sizeof pattern);
    WORKS(lw_buffer_write(p->out[dtype], 0, ELEMENTS, pattern));
}

static inline void open_place(const char *name, struct place *p)
{
    *p = (struct place){0};
    WORKS(lw_device_open(name, &p->device));
    WORKS(lw_stream_create(p->device, &p->stream));
    for (int k = 0; k < INPUTS; k++) {
        p->in[k] = numbers(p->device, LW_F32);
        p->integers[k] = numbers(p->device, LW_I32);
    }
    for (int t = 0; t < LW_DTYPE_COUNT; t++) {
        WORKS(lw_buffer_create(p->device, (lw_dtype)t, ELEMENTS, &p->out[t]));
        fill_out(p, (lw_dtype)t);
    }
}

static inline void close_place(struct place *p)
{
    for (int k = 0; k < INPUTS; k++) {
        lw_buffer_destroy(p->in[k]);
        lw_buffer_destroy(p->integers[k]);
    }
    for (int t = 0; t < LW_DTYPE_COUNT; t++)
        lw_buffer_destroy(p->out[t]);
    lw_stream_destroy(p->stream);
    lw_device_close(p->device);
}

static inline lw_tensor tensor(lw_buffer *b, int rank, ptrdiff_t e0, ptrdiff_t e1, ptrdiff_t e2,
                               ptrdiff_t e3)
{
    return (lw_tensor){.buffer = b, .rank = rank, .extent = {e0, e1, e2, e3}};
}

static inline lw_tensor formed(lw_buffer *b, const struct form *f)
{
    return tensor(b, f->rank, f->extent[0], f->extent[1], f->extent[2], f->extent[3]);
}

static inline void good_call(const struct place *p, const struct operation *op, struct call *c)
{
    static const int axes[] = {1, 0};
    const bool reduces = op->dtype != LW_F32 || op->out.rank == 1;

    *c = (struct call){.op = op, .stream = p->stream, .count = op->count};
    for (size_t k = 0; k < op->count; k++)
        c->in[k] = formed(has_integers(op, k) ? p->integers[k] : p->in[k], &op->inputs[k].form);
    c->second = tensor(p->out[LW_I64], op->run == run_top_k, 2, 0, 0, 0);
    c->out = formed(p->out[op->dtype], &op->out);
    c->list = c->in;
    c->expression = op->run == run_map ? "a + b * 2" : "a * b";
    c->combine = "x + y";
    c->axis = reduces ? -1 : 0;
    c->axes = axes;
    c->window = op->run == run_moving_average ? 2 : 0;
}

static inline lw_status run_by_name(const struct call *c, lw_op *op, const char *json)
{
    const lw_tensor outputs[] = {c->out, c->second};

    return lw_op_run(op, c->stream, json, outputs, has_second(c->op) ? 2 : 1, c->in, c->count);
}

/* True if these bytes of the output's buffer are the result, and nothing is behind it. */
static inline bool has_result(const struct operation *op, const unsigned char *got)
{
    const size_t size = lw_dtype_size(op->dtype);
    size_t n = 1;
    bool good = true;

    for (int k = 0; k < op->out.rank; k++)
        n *= (size_t)op->out.extent[k];
    for (size_t i = 0; good && i < n; i++) {
        const double v = op->dtype == LW_F32   ? (double)((const float *)(const void *)got)[i]
                         : op->dtype == LW_I64 ? (double)((const int64_t *)(const void *)got)[i]
                                               : got[i];

        good = fabs(v - op->result[i]) <= 2e-6 * (1 + fabs(v));
    }
    for (size_t i = n * size; good && i < ELEMENTS * size; i++)
        good = got[i] == (op->dtype == LW_BOOL ? 1 : PATTERN);
    return good;
}

/* True if the good call works and leaves its result. */
static inline bool is_good(const struct place *p, const struct operation *op)
{
    double got[ELEMENTS];
    struct call c;

    good_call(p, op, &c);
    fill_out(p, op->dtype);
    bool good = op->run(&c) == LW_OK && lw_stream_wait(p->stream) == LW_OK &&
                lw_buffer_read(p->out[op->dtype], 0, ELEMENTS, got) == LW_OK &&
                has_result(op, (const unsigned char *)got);
    fill_out(p, op->dtype);
    return good;
}
#endif
