// Lanes leave a loop in different iterations, by a branch on what is the same for all of a
// iteration, and part behind it: what the first made there is still theirs when the last have come.
// run: -b 4 0 i32[4]=1,1,1,1 i32[4]
// expect: out: i32[4] = [10, 11, 11, 11]
// run: -b 4 0 i32[4]=1,1,0,1 i32[4]
// expect: out: i32[4] = [10, 11, 0, 11]
// run: -b 4 2 i32[4]=1,0,1,1 i32[4]
// expect: out: i32[4] = [0, 0, 12, 12]
#include <lanewise/kernel.h>

KERNEL void leave_and_part(int limit, const int *in, int *out)
{
    int i = 0;
    if (thread_idx.x)
        goto late;
    for (i = 0;; i++) {
        if (!(i < (limit & 3))) {
            float half = (float)i / 2;
            if (in[lane_id()] == 0)
                break;
            out[thread_idx.x] = 10 + (int)(2 * half);
            break;
        }
        if ((short)in[0] == 5)
            continue;
    late:
        if (lane_id() == 0)
            break;
    }
}
