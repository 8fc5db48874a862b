/* Both accesses to global memory run along rows; the turn is made in block memory.
 *
 * In the second half x and y have changed their parts: x, in which the lanes of a warp are
 * neighbours, now counts rows of `in`, which are the columns of `out`. The row of 33 words puts
 * the words of a column into 32 different banks. One word of each row is never used.
 */
#include <lanewise/kernel.h>

#ifndef SIZE
#define SIZE 32
#endif

KERNEL BLOCK(SIZE, SIZE) void transpose(int rows, int cols, float out[cols][rows],
                                        const float in[rows][cols])
{
    SHARED float tile[SIZE][SIZE + 1];
    int x = thread_idx.x, y = thread_idx.y;

    int r = block_idx.y * SIZE + y, c = block_idx.x * SIZE + x;
    if (r < rows && c < cols)
        tile[y][x] = in[r][c];
    barrier();

    r = block_idx.y * SIZE + x;
    c = block_idx.x * SIZE + y;
    if (r < rows && c < cols)
        out[c][r] = tile[x][y];
}
