// _Float16 and __bf16 become each other with one rounding: of every value, as far as sums tell; of
// some by hand; in arithmetic, where __bf16 becomes _Float16; in helpers and in short vectors.
// run: -k all_values -g 256 -b 256 u32[2]
// expect: sums: u32[2] = [3992211074, 3677447554]
// run: -k some -b 10 bf16[10] 'f16[10]=1,1.00390625,1.01171875,65504,-5.9604645e-08,-0.0,inf,0.33325195,-2049,6e-05'
// expect: b: bf16[10] = [1.0, 1.0, 1.016, 65500.0, -5.96e-08, -0.0, inf, 0.334, -2050.0, 6e-05]
// run: -k others -b 10 f16[10] 'bf16[10]=1,65280,65536,-3.3e38,2.98e-08,3.1e-08,-0.0,-inf,0.33398438,1e-40'
// expect: h: f16[10] = [1.0, 65280.0, inf, -inf, 0.0, 6e-08, -0.0, -inf, 0.334, 0.0]
// run: -k mixed -b 4 f32[24] 'f16[4]=1.5,2048,-0.1,300' 'bf16[4]=2,1.0078125,0.2001953125,256'
// expect: out: f32[24] = [3.5, 2050.0, 0.10021973, 556.0, 3.0, 2064.0, -0.020019531, inf, 0.0, 0.0, 1.0, 0.0, 3.5, 2048.0, 0.100097656, 556.0, 1.0, 2.0, 3.0, 1.1015625, 1.0, 4.0, 9.0, 1.2109375]
#include <lanewise/kernel.h>

typedef __bf16 bfloat4 __attribute__((ext_vector_type(4)));

union bits {
    uint16_t u;
    _Float16 h;
    __bf16 b;
};

/* All NaNs are the same. */
static uint16_t plain(uint16_t bits, uint16_t infinity)
{
    return (bits & 0x7fff) > infinity ? 0x7fff : bits;
}

KERNEL void all_values(uint32_t sums[2])
{
    uint32_t i = (uint32_t)global_idx.x;
    union bits from = {.u = (uint16_t)i}, to;
    to.b = (__bf16)from.h;
    atomic_add(&sums[0], plain(to.u, 0x7f80) * (2 * i + 1));
    to.h = (_Float16)from.b;
    atomic_add(&sums[1], plain(to.u, 0x7c00) * (2 * i + 1));
}

KERNEL void some(__bf16 *b, const _Float16 *h)
{
    b[thread_idx.x] = h[thread_idx.x];
}

static _Float16 narrow(__bf16 value)
{
    return value;
}

KERNEL void others(_Float16 *h, const __bf16 *b)
{
    h[thread_idx.x] = narrow(b[thread_idx.x]);
}

KERNEL void mixed(float *out, const _Float16 *h, const __bf16 *b)
{
    int i = thread_idx.x;
    __bf16 sum = b[i];
    out[i] = h[i] + b[i];
    out[4 + i] = b[i] * h[i];
    out[8 + i] = h[i] > b[i] ? 0 : h[i] < b[i] && i == 2;
    sum += h[i];
    out[12 + i] = sum;
    if (i)
        return;
    half4 v = {1, 2, 3, (_Float16)1.1};
    bfloat4 w = __builtin_convertvector(v, bfloat4);
    for (int k = 0; k < 4; k++)
        out[16 + k] = w[k];
    v = __builtin_convertvector(w * w, half4);
    for (int k = 0; k < 4; k++)
        out[20 + k] = v[k];
}
