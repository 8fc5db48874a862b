/* The kernels of one attention step.
 *
 *     scores = q K^T     weights = softmax(scores)     output = weights V
 *
 * Rows R, columns C, inner length D; tensors carry their sizes, so no kernel needs them as numbers.
 */
#include <lanewise/kernel.h>

#define TILE 8

/* transpose - out[c,r] = in[r,c], so that reads and writes both run along rows of memory.
 * launch   block (TILE,TILE), grid (tiles of C, tiles of R)
 */
KERNEL BLOCK(TILE, TILE) void transpose(TENSOR(float, 2) out, CONST_TENSOR(float, 2) in)
{
    SHARED float part[TILE][TILE + 1]; /* one column more: a column is then spread over all banks */
    int row = block_idx.y * TILE + thread_idx.y;
    int column = block_idx.x * TILE + thread_idx.x;
    if (row < extent(in, 0) && column < extent(in, 1))
        part[thread_idx.y][thread_idx.x] = at(in, row, column);
    barrier();
    row = block_idx.x * TILE + thread_idx.y;
    column = block_idx.y * TILE + thread_idx.x;
    if (row < extent(out, 0) && column < extent(out, 1))
        at(out, row, column) = part[thread_idx.x][thread_idx.y];
}

/* matmul - c[r,c] = sum over d of a[r,d] b[d,c], tile by tile through block memory.
 * launch   block (TILE,TILE), grid (tiles of C, tiles of R)
 */
KERNEL BLOCK(TILE, TILE) void matmul(TENSOR(float, 2) c, CONST_TENSOR(float, 2) a,
                                     CONST_TENSOR(float, 2) b)
{
    SHARED_TENSOR(float, a_tile, TILE, TILE);
    SHARED_TENSOR(float, b_tile, TILE, TILE);
    int row = block_idx.y * TILE + thread_idx.y;
    int column = block_idx.x * TILE + thread_idx.x;

    float sum = 0;
    for (int t = 0; t * TILE < extent(a, 1); t++) {
        tile_load(a_tile, tile(a, TILE, TILE, block_idx.y, t)); /* zeros beyond the edge */
        tile_load(b_tile, tile(b, TILE, TILE, t, block_idx.x));
        barrier();
        for (int d = 0; d < TILE; d++)
            sum += 0; /* YOUR TURN: this thread's row of a_tile times its column of b_tile. */
        barrier();
    }
    if (row < extent(c, 0) && column < extent(c, 1))
        at(c, row, column) = sum;
}

/* softmax - y[i] = exp(x[i] - m) / sum over i of exp(x[i] - m), m the largest x; y may be x.
 * Subtracting m changes nothing but keeps exp from overflowing.
 * launch   one block of at least as many threads as x has elements
 */
KERNEL void softmax(TENSOR(float, 1) y, CONST_TENSOR(float, 1) x)
{
    int i = thread_idx.x;
    bool inside = i < extent(x, 0);
    float value = inside ? at(x, i) : -INFINITY;
    float power = value; /* YOUR TURN: exp of the value less the largest value. */
    float total = 1;     /* YOUR TURN: the sum of all powers. */
    if (inside)
        at(y, i) = power / total;
}
