/* sort.c - lw_sort, lw_argsort, lw_top_k: stable sorts of rows by the bits of keys.
 *
 * A row goes through a pass for each byte of its dtype. Elements of 1 and 2 bytes are sorted as
 * words of 4. Between passes elements, and where they are asked for their indices, lie in scratch
 * memory.
 */
#include "ops/registry.h"
#include <limits.h>

/* ORDER SORT: kernels/sort.c, kernels/sort_gpu.c */
enum { DIGITS = 256, SHORT = 48, PART_GPU = 2048, THREADS_GPU = 256, WARPS_GPU = 8 };
enum { PARTS = 64, PART_LEAST = 16384 }; /* of a long row, on processors */

/* ORDER SORT_KEYS: kernels/sort.h */
struct keys {
    uint64_t sign, negative, positive, zero, magnitude, infinity, nan, flip;
};
struct carried {
    size_t has_index, is_first, is_wide, has_value;
};

enum what { VALUES, INDICES, BOTH };

struct sort_arguments {
    lw_tensor out, indices, x; /* out or indices may be missing, as `what` says */
    int axis;
    enum what what;
    bool is_falling, nan_first;
};

/* A sort of all rows, in words. */
struct sorting {
    struct keys keys;
    size_t rows, n, passes;
    lw_dtype word; /* u32 or u64 */
    struct lw__operand x, out, other, indices, between, other_between;
    struct carried carried; /* by the last pass */
};

/* ---- keys ---- */

static uint64_t infinity_of(lw_dtype dtype)
{
    return dtype == LW_F64   ? UINT64_C(0x7ff0) << 48
           : dtype == LW_F32 ? UINT64_C(0x7f80) << 16
           : dtype == LW_F16 ? 0x7c00
                             : 0x7f80;
}

static struct keys keys_of(lw_dtype dtype, bool is_falling, bool nan_first)
{
    const size_t bits = 8 * lw_dtype_size(dtype);
    const uint64_t all = UINT64_MAX >> (64 - bits), sign = UINT64_C(1) << (bits - 1);
    const bool is_float = lw__dtype_is_float(dtype);
    struct keys k = {.sign = sign, .infinity = UINT64_MAX, .flip = is_falling ? all : 0};

    if (is_float) {
        k.negative = all;
        k.positive = k.zero = sign;
        k.magnitude = all >> 1;
        k.infinity = infinity_of(dtype);
        k.nan = nan_first ? 0 : all;
    } else if (!lw__dtype_is_unsigned(dtype)) {
        k.negative = k.positive = sign;
    }
    return k;
}

static lw_arg arg_keys(const struct sorting *s)
{
    return lw_arg_bytes(&s->keys, sizeof s->keys);
}
static lw_arg arg_carried(const struct carried *c)
{
    return lw_arg_bytes(c, sizeof *c);
}

/* ---- launches ---- */

static const char *by_word(const struct sorting *s, const char *four, const char *eight)
{
    return s->word == LW_U32 ? four : eight;
}

static lw_status launch_program(struct lw__call *call, const char *kernel, size_t blocks,
                                uint32_t threads, const lw_arg *args, size_t count)
{
    lw_dim3 grid;

    LW_TRY(lw__grid(call, blocks, &grid));
    return lw__call_launch(call, call->is_gpu ? LW_PROGRAM_sort_gpu : LW_PROGRAM_sort, kernel, grid,
                           lw_dim_1(call->is_gpu ? THREADS_GPU : threads), args, count);
}
#define LAUNCH(call, kernel, blocks, threads, ...)                                                 \
    launch_program(call, kernel, blocks, threads, (const lw_arg[]){__VA_ARGS__},                   \
                   sizeof((const lw_arg[]){__VA_ARGS__}) / sizeof(lw_arg))

static lw_status sort_short(struct lw__call *call, struct sorting *s)
{
    return LAUNCH(call, by_word(s, "sort_short_4", "sort_short_8"), s->rows, 1, arg_keys(s),
                  lw_arg_uint(s->n), lw__arg_at(&s->x), lw__arg_at(&s->out),
                  arg_carried(&s->carried), lw__arg_at(&s->indices));
}

static lw_status sort_row_gpu(struct lw__call *call, struct sorting *s)
{
    return LAUNCH(call, by_word(s, "sort_row_4", "sort_row_8"), s->rows, lw__threads(call),
                  arg_keys(s), lw_arg_uint(s->passes), lw_arg_uint(s->n), lw__arg_at(&s->x),
                  lw__arg_at(&s->out), arg_carried(&s->carried), lw__arg_at(&s->indices));
}

/* Memory that passes go through, besides the results. */
static lw_status take_scratch(struct lw__call *call, struct sorting *s)
{
    const struct lw__shape shape = {{1, 1, s->rows, s->n}};
    const struct lw__shape one = {{1, 1, 1, 1}};
    const bool has_index = s->carried.has_index;

    if (!s->carried.has_value)
        LW_TRY(lw__call_scratch(call, "values", s->word, shape, &s->out));
    LW_TRY(lw__call_scratch(call, "values", s->word, shape, &s->other));
    LW_TRY(lw__call_scratch(call, "indices", LW_U32, has_index ? shape : one, &s->between));
    return lw__call_scratch(call, "indices", LW_U32, has_index ? shape : one, &s->other_between);
}

static lw_status sort_rows(struct lw__call *call, struct sorting *s)
{
    struct carried c = s->carried;

    c.is_first = true;
    LW_TRY(take_scratch(call, s));
    return LAUNCH(call, by_word(s, "sort_row_4", "sort_row_8"), s->rows, lw__threads(call),
                  arg_keys(s), lw_arg_uint(s->passes), lw_arg_uint(s->n), lw__arg_at(&s->x),
                  lw__arg_at(&s->out), lw__arg_at(&s->other), arg_carried(&c),
                  lw__arg_at(&s->indices), lw__arg_at(&s->between), lw__arg_at(&s->other_between));
}

/* The operands that a pass reads and writes; the last one writes the results. */
static lw_status one_pass(struct lw__call *call, struct sorting *s, size_t pass, size_t parts,
                          size_t part, const struct lw__operand *counts,
                          const struct lw__operand *totals)
{
    const size_t left = s->passes - 1 - pass; /* passes behind this one */
    const struct lw__operand *from = pass == 0  ? &s->x
                                     : left % 2 ? &s->out
                                                : &s->other,
                             *from_indices = left % 2 ? &s->other_between : &s->between,
                             *to = left % 2 ? &s->other : &s->out,
                             *to_indices = !left      ? &s->indices
                                           : left % 2 ? &s->between
                                                      : &s->other_between;
    const struct carried c = {.has_index = s->carried.has_index,
                              .is_first = pass == 0,
                              .is_wide = !left && s->carried.is_wide,
                              .has_value = left || s->carried.has_value};
    const lw_arg shift = lw_arg_int((int)(8 * pass));

    LW_TRY(LAUNCH(call, by_word(s, "sort_count_4", "sort_count_8"), s->rows * parts,
                  lw__threads(call), arg_keys(s), shift, lw_arg_uint(s->n), lw_arg_uint(parts),
                  lw_arg_uint(part), lw__arg_at(from), lw__arg_at(counts)));
    LW_TRY(LAUNCH(call, "sort_sum", s->rows * DIGITS / (call->is_gpu ? WARPS_GPU : 1), 1,
                  lw_arg_uint(parts), lw__arg_at(counts), lw__arg_at(totals)));
    return LAUNCH(call, by_word(s, "sort_move_4", "sort_move_8"), s->rows * parts,
                  lw__threads(call), arg_keys(s), shift, lw_arg_uint(s->n), lw_arg_uint(parts),
                  lw_arg_uint(part), lw__arg_at(from), lw__arg_at(from_indices), lw__arg_at(to),
                  arg_carried(&c), lw__arg_at(to_indices), lw__arg_at(counts), lw__arg_at(totals));
}

static lw_status sort_passes(struct lw__call *call, struct sorting *s)
{
    const size_t least = call->is_gpu ? PART_GPU : PART_LEAST;
    const size_t even = lw__divide_up(s->n, PARTS);
    const size_t part = call->is_gpu || even < least ? least : even;
    const size_t parts = lw__divide_up(s->n, part);
    struct lw__operand counts, totals;

    LW_TRY(take_scratch(call, s));
    LW_TRY(lw__call_scratch(call, "counts", LW_U32, (struct lw__shape){{1, s->rows, DIGITS, parts}},
                            &counts));
    LW_TRY(lw__call_scratch(call, "totals", LW_U32, (struct lw__shape){{1, 1, s->rows, DIGITS}},
                            &totals));
    for (size_t pass = 0; pass < s->passes; pass++)
        LW_TRY(one_pass(call, s, pass, parts, part, &counts, &totals));
    return LW_OK;
}

static lw_status sort_words(struct lw__call *call, struct sorting *s)
{
    if (call->is_gpu)
        return s->n <= PART_GPU ? sort_row_gpu(call, s) : sort_passes(call, s);
    if (s->n <= SHORT)
        return sort_short(call, s);
    return s->n < 4 * PART_LEAST || s->rows >= PARTS ? sort_rows(call, s) : sort_passes(call, s);
}

/* ---- from tensors to words ---- */

/* The integers of the same size. */
static lw_dtype bits_of(lw_dtype dtype)
{
    static const lw_dtype of_size[] = {LW_U8, LW_U8, LW_U16, LW_U16, LW_U32};
    const size_t size = lw_dtype_size(dtype);

    return size == 8 ? LW_U64 : of_size[size];
}

/* Sort x, whose axis is last and of some length. The results lie side by side in scratch memory,
 * or in `out` and `indices` themselves where those are words side by side. */
static lw_status sort_operand(struct lw__call *call, const struct sort_arguments *a,
                              struct lw__operand x, const struct lw__operand *out,
                              const struct lw__operand *indices, struct sorting *s)
{
    const lw_dtype dtype = x.dtype, bits = bits_of(dtype);
    const struct lw__shape shape = x.shape;

    *s = (struct sorting){.keys = keys_of(dtype, a->is_falling, a->nan_first),
                          .n = shape.extent[3],
                          .passes = lw_dtype_size(dtype),
                          .word = bits == LW_U64 ? LW_U64 : LW_U32,
                          .carried = {a->what != VALUES, true, true, a->what != INDICES}};
    s->rows = lw__operand_count(&x) / s->n;
    x.dtype = bits;
    LW_TRY(lw__as(call, &x, s->word));
    LW_TRY(lw__contiguous_in(call, &x));
    s->x = x;
    s->out = s->indices = x; /* what is not asked for is not written */
    if (out && out->dtype == dtype && lw_dtype_size(dtype) >= 4 && lw__operand_is_contiguous(out))
        s->out = *out;
    else if (s->carried.has_value)
        LW_TRY(lw__call_scratch(call, "values", s->word, shape, &s->out));
    if (indices && lw__operand_is_contiguous(indices))
        s->indices = *indices;
    else if (s->carried.has_index)
        LW_TRY(lw__call_scratch(call, "indices", LW_I64, shape, &s->indices));
    return sort_words(call, s);
}

/* The sorted words as elements of x's dtype, the first ones of each row, to an output. */
static lw_status words_out(struct lw__call *call, const struct sorting *s, lw_dtype dtype,
                           const struct lw__operand *out)
{
    const lw_dtype bits = bits_of(dtype);
    struct lw__operand words = s->out, back = *out;

    if (words.buffer == out->buffer && words.view.offset == out->view.offset)
        return LW_OK;
    words.shape = out->shape;
    words.dtype = s->word;
    if (out->dtype == dtype) {
        back.dtype = bits; /* the same memory, as integers */
        return lw__copy(call, &back, &words);
    }
    LW_TRY(lw__as(call, &words, bits));
    words.dtype = dtype;
    return lw__copy(call, out, &words);
}

static lw_status indices_out(struct lw__call *call, const struct sorting *s,
                             const struct lw__operand *indices)
{
    struct lw__operand all = s->indices;

    if (all.buffer == indices->buffer && all.view.offset == indices->view.offset)
        return LW_OK;
    all.shape = indices->shape;
    return lw__copy(call, indices, &all);
}

/* ---- checks ---- */

static lw_status check_length(const struct lw__call *call, const struct lw__operand *x, int axis)
{
    if (x->shape.extent[axis] < UINT32_MAX)
        return LW_OK;
    return lw_fail(LW_E_SHAPE, "%s: x has %zu elements along the axis; need at most %u", call->name,
                   x->shape.extent[axis], UINT32_MAX - 1);
}

static lw_status check_indices(const struct lw__call *call, const struct lw__operand *indices)
{
    if (indices->dtype == LW_I64)
        return LW_OK;
    return lw_fail(LW_E_DTYPE, "%s: %s is of %s; need i64", call->name, indices->name,
                   lw_dtype_name(indices->dtype));
}

static lw_status sort_body(struct lw__call *call, void *arguments)
{
    const struct sort_arguments *a = arguments;
    const bool has_index = a->what == INDICES;
    struct lw__operand x, out;
    struct sorting s;
    int axis;

    LW_TRY(lw__operand_in(call, "x", a->x, &x));
    LW_TRY(lw__operand_out(call, "out", a->out, &out));
    LW_TRY(lw__axis(call, &x, a->axis, x.rank - 1, &axis));
    LW_TRY(lw__operand_same_shape(call, &out, &x));
    LW_TRY(check_length(call, &x, axis));
    LW_TRY(lw__operand_apart(call, &out, &x, false));
    if (has_index)
        LW_TRY(check_indices(call, &out));
    if (!lw__operand_count(&x))
        return LW_OK;
    lw__axis_to_last(&x, axis);
    lw__axis_to_last(&out, axis);
    LW_TRY(sort_operand(call, a, x, has_index ? NULL : &out, has_index ? &out : NULL, &s));
    return has_index ? indices_out(call, &s, &out) : words_out(call, &s, x.dtype, &out);
}

/* The first k of each row, sorted as `what` says. */
static lw_status check_top(const struct lw__call *call, const struct lw__operand *x, int axis,
                           const struct lw__operand *values)
{
    size_t extents[LW_AXES];
    char of_x[LW_SHAPE_TEXT], of_values[LW_SHAPE_TEXT];
    const size_t k = values->rank == x->rank ? values->shape.extent[axis] : 0;

    for (int j = 0; j < x->rank; j++)
        extents[j] = x->shape.extent[LW_AXES - x->rank + j];
    extents[axis - (LW_AXES - x->rank)] = k;
    if (k > x->shape.extent[axis])
        return lw_fail(LW_E_SHAPE, "%s: values has shape %s and x has %s: there are no %zu largest",
                       call->name, lw__operand_text(values, of_values), lw__operand_text(x, of_x),
                       k);
    return lw__operand_expect(call, values, x->rank, extents);
}

static lw_status top_body(struct lw__call *call, void *arguments)
{
    const struct sort_arguments *a = arguments;
    struct lw__operand x, values, indices;
    struct sorting s;
    int axis;

    LW_TRY(lw__operand_in(call, "x", a->x, &x));
    LW_TRY(lw__operand_out(call, "values", a->out, &values));
    LW_TRY(lw__operand_out(call, "indices", a->indices, &indices));
    LW_TRY(check_indices(call, &indices));
    LW_TRY(lw__axis(call, &x, a->axis, x.rank - 1, &axis));
    LW_TRY(check_top(call, &x, axis, &values));
    LW_TRY(lw__operand_same_shape(call, &values, &indices));
    LW_TRY(check_length(call, &x, axis));
    LW_TRY(lw__operand_apart(call, &values, &x, false));
    LW_TRY(lw__operand_apart(call, &indices, &x, false));
    LW_TRY(lw__operand_apart(call, &indices, &values, false));
    if (!lw__operand_count(&values))
        return LW_OK;
    lw__axis_to_last(&x, axis);
    lw__axis_to_last(&values, axis);
    lw__axis_to_last(&indices, axis);
    LW_TRY(sort_operand(call, a, x, NULL, NULL, &s));
    LW_TRY(words_out(call, &s, x.dtype, &values));
    return indices_out(call, &s, &indices);
}

/* ---- the operations ---- */

static lw_status run(const char *name, enum what what, lw_stream *s, lw_tensor out, lw_tensor x,
                     const lw_sort_options *options)
{
    struct sort_arguments a = {.out = out, .x = x, .what = what};

    if (options) {
        a.axis = options->axis;
        a.is_falling = options->descending;
    }
    return lw__call_run(name, s, sort_body, &a);
}

lw_status lw_sort(lw_stream *s, lw_tensor out, lw_tensor x, const lw_sort_options *options)
{
    return run("sort", VALUES, s, out, x, options);
}

lw_status lw_argsort(lw_stream *s, lw_tensor out, lw_tensor x, const lw_sort_options *options)
{
    return run("argsort", INDICES, s, out, x, options);
}

lw_status lw_top_k(lw_stream *s, lw_tensor values, lw_tensor indices, lw_tensor x,
                   const lw_top_k_options *options)
{
    const bool smallest = options && options->smallest;
    struct sort_arguments a = {.out = values,
                               .indices = indices,
                               .x = x,
                               .axis = options ? options->axis : 0,
                               .what = BOTH,
                               .is_falling = !smallest,
                               .nan_first = !smallest};

    return lw__call_run("top_k", s, top_body, &a);
}

/* ---- by name ---- */

lw_status lw__infer_sort(const char *op, const lw_shape *inputs, size_t count,
                         const lw_params *params, lw_shape *output)
{
    int axis;

    (void)count;
    LW_TRY(lw__axis_read(params, inputs->rank, &axis));
    *output = *inputs;
    if (op[0] == 'a')
        output->dtype = LW_I64;
    return LW_OK;
}

lw_status lw__run_sort(const char *op, lw_stream *s, lw_tensor out, const lw_tensor *inputs,
                       size_t count, const lw_params *params)
{
    lw_sort_options o = {0};

    (void)count;
    LW_TRY(lw__axis_option(params, &o.axis));
    LW_TRY(lw_params_bool(params, "descending", &o.descending));
    return (op[0] == 'a' ? lw_argsort : lw_sort)(s, out, inputs[0], &o);
}

static lw_status read_k(const lw_params *params, int64_t most, int64_t *k)
{
    LW_TRY(lw_params_int(params, "k", k));
    if (*k >= 0 && *k <= most)
        return LW_OK;
    return lw_fail(LW_E_ARG, "%s: k is %lld; need 0 to %lld, the extent of the axis", params->op,
                   (long long)*k, (long long)most);
}

lw_status lw__infer_top_k(const char *op, const lw_shape *inputs, size_t count,
                          const lw_params *params, lw_shape *outputs)
{
    int axis;
    int64_t k;

    (void)op;
    (void)count;
    LW_TRY(lw__axis_read(params, inputs->rank, &axis));
    LW_TRY(read_k(params, inputs->extent[axis], &k));
    outputs[0] = outputs[1] = *inputs;
    outputs[0].extent[axis] = outputs[1].extent[axis] = k;
    outputs[1].dtype = LW_I64;
    return LW_OK;
}

lw_status lw__run_top_k(const char *op, lw_stream *s, const lw_tensor *outputs,
                        const lw_tensor *inputs, size_t count, const lw_params *params)
{
    lw_top_k_options o = {0};
    int64_t k;
    int axis;

    (void)op;
    (void)count;
    LW_TRY(lw__axis_read(params, inputs->rank, &axis));
    LW_TRY(read_k(params, inputs->extent[axis], &k));
    if (outputs->rank == inputs->rank && outputs->extent[axis] != k)
        return lw_fail(LW_E_SHAPE, "%s: values has extent %td in axis %d; need k, which is %lld",
                       params->op, outputs->extent[axis], axis, (long long)k);
    LW_TRY(lw__axis_option(params, &o.axis));
    LW_TRY(lw_params_bool(params, "smallest", &o.smallest));
    return lw_top_k(s, outputs[0], outputs[1], inputs[0], &o);
}
