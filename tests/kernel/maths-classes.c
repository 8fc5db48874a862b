// isnan isinf isfinite isnormal signbit are 1 or 0, of each type; copysign takes any sign, a NaN's
// too.
// run: -b 10 i32[10] i32[10] i32[10] f32[10] f64[10] 'f32[10]=0,-0.0,1,-1,1e-40,-1e-40,inf,-inf,nan,-3.4e38'
// expect: single: i32[10] = [4, 20, 12, 28, 4, 20, 2, 18, 1, 28]
// expect: wide: i32[10] = [4, 20, 12, 28, 12, 28, 2, 18, 1, 28]
// expect: halves: i32[10] = [4, 20, 12, 28, 4, 20, 2, 18, 1, 18]
// expect: signs: f32[10] = [3.0, -3.0, 3.0, -3.0, 3.0, -3.0, 3.0, -3.0, 3.0, -3.0]
// expect: wide_signs: f64[10] = [inf, -inf, inf, -inf, inf, -inf, inf, -inf, inf, -inf]
#include <lanewise/kernel.h>

#define CLASS(x)                                                                                   \
    (isnan(x) + 2 * isinf(x) + 4 * isfinite(x) + 8 * isnormal(x) + 16 * (isnan(x) ? 0 : signbit(x)))

KERNEL void classes(int *single, int *wide, int *halves, float *signs, double *wide_signs,
                    const float *in)
{
    int i = thread_idx.x;
    float x = in[i];
    double d = x;
    _Float16 h = (_Float16)x;
    __bf16 b = (__bf16)x;
    single[i] = CLASS(x);
    wide[i] = CLASS(d);
    halves[i] = CLASS(h);
    signs[i] = copysign(i % 3 ? 3.0f : -3.0f, x);
    wide_signs[i] = copysign(-INFINITY, d);
    assert(isnan(b) == isnan(x) && signbit(h) == signbit(x) && isinf(b) == (isinf(x) || i == 9));
    assert(signbit(copysign(NAN, -1.0f)) && !signbit(copysign((float)-NAN, 0.0f)));
    assert(_Generic(isnan(x), int: 1) && _Generic(signbit(d), int: 1) &&
           _Generic(copysign(x, d), double: 1) && _Generic(copysign(h, 1.0f), float: 1) &&
           _Generic(copysignf(d, 1), float: 1));
}
