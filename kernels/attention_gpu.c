/* attention_gpu.c - attention for GPUs; see attention.c.
 *
 *     attention_stream_A                           few queries: a block a row of out
 *     attention_tiled_64_float, ..._128_float      many: a block 64 queries, and so many columns
 *
 * numeric  docs/order.md, attention
 */
#include "attention.h"

#define TEAM 128
#define FEW 32

#include "matmul_float.inc"
#include "attention_part.inc"
#include "attention_rows.inc"
#include "attention_finish.inc"
#include "attention_stream_gpu.inc"
#define TILED(kernel) NAME(kernel##_64)
#define COLUMNS 64
#include "attention_tiled.inc"
#define TILED(kernel) NAME(kernel##_128)
#define COLUMNS 128
#include "attention_tiled.inc"

#include "matmul_double.inc"
#include "attention_part.inc"
#include "attention_rows.inc"
#include "attention_finish.inc"
#include "attention_stream_gpu.inc"
