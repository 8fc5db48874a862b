/* srad.cu - diffusion that takes the speckle from an image and leaves its edges. */
#define BLOCK 256

/* sums[2 * block]: the sum and the sum of squares of the block's pixels. */
__global__ void srad_sums(const float *__restrict__ image, float *sums, int pixels)
{
    __shared__ float a[BLOCK], b[BLOCK];
    int tx = threadIdx.x;
    float sum = 0, squares = 0;
    for (int i = blockIdx.x * BLOCK + tx; i < pixels; i += gridDim.x * BLOCK) {
        float v = image[i];
        sum += v;
        squares += v * v;
    }
    a[tx] = sum;
    b[tx] = squares;
    __syncthreads();
    for (int half = BLOCK / 2; half > 0; half /= 2) {
        if (tx < half) {
            a[tx] += a[tx + half];
            b[tx] += b[tx + half];
        }
        __syncthreads();
    }
    if (tx == 0) {
        sums[2 * blockIdx.x] = a[0];
        sums[2 * blockIdx.x + 1] = b[0];
    }
}

__global__ void srad_variance(const float *__restrict__ sums, float *variance, int blocks,
                              int pixels)
{
    float sum = 0, squares = 0;
    for (int i = threadIdx.x; i < blocks; i += 32) {
        sum += sums[2 * i];
        squares += sums[2 * i + 1];
    }
    for (int by = 16; by > 0; by /= 2) {
        sum += __shfl_down_sync(0xffffffff, sum, by);
        squares += __shfl_down_sync(0xffffffff, squares, by);
    }
    if (threadIdx.x == 0) {
        float mean = sum / pixels;
        *variance = (squares / pixels - mean * mean) / (mean * mean);
    }
}

__global__ void srad_coefficients(const float *__restrict__ image, float *__restrict__ c,
                                  const float *__restrict__ variance, int rows, int columns)
{
    int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
    if (x >= columns || y >= rows)
        return;
    float q0 = *variance, v = image[y * columns + x];
    float north = image[max(y - 1, 0) * columns + x] - v;
    float south = image[min(y + 1, rows - 1) * columns + x] - v;
    float west = image[y * columns + max(x - 1, 0)] - v;
    float east = image[y * columns + min(x + 1, columns - 1)] - v;
    float g = (north * north + south * south + west * west + east * east) / (v * v);
    float l = (north + south + west + east) / v;
    float d = 1.0f + 0.25f * l;
    float q = (0.5f * g - 0.0625f * l * l) / (d * d);
    float k = 1.0f / (1.0f + (q - q0) / (q0 * (1.0f + q0)));
    c[y * columns + x] = fminf(fmaxf(k, 0.0f), 1.0f);
}

__global__ void srad_update(const float *__restrict__ from, float *__restrict__ to,
                            const float *__restrict__ c, int rows, int columns, float rate)
{
    int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
    if (x >= columns || y >= rows)
        return;
    int below = min(y + 1, rows - 1), right = min(x + 1, columns - 1);
    float v = from[y * columns + x], here = c[y * columns + x];
    float north = from[max(y - 1, 0) * columns + x] - v;
    float south = from[below * columns + x] - v;
    float west = from[y * columns + max(x - 1, 0)] - v;
    float east = from[y * columns + right] - v;
    float spread =
        here * (north + west) + c[below * columns + x] * south + c[y * columns + right] * east;
    to[y * columns + x] = v + 0.25f * rate * spread;
}
