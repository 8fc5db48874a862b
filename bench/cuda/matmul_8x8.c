/* matmul_8x8 - out = a b for matrices of n x n, n a multiple of 128: a block of 16 x 16 threads
 * computes 128 x 128 elements, each thread 8 x 8 of them, from tiles of 8 rows or columns in block
 * memory; while one pair of tiles is used the next is fetched into registers.
 */
#include <lanewise/kernel.h>

enum { SIDE = 16, TILE = 128, DEPTH = 8 };

KERNEL BLOCK(16, 16) void matmul_8x8(int n, float *out, const float *a, const float *b)
{
    SHARED float of_a[2][DEPTH][TILE], of_b[2][DEPTH][TILE];
    int x = thread_idx.x, y = thread_idx.y, me = y * SIDE + x;
    int row = me / 2, depth = me % 2 * 4;     /* what it fetches of a: 4 along a row */
    int line = me / 32, column = me % 32 * 4; /* and of b */
    const float *from_a = a + (size_t)(block_idx.y * TILE + row) * n + depth;
    const float *from_b = b + (size_t)line * n + block_idx.x * TILE + column;
    float sum[8][8] = {{0}};
    float4 next_a = *(const float4 *)from_a, next_b = *(const float4 *)from_b;
    for (int k = 0, now = 0; k < n; k += DEPTH, now ^= 1) {
        of_a[now][depth][row] = next_a.x;
        of_a[now][depth + 1][row] = next_a.y;
        of_a[now][depth + 2][row] = next_a.z;
        of_a[now][depth + 3][row] = next_a.w;
        *(float4 *)&of_b[now][line][column] = next_b;
        barrier();
        if (k + DEPTH < n) {
            from_a += DEPTH;
            from_b += (size_t)DEPTH * n;
            next_a = *(const float4 *)from_a;
            next_b = *(const float4 *)from_b;
        }
        for (int d = 0; d < DEPTH; d++) {
            float4 a0 = *(float4 *)&of_a[now][d][y * 4], a1 = *(float4 *)&of_a[now][d][64 + y * 4];
            float4 b0 = *(float4 *)&of_b[now][d][x * 4], b1 = *(float4 *)&of_b[now][d][64 + x * 4];
            float u[8] = {a0.x, a0.y, a0.z, a0.w, a1.x, a1.y, a1.z, a1.w};
            float v[8] = {b0.x, b0.y, b0.z, b0.w, b1.x, b1.y, b1.z, b1.w};
            for (int i = 0; i < 8; i++)
                for (int j = 0; j < 8; j++)
                    sum[i][j] = fma(u[i], v[j], sum[i][j]);
        }
    }
    for (int i = 0; i < 8; i++) {
        size_t r = (size_t)(block_idx.y * TILE + i / 4 * 64 + y * 4 + i % 4) * n;
        float *to = out + r + block_idx.x * TILE;
        *(float4 *)(to + x * 4) = (float4){sum[i][0], sum[i][1], sum[i][2], sum[i][3]};
        *(float4 *)(to + 64 + x * 4) = (float4){sum[i][4], sum[i][5], sum[i][6], sum[i][7]};
    }
}
