// Volatile short vectors, in a thread's own memory, in buffers and in block memory, of all sizes of
// elements, where all threads access them, some, and all the same one.
// run: -b 8 f32[32]=iota i32[16]=iota u8[32]=iota f16[16]=iota f64[8]
// expect: f: f32[32] = [28.0, 32.0, 38.0, 15.0, 28.0, 36.0, 46.0, 31.0, 28.0, 40.0, 54.0, 47.0, 28.0, 44.0, 62.0, 63.0, 28.0, 48.0, 70.0, 79.0, 28.0, 52.0, 78.0, 95.0, 28.0, 56.0, 86.0, 111.0, 28.0, 60.0, 94.0, 127.0]
// expect: n: i32[16] = [0, 1, 6, 9, 4, 5, 18, 21, 8, 9, 30, 33, 12, 13, 42, 45]
// expect: c: u8[32] = [3, 2, 1, 200, 7, 6, 5, 204, 11, 10, 9, 208, 15, 14, 13, 212, 19, 18, 17, 216, 23, 22, 21, 220, 27, 26, 25, 224, 31, 30, 29, 228]
// expect: h: f16[16] = [0.5, 1.5, 2.5, 3.5, 4.5, 5.5, 6.5, 7.5, 8.5, 9.5, 10.5, 11.5, 12.5, 13.5, 14.5, 15.5]
// expect: d: f64[8] = [1.5, 4.5, 7.5, 10.5, 13.5, 16.5, 19.5, 22.5]
#include <lanewise/kernel.h>

KERNEL void k(volatile float4 *f, volatile int2 *n, volatile uchar4 *c, volatile half2 *h,
              double *d)
{
    SHARED volatile float3 turned[8];
    int i = thread_idx.x;
    volatile float4 own = {1, 2, 3, 4};
    volatile double2 wide = {i, 0.5};
    float4 v = f[i];
    float3 w = {v.x, v.y, v.z};
    uchar4 bytes = c[i];
    turned[i] = w;
    barrier();
    w = turned[7 - i];
    own = own * v + f[0];
    barrier();
    f[i] = own + (float4){w.x, w.y, w.z, 0};
    if (n[i].x & 2)
        n[i] = n[i] * 3;
    bytes.x += 200;
    c[i] = bytes.wzyx;
    h[i] = h[i] + (_Float16)0.5;
    wide *= 3;
    d[i] = wide.x + wide.y;
}
