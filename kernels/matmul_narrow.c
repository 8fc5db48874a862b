/* matmul_narrow.c - products of matrices for processors with vectors of at most 256 bits; see
 * matmul.c.
 *
 *     matmul_panel_A    a block makes a panel of rows and a gang's width of columns
 *
 * numeric  docs/order.md, contractions
 * source   Goto & van de Geijn, "Anatomy of High-Performance Matrix Multiplication", ACM TOMS
 *          34(3), 2008
 */
#include "matmul.h"

#define FEW 8

#include "matmul_float.inc"
#include "matmul_merge.inc"
#define GANG 16
#include "matmul_panel.inc"
#undef GANG

#include "matmul_double.inc"
#include "matmul_merge.inc"
#define GANG 8
#include "matmul_panel.inc"
#undef GANG

#include "matmul_int64.inc"
#include "matmul_merge.inc"
#define GANG 8
#include "matmul_panel.inc"
#undef GANG
