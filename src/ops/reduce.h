/* reduce.h - reductions: operands brought into rows, and how rows are cut. ORDER STREAM:
 * kernels/stream.h.
 */
#ifndef LW_OPS_REDUCE_H
#define LW_OPS_REDUCE_H
#include "ops/op.h"

enum { LW_LEAF = 1024, LW_LANES = 64, LW_PART_LEAVES = 32, LW_COLUMNS = 64, LW_COLUMNS_EACH = 8 };

struct lw__cut {
    size_t items, parts, part, chunk, whole; /* kernels/stream.h */
};

/* How the elements of rows are reached. */
enum lw__layout {
    LW_LAYOUT_ROWS,    /* those of a row lie side by side, or on processors a step apart */
    LW_LAYOUT_COLUMNS, /* neighbouring rows lie side by side: axis 2 has stride 1 */
    LW_LAYOUT_STRIDED  /* neither, and rows are short */
};

struct lw__reduction {
    struct lw__operand x,
        out;        /* rows are x's last axis; out has the same axes, the last of extent 1 */
    size_t n, rows; /* elements of a row; rows */
    bool whole;     /* the only row is all of x in C order, which no step leads through */
    enum lw__layout layout;
};

struct lw__reduce_arguments {
    lw_tensor out, x;
    lw_reduce_options options;
};

/* lw__check_order - errors: LW_E_ARG no order of sums. */
lw_status lw__check_order(const struct lw__call *call, lw_sum_order order);

/* lw__reduction_begin - check the operands and bring them into rows.
 * errors   those of operands; LW_E_ARG axis, order; LW_E_SHAPE of out */
lw_status lw__reduction_begin(struct lw__call *call, const struct lw__reduce_arguments *a,
                              struct lw__reduction *r);

/* lw__one_row - if the row is the whole of x, have it along the last axis: copy x if need be.
 * lw__reduction_layout - choose a layout; where x has none of those that there are kernels for,
 * it is copied into rows. */
lw_status lw__one_row(struct lw__call *call, struct lw__reduction *r);
lw_status lw__reduction_layout(struct lw__call *call, struct lw__reduction *r, bool has_columns,
                               bool has_strided);

/* lw__loaded_as - the type that a kernel which adds integers is told for this one: that of bool is
 * u8, and where sums wrap that of u64 is i64. */
lw_dtype lw__loaded_as(lw_dtype dtype, bool wraps);

/* lw__cut_rows, lw__cut_columns - parts and chunks that keep the device busy, and the launch;
 * lw__cut_rows_into - for this many warps.
 * errors   LW_E_SHAPE too many blocks */
lw_status lw__cut_rows(const struct lw__call *call, size_t rows, size_t n, struct lw__cut *cut,
                       lw_dim3 *grid);
lw_status lw__cut_rows_into(const struct lw__call *call, size_t warps, size_t rows, size_t n,
                            struct lw__cut *cut, lw_dim3 *grid);
lw_status lw__whole_rows(const struct lw__call *call, size_t rows, struct lw__cut *cut,
                         lw_dim3 *grid); /* a warp a row, whatever its length */
lw_status lw__cut_columns(const struct lw__call *call, const struct lw__reduction *r,
                          struct lw__cut *cut, lw_dim3 *grid);

/* lw__rows_block - the block of kernels for rows: warps, each with `chunk` items. */
lw_dim3 lw__rows_block(const struct lw__call *call);

/* lw__parts - scratch memory for the results of parts: `out` with `parts` as its last axis. */
lw_status lw__parts(struct lw__call *call, lw_dtype dtype, const struct lw__operand *out,
                    size_t parts, struct lw__operand *to);

/* lw__typed_out - where to write results of this dtype: `to` is `out` where it has that dtype,
 * else scratch memory, which lw__out_done copies. */
lw_status lw__typed_out(struct lw__call *call, const struct lw__operand *out, lw_dtype dtype,
                        struct lw__operand *to);

/* lw__sum_warps - warps for long rows whose parts lw__merge_sums merges, which it does fast. */
static inline size_t lw__sum_warps(const struct lw__call *call)
{
    return call->is_gpu ? 8192 : 64;
}

/* lw__merge_sums - queue launches that merge the parts of each row by the aligned tree into out.
 * The sums have accumulation type `acc`, and are divided by `divisor` if that is not 0. */
lw_status lw__merge_sums(struct lw__call *call, const struct lw__operand *parts, size_t count,
                         const struct lw__operand *out, enum lw__accumulate acc, bool is_unsigned);

/* lw__sum_accumulate - the type in which sum or mean adds n elements of `in` for one of `out`. */
enum lw__accumulate lw__sum_accumulate(lw_dtype in, lw_dtype out, bool is_mean, size_t n);

/* lw__sum_node - queue the sum of x along an axis, made in `acc`, into out of that type. axis: as
 * options have it. */
lw_status lw__sum_node(lw_stream *s, lw_tensor out, lw_tensor x, int axis, enum lw__accumulate acc);

/* lw__exact - queue launches that make the exact sum of each row of x, rounded once. If y is not
 * NULL, it is the sum of the products of the vectors x and y. The sum is divided by `divisor` if
 * that is not 0. acc: F32, F64. x and y are converted and copied as the kernels need them. */
lw_status lw__exact(struct lw__call *call, struct lw__operand *x, struct lw__operand *y,
                    const struct lw__operand *out, enum lw__accumulate acc, double divisor);

static inline lw_arg lw__arg_cut(const struct lw__cut *c)
{
    return lw_arg_bytes(c, sizeof *c);
}
#endif
