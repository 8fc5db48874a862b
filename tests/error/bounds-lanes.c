// One thread of many accesses what is outside: the first access of it that does is named, wherever
// its lane is, and whichever others are masked off.
// device: ref only it looks at each access
// status: 4
// run: -b 40 -k gathers f32[40] f32[9] u32[40]=const:4294967295 39
// stderr: bounds-lanes.c:59:14: read of 4 bytes outside: index 4294967295 of 'x', which has 9 elements of 4 bytes, block (0,0,0) thread (39,0,0)
// run: -b 40 -k gathers f32[40] f32[9] u32[40]=const:9 17
// stderr: bounds-lanes.c:59:14: read of 4 bytes outside: index 9 of 'x', which has 9 elements of 4 bytes, block (0,0,0) thread (17,0,0)
// run: -b 40 -k gathers f32[39] f32[9] u32[40]=const:2147483648 39
// stderr: bounds-lanes.c:59:14: read of 4 bytes outside: index 2147483648 of 'x', which has 9 elements of 4 bytes, block (0,0,0) thread (39,0,0)
// run: -b 40 -k gathers f32[39] f32[9] u32[40]=const:8 39
// stderr: bounds-lanes.c:59:12: write of 4 bytes outside: index 39 of 'out', which has 39 elements of 4 bytes, block (0,0,0) thread (39,0,0)
// run: -b 40 -k signed_gathers f32[40] f32[9] i32[40]=const:-2147483648 20
// stderr: bounds-lanes.c:64:14: read of 4 bytes outside: index -2147483648 of 'x', which has 9 elements of 4 bytes, block (0,0,0) thread (20,0,0)
// run: -b 40 -k signed_gathers f32[40] f32[9] i32[40]=const:2147483647 20
// stderr: bounds-lanes.c:64:14: read of 4 bytes outside: index 2147483647 of 'x', which has 9 elements of 4 bytes, block (0,0,0) thread (20,0,0)
// run: -b 40 -k before f32[40] i32[40]=const:0 31
// stderr: bounds-lanes.c:69:44: write of 4 bytes outside: index -1 of 'x', which has 40 elements of 4 bytes, block (0,0,0) thread (31,0,0)
// run: -b 40 -k before f32[40] i32[40]=const:-2147483648 31
// stderr: bounds-lanes.c:69:44: write of 4 bytes outside: index -2147483649 of 'x', which has 40 elements of 4 bytes, block (0,0,0) thread (31,0,0)
// run: -b 40 -k before f32[40] i32[40]=const:41 31
// stderr: bounds-lanes.c:69:44: write of 4 bytes outside: index 40 of 'x', which has 40 elements of 4 bytes, block (0,0,0) thread (31,0,0)
// run: -b 40 -k left f32[40]
// stderr: bounds-lanes.c:74:14: write of 4 bytes outside: index -1 of 'x', which has 40 elements of 4 bytes, block (0,0,0) thread (0,0,0)
// run: -g 3 -b 40 -k right f32[119]
// stderr: bounds-lanes.c:79:10: write of 4 bytes outside: index 119 of 'x', which has 119 elements of 4 bytes, block (2,0,0) thread (39,0,0)
// run: -b 40 -k some f32[37] i32[40]=const:1 38
// stderr: bounds-lanes.c:85:14: write of 4 bytes outside: index 38 of 'x', which has 37 elements of 4 bytes, block (0,0,0) thread (38,0,0)
// run: -b 64 -k rows f32[3,64] 64 3
// stderr: bounds-lanes.c:90:23: write of 4 bytes outside: index 192 of 'x', which has 192 elements of 4 bytes, block (0,0,0) thread (0,0,0)
// run: -b 8x8 -k plane f32[63] 8
// stderr: bounds-lanes.c:95:32: write of 4 bytes outside: index 63 of 'x', which has 63 elements of 4 bytes, block (0,0,0) thread (7,7,0)
// run: -b 40 -k members f32[119] 39
// stderr: bounds-lanes.c:104:18: read of 4 bytes outside: index 119 of 'x', which has 119 elements of 4 bytes, block (0,0,0) thread (39,0,0)
// run: -b 64 -k packs u32[31] u32[1]
// stderr: bounds-lanes.c:114:63: write of 4 bytes outside: index 31 of 'out', which has 31 elements of 4 bytes, block (0,0,0) thread (63,0,0)
// run: -b 64 -k loops f32[64] f32[70] 1
// stderr: bounds-lanes.c:121:16: read of 4 bytes outside: index 70 of 'x', which has 70 elements of 4 bytes, block (0,0,0) thread (35,0,0)
// run: -b 64 -k tree f32[64] 32
// stderr: bounds-lanes.c:133:20: index 64 outside: this axis of 'part' has 64 elements, block (0,0,0) thread (32,0,0)
// run: -b 40 -k copies u8[9] u8[40] u64[40]=const:9 33
// stderr: bounds-lanes.c:143:5: write of 9 bytes outside: index 1 of 'to', which has 9 elements of 1 byte, block (0,0,0) thread (33,0,0)
// run: -b 64 -k atomics i32[5] u8[64]=const:5 60
// stderr: bounds-lanes.c:148:5: atomic of 4 bytes outside: index 5 of 'count', which has 5 elements of 4 bytes, block (0,0,0) thread (60,0,0)
#include <lanewise/kernel.h>

enum { SIZE = 64 };

struct three {
    float a, b, c;
};

// Where only one thread is wrong.
#define ONLY(INDEX) (thread_idx.x == which ? (INDEX) : 0)

KERNEL void gathers(float *out, const float *x, const uint32_t *at, int which)
{
    int t = thread_idx.x;
    out[t] = x[ONLY(at[t])];
}
KERNEL void signed_gathers(float *out, const float *x, const int *at, int which)
{
    int t = thread_idx.x;
    out[t] = x[ONLY(at[t])];
}
KERNEL void before(float *x, const int *at, int which)
{
    int t = thread_idx.x;
    (x + (t == which ? at[t] : t + 1))[-1] = 1;
}
KERNEL void left(float *x)
{
    int t = thread_idx.x;
    x[t - 1] = 1;
}
KERNEL void right(float *x)
{
    int i = global_idx.x;
    x[i] = 1;
}
KERNEL void some(float *x, const int *take, int which)
{
    int t = thread_idx.x;
    if (take[t] == 1 && t < which + 1 && t != 37)
        x[t] = 1;
}
KERNEL void rows(float *x, int cols, int row)
{
    int t = thread_idx.x;
    x[row * cols + t] = 1;
}
KERNEL void plane(float *x, int cols)
{
    int t = thread_idx.x;
    x[thread_idx.y * cols + t] = 1;
}
KERNEL void members(float *x, int which)
{
    const struct three *all = (const struct three *)x;
    struct three v;
    int t = thread_idx.x;
    v.a = all[t].a;
    v.b = all[t].b;
    v.c = all[t].c;
    if (t == which)
        x[0] = v.a + v.b + v.c;
}
KERNEL void packs(uint32_t *out, uint32_t *counter)
{
    int t = thread_idx.x;
    uint32_t kept = ballot(t % 2 == 1);
    uint32_t first = warp_id() * 16;
    if (t % 2 == 1)
        out[first + popcount(kept & ((1u << lane_id()) - 1))] = counter[0];
}
KERNEL void loops(float *out, const float *x, int step)
{
    int t = thread_idx.x;
    float sum = 0;
    for (int i = t; i < (t == 35 ? 71 : t + t % 7); i += step)
        sum += x[i];
    out[t] = sum;
}
KERNEL void tree(float *out, int half)
{
    SHARED float part[SIZE];
    int t = thread_idx.x;
    part[t] = t;
    barrier();
    for (int apart = half; apart > 0; apart /= 2) {
        float more = 0;
        if (t <= apart)
            more = part[t + apart];
        barrier();
        part[t] += more;
        barrier();
    }
    out[t] = part[t];
}
KERNEL void copies(uint8_t *to, const uint8_t *from, const size_t *bytes, int which)
{
    int t = thread_idx.x;
    memcpy(to + (t == which), from, ONLY(bytes[t]));
}
KERNEL void atomics(int *count, const uint8_t *at, int which)
{
    int t = thread_idx.x;
    atomic_add(&count[ONLY(at[t])], 1);
}
