/* contract.h - what the operations made of contractions share: matmul and attention. */
#ifndef LW_OPS_CONTRACT_H
#define LW_OPS_CONTRACT_H
#include "ops/op.h"

/* lw__matmul - queue out = x y, for operands in the accumulation type of out's dtype; all have four
 * axes: two of batch, of the same extents, rows, columns.
 * errors   those of lw__call_scratch and lw__call_launch */
lw_status lw__matmul(struct lw__call *call, const struct lw__operand *out,
                     const struct lw__operand *x, const struct lw__operand *y);

/* lw__as_dtype - make the operand a copy of this dtype, in C order but for the axes along which it
 * repeats: these have a stride of 0 as before.
 * errors   as above */
lw_status lw__as_dtype(struct lw__call *call, struct lw__operand *o, lw_dtype dtype);
#endif
