// exp exp2 log log2 pow: special values, exact ones, and others within their bound.
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
        NAN_IS(exp(nan)); NAN_IS(exp2(nan)); NAN_IS(log(nan)); NAN_IS(log2(nan));                  \
        NAN_IS(log(-i)); NAN_IS(log2(-i)); NAN_IS(pow(-i, i / 2)); NAN_IS(pow(nan, i));            \
        assert(exp(inf) == inf && exp(-inf) == 0 && exp2(inf) == inf && exp2(-inf) == 0);          \
        assert(log(inf) == inf && log(zero) == -inf && log2(inf) == inf && log2(minus) == -inf);   \
        assert(pow(nan, zero) == 1 && pow(i, nan) == 1 && pow(zero, zero) == 1);                   \
        assert(pow(-i, inf) == 1 && pow(zero, -i) == inf && pow(minus, -i) == -inf);               \
        assert(pow(2 * i, -inf) == 0 && 1 / pow(-inf, -3 * i) == -inf);                            \
        assert(exp(1e5f * i) == inf && exp(-1e5f * i) == 0 && exp2(-1e5f * i) == 0);               \
    }

KERNEL void special(int *checked, const float *f, const double *d)
{
    SPECIAL(float, *f)
    SPECIAL(double, *d)
    *checked = 1;
}

#define EXACT(T, i)                                                                                \
    assert(exp(0 * i) == 1 && exp2(10 * i) == 1024 && exp2(-3 * i) == (T)0.125);                   \
    assert(log(i) == 0 && log2(8 * i) == 3 && log2(i / 4) == -2);                                  \
    assert(pow(3 * i, 4 * i) == 81 && pow(-2 * i, 3 * i) == -8 && pow(2 * i, -2 * i) == (T)0.25)

KERNEL void values(int *checked, const float *f, const double *d)
{
    float i = *f;
    double j = *d;
    EXACT(float, i);
    EXACT(double, j);
    assert(close(exp(1 * j), 2.71828182845904523536, D));
    assert(close(exp(1 * i), 2.71828182845904523536, F));
    assert(close(log(2 * j), 0.69314718055994530942, D));
    assert(close(log(2 * i), 0.69314718055994530942, F));
    assert(close(exp2(0.5 * j), 1.41421356237309504880, D));
    assert(close(exp2(0.5f * i), 1.41421356237309504880, F));
    assert(close(log2(3 * j), 1.58496250072115618145, D));
    assert(close(log2(3 * i), 1.58496250072115618145, F));
    assert(close(pow(2 * j, 0.5), 1.41421356237309504880, 2 * D));
    assert(close(pow(2 * i, 0.5f), 1.41421356237309504880, 2 * F));
    assert(close(fast_exp(1 * j), 2.71828182846, 1e-3) &&
           close(fast_exp(1 * i), 2.71828182846, 1e-3));
    assert(close(fast_exp2(0.5 * j), 1.41421356237, 1e-3) &&
           close(fast_exp2(0.5f * i), 1.41421356237, 1e-3));
    assert(close(fast_log(2 * j), 0.69314718056, 1e-3) &&
           close(fast_log(2 * i), 0.69314718056, 1e-3));
    assert(close(fast_log2(3 * j), 1.58496250072, 1e-3) &&
           close(fast_log2(3 * i), 1.58496250072, 1e-3));
    assert(close(fast_pow(2 * j, 0.5), 1.41421356237, 1e-3) &&
           close(fast_pow(2 * i, 0.5f), 1.41421356237, 1e-3));
    *checked = 1;
}
