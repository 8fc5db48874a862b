/* attention.c - softmax(scale * q k^T) v: what defines all variants.
 *
 *     attention_rows_A      a block a row of out, from products of queries and keys in memory
 *     attention_panel_A     many queries: a block a gang of them; depths of at most a chain
 *     attention_merge_A     the nodes of each row joined
 *     attention_weights_A   the products become weights
 *
 * They serve the device ref, and processors with vectors of 128 bits. attention_narrow.c and
 * attention_wide.c are for longer vectors, attention_gpu.c is for GPUs; all have the last two.
 *
 * reads    q, k, v through views of A; writes out, and parts (attention.h)
 * numeric  docs/order.md, attention
 * source   Milakov & Gimelshein 2018, arXiv:1805.02867; Dao et al. 2022, arXiv:2205.14135
 */
#include "attention.h"

#define TEAM 16 /* ORDER TEAM: src/ops/attention.c */
#define FEW 8

#include "matmul_float.inc"
#include "attention_part.inc"
#include "attention_rows.inc"
#include "attention_finish.inc"
#include "attention_products.inc"
#define GANG 16
#include "attention_panel.inc"

#include "matmul_double.inc"
#include "attention_part.inc"
#include "attention_rows.inc"
#include "attention_finish.inc"
#include "attention_products.inc"
#define GANG 8
#include "attention_panel.inc"
