/* copy.c - a copy between any two strided views of one shape, and any two dtypes.
 *
 *     copy_words            both lie whole and in C order, no conversion: 16 bytes a thread
 *     move_rows_BYTES       no conversion: elements are moved as integers of 1, 2, 4 or 8 bytes
 *     move_tiles_BYTES      the same where the views' fastest axes differ: a transpose by tiles
 *     move_flat_BYTES       the same where rows are short: a thread an element
 *     convert_A             rows that lie whole, by way of A, a type that holds what is loaded
 *
 * launch   rows, convert: 32 threads, a block a part of ROW_PART elements of a row; flat: 32, a
 *          thread an element; tiles: 32 x 4 threads, a block a tile; words: any block
 * numeric  one rounding, as the language converts
 */
#include "element.h"
#include "view.h"

enum { ROW_THREADS = 32, ROW_PART = 1024, TILE = 32, LINES = 4 };

/* n words of 16 bytes */
KERNEL void copy_words(size_t n, const void *x, size_t from, void *out, size_t to)
{
    const float4 *source = (const float4 *)((const char *)x + from);
    float4 *target = (float4 *)((char *)out + to);
    const size_t step = (size_t)grid_dim.x * block_dim.x;

    for (size_t i = global_idx.x; i < n; i += step)
        target[i] = source[i];
}

#define T uint8_t
#define NAME(kernel) kernel##_1
#include "copy_move.inc"
#define T uint16_t
#define NAME(kernel) kernel##_2
#include "copy_move.inc"
#define T uint32_t
#define NAME(kernel) kernel##_4
#include "copy_move.inc"
#define T uint64_t
#define NAME(kernel) kernel##_8
#include "copy_move.inc"

#define LOAD load_real_float
#define STORE store_float
#define NAME(kernel) kernel##_float
#include "copy_convert.inc"
#define LOAD load_real_double
#define STORE store_double
#define NAME(kernel) kernel##_double
#include "copy_convert.inc"
#define LOAD load_int64
#define STORE store_int64
#define NAME(kernel) kernel##_int64
#include "copy_convert.inc"
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
#include "copy_convert.inc"
