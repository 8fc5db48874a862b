// The maths functions: tgmath style types, C's special values, and exact where the language says so.
// run: -k types -b 1 i32[1]
// expect: checked: i32[1] = [1]
// run: -k special -b 1 i32[1] f32[1]=1 f64[1]=1
// expect: checked: i32[1] = [1]
// run: -k values -b 1 i32[1] f32[1]=1 f64[1]=1
// expect: checked: i32[1] = [1]
#include <lanewise/kernel.h>

#define ONE(X) X(exp) X(exp2) X(log) X(log2) X(sin) X(cos) X(tan) X(tanh) X(erf) X(sqrt) X(rsqrt)  \
    X(cbrt) X(fabs) X(floor) X(ceil) X(trunc) X(round) X(rint)
#define FAST(X) X(fast_exp) X(fast_exp2) X(fast_log) X(fast_log2) X(fast_sin) X(fast_cos)          \
    X(fast_tan) X(fast_tanh) X(fast_rsqrt)
#define TWO(X) X(pow) X(fmod) X(fmin) X(fmax) X(fast_pow)
#define IS(T, x) assert(_Generic((x), T: 1, default: 0));

#define OF_ONE(f)                                                                                  \
    IS(float, f(1.0f)) IS(double, f(1.0)) IS(double, f(1)) IS(float, f((_Float16)1))               \
    IS(float, f((__bf16)1.0f)) IS(double, f(1L)) IS(double, f((short)1))
#define OF_TWO(f)                                                                                  \
    IS(float, f(1.0f, 1.0f)) IS(double, f(1.0, 1.0f)) IS(double, f(1.0f, 1.0))                     \
    IS(double, f(1, 1)) IS(float, f((_Float16)1, (_Float16)1))

KERNEL void types(int *checked)
{
    ONE(OF_ONE) FAST(OF_ONE) TWO(OF_TWO)
    IS(float, fma(1.0f, 1.0f, 1.0f)) IS(double, fma(1.0f, 1.0f, 1.0)) IS(double, fma(1, 2, 3))
    *checked = 1;
}

#define NAN_IS(x) assert((x) != (x));

/* What C's Annex F says, in T; i is 1, but not to the compiler. */
#define SPECIAL(T, i)                                                                              \
    {                                                                                              \
        T inf = (T)INFINITY * i, nan = (T)NAN * i, zero = i - i, minus = -zero;                    \
        NAN_IS(exp(nan)) NAN_IS(log(nan)) NAN_IS(sin(nan)) NAN_IS(tanh(nan)) NAN_IS(erf(nan))      \
        NAN_IS(sqrt(nan)) NAN_IS(sqrt(-i)) NAN_IS(log(-i)) NAN_IS(log2(-i)) NAN_IS(rsqrt(-i))      \
        NAN_IS(sin(inf)) NAN_IS(cos(inf)) NAN_IS(tan(-inf)) NAN_IS(fmod(i, zero))                  \
        NAN_IS(fmod(inf, i)) NAN_IS(fma(inf, zero, i)) NAN_IS(pow(-i, i / 2)) NAN_IS(cbrt(nan))    \
        NAN_IS(fmin(nan, nan)) NAN_IS(fma(inf, i, -inf)) NAN_IS(pow(nan, i)) NAN_IS(floor(nan))    \
        assert(exp(inf) == inf && exp(-inf) == 0 && exp2(inf) == inf && exp2(-inf) == 0);          \
        assert(log(inf) == inf && log(zero) == -inf && log2(minus) == -inf && log(i) == 0);        \
        assert(tanh(inf) == 1 && tanh(-inf) == -1 && erf(inf) == 1 && erf(-inf) == -1);            \
        assert(sqrt(inf) == inf && rsqrt(inf) == 0 && rsqrt(zero) == inf && cbrt(-inf) == -inf);   \
        assert(1 / sqrt(minus) == -inf && 1 / sin(minus) == -inf && 1 / tanh(minus) == -inf);      \
        assert(1 / cbrt(minus) == -inf && 1 / erf(minus) == -inf && 1 / tan(minus) == -inf);       \
        assert(1 / floor(minus) == -inf && 1 / ceil(-i / 2) == -inf && 1 / trunc(-i / 2) == -inf); \
        assert(1 / round(minus) == -inf && 1 / rint(-i / 4) == -inf && 1 / fabs(minus) == inf);    \
        assert(pow(nan, zero) == 1 && pow(i, nan) == 1 && pow(zero, zero) == 1);                   \
        assert(pow(-i, inf) == 1 && pow(zero, -i) == inf && pow(minus, -i) == -inf);               \
        assert(pow(-2 * i, 3 * i) == -8 && pow(2 * i, -inf) == 0 && pow(-inf, -3 * i) == 0);       \
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
    assert(floor(-1.5 * i) == -2 && ceil(-1.5 * i) == -1 && trunc(-1.5 * i) == -1);                \
    assert(round(2.5 * i) == 3 && round(-0.5 * i) == -1 && rint(2.5 * i) == 2);                    \
    assert(rint(3.5 * i) == 4 && rint(-0.5 * i) == 0 && fabs(-3 * i) == 3);                        \
    assert(sqrt(9 * i) == 3 && cbrt(27 * i) == 3 && rsqrt(4 * i) == (T)0.5);                       \
    assert(exp(0 * i) == 1 && exp2(10 * i) == 1024 && log2(8 * i) == 3 && cos(0 * i) == 1);        \
    assert(fmod((T)5.25 * i, 2 * i) == (T)1.25 && pow(3 * i, 4 * i) == 81 && sin(0 * i) == 0);     \
    assert(fma((T)3 * i, (T)4 * i, (T)5 * i) == 17 && exp2(-3 * i) == (T)0.125)

/* Is x within `units` units in the last place of y? */
static bool close(double x, double y, double unit)
{
    return fabs(x - y) <= unit * fabs(y);
}

KERNEL void values(int *checked, const float *f, const double *d)
{
    float i = *f;
    double j = *d, u = 0x1.1p-52, v = 0x1.1p-51;
    EXACT(float, i);
    EXACT(double, j);
    assert(round(0x1.fffffep-2f * i) == 0 && round(0x1.fffffffffffffp-2 * j) == 0);
    assert(floor(0x1p60 * j) == 0x1p60 && rint(8388609.0f * i) == 8388609.0f);
    assert(fmod(1e300 * j, 7 * j) == 1 && fmod(1e30f * i, 3 * i) == 0);

    assert(close(exp(1 * j), 2.71828182845904523536, u) && close(log(2 * j), 0.69314718055994530942, u));
    assert(close(exp2(0.5 * j), 1.41421356237309504880, u) && close(log2(3 * j), 1.58496250072115618145, u));
    assert(close(rsqrt(3 * j), 0.57735026918962576451, u) && close(sin(1 * j), 0.84147098480789650665, v));
    assert(close(cos(1 * j), 0.54030230586813971740, v) && close(tan(1 * j), 1.55740772465490223051, v));
    assert(close(tanh(0.5 * j), 0.46211715726000975850, v) && close(erf(0.5 * j), 0.52049987781304653768, v));
    assert(close(cbrt(2 * j), 1.25992104989487316477, v) && close(pow(2 * j, 0.5), 1.41421356237309504880, v));
    assert(close(sin(1e22 * j), -0.85220084976718880177, v));

    u = 0x1.1p-23, v = 0x1.1p-22;
    assert(close(exp(1 * i), 2.71828182845904523536, u) && close(log(2 * i), 0.69314718055994530942, u));
    assert(close(exp2(0.5f * i), 1.41421356237309504880, u) && close(log2(3 * i), 1.58496250072115618145, u));
    assert(close(rsqrt(3 * i), 0.57735026918962576451, u) && close(sin(1 * i), 0.84147098480789650665, v));
    assert(close(cos(1 * i), 0.54030230586813971740, v) && close(tan(1 * i), 1.55740772465490223051, v));
    assert(close(tanh(0.5f * i), 0.46211715726000975850, v) && close(erf(0.5f * i), 0.52049987781304653768, v));
    assert(close(cbrt(2 * i), 1.25992104989487316477, v) && close(pow(2 * i, 0.5f), 1.41421356237309504880, v));
    assert(close(fast_exp(1 * i), exp(1 * j), 1e-3) && close(fast_sin(1 * i), sin(1 * j), 1e-3));
    assert(close(fast_exp2(0.5f * i), exp2(0.5 * j), 1e-3) && close(fast_log(3 * i), log(3 * j), 1e-3));
    assert(close(fast_log2(3 * i), log2(3 * j), 1e-3) && close(fast_pow(3 * i, 2.5f), pow(3 * j, 2.5), 1e-3));
    assert(close(fast_cos(1 * i), cos(1 * j), 1e-3) && close(fast_tan(1 * i), tan(1 * j), 1e-3));
    assert(close(fast_tanh(1 * i), tanh(1 * j), 1e-3) && close(fast_rsqrt(3 * i), rsqrt(3 * j), 1e-3));
    *checked = 1;
}
