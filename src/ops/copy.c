/* copy.c - lw_copy, lw_permute, and the copies that other operations need.
 *
 * A copy is the same in any order of its axes. So they are sorted by the output's steps, and axes
 * that are one for both sides become one; then the views' form chooses the kernel.
 */
#include "ops/op.h"
#include <assert.h>
#include <stdlib.h>
#include <string.h>

/* ORDER COPY: kernels/rows.c, kernels/tiles.c, kernels/turn.c, kernels/convert.c,
 * kernels/move_gpu.c */
enum { ROW_THREADS = 32, ROW_PART = 1024, SHORT_PART = 2048 };
enum { TILE = 32, LINES = 4, WIDE = 8, LONG = 256 };
enum { HIGH = 64, LOW = 16, CACHE_WAY = 1 << 16 }; /* of second caches, in bytes, at least */
enum { WORD = 16, SHORT_ROW = 16, THREADS_GPU = 256, BLOCK_ELEMENTS = 4096 };

/* What a copy is reduced to; axes of extent 1 stand first. */
struct plan {
    struct lw__shape shape;
    struct lw__view from, to;
};

static void swap_axes(struct plan *p, int i, int j)
{
    const size_t extent = p->shape.extent[i];
    const ptrdiff_t from = p->from.stride[i], to = p->to.stride[i];

    p->shape.extent[i] = p->shape.extent[j];
    p->from.stride[i] = p->from.stride[j];
    p->to.stride[i] = p->to.stride[j];
    p->shape.extent[j] = extent;
    p->from.stride[j] = from;
    p->to.stride[j] = to;
}

/* Axis i is to come before axis j: it has no length, or the output's step in it is larger. */
static bool comes_first(const struct plan *p, int i, int j)
{
    if (p->shape.extent[i] == 1 || p->shape.extent[j] == 1)
        return p->shape.extent[i] == 1 && p->shape.extent[j] != 1;
    return labs(p->to.stride[i]) > labs(p->to.stride[j]);
}

static void sort_axes(struct plan *p)
{
    for (int i = 1; i < LW_AXES; i++)
        for (int j = i; j > 0 && comes_first(p, j, j - 1); j--)
            swap_axes(p, j, j - 1);
}

/* Join axes k and k + 1 if, in both views, k's stride is the length of k + 1. */
static void join_axes(struct plan *p)
{
    for (int k = LW_AXES - 2; k >= 0; k--) {
        const ptrdiff_t extent = (ptrdiff_t)p->shape.extent[k + 1];

        if (p->shape.extent[k] == 1 || p->from.stride[k] != extent * p->from.stride[k + 1] ||
            p->to.stride[k] != extent * p->to.stride[k + 1])
            continue;
        p->shape.extent[k + 1] *= p->shape.extent[k];
        p->shape.extent[k] = 1;
        for (int j = k; j > 0; j--)
            swap_axes(p, j, j - 1);
    }
}

static struct plan plan_of(const struct lw__operand *to, const struct lw__operand *from)
{
    struct plan p = {.shape = from->shape, .from = from->view, .to = to->view};

    sort_axes(&p);
    join_axes(&p);
    for (int k = 0; k < LW_AXES; k++) {
        assert(!k || p.shape.extent[k] != 1 || p.shape.extent[k - 1] == 1);
        if (p.shape.extent[k] == 1)
            p.from.stride[k] = p.to.stride[k] = k == LW_AXES - 1;
    }
    return p;
}

static size_t rows_of(const struct plan *p)
{
    return p->shape.extent[0] * p->shape.extent[1] * p->shape.extent[2];
}

/* ---- without conversion ---- */

static const char *by_size(size_t bytes, const char *const names[4])
{
    assert(bytes && bytes <= 8 && !(bytes & (bytes - 1)));
    return names[bytes == 1 ? 0 : bytes == 2 ? 1 : bytes == 4 ? 2 : 3];
}

static bool begin_with_words(const struct lw__operand *to, const struct lw__operand *from)
{
    return lw__operand_is_aligned(to, WORD) && lw__operand_is_aligned(from, WORD);
}

/* True if both sides are whole rows of aligned 16-byte words. */
static bool is_words(const struct plan *p, const struct lw__operand *to,
                     const struct lw__operand *from)
{
    return rows_of(p) == 1 && p->from.stride[3] == 1 && p->to.stride[3] == 1 &&
           p->shape.extent[3] * lw_dtype_size(from->dtype) % WORD == 0 &&
           begin_with_words(to, from);
}

static lw_status copy_words(struct lw__call *call, const struct plan *p,
                            const struct lw__operand *to, const struct lw__operand *from)
{
    const size_t size = lw_dtype_size(from->dtype), n = p->shape.extent[3] * size / WORD;
    const uint32_t threads = call->is_gpu ? 256 : 64;

    return LW_OP_BLOCKS(call, rows, "copy_words", lw__divide_up(n, threads), lw_dim_1(threads),
                        lw_arg_uint(n), lw_arg_buffer(from->buffer),
                        lw_arg_uint((size_t)p->from.offset * size), lw_arg_buffer(to->buffer),
                        lw_arg_uint((size_t)p->to.offset * size));
}

/* Counts words of 16 bytes instead of elements, where both begin with one; false: that is not
 * possible. */
static bool count_in_words(struct plan *p, size_t size)
{
    const size_t each = WORD / size;

    assert(p->from.offset % (ptrdiff_t)each == 0 && p->to.offset % (ptrdiff_t)each == 0);
    if (p->from.stride[3] != 1 || p->to.stride[3] != 1 || p->shape.extent[3] % each ||
        rows_of(p) * (p->shape.extent[3] / each) > UINT32_MAX / 2)
        return false;
    for (int k = 0; k < 3; k++)
        if (p->from.stride[k] % (ptrdiff_t)each || p->to.stride[k] % (ptrdiff_t)each)
            return false;
    for (int k = 0; k < 3; k++)
        p->from.stride[k] /= (ptrdiff_t)each, p->to.stride[k] /= (ptrdiff_t)each;
    p->from.offset /= (ptrdiff_t)each, p->to.offset /= (ptrdiff_t)each;
    p->shape.extent[3] /= each;
    return true;
}

static lw_status move_words(struct lw__call *call, const struct plan *p,
                            const struct lw__operand *to, const struct lw__operand *from)
{
    const size_t n = rows_of(p) * p->shape.extent[3];
    const uint32_t threads = 256;

    return LW_OP_BLOCKS(call, move_gpu, "move_words", lw__divide_up(n, threads), lw_dim_1(threads),
                        lw__arg_shape(&p->shape), lw_arg_uint(n), lw__arg_view(&p->from),
                        lw_arg_buffer(from->buffer), lw__arg_view(&p->to),
                        lw_arg_buffer(to->buffer));
}

/* The axis of the input with stride 1, brought next to the last; false: there is none, or the tiles
 * would be mostly air. */
static bool bring_tiles(struct plan *p)
{
    for (int k = 0; k < LW_AXES - 1; k++)
        if (p->from.stride[k] == 1 && p->shape.extent[k] >= TILE / 4 && p->to.stride[3] == 1 &&
            p->shape.extent[3] >= TILE / 4) {
            for (; k < LW_AXES - 2; k++)
                swap_axes(p, k, k + 1);
            return p->shape.extent[0] * p->shape.extent[1] <= 65535 &&
                   lw__divide_up(p->shape.extent[3], TILE) <= 65535;
        }
    return false;
}

/* Lines of `to` in a tile: fewer if all of them map to one set of a cache, which then evicts a line
 * before its second half is written. */
static size_t tile_height(const struct plan *p, size_t size)
{
    const size_t low = HIGH / size < LOW ? LOW : HIGH / size;

    return (size_t)labs(p->to.stride[2]) * size % CACHE_WAY ? HIGH : low;
}

static lw_status move_tiles(struct lw__call *call, const struct plan *p,
                            const struct lw__operand *to, const struct lw__operand *from)
{
    static const char *const names[] = {"move_tiles_1", "move_tiles_2", "move_tiles_4",
                                        "move_tiles_8"};
    const size_t size = lw_dtype_size(from->dtype);
    const size_t high = call->is_gpu ? TILE : tile_height(p, size);
    const lw_arg args[] = {lw__arg_shape(&p->shape),    lw__arg_view(&p->from),
                           lw_arg_buffer(from->buffer), lw__arg_view(&p->to),
                           lw_arg_buffer(to->buffer),   lw_arg_uint(high)};
    lw_dim3 grid;

    assert(p->from.stride[2] == 1 && p->to.stride[3] == 1);
    LW_TRY(lw__grid(call, lw__divide_up(p->shape.extent[2], high), &grid));
    grid.y = (uint32_t)lw__divide_up(p->shape.extent[3], call->is_gpu ? TILE : LONG);
    grid.z = (uint32_t)(p->shape.extent[0] * p->shape.extent[1]);
    if (call->is_gpu)
        return lw__call_launch(call, LW_PROGRAM_move_gpu, by_size(size, names), grid,
                               lw_dim_2(TILE, LINES), args, 5);
    return lw__call_launch(call, LW_PROGRAM_tiles, by_size(size, names), grid, lw_dim_1(WIDE), args,
                           6);
}

/* Rows too short for a warp each. */
static lw_status move_short(struct lw__call *call, const struct plan *p,
                            const struct lw__operand *to, const struct lw__operand *from)
{
    const size_t n = rows_of(p) * p->shape.extent[3];
    const size_t each = SHORT_PART / p->shape.extent[3]; /* rows */
    const lw_arg args[] = {lw__arg_shape(&p->shape),
                           lw_arg_uint(n),
                           lw__arg_view(&p->from),
                           lw_arg_buffer(from->buffer),
                           lw__arg_view(&p->to),
                           lw_arg_buffer(to->buffer),
                           lw_arg_uint(lw_dtype_size(from->dtype))};
    lw_dim3 grid;

    LW_TRY(lw__grid(call,
                    call->is_gpu ? lw__divide_up(n, THREADS_GPU) : lw__divide_up(rows_of(p), each),
                    &grid));
    if (call->is_gpu)
        return lw__call_launch(call, LW_PROGRAM_move_gpu, "move_flat", grid, lw_dim_1(THREADS_GPU),
                               args, sizeof args / sizeof *args);
    return lw__call_launch(call, LW_PROGRAM_turn, "move_short", grid, lw_dim_1(1), args,
                           sizeof args / sizeof *args);
}

static lw_status move_rows(struct lw__call *call, const struct plan *p,
                           const struct lw__operand *to, const struct lw__operand *from)
{
    static const char *const names[] = {"move_rows_1", "move_rows_2", "move_rows_4", "move_rows_8"};
    const size_t length = p->shape.extent[3], parts = lw__divide_up(length, ROW_PART);
    const size_t each = call->is_gpu || length >= BLOCK_ELEMENTS ? 1 : BLOCK_ELEMENTS / length;

    return LW_OP_BLOCKS(call, rows, by_size(lw_dtype_size(from->dtype), names),
                        lw__divide_up(rows_of(p), each) * parts, lw_dim_1(ROW_THREADS),
                        lw__arg_shape(&p->shape), lw__arg_view(&p->from),
                        lw_arg_buffer(from->buffer), lw__arg_view(&p->to),
                        lw_arg_buffer(to->buffer), lw_arg_uint(parts), lw_arg_uint(each));
}

static lw_status move(struct lw__call *call, const struct lw__operand *to,
                      const struct lw__operand *from)
{
    struct plan p = plan_of(to, from);

    if (is_words(&p, to, from))
        return copy_words(call, &p, to, from);
    if (bring_tiles(&p))
        return move_tiles(call, &p, to, from);
    if (call->is_gpu && begin_with_words(to, from) &&
        count_in_words(&p, lw_dtype_size(from->dtype)))
        return move_words(call, &p, to, from);
    return p.shape.extent[3] < SHORT_ROW ? move_short(call, &p, to, from)
                                         : move_rows(call, &p, to, from);
}

/* ---- with conversion ---- */

/* The type that holds what is loaded exactly, and from which one rounding leads to `to`. */
static const char *convert_kernel(lw_dtype to, lw_dtype from)
{
    if (from == LW_U64 && lw__dtype_is_float(to))
        return "convert_uint64";
    if (!lw__dtype_is_float(from))
        return "convert_int64";
    return from == LW_F64 ? "convert_double" : "convert_float";
}

/* Both have a last axis of stride 1. */
static lw_status convert_rows(struct lw__call *call, const struct lw__operand *to,
                              const struct lw__operand *from)
{
    struct plan p = plan_of(to, from);
    const size_t parts = lw__divide_up(p.shape.extent[3], ROW_PART);

    assert(p.from.stride[3] == 1 && p.to.stride[3] == 1);
    return LW_OP_BLOCKS(call, convert, convert_kernel(to->dtype, from->dtype), rows_of(&p) * parts,
                        lw_dim_1(lw__threads(call)), lw__arg_shape(&p.shape), lw__arg_view(&p.from),
                        lw_arg_buffer(from->buffer), lw_arg_int(from->dtype), lw__arg_view(&p.to),
                        lw_arg_buffer(to->buffer), lw_arg_int(to->dtype), lw_arg_uint(parts));
}

/* Where a side's rows do not lie whole, it is moved first, or last. */
static lw_status convert(struct lw__call *call, const struct lw__operand *to,
                         const struct lw__operand *from)
{
    struct lw__operand source = *from, target;

    LW_TRY(lw__contiguous_in(call, &source));
    LW_TRY(lw__contiguous_out(call, to, &target));
    LW_TRY(convert_rows(call, &target, &source));
    return lw__out_done(call, to, &target);
}

lw_status lw__copy(struct lw__call *call, const struct lw__operand *to,
                   const struct lw__operand *from)
{
    assert(!memcmp(&to->shape, &from->shape, sizeof to->shape));
    if (!lw__operand_count(from))
        return LW_OK;
    return to->dtype == from->dtype ? move(call, to, from) : convert(call, to, from);
}

/* ---- for operations ---- */

static lw_status to_scratch(struct lw__call *call, struct lw__operand *o, lw_dtype dtype)
{
    struct lw__operand copy;

    LW_TRY(lw__call_scratch(call, o->name, dtype, o->shape, &copy));
    copy.rank = o->rank;
    LW_TRY(lw__copy(call, &copy, o));
    *o = copy;
    return LW_OK;
}

static bool has_rows(const struct lw__operand *o)
{
    return o->shape.extent[LW_AXES - 1] < 2 || o->view.stride[LW_AXES - 1] == 1;
}

lw_status lw__rows_in(struct lw__call *call, struct lw__operand *o)
{
    return has_rows(o) ? LW_OK : to_scratch(call, o, o->dtype);
}

lw_status lw__contiguous_in(struct lw__call *call, struct lw__operand *o)
{
    return lw__operand_is_contiguous(o) ? LW_OK : to_scratch(call, o, o->dtype);
}

static lw_status out_or_scratch(struct lw__call *call, const struct lw__operand *out, bool as_it_is,
                                struct lw__operand *to)
{
    *to = *out;
    if (as_it_is)
        return LW_OK;
    LW_TRY(lw__call_scratch(call, out->name, out->dtype, out->shape, to));
    to->rank = out->rank;
    return LW_OK;
}

lw_status lw__as(struct lw__call *call, struct lw__operand *o, lw_dtype dtype)
{
    return o->dtype == dtype ? LW_OK : to_scratch(call, o, dtype);
}

lw_status lw__rows_out_as(struct lw__call *call, enum lw__accumulate type,
                          const struct lw__operand *out, lw_dtype from, struct lw__operand *to)
{
    const lw_dtype dtype =
        type == LW_ACC_I64 && from == LW_U64 ? LW_U64 : lw__accumulate_dtype(type);

    if (out->dtype == dtype || (type != LW_ACC_I64 && lw__dtype_is_float(out->dtype)))
        return lw__rows_out(call, out, to);
    LW_TRY(lw__call_scratch(call, out->name, dtype, out->shape, to));
    to->rank = out->rank;
    return LW_OK;
}

lw_status lw__rows_in_out(struct lw__call *call, enum lw__accumulate type, struct lw__operand *x,
                          const struct lw__operand *out, struct lw__operand *to)
{
    const lw_dtype dtype = lw__accumulate_dtype(type);

    LW_TRY(lw__rows_out_as(call, type, out, x->dtype, to));
    if (type != LW_ACC_F64 || x->dtype == dtype)
        return lw__rows_in(call, x);
    if (to->dtype != dtype)
        return lw__as(call, x, dtype);
    LW_TRY(lw__copy(call, to, x));
    *x = *to;
    return LW_OK;
}

lw_status lw__rows_out(struct lw__call *call, const struct lw__operand *out, struct lw__operand *to)
{
    return out_or_scratch(call, out, has_rows(out), to);
}

lw_status lw__contiguous_out(struct lw__call *call, const struct lw__operand *out,
                             struct lw__operand *to)
{
    return out_or_scratch(call, out, lw__operand_is_contiguous(out), to);
}

/* In the dry run scratch memory has no buffer yet, and an output always has one. */
lw_status lw__out_done(struct lw__call *call, const struct lw__operand *out,
                       const struct lw__operand *to)
{
    return to->buffer == out->buffer && to->view.offset == out->view.offset
               ? LW_OK
               : lw__copy(call, out, to);
}

/* ---- the operations ---- */

struct copy_arguments {
    lw_tensor out, x;
    const int *axes;
    bool is_permute;
};

/* Axis k of the result is axis axes[k] of x; NULL: the axes in reverse. */
static lw_status permute(const struct lw__call *call, struct lw__operand *x, const int *axes)
{
    const struct lw__operand from = *x;
    const int lead = LW_AXES - x->rank;
    bool seen[LW_AXES] = {false};

    for (int k = 0; k < x->rank; k++) {
        int axis = axes ? axes[k] : x->rank - 1 - k;

        axis += axis < 0 ? x->rank : 0;
        if (axis < 0 || axis >= x->rank || seen[axis])
            return lw_fail(LW_E_ARG, "%s: axes[%d] is %d; need each axis of rank %d once",
                           call->name, k, axes[k], x->rank);
        seen[axis] = true;
        x->shape.extent[lead + k] = from.shape.extent[lead + axis];
        x->view.stride[lead + k] = from.view.stride[lead + axis];
    }
    return LW_OK;
}

static lw_status copy_body(struct lw__call *call, void *arguments)
{
    const struct copy_arguments *a = arguments;
    struct lw__operand x;

    LW_TRY(lw__operand_in(call, "x", a->x, &x));
    struct lw__operand out;
    LW_TRY(lw__operand_out(call, "out", a->out, &out));
    LW_TRY(lw__operand_apart(call, &out, &x, !a->is_permute));
    if (a->is_permute)
        LW_TRY(permute(call, &x, a->axes));
    LW_TRY(lw__operand_same_shape(call, &out, &x));
    return lw__copy(call, &out, &x);
}

lw_status lw_copy(lw_stream *s, lw_tensor out, lw_tensor x)
{
    struct copy_arguments a = {.out = out, .x = x};

    return lw__call_run("copy", s, copy_body, &a);
}

lw_status lw_permute(lw_stream *s, lw_tensor out, lw_tensor x, const int *axes)
{
    struct copy_arguments a = {.out = out, .x = x, .axes = axes, .is_permute = true};

    return lw__call_run("permute", s, copy_body, &a);
}
