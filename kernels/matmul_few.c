/* matmul_few.c - products of few rows, for processors with vectors of 256 bits; see matmul_few.inc.
 * matmul_wide.c has those for 512 bits.
 *
 * numeric  docs/order.md, contractions
 */
#include "matmul.h"

#define VECTOR 32 /* bytes */

#include "matmul_float.inc"
#include "matmul_finish.inc"
#define GANG 16
#include "matmul_climb.inc"
#include "matmul_few.inc"
#undef GANG

#include "matmul_double.inc"
#include "matmul_finish.inc"
#define GANG 8
#include "matmul_climb.inc"
#include "matmul_few.inc"
#undef GANG

#include "matmul_int64.inc"
#include "matmul_finish.inc"
#define GANG 8
#include "matmul_climb.inc"
#include "matmul_few.inc"
#undef GANG
