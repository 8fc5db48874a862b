/* Load two tiles together, use each element SIZE times, go on.
 *
 * The first barrier lets nobody read a tile that is not full. The second lets nobody load the next
 * one while others still read. The loop has the same number of rounds for all threads, so the
 * barriers are safe in it. Threads beyond the edge load zeros and wait like all.
 *
 * Fast libraries do the same twice: tiles in block memory, and in each thread a small tile in
 * registers.
 */
#include <lanewise/kernel.h>

#ifndef SIZE
#define SIZE 8
#endif

KERNEL BLOCK(SIZE, SIZE) void matmul(int rows, int cols, int inner, float out[rows][cols],
                                     const float a[rows][inner], const float b[inner][cols])
{
    SHARED float ta[SIZE][SIZE], tb[SIZE][SIZE];
    int x = thread_idx.x, y = thread_idx.y;
    int c = global_idx.x, r = global_idx.y;
    float sum = 0;

    for (int k = 0; k < inner; k += SIZE) {
        ta[y][x] = r < rows && k + x < inner ? a[r][k + x] : 0;
        tb[y][x] = k + y < inner && c < cols ? b[k + y][c] : 0;
        barrier();
        for (int j = 0; j < SIZE; j++)
            sum += ta[y][j] * tb[j][x];
        barrier();
    }

    if (r < rows && c < cols)
        out[r][c] = sum;
}
