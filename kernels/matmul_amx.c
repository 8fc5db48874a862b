/* matmul_amx.c - products of bfloat16 matrices for processors with AMX, whose sums may take their
 * terms in any order.
 *
 *     matmul_amx_float    a block makes `height` strips of SIDE rows, `width` of SIDE columns
 *
 * Of y, RUN terms of all its columns lie in block memory, two terms a word; of x, as many of one
 * strip. So do the sums, each square of SIDE rows and columns by itself. What a strip has beyond
 * the matrix is computed, and left alone. Strips and squares are as src/compile/cpu/amx.c has them.
 *
 * reads    x, y of bfloat16 whose rows' elements lie side by side, bias; writes out, and parts
 * numeric  docs/order.md, contractions: sums in any order
 */
#include "matmul.h"

#include "matmul_float.inc"
#include "matmul_finish.inc"

/* ORDER AMX: src/ops/matmul_launch.c */
enum {
    SIDE = 32,
    PAIRS = 16,         /* of terms, in a step */
    STEP = PAIRS * SIDE, /* words */
    RUN = 512,          /* terms */
    SQUARE = SIDE * SIDE
};

DEVICE static uint32_t pair(uint32_t first, uint32_t second)
{
    return first | second << 16;
}

/* Columns of y as strips next to each other; a thread has one column of each. */
DEVICE static void bring_columns(uint32_t *strips, const uint16_t *y, ptrdiff_t row_step,
                                 size_t terms, size_t steps, size_t columns)
{
    const size_t t = thread_idx.x, whole = columns / SIDE * SIDE;
    size_t k = 0;

    for (; k + 2 <= terms; k += 2, y += 2 * row_step) {
        uint32_t *to = strips + k / 2 * SIDE + t;
        size_t c = 0;
        for (; c < whole; c += SIDE, to += steps * STEP)
            *to = pair(y[c + t], y[row_step + (ptrdiff_t)(c + t)]);
        if (c < columns)
            *to = c + t < columns ? pair(y[c + t], y[row_step + (ptrdiff_t)(c + t)]) : 0;
    }
    for (; k < steps * 2 * PAIRS; k += 2) /* terms that are not there are 0 */
        for (size_t c = 0; c < columns; c += SIDE)
            strips[c * (steps * STEP / SIDE) + k / 2 * SIDE + t] =
                k < terms && c + t < columns ? y[c + t] : 0;
}

/* A strip of x, of which `rows` rows are there; a thread has one pair of terms of two steps. */
DEVICE static void bring_rows(uint32_t *strip, const uint16_t *x, ptrdiff_t row_step, size_t rows,
                              size_t terms)
{
    const size_t t = thread_idx.x;

    for (size_t r = 0; r < rows; r++, x += row_step) {
        uint32_t *to = strip + t / PAIRS * STEP + r * PAIRS + t % PAIRS;
        const uint16_t *from = x + 2 * t;
        size_t k = 0;
        for (; k + 4 * PAIRS <= terms; k += 4 * PAIRS, from += 4 * PAIRS, to += 2 * STEP)
            *to = pair(from[0], from[1]);
        if (k < terms)
            *to = pair(k + 2 * t < terms ? from[0] : 0, k + 2 * t + 1 < terms ? from[1] : 0);
    }
}

/* A square of sums goes to parts, or finished to out. */
DEVICE static void leave_square(const struct matmul *p, void *out, const float *bias, float *parts,
                                const float *sums, struct spot s, bool is_narrow)
{
    const size_t column = s.column + thread_idx.x, rows = min_size(p->m - s.row, SIDE);

    if (column >= p->n)
        return;
    if (p->nodes > 1) {
        parts += part_at(p, p->levels, s) + s.row * p->pitch + column;
        for (size_t r = 0; r < rows; r++)
            parts[r * p->pitch] = sums[r * SIDE + thread_idx.x];
        return;
    }
    const ptrdiff_t row_step = p->out.stride[2], step = p->out.stride[3];
    ptrdiff_t at = of_batch(p, p->out, s.batch) + (ptrdiff_t)s.row * row_step;
    for (size_t r = 0; r < rows; r++, at += row_step) {
        const float v =
            NAME(finish)(p, sums[r * SIDE + thread_idx.x], bias, s.batch, s.row + r, column);
        if (is_narrow && step == 1)
            ((bfloat16 *)out)[at + (ptrdiff_t)column] = (bfloat16)v;
        else if (is_narrow)
            ((bfloat16 *)out)[at + (ptrdiff_t)column * step] = (bfloat16)v;
        else if (step == 1)
            ((float *)out)[at + (ptrdiff_t)column] = v;
        else
            ((float *)out)[at + (ptrdiff_t)column * step] = v;
    }
}

/* is_narrow   out is of bfloat16, else of float; parts always are
 * launch      SIDE threads; blocks by spot_of; block memory for width strips of y, one of x, and
 *             height width squares */
KERNEL BLOCK(SIDE) void matmul_amx_float(struct matmul p, void *out, const void *x, const void *y,
                                         const void *bias, void *parts, size_t height, size_t width,
                                         bool is_narrow)
{
    DYNAMIC_SHARED(uint32_t, amx_memory);
    uint32_t *strip_x = amx_memory, *strips_y = strip_x + RUN / 2 * SIDE;
    float *sums = (float *)(strips_y + width * RUN / 2 * SIDE);
    struct spot s = spot_of(block_idx.x, (p.n + width * SIDE - 1) / (width * SIDE),
                            (p.m + height * SIDE - 1) / (height * SIDE), p.batches);
    s.column *= width * SIDE;
    s.row *= height * SIDE;
    const size_t rows = min_size(p.m - s.row, height * SIDE),
                 columns = min_size(p.n - s.column, width * SIDE);
    const size_t begin = s.node * p.group * CHAIN, end = min_size(p.k, begin + p.group * CHAIN);
    const uint16_t *lines =
        (const uint16_t *)x + of_batch(&p, p.x, s.batch) + (ptrdiff_t)s.row * p.x.stride[2];
    const uint16_t *stacks =
        (const uint16_t *)y + of_batch(&p, p.y, s.batch) + (ptrdiff_t)s.column;

    width = (columns + SIDE - 1) / SIDE;
    for (size_t i = thread_idx.x; i < (rows + SIDE - 1) / SIDE * width * SQUARE; i += SIDE)
        sums[i] = 0;
    for (size_t k = begin; k < end; k += RUN) {
        const size_t terms = min_size(end - k, RUN), steps = (terms + 2 * PAIRS - 1) / (2 * PAIRS);
        bring_columns(strips_y, stacks + (ptrdiff_t)k * p.y.stride[2], p.y.stride[2], terms, steps,
                      columns);
        for (size_t r = 0; r < rows; r += SIDE) {
            bring_rows(strip_x, lines + (ptrdiff_t)r * p.x.stride[2] + k, p.x.stride[2],
                       min_size(rows - r, SIDE), terms);
            barrier();
            lw__amx_products(sums + r / SIDE * width * SQUARE, strip_x, strips_y, steps, width);
            barrier();
        }
    }
    const struct spot corner = s;
    for (size_t r = 0; r < rows; r += SIDE)
        for (size_t c = 0; c < columns; c += SIDE, sums += SQUARE) {
            s.row = corner.row + r;
            s.column = corner.column + c;
            leave_square(&p, out, bias, parts, sums, s, is_narrow);
        }
}
