// Numbers of 32 bits without a sign index up to 2^32 - 1, from lane to lane in any order: those of
// a block lie on both sides of 2^31, or close to the end.
// expect: wrong: i32[1] = [0]
// expect: to: i32[64] = [0, 55, 46, 37, 28, 19, 10, 1, 56, 47, 38, 29, 20, 11, 2, 57, 48, 39, 30, 21, 12, 3, 58, 49, 40, 31, 22, 13, 4, 59, 50, 41, 32, 23, 14, 5, 60, 51, 42, 33, 24, 15, 6, 61, 52, 43, 34, 25, 16, 7, 62, 53, 44, 35, 26, 17, 8, 63, 54, 45, 36, 27, 18, 9]
// run: -b 64 2147483616 i32[1] i32[64] i32[64]=iota
// run: -b 64 4294967232 i32[1] i32[64] i32[64]=iota
// run: -b 64 0 i32[1] i32[64] i32[64]=iota
#include <lanewise/kernel.h>

KERNEL void far(uint32_t first, int *wrong, int *to, const int *a)
{
    const uintptr_t back = (uintptr_t)first * sizeof *a;
    const int *from = (const int *)((uintptr_t)a - back);
    int *out = (int *)((uintptr_t)to - back), me = thread_idx.x;
    uint32_t at = first + (uint32_t)a[me] * 7 % 64;
    if (from[at] != (int)(at - first))
        atomic_add(wrong, 1);
    if (me % 3 && from[at] != me * 7 % 64)
        atomic_add(wrong, 1);
    out[at] = me;
}
