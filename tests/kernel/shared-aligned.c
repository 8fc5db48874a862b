// Block memory lies where its alignment asks for.
// sizes: 1 33 64
// run: -D A=64 -g 3 -b @B --shared 96 i32[1]=zeros
// expect: wrong: i32[1] = [0]
// run: -D A=256 -g 3 -b @B --shared 96 i32[1]=zeros
// expect: wrong: i32[1] = [0]
// run: -D A=4096 -g 3 -b @B --shared 96 i32[1]=zeros
// expect: wrong: i32[1] = [0]
// run: -D A=8192 -g 3 -b @B --shared 96 i32[1]=zeros
// status: 3
// stderr: kernel 'places' aligns SHARED memory to 8192 bytes, at most 4096 are possible
#include <lanewise/kernel.h>

struct wide {
    _Alignas(A) int v[3];
};
SHARED _Alignas(A) int of_file[5];
DYNAMIC_SHARED(float, tail);
DYNAMIC_SHARED(struct wide, wide);

KERNEL void places(int *wrong)
{
    SHARED char odd[3];
    SHARED struct wide of_function;
    int *volatile a = of_file, *volatile b = of_function.v, bad = 0;
    struct wide *volatile c = wide;
    if (thread_idx.x == 0) {
        odd[0] = 1;
        a[4] = 2;
        b[2] = 3;
        tail[2] = 1.0f;
    }
    barrier();
    bad += (uintptr_t)a % A != 0 || (uintptr_t)b % A != 0 || (uintptr_t)c % A != 0;
    bad += odd[0] != 1 || of_file[4] != 2 || of_function.v[2] != 3 || c->v[2] != 0x3f800000;
    atomic_add(wrong, bad);
}
