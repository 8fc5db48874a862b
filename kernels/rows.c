/* rows.c - copies between two strided views of one shape and dtype, row by row. Elements are moved
 * as integers of 1, 2, 4 or 8 bytes.
 *
 *     copy_words            both lie whole and in C order: 16 bytes a thread
 *     move_rows_BYTES       any rows
 *
 * launch   rows: 32 threads, a block a part of ROW_PART elements of `each` rows; words: any block
 */
#include "view.h"

enum { ROW_THREADS = 32, ROW_PART = 1024 }; /* ORDER COPY: src/ops/copy.c */

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
#include "rows.inc"
#define T uint16_t
#define NAME(kernel) kernel##_2
#include "rows.inc"
#define T uint32_t
#define NAME(kernel) kernel##_4
#include "rows.inc"
#define T uint64_t
#define NAME(kernel) kernel##_8
#include "rows.inc"
