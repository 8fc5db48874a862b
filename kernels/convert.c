/* convert.c - a copy between strided views of one shape and two dtypes.
 *
 *     convert_A   rows that lie whole, by way of A, a type that holds what is loaded
 *
 * launch   any number of threads, a block a part of ROW_PART elements of a row
 * numeric  one rounding, as the language converts
 */
#include "element.h"
#include "view.h"

enum { ROW_PART = 1024 }; /* ORDER COPY: src/ops/copy.c */

#define LOAD load_real_float
#define STORE store_float
#define NAME(kernel) kernel##_float
#include "convert.inc"
#define LOAD load_real_double
#define STORE store_double
#define NAME(kernel) kernel##_double
#include "convert.inc"
#define LOAD load_int64
#define STORE store_int64
#define NAME(kernel) kernel##_int64
#include "convert.inc"
/* u64 alone has values that int64_t lacks; integers wrap by convert_int64. */
DEVICE static void store_floats(void *out, int type, size_t i, uint64_t v)
{
    if (type == DT_F64)
        ((double *)out)[i] = (double)v;
    else if (type == DT_F32)
        ((float *)out)[i] = (float)v;
    else if (type == DT_F16)
        ((_Float16 *)out)[i] = (_Float16)v;
    else
        ((__bf16 *)out)[i] = (__bf16)v;
}

#define LOAD load_uint64
#define STORE store_floats
#define NAME(kernel) kernel##_uint64
#include "convert.inc"
