/* histogram.c - lw_histogram: how many elements lie in each of some equal bins. */
#include "ops/registry.h"
#include <limits.h>
#include <math.h>

/* The kernels take any part. Each block adds its own counts of all bins: on a GPU there are as few
 * as fill it; on a processor a part has many more elements than bins. */
enum {
    PART = 65536,
    PART_BINS = 64,
    NEAR_BINS = 4096,
    THREADS_GPU = 1024,
    PART_GPU = 4 * THREADS_GPU,
    BLOCKS_GPU = 264
};

struct histogram_arguments {
    lw_tensor counts, x;
    lw_histogram_options options;
};

#define LAUNCH(call, kernel, blocks, ...)                                                          \
    LW_OP_BLOCKS_VARIANT(call, histogram, kernel, blocks,                                          \
                         lw_dim_1((call)->is_gpu ? THREADS_GPU : lw__threads(call)), __VA_ARGS__)

static size_t part_of(const struct lw__call *call, size_t n, size_t bins)
{
    const size_t part = lw__divide_up(lw__divide_up(n, BLOCKS_GPU), THREADS_GPU) * THREADS_GPU;

    if (!call->is_gpu)
        return bins <= PART / PART_BINS || bins > NEAR_BINS ? PART : PART_BINS * bins;
    return part < PART_GPU ? PART_GPU : part;
}

static lw_status histogram_body(struct lw__call *call, void *arguments)
{
    const struct histogram_arguments *a = arguments;
    const double low = a->options.low, high = a->options.high;
    const bool is_given = low != high;
    char text[LW_SHAPE_TEXT];

    struct lw__operand x;
    LW_TRY(lw__operand_in(call, "x", a->x, &x));
    struct lw__operand counts;
    LW_TRY(lw__operand_out(call, "counts", a->counts, &counts));
    if (counts.rank != 1 || !counts.shape.extent[LW_AXES - 1])
        return lw_fail(LW_E_SHAPE, "%s: counts has shape %s; need (bins,), at least (1,)",
                       call->name, lw__operand_text(&counts, text));
    LW_TRY(lw__operand_apart(call, &counts, &x, false));
    if (counts.dtype != LW_I32 && counts.dtype != LW_I64 && counts.dtype != LW_U32 &&
        counts.dtype != LW_U64)
        return lw_fail(LW_E_DTYPE, "%s: counts is of %s; need i32, i64, u32 or u64", call->name,
                       lw_dtype_name(counts.dtype));
    if (!(low <= high) || !isfinite(high - low))
        return lw_fail(LW_E_ARG,
                       "%s: low is %g and high %g; need finite ones, low below high, or equal for "
                       "the range of the data",
                       call->name, low, high);
    LW_TRY(lw__contiguous_in(call, &x));
    size_t n = lw__operand_count(&x);
    size_t bins = counts.shape.extent[LW_AXES - 1];
    size_t part = part_of(call, n, bins);
    size_t parts = lw__divide_up(n, part);
    struct lw__operand to;
    /* Several launches count: where one is refused, the output must stay as it was. */
    LW_TRY(lw__call_scratch(call, "counts", LW_I64, counts.shape, &to));
    struct lw__operand ranges;
    LW_TRY(lw__call_scratch(call, "ranges", LW_F64, (struct lw__shape){{1, 1, 2, parts + 1}},
                            &ranges));
    struct lw__operand limits;
    LW_TRY(lw__call_scratch(call, "limits", LW_F64, (struct lw__shape){{1, 1, 1, 2}}, &limits));
    if (!is_given)
        LW_TRY(LAUNCH(call, "histogram_range", parts, lw_arg_uint(n), lw_arg_uint(part),
                      lw__arg_at(&x), lw_arg_int(x.dtype), lw__arg_at(&ranges)));
    LW_TRY(LAUNCH(call, "histogram_begin", 1, lw_arg_uint(is_given ? 0 : parts),
                  lw__arg_at(&ranges), lw_arg_real(low), lw_arg_real(high), lw__arg_at(&limits),
                  lw_arg_uint(bins), lw__arg_at(&to)));
    LW_TRY(LAUNCH(call, "histogram_count", parts, lw_arg_uint(n), lw_arg_uint(part), lw__arg_at(&x),
                  lw_arg_int(x.dtype), lw__arg_at(&limits), lw_arg_uint(bins), lw__arg_at(&to)));
    return lw__out_done(call, &counts, &to);
}

lw_status lw_histogram(lw_stream *s, lw_tensor counts, lw_tensor x,
                       const lw_histogram_options *options)
{
    struct histogram_arguments a = {.counts = counts, .x = x};

    if (options)
        a.options = *options;
    return lw__call_run("histogram", s, histogram_body, &a);
}

/* ---- by name ---- */

lw_status lw__infer_histogram(const struct lw__question *q, lw_shape *output)
{
    const ptrdiff_t bins = (ptrdiff_t)lw__param(q->params, "bins")->i;

    *output = (lw_shape){.dtype = LW_I64, .rank = 1, .extent = {bins}};
    return LW_OK;
}

lw_status lw__run_histogram(const struct lw__named_call *c)
{
    const int64_t bins = lw__param(c->params, "bins")->i;
    const lw_tensor *counts = c->outputs;

    if (counts->rank == 1 && counts->extent[0] != bins)
        return lw_fail(LW_E_SHAPE, "%s: counts has extent %td; need bins, which is %lld", c->op,
                       counts->extent[0], (long long)bins);
    return lw_histogram(c->stream, *counts, c->inputs[0], c->options);
}
