// A goto that leaves loops: the arm in front of it is in all their iterations, its label in none.
// run: -k two_loops -b 8 i32[8] u32[8]
// expect: out: i32[8] = [3, 3, 7, 7, 11, 11, 15, 15]
// expect: together: u32[8] = [255, 255, 255, 255, 255, 255, 255, 255]
// run: -k label -b 8 i32[8]
// expect: out: i32[8] = [36, 36, 36, 36, 36, 36, 36, 36]
// run: -k label_of_some -b 8 i32[8]
// expect: out: i32[8] = [-1, 35, 35, 35, 35, 35, 35, 35]
// run: -k only_goto -b 64 i32[64]
// expect: out: i32[64] = [164, 164, 164, 164, 164, 164, 164, 164, 164, 164, 164, 164, 164, 164, 164, 164, 164, 164, 164, 164, 164, 164, 164, 164, 164, 164, 164, 164, 164, 164, 164, 164, 164, 164, 164, 164, 164, 164, 164, 164, 164, 164, 164, 164, 164, 164, 164, 164, 164, 164, 164, 164, 164, 164, 164, 164, 164, 164, 164, 164, 164, 164, 164, 164]
// run: -k only_goto_or_arm -b 8 i32[8]
// expect: out: i32[8] = [3, 3, 7, 7, -1, -1, -1, -1]
#include <lanewise/kernel.h>

KERNEL void two_loops(int *out, uint32_t *together)
{
    int l = lane_id(), v = l + 1;
    for (int i = 0; i < 2; i++)
        for (int j = 0; j < 2; j++) {
            int trip = 2 * i + j;
            if (trip == l / 2) {
                v = warp_sum(v);
                goto done;
            }
        }
    v = -1;
done:
    out[l] = v;
    together[l] = ballot(true);
}

KERNEL void label(int *out)
{
    int l = lane_id(), v = l + 1;
    for (int i = 0; i < 4; i++)
        if (i == l / 2)
            goto found;
    out[l] = -1;
    return;
found:
    out[l] = warp_sum(v);
}

// The label stands before the end of the kernel and behind the loop.
KERNEL void label_of_some(int *out)
{
    int l = lane_id(), v = l + 1;
    for (int i = 1; i < 8; i++) {
        int scoped = i;
        if (scoped == l)
            goto found;
    }
    v = -1;
    goto end;
found:
    v = warp_sum(v);
end:
    out[l] = v;
}

// Only goto leaves the endless loops: the label after them is in no iteration.
KERNEL void only_goto(int *out)
{
    int l = thread_idx.x, n = 0;
    for (int i = 0;; i++) {
        n += 1;
        if (i == l % 4)
            goto counted;
    }
counted:
    n = block_sum(n);
    while (true)
        if (n-- == 100 + l % 3)
            goto done;
done:
    out[l] = n + 1 - l % 3 + block_count(true);
}

// The arm with a return has no label: it is in the iterations.
KERNEL void only_goto_or_arm(int *out)
{
    int l = lane_id(), v = l + 1;
    for (int i = 0;; i++) {
        if (i == 2)
            goto rest;
        if (i == l / 2) {
            out[l] = warp_sum(v);
            return;
        }
    }
rest:
    out[l] = ballot(true) == 0xf0 ? -1 : -2;
}
