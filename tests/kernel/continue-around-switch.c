// A switch in a loop: some lanes leave it by `break`, some by `continue`, some pass it by.
// sizes: 1 2 33 64
// run: -b @B 5 i32[1] i32[64]
// expect: wrong: i32[1] = [0]
#include <lanewise/kernel.h>

static int alone(int t, int trips)
{
    int set = 1, sum = 0, i = -1;
    while (++i < trips) {
        switch ((uint32_t)(i + t) % 6u) {
        case 1:
        case 3:
            sum += set;
            break;
        case 0:
        case 5:
            if (t & 1)
                continue;
            set = t;
            break;
        }
    }
    return sum;
}

KERNEL void around(int trips, int *wrong, const int *zeros)
{
    int t = thread_idx.x, set = 1, sum = 0, i = -1;
    switch (zeros[t]) {
    default:
        while (++i < trips) {
            switch ((uint32_t)(zeros[i] + i + t) % 6u) {
            case 1:
            case 3:
                sum += set;
                break;
            case 0:
            case 5:
                if (thread_idx.x & 1)
                    continue;
                set = t;
                break;
            }
        }
        break;
    case 1:
        break;
    }
    if (sum != alone(t, trips))
        atomic_add(wrong, 1);
}
