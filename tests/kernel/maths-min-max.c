// abs min max clamp: in C's common type, for whole numbers of all types; of floats they are fabs,
// fmin and fmax: a NaN loses, -0 < +0.
// run: -b 4 i32[1] 'f32[4]=1,-2.5,nan,inf' 'i32[4]=5,-7,-2147483648,2147483647'
// expect: checked: i32[1] = [4]
#include <lanewise/kernel.h>

#define IS(T, x) assert(_Generic((x), T: 1, default: 0))
#define BITS(x) __builtin_bit_cast(unsigned, x)

KERNEL void check(int *checked, const float *in, const int *whole)
{
    float x = in[thread_idx.x];
    int i = whole[thread_idx.x];
    long l = i;
    unsigned u = (unsigned)i;
    _Float16 h = (_Float16)x;
    assert(min(i, 3) == (i < 3 ? i : 3) && max(i, 3) == (i > 3 ? i : 3));
    assert(min(u, 3u) == (u < 3 ? u : 3) && max(u, 3u) == (u > 3 ? u : 3));
    assert(max(-1, 1u) == UINT_MAX && min((signed char)-1, (unsigned char)1) == -1);
    assert(max(l, 4000000000) == 4000000000 && min(l * 3, -1ll) == (l < 0 ? l * 3 : -1));
    assert(max((uint64_t)l, UINT64_C(1) << 63) == ((uint64_t)l >> 63 ? (uint64_t)l : 1ul << 63));
    assert(abs(i) == (i < 0 ? (int)(0u - u) : i) && abs(l) == (l < 0 ? -l : l) && abs(u) == u);
    assert(abs(INT_MIN + (i & 0)) == INT_MIN && abs(LONG_MIN) == LONG_MIN && abs((short)-7) == 7);
    assert(clamp(i, -6, 6) == (i < -6 ? -6 : i > 6 ? 6 : i) && clamp(u, 2u, 9u) >= 2u);
    assert(clamp(l, -1000, 1000l) == (l < -1000 ? -1000 : l > 1000 ? 1000 : l));
    assert(clamp(5, 9, 1) == 1 && clamp(5.0f, 9.0f, 1.0f) == 1);
    assert(BITS(min(x, 0.5f)) == BITS(fmin(x, 0.5f)) && BITS(max(x, 0.5f)) == BITS(fmax(x, 0.5f)));
    assert(max(x, 0) == fmax(x, 0.0f) && min(x, 2.0) == fmin((double)x, 2.0));
    assert(clamp(x, -1.0f, 1.5f) == fmin(fmax(x, -1.0f), 1.5f) && clamp((float)NAN, 2, 3) == 2);
    assert(signbit(min(0.0f * (x == x), -0.0f)) && !signbit(max(-0.0, 0.0f)));
    assert(isnan(x) || (abs(x) == fabs(x) && abs((double)x) == fabs((double)x)));
    assert(!signbit(abs(-0.0f)) && isnan(abs((float)NAN)));
    IS(int, min((char)1, true)); IS(unsigned, max(1u, 1)); IS(long, clamp(1, 2l, 3));
    IS(unsigned long long, abs(1ull)); IS(float, min(h, h)); IS(float, clamp(1, x, 2));
    IS(double, max(1.0f, 2.0)); IS(float, abs(h)); IS(int, abs((signed char)-1));
    atomic_add(checked, 1);
}
