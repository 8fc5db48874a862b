/* matmul_4x4 - out = a b for matrices of rows x rows, rows a multiple of 64: a block of 16 x 16
 * threads computes 64 x 64 elements. A thread has four rows next to each other and four columns 16
 * apart, so that neighbours read and write neighbours; each value that it fetches serves four
 * times.
 */
#include <lanewise/kernel.h>

enum { SIDE = 16, EACH = 4, TILE = SIDE * EACH };

KERNEL BLOCK(16, 16) void matmul_4x4(int rows, float out[rows][rows], const float a[rows][rows],
                                     const float b[rows][rows])
{
    SHARED float left[TILE][SIDE], right[SIDE][TILE];
    int x = thread_idx.x, y = thread_idx.y;
    int r = block_idx.y * TILE, c = block_idx.x * TILE;
    float sum[EACH][EACH] = {{0}};
    for (int k = 0; k < rows; k += SIDE) {
        for (int i = 0; i < EACH; i++) {
            left[y + i * SIDE][x] = a[r + y + i * SIDE][k + x];
            right[y][x + i * SIDE] = b[k + y][c + x + i * SIDE];
        }
        barrier();
        for (int m = 0; m < SIDE; m++)
            for (int i = 0; i < EACH; i++)
                for (int j = 0; j < EACH; j++)
                    sum[i][j] = fma(left[y * EACH + i][m], right[m][x + j * SIDE], sum[i][j]);
        barrier();
    }
    for (int i = 0; i < EACH; i++)
        for (int j = 0; j < EACH; j++)
            out[r + y * EACH + i][c + x + j * SIDE] = sum[i][j];
}
