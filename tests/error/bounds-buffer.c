// An access outside of a buffer, by 1 to 1000 elements, above and below, of every kind.
// device: ref only it looks at each access
// status: 4
// run: -b 1 -k reads f32[8] f32[8] 8
// stderr: bounds-buffer.c:90:7: read of 4 bytes outside: index 8 of 'x', which has 8 elements of 4 bytes, block (0,0,0) thread (0,0,0)
// run: -b 1 -k reads f32[8] f32[8] 1007
// stderr: index 1007 of 'x'
// run: -b 1 -k reads f32[8] f32[8] 18446744073709551615
// stderr: index -1 of 'x'
// run: -b 1 -k reads f32[8] f32[8] 18446744073709550616
// stderr: index -1000 of 'x'
// run: -b 1 -k reads f32[8] f32[8] 70368744177664
// stderr: read of 4 bytes outside
// run: -b 1 -k reads f32[8] f32[0] 0
// stderr: index 0 of 'x', which has 0 elements of 4 bytes
// run: -b 1 -k writes f32[8] 8
// stderr: bounds-buffer.c:92:60: write of 4 bytes outside: index 8 of 'out', which has 8 elements
// run: -b 1 -k writes f32[8] 1000
// stderr: index 1000 of 'out'
// run: -b 1 -k writes f32[8] -1
// stderr: index -1 of 'out'
// run: -b 1 -k writes f32[8] -999
// stderr: index -999 of 'out'
// run: -b 1 -k writes f32[1] 1
// stderr: index 1 of 'out', which has 1 element of 4 bytes
// run: -b 1 -k unused f32[8] 8
// stderr: read of 4 bytes outside: index 8 of 'x'
// run: -b 1 -k adds i32[8] 8
// stderr: bounds-buffer.c:94:62: atomic of 4 bytes outside: index 8 of 'out'
// run: -b 1 -k adds i32[8] -3
// stderr: atomic of 4 bytes outside: index -3 of 'out'
// run: -b 1 -k adds_float f32[8] 8
// stderr: atomic of 4 bytes outside: index 8 of 'out'
// run: -b 1 -k swaps u8[8] 8
// stderr: atomic of 1 byte outside: index 8 of 'out', which has 8 elements of 1 byte
// run: -b 1 -k loads i64[8] i64[1] 8
// stderr: atomic of 8 bytes outside: index 8 of 'x'
// run: -b 1 -k stores i16[8] -1
// stderr: atomic of 2 bytes outside: index -1 of 'out'
// run: -b 1 -k vectors f32[12] 3
// stderr: write of 16 bytes outside: index 3 of 'out', which has 3 elements of 16 bytes
// run: -b 1 -k shifted f32[12] 9
// stderr: read of 16 bytes outside: index 9 of 'x', which has 12 elements of 4 bytes
// run: -b 1 -k copies f32[8] f32[8] 9
// stderr: read of 36 bytes outside: index 0 of 'x', which has 8 elements
// run: -b 1 -k copies f32[8] f32[16] 9
// stderr: write of 36 bytes outside: index 0 of 'out', which has 8 elements
// run: -b 1 -k moves f32[8] 5
// stderr: write of 20 bytes outside: index 4 of 'out', which has 8 elements
// run: -b 1 -k sets f32[8] 7
// stderr: write of 8 bytes outside: index 7 of 'out', which has 8 elements
// run: -b 1 -k structs struct[3] 3
// stderr: index 3 of 'all', which has 3 elements of 24 bytes
// run: -b 1 -k structs struct[3] -1
// stderr: of 'all', which has
// run: -b 1 -k fields struct[3] 3
// stderr: outside: byte 80 of 'all', which has 72 bytes
// run: -b 1 -k helped f32[8] 4
// stderr: bounds-buffer.c:111:10: write of 4 bytes outside: index 8 of 'out'
// run: -b 1 -k walks f32[8] 9
// stderr: write of 4 bytes outside: index 8 of 'out'
// run: -b 1 -k both f32[8] f32[8] 0 8
// stderr: write of 4 bytes outside: index 8 of 'a'
// run: -b 1 -k both f32[8] f32[9] 1 9
// stderr: write of 4 bytes outside: index 9 of 'b', which has 9 elements
// run: -b 1 -k neighbour f32[8] f32[8]
// stderr: of 'a', which has 8 elements of 4 bytes
// run: -g 3 -b 4 -k forgotten f32[10]
// stderr: write of 4 bytes outside: index 10 of 'out', which has 10 elements of 4 bytes, block (2,0,0) thread (2,0,0)
// run: -b 1 -k bytes f32[2] 8
// stderr: read of 1 byte outside: index 2 of 'x'
// run: -b 1 -k strided f32[16] 5
// stderr: index 20 of 'x'
// run: -b 1 -k bits struct[2] 2
// stderr: of 'all', which has
// run: -b 33 -k waits f32[32]
// stderr: index 32 of 'out', which has 32 elements of 4 bytes, block (0,0,0) thread (32,0,0)
#include <lanewise/kernel.h>

struct pair {
    double d;
    float f[4];
};

struct flags {
    unsigned a : 3, b : 9;
};

KERNEL void reads(float *out, const float *x, size_t i) { out[0] =
      x[i]; }

KERNEL void writes(float *out, int i) { out[0] = 1; out[i] = 2; }

KERNEL void adds(int *out, int i) { atomic_add(&out[0], 1);  atomic_add(&out[i], 1); }

KERNEL void unused(const float *x, int i) { (void)*(const volatile float *)&x[i]; }
KERNEL void adds_float(float *out, int i) { atomic_add(out + i, 1); }
KERNEL void swaps(uint8_t *out, int i) { atomic_cas(out + i, 0, 1); }
KERNEL void loads(int64_t *out, const int64_t *x, int i) { out[0] = atomic_load(x + i); }
KERNEL void stores(int16_t *out, int i) { atomic_store(out + i, 1); }
KERNEL void vectors(float4 *out, int i) { out[i] = (float4){1, 2, 3, 4}; }
KERNEL void shifted(float *x, int i) { x[0] = (*(float4 *)(void *)(x + i)).x; }
KERNEL void copies(float *out, const float *x, int n) { memcpy(out, x, (size_t)n * sizeof *x); }
KERNEL void moves(float *out, int n) { memmove(out + 4, out, (size_t)n * sizeof *out); }
KERNEL void sets(float *out, int i) { memset(out + i, 0, 8); }
KERNEL void structs(struct pair *all, int i) { all[i] = all[0]; }
KERNEL void fields(struct pair *all, int i) { all[i].f[0] = 1; }

static void put(float *p, int n)
{
    p[n] = 1;
}
KERNEL void helped(float *out, int i) { put(out + i, i); }
KERNEL void walks(float *out, int n) { for (float *p = out; p != out + n; p++) *p = 1; }
KERNEL void both(float *a, float *b, int which, int i)
{
    float *p = which ? b : a;
    p[i] = 1;
}
KERNEL void neighbour(float *a, float *b) { a[b - a] = 1; }
KERNEL void forgotten(float *out) { out[global_idx.x] = 1; }
KERNEL void bytes(float *x, int i) { x[0] = ((const char *)x)[i]; }
KERNEL void strided(float *x, int i) { x[0] = x[4 * i]; }
KERNEL void bits(struct flags *all, int i) { all[i].b = 7; }
KERNEL void waits(float *out)
{
    barrier();
    out[thread_idx.x] = block_sum(1.0f);
}
