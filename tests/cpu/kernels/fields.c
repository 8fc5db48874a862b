/* Fields of consecutive structs and short vectors: together where all lanes run, and in the order
 * of the program where that shows. */
#include "common.h"

struct record {
    uint16_t a, b, c, d;
};

KERNEL void fields_of_vectors(float *out, const float *in, int n)
{
    const size_t i = I;
    if (i >= (size_t)n / 4)
        return;
    const float4 v = ((const float4 *)in)[i];
    ((float4 *)out)[i] = v.wxzy * 0.5f + v;
}

KERNEL void fields_of_pairs(double *out, const double *in, int n)
{
    const size_t i = I;
    if (i >= (size_t)n / 2)
        return;
    const double2 v = ((const double2 *)in)[i];
    ((double2 *)out)[i] = (double2){v.x - v.y, v.x + v.y};
}

KERNEL void fields_of_structs(uint16_t *out, const uint16_t *in, int n)
{
    const size_t i = I;
    if (i >= (size_t)n / 4)
        return;
    const struct record r = ((const struct record *)in)[i];
    struct record *to = (struct record *)out + i;
    to->d = r.a;
    to->a = (uint16_t)(r.b ^ r.d);
    to->c = r.c;
    to->b = r.a + r.b;
}

KERNEL void fields_of_bytes(uint8_t *out, const uint8_t *in, int n)
{
    const size_t i = I;
    if (i >= (size_t)n / 8)
        return;
    for (int k = 0; k < 8; k++)
        out[8 * i + k] = in[8 * i + (k ^ 5)];
}

/* Some lanes only: each field by itself. */
KERNEL void fields_of_some(float *out, const float *in, int n)
{
    const size_t i = I;
    if (i >= (size_t)n / 4 || in[4 * i] > in[4 * i + 1])
        return;
    ((float4 *)out)[i] = ((const float4 *)in)[i].zwxy;
}

/* The fields of a lane come back in its own memory: loads and stores may not pass each other. */
KERNEL void fields_in_place(int *at, int n)
{
    const size_t i = I;
    if (i >= (size_t)n / 4)
        return;
    int *const p = at + 4 * i;
    p[0] = p[1] + 1;
    p[1] = p[0] * 2 + p[3];
    p[2] = p[1] - p[0];
    p[3] = p[2] ^ p[1];
}

/* The first store of a field must not become the last. */
KERNEL void fields_stored_twice(int *out, const int *in, int n)
{
    const size_t i = I;
    if (i >= (size_t)n / 2)
        return;
    out[2 * i] = 7;
    if (in[i] & 1)
        out[2 * i] = in[i];
    ((volatile int *)out)[2 * i + 1] = 1;
    out[2 * i + 1] = in[2 * i];
    out[2 * i] ^= in[2 * i + 1];
}

SHARED float4 shared_rows[1024];

KERNEL void fields_of_block(float *out, const float *in, int n)
{
    const int me = ME;
    const size_t i = I;
    shared_rows[me] = i < (size_t)n / 4 ? ((const float4 *)in)[i] : (float4){0, 1, 2, 3};
    barrier();
    const float4 v = shared_rows[me ^ 1];
    if (i < (size_t)n / 4)
        ((float4 *)out)[i] = v + shared_rows[me].yyyy;
}
