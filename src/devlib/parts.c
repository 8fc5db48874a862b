/* parts.c - the significand and the exponent of a float, apart and together, and whole powers:
 * frexp, ldexp and powi, which clang has as builtins and each target's C library in its own way.
 */
#include "devlib.h"

/* A zero, infinity or NaN is its own significand, with exponent 0. */
static inline bool has_exponent_f32(float x)
{
    return x - x == 0 && x != 0;
}

/* What lifts any subnormal into the normal range, and by how much. */
#define LIFT_F32 0x1p24f
#define LIFT_F64 0x1p53

float lw__frexp_f32(float x)
{
    bool small = (bits_f32(x) & 0x7f800000) == 0;
    float normal = small ? x * LIFT_F32 : x;
    float half = from_bits_f32((bits_f32(normal) & 0x807fffff) | 0x3f000000);
    return has_exponent_f32(x) ? half : x;
}

int32_t lw__frexp_exponent_f32(float x)
{
    bool small = (bits_f32(x) & 0x7f800000) == 0;
    float normal = small ? x * LIFT_F32 : x;
    int32_t exponent = (int32_t)(bits_f32(normal) >> 23 & 0xff) - 126 - (small ? 24 : 0);
    return has_exponent_f32(x) ? exponent : 0;
}

static inline int32_t clamp_exponent(int32_t n, int32_t most)
{
    return n < -most ? -most : n > most ? most : n;
}

/* The significand times two powers of about the same size: the first product is a normal number
 * and exact, so that only the second rounds. */
float lw__ldexp_f32(float x, int32_t n)
{
    int32_t to = clamp_exponent(clamp_exponent(n, 1000) + lw__frexp_exponent_f32(x), 200);
    int32_t half = to / 2;
    return lw__frexp_f32(x) * power_of_two_f32(half) * power_of_two_f32(to - half);
}

/* By squares, from the lowest bit of |n|; one division at the end where n is negative. */
float lw__powi_f32(float x, int32_t n)
{
    float product = 1;
    for (uint32_t bits = n < 0 ? -(uint32_t)n : (uint32_t)n; bits; bits >>= 1) {
        product = bits & 1 ? product * x : product;
        x *= x;
    }
    return n < 0 ? 1 / product : product;
}

static inline bool has_exponent_f64(double x)
{
    return x - x == 0 && x != 0;
}

double lw__frexp_f64(double x)
{
    bool small = (bits_f64(x) >> 52 & 0x7ff) == 0;
    double normal = small ? x * LIFT_F64 : x;
    double half =
        from_bits_f64((bits_f64(normal) & 0x800fffffffffffff) | UINT64_C(0x3fe0000000000000));
    return has_exponent_f64(x) ? half : x;
}

int32_t lw__frexp_exponent_f64(double x)
{
    bool small = (bits_f64(x) >> 52 & 0x7ff) == 0;
    double normal = small ? x * LIFT_F64 : x;
    int32_t exponent = (int32_t)(bits_f64(normal) >> 52 & 0x7ff) - 1022 - (small ? 53 : 0);
    return has_exponent_f64(x) ? exponent : 0;
}

double lw__ldexp_f64(double x, int32_t n)
{
    int32_t to = clamp_exponent(clamp_exponent(n, 5000) + lw__frexp_exponent_f64(x), 1500);
    int32_t half = to / 2;
    return lw__frexp_f64(x) * power_of_two_f64(half) * power_of_two_f64(to - half);
}

double lw__powi_f64(double x, int32_t n)
{
    double product = 1;
    for (uint32_t bits = n < 0 ? -(uint32_t)n : (uint32_t)n; bits; bits >>= 1) {
        product = bits & 1 ? product * x : product;
        x *= x;
    }
    return n < 0 ? 1 / product : product;
}
