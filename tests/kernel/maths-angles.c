// atan atan2 asin acos erfc: special values, exact ones, and others within their bound.
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
#define PI 3.14159265358979323846

/* What C's Annex F says, in T; i is 1, but not to the compiler. */
#define SPECIAL(T, i, E)                                                                           \
    {                                                                                              \
        T inf = (T)INFINITY * i, nan = (T)NAN * i, zero = i - i, minus = -zero;                    \
        NAN_IS(atan(nan));                                                                         \
        NAN_IS(atan2(nan, inf));                                                                   \
        NAN_IS(atan2(zero, nan));                                                                  \
        NAN_IS(erfc(nan));                                                                         \
        NAN_IS(asin(nan));                                                                         \
        NAN_IS(acos(nan));                                                                         \
        NAN_IS(asin(2 * i));                                                                       \
        NAN_IS(acos(-2 * i));                                                                      \
        NAN_IS(asin(inf));                                                                         \
        NAN_IS(acos(inf));                                                                         \
        assert(1 / atan(minus) == -inf && 1 / asin(minus) == -inf && 1 / acos(i) == inf);          \
        assert(close(atan(inf), PI / 2, E) && close(atan(-inf), -PI / 2, E));                      \
        assert(close(asin(-i), -PI / 2, E) && close(acos(-i), PI, E));                             \
        assert(close(acos(minus), PI / 2, E));                                                     \
        assert(1 / atan2(zero, zero) == inf && 1 / atan2(minus, zero) == -inf);                    \
        assert(close(atan2(zero, minus), PI, E) && close(atan2(minus, minus), -PI, E));            \
        assert(close(atan2(minus, -i), -PI, E) && 1 / atan2(minus, i) == -inf);                    \
        assert(close(atan2(i, minus), PI / 2, E) && close(atan2(-i, zero), -PI / 2, E));           \
        assert(1 / atan2(i, inf) == inf && close(atan2(-i, -inf), -PI, E));                        \
        assert(close(atan2(inf, -i), PI / 2, E) && close(atan2(-inf, inf), -PI / 4, E));           \
        assert(close(atan2(inf, -inf), 3 * PI / 4, E) && close(atan2(inf, inf), PI / 4, E));       \
        assert(erfc(inf) == 0 && erfc(-inf) == 2 && erfc(minus) == 1 && !signbit(erfc(inf)));      \
    }

KERNEL void special(int *checked, const float *f, const double *d)
{
    SPECIAL(float, *f, F)
    SPECIAL(double, *d, D)
    *checked = 1;
}

KERNEL void values(int *checked, const float *f, const double *d)
{
    float i = *f;
    double j = *d;
    assert(atan(1e-40f * i) == 1e-40f && asin(-1e-310 * j) == -1e-310 && erfc(1e-30f * i) == 1);
    assert(atan2(1e-45f * i, 1) == 1e-45f && atan2(5e-324 * j, 1) == 5e-324);
    assert(atan2(1e-40f * i, 1e38f) == 0 && close(atan2(1e-45f * i, -1e38f), PI, F));
    assert(close(atan2(3e38f * i, 3e38f), PI / 4, F) &&
           close(atan2(1e-45f * i, 1e-45f), PI / 4, F));
    assert(close(atan(1 * j), PI / 4, D) && close(atan(0.5f * i), 0.46364760900080611621, F));
    assert(close(atan(3 * j), 1.2490457723982544258, D) && close(atan(-1e30f * i), -PI / 2, F));
    assert(close(atan2(-1 * j, -2), -2.6779450445889871222, D));
    assert(close(atan2(1 * i, -2.0f), 2.6779450445889871222, F));
    assert(close(asin(0.25 * j), 0.25268025514207865349, D) &&
           close(asin(0.9f * i), 1.1197694649, F));
    assert(close(acos(0.25 * j), 1.3181160716528179658, D));
    assert(close(acos(0.99999994f * i), 3.4526698e-4, 1e-6) &&
           close(acos(-0.9 * j), 2.6905658417935309, D));
    assert(close(erfc(0.5 * j), 0.47950012218695346232, D) &&
           close(erfc(0.5f * i), 0.4795001221869535, F));
    assert(close(erfc(5 * j), 1.5374597944280348502e-12, D) &&
           close(erfc(5 * i), 1.537459794428e-12, F));
    assert(close(erfc(-2 * j), 1.9953222650189527342, D) && erfc(10.5f * i) == 0 &&
           erfc(28 * j) == 0);
    *checked = 1;
}
