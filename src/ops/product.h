/* product.h - a product of matrices, of one form: matmul.c brings it there, matmul_launch.c chooses
 * its kernel. */
#ifndef LW_OPS_PRODUCT_H
#define LW_OPS_PRODUCT_H
#include "ops/contract.h"

enum {
    LW_ROW = 2, /* axes */
    LW_COLUMN = 3,
    LW_FEW = 16 /* elements for which a thread each will do */
};

/* out[b][r][c] = sum over k of x[b][r][k] y[b][k][c], its operands in the accumulation type, unless
 * by_amx. */
struct lw__product {
    struct lw__operand x, y, out, bias;
    struct lw__window window;
    bool has_bias;
    bool by_amx; /* x and y are bfloat16, out may be; terms may be added in any order */
    enum lw__accumulate type;
    size_t m, n, k;
};

/* The operand without the axes along which it only repeats, so that a copy is no larger than what
 * there is. */
struct lw__operand lw__without_repeats(struct lw__operand o);

/* lw__matmul_suits_amx - is the product large enough for tiles, and has the device got them? */
bool lw__matmul_suits_amx(const struct lw__call *call, const struct lw__product *p);

/* lw__matmul_least_gang - the columns of the narrowest panel of the device's kernels, or 0. */
size_t lw__matmul_least_gang(const struct lw__call *call, enum lw__accumulate type);

/* lw__matmul_launch - queue the kernels of the product.
 * errors   those of lw__call_scratch and lw__call_launch */
lw_status lw__matmul_launch(struct lw__call *call, struct lw__product *p);
#endif
