// Below sm_70 the lanes of a warp go step by step: code without __syncwarp() is right.
// run: --arch sm_60 -k warp_synchronous -b 64 'i32[64]=iota' 'i32[2]'
// expect: out: i32[2] = [2016, 600]
// run: --arch sm_35 -k old_scan -b 32 'i32[32]=iota'
// expect: x: i32[32] = [0, 1, 3, 6, 10, 15, 21, 28, 36, 45, 55, 66, 78, 91, 105, 120, 136, 153, 171, 190, 210, 231, 253, 276, 300, 325, 351, 378, 406, 435, 465, 496]
// run: --arch sm_60 -k reversed -b 32 'i32[32]=iota'
// expect: x: i32[32] = [31, 30, 29, 28, 27, 26, 25, 24, 23, 22, 21, 20, 19, 18, 17, 16, 15, 14, 13, 12, 11, 10, 9, 8, 7, 6, 5, 4, 3, 2, 1, 0]
// device: !check races are what it looks for
__device__ void warp_reduce(volatile int *s, int t)
{
    s[t] += s[t + 32];
    s[t] += s[t + 16];
    s[t] += s[t + 8];
    s[t] += s[t + 4];
    s[t] += s[t + 2];
    s[t] += s[t + 1];
}
__global__ void warp_synchronous(const int *in, int *out)
{
    __shared__ int s[96];
    const int t = threadIdx.x;
    s[t] = in[t];
    if (t < 32)
        s[64 + t] = 0;
    __syncthreads();
    if (t < 32)
        warp_reduce(s, t);
    if (t == 0)
        out[0] = s[0], out[1] = __CUDA_ARCH__;
}
__global__ void old_scan(int *x)
{
    __shared__ volatile int s[64];
    const int t = threadIdx.x;
    s[t] = 0;
    volatile int *p = s + 32;
    p[t] = x[t];
    p[t] = p[t] + p[t - 1];
    p[t] = p[t] + p[t - 2];
    p[t] = p[t] + p[t - 4];
    p[t] = p[t] + p[t - 8];
    p[t] = p[t] + p[t - 16];
    x[t] = p[t];
}
__global__ void reversed(int *x)
{
    __shared__ int s[32];
    s[threadIdx.x] = x[threadIdx.x];
    x[threadIdx.x] = s[31 - threadIdx.x];
}
