// frexp ldexp scalbn logb: apart and together again, of zeros, subnormal and special numbers; the
// exponent goes to a variable of the thread's own, of others' memory or of the block's.
// run: -k apart -b 8 f32[8] f32[8] 'f32[8]=0,-0.0,9,-0.3,1e-45,1.1754942e-38,inf,nan'
// expect: out: f32[8] = [0.0, -0.0, 4.5625, -1.6, -147.5, -125.0, inf, nan]
// expect: exponents: f32[8] = [-inf, -inf, 3.0, -2.0, -149.0, -127.0, inf, nan]
// run: -k apart_double -b 8 f64[8] f64[8] 'f64[8]=0,-0.0,9,-0.3,5e-324,2.225073858507201e-308,-inf,nan'
// expect: out: f64[8] = [0.0, -0.0, 4.5625, -1.6, -1072.5, -1021.0, -inf, nan]
// expect: exponents: f64[8] = [-inf, -inf, 3.0, -2.0, -1074.0, -1023.0, inf, nan]
// run: -k together -b 8 f32[8] f64[8] 'f32[8]=1,1,1.9999999,-3,1e-45,inf,0.75,-0.0' 'i32[8]=127,128,127,-150,149,-2147483648,-148,2147483647'
// expect: out: f32[8] = [1.7014118e+38, inf, 3.4028235e+38, -3e-45, 1.0, inf, 3e-45, -0.0]
// expect: wide: f64[8] = [1.7014118346046923e+38, 3.402823669209385e+38, 3.4028234663852886e+38, -2.1019476964872256e-45, 1.0, inf, 2.1019476964872256e-45, -0.0]
// run: -k where -b 33 i32[33] 'f32[33]=iota'
// expect: out: i32[33] = [0, 1, 2, 2, 3, 3, 3, 3, 4, 4, 4, 4, 4, 4, 4, 4, 5, 5, 5, 5, 5, 5, 5, 5, 5, 5, 5, 5, 5, 5, 5, 5, 6]
#include <lanewise/kernel.h>

KERNEL void apart(float *out, float *exponents, const float *in)
{
    int i = thread_idx.x, exponent;
    float fraction = frexp(in[i], &exponent);
    out[i] = fraction + (float)exponent;
    if (exponent == 0)
        out[i] = fraction;
    exponents[i] = logb(in[i]);
}

KERNEL void apart_double(double *out, double *exponents, const double *in)
{
    int i = thread_idx.x, exponent;
    double fraction = frexp(in[i], &exponent);
    out[i] = fraction + exponent;
    if (exponent == 0)
        out[i] = fraction;
    exponents[i] = logb(in[i]);
}

KERNEL void together(float *out, double *wide, const float *in, const int *exponent)
{
    int i = thread_idx.x;
    out[i] = ldexp(in[i], exponent[i]);
    wide[i] = ldexp((double)in[i], exponent[i]);
    float x = scalbn(in[i], exponent[i]), y = ldexpf(in[i], exponent[i]);
    assert(x == out[i] && y == out[i] && scalbnf(in[i], exponent[i]) == x);
    assert(_Generic(ldexp(in[i], 1), float: 1) && _Generic(frexp(1, &(int){0}), double: 1));
    assert(_Generic(ldexp((_Float16)2, 1), float: 1) && _Generic(logb(2), double: 1));
}

/* Some threads by way of an array, chosen by index; others straight into block memory. */
KERNEL void where(int *out, const float *in)
{
    SHARED int kept[64];
    int i = thread_idx.x, own[4] = {9, 9, 9, 9};
    if (i % 2) {
        float fraction = frexpf(in[i], &own[i % 4]);
        kept[i] = own[i % 4];
        assert(fraction == logb(in[i]) * 0 + fraction && own[(i + 1) % 4] == 9);
    } else {
        frexp(in[i], &kept[i]);
    }
    barrier();
    out[i] = kept[i];
}
