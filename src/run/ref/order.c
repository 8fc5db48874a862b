/* order.c - the order of a schedule: which of a block's threads runs first, which resident block.
 *
 * Blocks start in increasing order always, for a block may wait for lower ones. A schedule that is
 * not forward has several of them resident, and differs in who of them runs first.
 *
 * source   a shuffle: Durstenfeld, "Algorithm 235: random permutation", CACM 7(7), 1964; its
 *          numbers: Steele, Lea, Flood, "Fast splittable pseudorandom number generators", 2014
 */
#include "run/ref/ref.h"
#include <assert.h>

enum { SIDE_BY_SIDE = 8 }; /* blocks */

static uint64_t next_number(uint64_t *state)
{
    uint64_t z = *state += UINT64_C(0x9e3779b97f4a7c15);
    z = (z ^ z >> 30) * UINT64_C(0xbf58476d1ce4e5b9);
    z = (z ^ z >> 27) * UINT64_C(0x94d049bb133111eb);
    return z ^ z >> 31;
}

/* Below `limit`, by what 2^64 / limit is: the quotient is right or one less. Nearly all rounds of a
 * kernel in which threads wait are a shuffle, of which divisions would be the half. */
static int below_by(uint64_t *state, int limit, uint64_t inverse)
{
    const uint64_t number = next_number(state);
    const uint64_t quotient = (uint64_t)(__extension__(unsigned __int128) number * inverse >> 64);
    const int rest = (int)(number - quotient * (uint64_t)limit);
    assert(rest >= 0 && rest < 2 * limit);
    return rest < limit ? rest : rest - limit;
}

void lw__ref_order_open(struct lw_ref_launch *launch, const struct lw__ref_schedule *schedule)
{
    if (schedule)
        launch->schedule = *schedule;
    launch->numbers = launch->schedule.seed;
    for (int i = launch->thread_count; i > 1 && launch->schedule.direction == LW_REF_HASHED; i--)
        launch->inverse[i - 1] = UINT64_MAX / (uint64_t)i;
    launch->resident_least = launch->schedule.direction == LW_REF_FORWARD ? 1 : SIDE_BY_SIDE;
    for (int i = 0; i < launch->thread_count; i++)
        launch->turn[i] =
            (uint16_t)(launch->schedule.direction == LW_REF_REVERSE ? launch->thread_count - 1 - i
                                                                    : i);
}

void lw__ref_order_threads(struct lw_ref_launch *launch)
{
    if (launch->schedule.direction != LW_REF_HASHED)
        return;
    for (int i = launch->thread_count; i > 1; i--) {
        const int other = below_by(&launch->numbers, i, launch->inverse[i - 1]);
        const uint16_t turn = launch->turn[i - 1];
        launch->turn[i - 1] = launch->turn[other];
        launch->turn[other] = turn;
    }
}

struct lw__ref_block **lw__ref_order_block(struct lw_ref_launch *launch)
{
    struct lw__ref_block **at = &launch->resident;
    int before = launch->resident_count;
    if (launch->schedule.direction == LW_REF_REVERSE)
        before = 0;
    if (launch->schedule.direction == LW_REF_HASHED) /* so few that the bias does not matter */
        before = (int)(next_number(&launch->numbers) % (uint64_t)(launch->resident_count + 1));
    while (before-- > 0)
        at = &(*at)->next;
    return at;
}
