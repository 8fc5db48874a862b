/* pathfinder.cu - the cheapest way down a grid of costs, a step left or right with each row.
 *
 * A launch does `steps` rows: each block has a stretch of columns with a halo in shared memory, and
 * one column fewer on both sides is right after each row. */
#define BLOCK 256

__global__ void pathfinder(const int *__restrict__ cost, const int *__restrict__ from,
                           int *__restrict__ to, int columns, int first_row, int steps)
{
    __shared__ int best[2][BLOCK];
    int tx = threadIdx.x;
    int column = blockIdx.x * (BLOCK - 2 * steps) + tx - steps;
    bool is_inside = column >= 0 && column < columns;
    int now = 0;
    best[0][tx] = is_inside ? from[column] : 0x7fffffff;
    __syncthreads();
    for (int step = 0; step < steps; step++) {
        int least = 0x7fffffff;
        if (is_inside) {
            int left = tx > 0 ? best[now][tx - 1] : 0x7fffffff;
            int right = tx < BLOCK - 1 ? best[now][tx + 1] : 0x7fffffff;
            least =
                min(min(left, right), best[now][tx]) + cost[(first_row + step) * columns + column];
        }
        now = 1 - now;
        best[now][tx] = least;
        __syncthreads();
    }
    if (is_inside && tx >= steps && tx < BLOCK - steps)
        to[column] = best[now][tx];
}
