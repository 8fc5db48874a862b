// C's own fences and atomics, of every order, mean what those of the kernel language mean: on
// buffers, block memory and a thread's own variables, on floats and small integers, under
// divergence, in loops that wait.
// run: -k fences -b 1 i32[1]=iota
// expect: out: i32[1] = [0]
// run: -k fences -b 33 i32[33]=iota
// expect: out: i32[33] = [0, 9, 6, 15, 12, 21, 18, 27, 24, 33, 30, 39, 36, 45, 42, 51, 48, 57, 54, 63, 60, 69, 66, 75, 72, 81, 78, 87, 84, 93, 90, 99, 96]
// run: -k fences -b 64 i32[64]=iota
// expect: out: i32[64] = [0, 9, 6, 15, 12, 21, 18, 27, 24, 33, 30, 39, 36, 45, 42, 51, 48, 57, 54, 63, 60, 69, 66, 75, 72, 81, 78, 87, 84, 93, 90, 99, 96, 105, 102, 111, 108, 117, 114, 123, 120, 129, 126, 135, 132, 141, 138, 147, 144, 153, 150, 159, 156, 165, 162, 171, 168, 177, 174, 183, 180, 189, 186, 195]
// run: -k atomics -b 64 i32[10]=10,10,10,10,10,10,10,10,10,10 f32[4]=1,2,3,4 i8[4]
// expect: a: i32[10] = [74, -54, 2, 63, 10, -1, -64, 63, 3, 10]
// expect: f: f32[4] = [65.0, -62.0, 63.0, -63.0]
// expect: c: i8[4] = [64, 7, 1, 0]
// run: -k hand_over -g 4 -b 32 i32[4] i32[4] i32[1]
// expect: data: i32[4] = [1, 2, 3, 4]
// expect: flag: i32[4] = [1, 1, 1, 1]
// expect: sum: i32[1] = [6]
// run: -k own -b 40 i32[40] f32[40]
// expect: out: i32[40] = [13, 10, 11, 28, 17, 14, 15, 32, 21, 18, 19, 36, 25, 22, 23, 40, 29, 26, 27, 44, 33, 30, 31, 48, 37, 34, 35, 52, 41, 38, 39, 56, 45, 42, 43, 60, 49, 46, 47, 64]
// expect: f: f32[40] = [2.5, 2.5, 2.5, 2.5, 2.5, 2.5, 2.5, 2.5, 2.5, 2.5, 2.5, 2.5, 2.5, 2.5, 2.5, 2.5, 2.5, 2.5, 2.5, 2.5, 2.5, 2.5, 2.5, 2.5, 2.5, 2.5, 2.5, 2.5, 2.5, 2.5, 2.5, 2.5, 2.5, 2.5, 2.5, 2.5, 2.5, 2.5, 2.5, 2.5]
#include <lanewise/kernel.h>

KERNEL void fences(int *out)
{
    int i = thread_idx.x;
    __atomic_thread_fence(__ATOMIC_RELAXED);
    __atomic_thread_fence(__ATOMIC_CONSUME);
    __atomic_thread_fence(__ATOMIC_ACQUIRE);
    __atomic_signal_fence(__ATOMIC_SEQ_CST);
    if (out[i] & 1) {
        __atomic_thread_fence(__ATOMIC_SEQ_CST);
        out[i] += 2;
        __atomic_thread_fence(__ATOMIC_RELEASE);
    }
    __c11_atomic_thread_fence(__ATOMIC_ACQ_REL);
    __sync_synchronize();
    out[i] *= 3;
}

KERNEL void atomics(int *a, float *f, signed char *c)
{
    SHARED int shared;
    int i = thread_idx.x, expected = 3;
    if (i == 0)
        __atomic_store_n(&shared, 0, __ATOMIC_RELEASE);
    barrier();
    __atomic_fetch_add(&a[0], 1, __ATOMIC_SEQ_CST);
    __atomic_sub_fetch(&a[1], 1, __ATOMIC_ACQ_REL);
    __atomic_fetch_and(&a[2], ~8, __ATOMIC_ACQUIRE);
    __atomic_fetch_or(&a[3], i, __ATOMIC_RELEASE);
    __sync_fetch_and_xor(&a[4], i & 1);
    __atomic_fetch_nand(&a[5], 0, __ATOMIC_SEQ_CST);
    __atomic_fetch_min(&a[6], -i - 1, __ATOMIC_SEQ_CST);
    __atomic_fetch_max((unsigned *)&a[7], (unsigned)i, __ATOMIC_RELAXED);
    __atomic_exchange_n(&a[8], 3, __ATOMIC_ACQ_REL);
    __atomic_compare_exchange_n(&a[9], &expected, 4, 0, __ATOMIC_RELEASE, __ATOMIC_ACQUIRE);
    __atomic_fetch_add(&f[0], 1.0f, __ATOMIC_SEQ_CST);
    __atomic_fetch_sub(&f[1], 1.0f, __ATOMIC_RELAXED);
    __atomic_fetch_max(&f[2], (float)i, __ATOMIC_SEQ_CST);
    __atomic_fetch_min(&f[3], -(float)i, __ATOMIC_SEQ_CST);
    __atomic_fetch_add(&c[0], 1, __ATOMIC_SEQ_CST);
    __atomic_store_n(&c[1], 7, __ATOMIC_SEQ_CST);
    __atomic_test_and_set(&c[2], __ATOMIC_ACQUIRE);
    __atomic_clear(&c[3], __ATOMIC_RELEASE);
    __atomic_fetch_add(&shared, 1, __ATOMIC_SEQ_CST);
    barrier();
    if (i == 0 && __atomic_load_n(&shared, __ATOMIC_SEQ_CST) != 64)
        a[0] = -1;
}

/* A block waits for the one below it: what that wrote before its flag, it sees. */
KERNEL void hand_over(int *data, int *flag, int *sum)
{
    int b = block_idx.x;
    if (thread_idx.x)
        return;
    while (b && !__atomic_load_n(&flag[b - 1], __ATOMIC_ACQUIRE))
        ;
    data[b] = b ? data[b - 1] + 1 : 1;
    __atomic_fetch_add(sum, b, __ATOMIC_SEQ_CST);
    __atomic_store_n(&flag[b], 1, __ATOMIC_RELEASE);
}

KERNEL void own(int *out, float *f)
{
    int i = thread_idx.x;
    _Atomic int n = i;
    _Atomic float x = 0.5f;
    _Atomic int many[4] = {1, 2, 3, 4};
    n += 3;
    n++;
    x += 2;
    many[i & 3] *= 5;
    out[i] = n + many[0] + many[3];
    f[i] = x;
}
