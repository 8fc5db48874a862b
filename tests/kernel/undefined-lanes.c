// What LLVM's code generator makes of constants of which a lane is undefined, or decides alone.
// run: -k choice -b 2 4e-8 i32[2]
// expect: out: i32[2] = [0, 1]
// run: -k choice -b 3 2.5 i32[3]
// expect: out: i32[3] = [1, 1, 1]
// run: -k one_bit -b 4 i64[4]
// expect: out: i64[4] = [1, 1, 1, 1]
// run: -k one_bit -b 33 --quiet i64[33]
// run: -k other_rows -b 7,5,2 --quiet i32[140]
// run: -k other_rows -b 31 --quiet i32[62]
#include <lanewise/kernel.h>

#define ME (warp_id() * WARP_SIZE + lane_id())

/* The second thread takes 1, whatever x is: a mask of which a lane is known. */
KERNEL void choice(float x, int *out)
{
    barrier();
    int4 v = {(thread_idx.x == 0 && (int)(_Float16)x) || ME, 0, 0, 0};
    out[ME] = v.x;
}

/* Of what is loaded, only the first thread wants a bit. */
KERNEL void one_bit(int64_t *out)
{
    SHARED unsigned row[64];
    row[ME] = 0;
    barrier();
    unsigned v = row[(unsigned)(int)(unsigned)(double)lane_id() % 4u];
    out[ME] = 1 ^ (v & (1 >> ME)); // lanewise-allow: overflow
    assert(out[ME] == 1);
}

/* A row's number and the thread's own have few bits in common; the odd lanes do not store them. */
KERNEL void other_rows(int *out)
{
    barrier();
    int zero = shuffle(0, lane_id());
    struct {
        int a, b;
        int bits : 29;
    } r = {0, 0, thread_idx.y & (int)global_idx.x};
    out[ME * 2] = 1;
    if (!(lane_id() & 1))
        out[ME * 2 + 1] = r.bits;
    barrier();
    int x = thread_idx.x, common = 0;
    for (int bit = 1; bit < 8; bit *= 2)
        common += x / bit % 2 && (int)thread_idx.y / bit % 2 ? bit : 0;
    assert(out[ME * 2 + 1] == (ME % 2 ? 0 : common + zero));
}
