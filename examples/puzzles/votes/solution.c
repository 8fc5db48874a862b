/* One vote tells every lane what all lanes said.
 *
 * The mask of lane 0 has no bit, that of lane 31 has 31. Counting bits is one instruction on a
 * GPU. So each lane learns its place in a few instructions, and no lane waits for another.
 */
#include <lanewise/kernel.h>

KERNEL void number_the_chosen(int *place, int *count, const float *in)
{
    size_t i = global_idx.x;
    bool chosen = in[i] > 0;
    uint32_t votes = ballot(chosen), before = (1u << lane_id()) - 1;

    place[i] = chosen ? (int)popcount(votes & before) : -1;
    if (lane_id() == 0)
        count[i / 32] = popcount(votes);
}
