#include <lanewise/kernel.h>

KERNEL void number_the_chosen(int *place, int *count, const float *in)
{
    size_t i = global_idx.x;
    bool chosen = in[i] > 0;

    /* YOUR TURN: vote, then count bits. */
    place[i] = chosen ? 0 : -1;
    if (lane_id() == 0)
        count[i / 32] = 0;
}
