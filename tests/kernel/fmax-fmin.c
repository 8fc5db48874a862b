// fmax and fmin of every pair of special values, signalling NaNs too, loaded, computed, or carried
// around a loop: the larger or smaller number, -0 less than +0, a NaN only if there is no number.
// run: -b 256 i32[1]
// expect: checked: i32[1] = [256]
#include <lanewise/kernel.h>

enum { COUNT = 16 };

static const unsigned values[COUNT] = {
    0x00000000, 0x80000000, 0x00000001, 0x80000001, 0x3f800000, 0xbf800000, 0x7f7fffff, 0xff7fffff,
    0x7f800000, 0xff800000, 0x7fc00000, 0xffc00000, 0x7f800001, 0xff800001, 0x7fa00000, 0x00800000};

static float of_bits(unsigned bits)
{
    union {
        unsigned bits;
        float value;
    } u = {bits};
    return u.value;
}

static unsigned long long bits_of(double value)
{
    union {
        double value;
        unsigned long long bits;
    } u = {value};
    return u.bits;
}

static double wide_of(unsigned bits)
{
    union {
        unsigned long long bits;
        double value;
    } u = {(unsigned long long)bits << 32};
    return u.value;
}

/* The larger by the order of the bits. */
static unsigned most(unsigned a, unsigned b)
{
    if ((a & 0x7fffffff) > 0x7f800000)
        return b;
    if ((b & 0x7fffffff) > 0x7f800000)
        return a;
    int x = a >> 31 ? ~(int)(a & 0x7fffffff) : (int)a;
    int y = b >> 31 ? ~(int)(b & 0x7fffffff) : (int)b;
    return x > y ? a : b;
}

static bool is(double value, unsigned bits)
{
    return value != value ? (bits & 0x7fffffff) > 0x7f800000
                          : bits_of(value) == bits_of((double)of_bits(bits));
}

static bool is_wide(double value, unsigned bits)
{
    return value != value ? (bits & 0x7fffffff) > 0x7ff00000
                          : bits_of(value) == (unsigned long long)bits << 32;
}

static unsigned of_double(unsigned bits) /* the same kind of value in the upper half of a double */
{
    unsigned exponent = bits & 0x7f800000, sign = bits & 0x80000000, fraction = bits & 0x7fffff;
    return exponent == 0x7f800000 ? sign | 0x7ff00000 | fraction >> 3 | (fraction & 1) : bits;
}

KERNEL void special(int *checked)
{
    int i = thread_idx.x % COUNT, j = thread_idx.x / COUNT % COUNT;
    volatile unsigned at = values[i], bt = values[j];
    unsigned a = at, b = bt;
    float x = of_bits(a), y = of_bits(b);
    assert(is(fmax(x, y), most(a, b)));
    assert(is(-fmin(-x, -y), most(a, b)));
    assert(is(fmax(x, 1.0f), most(a, 0x3f800000)) && is(fmax(-0.0f, x), most(0x80000000, a)));

    unsigned c = of_double(a), d = of_double(b);
    double v = wide_of(c), w = wide_of(d);
    double more = fmax(v, w);
    if (more != more)
        assert(v != v && w != w);
    else
        assert(is_wide(-fmin(-v, -w), (unsigned)(bits_of(more) >> 32)) && (more == v || more == w));
    if (v == w && v == 0)
        assert(bits_of(more) == (bits_of(v) & bits_of(w)));

    /* from a number, and from what may be none */
    float top = -INFINITY, low = INFINITY, from = x;
    unsigned want = 0xff800000, want_low = 0x7f800000, want_from = a;
    for (int k = 0; k < COUNT; k++) {
        unsigned next = values[(i + k * (j | 1)) % COUNT];
        top = fmax(top, of_bits(next));
        low = fmin(low, of_bits(next));
        from = fmax(from, of_bits(next));
        want = most(want, next);
        want_low = most(want_low ^ 0x80000000, next ^ 0x80000000) ^ 0x80000000;
        want_from = most(want_from, next);
        assert(is(top, want) && is(low, want_low) && is(from, want_from));
    }
    atomic_add(checked, 1);
}
