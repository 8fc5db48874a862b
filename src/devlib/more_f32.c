/* more_f32.c - more.inc on float. */
#include "devlib.h"

/* v, negated where x is. */
static inline float with_sign_f32(float v, float x)
{
    return from_bits_f32(bits_f32(v) ^ (bits_f32(x) & 0x80000000));
}

/* (atan(t) - t) / t^3 of z = t^2, up to t = tan(pi/8) */
static inline float atan_poly_f32(float z)
{
    float p = -0x1.f22a88p-5f;
    p = fma_f32(p, z, 0x1.b1f9fap-4f);
    p = fma_f32(p, z, -0x1.23b634p-3f);
    p = fma_f32(p, z, 0x1.9991a6p-3f);
    return fma_f32(p, z, -0x1.55554ap-2f);
}

/* (asin(s) - s) / s^3 of z = s^2, up to s = 1/2 */
static inline float asin_poly_f32(float z)
{
    float p = 0x1.59da9ap-5f;
    p = fma_f32(p, z, 0x1.8ba292p-6f);
    p = fma_f32(p, z, 0x1.748c5ep-5f);
    p = fma_f32(p, z, 0x1.33014ep-4f);
    return fma_f32(p, z, 0x1.5555cap-3f);
}

/* (1 + 2x) e^(x^2) erfc x = ERFC_MIDDLE + t times this, t = (x - 2.5) / (x + 2.5), x from 0.64 to
 * 10.2. */
#define ERFC_MIDDLE 0x1.43cc7p+0f
static inline float erfc_poly_f32(float t)
{
    float p = -0x1.69cfbap-14f;
    p = fma_f32(p, t, 0x1.17a186p-11f);
    p = fma_f32(p, t, 0x1.0288ecp-11f);
    p = fma_f32(p, t, -0x1.1cf6f8p-8f);
    p = fma_f32(p, t, 0x1.e8406cp-11f);
    p = fma_f32(p, t, 0x1.0c55b2p-5f);
    p = fma_f32(p, t, -0x1.a5c0b2p-4f);
    p = fma_f32(p, t, 0x1.42d3a6p-3f);
    p = fma_f32(p, t, -0x1.959ac2p-4f);
    return fma_f32(p, t, -0x1.f52c6p-4f);
}

#define REAL float
#define FN(name) name##_f32
#define LW(name) lw__##name##_f32
#define BUILTIN(name) __builtin_##name##f
#define C(narrow, wide) narrow
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
