/* more_f64.c - more.inc on double. */
#include "devlib.h"

/* v, negated where x is. */
static inline double with_sign_f64(double v, double x)
{
    return from_bits_f64(bits_f64(v) ^ (bits_f64(x) & UINT64_C(0x8000000000000000)));
}

/* (atan(t) - t) / t^3 of z = t^2, up to t = tan(pi/8) */
static inline double atan_poly_f64(double z)
{
    double p = -0x1.25645f49d2e2cp-6;
    p = fma_f64(p, z, 0x1.37d3c3de72b6fp-5);
    p = fma_f64(p, z, -0x1.9cd2544723a04p-5);
    p = fma_f64(p, z, 0x1.df0f460b07983p-5);
    p = fma_f64(p, z, -0x1.10ebb910de518p-4);
    p = fma_f64(p, z, 0x1.3b111943e82e6p-4);
    p = fma_f64(p, z, -0x1.745cf8df79ef3p-4);
    p = fma_f64(p, z, 0x1.c71c70e62b6dbp-4);
    p = fma_f64(p, z, -0x1.24924922ad87ap-3);
    p = fma_f64(p, z, 0x1.999999999586p-3);
    return fma_f64(p, z, -0x1.555555555553dp-2);
}

/* (asin(s) - s) / s^3 of z = s^2, up to s = 1/2 */
static inline double asin_poly_f64(double z)
{
    double p = 0x1.0bb00b73193fbp-5;
    p = fma_f64(p, z, -0x1.59536d0c3fc5ep-6);
    p = fma_f64(p, z, 0x1.6491ee57e28fep-6);
    p = fma_f64(p, z, 0x1.e2c0f719a466cp-9);
    p = fma_f64(p, z, 0x1.6173cc4a7074bp-7);
    p = fma_f64(p, z, 0x1.757b80c790e8fp-7);
    p = fma_f64(p, z, 0x1.ca20cd4818b8fp-7);
    p = fma_f64(p, z, 0x1.1c49e2c32002ap-6);
    p = fma_f64(p, z, 0x1.6e8bdfa60d029p-6);
    p = fma_f64(p, z, 0x1.f1c71a8dc61a7p-6);
    p = fma_f64(p, z, 0x1.6db6db722606ap-5);
    p = fma_f64(p, z, 0x1.333333332df7ep-4);
    return fma_f64(p, z, 0x1.5555555555578p-3);
}

/* (1 + 2x) e^(x^2) erfc x = ERFC_MIDDLE + t times this, t = (x - 4) / (x + 4), x from 0.64 to
 * 27.3. */
#define ERFC_MIDDLE 0x1.3ba5916e9fd7fp+0
static inline double erfc_poly_f64(double t)
{
    double p = 0x1.773afd5f603fdp-29;
    p = fma_f64(p, t, -0x1.57f589048a41dp-27);
    p = fma_f64(p, t, -0x1.6292b11b181e3p-26);
    p = fma_f64(p, t, 0x1.bfcb2a78ae45ap-24);
    p = fma_f64(p, t, 0x1.5008a460c8f1p-24);
    p = fma_f64(p, t, -0x1.b89dc744e5ec4p-21);
    p = fma_f64(p, t, 0x1.389132e261d84p-22);
    p = fma_f64(p, t, 0x1.7f02b1f3c66dfp-18);
    p = fma_f64(p, t, -0x1.7881a72dc6c14p-17);
    p = fma_f64(p, t, -0x1.99564804d41b9p-16);
    p = fma_f64(p, t, 0x1.3be031b6ce695p-13);
    p = fma_f64(p, t, -0x1.a1df390732749p-13);
    p = fma_f64(p, t, -0x1.8d4a99778e605p-11);
    p = fma_f64(p, t, 0x1.49c6729ac2bcfp-8);
    p = fma_f64(p, t, -0x1.0962388565c31p-6);
    p = fma_f64(p, t, 0x1.3079edf64dee8p-5);
    p = fma_f64(p, t, -0x1.0fb06dfe482bep-4);
    p = fma_f64(p, t, 0x1.7fee004e13802p-4);
    p = fma_f64(p, t, -0x1.9ddb23c3e914cp-4);
    p = fma_f64(p, t, 0x1.16ecefcfa5333p-4);
    p = fma_f64(p, t, 0x1.f7f5df66fd7c4p-7);
    return fma_f64(p, t, -0x1.1df1ad154a28ep-3);
}

#define REAL double
#define FN(name) name##_f64
#define LW(name) lw__##name##_f64
#define BUILTIN(name) __builtin_##name
#define C(narrow, wide) wide
#include "more.inc"
#undef REAL
#undef FN
#undef LW
#undef BUILTIN
#undef C
#undef MUCH
#undef ERFC_MIDDLE
#undef PI_HIGH
#undef PI_LOW
