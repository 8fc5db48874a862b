/* scan.cu - sums of all elements up to each: four a thread, shuffles, then the blocks' sums. */
#define BLOCK 256
#define EACH 4

__device__ int scan_block(int value, int *of_warp)
{
    int lane = threadIdx.x % 32, warp = threadIdx.x / 32;
    for (int by = 1; by < 32; by *= 2) {
        int before = __shfl_up_sync(0xffffffff, value, by);
        if (lane >= by)
            value += before;
    }
    if (lane == 31)
        of_warp[warp] = value;
    __syncthreads();
    if (warp == 0) {
        int sum = lane < BLOCK / 32 ? of_warp[lane] : 0;
        for (int by = 1; by < BLOCK / 32; by *= 2) {
            int before = __shfl_up_sync(0xffffffff, sum, by);
            if (lane >= by)
                sum += before;
        }
        if (lane < BLOCK / 32)
            of_warp[lane] = sum;
    }
    __syncthreads();
    return warp > 0 ? value + of_warp[warp - 1] : value;
}

/* n is a multiple of 1024. */
__global__ void scan_tiles(const int4 *__restrict__ x, int4 *__restrict__ y, int *sums)
{
    __shared__ int of_warp[32];
    int i = blockIdx.x * BLOCK + threadIdx.x;
    int4 v = x[i];
    v.y += v.x;
    v.z += v.y;
    v.w += v.z;
    int upto = scan_block(v.w, of_warp), before = upto - v.w;
    y[i] = make_int4(v.x + before, v.y + before, v.z + before, upto);
    if (threadIdx.x == BLOCK - 1)
        sums[blockIdx.x] = upto;
}

/* The sums of up to 256 * each tiles, in place, by one block. */
__global__ void scan_sums(int *sums, int n)
{
    __shared__ int of_warp[32];
    int carry = 0;
    for (int from = 0; from < n; from += BLOCK) {
        int i = from + threadIdx.x;
        int upto = carry + scan_block(i < n ? sums[i] : 0, of_warp);
        if (i < n)
            sums[i] = upto;
        carry += of_warp[BLOCK / 32 - 1];
        __syncthreads();
    }
}

__global__ void scan_add(int4 *y, const int *__restrict__ sums)
{
    int i = (blockIdx.x + 1) * BLOCK + threadIdx.x, before = sums[blockIdx.x];
    int4 v = y[i];
    y[i] = make_int4(v.x + before, v.y + before, v.z + before, v.w + before);
}
