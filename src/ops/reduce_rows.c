/* reduce_rows.c - what all reductions share: operands brought into rows, and rows cut into parts.
 *
 * How rows are cut never shows in a result: docs/order.md.
 */
#include "ops/reduce.h"
#include <assert.h>
#include <stdlib.h>

enum {
    PART_MAX = LW_LEAF * LW_PART_LEAVES, /* the kernels merge this many leaves themselves */
    GRID_Y = 65535,
    WARPS_GPU = 4,  /* of a block: src/ops/meson.build */
    SHORT_ROW = 64, /* below it a block has too little of a row */
    FEW_ROWS = 16
};

/* Warps that keep all of a device busy, and the least elements that are worth one. */
static size_t warps_wanted(const struct lw__call *call)
{
    return call->is_gpu ? 2048 : 64;
}
static size_t part_least(const struct lw__call *call)
{
    return call->is_gpu ? LW_LEAF : 16 * LW_LEAF;
}

/* ---- operands ---- */

lw_status lw__check_order(const struct lw__call *call, lw_sum_order order)
{
    if (order == LW_SUM_FIXED || order == LW_SUM_EXACT || order == LW_SUM_FREE)
        return LW_OK;
    return lw_fail(LW_E_ARG, "%s: sum is %d; need LW_SUM_FIXED, _EXACT or _FREE", call->name,
                   (int)order);
}

/* All of x is one row, in C order. */
static void all_axes(struct lw__reduction *r)
{
    r->out.view = (struct lw__view){r->out.view.offset, {0, 0, 0, 1}};
    r->out.shape = (struct lw__shape){{1, 1, 1, 1}};
    r->whole = !lw__flatten(&r->x);
}

lw_status lw__one_row(struct lw__call *call, struct lw__reduction *r)
{
    if (!r->whole)
        return LW_OK;
    LW_TRY(lw__contiguous_in(call, &r->x));
    lw__flatten(&r->x);
    r->whole = false;
    return LW_OK;
}

/* The axis comes last on both sides. */
static void axis_last(struct lw__reduction *r, int axis, bool keepdims)
{
    lw__axis_to_last(&r->x, axis);
    if (keepdims) {
        lw__axis_to_last(&r->out, axis);
        return;
    }
    for (int k = 0; k < LW_AXES - 1; k++) {
        r->out.shape.extent[k] = r->out.shape.extent[k + 1];
        r->out.view.stride[k] = r->out.view.stride[k + 1];
    }
    r->out.shape.extent[LW_AXES - 1] = 1;
    r->out.view.stride[LW_AXES - 1] = 0;
}

lw_status lw__reduction_begin(struct lw__call *call, const struct lw__reduce_arguments *a,
                              struct lw__reduction *r)
{
    size_t extents[LW_AXES]; /* of the result: those of x, without the axis or with 1 there */
    int axis = -1, rank = 0; /* axis -1: all */

    LW_TRY(lw__operand_in(call, "x", a->x, &r->x));
    LW_TRY(lw__operand_out(call, "out", a->out, &r->out));
    LW_TRY(lw__operand_apart(call, &r->out, &r->x, false));
    LW_TRY(lw__check_order(call, a->options.sum));
    if (a->options.axis)
        LW_TRY(lw__axis(call, &r->x, a->options.axis, 0, &axis));
    for (int k = LW_AXES - r->x.rank; k < LW_AXES; k++) {
        const bool reduced = axis < 0 || k == axis;

        if (!reduced || a->options.keepdims)
            extents[rank++] = reduced ? 1 : r->x.shape.extent[k];
    }
    LW_TRY(lw__operand_expect(call, &r->out, rank, extents));
    r->whole = false;
    if (axis < 0)
        all_axes(r);
    else
        axis_last(r, axis, a->options.keepdims);
    r->n = r->whole ? lw__operand_count(&r->x) : r->x.shape.extent[LW_AXES - 1];
    r->rows = lw__operand_count(&r->out);
    assert(lw__operand_count(&r->x) == r->rows * r->n && r->out.shape.extent[LW_AXES - 1] == 1);
    return LW_OK;
}

/* ---- layout ---- */

static void swap_outer(struct lw__reduction *r, int i, int j)
{
    struct lw__operand *const both[] = {&r->x, &r->out};

    for (int k = 0; k < 2; k++) {
        const size_t extent = both[k]->shape.extent[i];
        const ptrdiff_t stride = both[k]->view.stride[i];

        both[k]->shape.extent[i] = both[k]->shape.extent[j];
        both[k]->view.stride[i] = both[k]->view.stride[j];
        both[k]->shape.extent[j] = extent;
        both[k]->view.stride[j] = stride;
    }
}

/* Rows may come in any order: of axes 0 to 2 that with the smallest step of x becomes the last. */
static void sort_outer(struct lw__reduction *r)
{
    for (int i = 1; i < LW_AXES - 1; i++)
        for (int j = i; j > 0; j--) {
            const bool is_one = r->x.shape.extent[j] == 1, left_is = r->x.shape.extent[j - 1] == 1;

            if (is_one ? !left_is
                       : !left_is && labs(r->x.view.stride[j]) > labs(r->x.view.stride[j - 1]))
                swap_outer(r, j, j - 1);
        }
}

/* Join outer axes k and k + 1 if, on both sides, k's stride is the length of k + 1. */
static void join_outer(struct lw__reduction *r)
{
    for (int k = LW_AXES - 3; k >= 0; k--) {
        const ptrdiff_t extent = (ptrdiff_t)r->x.shape.extent[k + 1];

        assert(r->x.shape.extent[k] == r->out.shape.extent[k]);
        if (r->x.shape.extent[k] == 1 || r->x.view.stride[k] != extent * r->x.view.stride[k + 1] ||
            r->out.view.stride[k] != extent * r->out.view.stride[k + 1])
            continue;
        r->x.shape.extent[k + 1] *= r->x.shape.extent[k];
        r->out.shape.extent[k + 1] = r->x.shape.extent[k + 1];
        r->x.shape.extent[k] = r->out.shape.extent[k] = 1;
        for (int j = k; j > 0; j--)
            swap_outer(r, j, j - 1);
    }
}

/* True if the kernels read rows as they lie: along a row lie closer elements than across rows, of
 * which a copy by tiles makes better use of a cache line. */
static bool reads_steps(const struct lw__call *call, const struct lw__reduction *r)
{
    const ptrdiff_t across = labs(r->x.view.stride[2]);

    return call->has_vectors && r->n >= SHORT_ROW &&
           (r->x.shape.extent[2] == 1 || !across || labs(r->x.view.stride[3]) <= across);
}

lw_status lw__reduction_layout(struct lw__call *call, struct lw__reduction *r, bool has_columns,
                               bool has_strided)
{
    if (r->whole && (!call->has_vectors || lw__operand_is_contiguous(&r->x)))
        LW_TRY(lw__one_row(call, r));
    r->layout = LW_LAYOUT_ROWS;
    if (r->whole)
        return LW_OK;
    const bool is_row = r->n < 2 || r->x.view.stride[3] == 1;
    const bool is_short = r->n < SHORT_ROW && r->rows >= FEW_ROWS;

    if (!r->n || !r->rows)
        return LW_OK;
    sort_outer(r);
    join_outer(r);
    assert(lw__operand_count(&r->x) == r->rows * r->n);
    if (is_row && !(is_short && has_strided))
        return LW_OK;
    if (has_columns && r->x.view.stride[2] == 1 && r->x.shape.extent[2] > 1 &&
        r->rows >= FEW_ROWS) {
        r->layout = LW_LAYOUT_COLUMNS;
        return LW_OK;
    }
    if (is_short && has_strided) {
        r->layout = LW_LAYOUT_STRIDED;
        return LW_OK;
    }
    return reads_steps(call, r) ? LW_OK : lw__rows_in(call, &r->x);
}

lw_dtype lw__loaded_as(lw_dtype dtype, bool wraps)
{
    return dtype == LW_BOOL ? LW_U8 : dtype == LW_U64 && wraps ? LW_I64 : dtype;
}

/* ---- parts ---- */

static void cut_into(size_t least, size_t warps, size_t warps_of_a_part, size_t n,
                     struct lw__cut *cut)
{
    cut->part = PART_MAX;
    while (cut->part > least && lw__divide_up(n, cut->part) * warps_of_a_part < warps)
        cut->part /= 2;
    cut->parts = n ? lw__divide_up(n, cut->part) : 1;
    cut->whole = 0;
    assert(cut->part % LW_LEAF == 0 && !(cut->part & (cut->part - 1)));
}

lw_dim3 lw__rows_block(const struct lw__call *call)
{
    return lw_dim_2(LW_WARP_SIZE, call->is_gpu ? WARPS_GPU : 1);
}

lw_status lw__cut_rows(const struct lw__call *call, size_t rows, size_t n, struct lw__cut *cut,
                       lw_dim3 *grid)
{
    return lw__cut_rows_into(call, warps_wanted(call), rows, n, cut, grid);
}

lw_status lw__cut_rows_into(const struct lw__call *call, size_t warps, size_t rows, size_t n,
                            struct lw__cut *cut, lw_dim3 *grid)
{
    cut_into(part_least(call), warps, rows, n, cut);
    cut->items = rows * cut->parts;
    cut->chunk = call->is_gpu || n >= part_least(call) ? 1 : part_least(call) / (n + 1) + 1;
    if (cut->items / cut->chunk < warps)
        cut->chunk = cut->items / warps + 1;
    return lw__grid(call, lw__divide_up(cut->items, cut->chunk * lw__rows_block(call).y), grid);
}

lw_status lw__whole_rows(const struct lw__call *call, size_t rows, struct lw__cut *cut,
                         lw_dim3 *grid)
{
    *cut = (struct lw__cut){.items = rows, .parts = 1, .chunk = 1};
    return lw__grid(call, lw__divide_up(rows, lw__rows_block(call).y), grid);
}

/* Processors take several times LW_COLUMNS at once: more of a row lies side by side. */
lw_status lw__cut_columns(const struct lw__call *call, const struct lw__reduction *r,
                          struct lw__cut *cut, lw_dim3 *grid)
{
    const size_t each = call->is_gpu ? 1 : LW_COLUMNS_EACH;
    const size_t wide = lw__divide_up(r->x.shape.extent[2], LW_COLUMNS * each);
    const size_t outer = r->x.shape.extent[0] * r->x.shape.extent[1];

    assert(r->layout != LW_LAYOUT_ROWS);
    cut_into(part_least(call) / each, warps_wanted(call), wide * outer, r->n, cut);
    cut->items = outer * cut->parts;
    cut->chunk = lw__divide_up(cut->items, GRID_Y);
    LW_TRY(lw__grid(call, wide, grid));
    grid->y = (uint32_t)lw__divide_up(cut->items, cut->chunk);
    assert(grid->y <= GRID_Y && grid->y * cut->chunk >= cut->items);
    return LW_OK;
}

lw_status lw__parts(struct lw__call *call, lw_dtype dtype, const struct lw__operand *out,
                    size_t parts, struct lw__operand *to)
{
    struct lw__shape shape = out->shape;

    assert(parts > 1 && shape.extent[LW_AXES - 1] == 1);
    shape.extent[LW_AXES - 1] = parts;
    return lw__call_scratch(call, "parts", dtype, shape, to);
}

lw_status lw__typed_out(struct lw__call *call, const struct lw__operand *out, lw_dtype dtype,
                        struct lw__operand *to)
{
    *to = *out;
    return out->dtype == dtype ? LW_OK : lw__call_scratch(call, out->name, dtype, out->shape, to);
}
