/* norm_launch.h - what launches of kernels/norm.c and softmax.c take, for norm.c and dist/norm.c.
 */
#ifndef LW_OPS_NORM_LAUNCH_H
#define LW_OPS_NORM_LAUNCH_H
#include "ops/op.h"

/* ORDER NORM: kernels/norm.c */
enum norm_kind { MEAN_NORMALIZE, RMS_NORM, LAYER_NORM, SOFTMAX, LOG_SOFTMAX };
enum { HAS_WEIGHT = 1, HAS_BIAS = 2 };

/* A block of warps, each for a leaf or a short row. */
lw_dim3 lw__norm_block(const struct lw__call *call);
size_t lw__norm_blocks(const struct lw__call *call, size_t warps);
#endif
