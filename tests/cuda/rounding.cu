// Conversions and arithmetic with directed rounding, of float and double, and the bits of numbers.
// A number per function is the sum over threads of bits * (2 * thread + 1).
// run: -k to_integers -b 12 'u64[2,16]'
// expect: out: u64[2,16] = [[18446744065228668861,         141303365134,
// expect:                    18446744067818603470,          51109051918,
// expect:                    18446744065228668878,         141303365129,
// expect:                    18446744067818603487,          51109051913,
// expect:                    18446744065228668893,         141303365144,
// expect:                    18446744067818603502,          51109051928,
// expect:                    18446744065228668842,         141303365129,
// expect:                    18446744067818603451,          51109051913],
// expect:                   [         19327352739,         197028888052,
// expect:                       58546789155816398,    58546846155816462,
// expect:                             19327352756,         197028888047,
// expect:                       58546789155816415,    58546846155816457,
// expect:                             19327352771,         197028888062,
// expect:                       58546789155816430,    58546846155816472,
// expect:                             19327352720,         197028888047,
// expect:                       58546789155816379,    58546846155816457]]
// run: -k from_integers -b 8 'u64[2,15]'
// expect: out: u64[2,15] = [[        160218218506,          81872617482,
// expect:                            146439929866,          97450352650,
// expect:                     3679440900594860058, 15424771553395449856,
// expect:                            160218218485,          81872617439,
// expect:                            146439929830,          97450352598,
// expect:                     3679440900594860030, 15424771553395449825,
// expect:                            160218218498,          81872617492,
// expect:                            146439929869],
// expect:                   [         97450352662,  3679440900594860056,
// expect:                    15424771553395449876,         160218218497,
// expect:                             81872617439,         146439929855,
// expect:                             97450352598,  3679440900594860043,
// expect:                    15424771553395449825,  3006152756302970880,
// expect:                     7061538666765615104,         146439929925,
// expect:                            146439929870,         146439929909,
// expect:                            146439929895]]
// run: -k float_arithmetic -b 8 'u64[2,15]'
// expect: out: u64[2,15] = [[ 80701204258, 148793823492, 107936379388, 107650330754,
// expect:                     90106645884,  92106406629,  70556376883,  80701204253,
// expect:                    148793823450, 107936379358, 107650330720,  90106645875,
// expect:                     92106406599,  70556376874,  80701204289],
// expect:                   [148793823474, 107936379398, 107650330758,  90106645905,
// expect:                     92106406645,  70556376930, 108618491692, 148793823479,
// expect:                    107936379374, 107650330736,  90106645875,  92106406610,
// expect:                     70556376874,  68317149838,  55031020492]]
// run: -k double_arithmetic -b 6 'u64[2,14]'
// expect: out: u64[2,14] = [[ 5812970924205078809,  4904759744346682385,
// expect:                    14891954029115452520, 13277067826544651109,
// expect:                     1449490817756094477,  8244974168499103093,
// expect:                     6954119784228202159,  5812970924205078789,
// expect:                     4904759744346682374, 14891954029115452492,
// expect:                    13277067826544651095,  1449490817756094477,
// expect:                     8244974168499103081,  6954119784228202143],
// expect:                   [ 5812970924205078814,  4904759744346682394,
// expect:                    14891954029115452506, 13277067826544651107,
// expect:                     1449490817756094496,  8244974168499103101,
// expect:                     6954119784228202178,  5812970924205078800,
// expect:                     4904759744346682374, 14891954029115452506,
// expect:                    13277067826544651109,  1449490817756094477,
// expect:                     8244974168499103090,  6954119784228202143]]
// run: -k reinterpret -b 4 'f32[4]=1.5,-2,0.1,1e10' 'i32[20]'
// expect: out: i32[20] = [0, 0, 0, 0, 0, 1, 2, 3, 1, 1, 1, 1, 1, 1, 1, 1, 0, 1, 2, 3]
// run: -k interval -b 1 'f32[2]' 1000
// expect: bounds: f32[2] = [99.998665, 100.003044]
// run: -k two_floats -b 1 'f32[4]=1.1,1000.3,0.007,33333.3' 'f32[2]' 4
// expect: out: f32[2] = [1112109600.0, -25.751091]
#define EACH(value)                                                                                \
    {                                                                                              \
        const unsigned long long bits = (unsigned long long)(value) * (2 * threadIdx.x + 1);       \
        atomicAdd(&out[i++], bits);                                                                \
    }
#define MODES(X) X(rn) X(rz) X(ru) X(rd)
typedef unsigned long long u64;

__constant__ float floats[12] = {2.5f,       -2.5f, 3.75f, -3.75f, 0.5f,  -0.49999997f,
                                 8388609.0f, -1.5f, 3e9f,  -3e9f,  1e20f, -1e20f};
__constant__ double doubles[12] = {
    2.5, -2.5, 3.75, -3.75, 0.49999999999999994, -0.5, 4503599627370497.0, -1.5,
    3e9, -3e9, 1e20, -1e20};
__global__ void to_integers(u64 *out)
{
    int i = 0;
    const float f = floats[threadIdx.x];
    const double d = doubles[threadIdx.x];
#define FROM_FLOAT(m)                                                                              \
    EACH(__float2int_##m(f))                                                                       \
    EACH(__float2uint_##m(f)) EACH(__float2ll_##m(f)) EACH(__float2ull_##m(f))
#define FROM_DOUBLE(m)                                                                             \
    EACH(__double2int_##m(d))                                                                      \
    EACH(__double2uint_##m(d)) EACH(__double2ll_##m(d)) EACH(__double2ull_##m(d))
    MODES(FROM_FLOAT)
    MODES(FROM_DOUBLE)
}

__constant__ long long wholes[8] = {16777217,          -16777217,          16777219,
                                    2147483647,        -2147483647,        9007199254740993,
                                    -9007199254740995, 9223372036854775807};
#define FBITS(x) __float_as_uint(x)
#define DBITS(x) (u64) __double_as_longlong(x)
__global__ void from_integers(u64 *out)
{
    int i = 0;
    const long long w = wholes[threadIdx.x];
    const int n = (int)w;
    const unsigned u = (unsigned)w;
    const u64 z = (u64)w;
#define FROM_ALL(m)                                                                                \
    EACH(FBITS(__int2float_##m(n)))                                                                \
    EACH(FBITS(__uint2float_##m(u))) EACH(FBITS(__ll2float_##m(w)))                                \
        EACH(FBITS(__ull2float_##m(z))) EACH(DBITS(__ll2double_##m(w)))                            \
            EACH(DBITS(__ull2double_##m(z)))
    MODES(FROM_ALL)
    EACH(DBITS(__int2double_rn(n))) EACH(DBITS(__uint2double_rn(u))) const double d = w * 1.0000001;
#define NARROW(m) EACH(FBITS(__double2float_##m(d)))
    MODES(NARROW)
}

__constant__ float fx[8] = {1.0f, 0.1f, -3.3f, 16777216.0f, 1e-30f, 7.0f, 1e30f, 0.33333334f};
__constant__ float fy[8] = {3.0f, 0.2f, 7.7f, 1.0f, 1e-12f, -0.1f, 3e7f, 3.0f};
__constant__ float fz[8] = {1e-8f, -0.02f, 25.41f, -3.5f, 1e-42f, 0.7f, -1e30f, -1.0f};
__global__ void float_arithmetic(u64 *out)
{
    int i = 0;
    const float x = fx[threadIdx.x], y = fy[threadIdx.x], z = fz[threadIdx.x];
#define FLOATS(m)                                                                                  \
    EACH(FBITS(__fadd_##m(x, z)))                                                                  \
    EACH(FBITS(__fsub_##m(x, y))) EACH(FBITS(__fmul_##m(x, y))) EACH(FBITS(__fdiv_##m(x, y)))      \
        EACH(FBITS(__fmaf_##m(x, y, z))) EACH(FBITS(__frcp_##m(y)))                                \
            EACH(FBITS(__fsqrt_##m(fabsf(x))))
    MODES(FLOATS)
    EACH(FBITS(__frsqrt_rn(fabsf(y)))) EACH(FBITS(__saturatef(x)))
}
__constant__ double dx[6] = {1, 0.1, -3.3, 9007199254740992.0, 7, 1e300};
__constant__ double dy[6] = {3, 0.2, 7.7, 1, -0.1, 3e5};
__constant__ double dz[6] = {1e-17, -0.02, 25.41, -3.5, 0.7, -2.5e305};
__global__ void double_arithmetic(u64 *out)
{
    int i = 0;
    const double x = dx[threadIdx.x], y = dy[threadIdx.x], z = dz[threadIdx.x];
#define DOUBLES(m)                                                                                 \
    EACH(DBITS(__dadd_##m(x, z)))                                                                  \
    EACH(DBITS(__dsub_##m(x, y))) EACH(DBITS(__dmul_##m(x, y))) EACH(DBITS(__ddiv_##m(x, y)))      \
        EACH(DBITS(__fma_##m(x, y, z))) EACH(DBITS(__drcp_##m(y)))                                 \
            EACH(DBITS(__dsqrt_##m(fabs(x))))
    MODES(DOUBLES)
}

__global__ void reinterpret(const float *f, int *out)
{
    const int t = threadIdx.x;
    const int i = __float_as_int(f[t]);
    const double d = __hiloint2double(0x40090000 + t, i);
    out[t] = i ^ (int)__float_as_uint(f[t]);
    out[4 + t] = __double2hiint(d) - 0x40090000;
    out[8 + t] = __double2loint(d) == i;
    out[12 + t] = __int_as_float(i) == f[t] && __uint_as_float((unsigned)i) == f[t];
    out[16 + t] = (int)(__double_as_longlong(__longlong_as_double(t * 1234567ll)) / 1234567);
}

/* An interval by directed rounding has the exact sum of tenths in it. */
__global__ void interval(float *bounds, int n)
{
    float low = 0, high = 0;
    for (int i = 0; i < n; i++) {
        low = __fadd_rd(low, __fdiv_rd(1.0f, 10.0f));
        high = __fadd_ru(high, __fdiv_ru(1.0f, 10.0f));
    }
    bounds[0] = low;
    bounds[1] = high;
}

/* Double-float arithmetic: sums of two by Knuth, products by fma. */
__global__ void two_floats(const float *x, float *out, int n)
{
    float high = 0, low = 0;
    for (int i = 0; i < n; i++) {
        const float p = __fmul_rn(x[i], x[i]), e = __fmaf_rn(x[i], x[i], -p);
        const float s = __fadd_rn(high, p), v = __fsub_rn(s, high);
        low += __fadd_rn(__fsub_rn(high, __fsub_rn(s, v)), __fsub_rn(p, v)) + e;
        high = s;
    }
    out[0] = high;
    out[1] = low;
}
