// Builtins that tell the compiler something change no value: on every device, under divergence, on
// a buffer, on block memory and on a thread's own.
// run: -b 8 i32[32] 'i32[16]=iota'
// expect: out: i32[32] = [7, 8, 9, 10, 109, 110, 1111, 11112, 10, 11, 2, 3, 10, 11, 6, 7, 2, 6, 10, 14, 18, 22, 26, 30, 2, 3, 5, 7, 9, 10, 12, 14]
#include <lanewise/kernel.h>

static int choose(int n)
{
    switch (n & 3) {
    case 0: return 10;
    case 1: return 11;
    case 2:
    case 3: return n;
    default: __builtin_unreachable();
    }
}

KERNEL void k(int *out, const int *in)
{
    SHARED int shared[8];
    int i = thread_idx.x, own[4];
    const int *aligned = __builtin_assume_aligned(in, 16);
    for (int k = 0; k < 4; k++)
        own[k] = in[i] + k;
    shared[i] = i;
    barrier();
    __builtin_prefetch(&in[i + 8]);
    __builtin_prefetch(&out[i], 1, 0);
    __builtin_prefetch(&own[in[i] & 3]);
    if (in[i] & 1)
        __builtin_prefetch(&shared[in[i]]);
    __builtin_assume(in[i] >= 0);
    out[i] = own[in[i] & 3] / 2 + shared[7 - i] + aligned[i];
    if (__builtin_expect(in[i] > 3, 0))
        out[i] += 100;
    if (__builtin_expect_with_probability(in[i] > 5, 1, 0.9))
        out[i] += 1000;
    if (__builtin_unpredictable(in[i] > 6))
        out[i] += 10000;
    out[8 + i] = choose(in[i]);
    out[16 + i] = __builtin_constant_p(in[i]) + 2 * __builtin_constant_p(7) +
                  4 * __builtin_choose_expr(1, i, 0);
    out[24 + i] = (__builtin_object_size(out, 0) == (size_t)-1) + __builtin_flt_rounds() +
                  (int)__arithmetic_fence(0.75f * in[i]) + __builtin_annotation(i, "x");
}
