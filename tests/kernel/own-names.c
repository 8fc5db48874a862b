// Names of the header's that the file defines itself, as functions or as macros, stay the file's.
// Those that it does not define stay the header's; a line that has both does not mix them up.
// run: -b 1 f32[12]
// expect: out: f32[12] = [6.0, -7.0, 20.0, 10.0, 3.5, 0.75, 4.0, 102.0, 7.0, 4.0, 8.0, 81.0]
// run: -b 1 -D AGAIN f32[12]
// expect: out: f32[12] = [6.0, -7.0, 20.0, 10.0, 3.5, 0.75, 4.0, 102.0, 7.0, 4.0, 8.0, 81.0]
#define fdim(a, b) 7.0f
#include <lanewise/kernel.h>

static float clamp(float x, float low, float high)
{
    return x < low ? low : x > high ? high * 2 : max(x, low);
}
static inline int mulhi(int a, int b) { return a * b + min(0, 0); }

#define min(a, b) ((a) - (b))
#undef round
#define round(x) ((x) + 1)

#define DEFINE(name, op)                                                                           \
    static float name(float a, float b)                                                            \
    {                                                                                              \
        return a op b ? a + 1 : b;                                                                 \
    }
DEFINE(hypotenuse_or, >)
DEFINE(fmax, >)

#ifdef AGAIN
float fminf(float, float);
#endif
float fminf(float a, float b)
{
    return a < b ? a + 100 : b + 100;
}

struct pair {
    float min, max;
};
static float sin(float degrees, int max) { return degrees * max; }

KERNEL void k(float *out)
{
    int exponent, abs_of = 3;
    struct pair pair = {.min = 4, .max = 8};
    out[0] = clamp(5, 1, 3);
    out[1] = min(2, 9);
    out[2] = mulhi(4, 5);
    out[3] = fmax(9, 3);
    out[4] = abs(-3.5f);
    out[5] = frexp(12.0f, &exponent);
    out[6] = exponent;
    out[7] = fminf(3, 2);
    out[8] = fdim(1, 2);
    out[9] = round(abs_of);
    out[10] = pair.max;
    out[11] = sin(9, 9);
}
