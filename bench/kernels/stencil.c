/* stencil - a step of diffusion on a (rows,cols): half of each value stays, each of the four
 * neighbours gives an eighth of its own; the edges keep theirs. A block has 16 x 16 values and the
 * ring around them, its halo, in block memory.
 */
#include <lanewise/kernel.h>

enum { TILE = 16 };

KERNEL BLOCK(TILE, TILE) void stencil(int rows, int cols, float out[rows][cols],
                                      const float a[rows][cols])
{
    SHARED float tile[TILE + 2][TILE + 2];
    int c = global_idx.x, r = global_idx.y;
    int x = thread_idx.x + 1, y = thread_idx.y + 1;
    bool is_inside = r < rows && c < cols;
    if (is_inside) {
        tile[y][x] = a[r][c];
        if (y == 1 && r > 0)
            tile[0][x] = a[r - 1][c];
        if (y == TILE && r + 1 < rows)
            tile[TILE + 1][x] = a[r + 1][c];
        if (x == 1 && c > 0)
            tile[y][0] = a[r][c - 1];
        if (x == TILE && c + 1 < cols)
            tile[y][TILE + 1] = a[r][c + 1];
    }
    barrier();
    if (!is_inside)
        return;
    float mine = tile[y][x];
    if (r > 0 && r + 1 < rows && c > 0 && c + 1 < cols)
        mine = 0.5f * mine +
               0.125f * ((tile[y - 1][x] + tile[y + 1][x]) + (tile[y][x - 1] + tile[y][x + 1]));
    out[r][c] = mine;
}
