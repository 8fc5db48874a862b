// Some threads return at once, the others go round a loop with a barrier, all of its iterations or
// each as many as it wants.
// run: -k return_before_loop -b 100 3 i32[100]
// expect: out: i32[100] = [0, 3, 6, 9, 12, 15, 18, 21, 24, 27, 30, 33, 36, 39, 42, 45, 48, 51, 54, 57, 60, 63, 66, 69, 72, 75, 78, 81, 84, 87, 90, 93, 0, 99, 102, 105, 108, 111, 114, 117, 120, 123, 126, 129, 132, 135, 138, 141, 144, 147, 150, 153, 156, 159, 162, 165, 168, 171, 174, 177, 180, 183, 186, 189, 0, 195, 198, 201, 204, 207, 210, 213, 216, 219, 222, 225, 228, 231, 234, 237, 240, 243, 246, 249, 252, 255, 258, 261, 264, 267, 270, 273, 276, 279, 282, 285, 0, 291, 294, 297]
// run: -k leave_apart -b 1 2 --quiet i32[100]
// run: -k leave_apart -b 33 3 --quiet i32[100]
// run: -k leave_apart -b 100 9 --quiet i32[100]
#include <lanewise/kernel.h>

KERNEL void return_before_loop(int trips, int *out)
{
    SHARED int row[100];
    int me = thread_idx.x, sum = 0;
    if (lane_id() == 0)
        return;
    for (int trip = 0; trip < trips; trip++) {
        row[me] = me;
        barrier();
        sum += row[me];
        barrier();
    }
    out[me] = sum;
}

/* What was there before the loop is there behind it. */
KERNEL void leave_apart(int trips, int *out)
{
    const int first = out[thread_idx.x] + thread_idx.x;
    if (lane_id() == 0)
        return;
    for (int trip = 0;; trip++) {
        barrier();
        if (lane_id() % 4 == trip || trip >= trips)
            break;
    }
    out[thread_idx.x] = first;
    assert(out[thread_idx.x] == thread_idx.x);
}
