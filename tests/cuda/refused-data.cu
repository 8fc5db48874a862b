// Data that the language lacks: each is refused for its kernel, with its place and the reason.
// The kernel that has none of it runs.
// run: -k fine -b 4 'i32[4]'
// expect: x: i32[4] = [0, 2, 4, 6]
// run: -k variable_array -b 1 'i32[4]=const:1'
// status: 3
// stderr: kernel 'variable_array':
// stderr: variable-length array is not in the kernel language: give it a constant size, or use extern __shared__
// stderr: refused-data.cu:59:
// run: -k allocas -b 1 'i32[4]=const:1'
// status: 3
// stderr: kernel 'allocas':
// stderr: 'alloca'
// stderr: use an array of constant size
// stderr: refused-data.cu:66:
// run: -k by_reference -b 1 1 'i32[4]=const:1'
// status: 3
// stderr: kernel 'by_reference':
// stderr: parameter 'f'
// stderr: a reference is to the host
// stderr: refused-data.cu:70:
// run: -k by_reference_to_struct -b 1 '{{1,2,3,4}}' 'i32[4]=const:1'
// status: 3
// stderr: kernel 'by_reference_to_struct':
// stderr: parameter 'b'
// stderr: pass a pointer, or the value
// stderr: refused-data.cu:78:
// run: -k long_doubles -b 1 'i32[4]=const:1'
// status: 3
// stderr: kernel 'long_doubles':
// stderr: 'long double'
// stderr: use double
// run: -k undefined_variable -b 1 'i32[4]=const:1'
// status: 3
// stderr: kernel 'undefined_variable':
// stderr: 'nowhere' is extern and has no value here
// stderr: refused-data.cu:92:
// run: -k undefined_constant -b 1 'i32[4]=const:1'
// status: 3
// stderr: kernel 'undefined_constant':
// stderr: is extern and has no value here
// stderr: refused-data.cu:101:
// run: -k wide_integers -b 1 'i32[4]=const:1'
// status: 3
// stderr: kernel 'wide_integers':
// stderr: '__int128'
// stderr: integers have 8 to 64 bits
// stderr: refused-data.cu:106:
// run: -k thread_locals -b 1 'i32[4]=const:1'
// status: 3
// stderr: kernel 'thread_locals':
__global__ void fine(int *x)
{
    x[threadIdx.x] = 2 * threadIdx.x;
}

__global__ void variable_array(int *x)
{
    int a[x[2]];
    a[x[0]] = 1;
    x[1] = a[0];
}

__global__ void allocas(int *x)
{
    int *p = (int *)__builtin_alloca(x[0]);
    x[1] = p[0];
}

__global__ void by_reference(const float &f, int *x)
{
    x[0] = f;
}

struct Big {
    int n[4];
};
__global__ void by_reference_to_struct(Big &b, int *x)
{
    x[0] = b.n[1];
}

__global__ void long_doubles(int *x)
{
    long double v = x[0];
    x[0] = v * v;
}

extern __device__ int nowhere;
__global__ void undefined_variable(int *x)
{
    x[0] = nowhere;
}

namespace tables
{
extern __constant__ float weights[4];
}
__global__ void undefined_constant(int *x)
{
    x[0] = tables::weights[1];
}

__global__ void wide_integers(int *x)
{
    x[0] = (int)((__int128)x[0] * x[1] >> 64);
}

__device__ thread_local int mine;
__global__ void thread_locals(int *x)
{
    x[0] = mine;
}
