// A break arm belongs to the iteration it leaves, in every kind of loop. Lanes 2i and 2i + 1 leave
// in iteration i; v is lane + 1, or twice that where there is a scope of its own.
// run: -k for_loop -b 8 i32[8]
// expect: out: i32[8] = [3, 3, 7, 7, 11, 11, 15, 15]
// run: -k while_loop -b 8 i32[8]
// expect: out: i32[8] = [3, 3, 7, 7, 11, 11, 15, 15]
// run: -k do_loop -b 8 i32[8]
// expect: out: i32[8] = [3, 3, 7, 7, 11, 11, 15, 15]
// run: -k endless_loop -b 8 i32[8]
// expect: out: i32[8] = [3, 3, 7, 7, 11, 11, 15, 15]
// run: -k for_scope -b 8 i32[8]
// expect: out: i32[8] = [6, 6, 14, 14, 22, 22, 30, 30]
// run: -k while_scope -b 8 i32[8]
// expect: out: i32[8] = [6, 6, 14, 14, 22, 22, 30, 30]
// run: -k do_scope -b 8 i32[8]
// expect: out: i32[8] = [6, 6, 14, 14, 22, 22, 30, 30]
// run: -k endless_scope -b 8 i32[8]
// expect: out: i32[8] = [6, 6, 14, 14, 22, 22, 30, 30]
// run: -k behind_continue -b 8 i32[8]
// expect: out: i32[8] = [3, 3, 7, 7, 11, 11, 15, 15]
// run: -k behind_scope -b 8 i32[8]
// expect: out: i32[8] = [3, 3, 7, 7, 11, 11, 15, 15]
// run: -k unrolled -b 8 i32[8]
// expect: out: i32[8] = [3, 3, 7, 7, 11, 11, 15, 15]
// run: -k one_line -b 8 i32[8]
// expect: out: i32[8] = [3, 3, 7, 7, 11, 11, 15, 15]
#include <lanewise/kernel.h>

KERNEL void for_loop(int *out)
{
    int l = lane_id(), v = l + 1;
    for (int i = 0; i < 4; i++) {
        if (i == l / 2) {
            v = warp_sum(v);
            break;
        }
    }
    out[l] = v;
}

KERNEL void while_loop(int *out)
{
    int l = lane_id(), v = l + 1, i = 0;
    while (i < 4) {
        if (i == l / 2) {
            v = warp_sum(v);
            break;
        }
        i++;
    }
    out[l] = v;
}

KERNEL void do_loop(int *out)
{
    int l = lane_id(), v = l + 1, i = 0;
    do {
        if (i == l / 2) {
            v = warp_sum(v);
            break;
        }
    } while (++i < 4);
    out[l] = v;
}

KERNEL void endless_loop(int *out)
{
    int l = lane_id(), v = l + 1;
    for (int i = 0;; i++)
        if (i == l / 2) {
            v = warp_sum(v);
            break;
        }
    out[l] = v;
}

// Variables of the body end in clean-up blocks, through which the arm leaves.
KERNEL void for_scope(int *out)
{
    int l = lane_id(), v = l + 1;
    for (int i = 0; i < 4; i++) {
        int twice[2] = {v, v}, half = l / 2;
        if (i == half) {
            int sum = twice[0] + twice[i % 2];
            v = warp_sum(sum);
            break;
        }
    }
    out[l] = v;
}

KERNEL void while_scope(int *out)
{
    int l = lane_id(), v = l + 1, i = 0;
    while (i < 4) {
        int twice[2] = {v, v}, half = l / 2;
        if (i == half) {
            int sum = twice[0] + twice[i % 2];
            v = warp_sum(sum);
            break;
        }
        i++;
    }
    out[l] = v;
}

KERNEL void do_scope(int *out)
{
    int l = lane_id(), v = l + 1, i = 0;
    do {
        int twice[2] = {v, v}, half = l / 2;
        if (i == half) {
            int sum = twice[0] + twice[i % 2];
            v = warp_sum(sum);
            break;
        }
    } while (++i < 4);
    out[l] = v;
}

KERNEL void endless_scope(int *out)
{
    int l = lane_id(), v = l + 1;
    for (int i = 0;; i++) {
        int twice[2] = {v, v}, half = l / 2;
        if (i == half) {
            int sum = twice[0] + twice[i % 2];
            v = warp_sum(sum);
            break;
        }
    }
    out[l] = v;
}

// The arm stands behind the only jump back, which in the second kernel ends a scope.
KERNEL void behind_continue(int *out)
{
    int l = lane_id(), v = l + 1, i = 0;
    while (true) {
        if (i++ < l / 2)
            continue;
        v = warp_sum(v);
        break;
    }
    out[l] = v;
}

KERNEL void behind_scope(int *out)
{
    int l = lane_id(), v = l + 1, i = 0;
    while (true) {
        if (i++ < l / 2) {
            int scoped[2] = {v, v};
            v = scoped[i % 2];
            continue;
        }
        v = warp_sum(v);
        break;
    }
    out[l] = v;
}

KERNEL void unrolled(int *out)
{
    int l = lane_id(), v = l + 1;
#pragma unroll
    for (int i = 0; i < 4; i++)
        if (i == l / 2) {
            v = warp_sum(v);
            break;
        }
    out[l] = v;
}

// clang-format off
KERNEL void one_line(int *out)
{
    int l = lane_id(), v = l + 1;
    for (int i = 0; i < 4; i++) if (i == l / 2) { v = warp_sum(v); break; } out[l] = v;
}
