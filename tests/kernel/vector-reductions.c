// clang's reductions of short vectors: integers of all widths, 3 and 8 elements, floats, of which a
// NaN loses and -0 < +0; under divergence too.
// run: -k integers -b 8 i32[8] i32[56] 'i32[10]=3,-7,12,0,255,-128,9,77,6,-2147483648'
// expect: one: i32[8] = [8, 6, 0, 0, 140, 0, 98, -2147483558]
// expect: all: i32[56] = [3, 12, 19, 262, 134, -112, 93, 90, 204120, -476280, 816480, 0, 17350200, -8709120, 612360, 5239080, -10, -12, 241, -132, -142, -63, 68, -2147483572, -1, -1, 15, 255, -1, -113, 79, 79, 12, 12, 255, 255, 255, 77, 77, 77, -6, -14, 13, 255, -127, -256, 78, 78, -4, 0, 0, -128, -121, -121, 13, -2147483642]
// run: -k narrow -b 2 i32[14] 'i32[2]=100,-3'
// expect: out: i32[14] = [103, 0, 64, -112, 100, 100, 200, 253, 99, 99, 207, 86, 143, 40]
// run: -k long_ones -b 2 i64[14] 'i64[2]=4611686018427387904,-5'
// expect: out: i64[14] = [4611686018427387907, -2, -4611686018427387904, -15, 0, 3, 4611686018427387907, -5, 4611686018427387907, -8, 4611686018427387904, 3, 3, -5]
// run: -k floats -b 4 f32[8] 'f32[6]=-0.0,0.0,nan,-1.5,inf,2'
// expect: out: f32[8] = [0.0, 0.0, inf, inf, -0.0, -1.5, -1.5, -1.5]
// run: -k halves -b 2 f32[4] 'f16[3]=-0.0,0.0,nan'
// expect: out: f32[4] = [0.0, 0.0, -0.0, 0.0]
#include <lanewise/kernel.h>

typedef int int8 __attribute__((ext_vector_type(8)));

KERNEL void integers(int *one, int *all, const int *in)
{
    int i = thread_idx.x;
    int4 v = {in[i], in[i + 1], in[i + 2], i};
    uint3 u = {(unsigned)in[i], 7, (unsigned)in[i + 1]};
    int8 w = {in[0], in[i], 5, 6, 7, in[2], 9, 1};
    if (in[i] & 1)
        one[i] = __builtin_reduce_add(v);
    all[i] = (int)__builtin_reduce_add(u);
    all[8 + i] = __builtin_reduce_mul(w);
    all[16 + i] = __builtin_reduce_xor(v);
    all[24 + i] = __builtin_reduce_and(v) + (int)__builtin_reduce_or(u);
    all[32 + i] = __builtin_reduce_max(v);
    all[40 + i] = (int)__builtin_reduce_max(u) + __builtin_reduce_min(w);
    all[48 + i] = __builtin_reduce_min(v) + (int)__builtin_reduce_min(u);
}

KERNEL void narrow(int *out, const int *in)
{
    int i = thread_idx.x;
    schar4 v = {(signed char)in[i], 100, -100, 3};
    uchar3 u = {(unsigned char)in[i], 200, 99};
    out[i] = __builtin_reduce_add(v);
    out[2 + i] = __builtin_reduce_mul(v);
    out[4 + i] = __builtin_reduce_max(v);
    out[6 + i] = __builtin_reduce_max(u);
    out[8 + i] = __builtin_reduce_min(u);
    out[10 + i] = __builtin_reduce_xor(u);
    out[12 + i] = __builtin_reduce_add(u);
}

KERNEL void long_ones(int64_t *out, const int64_t *in)
{
    int i = thread_idx.x;
    long2 v = {in[i], 3};
    out[i] = __builtin_reduce_add(v);
    out[2 + i] = __builtin_reduce_mul(v);
    out[4 + i] = __builtin_reduce_and(v);
    out[6 + i] = __builtin_reduce_or(v);
    out[8 + i] = __builtin_reduce_xor(v);
    out[10 + i] = __builtin_reduce_max(v);
    out[12 + i] = __builtin_reduce_min(v);
}

KERNEL void floats(float *out, const float *in)
{
    int i = thread_idx.x;
    float3 v = {in[i], in[i + 1], in[i + 2]};
    out[i] = __builtin_reduce_max(v);
    out[4 + i] = __builtin_reduce_min(v);
}

KERNEL void halves(float *out, const _Float16 *in)
{
    int i = thread_idx.x;
    half2 v = {in[i], in[i + 1]};
    out[i] = __builtin_reduce_max(v);
    out[2 + i] = __builtin_reduce_min(v);
}
