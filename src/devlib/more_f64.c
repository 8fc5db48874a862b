/* more_f64.c - more.inc on double. */
#include "devlib.h"

/* v, negated where x is. */
static inline double with_sign_f64(double v, double x)
{
    return from_bits_f64(bits_f64(v) ^ (bits_f64(x) & UINT64_C(0x8000000000000000)));
}

#define REAL double
#define FN(name) name##_f64
#define LW(name) lw__##name##_f64
#define BUILTIN(name) __builtin_##name
#include "more.inc"
#undef REAL
#undef FN
#undef LW
#undef BUILTIN
