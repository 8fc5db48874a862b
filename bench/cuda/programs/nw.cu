/* nw.cu - Needleman-Wunsch: scores of an alignment, from the upper left to the lower right.
 *
 * A launch does a diagonal of tiles. In a tile a thread has a column, and goes down it a step
 * behind its left neighbour. */
#define WIDE 128
#define HIGH 32

__global__ void nw(const int *__restrict__ alike, int *score, int n, int diagonal, int first,
                   int penalty)
{
    __shared__ int tile[HIGH + 1][WIDE + 1];
    __shared__ int likes[HIGH][WIDE];
    int tx = threadIdx.x, across = first + blockIdx.x, down = diagonal - across;
    int stride = n + 1;
    int *corner = score + down * HIGH * stride + across * WIDE;

    tile[0][tx + 1] = corner[tx + 1];
    if (tx <= HIGH)
        tile[tx][0] = corner[tx * stride];
    for (int row = 0; row < HIGH; row++)
        likes[row][tx] = alike[(down * HIGH + row) * n + across * WIDE + tx];
    __syncthreads();
    for (int step = 0; step < WIDE + HIGH - 1; step++) {
        int row = step - tx;
        if (row >= 0 && row < HIGH) {
            int by_both = tile[row][tx] + likes[row][tx];
            int by_one = max(tile[row][tx + 1], tile[row + 1][tx]) - penalty;
            tile[row + 1][tx + 1] = max(by_both, by_one);
        }
        __syncthreads();
    }
    for (int row = 1; row <= HIGH; row++)
        corner[row * stride + tx + 1] = tile[row][tx + 1];
}
