// Every kind of ARG arrives in the kernel as it was typed.
// run: -b 1 -k scalars f64[9] -7 250 0x10 1.5 0.1 -inf true 18446744073709551615 3.14159
// expect: out: f64[9] = [-7.0, 250.0, 16.0, 1.5, 0.1, -inf, 1.0, 1.8446744073709552e+19, 3.140625]
// run: -b 1 -k halfway f64[2] 0.1 2049.0000000000000000000001
// expect: out: f64[2] = [0.0999755859375, 2050.0]
// run: -b 1 -k by_value f64[6] {1.5,{2,-3},{4,5.5},{0.25}}
// expect: out: f64[6] = [1.5, 2.0, -3.0, 4.0, 5.5, 0.25]
// run: -b 1 -k extents i64[4] f32[2,3]
// expect: out: i64[4] = [2, 3, 3, 1]
// run: -b 1 -k extents i64[4] f32[0,3]
// expect: out: i64[4] = [0, 3, 3, 1]
// run: -k launch -g 2,3 i32[4]
// expect: out: i32[4] = [256, 1, 2, 3]
// run: -b 4,2 -k launch -g2 i32[4]
// expect: out: i32[4] = [4, 2, 2, 1]
// run: -k fixed i32[1]
// expect: out: i32[1] = [64]
// run: -k -b1 -- scaled
// status: 2
// stderr: there is no kernel '-b1'
// run: -k scaled -D FACTOR=-3 -b1 -- i32[1]=const:5
// expect: out: i32[1] = [-15]
// run: -k scaled -DFACTOR=7 -b1 --quiet i32[1]=const:5
// run: -k dynamic --shared=64 -b 16 f32[16]=iota
// expect: a: f32[16] = [15.0, 14.0, 13.0, 12.0, 11.0, 10.0, 9.0, 8.0, 7.0, 6.0, 5.0, 4.0, 3.0, 2.0, 1.0, 0.0]
// run: -k speaks -b 2 -g 2 i32[1]
// expect: [block 0,0,0 thread 0,0,0] 0 of block 0
// expect: [block 0,0,0 thread 1,0,0] 1 of block 0
// expect: [block 1,0,0 thread 0,0,0] 0 of block 1
// expect: [block 1,0,0 thread 1,0,0] 1 of block 1
// expect: out: i32[1] = [4]
#include <lanewise/kernel.h>

#ifndef FACTOR
#define FACTOR 2
#endif

struct inner {
    int a;
    double b;
};

union either {
    float f;
    int i;
};

struct outer {
    float x;
    short n[2];
    struct inner in;
    union either u;
};

KERNEL void scalars(double *out, int8_t a, uint8_t b, int c, float d, double e, float f, bool g,
                    uint64_t h, __bf16 i)
{
    out[0] = a, out[1] = b, out[2] = c, out[3] = d, out[4] = e, out[5] = f, out[6] = g;
    out[7] = (double)h, out[8] = (float)i;
}

KERNEL void halfway(double *out, _Float16 a, _Float16 b)
{
    out[0] = a, out[1] = b;
}

KERNEL void by_value(double *out, struct outer s)
{
    out[0] = s.x, out[1] = s.n[0], out[2] = s.n[1], out[3] = s.in.a, out[4] = s.in.b,
        out[5] = s.u.f;
}

KERNEL void extents(int64_t *out, CONST_TENSOR(float, 2) t)
{
    out[0] = extent(t, 0), out[1] = extent(t, 1), out[2] = stride(t, 0), out[3] = stride(t, 1);
}

KERNEL void launch(int *out)
{
    out[0] = block_dim.x, out[1] = block_dim.y, out[2] = grid_dim.x, out[3] = grid_dim.y;
}

KERNEL BLOCK(64) void fixed(int *out)
{
    out[0] = block_dim.x;
}

KERNEL void scaled(int *out)
{
    out[0] *= FACTOR;
}

KERNEL void dynamic(float *a)
{
    DYNAMIC_SHARED(float, copy);
    int i = thread_idx.x;
    copy[i] = a[i];
    barrier();
    a[i] = copy[block_dim.x - 1 - i];
}

KERNEL void speaks(int *out)
{
    printf("%d of block %d\n", thread_idx.x, block_idx.x);
    atomic_add(out, 1);
}
