// Pointers to functions of the device: constants, arguments, members, chosen at run time, kept in
// memory. Objects with virtual functions, as long as no call needs the table.
// run: -k constant -b 1 'i32[4]=iota'
// expect: x: i32[4] = [2, 21, 2, 3]
// run: -k lambdas -b 2 'i32[4]=iota'
// expect: x: i32[4] = [11, 12, 2, 3]
// run: -k member -b 4 'i32[4]=iota'
// expect: x: i32[4] = [100, 1, 102, 3]
// run: -k functor -b 32 'f32[32]=iota'
// expect: x: f32[32] = [1.0, 0.0, 3.0, 2.0, 5.0, 4.0, 7.0, 6.0, 9.0, 8.0, 11.0, 10.0, 13.0, 12.0, 15.0, 14.0, 17.0, 16.0, 19.0, 18.0, 21.0, 20.0, 23.0, 22.0, 25.0, 24.0, 27.0, 26.0, 29.0, 28.0, 31.0, 30.0]
// run: -k 'argument<thrice>' -b 3 'i32[4]=iota'
// expect: x: i32[4] = [0, 3, 6, 3]
// run: -k chosen -b 4 'i32[4]=iota'
// expect: x: i32[4] = [0, 3, 4, 9]
// run: -k tables -b 4 'i32[4]=iota'
// expect: x: i32[4] = [0, 6, 10, 18]
// run: -k in_shared -b 4 'i32[4]=iota'
// expect: x: i32[4] = [0, 3, 4, 9]
// run: -k by_value -b 1 'i32[4]=iota'
// expect: x: i32[4] = [5, 1, 2, 3]
// run: -k compared -b 4 'i32[4]=iota'
// expect: x: i32[4] = [1, 0, 1, 0]
// run: -k none -b 1 'i32[4]=const:0'
// status: 4
// stderr: function-pointers.cu:126: assertion 'the pointer is that of no function' failed
// run: -k objects -b 2 'i32[4]=iota'
// expect: x: i32[4] = [4, 14, 2, 3]
typedef int (*Function)(int);
__device__ int twice(int v) { return 2 * v; }
__device__ int thrice(int v) { return 3 * v; }
__device__ int apply(Function f, int v) { return f(v); }

__global__ void constant(int *x)
{
    Function f = twice;
    x[0] = f(x[0]) + apply(twice, 1);
    x[1] = apply(thrice, 7);
}

__global__ void lambdas(int *x)
{
    int (*f)(int) = [](int v) { return v + 10; };
    auto g = [&](auto h, int v) { return h(f(v)); };
    x[threadIdx.x] = g([](int v) { return v + 1; }, threadIdx.x);
}

struct Number {
    int v;
    __device__ int plain() const { return v; }
    __device__ int more() const { return v + 100; }
};
__global__ void member(int *x)
{
    Number n{x[threadIdx.x]};
    int (Number::*f)() const = threadIdx.x % 2 ? &Number::plain : &Number::more;
    x[threadIdx.x] = (n.*f)();
}

/* The lanes of a warp meet within the function. */
__device__ float neighbour(float v) { return __shfl_xor_sync(0xffffffff, v, 1); }
struct Functor {
    float (*f)(float);
    __device__ float operator()(float v) const { return f(v); }
};
template <class F> __device__ float call(F f, float v) { return f(v); }
__global__ void functor(float *x)
{
    x[threadIdx.x] = call(Functor{neighbour}, x[threadIdx.x]);
}

template <Function F> __global__ void argument(int *x)
{
    x[threadIdx.x] = apply(F, x[threadIdx.x]);
}

__global__ void chosen(int *x)
{
    Function f = threadIdx.x % 2 ? thrice : twice;
    x[threadIdx.x] = f(x[threadIdx.x]);
}

__device__ Function table[2] = {twice, thrice};
__constant__ Function constants[2] = {twice, thrice};
__global__ void tables(int *x)
{
    const int i = threadIdx.x;
    x[i] = table[i & 1](i) + constants[1](i);
}

__global__ void in_shared(int *x)
{
    __shared__ Function all[2];
    if (threadIdx.x < 2)
        all[threadIdx.x] = threadIdx.x ? thrice : twice;
    __syncthreads();
    x[threadIdx.x] = all[threadIdx.x & 1](x[threadIdx.x]);
}

struct Big {
    int a[10];
};
__device__ Big make(int n)
{
    Big b;
    for (int i = 0; i < 10; i++)
        b.a[i] = n + i;
    return b;
}
__device__ int fifth(Big b) { return b.a[5]; }
__global__ void by_value(int *x)
{
    Big (*to)(int) = make;
    int (*from)(Big) = fifth;
    x[0] = from(to(x[0]));
}

__global__ void compared(int *x)
{
    Function f = threadIdx.x % 2 ? thrice : twice;
    x[threadIdx.x] = f == twice && f != nullptr;
}

__global__ void none(int *x)
{
    Function f = x[0] ? twice : nullptr;
    x[1] = f(3);
}

struct Shape {
    int size;
    __device__ Shape(int n) : size(n) {}
    __device__ virtual int area() const = 0;
};
struct Square : Shape {
    __device__ Square(int n) : Shape(n) {}
    __device__ int area() const override { return size * size; }
};
__global__ void objects(int *x)
{
    Square s(2);
    x[threadIdx.x] = s.area() + 10 * threadIdx.x;
}
