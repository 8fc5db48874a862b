// The header brings the names of stdint, stdbool, stddef, limits and float, INFINITY and NAN.
// run: -b 1 i32[1]
// expect: out: i32[1] = [1]
#include <lanewise/kernel.h>

static const int8_t a = INT8_MIN;
static const uint_fast16_t b = UINT16_MAX;
static const intptr_t c = (intptr_t)INT64_MAX;
static const int_least32_t d = INT32_C(-7);
static const ptrdiff_t e = PTRDIFF_MAX;

struct s {
    char x;
    long y;
};

KERNEL void k(int *out)
{
    bool yes = true, no = false;
    size_t n = SIZE_MAX;
    uint64_t big = UINT64_C(18446744073709551615);
    int *null = NULL;
    *out = a == -128 && b == 65535 && c > 0 && d == -7 && e > 0 && yes && !no && n == big &&
        !null &&
           offsetof(struct s, y) == 8 && CHAR_BIT == 8 && INT_MAX == 2147483647 &&
           LLONG_MIN < LONG_MIN + 1 && UCHAR_MAX == 255 && FLT_EPSILON == 0x1p-23f &&
           DBL_MAX > 1e308 && FLT_MIN == 0x1p-126f && INFINITY > FLT_MAX && NAN != NAN &&
           sizeof(wchar_t) == 4 && _Alignof(max_align_t) >= 8;
}
