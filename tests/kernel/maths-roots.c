// sqrt rsqrt cbrt: special values, exact ones, and others within their bound.
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
        NAN_IS(sqrt(nan)); NAN_IS(sqrt(-i)); NAN_IS(rsqrt(-i)); NAN_IS(cbrt(nan));                 \
        assert(sqrt(inf) == inf && rsqrt(inf) == 0 && rsqrt(zero) == inf && rsqrt(minus) == -inf); \
        assert(1 / sqrt(minus) == -inf && 1 / cbrt(minus) == -inf && cbrt(-inf) == -inf);          \
    }

KERNEL void special(int *checked, const float *f, const double *d)
{
    SPECIAL(float, *f)
    SPECIAL(double, *d)
    *checked = 1;
}

#define EXACT(T, i)                                                                                \
    assert(sqrt(9 * i) == 3 && cbrt(27 * i) == 3 && cbrt(-8 * i) == -2);                           \
    assert(rsqrt(4 * i) == (T)0.5 && sqrt(i / 4) == (T)0.5)

KERNEL void values(int *checked, const float *f, const double *d)
{
    float i = *f;
    double j = *d;
    EXACT(float, i);
    EXACT(double, j);
    assert(close(rsqrt(3 * j), 0.57735026918962576451, D));
    assert(close(rsqrt(3 * i), 0.57735026918962576451, F));
    assert(close(cbrt(2 * j), 1.25992104989487316477, 2 * D));
    assert(close(cbrt(2 * i), 1.25992104989487316477, 2 * F));
    assert(close(sqrt(2 * j), 1.41421356237309504880, D));
    assert(close(sqrt(2 * i), 1.41421356237309504880, F));
    assert(close(fast_rsqrt(3 * j), 0.57735026919, 1e-3) &&
           close(fast_rsqrt(3 * i), 0.57735026919, 1e-3));
    *checked = 1;
}
