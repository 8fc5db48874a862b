/* rows.c - what is measured and what it has to reach: one entry a row of the table.
 */
#include "bench.h"

#define COUNT(list) (sizeof(list) / sizeof(list)[0])

/* ---- grids and outputs ----------------------------------------------------------------------- */

static uint32_t blocks_of(size_t n, size_t each)
{
    return (uint32_t)((n + each - 1) / each);
}

/* An element for each thread. */
static lw_dim3 grid_elements(const struct shape *s, lw_dim3 block, int threads)
{
    (void)threads;
    return lw_dim_1(blocks_of(s->n, (size_t)block.x * block.y));
}

/* A block for each worker. */
static lw_dim3 grid_workers(const struct shape *s, lw_dim3 block, int threads)
{
    (void)s, (void)block;
    return lw_dim_1((uint32_t)threads);
}

/* A thread for each column. */
static lw_dim3 grid_columns(const struct shape *s, lw_dim3 block, int threads)
{
    (void)threads;
    return lw_dim_1(blocks_of(s->cols, block.x));
}

static lw_dim3 grid_rows(const struct shape *s, lw_dim3 block, int threads)
{
    (void)block, (void)threads;
    return lw_dim_1((uint32_t)s->rows);
}

/* A thread for each element of a matrix. */
static lw_dim3 grid_matrix(const struct shape *s, lw_dim3 block, int threads)
{
    (void)threads;
    return lw_dim_2(blocks_of(s->cols, block.x), blocks_of(s->rows, block.y));
}

static lw_dim3 grid_tiles(const struct shape *s, size_t tile)
{
    return lw_dim_2(blocks_of(s->cols, tile), blocks_of(s->rows, tile));
}

static lw_dim3 grid_tiles_16(const struct shape *s, lw_dim3 block, int threads)
{
    (void)block, (void)threads;
    return grid_tiles(s, 16);
}

static lw_dim3 grid_tiles_32(const struct shape *s, lw_dim3 block, int threads)
{
    (void)block, (void)threads;
    return grid_tiles(s, 32);
}

static lw_dim3 grid_tiles_64(const struct shape *s, lw_dim3 block, int threads)
{
    (void)block, (void)threads;
    return grid_tiles(s, 64);
}

static size_t outputs_n(const struct shape *s)
{
    return s->n;
}

static size_t outputs_but_one(const struct shape *s)
{
    return s->n - 1;
}

static size_t outputs_but_two(const struct shape *s)
{
    return s->n - 2;
}

static size_t outputs_cols(const struct shape *s)
{
    return s->cols;
}

static size_t outputs_of_bodies(const struct shape *s)
{
    return 3 * s->cols;
}

double row_flops(const struct row *row, const struct shape *shape)
{
    double each = row->hand == HAND_MATMUL ? 2.0 * (double)shape->rows : row->flops;
    return each * (double)shape->n;
}

/* ---- the table ------------------------------------------------------------------------------- */

/* Shapes. A small one has a partial last block where the code by hand allows one. */
#define VECTOR(count) .full = {.n = count}, .small = {.n = 10000}
#define MATRIX(r, c, sr, sc)                                                                       \
    .full = {.n = (size_t)(r) * (c), .rows = r, .cols = c},                                        \
    .small = {.n = (size_t)(sr) * (sc), .rows = sr, .cols = sc}

#define AGAINST_HAND(avx512, avx2)                                                                 \
    {"avx512", 1, "ours", "hand", avx512, 0}, {"avx2", 1, "ours", "hand", avx2, 0}
#define AGAINST(peer, ratio) {"avx512", 1, "ours", peer, ratio, 0}
#define OTHER_BLOCKS {NULL, 1, "ours at any block", "ours", 0.80, 0}

#define DOT_ROW(row_name, row_title, count)                                                        \
    {                                                                                              \
        .name = row_name,                                                                          \
        .title = row_title,                                                                        \
        VECTOR(count),                                                                             \
        .kernel = "dot",                                                                           \
        .params = "oabn",                                                                          \
        .block = {256, 1, 1},                                                                      \
        .grid = grid_workers,                                                                      \
        .any_block = true,                                                                         \
        .team = true,                                                                              \
        .b = FLOAT_B,                                                                              \
        .reference = reference_dot,                                                                \
        .tolerance = 3e-4,                                                                         \
        .hand = HAND_DOT,                                                                          \
        .limit = {HAND_READ_TWO},                                                                  \
        .hand_needs = 0.95,                                                                        \
        .bytes = 8,                                                                                \
        .flops = 2,                                                                                \
        .blas = true,                                                                              \
        .targets = {AGAINST_HAND(0.95, 0.95),                                                      \
                    {"avx512", 2, "ours", "openblas", 1.9, 0},                                     \
                    {"avx512", 2, "ours", "limit", 0.93, 0},                                       \
                    OTHER_BLOCKS},                                                                 \
    }

const struct row bench_rows[] = {
    DOT_ROW("dot20", "dot, grid-stride and block_sum, 2^20", 1 << 20),
    DOT_ROW("dot24", "dot, grid-stride and block_sum, 2^24", 1 << 24),
    DOT_ROW("dot26", "dot, grid-stride and block_sum, 2^26", 1 << 26),
    {
        .name = "dot_tree",
        .title = "dot, an element a thread, tree with barriers, 2^24",
        VECTOR(1 << 24),
        .kernel = "dot_tree",
        .params = "oabn",
        .block = {256, 1, 1},
        .grid = grid_elements,
        .b = FLOAT_B,
        .reference = reference_dot,
        .tolerance = 3e-4,
        .hand = HAND_DOT,
        .limit = {HAND_READ_TWO},
        .hand_needs = 0.95,
        .bytes = 8,
        .flops = 2,
        .targets = {AGAINST_HAND(0.80, 0.75), AGAINST("pocl", 10)},
    },
    {
        .name = "dot_bool",
        .title = "dot of float and bool, 2^24",
        VECTOR(1 << 24),
        .kernel = "dot",
        .define = "T=bool",
        .params = "oabn",
        .block = {256, 1, 1},
        .grid = grid_workers,
        .any_block = true,
        .b = BOOL_B,
        .reference = reference_dot_bool,
        .tolerance = 3e-4,
        .hand = HAND_DOT_BOOL,
        .limit = {HAND_READ_BOOL},
        .hand_needs = 0.95,
        .bytes = 5,
        .flops = 2,
        .numpy = true,
        .targets = {AGAINST_HAND(0.90, 0.85), AGAINST("numpy", 4), OTHER_BLOCKS},
    },
    {
        .name = "difference",
        .title = "neighbour difference, 2^24",
        VECTOR(1 << 24),
        .kernel = "difference",
        .params = "oan",
        .block = {256, 1, 1},
        .grid = grid_elements,
        .any_block = true,
        .outputs = outputs_but_one,
        .reference = reference_difference,
        .tolerance = 1e-6,
        .hand = HAND_DIFFERENCE,
        .limit = {HAND_COPY},
        .hand_needs = 0.95,
        .bytes = 8,
        .flops = 1,
        .targets = {AGAINST_HAND(0.95, 0.95), OTHER_BLOCKS},
    },
    {
        .name = "average",
        .title = "moving average of three, 2^24",
        VECTOR(1 << 24),
        .kernel = "average",
        .params = "oan",
        .block = {256, 1, 1},
        .grid = grid_elements,
        .any_block = true,
        .outputs = outputs_but_two,
        .reference = reference_average,
        .tolerance = 1e-6,
        .hand = HAND_AVERAGE,
        .limit = {HAND_COPY},
        .hand_needs = 0.95,
        .bytes = 8,
        .flops = 3,
        .targets = {AGAINST_HAND(0.95, 0.95), OTHER_BLOCKS},
    },
    {
        .name = "normalise",
        .title = "mean normalisation in blocks of 128, 2^24",
        .full = {.n = 1 << 24},
        .small = {.n = 128 * 80},
        .kernel = "normalise",
        .params = "oan",
        .block = {128, 1, 1},
        .grid = grid_elements,
        .outputs = outputs_n,
        .reference = reference_normalise,
        .tolerance = 1e-5,
        .hand = HAND_NORMALISE,
        .limit = {HAND_COPY},
        .hand_needs = 0.95,
        .bytes = 8,
        .flops = 2,
        .targets = {AGAINST_HAND(0.95, 0.90), AGAINST("pocl", 8)},
    },
    {
        .name = "softmax",
        .title = "softmax of rows, 4096 x 1024, a block a row",
        MATRIX(4096, 1024, 10, 1024),
        .kernel = "softmax",
        .params = "rcoa",
        .block = {256, 1, 1},
        .grid = grid_rows,
        .any_block = true,
        .outputs = outputs_n,
        .reference = reference_softmax,
        .tolerance = 1e-6,
        .hand = HAND_SOFTMAX,
        .limit = {HAND_COPY, HAND_SOFTMAX_CACHED},
        .hand_needs = 0.85, /* within a row memory waits for arithmetic and the other way round */
        .bytes = 8,
        .flops = 19,
        .targets = {AGAINST_HAND(0.90, 0.85), AGAINST("pocl", 10), OTHER_BLOCKS},
    },
    {
        .name = "transpose",
        .title = "transpose, 4096 x 4096, tiles of 32 x 33, 32 x 8 threads",
        MATRIX(4096, 4096, 128, 64),
        .kernel = "transpose",
        .params = "rcoa",
        .block = {32, 8, 1},
        .grid = grid_tiles_32,
        .outputs = outputs_n,
        .reference = reference_transpose,
        .hand = HAND_TRANSPOSE,
        .limit = {HAND_COPY},
        .hand_needs = 0.50, /* each line of 64 bytes is in a page of its own on one side */
        .bytes = 8,
        .targets = {AGAINST_HAND(0.80, 0.75), AGAINST("pocl", 5)},
    },
    {
        .name = "scan",
        .title = "inclusive sums in blocks of 256, 2^24",
        .full = {.n = 1 << 24},
        .small = {.n = 256 * 40},
        .kernel = "scan",
        .params = "oan",
        .block = {256, 1, 1},
        .grid = grid_elements,
        .outputs = outputs_n,
        .reference = reference_scan,
        .tolerance = 1e-5,
        .hand = HAND_SCAN,
        .limit = {HAND_COPY},
        .hand_needs = 0.95,
        .bytes = 8,
        .flops = 1,
        .targets = {AGAINST_HAND(0.80, 0.75)},
    },
    {
        .name = "matmul",
        .title = "matmul, 512 x 512, tiles of 16 x 16",
        MATRIX(512, 512, 64, 64),
        .kernel = "matmul",
        .params = "roab",
        .block = {16, 16, 1},
        .grid = grid_tiles_16,
        .b = FLOAT_B,
        .outputs = outputs_n,
        .reference = reference_matmul,
        .tolerance = 1e-4,
        .hand = HAND_MATMUL,
        .limit = {HAND_PEAK},
        .hand_needs = 0.70, /* OpenBLAS is the measure; it reaches about 0.85 of the peak */
        .bytes = 12,
        .blas = true,
        .targets = {AGAINST("openblas", 0.50), AGAINST("pocl", 20)},
    },
    {
        .name = "matmul_4x4",
        .title = "matmul, 1024 x 1024, 4 x 4 outputs a thread",
        MATRIX(1024, 1024, 64, 64),
        .kernel = "matmul_4x4",
        .params = "roab",
        .block = {16, 16, 1},
        .grid = grid_tiles_64,
        .b = FLOAT_B,
        .outputs = outputs_n,
        .reference = reference_matmul,
        .tolerance = 1e-4,
        .hand = HAND_MATMUL,
        .limit = {HAND_PEAK},
        .hand_needs = 0.70,
        .bytes = 12,
        .blas = true,
        .targets = {AGAINST("openblas", 0.55)},
    },
    {
        .name = "mandelbrot",
        .title = "mandelbrot, 1024 x 768, up to 256 steps a pixel",
        MATRIX(768, 1024, 24, 64),
        .kernel = "mandelbrot",
        .params = "rco",
        .block = {16, 16, 1},
        .grid = grid_matrix,
        .outputs = outputs_n,
        .reference = reference_mandelbrot,
        .hand = HAND_MANDELBROT,
        .limit = {HAND_PEAK},
        .hand_needs = 0.30, /* nothing may be fused, and lanes wait for their neighbours */
        .scalar = HAND_MANDELBROT_SCALAR,
        .bytes = 4,
        .flops = 390, /* 8 a step, 49 steps a pixel on average */
        .targets = {AGAINST_HAND(0.85, 0.80),
                    {"avx512", 1, "ours", "scalar C", 9, 0},
                    {"avx2", 1, "ours", "scalar C", 5, 0}},
    },
    {
        .name = "nbody",
        .title = "all pairs of 4096 bodies, tiles of 256",
        MATRIX(4, 4096, 4, 512),
        .kernel = "nbody",
        .params = "coa",
        .block = {256, 1, 1},
        .grid = grid_columns,
        .outputs = outputs_of_bodies,
        .reference = reference_nbody,
        .tolerance = 1e-4,
        .hand = HAND_NBODY,
        .limit = {HAND_PEAK},
        .hand_needs = 0.50, /* not all of it is multiply-adds */
        .bytes = 7,
        .flops = 20 * 1024, /* a pair counts 20, as in the source; a body has 4 elements */
        .targets = {AGAINST_HAND(0.85, 0.80)},
    },
    {
        .name = "stencil",
        .title = "stencil of 5 points, 4096 x 4096, tiles of 16 x 16 with a halo",
        MATRIX(4096, 4096, 40, 72),
        .kernel = "stencil",
        .params = "rcoa",
        .block = {16, 16, 1},
        .grid = grid_matrix,
        .outputs = outputs_n,
        .reference = reference_stencil,
        .tolerance = 1e-6,
        .hand = HAND_STENCIL,
        .limit = {HAND_COPY},
        .hand_needs = 0.65, /* two lines of each four come again, from the second cache */
        .bytes = 8,
        .flops = 6,
        .targets = {{"avx512", 1, "ours", "hand", 0.80, 0}, AGAINST("pocl", 4)},
    },
    {
        .name = "layernorm",
        .title = "layernorm of rows, 4096 x 1024, a block a row",
        MATRIX(4096, 1024, 10, 1024),
        .kernel = "layernorm",
        .params = "rcoa",
        .block = {256, 1, 1},
        .grid = grid_rows,
        .outputs = outputs_n,
        .reference = reference_layernorm,
        .tolerance = 1e-5,
        .hand = HAND_LAYERNORM,
        .limit = {HAND_COPY},
        .hand_needs = 0.85, /* as softmax */
        .bytes = 8,
        .flops = 6,
        .targets = {AGAINST_HAND(0.90, 0.85)},
    },
    {
        .name = "attention_one",
        .title = "attention of one query to 8192 keys of 128, one block",
        MATRIX(8192, 128, 384, 128),
        .kernel = "attention_one",
        .params = "roab",
        .block = {128, 1, 1},
        .b = FLOAT_B,
        .outputs = outputs_cols,
        .reference = reference_attention_one,
        .tolerance = 1e-5,
        .hand = HAND_ATTENTION_ONE,
        .limit = {HAND_READ_TWO},
        .hand_needs = 0.75, /* the last cache gives 8 MiB nearly as fast as they are multiplied */
        .bytes = 8,
        .flops = 4,
        .targets = {{NULL, 1, "ours", "limit", 0.90, 0}},
    },
    {
        .name = "launch",
        .title = "empty launch and wait, stream idle",
        .kind = LAUNCH,
        .kernel = "empty",
        .targets = {{NULL, 1, "ours", NULL, 0, 2e-6}},
    },
    {
        .name = "build",
        .title = "build of a small kernel, with its first launch",
        .full = {.n = 256},
        .small = {.n = 256},
        .kind = BUILD,
        .kernel = "difference",
        .params = "oan",
        .targets = {{NULL, 1, "ours", NULL, 0, 90e-3}, {NULL, 1, "ours cached", NULL, 0, 2e-3}},
    },
    {
        .name = "limits",
        .title = "the machine: 2^24 floats, 2^27 flops",
        .kind = LIMITS,
        .full = {.n = 1 << 24},
        .small = {.n = 1 << 24},
        .b = FLOAT_B,
    },
};

const size_t bench_row_count = COUNT(bench_rows);
