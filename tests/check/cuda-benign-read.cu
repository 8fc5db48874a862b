// The first read of a loop that compares and swaps, by a helper and for double: warnings.
// run: -k add -b 40 'u32[1]'
// finds: benign-read 9 12
// run: -k by_volatile -b 40 'u32[1]'
// run: -k add_double -g 2 -b 32 'f64[1]'
// finds: benign-read 27 30
__global__ void add(unsigned *sum)
{
    unsigned old = *sum, assumed;
    do {
        assumed = old;
        old = atomicCAS(sum, assumed, assumed + threadIdx.x);
    } while (old != assumed);
}

__global__ void by_volatile(unsigned *sum)
{
    unsigned old = *(volatile unsigned *)sum, assumed;
    do {
        assumed = old;
        old = atomicCAS(sum, assumed, assumed + threadIdx.x);
    } while (old != assumed);
}

__device__ double add_to(double *address, double value)
{
    unsigned long long *p = (unsigned long long *)address, old = *p, assumed;
    do {
        assumed = old;
        old = atomicCAS(p, assumed,
                        __double_as_longlong(value + __longlong_as_double(assumed)));
    } while (old != assumed);
    return __longlong_as_double(old);
}
__global__ void add_double(double *sum) { add_to(sum, threadIdx.x); }
