/* devlib_half.c - the 16-bit float conversions against a rounding written another way.
 *
 *     devlib_half [stride]
 *
 * The judge divides by the format's step at the value and rounds with rintl: exact in long double
 * for all sources. Floats are tried on each stride-th bit pattern (997; 1 is exhaustive), wider
 * sources on random values, and all on the neighbourhood of every 16-bit value and midpoint.
 */
#include "devlib/devlib.h"
#include "devlib_ulp.h"

#include <stdio.h>
#include <stdlib.h>

struct format {
    const char *name;
    int fraction, lowest, highest; /* bits of fraction; exponents of normal numbers */
    uint16_t (*of_f32)(float);
    uint16_t (*of_f64)(double);
    uint16_t (*of_i64)(int64_t);
    uint16_t (*of_u64)(uint64_t);
    float (*to_f32)(uint16_t);
};

static const struct format formats[] = {
    {"f16", 10, -14, 15, lw__f32_to_f16, lw__f64_to_f16, lw__i64_to_f16, lw__u64_to_f16,
     lw__f16_to_f32},
    {"bf16", 7, -126, 127, lw__f32_to_bf16, lw__f64_to_bf16, lw__i64_to_bf16, lw__u64_to_bf16,
     lw__bf16_to_f32},
};

static int failures;

static uint16_t infinity_of(const struct format *f)
{
    return (uint16_t)((f->highest - f->lowest + 2) << f->fraction);
}

static bool is_nan(const struct format *f, uint16_t bits)
{
    return (bits & 0x7fff) > infinity_of(f);
}

static uint16_t judge(const struct format *f, long double x)
{
    uint16_t sign = signbit(x) ? 0x8000 : 0;
    long double a = fabsl(x);
    if (a == 0 || isinf(a))
        return (uint16_t)(sign | (a == 0 ? 0 : infinity_of(f)));
    int exponent = ilogbl(a) < f->lowest ? f->lowest : ilogbl(a);
    if (exponent > f->highest)
        return (uint16_t)(sign | infinity_of(f));
    long double steps = rintl(scalbnl(a, f->fraction - exponent)); /* of the last place */
    return (uint16_t)(sign | (((exponent - f->lowest) << f->fraction) + (int)steps));
}

static void expect(const struct format *f, const char *from, long double x, uint16_t got)
{
    bool right = isnan(x) ? is_nan(f, got) && (got >> (f->fraction - 1) & 1) : got == judge(f, x);
    if (!right && failures++ < 20)
        printf("%s from %s %La: %04x, want %04x\n", f->name, from, x, got, judge(f, x));
}

static void try_double(const struct format *f, double x)
{
    expect(f, "f64", x, f->of_f64(x));
    expect(f, "f32", (float)x, f->of_f32((float)x));
}

static void try_integer(const struct format *f, uint64_t x)
{
    expect(f, "u64", x, f->of_u64(x));
    expect(f, "i64", (int64_t)x, f->of_i64((int64_t)x));
}

/* Every 16-bit value goes to float and back unchanged, and to its value by the definition. */
static void test_widening(const struct format *f)
{
    for (uint32_t bits = 0; bits <= UINT16_MAX; bits++) {
        float x = f->to_f32((uint16_t)bits);
        uint16_t back = f->of_f32(x);
        bool right = is_nan(f, (uint16_t)bits) ? isnan(x) && is_nan(f, back) : back == bits;
        int field = (int)(bits & 0x7fff) >> f->fraction;
        int m = (int)(bits & ((1u << f->fraction) - 1)) + (field ? 1 << f->fraction : 0);
        double value = ldexp(m, (field ? field - 1 : 0) + f->lowest - f->fraction);
        if (field <= f->highest - f->lowest + 1)
            right = right && x == (float)(bits & 0x8000 ? -value : value);
        if (!right && failures++ < 20)
            printf("%s %04x: to f32 %a, back %04x\n", f->name, bits, x, back);
    }
}

/* Around each value and each midpoint between two: where rounding is decided. */
static void test_borders(const struct format *f)
{
    for (uint16_t bits = 0; bits < infinity_of(f); bits++) {
        double low = f->to_f32(bits);
        double high =
            bits + 1 < infinity_of(f) ? f->to_f32((uint16_t)(bits + 1)) : ldexp(1, f->highest + 1);
        double middle = (low + high) / 2;
        const double near[] = {
            low,
            middle,
            nextafter(middle, 0),
            nextafter(middle, INFINITY),
            nextafterf((float)middle, 0),
            nextafterf((float)middle, INFINITY),
        };
        for (size_t i = 0; i < sizeof near / sizeof *near; i++) {
            try_double(f, near[i]);
            try_double(f, -near[i]);
            if (near[i] >= 1 && near[i] < 0x1p63) {
                try_integer(f, (uint64_t)near[i]);
                try_integer(f, (uint64_t)near[i] + 1);
                try_integer(f, (uint64_t)near[i] - 1);
                try_integer(f, -(uint64_t)near[i]);
            }
        }
    }
}

static void test_random(const struct format *f)
{
    uint64_t state = 5;
    for (int i = 0; i < 300000; i++) {
        uint64_t bits = random_bits(&state);
        try_double(f, double_of(bits));
        try_double(f, random_between(&state, -70000, 70000));
        try_double(f, random_between(&state, -0x1p-14, 0x1p-14));
        try_double(f, random_between(&state, -0x1p-126, 0x1p-126));
        try_integer(f, bits >> (i & 63));
    }
    const uint64_t ends[] = {0, 1, INT64_MAX, (uint64_t)INT64_MAX + 1, UINT64_MAX, 65519, 65520};
    for (size_t i = 0; i < sizeof ends / sizeof *ends; i++)
        try_integer(f, ends[i]);
}

/* NaN payloads that lie wholly below the 16 bits must not become infinity. */
static void test_nan(const struct format *f)
{
    for (int place = 0; place < 52; place++) {
        uint64_t bits = UINT64_C(0x7ff) << 52 | UINT64_C(1) << place;
        expect(f, "f64", NAN, f->of_f64(double_of(bits)));
        expect(f, "f64", NAN, f->of_f64(double_of(bits | UINT64_C(1) << 63)));
        if (place < 23)
            expect(f, "f32", NAN, f->of_f32(float_of(0x7f800000u | 1u << place)));
    }
}

int main(int argc, char **argv)
{
    uint64_t stride = argc > 1 ? strtoull(argv[1], NULL, 10) : 997;
    for (size_t i = 0; i < sizeof formats / sizeof *formats; i++) {
        const struct format *f = &formats[i];
        test_widening(f);
        test_borders(f);
        test_random(f);
        test_nan(f);
        for (uint64_t bits = 0; bits <= UINT32_MAX; bits += stride ? stride : 1) {
            float x = float_of((uint32_t)bits);
            expect(f, "f32", x, f->of_f32(x));
        }
    }
    printf("%d failures\n", failures);
    return failures != 0;
}
