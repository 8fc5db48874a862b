// Host code may hold kernels in variables, arrays and template arguments; a static variable of the
// device, also a function's, is one.
// run: -k one -b 4 'i32[4]=iota'
// expect: x: i32[4] = [1, 2, 3, 4]
// run: -k 'many<int, 2>' -b 4 'i32[4]=iota'
// expect: x: i32[4] = [0, 2, 4, 6]
// run: -k counts -b 1 'i32[2]'
// expect: x: i32[2] = [6, 1]
static __device__ int total = 5;

__global__ void one(int *x) { x[threadIdx.x]++; }
template <class T, int N> __global__ void many(T *x) { x[threadIdx.x] *= N; }

__global__ void counts(int *x)
{
    static __device__ int calls;
    x[0] = total += 1;
    x[1] = calls += 1;
}

typedef void (*kernel_type)(int *);
static kernel_type all[] = {one, many<int, 2>, &counts};
template <kernel_type K> void start(int *x) { K<<<1, 4>>>(x); }

int main()
{
    void (*first)(int *) = one;
    kernel_type second = many<int, 3>;
    first<<<1, 4>>>(nullptr);
    (*second)<<<1, 4>>>(nullptr);
    all[1]<<<1, 4>>>(nullptr);
    start<one>(nullptr);
    start<many<int, 5>>(nullptr);
    cudaFuncAttributes attributes;
    cudaFuncGetAttributes(&attributes, one);
    return cudaLaunchKernel((const void *)one, 1, 4, nullptr, 0, 0);
}
