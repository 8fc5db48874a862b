/* contract.h - what the operations made of contractions share: matmul, attention, convolution. */
#ifndef LW_OPS_CONTRACT_H
#define LW_OPS_CONTRACT_H
#include "ops/op.h"

/* The windows of an image as the columns of a matrix. ORDER WINDOW: kernels/matmul_panel.inc */
struct lw__window {
    size_t kh, kw, height, width, pad_h, pad_w, step_h, step_w;
    ptrdiff_t channel, line, step;
};

/* lw__matmul - queue out = x y, for operands in the accumulation type of out's dtype; all have four
 * axes: two of batch, of the same extents, rows, columns.
 * window   NULL; or y is an image for each place in axis 0, whose windows are the columns, and a
 *          place in axis 1 is a row of the result
 * errors   those of lw__call_scratch and lw__call_launch */
lw_status lw__matmul(struct lw__call *call, const struct lw__operand *out,
                     const struct lw__operand *x, const struct lw__operand *y,
                     const struct lw__window *window);

/* lw__check_contraction - is this an order that contractions have: LW_SUM_FIXED or _FREE?
 * errors   LW_E_ARG */
lw_status lw__check_contraction(const struct lw__call *call, lw_sum_order order);

/* lw__matmul_gang - the columns of a panel of a processor's kernels, by accumulation type. 0: there
 * are no such kernels for the device, and it takes no windows. */
size_t lw__matmul_gang(const struct lw__call *call, lw_dtype dtype);

/* lw__max_dynamic - bytes of dynamic block memory that a launch on the call's device may have. */
size_t lw__max_dynamic(const struct lw__call *call);

/* lw__as_dtype - make the operand a copy of this dtype, in C order but for the axes along which it
 * repeats: these have a stride of 0 as before.
 * errors   as above */
lw_status lw__as_dtype(struct lw__call *call, struct lw__operand *o, lw_dtype dtype);
#endif
