// Pointers of all spaces, alignments, parameters of all kinds, shared memory of many types, names of
// kernels, the C++ library in kernels.
// run: -k generic_pointer -b 4 'i32[4]=3,1,4,2' 'i32[8]'
// expect: out: i32[8] = [909, 22, 463, 18, 6, 104, 6, 104]
// run: -k integers_of_pointers -b 1 'i8[4,10]' 'i32[4]'
// expect: bytes: i8[4,10] = [[0, 0, 0, 0, 0, 0, 0, 0, 0, 0],
// expect:                    [0, 0, 0, 0, 0, 0, 0, 0, 0, 0],
// expect:                    [0, 0, 0, 0, 0, 0, 0, 0, 0, 0],
// expect:                    [0, 0, 0, 0, 0, 0, 0, 0, 0, 0]]
// expect: out: i32[4] = [1, 1024, 77, 88]
// run: -k nested_pointers -b 4 'f32[4]=iota' 'f32[4]=iota' 'i32[4]=3,2,1,0' 'f32[4]'
// expect: b: f32[4] = [100.0, 101.0, 102.0, 103.0]
// expect: out: f32[4] = [6.0, 105.0, 4.0, 103.0]
// run: -k rows_of -b 2 'i32[2,3]=iota' 'i32[2,2]'
// expect: out: i32[2,2] = [[2, 1],
// expect:                  [8, 4]]
// run: -k shared_kinds -b 4 'i32[8]'
// expect: out: i32[8] = [36, -64, -163, 9, 4050, 3052, 2054, 1056]
// run: -k one_arena -b 4 --shared 80 'i32[4]' 4
// expect: out: i32[4] = [1012, 1018, 1024, 1002]
// run: -k parameters -b 1 'i32[9]' true 65 200 -300 -4294967296 6 '{1,2,3}' '{66,1.5,{1,2,3},true,{4,5}}' 'i32[4]=iota' 'f64[1]'
// expect: out: i32[9] = [1, 65, 200, -300, -1, 6, 123, 78, 3]
// expect: d: f64[1] = [0.0]
// run: -k big_parameter -b 4 '{{0,1,2,3,4,5,6,0,1,2,3,4,5,6,0,1,2,3,4,5,6,0,1,2,3,4,5,6,0,1,2,3,4,5,6,0,1,2,3,4,5,6,0,1,2,3,4,5,6,0,1,2,3,4,5,6,0,1,2,3,4,5,6,0,1,2,3,4,5,6,0,1,2,3,4,5,6,0,1,2,3,4,5,6,0,1,2,3,4,5,6,0,1,2,3,4,5,6,0,1,2,3,4,5,6,0,1,2,3,4,5,6,0,1,2,3,4,5,6,0,1,2,3,4,5,6,0,1,2,3,4,5,6,0,1,2,3,4,5,6,0,1,2,3,4,5,6,0,1,2,3,4,5,6,0,1,2,3,4,5,6,0,1,2,3,4,5,6,0,1,2,3,4,5,6,0,1,2,3,4,5,6,0,1,2,3,4,5,6,0,1,2,3,4,5,6,0,1,2,3,4,5,6,0,1,2,3,4,5,6,0,1,2,3,4,5,6,0,1,2,3,4,5,6,0,1,2,3,4,5,6,0,1,2,3,4,5,6,0,1,2,3,4,5,6,0,1,2,3,4,5,6,0,1,2,3,4,5,6,0,1,2,3,4,5,6,0,1,2,3,4,5,6,0,1,2,3,4,5,6,0,1,2,3,4,5,6,0,1,2,3,4,5,6,0,1,2,3,4,5}}' 'i32[4]'
// expect: out: i32[4] = [222, 227, 225, 223]
// run: -k plain_c_name -b 1 'i32[1]'
// expect: x: i32[1] = [1]
// run: -k Owner::member -b 1 'i32[1]'
// expect: x: i32[1] = [2]
// run: -k 'sized<Owner::Inner<5>>' -b 1 'i32[1]'
// expect: x: i32[1] = [20]
// run: -k 'any_value<blue>' -b 1 'i32[1]'
// expect: x: i32[1] = [6]
// run: -k 'by_function<cube>' -b 1 'i32[1]=3'
// expect: x: i32[1] = [27]
// run: -k 'of_pack<Pack<char, float4, short>>' -b 1 'i32[1]'
// expect: x: i32[1] = [19]
// run: -k library -b 1 'i32[6]'
// expect: out: i32[6] = [25, 12, 9, 30, 4, 20]
// run: -k complex_numbers -b 3 'f32[6]'
// expect: out: f32[6] = [0.5, 5.5, 1.5, 6.5, 2.5, 7.5]
// run: -k duff -b 2 'i32[11]=iota' 'i32[2]' 11
// expect: out: i32[2] = [70, 71]
// run: -k loops -b 6 'i32[6]=3,9,4,6,2,8' 'i32[12]' 6
// expect: out: i32[12] = [23, 5, 1, 12, 35, 13, 111, 18, 18, 18, 106, 5]
// run: -k early_exit -b 64 'i32[40]=iota' 'i32[4,10]' 40
// expect: out: i32[4,10] = [[780, 780, 779, 777, 774, 770, 765, 759, 752, 744],
// expect:                   [735, 725, 714, 702, 689, 675, 660, 644, 627, 609],
// expect:                   [590, 570, 549, 527, 504, 480, 455, 429, 402, 374],
// expect:                   [345, 315, 284, 252, 219, 185, 150, 114,  77,  39]]
#include <algorithm>
#include <array>
#include <cstdint>
#include <limits>
#include <new>
#include <tuple>
#include <cuComplex.h>

/* ---- Pointers ------------------------------------------------------------------------------ */

__device__ int global_table[4] = {10, 20, 30, 40};
__constant__ int constant_table[4] = {1, 2, 3, 4};
__device__ __noinline__ int through(const int *p, int i)
{
    return p[i] * 2;
}
__device__ __noinline__ void store(int *p, int v)
{
    *p += v;
}
__global__ void generic_pointer(const int *in, int *out)
{
    __shared__ int s[4];
    int local[4] = {5, 6, 7, 8};
    const int t = threadIdx.x;
    s[t] = in[t] * 100;
    __syncthreads();
    const int *p = t == 0 ? s : t == 1 ? local : t == 2 ? global_table : constant_table;
    int *q = t & 1 ? &local[2] : &s[t];
    store(q, 3);
    out[t] = through(p, t) + *q;
    const int *ends[2] = {in + 1, &s[1]};
    __syncthreads();
    out[4 + t] = *ends[t & 1] + (ends[0] - in) + (&s[3] - s) + (q == &s[t]);
}

__global__ void integers_of_pointers(char *bytes, int *out)
{
    uintptr_t a = reinterpret_cast<uintptr_t>(bytes + 5);
    a = (a + 7) & ~(uintptr_t)7;
    double *aligned = reinterpret_cast<double *>(a);
    *aligned = 2.5;
    out[0] = (int)((char *)aligned - bytes) % 8 + (((size_t)bytes & 15) == 0);
    long long *bits = (long long *)aligned;
    out[1] = (int)(*bits >> 52);
    void *v = out + 2;
    *static_cast<int *>(v) = 77;
    int **pp = (int **)(bytes + 32);
    *pp = out + 3;
    **pp = 88;
    memset(bytes, 0, 40);
}

struct Buffer {
    float *data;
    int n;
    __device__ float &operator()(int i) { return data[i]; }
    __device__ Buffer slice(int from) const { return {data + from, n - from}; }
};
struct Graph {
    Buffer nodes[2];
    const int *order;
};
__device__ float visit(Graph g, int i)
{
    return g.nodes[i & 1](g.order[i]) + g.nodes[1].slice(1).n;
}
__global__ void nested_pointers(const float *a, float *b, const int *order, float *out)
{
    Graph g{{{const_cast<float *>(a), 4}, {b, 4}}, order};
    g.nodes[1](threadIdx.x) += 100;
    __syncthreads();
    out[threadIdx.x] = visit(g, threadIdx.x);
}

__global__ void rows_of(const int (*in)[3], int (*out)[2])
{
    const int r = threadIdx.x;
    out[r][0] = in[r][0] + in[r][2];
    out[r][1] = *(*(in + r) + 1);
}

/* ---- Shared memory ------------------------------------------------------------------------- */

struct __align__(8) Cell {
    short2 at;
    union {
        float weight;
        unsigned bits;
    };
};
__global__ void shared_kinds(int *out)
{
    __shared__ Cell cells[2][4];
    __shared__ __align__(16) unsigned char raw[64];
    __shared__ volatile int flag;
    __shared__ bool ready[4];
    __shared__ union {
        double d[2];
        int i[4];
    } both;
    const int t = threadIdx.x;
    Cell *c = &cells[t & 1][t >> 1];
    c->at = make_short2(t, -t);
    c->weight = t * 0.5f;
    ready[t] = t % 2;
    reinterpret_cast<int4 *>(raw)[t] = make_int4(t, t + 1, t + 2, t + 3);
    both.i[t] = t + 1;
    if (t == 0)
        flag = 9;
    __syncthreads();
    const Cell &o = cells[(t + 1) & 1][(t + 1) % 4 >> 1];
    out[t] = o.at.y * 100 + (o.bits >> 23) + ready[(t + 1) % 4] + flag;
    out[4 + t] = ((int *)raw)[t * 5 % 16] + (int)(both.d[0] != 0) * 50 + both.i[3 - t] * 1000;
}

extern __shared__ float4 quads[];
extern __shared__ int ints[];
__device__ int *second_half(int n)
{
    return ints + 4 * n;
}
__global__ void one_arena(int *out, int n)
{
    const int t = threadIdx.x;
    quads[t] = make_float4(t, t + 1, t + 2, t + 3);
    second_half(n)[t] = t * 7;
    __syncthreads();
    out[t] = (int)quads[n - 1 - t].z + second_half(n)[(t + 1) % n] +
             (__float_as_int(3.0f) == ints[4 + 2 - 0] && n > 2 ? 1000 : 0);
}

/* ---- Parameters ---------------------------------------------------------------------------- */

enum Colour { red, green = 5, blue };
struct Mixed {
    char c;
    double d;
    short s[3];
    bool b;
    float2 f;
};
__global__ void parameters(int *out, bool b, char c, unsigned char u, short s, long long l,
                           Colour e, float3 f, Mixed m, const int k[4], double *d)
{
    out[0] = b, out[1] = c, out[2] = u, out[3] = s, out[4] = (int)(l >> 32), out[5] = e;
    out[6] = f.x * 100 + f.y * 10 + f.z, out[7] = m.c + m.d * 2 + m.s[2] + m.b + m.f.y,
    out[8] = k[3];
    *d = __longlong_as_double(l) == 0;
}
struct Big {
    int values[300];
};
__global__ void big_parameter(Big b, int *out)
{
    int sum = 0;
    for (int i = threadIdx.x; i < 300; i += blockDim.x)
        sum += b.values[i];
    b.values[threadIdx.x] = sum;
    out[threadIdx.x] = b.values[threadIdx.x];
}

/* ---- Names --------------------------------------------------------------------------------- */

extern "C" __global__ void plain_c_name(int *x)
{
    *x = 1;
}
struct Owner {
    static __global__ void member(int *x) { *x = 2; }
    template <int N> struct Inner {
        int v[N];
    };
};
template <class T, class = void> __global__ void sized(int *x)
{
    *x = sizeof(T);
}
template <auto V> __global__ void any_value(int *x)
{
    *x = (int)V;
}
template <int (*F)(int)> __global__ void by_function(int *x)
{
    *x = F(*x);
}
__device__ int cube(int v)
{
    return v * v * v;
}
template <class... T> struct Pack {
    static constexpr int bytes = (0 + ... + (int)sizeof(T));
};
template <class P> __global__ void of_pack(int *x)
{
    *x = P::bytes;
}

/* ---- The C++ library, by constexpr functions ----------------------------------------------- */

template <class T> __device__ void exchange(T &a, T &b)
{
    T c = static_cast<T &&>(a);
    a = static_cast<T &&>(b);
    b = static_cast<T &&>(c);
}
__global__ void library(int *out)
{
    std::array<int, 4> a = {4, 3, 2, 1};
    a[threadIdx.x & 3] += 10;
    std::tuple<int, float> pair(7, 2.5f);
    auto [x, y] = std::make_pair(a.size(), a[1]);
    out[0] = a[0] + a[1] * 2 + a.back() + (int)a.size();
    out[1] = std::get<0>(pair) + (int)(std::get<1>(pair) * 2);
    out[2] = (int)x + y + (std::numeric_limits<int>::max() == INT_MAX) +
             (std::numeric_limits<float>::epsilon() < 1e-6f);
    int p = 1, q = 2;
    exchange(p, q);
    out[3] = p * 10 + q + std::max({1, 9, 4});
    alignas(16) unsigned char storage[sizeof(Mixed)];
    Mixed *m = new (storage) Mixed{'a', 1.5, {1, 2, 3}, true, {1, 2}};
    out[4] = m->s[1] + (int)m->d + std::is_same<decltype(m->f), float2>::value;
    int sum = 0;
    for (auto v : a)
        sum += v;
    out[5] = sum;
}
__global__ void complex_numbers(float *out)
{
    cuFloatComplex z = make_cuFloatComplex(0.5f, threadIdx.x), w = make_cuComplex(2, -1);
    z = cuCaddf(cuCmulf(z, w), cuConjf(z));
    z = cuCsubf(z, make_cuFloatComplex(1, 0));
    out[2 * threadIdx.x] = cuCrealf(z);
    out[2 * threadIdx.x + 1] =
        cuCimagf(z) + (float)cuCabs(make_cuDoubleComplex(3, 4)) + cuCrealf(cuCdivf(w, w));
}

/* ---- Control flow -------------------------------------------------------------------------- */

__global__ void duff(const int *in, int *out, int n)
{
    int sum = 0, rounds = (n + 3) / 4, i = 0;
    switch (n % 4) {
    case 0: do { sum += in[i++];
        case 3: sum += in[i++];
        case 2: sum += in[i++] * 2;
        case 1: sum += in[i++];
        } while (--rounds > 0);
    }
    out[threadIdx.x] = sum + threadIdx.x;
}
__global__ void loops(const int *in, int *out, int n)
{
    const int t = threadIdx.x;
    int found = -1;
#pragma unroll 4
    for (int i = 0; i < n; i++)
        for (int j = i; j < n; j++) {
            if (in[i] + in[j] == 10 + t) {
                found = i * 10 + j;
                goto out;
            }
        }
out:
    out[t] = found;
    int k = 0;
#pragma nounroll
    for (unsigned v = 27 + t; v != 1; k++) {
        __builtin_assume(v > 0);
        if (__builtin_expect(v & 1, 0))
            v = 3 * v + 1;
        else
            v /= 2;
        __syncwarp(__activemask());
    }
    out[n + t] = k;
}
__global__ void early_exit(const int *in, int *out, int n)
{
    __shared__ int s[64];
    const int t = threadIdx.x;
    if (t >= n)
        return;
    s[t] = in[t];
    __syncthreads();
    for (int d = 1; d < n; d *= 2) {
        int v = t + d < n ? s[t + d] : 0;
        __syncthreads();
        s[t] += v;
        __syncthreads();
        if (s[0] > 500)
            break;
    }
    out[t] = s[t];
}
