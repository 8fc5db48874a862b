/* shapes.c - grids and counts that follow from a row's shape.
 */
#include "bench.h"

/* ---- grids ----------------------------------------------------------------------------------- */

static uint32_t blocks_of(size_t n, size_t each)
{
    return (uint32_t)((n + each - 1) / each);
}

/* An element for each thread. */
lw_dim3 grid_elements(const struct shape *s, lw_dim3 block, int threads)
{
    (void)threads;
    return lw_dim_1(blocks_of(s->n, (size_t)block.x * block.y));
}

/* A block for each worker. */
lw_dim3 grid_workers(const struct shape *s, lw_dim3 block, int threads)
{
    (void)s, (void)block;
    return lw_dim_1((uint32_t)threads);
}

/* A thread for each column. */
lw_dim3 grid_columns(const struct shape *s, lw_dim3 block, int threads)
{
    (void)threads;
    return lw_dim_1(blocks_of(s->cols, block.x));
}

lw_dim3 grid_rows(const struct shape *s, lw_dim3 block, int threads)
{
    (void)block, (void)threads;
    return lw_dim_1((uint32_t)s->rows);
}

/* A thread for each element of a matrix. */
lw_dim3 grid_matrix(const struct shape *s, lw_dim3 block, int threads)
{
    (void)threads;
    return lw_dim_2(blocks_of(s->cols, block.x), blocks_of(s->rows, block.y));
}

static lw_dim3 grid_tiles(const struct shape *s, size_t tile)
{
    return lw_dim_2(blocks_of(s->cols, tile), blocks_of(s->rows, tile));
}

lw_dim3 grid_tiles_16(const struct shape *s, lw_dim3 block, int threads)
{
    (void)block, (void)threads;
    return grid_tiles(s, 16);
}

lw_dim3 grid_tiles_32(const struct shape *s, lw_dim3 block, int threads)
{
    (void)block, (void)threads;
    return grid_tiles(s, 32);
}

lw_dim3 grid_tiles_64(const struct shape *s, lw_dim3 block, int threads)
{
    (void)block, (void)threads;
    return grid_tiles(s, 64);
}

/* A warp for each row. */
lw_dim3 grid_warps(const struct shape *s, lw_dim3 block, int threads)
{
    (void)threads;
    return lw_dim_1(blocks_of(s->rows * LW_WARP_SIZE, block.x));
}

/* A thread for each row of each matrix. */
lw_dim3 grid_matrices(const struct shape *s, lw_dim3 block, int threads)
{
    (void)threads;
    return lw_dim_2(blocks_of(s->rows, block.x), (uint32_t)(s->n / (s->rows * s->cols)));
}

/* ---- counts of values ------------------------------------------------------------------------ */

size_t count_n(const struct shape *s)
{
    return s->n;
}

size_t count_but_one(const struct shape *s)
{
    return s->n - 1;
}

size_t count_but_two(const struct shape *s)
{
    return s->n - 2;
}

size_t count_cols(const struct shape *s)
{
    return s->cols;
}

size_t count_pulls(const struct shape *s)
{
    return 3 * s->cols;
}

size_t count_rows(const struct shape *s)
{
    return s->rows;
}

size_t count_bins(const struct shape *s)
{
    (void)s;
    return 256;
}

/* ---- arithmetic ------------------------------------------------------------------------------ */

double row_flops(const struct row *row, const struct shape *shape)
{
    double each = row->hand == HAND_MATMUL ? 2.0 * (double)shape->rows : row->flops;
    return each * (double)shape->n;
}
