/* prelude.cuh - what random kernels in CUDA use of their own making, over CUDA's functions.
 *
 * language_cuda.c writes it before the kernels, and together.cuh behind it. Namespace `plain` goes
 * by CUDA's functions, `library` by cooperative groups and cuda::atomic_ref.
 */
#include <cooperative_groups.h>
#include <cooperative_groups/reduce.h>
#include <cooperative_groups/scan.h>
#include <cuda/atomic>
#include <cuda_bf16.h>
#include <cuda_fp16.h>
#include <type_traits>

namespace cg = cooperative_groups;

/* ---- Places ---------------------------------------------------------------------------------- */
#define THREAD ((int)cg::this_thread_block().thread_rank())
__device__ inline int lane_id()
{
    return THREAD % warpSize;
}
__device__ inline int warp_id()
{
    return THREAD / warpSize;
}

/* An object of a block: its destructor is on each way out. */
struct scope {
    __device__ explicit scope(int &count) : open(count) { open++; }
    __device__ ~scope() { open--; }
    int &open;
};

template <typename T> __device__ T *one_of(T *first, T *second, bool is_second)
{
    T *both[] = {first, second};
    return both[is_second];
}

/* ---- Bits ------------------------------------------------------------------------------------ */
/* The bits of a number, and no others. */
template <typename T> __device__ unsigned long long bits_of(T x)
{
    return (unsigned long long)x & ~0ull >> (64 - 8 * sizeof x);
}
template <typename T> __device__ int popcount(T x)
{
    return sizeof x == 8 ? __popcll(bits_of(x)) : __popc((unsigned)bits_of(x));
}
template <typename T> __device__ int clz(T x)
{
    if constexpr (sizeof x == 8)
        return __clzll((long long)x);
    return __clz((int)bits_of(x)) - (32 - 8 * (int)sizeof x);
}
template <typename T> __device__ int ctz(T x)
{
    if constexpr (sizeof x == 8)
        return __clzll((long long)__brevll((unsigned long long)x));
    return __clz((int)__brev((unsigned)(bits_of(x) | 1ull << 8 * sizeof x)));
}
template <typename T> __device__ int ffs(T x)
{
    return sizeof x == 8 ? __ffsll((long long)x) : __ffs((int)bits_of(x));
}
#define CLZ clz
#define CTZ ctz

/* ---- Whole numbers --------------------------------------------------------------------------- */
template <typename T> __device__ T absolute(T x)
{
    if constexpr (std::is_unsigned<T>::value)
        return x;
    else
        return sizeof x == 8 ? llabs(x) : abs((int)x);
}
template <typename T> __device__ T bitreverse(T x)
{
    return sizeof x == 8 ? (T)__brevll((unsigned long long)x) : (T)__brev((unsigned)x);
}
__device__ inline unsigned swapped(unsigned x)
{
    return __byte_perm(x, 0, 0x0123);
}
template <typename T> __device__ T byte_swap(T x)
{
    if constexpr (sizeof x == 4)
        return (T)swapped((unsigned)x);
    return (T)((unsigned long long)swapped((unsigned)x) << 32 |
               swapped((unsigned)((unsigned long long)x >> 32)));
}
template <typename T> __device__ T mulhi(T a, T b)
{
    if constexpr (sizeof a == 4)
        return std::is_signed<T>::value ? (T)__mulhi((int)a, (int)b)
                                        : (T)__umulhi((unsigned)a, (unsigned)b);
    return std::is_signed<T>::value
               ? (T)__mul64hi((long long)a, (long long)b)
               : (T)__umul64hi((unsigned long long)a, (unsigned long long)b);
}
template <typename T> __device__ T rotate_left(T x, int n)
{
    if constexpr (sizeof x == 4)
        return (T)__funnelshift_l((unsigned)x, (unsigned)x, (unsigned)n);
    const unsigned long long all = (unsigned long long)x;
    return (T)(all << (n & 63) | all >> (-n & 63));
}
template <typename T> __device__ T clamp(T x, T low, T high)
{
    return min(max(x, low), high);
}

/* ---- Exponents ------------------------------------------------------------------------------- */
#define EXPONENTS(T, suffix)                                                                       \
    __device__ inline T fraction##suffix(T x)                                                      \
    {                                                                                              \
        int n;                                                                                     \
        return isfinite(x) ? frexp##suffix(x, &n) : x;                                             \
    }                                                                                              \
    __device__ inline int exponent##suffix(T x)                                                    \
    {                                                                                              \
        int n = 0;                                                                                 \
        if (isfinite(x))                                                                           \
            frexp##suffix(x, &n);                                                                  \
        return n;                                                                                  \
    }
EXPONENTS(double, )
EXPONENTS(float, f)

/* ---- Short vectors --------------------------------------------------------------------------- */
/* CUDA's short vectors have no operators. Numbers of less than 32 bits wrap. */
template <typename V> struct vector_of;
template <typename T> using wide = std::conditional_t<sizeof(T) < 4, unsigned, T>;
#define VECTORS(T, name)                                                                           \
    template <> struct vector_of<name##2> {                                                        \
        typedef T type;                                                                            \
        static constexpr int count = 2;                                                            \
    };                                                                                             \
    template <> struct vector_of<name##3> {                                                        \
        typedef T type;                                                                            \
        static constexpr int count = 3;                                                            \
    };                                                                                             \
    template <> struct vector_of<name##4> {                                                        \
        typedef T type;                                                                            \
        static constexpr int count = 4;                                                            \
    };
VECTORS(signed char, char)
VECTORS(unsigned char, uchar)
VECTORS(short, short)
VECTORS(unsigned short, ushort)
VECTORS(int, int)
VECTORS(unsigned, uint)
VECTORS(long long, longlong)
VECTORS(unsigned long long, ulonglong)
VECTORS(float, float)
VECTORS(double, double)
template <typename V, typename F> __device__ V each_of(V a, V b, F combine)
{
    V v = a;
    v.x = combine(a.x, b.x);
    v.y = combine(a.y, b.y);
    if constexpr (vector_of<V>::count > 2)
        v.z = combine(a.z, b.z);
    if constexpr (vector_of<V>::count > 3)
        v.w = combine(a.w, b.w);
    return v;
}
template <typename V> __device__ V all_of(typename vector_of<V>::type x)
{
    V v;
    v.x = v.y = x;
    if constexpr (vector_of<V>::count > 2)
        v.z = x;
    if constexpr (vector_of<V>::count > 3)
        v.w = x;
    return v;
}
#define VECTOR_OPERATOR(sign)                                                                      \
    template <typename V, typename T = typename vector_of<V>::type>                                \
    __device__ V operator sign(V a, V b)                                                           \
    {                                                                                              \
        return each_of(a, b, [](T x, T y) -> T { return (T)((wide<T>)x sign (wide<T>)y); });       \
    }                                                                                              \
    template <typename V>                                                                          \
    __device__ V operator sign(V a, typename vector_of<V>::type b)                                 \
    {                                                                                              \
        return a sign all_of<V>(b);                                                                \
    }
VECTOR_OPERATOR(+)
VECTOR_OPERATOR(-)
VECTOR_OPERATOR(*)
VECTOR_OPERATOR(/)
VECTOR_OPERATOR(&)
VECTOR_OPERATOR(|)
VECTOR_OPERATOR(^)

/* ---- Block memory of a warp ------------------------------------------------------------------ */
/* What that lane has written, where it is there; else what we have. */
#define WARP_EXCHANGE(to, cells, value, lane)                                                      \
    do {                                                                                           \
        const int lane_ = (int)(lane) & 31;                                                        \
        cells[THREAD] = (value);                                                                   \
        const unsigned who_ = __activemask();                                                      \
        __syncwarp(who_);                                                                          \
        to = cells[THREAD - lane_id() + (who_ >> lane_ & 1 ? lane_ : lane_id())];                  \
        __syncwarp(who_);                                                                          \
    } while (0)

/* ---- Atomics --------------------------------------------------------------------------------- */
/* CUDA has these for some types each: the others go by unsigned ones of their size, floats by
 * their bits, and small ones by cuda::atomic_ref. */
typedef unsigned long long ull;
template <typename T> using device_ref = cuda::atomic_ref<T, cuda::thread_scope_device>;
template <typename T> constexpr bool is_small = std::is_integral<T>::value && sizeof(T) < 4;
template <typename T> constexpr bool is_wide = std::is_integral<T>::value && sizeof(T) == 8;

namespace plain
{

template <typename F> __device__ float changed(float *p, F change)
{
    unsigned old = atomicAdd((unsigned *)p, 0u), seen;
    do {
        seen = old;
        old = atomicCAS((unsigned *)p, seen, __float_as_uint(change(__uint_as_float(seen))));
    } while (old != seen);
    return __uint_as_float(old);
}
template <typename F> __device__ double changed(double *p, F change)
{
    ull old = atomicAdd((ull *)p, 0ull), seen;
    do {
        seen = old;
        const double next = change(__longlong_as_double((long long)seen));
        old = atomicCAS((ull *)p, seen, (ull)__double_as_longlong(next));
    } while (old != seen);
    return __longlong_as_double((long long)old);
}

template <typename T> __device__ T atomic_add(T *p, T v)
{
    if constexpr (is_small<T>)
        return device_ref<T>(*p).fetch_add(v, cuda::memory_order_relaxed);
    else if constexpr (is_wide<T>)
        return (T)atomicAdd((ull *)p, (ull)v);
    else
        return atomicAdd(p, v);
}
template <typename T> __device__ T atomic_sub(T *p, T v)
{
    if constexpr (is_small<T>)
        return device_ref<T>(*p).fetch_sub(v, cuda::memory_order_relaxed);
    else if constexpr (is_wide<T>)
        return (T)atomicAdd((ull *)p, 0 - (ull)v);
    else if constexpr (std::is_integral<T>::value)
        return atomicSub(p, v);
    else
        return atomicAdd(p, -v);
}
#define ATOMIC_EXTREME(name, Name)                                                                 \
    template <typename T> __device__ T atomic_##name(T *p, T v)                                    \
    {                                                                                              \
        if constexpr (is_small<T>)                                                                 \
            return device_ref<T>(*p).fetch_##name(v, cuda::memory_order_relaxed);                  \
        else if constexpr (std::is_integral<T>::value)                                             \
            return atomic##Name(p, v);                                                             \
        else                                                                                       \
            return changed(p, [=](T old) { return f##name(old, v); });                             \
    }
ATOMIC_EXTREME(min, Min)
ATOMIC_EXTREME(max, Max)
#define ATOMIC_BITS(name, Name)                                                                    \
    template <typename T> __device__ T atomic_##name(T *p, T v)                                    \
    {                                                                                              \
        if constexpr (is_small<T>)                                                                 \
            return device_ref<T>(*p).fetch_##name(v, cuda::memory_order_relaxed);                  \
        else if constexpr (is_wide<T>)                                                             \
            return (T)atomic##Name((ull *)p, (ull)v);                                              \
        else                                                                                       \
            return atomic##Name(p, v);                                                             \
    }
ATOMIC_BITS(and, And)
ATOMIC_BITS(or, Or)
ATOMIC_BITS(xor, Xor)
template <typename T> __device__ T atomic_exchange(T *p, T v)
{
    if constexpr (is_small<T>)
        return device_ref<T>(*p).exchange(v, cuda::memory_order_relaxed);
    else if constexpr (is_wide<T>)
        return (T)atomicExch((ull *)p, (ull)v);
    else if constexpr (sizeof v == 8)
        return __longlong_as_double(atomicExch((ull *)p, (ull)__double_as_longlong(v)));
    else
        return atomicExch(p, v);
}
template <typename T> __device__ T atomic_cas(T *p, T expected, T v)
{
    if constexpr (sizeof v == 8)
        return (T)atomicCAS((ull *)p, (ull)expected, (ull)v);
    else if constexpr (sizeof v == 4)
        return atomicCAS(p, expected, v);
    else if constexpr (sizeof v == 2)
        return (T)atomicCAS((unsigned short *)p, (unsigned short)expected, (unsigned short)v);
    device_ref<T>(*p).compare_exchange_strong(expected, v, cuda::memory_order_relaxed);
    return expected;
}
template <typename T> __device__ void cas_add(T *p, T v)
{
    T old = *(volatile T *)p, seen;
    do {
        seen = old;
        old = atomic_cas(p, seen, (T)((ull)seen + (ull)v));
    } while (old != seen);
}

} // namespace plain

namespace library
{

using namespace plain;

#define LIBRARY_ATOMIC(name)                                                                       \
    template <typename T> __device__ T atomic_##name(T *p, T v)                                    \
    {                                                                                              \
        if constexpr (std::is_integral<T>::value)                                                  \
            return device_ref<T>(*p).fetch_##name(v, cuda::memory_order_relaxed);                  \
        else                                                                                       \
            return plain::atomic_##name(p, v);                                                     \
    }
LIBRARY_ATOMIC(add)
LIBRARY_ATOMIC(sub)
LIBRARY_ATOMIC(min)
LIBRARY_ATOMIC(max)
LIBRARY_ATOMIC(and)
LIBRARY_ATOMIC(or)
LIBRARY_ATOMIC(xor)
template <typename T> __device__ T atomic_exchange(T *p, T v)
{
    return device_ref<T>(*p).exchange(v, cuda::memory_order_relaxed);
}
template <typename T> __device__ T atomic_cas(T *p, T expected, T v)
{
    device_ref<T>(*p).compare_exchange_strong(expected, v, cuda::memory_order_relaxed);
    return expected;
}
template <typename T> __device__ void cas_add(T *p, T v)
{
    device_ref<T> at(*p);
    T old = at.load(cuda::memory_order_relaxed);
    while (!at.compare_exchange_weak(old, (T)((ull)old + (ull)v))) {
    }
}

} // namespace library
