/* sort.c - lw_sort, lw_argsort, and what they share with lw_top_k: stable sorts of rows by the bits
 * of keys.
 *
 * A row goes through a pass for each byte of its dtype. Elements of 1 and 2 bytes are sorted as
 * words of 4. Between passes elements, and where they are asked for their indices, lie in scratch
 * memory.
 */
#include "ops/sorting.h"
#include "ops/registry.h"
#include <assert.h>
#include <limits.h>

/* ORDER SORT: kernels/sort.c, kernels/sort_gpu.c */
enum { DIGITS = 256, PART_GPU = 2048, THREADS_GPU = 256, PART_BYTES = 32768 };
enum {
    LONG = 65536,        /* elements of a row that processors sort by parts */
    LONG_ALONE = 1 << 20 /* of one without indices, if each thread has rows of its own */
};

struct sort_arguments {
    lw_tensor out, x;
    int axis;
    bool is_falling, is_argsort;
};

/* ---- keys ---- */

static uint64_t infinity_of(lw_dtype dtype)
{
    return dtype == LW_F64   ? UINT64_C(0x7ff0) << 48
           : dtype == LW_F32 ? UINT64_C(0x7f80) << 16
           : dtype == LW_F16 ? 0x7c00
                             : 0x7f80;
}

struct lw__keys lw__keys_of(lw_dtype dtype, bool is_falling, bool nan_first)
{
    const size_t bits = 8 * lw_dtype_size(dtype);
    const uint64_t all = UINT64_MAX >> (64 - bits), sign = UINT64_C(1) << (bits - 1);
    const bool is_float = lw__dtype_is_float(dtype);
    struct lw__keys k = {.sign = sign, .infinity = UINT64_MAX, .flip = is_falling ? all : 0};

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

/* ---- launches ---- */

#define LAUNCH(call, kernel, blocks, threads, ...)                                                 \
    LW_OP_BLOCKS_VARIANT(call, sort, kernel, blocks,                                               \
                         lw_dim_1((call)->is_gpu ? THREADS_GPU : (threads)), __VA_ARGS__)

static lw_status sort_short(struct lw__call *call, struct lw__sorting *s)
{
    return LAUNCH(call, lw__by_word(s, "sort_short_4", "sort_short_8"), s->rows, 1, lw__arg_keys(s),
                  lw_arg_uint(s->n), lw__arg_at(&s->x), lw__arg_at(&s->given), lw__arg_at(&s->out),
                  lw__arg_carried(&s->carried), lw__arg_at(&s->indices));
}

static lw_status sort_row_gpu(struct lw__call *call, struct lw__sorting *s)
{
    return LAUNCH(call, lw__by_word(s, "sort_row_4", "sort_row_8"), s->rows, lw__threads(call),
                  lw__arg_keys(s), lw_arg_uint(s->passes), lw_arg_uint(s->n), lw__arg_at(&s->x),
                  lw__arg_at(&s->out), lw__arg_carried(&s->carried), lw__arg_at(&s->indices));
}

/* Memory that passes go through, besides the results. */
static lw_status take_scratch(struct lw__call *call, struct lw__sorting *s)
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

/* A thread for each row. */
static lw_status sort_rows(struct lw__call *call, const struct lw__sorting *s)
{
    return LAUNCH(call, lw__by_word(s, "sort_row_4", "sort_row_8"), s->rows, lw__threads(call),
                  lw__arg_keys(s), lw_arg_uint(s->passes), lw_arg_uint(s->n), lw__arg_at(&s->x),
                  lw__arg_at(&s->given), lw__arg_at(&s->out), lw__arg_at(&s->other),
                  lw__arg_carried(&s->carried), lw__arg_at(&s->indices), lw__arg_at(&s->between),
                  lw__arg_at(&s->other_between));
}

/* The operands that a pass reads and writes; the last one writes the results. Parts are moved;
 * `counted` elements are those of a part, or on processors of half of one. */
static lw_status one_pass(struct lw__call *call, struct lw__sorting *s, size_t pass, size_t counted,
                          const struct lw__operand *counts, const struct lw__operand *totals)
{
    const size_t pieces = lw__divide_up(s->n, counted);
    const size_t left = s->passes - 1 - pass; /* passes after this one */
    const struct lw__operand *from = pass == 0  ? &s->x
                                     : left % 2 ? &s->out
                                                : &s->other,
                             *from_indices = pass == 0  ? &s->given
                                             : left % 2 ? &s->other_between
                                                        : &s->between,
                             *to = left % 2 ? &s->other : &s->out,
                             *to_indices = !left      ? &s->indices
                                           : left % 2 ? &s->between
                                                      : &s->other_between;
    const struct lw__carried c = {.has_index = s->carried.has_index,
                                  .is_first = pass == 0 && !s->is_given,
                                  .is_wide = !left && s->carried.is_wide,
                                  .has_value = left || s->carried.has_value};
    const lw_arg shift = lw_arg_int((int)(8 * pass));

    LW_TRY(LAUNCH(call, lw__by_word(s, "sort_count_4", "sort_count_8"), s->rows * pieces,
                  lw__threads(call), lw__arg_keys(s), shift, lw_arg_uint(s->n), lw_arg_uint(pieces),
                  lw_arg_uint(counted), lw__arg_at(from), lw__arg_at(counts)));
    LW_TRY(LAUNCH(call, "sort_sum",
                  call->is_gpu ? s->rows * DIGITS : s->rows * DIGITS / lw__threads(call),
                  lw__threads(call), lw_arg_uint(pieces), lw__arg_at(counts), lw__arg_at(totals)));
    return LAUNCH(call, lw__by_word(s, "sort_move_4", "sort_move_8"),
                  s->rows * (call->is_gpu ? pieces : lw__divide_up(pieces, 2)), lw__threads(call),
                  lw__arg_keys(s), shift, lw_arg_uint(s->n), lw_arg_uint(pieces),
                  lw_arg_uint(counted), lw__arg_at(from), lw__arg_at(from_indices), lw__arg_at(to),
                  lw__arg_carried(&c), lw__arg_at(to_indices), lw__arg_at(counts),
                  lw__arg_at(totals));
}

static lw_status sort_passes(struct lw__call *call, struct lw__sorting *s)
{
    const size_t counted = call->is_gpu ? PART_GPU : PART_BYTES / 2 / lw_dtype_size(s->word);

    assert(DIGITS % lw__threads(call) == 0); /* of sort_sum, where each has a digit */
    struct lw__operand counts;
    LW_TRY(lw__call_scratch(call, "counts", LW_U32,
                            (struct lw__shape){{1, s->rows, lw__divide_up(s->n, counted), DIGITS}},
                            &counts));
    struct lw__operand totals;
    LW_TRY(lw__call_scratch(call, "totals", LW_U32, (struct lw__shape){{1, 1, s->rows, DIGITS}},
                            &totals));
    /* Not before: scratch memory must not depend on the number of threads. */
    if (!call->is_gpu && s->n <= LONG_ALONE && !s->carried.has_index) {
        size_t threads;
        LW_TRY(lw__workers(call, LW_PROGRAM_sort, "sort_sum", &threads));
        if (threads <= s->rows)
            return sort_rows(call, s);
    }
    for (size_t pass = 0; pass < s->passes; pass++)
        LW_TRY(one_pass(call, s, pass, counted, &counts, &totals));
    return LW_OK;
}

static lw_status sort_words(struct lw__call *call, struct lw__sorting *s)
{
    if (call->is_gpu && s->n <= PART_GPU)
        return sort_row_gpu(call, s);
    if (!call->is_gpu && s->n <= LW_SORT_SHORT)
        return sort_short(call, s);
    LW_TRY(take_scratch(call, s));
    return !call->is_gpu && s->n < LONG ? sort_rows(call, s) : sort_passes(call, s);
}

/* ---- from tensors to words ---- */

/* The integers of the same size. */
static lw_dtype bits_of(lw_dtype dtype)
{
    static const lw_dtype of_size[] = {LW_U8, LW_U8, LW_U16, LW_U16, LW_U32};
    const size_t size = lw_dtype_size(dtype);

    assert(size == 8 || lw_dtype_size(of_size[size]) == size);
    return size == 8 ? LW_U64 : of_size[size];
}

lw_status lw__sort_begin(struct lw__call *call, struct lw__operand x, bool is_falling,
                         bool nan_first, struct lw__sorting *s)
{
    const size_t n = x.shape.extent[LW_AXES - 1];

    if (n >= UINT32_MAX)
        return lw_fail(LW_E_SHAPE, "%s: x has %zu elements along the axis; need at most %u",
                       call->name, n, UINT32_MAX - 1);
    *s = (struct lw__sorting){.keys = lw__keys_of(x.dtype, is_falling, nan_first),
                              .rows = lw__operand_count(&x) / n,
                              .n = n,
                              .passes = lw_dtype_size(x.dtype),
                              .dtype = x.dtype,
                              .word = lw_dtype_size(x.dtype) == 8 ? LW_U64 : LW_U32};
    x.dtype = bits_of(x.dtype);
    LW_TRY(lw__as(call, &x, s->word));
    LW_TRY(lw__contiguous_in(call, &x));
    s->x = x;
    assert(lw__operand_count(&x) == s->rows * s->n && s->passes <= lw_dtype_size(s->word));
    return LW_OK;
}

/* True if the results of a sort may be written there, rows of n side by side. */
static bool takes_all(const struct lw__sorting *s, const struct lw__operand *o)
{
    return o->shape.extent[LW_AXES - 1] == s->n && lw__operand_is_contiguous(o);
}

/* Where the results go: into `out` and `indices` where they are words side by side, else into
 * scratch memory. What is not asked for is not written, and its parameter gets the other result. */
static lw_status take_results(struct lw__call *call, struct lw__sorting *s,
                              const struct lw__operand *out, const struct lw__operand *indices)
{
    const struct lw__shape shape = s->x.shape;

    s->carried = (struct lw__carried){indices != NULL, !s->is_given, true, out != NULL};
    s->given = s->is_given ? s->given : s->x;
    if (out && out->dtype == s->dtype && lw_dtype_size(s->dtype) >= 4 && takes_all(s, out))
        s->out = *out;
    else if (out)
        LW_TRY(lw__call_scratch(call, "values", s->word, shape, &s->out));
    if (indices && takes_all(s, indices))
        s->indices = *indices;
    else if (indices)
        LW_TRY(lw__call_scratch(call, "indices", LW_I64, shape, &s->indices));
    s->out = out ? s->out : s->indices;
    s->indices = indices ? s->indices : s->out;
    return LW_OK;
}

/* The sorted words as elements of x's dtype, the first ones of each row, to an output. */
static lw_status words_out(struct lw__call *call, const struct lw__sorting *s,
                           const struct lw__operand *out)
{
    const lw_dtype bits = bits_of(s->dtype);
    struct lw__operand words = s->out, back = *out;

    if (words.buffer == out->buffer && words.view.offset == out->view.offset)
        return LW_OK;
    words.shape = out->shape;
    words.dtype = s->word;
    if (out->dtype == s->dtype) {
        back.dtype = bits; /* the same memory, as integers */
        return lw__copy(call, &back, &words);
    }
    LW_TRY(lw__as(call, &words, bits));
    words.dtype = s->dtype;
    return lw__copy(call, out, &words);
}

static lw_status indices_out(struct lw__call *call, const struct lw__sorting *s,
                             const struct lw__operand *indices)
{
    struct lw__operand all = s->indices;

    if (all.buffer == indices->buffer && all.view.offset == indices->view.offset)
        return LW_OK;
    all.shape = indices->shape;
    return lw__copy(call, indices, &all);
}

lw_status lw__sort_end(struct lw__call *call, struct lw__sorting *s, const struct lw__operand *out,
                       const struct lw__operand *indices)
{
    assert(out || indices);
    LW_TRY(take_results(call, s, out, indices));
    LW_TRY(sort_words(call, s));
    if (out)
        LW_TRY(words_out(call, s, out));
    return indices ? indices_out(call, s, indices) : LW_OK;
}

/* ---- the operations ---- */

lw_status lw__sort_check_indices(const struct lw__call *call, const struct lw__operand *indices)
{
    if (indices->dtype == LW_I64)
        return LW_OK;
    return lw_fail(LW_E_DTYPE, "%s: %s is of %s; need i64", call->name, indices->name,
                   lw_dtype_name(indices->dtype));
}

static lw_status sort_body(struct lw__call *call, void *arguments)
{
    const struct sort_arguments *a = arguments;
    struct lw__operand x;

    LW_TRY(lw__operand_in(call, "x", a->x, &x));
    struct lw__operand out;
    LW_TRY(lw__operand_out(call, "out", a->out, &out));
    int axis;
    LW_TRY(lw__axis(call, &x, a->axis, x.rank - 1, &axis));
    LW_TRY(lw__operand_same_shape(call, &out, &x));
    LW_TRY(lw__operand_apart(call, &out, &x, false));
    if (a->is_argsort)
        LW_TRY(lw__sort_check_indices(call, &out));
    if (!lw__operand_count(&x))
        return LW_OK;
    lw__axis_to_last(&x, axis);
    lw__axis_to_last(&out, axis);
    struct lw__sorting s;
    LW_TRY(lw__sort_begin(call, x, a->is_falling, false, &s));
    return lw__sort_end(call, &s, a->is_argsort ? NULL : &out, a->is_argsort ? &out : NULL);
}

static lw_status run(const char *name, bool is_argsort, lw_stream *s, lw_tensor out, lw_tensor x,
                     const lw_sort_options *options)
{
    struct sort_arguments a = {.out = out, .x = x, .is_argsort = is_argsort};

    if (options) {
        a.axis = options->axis;
        a.is_falling = options->descending;
    }
    return lw__call_run(name, s, sort_body, &a);
}

lw_status lw_sort(lw_stream *s, lw_tensor out, lw_tensor x, const lw_sort_options *options)
{
    return run("sort", false, s, out, x, options);
}

lw_status lw_argsort(lw_stream *s, lw_tensor out, lw_tensor x, const lw_sort_options *options)
{
    return run("argsort", true, s, out, x, options);
}

lw_status lw__infer_sort(const struct lw__question *q, lw_shape *output)
{
    *output = *q->inputs;
    if (q->op[0] == 'a')
        output->dtype = LW_I64;
    int axis;
    return lw__axis_read(q->params, output->rank, &axis);
}
