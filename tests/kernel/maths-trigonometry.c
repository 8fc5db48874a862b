// sin cos tan tanh erf: special values, exact ones, and others within their bound.
// run: -k special -b 1 i32[1] f32[1]=1 f64[1]=1
// expect: checked: i32[1] = [1]
// run: -k values -b 1 i32[1] f32[1]=1 f64[1]=1
// expect: checked: i32[1] = [1]
#include <lanewise/kernel.h>

#define NAN_IS(x) assert((x) != (x))

/* Is x within the relative error? */
static bool close(double x, double y, double error)
{
    double distance = x > y ? x - y : y - x;
    return distance <= error * (y < 0 ? -y : y);
}

#define F 0x1.1p-23 /* an ULP of float and of double, at most; functions within 2 have twice that */
#define D 0x1.1p-52

/* What C's Annex F says, in T; i is 1, but not to the compiler. */
#define SPECIAL(T, i)                                                                              \
    {                                                                                              \
        T inf = (T)INFINITY * i, nan = (T)NAN * i, zero = i - i, minus = -zero;                    \
        NAN_IS(sin(nan)); NAN_IS(cos(nan)); NAN_IS(tan(nan)); NAN_IS(tanh(nan));                   \
        NAN_IS(sin(inf)); NAN_IS(cos(inf)); NAN_IS(tan(-inf)); NAN_IS(erf(nan));                   \
        assert(tanh(inf) == 1 && tanh(-inf) == -1 && erf(inf) == 1 && erf(-inf) == -1);            \
        assert(1 / sin(minus) == -inf && 1 / tan(minus) == -inf && cos(minus) == 1);               \
        assert(1 / tanh(minus) == -inf && 1 / erf(minus) == -inf && 1 / sin(zero) == inf);         \
    }

KERNEL void special(int *checked, const float *f, const double *d)
{
    SPECIAL(float, *f)
    SPECIAL(double, *d)
    *checked = 1;
}

KERNEL void values(int *checked, const float *f, const double *d)
{
    float i = *f;
    double j = *d;
    assert(close(sin(1 * j), 0.84147098480789650665, 2 * D));
    assert(close(sin(1 * i), 0.84147098480789650665, 2 * F));
    assert(close(cos(1 * j), 0.54030230586813971740, 2 * D));
    assert(close(cos(1 * i), 0.54030230586813971740, 2 * F));
    assert(close(tan(1 * j), 1.55740772465490223051, 2 * D));
    assert(close(tan(1 * i), 1.55740772465490223051, 2 * F));
    assert(close(tanh(0.5 * j), 0.46211715726000975850, 2 * D));
    assert(close(tanh(0.5f * i), 0.46211715726000975850, 2 * F));
    assert(close(erf(0.5 * j), 0.52049987781304653768, 2 * D));
    assert(close(erf(0.5f * i), 0.52049987781304653768, 2 * F));
    assert(close(fast_sin(1 * j), 0.84147098481, 1e-3) &&
           close(fast_sin(1 * i), 0.84147098481, 1e-3));
    assert(close(fast_cos(1 * j), 0.54030230587, 1e-3) &&
           close(fast_cos(1 * i), 0.54030230587, 1e-3));
    assert(close(fast_tan(1 * j), 1.55740772465, 1e-3) &&
           close(fast_tan(1 * i), 1.55740772465, 1e-3));
    assert(close(fast_tanh(0.5 * j), 0.46211715726, 1e-3) &&
           close(fast_tanh(0.5f * i), 0.46211715726, 1e-3));
    assert(close(sin(1e22 * j), -0.85220084976718880177, 2 * D));
    *checked = 1;
}
