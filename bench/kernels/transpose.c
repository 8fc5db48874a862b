/* transpose - out[c][r] = a[r][c] through a tile in block memory, so that both sides are read and
 * written along their rows. A block moves 32 x 32 elements with 32 x 8 threads; the column more
 * keeps the threads of a warp in different banks on a GPU.
 */
#include <lanewise/kernel.h>

enum { TILE = 32, LINES = 8 };

KERNEL BLOCK(32, 8) void transpose(int rows, int cols, float out[cols][rows],
                                   const float a[rows][cols])
{
    SHARED float tile[TILE][TILE + 1];
    int x = thread_idx.x, y = thread_idx.y;
    int r = block_idx.y * TILE, c = block_idx.x * TILE;
    for (int k = 0; k < TILE; k += LINES)
        if (r + y + k < rows && c + x < cols)
            tile[y + k][x] = a[r + y + k][c + x];
    barrier();
    for (int k = 0; k < TILE; k += LINES)
        if (c + y + k < cols && r + x < rows)
            out[c + y + k][r + x] = tile[x][y + k];
}
