// std::complex in kernels, as clang's CUDA mode has it; constants of functions that call themselves.
// run: -k products -b 3 'f32[6]'
// expect: x: f32[6] = [4.0, 8.0, 2.0, 9.0, 0.0, 10.0]
// run: -k quotients -b 2 'f64[4]'
// expect: x: f64[4] = [2.0, 0.0, 1.0, 1.0]
// run: -k functions -b 1 'f32[4]'
// expect: x: f32[4] = [5.0, 25.0, 3.0, -4.0]
// run: -k loop -b 4 'i32[4]'
// expect: x: i32[4] = [28, 28, 28, 28]
// run: -k 'constants<5>' -b 2 'i32[4]'
// expect: x: i32[4] = [120, 125, 0, 0]
#include <complex>

__global__ void products(float *x)
{
    std::complex<float> a(1, 2), b(3, threadIdx.x);
    auto c = a * b + a;
    x[2 * threadIdx.x] = c.real();
    x[2 * threadIdx.x + 1] = c.imag();
}

__global__ void quotients(double *x)
{
    std::complex<double> a(2 - (int)threadIdx.x, threadIdx.x), b(1, 0);
    a /= b;
    x[2 * threadIdx.x] = a.real();
    x[2 * threadIdx.x + 1] = std::conj(std::conj(a)).imag();
}

__global__ void functions(float *x)
{
    std::complex<float> a(3, 4);
    x[0] = std::abs(a);
    x[1] = std::norm(a);
    a = std::conj(a);
    x[2] = a.real();
    x[3] = a.imag();
}

constexpr __host__ __device__ int power(int base, int n)
{
    return n == 0 ? 1 : base * power(base, n - 1);
}
__global__ void loop(int *x)
{
    for (int i = 0; i < power(2, 3); i++)
        x[threadIdx.x] += i;
}

constexpr int factorial(int n) { return n < 2 ? 1 : n * factorial(n - 1); }
template <int N> __global__ void constants(int *x)
{
    int n = factorial(N);
    x[threadIdx.x] = threadIdx.x ? power(N, 3) : n;
}
