// What clang refuses for the whole file: kernels that launch kernels or call the host, exceptions.
// It is refused for the kernel that does it, with its place. The others of the file run.
// run: -k fine -b 1 'i32[4]'
// expect: x: i32[4] = [1, 0, 0, 0]
// run: -k parent -b 1 'i32[4]'
// status: 3
// stderr: refused-launches.cu:67:
// stderr: kernel 'parent': dynamic parallelism: a kernel cannot launch 'child'
// run: -k 'parent_of<int>' -b 1 'i32[4]'
// status: 3
// stderr: refused-launches.cu:77:
// stderr: kernel 'parent_of<int>': dynamic parallelism: a kernel cannot launch
// run: -k by_helper -b 1 'i32[4]'
// status: 3
// stderr: refused-launches.cu:82:
// stderr: kernel 'by_helper': dynamic parallelism: a kernel cannot launch 'child'
// run: -k itself -b 1 'i32[4]' 2
// status: 3
// stderr: kernel 'itself': dynamic parallelism: a kernel cannot launch 'itself'
// run: -k by_lambda -b 1 'i32[4]'
// status: 3
// stderr: kernel 'by_lambda': dynamic parallelism: a kernel cannot launch 'child'
// run: -k waits -b 1 'i32[4]'
// status: 3
// stderr: kernel 'waits': 'cudaDeviceSynchronize' is not in the kernel language: call it on the host
// run: -k allocates -b 1 'i64[4]'
// status: 3
// stderr: kernel 'allocates': 'cudaMalloc' is not in the kernel language: call it on the host
// run: -k by_both -b 1 'i32[4]'
// status: 3
// stderr: refused-launches.cu:118:
// stderr: kernel 'by_both': 'of_host' is a function of the host: declare it __device__
// run: -k by_checked -b 1 'i32[4]'
// status: 3
// stderr: kernel 'by_checked': 'throw' is not in the kernel language
// run: -k throws -b 1 'i32[4]'
// status: 3
// stderr: kernel 'throws': 'throw' is not in the kernel language
// run: -k tries -b 1 'i32[4]'
// status: 3
// stderr: kernel 'tries': 'try' is not in the kernel language
// run: -k 'constructs' -b 1 'i32[4]'
// status: 3
// stderr: refused-launches.cu:151:
// stderr: kernel 'constructs': 'of_host' is a function of the host
// run: -k unknown_assembly -b 1 'i32[4]'
// status: 3
// stderr: kernel 'unknown_assembly':
#include <stdexcept>
#include <string>
#include <vector>

__global__ void fine(int *x)
{
    x[0] = 1;
}

__global__ void child(int *x)
{
    x[threadIdx.x]++;
}

__global__ void parent(int *x)
{
    x[0] = 1;
    if (threadIdx.x == 0)
        child<<<1, 32>>>(x);
}

template <class T> __global__ void child_of(T *x)
{
    x[0]++;
}
template <class T> __global__ void parent_of(T *x)
{
    if (x[0])
        child_of<T><<<1, 32>>>(x);
}

__device__ void launch(int *x)
{
    child<<<1, 1, 0>>>(x);
}
__global__ void by_helper(int *x)
{
    launch(x);
}

__global__ void itself(int *x, int n)
{
    if (n)
        itself<<<1, 32>>>(x, n - 1);
    x[n] = 1;
}

__global__ void by_lambda(int *x)
{
    auto f = [&] { child<<<1, 32>>>(x); };
    f();
}

__global__ void waits(int *x)
{
    x[0] = cudaDeviceSynchronize();
}

__global__ void allocates(void **x)
{
    cudaMalloc(x, 4);
}

int of_host(int x)
{
    if (x < 0)
        throw std::runtime_error("below zero: " + std::to_string(x));
    return x;
}
__host__ __device__ int both(int x) { return of_host(x); }
__global__ void by_both(int *x)
{
    x[0] = both(x[0]);
}

__host__ __device__ int checked(int x)
{
    if (x < 0)
        throw x;
    return x;
}
__global__ void by_checked(int *x)
{
    x[0] = checked(x[0]);
}

__global__ void throws(int *x)
{
    if (x[0])
        throw 1;
}

__global__ void tries(int *x)
{
    try {
        x[0]++;
    } catch (...) {
    }
}

struct Number {
    int value;
    __host__ __device__ Number(int v) : value(of_host(v)) {}
};
__global__ void constructs(int *x)
{
    Number n(x[0]);
    x[1] = n.value;
}

/* Letters of PTX that the target lacks; functions that no kernel calls have any assembly. */
__global__ void unknown_assembly(unsigned short *x)
{
    unsigned short h;
    asm("no.such.f16.f32 %0, %1;" : "=h"(h) : "f"(1.0f));
    x[0] = h;
}
__device__ void unused(double d)
{
    unsigned short h;
    asm("no.such.f16.f64 %0, %1;" : "=h"(h) : "d"(d));
}
void of_x86(unsigned *a)
{
    asm volatile("cpuid" : "+a"(a[0]), "=b"(a[1]), "=c"(a[2]), "=d"(a[3]));
}

void host()
{
    std::vector<int> v(32);
    parent_of<int><<<1, 1>>>(v.data());
    parent<<<1, 1>>>(v.data());
    try {
        of_host(-1);
    } catch (const std::exception &) {
    }
}

// not under sanitizers: the clang program, which that build starts, refuses the whole file
