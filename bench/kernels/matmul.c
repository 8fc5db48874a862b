/* matmul - out = a b for matrices of rows x rows, rows a multiple of 16: a block computes 16 x 16
 * elements, each thread one, from tiles that the block shares.
 */
#include <lanewise/kernel.h>

enum { TILE = 16 };

KERNEL BLOCK(16, 16) void matmul(int rows, float out[rows][rows], const float a[rows][rows],
                                 const float b[rows][rows])
{
    SHARED float left[TILE][TILE], right[TILE][TILE];
    int x = thread_idx.x, y = thread_idx.y;
    int r = block_idx.y * TILE + y, c = block_idx.x * TILE + x;
    float sum = 0;
    for (int k = 0; k < rows; k += TILE) {
        left[y][x] = a[r][k + x];
        right[y][x] = b[k + y][c];
        barrier();
        for (int i = 0; i < TILE; i++)
            sum = fma(left[y][i], right[i][x], sum);
        barrier();
    }
    out[r][c] = sum;
}
