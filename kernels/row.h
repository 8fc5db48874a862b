/* row.h - sums along rows in the order of docs/order.md, a warp a row or a leaf. Thread t is the
 * lanes t and t + 32 of a leaf; later it is leaf t of the row.
 */
#ifndef LW_KERNELS_ROW_H
#define LW_KERNELS_ROW_H
#include "view.h"

enum { LEAF = 1024, TERMS = LEAF / WARP_SIZE, ROW_LEAVES = WARP_SIZE };

/* The row, or whatever else, that a warp is for: blocks are 32 threads wide. */
DEVICE static size_t warp_index(void)
{
    return (size_t)block_idx.x * block_dim.y + thread_idx.y;
}

/* load_real(x, type, i): an element of a floating type; f64 only through load_f64. */
DEVICE static float load_real_float(const void *x, int type, size_t i)
{
    if (type == DT_F32)
        return ((const float *)x)[i];
    if (type == DT_F16)
        return ((const _Float16 *)x)[i];
    return ((const __bf16 *)x)[i];
}
DEVICE static double load_real_double(const void *x, int type, size_t i)
{
    (void)type;
    return ((const double *)x)[i];
}

/* One rounding, to any floating type. */
DEVICE static void store_real_float(void *out, int type, size_t i, float v)
{
    if (type == DT_F32)
        ((float *)out)[i] = v;
    else if (type == DT_F16)
        ((_Float16 *)out)[i] = (_Float16)v;
    else if (type == DT_BF16)
        ((__bf16 *)out)[i] = (__bf16)v;
    else
        ((double *)out)[i] = v;
}
DEVICE static void store_real_double(void *out, int type, size_t i, double v)
{
    if (type == DT_F64)
        ((double *)out)[i] = v;
    else if (type == DT_F32)
        ((float *)out)[i] = (float)v;
    else if (type == DT_F16)
        ((_Float16 *)out)[i] = (_Float16)v;
    else
        ((__bf16 *)out)[i] = (__bf16)v;
}
#endif
