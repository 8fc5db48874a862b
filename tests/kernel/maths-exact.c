// fabs floor ceil trunc round rint fmod fmin fmax fma are exact; special values too.
// run: -k special -b 1 i32[1] f32[1]=1 f64[1]=1
// expect: checked: i32[1] = [1]
// run: -k values -b 1 i32[1] f32[1]=1 f64[1]=1
// expect: checked: i32[1] = [1]
#include <lanewise/kernel.h>

#define NAN_IS(x) assert((x) != (x))

/* What C's Annex F says, in T; i is 1, but not to the compiler. */
#define SPECIAL(T, i)                                                                              \
    {                                                                                              \
        T inf = (T)INFINITY * i, nan = (T)NAN * i, zero = i - i, minus = -zero;                    \
        NAN_IS(fmod(i, zero));                                                                     \
        NAN_IS(fmod(inf, i));                                                                      \
        NAN_IS(fmin(nan, nan));                                                                    \
        NAN_IS(fmax(nan, nan));                                                                    \
        NAN_IS(fma(inf, zero, i));                                                                 \
        NAN_IS(fma(inf, i, -inf));                                                                 \
        NAN_IS(floor(nan));                                                                        \
        NAN_IS(rint(nan));                                                                         \
        assert(1 / floor(minus) == -inf && 1 / ceil(-i / 2) == -inf && 1 / trunc(-i / 2) == -inf); \
        assert(1 / round(minus) == -inf && 1 / rint(-i / 4) == -inf && 1 / fabs(minus) == inf);    \
        assert(fmod(i, inf) == 1 && 1 / fmod(minus, i) == -inf && fmod(-7 * i, 3 * i) == -1);      \
        assert(fmin(nan, i) == 1 && fmin(i, nan) == 1 && fmax(nan, i) == 1 && fmax(i, nan) == 1);  \
        assert(fmin(-inf, i) == -inf && fmax(inf, i) == inf && fmin(i, 2 * i) == 1);               \
        assert(fabs(-inf) == inf && floor(-inf) == -inf && rint(inf) == inf && round(inf) == inf); \
    }

KERNEL void special(int *checked, const float *f, const double *d)
{
    SPECIAL(float, *f)
    SPECIAL(double, *d)
    *checked = 1;
}

#define EXACT(T, i)                                                                                \
    assert(floor((T)-1.5 * i) == -2 && ceil((T)-1.5 * i) == -1 && trunc((T)-1.5 * i) == -1);       \
    assert(floor((T)1.5 * i) == 1 && ceil((T)1.5 * i) == 2 && trunc((T)1.5 * i) == 1);             \
    assert(round((T)2.5 * i) == 3 && round((T)-0.5 * i) == -1 && rint((T)2.5 * i) == 2);           \
    assert(rint((T)3.5 * i) == 4 && rint((T)-0.5 * i) == 0 && fabs(-3 * i) == 3);                  \
    assert(fmod((T)5.25 * i, 2 * i) == (T)1.25 && fmax(3 * i, 4 * i) == 4);                        \
    assert(fma((T)3 * i, (T)4 * i, (T)5 * i) == 17)

KERNEL void values(int *checked, const float *f, const double *d)
{
    float i = *f;
    double j = *d;
    EXACT(float, i);
    EXACT(double, j);
    assert(round(0x1.fffffep-2f * i) == 0 && round(0x1.fffffffffffffp-2 * j) == 0);
    assert(floor(0x1p60 * j) == 0x1p60 && rint(8388609.0f * i) == 8388609.0f);
    assert(fmod(1e300 * j, 7 * j) == 1 && fmod(1e30f * i, 3 * i) == 0);
    assert(fma(1 + 0x1p-12f * i, 1 + 0x1p-12f * i, -1 - 0x1p-11f * i) == 0x1p-24f);
    assert(fma(1 + 0x1p-30 * j, 1 + 0x1p-30 * j, -1 - 0x1p-29 * j) == 0x1p-60);
    *checked = 1;
}
