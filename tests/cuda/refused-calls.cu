// Calls that the language lacks: each is refused for its kernel, with its place and the reason.
// The kernel that does none of it runs.
// run: -k fine -b 4 'i32[4]'
// expect: x: i32[4] = [1, 2, 3, 4]
// run: -k virtual_call -b 1 'i32[4]=const:1'
// status: 3
// stderr: refused-calls.cu:69:
// stderr: kernel 'virtual_call': virtual calls are not in the kernel language
// run: -k pointer_of_nobody -b 1 '{0}' 'i32[4]=const:1'
// status: 3
// stderr: kernel 'pointer_of_nobody':
// stderr: call through a pointer
// run: -k uses_new -b 1 'i32[4]=const:1'
// status: 3
// stderr: refused-calls.cu:82:
// stderr: kernel 'uses_new': 'operator new[]' is not in the kernel language
// stderr: kernels have no heap; use an array, __shared__ memory or a buffer
// run: -k uses_malloc -b 1 'i32[4]=const:1'
// status: 3
// stderr: kernel 'uses_malloc':
// stderr: kernels have no heap
// stderr: refused-calls.cu:89:
// run: -k recursive -b 1 'i32[4]=const:1'
// status: 3
// stderr: kernel 'recursive':
// stderr: recursion:
// stderr: calls itself
// stderr: refused-calls.cu:98:
// run: -k mutual -b 1 'i32[4]=const:1'
// status: 3
// stderr: kernel 'mutual':
// stderr: recursion:
// stderr: which leads back to it
// run: -k through_helpers -b 1 'i32[4]=const:1'
// status: 3
// stderr: kernel 'through_helpers':
// stderr: kernels have no heap
// stderr: refused-calls.cu:120:
// run: -k undefined_function -b 1 'i32[4]=const:1'
// status: 3
// stderr: kernel 'undefined_function':
// stderr: has no body
// stderr: refused-calls.cu:134:
// run: -k assembly -b 1 'i32[4]=const:1'
// status: 3
// stderr: kernel 'assembly':
// stderr: inline PTX 'vabsdiff.u32.u32.u32.add %0, %1, %1, %1' is not in the kernel language
// stderr: refused-calls.cu:140:
// run: -k computed_goto -b 1 'i32[4]=const:1'
// status: 3
// stderr: kernel 'computed_goto':
// stderr: use switch
__global__ void fine(int *x)
{
    x[threadIdx.x] = threadIdx.x + 1;
}

struct Animal {
    __device__ virtual int legs() const { return 0; }
    int age;
};
struct Dog : Animal {
    __device__ int legs() const override { return 4; }
};
__global__ void virtual_call(int *x)
{
    Dog d;
    Animal b, *a = x[0] ? &d : &b;
    x[1] = a->legs();
}

struct Callback {
    int (*f)(int);
};
__global__ void pointer_of_nobody(Callback c, int *x)
{
    x[0] = c.f(x[0]);
}

__global__ void uses_new(int *x)
{
    int *p = new int[x[0]];
    x[1] = p[0];
    delete[] p;
}

__global__ void uses_malloc(int *x)
{
    int *p = (int *)malloc(16);
    x[0] = p[1];
    free(p);
}

__device__ int ackermann(int m, int n)
{
    if (m == 0)
        return n + 1;
    return ackermann(m - 1, n == 0 ? 1 : ackermann(m, n - 1));
}
__global__ void recursive(int *x)
{
    x[0] = ackermann(x[0], x[1]);
}

__device__ int odd(int n);
__device__ int even(int n)
{
    return n ? odd(n - 1) : 1;
}
__device__ int odd(int n)
{
    return n ? even(n - 1) : 0;
}
__global__ void mutual(int *x)
{
    x[0] = even(x[0]);
}

template <class T> struct Pool {
    __device__ T *take(int n) { return static_cast<T *>(malloc(n * sizeof(T))); }
};
__device__ float *helper(int n)
{
    return Pool<float>().take(n);
}
__global__ void through_helpers(int *x)
{
    x[0] = helper(x[1]) != nullptr;
}

__device__ int elsewhere(int v);
__global__ void undefined_function(int *x)
{
    x[0] = elsewhere(x[0]);
}

__global__ void assembly(int *x)
{
    int r;
    asm("vabsdiff.u32.u32.u32.add %0, %1, %1, %1;" : "=r"(r) : "r"(x[0]));
    x[0] = r;
}

__global__ void computed_goto(int *x)
{
    void *labels[] = {&&first, &&second};
    goto *labels[x[0] & 1];
first:
    x[1] = 1;
second:
    x[2] = 1;
}
