// C++ in kernels: classes and inheritance, operators, constexpr, if constexpr, variadic templates,
// specialisations, lambdas, references, enumerations, unions, bit fields, switch, goto, defaults.
// run: -k vectors -b 6 'f32[6]'
// expect: out: f32[6] = [26.0, 58.0, 83.0, 128.0, 154.0, 167.0]
// run: -k 'powers<int>' -b 5 'i32[10]'
// expect: out: i32[10] = [1, 0, 1, 3, -5, 6, -17, -3, -11, -36]
// run: -k inherit -b 5 'i32[5]'
// expect: out: i32[5] = [102005, 104020, 106045, 106080, 106125]
// run: -k constants -b 8 'i32[8]'
// expect: out: i32[8] = [2487, 2488, 2491, 2496, 2503, 2512, 2487, 2488]
// run: -k 'gather<const int *, const unsigned char *, const double *>' -b 4 'i32[4]' 'i32[4]=iota' 'u8[4]=const:20' 'f64[4]=1.5,2.5,3.5,4.5'
// expect: out: i32[4] = [63, 69, 75, 81]
// run: -k 'by_type<double>' -b 3 'f64[3]=iota'
// expect: x: f64[3] = [0.0, 0.25, 0.5]
// run: -k 'by_type<unsigned short>' -b 3 'u16[3]=iota'
// expect: x: u16[3] = [65535, 65534, 65533]
// run: -k 'unrolled<true, 3>' -b 2 'i32[2]'
// expect: out: i32[2] = [210, 211]
// run: -k 'fold<Mul, float>' -b 1 'f32[4]=2,3,4,5' 'f32[1]' 4
// expect: out: f32[1] = [120.0]
// run: -k 'fold<Largest, int>' -b 1 'i32[4]=2,-3,40,5' 'i32[1]' 4
// expect: out: i32[1] = [40]
// run: -k machine -b 4 'u8[8]=0,7,8,0,1,7,99,0' 'i32[4]' 8
// expect: out: i32[4] = [81, 256, 625, 1296]
// run: -k fields -b 3 'f32[3]=1.5,-0.375,1000' 'i32[9]'
// expect: out: i32[9] = [0, 512, 191, -2, 512, 62, 9, 976, 196]
// run: -k modern -b 4 'i32[4]'
// expect: out: i32[4] = [70600, 111008, 151416, 121824]
// run: -k early_out -g 2 -b 4 'i32[7]=1,2,3,6,7,27,97' 'i32[7]' 7
// expect: out: i32[7] = [0, 1, 7, 8, 16, 60, 60]
// run: -k 'fibonacci_by_matrix<long long>' -b 8 'i64[8]'
// expect: out: i64[8] = [0, 34, 2584, 196418, 14930352, 1134903170, 86267571272, 6557470319842]
#include <type_traits>
#include <utility>

/* ---- Own types with operators -------------------------------------------------------------- */

inline __host__ __device__ float2 operator+(float2 a, float2 b)
{
    return make_float2(a.x + b.x, a.y + b.y);
}
inline __host__ __device__ float2 operator*(float s, float2 a)
{
    return make_float2(s * a.x, s * a.y);
}
inline __host__ __device__ void operator+=(float2 &a, const float2 &b)
{
    a.x += b.x;
    a.y += b.y;
}
struct Vec3 {
    float e[3];
    __host__ __device__ Vec3() : e{0, 0, 0} {}
    __host__ __device__ Vec3(float x, float y, float z) : e{x, y, z} {}
    __host__ __device__ float operator[](int i) const { return e[i]; }
    __host__ __device__ float &operator[](int i) { return e[i]; }
    __host__ __device__ Vec3 operator-() const { return Vec3(-e[0], -e[1], -e[2]); }
    __host__ __device__ Vec3 &operator+=(const Vec3 &o)
    {
        for (int i = 0; i < 3; i++)
            e[i] += o.e[i];
        return *this;
    }
    __host__ __device__ friend Vec3 operator+(Vec3 a, const Vec3 &b) { return a += b; }
    __host__ __device__ static Vec3 unit(int axis)
    {
        Vec3 v;
        v[axis] = 1;
        return v;
    }
};
__host__ __device__ inline float dot(const Vec3 &a, const Vec3 &b)
{
    return a[0] * b[0] + a[1] * b[1] + a[2] * b[2];
}
__host__ __device__ inline Vec3 cross(const Vec3 &a, const Vec3 &b)
{
    return {a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]};
}
__global__ void vectors(float *out)
{
    const int i = threadIdx.x;
    float2 p = make_float2(i, 1);
    p += 2.0f * (p + make_float2(1, i));
    Vec3 a(1, i, 2), b = Vec3::unit(i % 3) + Vec3(0, 0, 1);
    Vec3 c = -cross(a, b);
    out[i] = p.x * 10 + p.y + dot(a, b) + c[0] * c[1] + c[2];
}

template <class T> class Complex
{
    T re, im;

  public:
    __device__ constexpr Complex(T r = 0, T i = 0) : re(r), im(i) {}
    __device__ Complex operator*(const Complex &o) const
    {
        return {re * o.re - im * o.im, re * o.im + im * o.re};
    }
    __device__ Complex operator+(Complex o) const { return {re + o.re, im + o.im}; }
    __device__ bool operator==(const Complex &o) const { return re == o.re && im == o.im; }
    __device__ T norm() const { return re * re + im * im; }
    __device__ explicit operator T() const { return re; }
    template <class U> friend __device__ U imag(const Complex<U> &c);
};
template <class U> __device__ U imag(const Complex<U> &c)
{
    return c.im;
}
template <class T> __global__ void powers(T *out)
{
    Complex<T> z(1), w(1, 2);
    for (unsigned k = 0; k < threadIdx.x; ++k)
        z = z * w + Complex<T>(0, 1);
    out[threadIdx.x * 2] = static_cast<T>(z);
    out[threadIdx.x * 2 + 1] = imag(z) + (z == w ? z.norm() : 0);
}

/* ---- Inheritance --------------------------------------------------------------------------- */

struct Counter {
    int count = 0;
    __device__ void tick(int by = 1) { count += by; }
};
class Limited : public Counter
{
  protected:
    int limit;

  public:
    __device__ Limited(int limit) : limit(limit) {}
    __device__ void tick(int by = 2)
    {
        if (count < limit)
            Counter::tick(by);
    }
    __device__ ~Limited() { limit = -1; }
};
template <class Derived> struct Shape {
    __device__ int twice() const { return 2 * static_cast<const Derived *>(this)->area(); }
};
struct Square : Shape<Square> {
    int a;
    __device__ Square(int a) : a(a) {}
    __device__ int area() const { return a * a; }
};
struct Box : Square {
    int h;
    using Square::Square;
    __device__ int volume() const { return area() * h; }
};
__global__ void inherit(int *out)
{
    Limited l(5);
    for (unsigned i = 0; i <= threadIdx.x; i++)
        l.tick();
    Counter &base = l;
    base.tick(100);
    Box b(threadIdx.x + 1);
    b.h = 3;
    out[threadIdx.x] = l.count * 1000 + b.twice() + b.volume();
}

/* ---- Templates ----------------------------------------------------------------------------- */

constexpr __host__ __device__ int power(int base, int n)
{
    return n == 0 ? 1 : base * power(base, n - 1);
}
template <int N> struct Fibonacci {
    static constexpr int value = Fibonacci<N - 1>::value + Fibonacci<N - 2>::value;
};
template <> struct Fibonacci<1> {
    static constexpr int value = 1;
};
template <> struct Fibonacci<0> {
    enum { value = 0 };
};
template <int... V> struct List {
    static constexpr int sum = (V + ... + 0), count = sizeof...(V);
};
constexpr int squares[] = {0, 1, 4, 9, 16, 25};
__global__ void constants(int *out)
{
    constexpr int p = power(3, 5);
    static_assert(p == 243, "");
    int table[power(2, 3)];
#pragma unroll
    for (int i = 0; i < int(sizeof(table) / sizeof *table); i++)
        table[i] = squares[i % 6] + Fibonacci<10>::value;
    out[threadIdx.x] = table[threadIdx.x] + p * List<1, 2, 3, 4>::sum + List<7, 7>::count;
}

template <class T> __device__ __forceinline__ T sum_of(T v)
{
    return v;
}
template <class T, class... Rest> __device__ __forceinline__ T sum_of(T v, Rest... rest)
{
    return v + sum_of<T>(rest...);
}
template <class... P> __global__ void gather(int *out, P... pointers)
{
    const int i = threadIdx.x;
    out[i] = sum_of(static_cast<int>(pointers[i])...) * (int)sizeof...(P);
}

template <class T> __global__ void by_type(T *x)
{
    const int i = threadIdx.x;
    if constexpr (std::is_floating_point<T>::value && sizeof(T) == 8)
        x[i] = x[i] / 4;
    else if constexpr (std::is_unsigned_v<T>)
        x[i] = ~x[i];
    else
        x[i] = -x[i] - i;
}

template <int UNTIL, class F> __device__ inline void static_for(F &&f)
{
    if constexpr (UNTIL > 0) {
        static_for<UNTIL - 1>(std::forward<F>(f));
        f(std::integral_constant<int, UNTIL - 1>{});
    }
}
template <bool REVERSE = false, int N = 4> __global__ void unrolled(int *out)
{
    int acc = 0;
    static_for<N>([&](auto k) { acc = acc * 10 + (REVERSE ? N - 1 - k : decltype(k)::value); });
    out[threadIdx.x] = acc + threadIdx.x;
}

template <template <class> class Op, class T> __global__ void fold(const T *in, T *out, int n)
{
    T acc = Op<T>::identity;
    for (int i = 0; i < n; i++)
        acc = Op<T>::apply(acc, in[i]);
    out[0] = acc;
}
template <class T> struct Mul {
    static constexpr T identity = 1;
    static __device__ T apply(T a, T b) { return a * b; }
};
template <class T> struct Largest {
    static constexpr T identity = T(-1000);
    static __device__ T apply(T a, T b) { return a < b ? b : a; }
};

/* ---- Statements and types ------------------------------------------------------------------ */

enum class Kind : unsigned char { add, negate, square = 7, skip };
__global__ void machine(const unsigned char *code, int *out, int n)
{
    int v = threadIdx.x, i = 0;
next:
    if (i < n) {
        switch (static_cast<Kind>(code[i++])) {
        case Kind::add: v += 3; [[fallthrough]];
        case Kind::negate: v = -v; goto next;
        case Kind::square: v *= v; break;
        case Kind::skip: i++; break;
        default: goto done;
        }
        goto next;
    }
done:
    out[threadIdx.x] = v;
}

union Bits {
    float f;
    unsigned u;
    struct {
        unsigned mantissa : 23, exponent : 8, sign : 1;
    };
    unsigned char bytes[4];
};
__global__ void fields(const float *x, int *out)
{
    Bits b;
    b.f = x[threadIdx.x];
    out[3 * threadIdx.x] = b.exponent - 127;
    out[3 * threadIdx.x + 1] = b.mantissa >> 13;
    b.sign = 1 - b.sign;
    out[3 * threadIdx.x + 2] = b.bytes[3];
}

/* Arrays by reference, tuples by structured bindings, pointers to members, nested lambdas. */
template <class T, int N> __device__ T product(const T (&a)[N])
{
    T p = 1;
    for (const T &v : a)
        p *= v;
    return p;
}
struct Range {
    int first, last;
    struct iterator {
        int at;
        __device__ int operator*() const { return at; }
        __device__ iterator &operator++() { return ++at, *this; }
        __device__ bool operator!=(const iterator &o) const { return at != o.at; }
    };
    __device__ iterator begin() const { return {first}; }
    __device__ iterator end() const { return {last}; }
};
__device__ std::pair<int, int> split(int v)
{
    return {v / 10, v % 10};
}
__global__ void modern(int *out)
{
    const int t = threadIdx.x;
    const int dims[3] = {2, t, 4};
    int Range::*end = &Range::last;
    Range r{t, 2};
    r.*end += t + 2;
    int sum = 0;
    for (int i : r)
        sum += i;
    auto [tens, ones] = split(37 + t);
    auto add = [t](auto v) { return [=](int w) { return v * t + w; }; };
    out[t] = product(dims) + sum * 100 + add(tens)(ones) * 10000;
}

__global__ void early_out(const int *in, int *out, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n)
        return;
    int v = in[i], steps = 0;
    do {
        if (v == 1)
            break;
        if (v & 1) {
            v = 3 * v + 1;
            continue;
        }
        v >>= 1;
    } while (++steps < 60);
    out[i] = steps;
}

namespace
{
namespace deep
{
template <class T> struct Matrix2 {
    T m[2][2];
    __device__ Matrix2 operator*(const Matrix2 &o) const
    {
        Matrix2 r{};
        for (int i = 0; i < 2; i++)
            for (int j = 0; j < 2; j++)
                for (int k = 0; k < 2; k++)
                    r.m[i][j] += m[i][k] * o.m[k][j];
        return r;
    }
};
} // namespace deep
template <class T> __global__ void fibonacci_by_matrix(T *out)
{
    deep::Matrix2<T> base{{{1, 1}, {1, 0}}}, result{{{1, 0}, {0, 1}}};
    for (unsigned n = threadIdx.x * 9; n; n >>= 1, base = base * base)
        if (n & 1)
            result = result * base;
    out[threadIdx.x] = result.m[0][1];
}
} // namespace
