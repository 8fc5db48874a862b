// Variables of a thread that are aligned to more than any vector.
// sizes: 1 31 33 64 100 8x8x4
// run: -D A=128 -b @B i32[1]=zeros 2
// expect: wrong: i32[1] = [0]
// run: -D A=4096 -b @B i32[1]=zeros 2
// expect: wrong: i32[1] = [0]
// run: -D A=16384 -b @B i32[1]=zeros 2
// expect: wrong: i32[1] = [0]
// run: -D A=65536 -b @B i32[1]=zeros 2
// expect: wrong: i32[1] = [0]
// device: !cuda the driver sets such frames aside for all threads of the GPU: 80 GB are too few
// run: -D A=4096 -D WAITS -g 2 -b @B i32[1]=zeros 2
// expect: wrong: i32[1] = [0]
#include <lanewise/kernel.h>

struct wide {
    _Alignas(A) int v[3];
};

static int sum_of(const int *row, int count)
{
    int sum = 0;
    for (int i = 0; i < count; i++)
        sum += row[i];
    return sum;
}

KERNEL void aligned(int *wrong, int n)
{
    SHARED int turn;
    int t = thread_idx.x + block_dim.x * (thread_idx.y + block_dim.y * thread_idx.z), bad = 0;
    _Alignas(A) char one = (char)t;
    _Alignas(A) int row[5], unseen[5];
    struct wide s, copy;
    char *volatile first = &one; /* nobody knows what it holds, so all that follows is asked */
    int *volatile second = row;
    struct wide *volatile third = &s;
    if (t == 0)
        turn = 0;
    barrier();
#ifdef WAITS
    if (lane_id() == 0)
        while (atomic_load(&turn) != warp_id())
            ;
#endif
    for (int i = 0; i < 5; i++) {
        second[(i + n) % 5] = i + t;
        unseen[(i + n) % 5] = i - t;
    }
    third->v[n % 3] = t;
    *first += 1;
    copy = s;
    bad += (uintptr_t)first % A != 0 || (uintptr_t)second % A != 0 || (uintptr_t)third % A != 0;
    bad += sum_of(second, 5) != 10 + 5 * t || unseen[(n + 3) % 5] != 3 - t;
    bad += copy.v[n % 3] != t || one != (char)(t + 1);
    warp_sync();
    if (lane_id() == 0)
        atomic_add(&turn, 1);
    barrier();
    bad += *first != (char)(t + 1) || sum_of(second, 5) != 10 + 5 * t || third->v[n % 3] != t;
    atomic_add(wrong, bad);
}
