// Functions of mathematics by all of their names, for float and double. Results are scaled, rounded
// and printed as whole numbers, so what is printed does not depend on the last bit.
// run: -k floats_1 -b 1 'i64[7,7]' 0.625
// expect: out: i64[7,7] = [[  896,  1067,   675,   590,   559,   733,   855],
// expect:                  [ 1000,   811,  1202,  -383,   377,   346,   557],
// expect:                  [  623,   627,  4217,  1542,  1868,   868,   625],
// expect:                  [    0,   905,   297,   361,  -204,   486,  -678],
// expect:                  [-1000,  -470,  1000,   734,   319,  1170,  1000],
// expect:                  [ 1000,  1265,   585,   666,   924,   791,   721],
// expect:                  [  555,  1435,     0,  -278, -1217,  1100,   328]]
// run: -k doubles_1 -b 1 'i64[7,7]' 0.625
// expect: out: i64[7,7] = [[  895664794,  1066732432,   675131533,   590143686,
// expect:                     558599315,   733168534,   854987973],
// expect:                  [ 1000000000,   810963120,  1201753693,  -382683432,
// expect:                     376759118,   345617115,   556813881],
// expect:                  [  623240882,   627307348,  4216965034,  1542210825,
// expect:                    1868245957,   868245957,   625000000],
// expect:                  [          0,   904702223,   297487552,   360829495,
// expect:                    -204119983,   485507816,  -678071905],
// expect:                  [-1000000000,  -470003629,  1000000000,   734014471,
// expect:                     318639364,  1169607095,  1000000000],
// expect:                  [ 1000000000,  1264911064,   585097273,   666492264,
// expect:                     923879533,   790569415,   721484441],
// expect:                  [  554599722,  1434518848,           0,  -277546967,
// expect:                   -1217150103,  1100066464,   328009173]]
// run: -k floats_2 -b 1 'i64[23,2]' 0.625 2.3125 1.75
// expect: out: i64[23,2] = [[ 2878,  -625],
// expect:                   [ 1688,     0],
// expect:                   [  270,  3195],
// expect:                   [ 2312,   625],
// expect:                   [  438,  2395],
// expect:                   [ 4337,  -188],
// expect:                   [  417,  2967],
// expect:                   [ 3131,  3715],
// expect:                   [  337,   319],
// expect:                   [  269,  -188],
// expect:                   [ 4000,   867],
// expect:                   [ 3000, 10000],
// expect:                   [  156,  5000],
// expect:                   [ 3000,  -312],
// expect:                   [-2000,   182],
// expect:                   [ -467,  1000],
// expect:                   [ 7000, -2000],
// expect:                   [ 2000, -7000],
// expect:                   [  585,   811],
// expect:                   [  924,  -383],
// expect:                   [ 1000,  1000],
// expect:                   [    0,  1000],
// expect:                   [ 2312,   625]]
// run: -k doubles_2 -b 1 'i64[23,2]' 0.625 2.3125 1.75
// expect: out: i64[23,2] = [[ 2877628930,  -625000000],
// expect:                   [ 1687500000,           0],
// expect:                   [  270270270,  3195312500],
// expect:                   [ 2312500000,   625000000],
// expect:                   [  437500000,  2395470987],
// expect:                   [ 4336536913,  -187500000],
// expect:                   [  417454440,  2966611072],
// expect:                   [ 3130619947,  3714940275],
// expect:                   [  337084969,   319425551],
// expect:                   [  269183332,  -187500000],
// expect:                   [ 4000000000,   867187500],
// expect:                   [ 3000000000, 10000000000],
// expect:                   [  156250000,  5000000000],
// expect:                   [ 3000000000,  -312500000],
// expect:                   [-2000000000,   182222159],
// expect:                   [ -466832882,  1000000000],
// expect:                   [ 7000000000, -2000000000],
// expect:                   [ 2000000000, -7000000000],
// expect:                   [  585097273,   810963120],
// expect:                   [  923879533,  -382683432],
// expect:                   [ 1000000000,  1000000000],
// expect:                   [          0,  1000000000],
// expect:                   [ 2312500000,   625000000]]
// run: -k 'overloads<float>' -b 4 'f32[4]'
// expect: out: f32[4] = [10.5625, 13.25, 15.0625, 18.0]
// run: -k 'overloads<double>' -b 4 'f64[4]'
// expect: out: f64[4] = [18.5625, 21.25, 23.0625, 26.0]
// run: -k of_integers -b 4 'f64[4]'
// expect: out: f64[4] = [15.0, 19.0, 24.0, 34.0]
// run: -k fast -b 1 'i64[2,8]' 1.375
// expect: out: i64[2,8] = [[  981,   195,  5042,  3955, 23714,   318,   459,   138],
// expect:                  [ 2217,   458,   981,   195,  1000,     0,   853,   853]]
// run: -k special_values -b 12 'f32[12]'
// expect: out: f32[12] = [0.0, -inf, 3.0, 5.0, 1.0, 1.0, 3.0, inf, 5.0, -0.0, 32.0, 24.0]
#define F(value) out[i++] = llrintf((value) * 1000.0f);
#define D(value) out[i++] = __double2ll_rn((value) * 1e9);

__global__ void floats_1(long long *out, float x)
{
    int i = 0;
    F(acosf(x))
    F(acoshf(1 + x)) F(asinf(x)) F(asinhf(x)) F(atanf(x)) F(atanhf(x)) F(cbrtf(x)) F(ceilf(x))
        F(cosf(x)) F(coshf(x)) F(cospif(x)) F(erfcf(x)) F(erfcinvf(x)) F(erfcxf(x)) F(erff(x))
            F(erfinvf(x)) F(exp10f(x)) F(exp2f(x)) F(expf(x)) F(expm1f(x)) F(fabsf(-x)) F(floorf(x))
                F(j0f(x)) F(j1f(x)) F(lgammaf(x)) F(log10f(x)) F(log1pf(x)) F(log2f(x)) F(logbf(x))
                    F(logf(x)) F(nearbyintf(x)) F(normcdff(x)) F(normcdfinvf(x)) F(rcbrtf(x))
                        F(rintf(x)) F(roundf(x)) F(rsqrtf(x)) F(sinf(x)) F(sinhf(x)) F(sinpif(x))
                            F(sqrtf(x)) F(tanf(x)) F(tanhf(x)) F(tgammaf(x)) F(truncf(x)) F(y0f(x))
                                F(y1f(x)) F(cyl_bessel_i0f(x)) F(cyl_bessel_i1f(x))
}
__global__ void doubles_1(long long *out, double x)
{
    int i = 0;
    D(acos(x))
    D(acosh(1 + x)) D(asin(x)) D(asinh(x)) D(atan(x)) D(atanh(x)) D(cbrt(x)) D(ceil(x)) D(cos(x))
        D(cosh(x)) D(cospi(x)) D(erfc(x)) D(erfcinv(x)) D(erfcx(x)) D(erf(x)) D(erfinv(x))
            D(exp10(x)) D(exp2(x)) D(exp(x)) D(expm1(x)) D(fabs(-x)) D(floor(x)) D(j0(x)) D(j1(x))
                D(lgamma(x)) D(log10(x)) D(log1p(x)) D(log2(x)) D(logb(x)) D(log(x)) D(nearbyint(x))
                    D(normcdf(x)) D(normcdfinv(x)) D(rcbrt(x)) D(rint(x)) D(round(x)) D(rsqrt(x))
                        D(sin(x)) D(sinh(x)) D(sinpi(x)) D(sqrt(x)) D(tan(x)) D(tanh(x))
                            D(tgamma(x)) D(trunc(x)) D(y0(x)) D(y1(x)) D(cyl_bessel_i0(x))
                                D(cyl_bessel_i1(x))
}

__global__ void floats_2(long long *out, float x, float y, float z)
{
    int i = 0, e, q;
    float a, b;
    const float v[5] = {x, y, z, 1, 2};
    F(atan2f(x, -y))
    F(copysignf(x, -y)) F(fdimf(y, x)) F(fdimf(x, y)) F(fdividef(x, y)) F(fmaf(x, y, z))
        F(fmaxf(x, y)) F(fminf(x, y)) F(fmodf(y, x)) F(hypotf(x, y)) F(powf(y, z))
            F(remainderf(y, x)) F(rhypotf(x, y)) F(norm3df(x, y, z)) F(norm4df(x, y, z, 1))
                F(normf(5, v)) F(rnorm3df(x, y, z)) F(rnorm4df(x, y, z, 1)) F(rnormf(5, v))
                    F(remquof(y, x, &q)) F(q) F(frexpf(y * 3, &e)) F(e) F(ldexpf(x, 4))
                        F(scalbnf(x, -2)) F(scalblnf(x, 3)) F(ilogbf(y * 5)) F(modff(-y, &a)) F(a)
                            F(jnf(3, y)) F(ynf(2, y)) F(nextafterf(x, y) > x) F(lrintf(y * 3))
                                F(llrintf(-y)) F(lroundf(y)) F(llroundf(-y * 3)) sincosf(x, &a, &b);
    F(a) F(b) sincospif(x, &a, &b);
    F(a)
    F(b) F(isfinite(x)) F(isinf(x / 0.0f)) F(isnan(x - x)) F(signbit(-x) != 0) F(max(x, y))
        F(min(x, z))
}
__global__ void doubles_2(long long *out, double x, double y, double z)
{
    int i = 0, e, q;
    double a, b;
    const double v[5] = {x, y, z, 1, 2};
    D(atan2(x, -y))
    D(copysign(x, -y)) D(fdim(y, x)) D(fdim(x, y)) D(x / y) D(fma(x, y, z)) D(fmax(x, y))
        D(fmin(x, y)) D(fmod(y, x)) D(hypot(x, y)) D(pow(y, z)) D(remainder(y, x)) D(rhypot(x, y))
            D(norm3d(x, y, z)) D(norm4d(x, y, z, 1)) D(norm(5, v)) D(rnorm3d(x, y, z))
                D(rnorm4d(x, y, z, 1)) D(rnorm(5, v)) D(remquo(y, x, &q)) D(q) D(frexp(y * 3, &e))
                    D(e) D(ldexp(x, 4)) D(scalbn(x, -2)) D(scalbln(x, 3)) D(ilogb(y * 5))
                        D(modf(-y, &a)) D(a) D(jn(3, y)) D(yn(2, y)) D(nextafter(x, y) > x)
                            D(lrint(y * 3)) D(llrint(-y)) D(lround(y)) D(llround(-y * 3))
                                sincos(x, &a, &b);
    D(a) D(b) sincospi(x, &a, &b);
    D(a)
    D(b) D(isfinite(x)) D(isinf(x / 0.0)) D(isnan(x - x)) D(signbit(-x) != 0) D(max(x, y))
        D(min(x, z))
}

/* C++ takes the type's own by overloads, std:: too; a whole number counts as double. */
template <class T> __global__ void overloads(T *out)
{
    const T x = T(threadIdx.x + 1) / 4;
    out[threadIdx.x] = sqrt(x * x) + std::floor(x) + std::abs(-x) + fmin(x, T(1)) + pow(x, 2) +
                       exp(x - x) + std::max(x, T(0)) + min(T(1), x) + round(x) + fabs(-x) +
                       sizeof(sin(x)) + sizeof(std::log(x));
}
__global__ void of_integers(double *out)
{
    const int n = threadIdx.x + 1;
    out[threadIdx.x] = sqrt(double(n * n)) + sqrt(16) + pow(2, n) + floor(n / 2.0) + sizeof(cos(n));
}

__global__ void fast(long long *out, float x)
{
    int i = 0;
    float s, c;
    __sincosf(x, &s, &c);
    F(__sinf(x))
    F(__cosf(x)) F(__tanf(x)) F(__expf(x)) F(__exp10f(x)) F(__logf(x)) F(__log2f(x)) F(__log10f(x))
        F(__powf(x, 2.5f)) F(__fdividef(x, 3)) F(s) F(c) F(__saturatef(x)) F(__saturatef(-x))
            F(rsqrtf(x)) F(__frsqrt_rn(x))
}

__global__ void special_values(float *out)
{
    const float inf = __int_as_float(0x7f800000), nan = nanf("");
    float r = 0;
    switch (threadIdx.x) {
    case 0: r = expf(-inf); break;
    case 1: r = logf(0); break;
    case 2: r = fmaxf(nan, 3); break;
    case 3: r = fminf(5, nan); break;
    case 4: r = powf(nan, 0); break;
    case 5: r = atan2f(0, -1) > 3.1415f; break;
    case 6: r = isnan(sqrtf(-1)) + 2 * isnan(inf - inf); break;
    case 7: r = rsqrtf(0); break;
    case 8: r = fmodf(5, inf); break;
    case 9: r = roundf(-0.4f); break;
    case 10: r = rintf(2.5f) + 10 * roundf(2.5f); break;
    case 11: r = tgammaf(5); break;
    }
    out[threadIdx.x] = r;
}
