/* compact.c - lw_compact: the elements whose mask is set, and how many they are. */
#include "ops/registry.h"
#include <assert.h>

/* ORDER COMPACT: kernels/compact.inc, kernels/compact_gpu.c */
enum { PART_HOST = 16384, SPREAD_HOST = 16, PART_GPU = 4096, THREADS_GPU = 256 };

/* ORDER STEPS: kernels/compact.h */
struct steps {
    ptrdiff_t offset, step;
    size_t size;
};

struct compact_arguments {
    lw_tensor out, count, x, mask;
    bool zeros; /* behind the elements; or they are left as they were */
};

struct compaction {
    struct lw__operand out, count, x, mask;
};

static lw_status check_ranks(const struct lw__call *call, const struct compaction *c)
{
    char of_x[LW_SHAPE_TEXT];

    if (c->x.rank != 1)
        return lw_fail(LW_E_SHAPE, "%s: x has shape %s; need rank 1", call->name,
                       lw__operand_text(&c->x, of_x));
    LW_TRY(lw__operand_same_shape(call, &c->x, &c->mask));
    LW_TRY(lw__operand_same_shape(call, &c->x, &c->out));
    LW_TRY(lw__operand_expect(call, &c->count, 0, NULL));
    if (c->count.dtype == LW_I64)
        return LW_OK;
    return lw_fail(LW_E_DTYPE, "%s: count is of %s; need i64", call->name,
                   lw_dtype_name(c->count.dtype));
}

static lw_status check(struct lw__call *call, const struct compact_arguments *a,
                       struct compaction *c)
{
    LW_TRY(lw__operand_in(call, "x", a->x, &c->x));
    LW_TRY(lw__operand_in(call, "mask", a->mask, &c->mask));
    LW_TRY(lw__operand_out(call, "out", a->out, &c->out));
    LW_TRY(lw__operand_out(call, "count", a->count, &c->count));
    LW_TRY(check_ranks(call, c));
    LW_TRY(lw__operand_apart(call, &c->out, &c->x, false));
    LW_TRY(lw__operand_apart(call, &c->out, &c->mask, false));
    LW_TRY(lw__operand_apart(call, &c->count, &c->x, false));
    LW_TRY(lw__operand_apart(call, &c->count, &c->mask, false));
    return lw__operand_apart(call, &c->count, &c->out, false);
}

static lw_arg arg_steps(const struct lw__operand *o, struct steps *s)
{
    assert(lw__operand_count(o) == o->shape.extent[LW_AXES - 1]);
    *s = (struct steps){o->view.offset, o->view.stride[LW_AXES - 1], lw_dtype_size(o->dtype)};
    return lw_arg_bytes(s, sizeof *s);
}

static enum lw__ops_program program_of(const struct lw__call *call)
{
    return !call->is_gpu && lw_device_vector_bits(call->device) == 512
               ? LW_PROGRAM_compact_wide
               : LW_OP_VARIANT(call, compact);
}

#define LAUNCH(call, kernel, blocks, threads, ...)                                                 \
    lw__call_blocks(call, program_of(call), kernel, blocks,                                        \
                    lw_dim_1((call)->is_gpu ? THREADS_GPU : (threads)), LW_ARGS(__VA_ARGS__))

static lw_status compact_body(struct lw__call *call, void *arguments)
{
    const struct compact_arguments *a = arguments;
    struct compaction c;

    LW_TRY(check(call, a, &c));
    if (!call->is_gpu)
        LW_TRY(lw__contiguous_in(call, &c.mask));
    size_t n = c.x.shape.extent[LW_AXES - 1];
    size_t parts = lw__divide_up(n, call->is_gpu ? PART_GPU : PART_HOST);
    struct lw__operand to = c.out;
    if (to.dtype != c.x.dtype || (!call->is_gpu && !lw__operand_is_contiguous(&to)))
        LW_TRY(lw__call_scratch(call, "out", c.x.dtype, c.out.shape, &to));
    struct lw__operand counts;
    LW_TRY(lw__call_scratch(call, "counts", LW_I64, (struct lw__shape){{1, 1, 1, parts + 1}},
                            &counts));
    struct steps of_x;
    lw_arg from = arg_steps(&c.x, &of_x);
    struct steps of_mask;
    lw_arg by = arg_steps(&c.mask, &of_mask);
    struct steps of_out;
    lw_arg into = arg_steps(&to, &of_out);
    lw_arg bits = lw_arg_uint(lw__dtype_mask(c.mask.dtype));
    size_t cleared = a->zeros || to.dtype != c.out.dtype ? n : 0; /* scratch memory is read whole */
    LW_TRY(LAUNCH(call, "compact_count", parts, lw__threads(call), lw_arg_uint(n), by,
                  lw_arg_buffer(c.mask.buffer), bits, lw__arg_at(&counts)));
    LW_TRY(LAUNCH(call, "compact_sum", 1, 1, lw_arg_uint(parts), lw__arg_at(&counts),
                  lw__arg_at(&c.count)));
    size_t blocks = call->is_gpu ? parts : lw__divide_up(parts, SPREAD_HOST) * SPREAD_HOST;
    LW_TRY(LAUNCH(call, "compact_write", blocks, lw__threads(call), lw_arg_uint(n), from,
                  lw_arg_buffer(c.x.buffer), by, lw_arg_buffer(c.mask.buffer), bits, into,
                  lw_arg_buffer(to.buffer), lw_arg_uint(cleared), lw_arg_uint(parts),
                  lw__arg_at(&counts)));
    return lw__out_done(call, &c.out, &to);
}

static lw_status run(lw_stream *s, struct compact_arguments a)
{
    return lw__call_run("compact", s, compact_body, &a);
}

lw_status lw_compact(lw_stream *s, lw_tensor out, lw_tensor count, lw_tensor x, lw_tensor mask)
{
    return run(s, (struct compact_arguments){out, count, x, mask, .zeros = true});
}

/* ---- by name ---- */

lw_status lw__infer_compact(const struct lw__question *q, lw_shape *outputs)
{
    outputs[0] = q->inputs[0];
    outputs[1] = (lw_shape){.dtype = LW_I64};
    return LW_OK;
}

lw_status lw__run_compact(const struct lw__named_call *c)
{
    return run(c->stream,
               (struct compact_arguments){c->outputs[0], c->outputs[1], c->inputs[0], c->inputs[1],
                                          .zeros = lw__param(c->params, "zeros")->i});
}
