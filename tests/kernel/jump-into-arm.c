// Some threads begin in one arm of a branch in the inner of two loops.
// sizes: 1 8 33 64
// device: !check borrowed values decide branches
// run: -b @B 3 2 i32[1] i32[64]
// expect: wrong: i32[1] = [0]
#include <lanewise/kernel.h>

static int alone(int t, int outer, int inner, bool jumps)
{
    int i = 0, k = 0, sum = t;
    if (jumps)
        goto entry;
    do {
        for (k = 0; k < inner + t % 2; k++) {
            if (t & 5) {
                sum = sum * 3 + k;
            entry:
                sum += i;
            } else {
                sum = sum * 5 + 1;
            }
            sum ^= k;
        }
    } while (++i < outer + t % 3);
    return sum;
}

KERNEL void into_arm(int outer, int inner, int *wrong, const int *zeros)
{
    int t = thread_idx.x, i = 0, k = 0, sum = t;
    if (t % 3 == 1 + zeros[t])
        goto entry;
    do {
        for (k = 0; k < inner + t % 2 + zeros[t]; k++) {
            if (t & 5) {
                sum = sum * 3 + k;
            entry:
                sum += i + shuffle_xor(0, 1);
            } else {
                sum = sum * 5 + 1;
            }
            sum ^= k;
        }
    } while (++i < outer + t % 3);
    if (sum != alone(t, outer, inner, t % 3 == 1))
        atomic_add(wrong, 1);
}
