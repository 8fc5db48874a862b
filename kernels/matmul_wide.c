/* matmul_wide.c - products of matrices for processors with vectors of 512 bits; see matmul.c.
 *
 *     matmul_panel_A         a block makes a panel of rows and a gang's width of columns
 *     matmul_panel_slim_...  the same for few columns: a gang is one vector wide
 *     matmul_few_...         few rows: matmul_few.inc
 *
 * numeric  docs/order.md, contractions
 * source   Goto & van de Geijn, "Anatomy of High-Performance Matrix Multiplication", ACM TOMS
 *          34(3), 2008
 */
#include "matmul.h"

#define VECTOR 64 /* bytes */
#define FEW 16

#include "matmul_float.inc"
#include "matmul_merge.inc"
#define GANG 64
#include "matmul_panel.inc"
#include "matmul_few.inc"
#undef GANG
#undef NAME
#define NAME(kernel) kernel##_slim_float
#define SLIM
#include "matmul_finish.inc"
#define GANG 16
#include "matmul_panel.inc"
#undef GANG
#undef SLIM

#include "matmul_double.inc"
#include "matmul_merge.inc"
#define GANG 32
#include "matmul_panel.inc"
#include "matmul_few.inc"
#undef GANG

#include "matmul_int64.inc"
#include "matmul_merge.inc"
#define GANG 32
#include "matmul_panel.inc"
#include "matmul_few.inc"
#undef GANG
