// A loop with a barrier inside another: how often it turns is known to each thread alone, and what
// the outer one counts is asked in its every iteration. Nobody who leaves the inner one is on the
// way to the return: the outer one's next iteration comes first.
// sizes: 1 31 32 33 100 1000 8x8x4
// run: -b @B i32[64]=2,2,2,2,2,2,2,2,2,2,2,2,2,2,2,2,2,2,2,2,2,2,2,2,2,2,2,2,2,2,2,2,2,2,2,2,2,2,2,2,2,2,2,2,2,2,2,2,2,2,2,2,2,2,2,2,2,2,2,2,2,2,2,2 3 i32[1] i32[1]
// expect: wrong: i32[1] = [0]
// expect: done: i32[1] = [@N]
#include <lanewise/kernel.h>

KERNEL void loop_in_loop(const int *often, int trips, int *wrong, int *done)
{
    int sum = 0, expected = 0;
#pragma clang loop unroll(disable)
    for (int i = 0; i < trips; i++) {
        for (int j = 0; j < often[(thread_idx.x + i) & 63]; j++) {
            barrier();
            sum += shuffle(sum + 10 * i + j, 0);
        }
    }
    for (int i = 0; i < trips; i++)
        for (int j = 0; j < 2; j++)
            expected += expected + 10 * i + j;
    if (sum != expected)
        atomic_add(wrong, 1);
    atomic_add(done, 1);
}
