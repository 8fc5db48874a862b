// Indices of bytes and conditions are any number of their width; only words are taken not to wrap.
// run: -k bytes -b 4 'u8[4]=0,127,128,255' 'i32[4]'
// expect: out: i32[4] = [1, 1, 1, 1]
// run: -k conditions -b 32 'i32[2]'
// expect: out: i32[2] = [31, 30]
// run: -k back -b 4 'i32[4]=iota' 'i32[4]' 4
// expect: out: i32[4] = [3, 0, 1, 2]
__global__ void bytes(const unsigned char *keys, int *out)
{
    __shared__ int table[256];
    for (int i = threadIdx.x; i < 256; i += blockDim.x)
        table[i] = 0;
    __syncthreads();
    atomicAdd(&table[keys[threadIdx.x]], 1);
    __syncthreads();
    out[threadIdx.x] = table[keys[threadIdx.x]];
}

__global__ void conditions(int *out)
{
    if (threadIdx.x >= 30)
        out[threadIdx.x % 3 == 0] = threadIdx.x;
}

__global__ void back(const int *in, int *out, unsigned n)
{
    out[threadIdx.x] = in[threadIdx.x + n - 1 < n ? threadIdx.x + n - 1 : threadIdx.x - 1];
}
