// exp10 expm1 log10 log1p, sinh cosh asinh acosh atanh, hypot: special values, exact ones, and
// others within their bound.
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

#define F 0x1.1p-22 /* two ULP of float and of double, at most */
#define D 0x1.1p-51

/* What C's Annex F says, in T; i is 1, but not to the compiler. */
#define SPECIAL(T, i)                                                                              \
    {                                                                                              \
        T inf = (T)INFINITY * i, nan = (T)NAN * i, zero = i - i, minus = -zero;                    \
        NAN_IS(exp10(nan));                                                                        \
        NAN_IS(expm1(nan));                                                                        \
        NAN_IS(log10(nan));                                                                        \
        NAN_IS(log1p(nan));                                                                        \
        NAN_IS(sinh(nan));                                                                         \
        NAN_IS(cosh(nan));                                                                         \
        NAN_IS(asinh(nan));                                                                        \
        NAN_IS(acosh(nan));                                                                        \
        NAN_IS(atanh(nan));                                                                        \
        NAN_IS(hypot(nan, i));                                                                     \
        NAN_IS(hypot(i, nan));                                                                     \
        NAN_IS(log10(-i));                                                                         \
        NAN_IS(log1p(-2 * i));                                                                     \
        NAN_IS(acosh(i / 2));                                                                      \
        NAN_IS(acosh(-inf));                                                                       \
        NAN_IS(atanh(2 * i));                                                                      \
        NAN_IS(atanh(-inf));                                                                       \
        assert(exp10(inf) == inf && exp10(-inf) == 0 && expm1(inf) == inf && expm1(-inf) == -1);   \
        assert(1 / expm1(minus) == -inf && 1 / expm1(zero) == inf && 1 / log10(i) == inf);         \
        assert(log10(zero) == -inf && log10(minus) == -inf && log10(inf) == inf);                  \
        assert(log1p(-i) == -inf && log1p(inf) == inf && 1 / log1p(minus) == -inf);                \
        assert(sinh(inf) == inf && sinh(-inf) == -inf && 1 / sinh(minus) == -inf);                 \
        assert(cosh(inf) == inf && cosh(-inf) == inf && cosh(minus) == 1);                         \
        assert(asinh(inf) == inf && asinh(-inf) == -inf && 1 / asinh(minus) == -inf);              \
        assert(1 / acosh(i) == inf && acosh(inf) == inf);                                          \
        assert(atanh(i) == inf && atanh(-i) == -inf && 1 / atanh(minus) == -inf);                  \
        assert(hypot(inf, nan) == inf && hypot(nan, -inf) == inf && hypot(-inf, i) == inf);        \
        assert(hypot(minus, -2 * i) == 2 && 1 / hypot(minus, minus) == inf);                       \
        assert(exp10(1e5f * i) == inf && exp10(-1e5f * i) == 0 && sinh(-1e5f * i) == -inf);        \
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
    assert(exp10(0 * i) == 1 && exp10(3 * i) == 1000 && exp10(-2 * j) == 0.01 &&
           exp10(22 * j) == 1e22 && exp10f(10) == 1e10f && exp10(-45 * i) == 0x1p-149f);
    assert(log10(1000 * i) == 3 && log10(1e15 * j) == 15 && log10(1e-3 * j) == -3);
    assert(hypot(3 * i, 4 * i) == 5 && hypot(5e-324 * j, 0) == 5e-324 &&
           hypot(3e38f * i, 0) == 3e38f && hypot(3e307 * j, 4e307 * j) == 5e307 &&
           hypot(3e-45f * i, 4e-45f) == 5.6e-45f);
    assert(sinh(1e-40f * i) == 1e-40f && expm1(-1e-310 * j) == -1e-310 &&
           log1p(1e-45f * i) == 1e-45f);
    assert(asinh(1e-310 * j) == 1e-310 && atanh(-1e-40f * i) == -1e-40f);
    assert(close(expm1(1e-5 * j), 1.0000050000166667083e-5, D));
    assert(close(expm1(1 * i), 1.7182818284590452354, F) &&
           close(expm1(-1 * j), -0.63212055882855767840, D));
    assert(close(log1p(1e-5 * j), 9.9999500003333308334e-6, D) &&
           close(log1p(2 * i), 1.0986122886681098, F));
    assert(close(sinh(1 * j), 1.1752011936438014569, D) &&
           close(sinh(1 * i), 1.1752011936438014569, F));
    assert(close(sinh(89 * i), 2.2448064e38, 1e-6) && close(cosh(89.4f * i), 3.3488628e38, 1e-6));
    assert(close(cosh(1 * j), 1.5430806348152437785, D) &&
           close(cosh(1 * i), 1.5430806348152437785, F));
    assert(close(asinh(1 * j), 0.88137358701954302523, D) &&
           close(asinh(-1 * i), -0.88137358701954302523, F));
    assert(close(asinh(1e30f * i), 69.770700, 1e-7) &&
           close(acosh(1e300 * j), 691.46867507877379, D));
    assert(close(acosh(2 * j), 1.3169578969248167086, D) &&
           close(acosh(2 * i), 1.3169578969248167086, F));
    assert(close(atanh(0.5 * j), 0.54930614433405484570, D) &&
           close(atanh(0.5f * i), 0.5493061443340548, F));
    assert(close(hypot(1 * j, 1), 1.4142135623730950488, D) &&
           close(hypot(1 * i, 2 * i), 2.2360679774997897, F));
    *checked = 1;
}
