/* lud.cu - a matrix as the product of a lower and an upper one, in place, by tiles. */
#define TILE 16

/* The tile on the diagonal, by one block of a tile's threads. */
__global__ void lud_diagonal(float *a, int n, int at)
{
    __shared__ float t[TILE][TILE + 1];
    int tx = threadIdx.x, ty = threadIdx.y;
    float *corner = a + at * n + at;
    t[ty][tx] = corner[ty * n + tx];
    __syncthreads();
    for (int k = 0; k < TILE - 1; k++) {
        if (tx == k && ty > k)
            t[ty][k] /= t[k][k];
        __syncthreads();
        if (ty > k && tx > k)
            t[ty][tx] -= t[ty][k] * t[k][tx];
        __syncthreads();
    }
    corner[ty * n + tx] = t[ty][tx];
}

/* The tiles to the right and below: 8 of each a block, a thread for a column or row. */
__global__ void lud_edges(float *a, int n, int at)
{
    __shared__ float d[TILE][TILE];
    int side = threadIdx.x / 128, tx = threadIdx.x % 128;
    d[threadIdx.x / TILE][threadIdx.x % TILE] =
        a[(at + threadIdx.x / TILE) * n + at + threadIdx.x % TILE];
    __syncthreads();
    int place = at + TILE + blockIdx.x * 128 + tx;
    if (place >= n)
        return;
    float v[TILE];
    if (side == 0) {
        for (int i = 0; i < TILE; i++) {
            v[i] = a[(at + i) * n + place];
            for (int k = 0; k < i; k++)
                v[i] -= d[i][k] * v[k];
            a[(at + i) * n + place] = v[i];
        }
    } else {
        for (int j = 0; j < TILE; j++) {
            v[j] = a[place * n + at + j];
            for (int k = 0; k < j; k++)
                v[j] -= v[k] * d[k][j];
            v[j] /= d[j][j];
            a[place * n + at + j] = v[j];
        }
    }
}

/* All others. */
__global__ void lud_inside(float *a, int n, int at)
{
    __shared__ float left[TILE][TILE], above[TILE][TILE];
    int tx = threadIdx.x, ty = threadIdx.y;
    int x = at + (blockIdx.x + 1) * TILE + tx, y = at + (blockIdx.y + 1) * TILE + ty;
    left[ty][tx] = a[y * n + at + tx];
    above[ty][tx] = a[(at + ty) * n + x];
    __syncthreads();
    float sum = 0;
    for (int k = 0; k < TILE; k++)
        sum += left[ty][k] * above[k][tx];
    a[y * n + x] -= sum;
}
