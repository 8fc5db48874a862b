/* norm.c - mean_normalize, rms_norm, layer_norm, softmax, log_softmax: each row of an axis becomes
 * a row. For many rows of 16 and 32 bits there is one launch, with a warp for each row; on GPUs
 * these are short ones. Few rows and f64 take three launches: for the parts of all leaves, to merge
 * them, and to write.
 */
#include "ops/norm_launch.h"
#include "ops/reduce.h"
#include <assert.h>
#include <string.h>

/* kernels/row.h; a warp's rows are worth its launch from ROWS_ENOUGH rows on. */
enum {
    LEAF = 1024,
    WARP = 32,
    ROW_LEAVES = 32,
    ROWS_ENOUGH_CPU = 16,
    ROWS_ENOUGH_GPU = 2048,
    ROWS_OF_A_THREAD = 4
};
enum { WARPS_CPU = 1, WARPS_GPU = 4 };      /* of a block */
enum { WARPS_MANY = 128, ITEMS_MOST = 16 }; /* warps that keep a processor busy; of a warp */
enum { GROUP = 1024 }; /* leaves of a group of rows, for each thread: 4 MB of f32 */

struct norm_arguments {
    lw_tensor out, x;
    enum norm_kind norm;
    lw_norm_options options;
};

/* What the launches take. */
struct rows {
    struct lw__operand x, out; /* the axis is the last, with stride 1 */
    enum norm_kind norm;
    size_t count, leaves;
    double eps;
    int has;
    struct lw__operand weight, bias;  /* of the accumulation type, side by side */
    struct lw__operand parts, states; /* of long rows, scratch */
};

static bool is_softmax(enum norm_kind norm)
{
    return norm >= SOFTMAX;
}

static const char *const short_names[] = {"norm_leaf_float", "norm_row_float"};
static const char *const softmax_names[] = {"softmax_leaf_float", "softmax_row_float"};

lw_dim3 lw__norm_block(const struct lw__call *call)
{
    return lw_dim_2(WARP, call->is_gpu ? WARPS_GPU : WARPS_CPU);
}

size_t lw__norm_blocks(const struct lw__call *call, size_t warps)
{
    return lw__divide_up(warps, lw__norm_block(call).y);
}

static bool is_short(const struct lw__call *call, const struct rows *r)
{
    const size_t enough = call->is_gpu ? ROWS_ENOUGH_GPU : ROWS_ENOUGH_CPU;

    return r->x.dtype != LW_F64 &&
           (r->leaves == 1 || (r->leaves <= ROW_LEAVES && r->count >= enough));
}

/* True if each thread of a processor has a row, or several about as many as others. */
static bool has_rows_for(const struct lw__call *call, const struct rows *r, size_t threads)
{
    return !call->is_gpu && r->x.dtype != LW_F64 &&
           (threads == 1 || r->count >= ROWS_OF_A_THREAD * threads);
}

/* On processors a warp has several rows or leaves one after the other, if there are many. */
static size_t warps_for(const struct lw__call *call, size_t items)
{
    return call->is_gpu || items < 2 * WARPS_MANY
               ? items
               : lw__divide_up(items,
                               items / WARPS_MANY < ITEMS_MOST ? items / WARPS_MANY : ITEMS_MOST);
}

/* A pointer that the kernel does not follow is x. */
static lw_arg weight_arg(const struct rows *r, int which)
{
    const struct lw__operand *o = which == HAS_WEIGHT ? &r->weight : &r->bias;

    return r->has & which ? lw__arg_at(o) : lw_arg_buffer(r->x.buffer);
}

/* ---- a warp a row ---- */

static lw_status launch_short(struct lw__call *call, const struct rows *r)
{
    const bool several = r->leaves > 1;
    const size_t blocks = lw__norm_blocks(call, several ? r->count : warps_for(call, r->count));

    assert(r->x.dtype != LW_F64);
    if (is_softmax(r->norm))
        return LW_OP_BLOCKS_VARIANT(call, softmax, softmax_names[several], blocks,
                                    lw__norm_block(call), lw__arg_shape(&r->x.shape),
                                    lw_arg_uint(r->count), lw__arg_view(&r->x.view),
                                    lw_arg_buffer(r->x.buffer), lw_arg_int(r->x.dtype),
                                    lw__arg_view(&r->out.view), lw_arg_buffer(r->out.buffer),
                                    lw_arg_int(r->out.dtype), lw_arg_uint(r->norm == LOG_SOFTMAX));
    return LW_OP_BLOCKS_VARIANT(
        call, norm, short_names[several], blocks, lw__norm_block(call), lw_arg_int(r->norm),
        lw__arg_shape(&r->x.shape), lw_arg_uint(r->count), lw__arg_view(&r->x.view),
        lw_arg_buffer(r->x.buffer), lw_arg_int(r->x.dtype), lw__arg_view(&r->out.view),
        lw_arg_buffer(r->out.buffer), lw_arg_int(r->out.dtype), lw_arg_real(r->eps),
        lw_arg_int(r->has), weight_arg(r, HAS_WEIGHT), weight_arg(r, HAS_BIAS));
}

/* ---- few long rows ---- */

static const char *kernel_of(const struct rows *r, const char *of_float, const char *of_double)
{
    return r->x.dtype == LW_F64 ? of_double : of_float;
}

/* Scratch of `each` numbers of the accumulation type for each row, or for each of its leaves. */
static lw_status scratch_of(struct lw__call *call, const struct rows *r, size_t leaves, size_t each,
                            struct lw__operand *out)
{
    const struct lw__shape shape = {{1, r->count, leaves, each}};

    return lw__call_scratch(call, "parts", r->x.dtype == LW_F64 ? LW_F64 : LW_F32, shape, out);
}

static lw_status launch_softmax(struct lw__call *call, const struct rows *r)
{
    const size_t count = r->count * r->leaves;
    const size_t leaves = lw__norm_blocks(call, warps_for(call, count));

    LW_TRY(LW_OP_BLOCKS_VARIANT(
        call, softmax, kernel_of(r, "softmax_parts_float", "softmax_parts_double"), leaves,
        lw__norm_block(call), lw__arg_shape(&r->x.shape), lw_arg_uint(count),
        lw_arg_uint(r->leaves), lw__arg_view(&r->x.view), lw_arg_buffer(r->x.buffer),
        lw_arg_int(r->x.dtype), lw__arg_at(&r->parts)));
    LW_TRY(LW_OP_BLOCKS_VARIANT(
        call, softmax, kernel_of(r, "softmax_merge_float", "softmax_merge_double"), r->count,
        lw_dim_1(WARP), lw_arg_uint(r->leaves), lw__arg_at(&r->parts)));
    return LW_OP_BLOCKS_VARIANT(
        call, softmax, kernel_of(r, "softmax_write_float", "softmax_write_double"), leaves,
        lw__norm_block(call), lw__arg_shape(&r->x.shape), lw_arg_uint(count),
        lw_arg_uint(r->leaves), lw__arg_view(&r->x.view), lw_arg_buffer(r->x.buffer),
        lw_arg_int(r->x.dtype), lw__arg_view(&r->out.view), lw_arg_buffer(r->out.buffer),
        lw_arg_int(r->out.dtype), lw_arg_uint(r->norm == LOG_SOFTMAX), lw__arg_at(&r->parts));
}

/* One of the row's sums, and what follows from it in its state. */
static lw_status launch_sums(struct lw__call *call, const struct rows *r, bool squared)
{
    const size_t count = r->count * r->leaves;

    LW_TRY(LW_OP_BLOCKS_VARIANT(
        call, norm, kernel_of(r, "norm_parts_float", "norm_parts_double"),
        lw__norm_blocks(call, count), lw__norm_block(call), lw_arg_int(r->norm),
        lw_arg_uint(squared), lw__arg_shape(&r->x.shape), lw_arg_uint(count),
        lw_arg_uint(r->leaves), lw__arg_view(&r->x.view), lw_arg_buffer(r->x.buffer),
        lw_arg_int(r->x.dtype), lw__arg_at(&r->states), lw__arg_at(&r->parts)));
    return LW_OP_BLOCKS_VARIANT(call, norm, kernel_of(r, "norm_merge_float", "norm_merge_double"),
                                r->count, lw_dim_1(WARP), lw_arg_uint(squared),
                                lw_arg_uint(r->x.shape.extent[LW_AXES - 1]), lw_arg_uint(r->leaves),
                                lw_arg_real(r->eps), lw__arg_at(&r->parts), lw__arg_at(&r->states));
}

static lw_status launch_norm(struct lw__call *call, const struct rows *r)
{
    const size_t count = r->count * r->leaves;

    if (r->norm != RMS_NORM)
        LW_TRY(launch_sums(call, r, false));
    if (r->norm != MEAN_NORMALIZE)
        LW_TRY(launch_sums(call, r, true));
    return LW_OP_BLOCKS_VARIANT(
        call, norm, kernel_of(r, "norm_write_float", "norm_write_double"),
        lw__norm_blocks(call, count), lw__norm_block(call), lw_arg_int(r->norm),
        lw__arg_shape(&r->x.shape), lw_arg_uint(count), lw_arg_uint(r->leaves),
        lw__arg_view(&r->x.view), lw_arg_buffer(r->x.buffer), lw_arg_int(r->x.dtype),
        lw__arg_view(&r->out.view), lw_arg_buffer(r->out.buffer), lw_arg_int(r->out.dtype),
        lw__arg_at(&r->states), lw_arg_int(r->has), weight_arg(r, HAS_WEIGHT),
        weight_arg(r, HAS_BIAS));
}

/* The launches read x two or three times. Processors do them for a group of rows after the other,
 * so that the last level of cache has it from the second time on. */
static lw_status launch_groups(struct lw__call *call, const struct rows *r, size_t threads)
{
    struct rows group = *r;
    int axis = 0;

    while (axis < LW_AXES - 2 && r->x.shape.extent[axis] == 1)
        axis++;
    const size_t all = r->x.shape.extent[axis], of_slice = r->count / all * r->leaves;
    const size_t wanted = GROUP * threads;
    const size_t each = call->is_gpu || of_slice * all < 2 * wanted ? all
                        : of_slice < wanted                         ? wanted / of_slice
                                                                    : 1;
    for (size_t at = 0; at < all; at += each) {
        const size_t count = all - at < each ? all - at : each;
        struct lw__operand *const both[] = {&group.x, &group.out};

        for (int k = 0; k < 2; k++) {
            const struct lw__operand *whole = k ? &r->out : &r->x;
            both[k]->shape.extent[axis] = count;
            both[k]->view.offset = whole->view.offset + (ptrdiff_t)at * whole->view.stride[axis];
        }
        group.count = r->count / all * count;
        LW_TRY((is_softmax(r->norm) ? launch_softmax : launch_norm)(call, &group));
    }
    return LW_OK;
}

/* As much scratch memory as one group needs at most: the number of threads has no part in that. */
static lw_status launch_long(struct lw__call *call, struct rows *r)
{
    size_t threads;

    LW_TRY(scratch_of(call, r, r->leaves, is_softmax(r->norm) ? 2 : 1, &r->parts));
    if (!is_softmax(r->norm))
        LW_TRY(scratch_of(call, r, 1, 2, &r->states));
    if (call->is_dry)
        return LW_OK;
    LW_TRY(lw__workers(call, is_softmax(r->norm) ? LW_PROGRAM_softmax : LW_PROGRAM_norm,
                       (is_softmax(r->norm) ? softmax_names : short_names)[1], &threads));
    return has_rows_for(call, r, threads) ? launch_short(call, r) : launch_groups(call, r, threads);
}

/* ---- arguments ---- */

static lw_status check_dtype(const struct lw__call *call, const struct lw__operand *o)
{
    if (lw__dtype_is_float(o->dtype))
        return LW_OK;
    return lw_fail(LW_E_DTYPE, "%s: %s is of %s; need f16, bf16, f32 or f64", call->name, o->name,
                   lw_dtype_name(o->dtype));
}

/* A weight or bias, as the kernels read it; an option that the operation lacks is an error. */
static lw_status take_weight(struct lw__call *call, struct rows *r, const lw_tensor *t, int which,
                             const struct lw__operand *out)
{
    const char *name = which == HAS_WEIGHT ? "weight" : "bias";
    struct lw__operand *to = which == HAS_WEIGHT ? &r->weight : &r->bias, given;
    const lw_dtype type = r->x.dtype == LW_F64 ? LW_F64 : LW_F32;

    if (!t)
        return LW_OK;
    if (r->norm != LAYER_NORM && (r->norm != RMS_NORM || which == HAS_BIAS))
        return lw_fail(LW_E_ARG, "%s takes no %s", call->name, name);
    LW_TRY(lw__operand_in(call, name, *t, &given));
    LW_TRY(check_dtype(call, &given));
    LW_TRY(lw__operand_expect(call, &given, 1, &r->x.shape.extent[LW_AXES - 1]));
    LW_TRY(lw__operand_apart(call, out, &given, false));
    r->has |= which;
    *to = given;
    if (given.dtype == type && lw__operand_is_contiguous(&given))
        return LW_OK;
    LW_TRY(lw__call_scratch(call, name, type, given.shape, to));
    return lw__copy(call, to, &given);
}

static lw_status check_eps(const struct lw__call *call, const struct norm_arguments *a)
{
    if ((a->norm != RMS_NORM && a->norm != LAYER_NORM) || a->options.eps >= 0)
        return LW_OK;
    return lw_fail(LW_E_ARG, "%s: eps is %g; need at least 0", call->name, a->options.eps);
}

static lw_status take_x(struct lw__call *call, const struct norm_arguments *a, struct rows *r,
                        struct lw__operand *out)
{
    LW_TRY(lw__operand_in(call, "x", a->x, &r->x));
    LW_TRY(lw__operand_out(call, "out", a->out, out));
    LW_TRY(check_dtype(call, &r->x));
    LW_TRY(check_dtype(call, out));
    LW_TRY(lw__operand_same_shape(call, out, &r->x));
    LW_TRY(lw__operand_apart(call, out, &r->x, true));
    int axis;
    if (r->x.rank == 0) /* one element is a row */
        return a->options.axis ? lw__axis(call, &r->x, a->options.axis, 0, &axis) : LW_OK;
    LW_TRY(lw__axis(call, &r->x, a->options.axis, r->x.rank - 1, &axis));
    lw__axis_to_last(&r->x, axis);
    lw__axis_to_last(out, axis);
    return LW_OK;
}

static lw_status norm_body(struct lw__call *call, void *arguments)
{
    const struct norm_arguments *a = arguments;
    struct rows r = {.norm = a->norm, .eps = a->options.eps == 0 ? 1e-5 : a->options.eps};
    struct lw__operand out;

    LW_TRY(take_x(call, a, &r, &out));
    LW_TRY(check_eps(call, a));
    LW_TRY(lw__rows_in_out(call, lw__accumulate(r.x.dtype, out.dtype), &r.x, &out, &r.out));
    LW_TRY(take_weight(call, &r, a->options.weight, HAS_WEIGHT, &out));
    LW_TRY(take_weight(call, &r, a->options.bias, HAS_BIAS, &out));
    if (!lw__operand_count(&r.x))
        return LW_OK;
    size_t n = r.x.shape.extent[LW_AXES - 1];
    r.count = lw__operand_count(&r.x) / n;
    r.leaves = lw__divide_up(n, LEAF);
    assert(lw__operand_count(&r.out) == r.count * n &&
           (n == 1 || r.x.view.stride[LW_AXES - 1] == 1));
    if (is_short(call, &r))
        LW_TRY(launch_short(call, &r));
    else
        LW_TRY(launch_long(call, &r));
    return lw__out_done(call, &out, &r.out);
}

lw_status lw__norm_check(struct lw__call *call, bool is_softmax, lw_tensor out, lw_tensor x,
                         const lw_norm_options *options)
{
    struct norm_arguments a = {
        .out = out, .x = x, .norm = is_softmax ? SOFTMAX : LAYER_NORM, .options = *options};

    return norm_body(call, &a);
}

static lw_status run(const char *name, enum norm_kind norm, lw_stream *s, lw_tensor out,
                     lw_tensor x, const lw_norm_options *options)
{
    struct norm_arguments a = {.out = out, .x = x, .norm = norm};

    if (options)
        a.options = *options;
    return lw__call_run(name, s, norm_body, &a);
}

lw_status lw_mean_normalize(lw_stream *s, lw_tensor out, lw_tensor x,
                            const lw_norm_options *options)
{
    return run("mean_normalize", MEAN_NORMALIZE, s, out, x, options);
}

lw_status lw_rms_norm(lw_stream *s, lw_tensor out, lw_tensor x, const lw_norm_options *options)
{
    return run("rms_norm", RMS_NORM, s, out, x, options);
}

lw_status lw_layer_norm(lw_stream *s, lw_tensor out, lw_tensor x, const lw_norm_options *options)
{
    return run("layer_norm", LAYER_NORM, s, out, x, options);
}

lw_status lw_softmax(lw_stream *s, lw_tensor out, lw_tensor x, const lw_norm_options *options)
{
    return run("softmax", SOFTMAX, s, out, x, options);
}

lw_status lw_log_softmax(lw_stream *s, lw_tensor out, lw_tensor x, const lw_norm_options *options)
{
    return run("log_softmax", LOG_SOFTMAX, s, out, x, options);
}
