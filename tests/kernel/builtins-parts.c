// frexp, ldexp, modf and powi: of zeros, subnormal and special numbers, with one rounding;
// exponents that do not fit; where only some threads call them, and where all do with the same.
// run: -k apart -b 8 f32[8] i32[8] 'f32[8]=0,-0.0,9,-0.3,1e-45,1.1754942e-38,inf,nan'
// expect: out: f32[8] = [0.0, -0.0, 0.5625, -0.6, 0.5, 0.9999999, inf, nan]
// expect: exponent: i32[8] = [0, 0, 4, -1, -148, -126, 0, 0]
// run: -k apart_double -b 8 f64[8] i32[8] 'f64[8]=0,-0.0,9,-0.3,5e-324,2.225073858507201e-308,-inf,nan'
// expect: out: f64[8] = [0.0, -0.0, 0.5625, -0.6, 0.5, 0.9999999999999998, -inf, nan]
// expect: exponent: i32[8] = [0, 0, 4, -1, -1073, -1022, 0, 0]
// run: -k together -b 12 f32[12] 'f32[12]=1,1,1.9999999,-3,1e-45,1e-45,inf,0.75,0.8125,-0.0,3.4e38,5' 'i32[12]=127,128,127,-150,149,277,-2147483648,-148,-150,2147483647,-2147483648,-152'
// expect: out: f32[12] = [1.7014118e+38, inf, 3.4028235e+38, -3e-45, 1.0, inf, inf, 3e-45, 0.0, -0.0, 0.0, 1e-45]
// run: -k together_double -b 8 f64[8] 'f64[8]=1,1,5e-324,-1.75,1.25,1.7e308,nan,3' 'i32[8]=1023,1024,2097,-1074,-1073,-2147483648,4,2147483647'
// expect: out: f64[8] = [8.98846567431158e+307, inf, 8.98846567431158e+307, -1e-323, 1e-323, 0.0, nan, inf]
// run: -k powers -b 10 f32[10] f64[10] 'f32[10]=2,-2,1.1,10,0,-0.0,inf,-3,0.5,nan' 'i32[10]=10,-3,7,-2,0,-1,-1,2147483647,-2147483648,0'
// expect: out: f32[10] = [1024.0, -0.125, 1.9487174, 0.01, 1.0, -inf, 0.0, -inf, inf, 1.0]
// expect: wide: f64[10] = [1024.0, -0.125, 1.9487173956611588, 0.01, 1.0, -inf, 0.0, -inf, inf, 1.0]
// run: -k whole -b 8 f64[16] f32[16] 'f64[8]=9.5,-9.5,-0.0,inf,-inf,nan,-0.25,1e300'
// expect: out: f64[16] = [9.0, -9.0, -0.0, inf, -inf, nan, -0.0, 1e+300, 0.5, -0.5, -0.0, 0.0, -0.0, nan, -0.25, 0.0]
// expect: narrow: f32[16] = [9.0, -9.0, -0.0, inf, -inf, nan, -0.0, inf, 0.5, -0.5, -0.0, 0.0, -0.0, nan, -0.25, 0.0]
// run: -k some -b 4 f32[4] i32[4] 'f32[4]=5,6,7,8'
// expect: out: f32[4] = [25.875, 7.5, 25.875, 516.0]
// expect: exponent: i32[4] = [13, 3, 13, 4]
#include <lanewise/kernel.h>

KERNEL void apart(float *out, int *exponent, const float *in)
{
    int i = thread_idx.x;
    out[i] = __builtin_frexpf(in[i], &exponent[i]);
}

KERNEL void apart_double(double *out, int *exponent, const double *in)
{
    int i = thread_idx.x;
    out[i] = __builtin_frexp(in[i], &exponent[i]);
}

KERNEL void together(float *out, const float *in, const int *exponent)
{
    int i = thread_idx.x;
    out[i] = __builtin_ldexpf(in[i], exponent[i]);
}

KERNEL void together_double(double *out, const double *in, const int *exponent)
{
    int i = thread_idx.x;
    out[i] = __builtin_ldexp(in[i], exponent[i]);
}

KERNEL void powers(float *out, double *wide, const float *in, const int *n)
{
    int i = thread_idx.x;
    out[i] = __builtin_powif(in[i], n[i]);
    wide[i] = __builtin_powi(in[i], n[i]);
}

KERNEL void whole(double *out, float *narrow, const double *in)
{
    int i = thread_idx.x;
    double rest = __builtin_modf(in[i], &out[i]);
    out[8 + i] = rest;
    narrow[8 + i] = __builtin_modff((float)in[i], &narrow[i]);
}

KERNEL void some(float *out, int *exponent, const float *in)
{
    int i = thread_idx.x, all;
    float same = __builtin_frexpf(in[2] * 1024, &all) + __builtin_powif(in[0], 2);
    exponent[i] = all;
    out[i] = same;
    if (i & 1)
        out[i] =
            __builtin_scalbnf(__builtin_frexpf(in[i], &exponent[i]), i) + __builtin_powif(in[i], i);
}
