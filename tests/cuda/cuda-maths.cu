// CUDA's maths beyond <math.h>, overloads by the type of the argument, and ends of ranges.
// run: -k maths -g 1 -b 1 'i32[1]=0'
// expect: wrong: i32[1] = [0]
// run: -k special -g 1 -b 1 'i32[1]=0'
// expect: wrong: i32[1] = [0]
#include <math_constants.h>

#define CHECK(condition) *wrong += (condition) ? 0 : 1
#define NEAR(a, b, part) CHECK(fabs((double)(a) - (b)) <= (part)*fabs((double)(b)))

__global__ void maths(int *wrong)
{
    int n;
    float w, s, c;
    double v;
    CHECK(frexp(12.0, &n) == 0.75 && n == 4 && frexpf(0.0f, &n) == 0 && n == 0);
    CHECK(modf(-3.5, &v) == -0.5 && v == -3);
    CHECK(modff(-CUDART_INF_F, &w) == 0 && w == -CUDART_INF_F);
    CHECK(ilogb(8.0) == 3 && ilogbf(0) == (int)0x80000000 && ilogb(CUDART_INF) == 0x7fffffff);
    CHECK(llrint(2.5) == 2 && llround(2.5) == 3 && lrintf(-2.5f) == -2 && lround(-2.5) == -3);
    CHECK(remquo(10.0, 3.0, &n) == 1 && (n & 7) == 3 && remquo(-11.0, 3.0, &n) == 1 && n == -4);
    CHECK(remquof(29.0f, 3.0f, &n) == -1 && (n & 7) == 2);
    CHECK(remquo(3.0, CUDART_INF, &n) == 3 && n == 0);
    CHECK(sinpi(1.0) == 0 && cospi(0.5) == 0 && sinpi(0.5) == 1 && cospi(1.0) == -1);
    CHECK(sinpi(1.5) == -1 && cospif(2.0f) == 1 && sinpif(-0.5f) == -1 && cospi(1e300) == 1);
    CHECK(norm3d(2.0, 3.0, 6.0) == 7 && norm4df(2, 4, 4, 0) == 6);
    CHECK(nextafterf(0, 1) == 0x1p-149f && nextafter(1.0, 0.0) == 1 - 0x1p-53);
    CHECK(scalbn(1.0, 10) == 1024 && ldexpf(3, -1) == 1.5f && fdim(3.f, 1.f) == 2);
    CHECK(fmaf(2, 3, 4) == 10 && isnan(CUDART_NAN) && isinf(-CUDART_INF_F) && signbit(-0.0f));
    CHECK(pow(2.0, 10) == 1024 && powf(2, -1) == 0.5f && rsqrt(4.0) == 0.5);
    NEAR(exp10(2.0), 100, 1e-15);
    NEAR(__expf(1), 2.718281828459045, 1e-7);
    NEAR(rhypot(3.0, 4.0), 0.2, 1e-15);
    sincospi(0.5f, &s, &c);
    CHECK(s == 1 && c == 0 && __fdividef(1, 4) == 0.25f);
    CHECK(max(1, 2u) == 2u && min(-1, 1u) == 1u && max(1.0f, 2.0) == 2.0 && min(3ll, 2ll) == 2);
    CHECK(max(0.0f, CUDART_NAN_F) == 0 && std::max(3, 4) == 4);
    CHECK(abs(-3) == 3 && abs(-3.5f) == 3.5f && std::abs(-2.0) == 2 && llabs(-5ll) == 5);
    CHECK(sizeof(sin(1.0f)) == 4 && sizeof(sin(1)) == 8 && sizeof(std::pow(1.0f, 2.0f)) == 4);
}

/* The values on the right are those of SciPy 1.17. */
__global__ void special(int *wrong)
{
    NEAR(lgamma(10.5), 13.940625219403763, 1e-15);
    NEAR(lgamma(-0.5), 1.2655121234846454, 1e-15);
    NEAR(tgamma(5.0), 24, 1e-15);
    NEAR(tgammaf(0.5f), 1.772453850905516, 1e-7);
    NEAR(erfinv(0.5), 0.4769362762044699, 1e-15);
    NEAR(erfcinv(1e-10), 4.572824967389486, 1e-15);
    NEAR(erfcx(30.0), 0.018795888861416751, 1e-15);
    NEAR(normcdf(-3.0), 0.0013498980316300945, 1e-15);
    NEAR(normcdfinv(0.975), 1.959963984540054, 1e-15);
    NEAR(j0(1.0), 0.7651976865579666, 1e-15);
    NEAR(j1f(2.0f), 0.5767248077568734, 1e-7);
    NEAR(jn(3, 10.0), 0.05837937930518667, 1e-13);
    NEAR(y0(3.0), 0.37685001001279045, 1e-14);
    NEAR(y1(30.0), 0.084425570661747135, 1e-14);
    NEAR(yn(2, 1.0), -1.6506826068162546, 1e-15);
    NEAR(cyl_bessel_i0(2.0), 2.279585302336067, 1e-15);
    CHECK(isinf(lgamma(0.0)) && isnan(tgamma(-1.0)) && erfinv(1.0) == CUDART_INF);
}
