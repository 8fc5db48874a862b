// _Float16 and __bf16 round at every operation, to nearest even, with denormals; conversions round
// once; their maths functions take and give float.
// run: -b 1 i32[1] f16[4]=2048,1,0.1,6e-8 bf16[4]=256,1,0.1,1e-40 f64[1]=1
// expect: checked: i32[1] = [1]
#include <lanewise/kernel.h>

static uint16_t bits(const void *value)
{
    uint16_t bits;
    memcpy(&bits, value, sizeof bits);
    return bits;
}

static void check_f16(const _Float16 *in, double one)
{
    _Float16 big = in[0], i = in[1], tenth = in[2], tiny = in[3];
    assert(big + i == big && big + i + i == big && i + i + big == (_Float16)2050);
    assert((_Float16)(big + (_Float16)3) == (_Float16)2052);
    assert(tenth * (_Float16)3 != (_Float16)((float)tenth * 3.0f + 0.001f));
    _Float16 sum = tenth + tenth + tenth, product = tenth * tenth;
    assert(bits(&tenth) == 0x2e66 && bits(&sum) == 0x34cc && bits(&product) == 0x211e);
    assert(bits(&tiny) == 1 && _Generic((half)1, _Float16: 1));
    _Float16 half_of_tiny = tiny / (_Float16)2, two_tiny = tiny + tiny;
    assert(half_of_tiny == 0 && bits(&two_tiny) == 2);
    assert((_Float16)(65519.0 * one) == (_Float16)65504.0f);
    assert((_Float16)(65520.0 * one) == (_Float16)INFINITY);
    /* from double with one rounding: by way of float this would be 1 */
    _Float16 once = (_Float16)((1 + 0x1p-11 + 0x1p-40) * one);
    assert(bits(&once) == 0x3c01);
    assert((int)(_Float16)(2049 * one) == 2048 && (_Float16)(int)(2051 * one) == (_Float16)2052);
    assert(_Generic(tenth + tenth, _Float16: 1) && _Generic(tenth + 1, _Float16: 1));
    assert(_Generic(tenth + 1.0f, float: 1) && _Generic(exp(tenth), float: 1));
    assert(sqrt((_Float16)(2.0 * one)) == sqrt(2.0f) && floor(tenth) == 0.0f);
    assert(!(tenth < (_Float16)NAN) && -(_Float16)0.0f == (_Float16)0.0f && tenth > tiny);
    big += i;
    assert(big == 2048);
    big++;
    assert(big == 2048 && -big == -2048);
}

static void check_bf16(const __bf16 *in, double one)
{
    __bf16 big = in[0], i = in[1], tenth = in[2], tiny = in[3];
    assert(big + i == big && big + i + i == big && i + i + big == (__bf16)258.0f);
    __bf16 sum = tenth + tenth + tenth, product = tenth * tenth, third = i / (__bf16)3.0f;
    assert(bits(&tenth) == 0x3dcd && bits(&sum) == 0x3e9a && bits(&product) == 0x3c24);
    assert(bits(&third) == 0x3eab && _Generic((bfloat16)1.0f, __bf16: 1));
    __bf16 doubled = tiny + tiny;
    assert(bits(&tiny) == 1 && bits(&doubled) == 2);
    __bf16 once = (__bf16)((1 + 0x1p-8 + 0x1p-40) * one);
    assert(bits(&once) == 0x3f81);
    assert((__bf16)(3.4e38 * one) == (__bf16)INFINITY && (int)(__bf16)(257.0 * one) == 256);
    assert(_Generic(tenth + tenth, __bf16: 1) && _Generic(tenth + 1.0f, float: 1));
    assert(_Generic(exp(tenth), float: 1) && sqrt((__bf16)(2.0f * (float)one)) == sqrt(2.0f));
    assert((float)(__bf16)(1.0f + 0x1p-9f * (float)one) == 1.0f && !((__bf16)NAN == (__bf16)NAN));
}

KERNEL void halves(int *checked, const _Float16 *h, const __bf16 *w, const double *one)
{
    check_f16(h, *one);
    check_bf16(w, *one);
    atomic_add(checked, 1);
}
