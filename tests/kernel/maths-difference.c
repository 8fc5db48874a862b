// fdim remainder nearbyint: exact; special values, halves to even, signs of zero.
// run: -b 1 i32[1] f32[1]=1 f64[1]=1
// expect: checked: i32[1] = [1]
#include <lanewise/kernel.h>

#define NAN_IS(x) assert((x) != (x))

/* i is 1, but not to the compiler. */
#define CHECK(T, i)                                                                                \
    {                                                                                              \
        T inf = (T)INFINITY * i, nan = (T)NAN * i, zero = i - i, minus = -zero;                    \
        NAN_IS(fdim(nan, i)); NAN_IS(fdim(i, nan)); NAN_IS(remainder(i, zero));                    \
        NAN_IS(remainder(inf, i)); NAN_IS(remainder(i, nan)); NAN_IS(remainder(nan, inf));         \
        NAN_IS(nearbyint(nan));                                                                    \
        assert(fdim(5 * i, 2 * i) == 3 && 1 / fdim(2 * i, 5 * i) == inf && fdim(inf, i) == inf);   \
        assert(1 / fdim(inf, inf) == inf && fdim(-i, -inf) == inf && 1 / fdim(-inf, i) == inf);    \
        assert(remainder(i, inf) == 1 && 1 / remainder(minus, i) == -inf);                         \
        assert(remainder(5 * i, 3 * i) == -1 && remainder(-5 * i, 3 * i) == 1);                    \
        assert(remainder(3 * i, 2 * i) == -1 && remainder(5 * i, 2 * i) == 1);                     \
        assert(remainder(i, -2 * i) == 1 && remainder(-i, 2 * i) == -1);                           \
        assert(1 / remainder(6 * i, 3 * i) == inf && 1 / remainder(-6 * i, 3 * i) == -inf);        \
        assert(nearbyint((T)2.5 * i) == 2 && nearbyint((T)3.5 * i) == 4);                          \
        assert(1 / nearbyint((T)-0.25 * i) == -inf);                                               \
    }

KERNEL void check(int *checked, const float *f, const double *d)
{
    float i = *f;
    double j = *d;
    CHECK(float, i)
    CHECK(double, j)
    assert(remainder(0x1.fffffep127f * i, 0x1.fffffcp127f) == 0x1p104f);
    assert(remainder(3 * (0x1p-149f * i), 0x1p-148f) == -0x1p-149f);
    assert(remainder(1e300 * j, 7 * j) == 1 && remainder(1e30f * i, 3 * i) == 0);
    assert(fdimf(1e30f, 1e-30f * i) == 1e30f && remainderf(7.5f * i, 2) == -0.5f);
    assert(_Generic(fdim(i, i), float: 1) && _Generic(remainder(i, j), double: 1) &&
           _Generic(nearbyint(1), double: 1) && _Generic(nearbyintf(j), float: 1));
    *checked = 1;
}
