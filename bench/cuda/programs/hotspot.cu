/* hotspot.cu - a step of the heat in a chip: a tile with its halo in shared memory. */
#define TX 32
#define TY 8

__global__ void hotspot(const float *__restrict__ power, const float *__restrict__ from,
                        float *__restrict__ to, int n, float rx, float ry, float rz, float step)
{
    __shared__ float tile[TY + 2][TX + 2];
    int x = blockIdx.x * TX + threadIdx.x, y = blockIdx.y * TY + threadIdx.y;
    int tx = threadIdx.x + 1, ty = threadIdx.y + 1;
    bool is_inside = x < n && y < n;
    if (is_inside) {
        tile[ty][tx] = from[y * n + x];
        if (threadIdx.x == 0)
            tile[ty][0] = from[y * n + max(x - 1, 0)];
        if (threadIdx.x == TX - 1 || x == n - 1)
            tile[ty][tx + 1] = from[y * n + min(x + 1, n - 1)];
        if (threadIdx.y == 0)
            tile[0][tx] = from[max(y - 1, 0) * n + x];
        if (threadIdx.y == TY - 1 || y == n - 1)
            tile[ty + 1][tx] = from[min(y + 1, n - 1) * n + x];
    }
    __syncthreads();
    if (is_inside) {
        float here = tile[ty][tx];
        float change = power[y * n + x] + (tile[ty + 1][tx] + tile[ty - 1][tx] - 2.0f * here) * ry +
                       (tile[ty][tx + 1] + tile[ty][tx - 1] - 2.0f * here) * rx +
                       (80.0f - here) * rz;
        to[y * n + x] = here + step * change;
    }
}
