/* sgemm.cu - C = A B: a block does 64 x 64, a thread 4 x 4 of them, tiles in shared memory. */
#define TILE 64
#define DEEP 16
#define EACH 4

__global__ void sgemm(const float *__restrict__ a, const float *__restrict__ b,
                      float *__restrict__ c, int n)
{
    __shared__ float as[DEEP][TILE], bs[DEEP][TILE];
    int tx = threadIdx.x, ty = threadIdx.y, thread = ty * 16 + tx;
    int row = blockIdx.y * TILE, column = blockIdx.x * TILE;
    float sum[EACH][EACH] = {};
    for (int k = 0; k < n; k += DEEP) {
        for (int i = thread; i < TILE * DEEP; i += 256) {
            as[i % DEEP][i / DEEP] = a[(row + i / DEEP) * n + k + i % DEEP];
            bs[i / TILE][i % TILE] = b[(k + i / TILE) * n + column + i % TILE];
        }
        __syncthreads();
#pragma unroll
        for (int j = 0; j < DEEP; j++) {
            float x[EACH], y[EACH];
#pragma unroll
            for (int i = 0; i < EACH; i++) {
                x[i] = as[j][ty + 16 * i];
                y[i] = bs[j][tx + 16 * i];
            }
#pragma unroll
            for (int i = 0; i < EACH; i++)
#pragma unroll
                for (int l = 0; l < EACH; l++)
                    sum[i][l] += x[i] * y[l];
        }
        __syncthreads();
    }
    for (int i = 0; i < EACH; i++)
        for (int l = 0; l < EACH; l++)
            c[(row + ty + 16 * i) * n + column + tx + 16 * l] = sum[i][l];
}
