/* matmul.c - products of matrices, and of batches of them: what defines all variants.
 *
 *     matmul_naive_A     a thread an element of a node
 *     matmul_merge_A     the nodes of each element joined
 *
 * matmul_wide.c and matmul_narrow.c are for processors, matmul_gpu.c is for GPUs; all have
 * matmul_merge_A.
 *
 * reads    x, y, bias through views of A; writes out, and parts (matmul.h)
 * numeric  docs/order.md, contractions
 */
#include "matmul.h"

#define FEW 64

#include "matmul_float.inc"
#include "matmul_merge.inc"
#include "matmul_naive.inc"
#include "matmul_double.inc"
#include "matmul_merge.inc"
#include "matmul_naive.inc"
#include "matmul_int64.inc"
#include "matmul_merge.inc"
#include "matmul_naive.inc"
