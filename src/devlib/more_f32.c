/* more_f32.c - more.inc on float. */
#include "devlib.h"

/* v, negated where x is. */
static inline float with_sign_f32(float v, float x)
{
    return from_bits_f32(bits_f32(v) ^ (bits_f32(x) & 0x80000000));
}

#define REAL float
#define FN(name) name##_f32
#define LW(name) lw__##name##_f32
#define BUILTIN(name) __builtin_##name##f
#include "more.inc"
#undef REAL
#undef FN
#undef LW
#undef BUILTIN
