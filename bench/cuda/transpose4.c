/* transpose4 - out[c][r] = a[r][c], as kernels/transpose.c, but 64 x 64 elements a block, which are
 * read and written in rows of 256 bytes by 16 bytes a thread: a GPU's memory likes long rows.
 * rows and cols are multiples of TILE.
 */
#include <lanewise/kernel.h>

enum { TILE = 64, LINES = 16 };

KERNEL BLOCK(16, 16) void transpose4(int rows, int cols, float4 *out, const float4 *a)
{
    SHARED float tile[TILE][TILE + 1];
    int x = thread_idx.x, y = thread_idx.y;
    size_t r = (size_t)block_idx.y * TILE, c = (size_t)block_idx.x * TILE;
#pragma unroll
    for (int k = y; k < TILE; k += LINES) {
        float4 v = a[((r + k) * cols + c) / 4 + x];
        tile[k][4 * x] = v.x;
        tile[k][4 * x + 1] = v.y;
        tile[k][4 * x + 2] = v.z;
        tile[k][4 * x + 3] = v.w;
    }
    barrier();
#pragma unroll
    for (int k = y; k < TILE; k += LINES)
        out[((c + k) * rows + r) / 4 + x] =
            (float4){tile[4 * x][k], tile[4 * x + 1][k], tile[4 * x + 2][k], tile[4 * x + 3][k]};
}
