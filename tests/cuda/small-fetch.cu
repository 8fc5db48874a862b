// cuda::atomic_ref and cuda::atomic of 8 and 16 bits compute, too, and wrap as their type does.
// run: -k sums -b 64 'i16[1]=32767' 'u8[1]' 'i8[3]' 'u16[3]=65535,0,0'
// expect: shorts: i16[1] = [-32705]
// expect: bytes: u8[1] = [192]
// expect: extremes: i8[3] = [-32, 31, -100]
// expect: bits: u16[3] = [65472, 63, 0]
// run: -k object -b 8 'i32[2]'
// expect: out: i32[2] = [4, -4]
#include <cuda/atomic>

template <class T> using in_device = cuda::atomic_ref<T, cuda::thread_scope_device>;

__global__ void sums(short *shorts, unsigned char *bytes, signed char *extremes,
                     unsigned short *bits)
{
    const int i = threadIdx.x;
    in_device<short>(shorts[0]).fetch_add(1);
    in_device<unsigned char>(bytes[0]).fetch_sub(1, cuda::memory_order_relaxed);
    in_device<signed char>(extremes[0]).fetch_min(i - 32);
    in_device<signed char>(extremes[1]).fetch_max(i - 32);
    if (i == 0)
        in_device<signed char>(extremes[2]) -= 100;
    in_device<unsigned short>(bits[0]).fetch_and(~i);
    in_device<unsigned short>(bits[1]).fetch_or(i);
    in_device<unsigned short>(bits[2]).fetch_xor(i);
}

__global__ void object(int *out)
{
    __shared__ cuda::atomic<short, cuda::thread_scope_block> up, down;
    if (threadIdx.x == 0)
        up = 0, down = 0;
    __syncthreads();
    if (threadIdx.x % 2)
        ++up;
    else
        --down;
    __syncthreads();
    if (threadIdx.x == 0)
        out[0] = up, out[1] = down;
}
