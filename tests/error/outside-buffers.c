// A kernel that leaves its buffers, its block memory or its stack ends with a line.
// device: cpu the other devices have the same in bounds-*.c
// run: -k forgets -g 4 -b 256 f32[1000] f32[1000]=iota
// status: 4
// stderr: kernel 'forgets': @DIR/outside-buffers.c:35:18: read of 4 bytes outside: index 1000 of 'a', which has 1000 elements of 4 bytes, block (3,0,0) thread (232,0,0)
// run: -k forgets -b 256 f32[240] f32[240]
// status: 4
// stderr: outside-buffers.c:35:18: read of 4 bytes outside: index 240 of 'a'
// run: -k forgets -g 2,3 -b 16 f32[16] f32[16]
// status: 4
// stderr: block (1,0,0) thread (0,0,0)
// run: -k forgets -g 4 -b 250 --quiet f32[1000] f32[1000]
// run: -k copies -b 64 struct[8] u8[192]
// status: 4
// stderr: index 6 of 'a', which has 6 elements of 32 bytes, block (0,0,0) thread (6,0,0)
// run: -k together -b 100 i32[16]
// status: 4
// stderr: read of 4 bytes outside: index 16 of 'out', which has 16 elements of 4 bytes, block (0,0,0) thread (16,0,0)
// run: -k below -b 64 i32[1024]
// status: 4
// stderr: read of 4 bytes outside: index -64 of 'out', which has 1024 elements of 4 bytes, block (0,0,0) thread (0,0,0)
// run: -k says -b 1 i8[64]=const:65 0
// expect: [block 0,0,0 thread 0,0,0] AA
// status: 4
// stderr: read of 1 byte outside: index 64 of 'text', which has 64 elements of 1 byte
// run: -k says -b 1 i8[64]=const:65 62
// expect: [block 0,0,0 thread 0,0,0] AA
// status: 4
// stderr: read of 1 byte outside: index 64 of 'text', which has 64 elements of 1 byte
#include <lanewise/kernel.h>

KERNEL void forgets(float *out, const float *a)
{
    size_t i = global_idx.x;
    out[i] = 2 * a[i];
}

struct row {
    int at[8];
};

static void copy(struct row *to, const struct row *from)
{
    *to = *from;
}

KERNEL void copies(struct row *out, const struct row *a)
{
    copy(&out[thread_idx.x % 8], &a[thread_idx.x % 8]);
}

KERNEL void together(int *out)
{
    int v = out[thread_idx.x];
    int sum = block_sum(v);
    out[thread_idx.x % 16] = sum;
}

KERNEL void below(int *out)
{
    SHARED int places[64];
    places[thread_idx.x] = out[(long)thread_idx.x - 64];
    barrier();
    out[thread_idx.x] = places[63 - thread_idx.x];
}

KERNEL void says(char *text, long from)
{
    printf("%.2s", text + from);
    printf("%s", text + from);
}
