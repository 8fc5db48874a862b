// What the language lacks is refused for the kernel that uses it, by a helper, too. The others run.
// run: -k good -b 4 'i32[4]=iota'
// expect: x: i32[4] = [1, 2, 3, 4]
// run: -k recursive -b 1 'i32[1]'
// status: 3
// stderr: refused.cu:20:
// stderr: kernel 'recursive': recursion: 'fib' calls itself
// run: -k grows -b 1 'i32[1]'
// status: 3
// stderr: kernel 'grows': 
// run: -k by_reference -b 1 1
// status: 3
// stderr: kernel 'by_reference': parameter 'x'
// stderr: a reference is to the host's memory
#include <cstdio>

__global__ void good(int *x) { x[threadIdx.x]++; }

__device__ int fib(int n)
{ return n < 2 ? n : fib(n - 1) + fib(n - 2); }

__global__ void recursive(int *x) { x[0] = fib(10); }

__global__ void grows(int *x)
{
    int *more = (int *)malloc(4);
    x[0] = *more;
}

__global__ void by_reference(int &x) { x = 1; }
