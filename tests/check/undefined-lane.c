/* Values of lanes that are not there. Each kernel is right without -D BAD. */
#include <lanewise/kernel.h>
#define ME ((int)thread_idx.x)

#ifdef BAD
#define THERE(condition) true
#else
#define THERE(condition) (condition)
#endif

// Behind the last lane.
// run: -k last -b 32 i32[32]
// run: -k last -b 32 -D BAD i32[32]
// finds: undefined-lane @l2 @l1
KERNEL void last(int *out)
{
    int next = shuffle_down(ME, 1); /* @l1 */
    if (THERE(ME < 31))
        out[ME] = next - ME; /* @l2 */
}

// Of a partial warp.
// run: -k partial -b 35 i32[64]
// run: -k partial -b 35 -D BAD i32[64]
// finds: undefined-lane @p2 @p1
KERNEL void partial(int *out)
{
    int other = shuffle_xor(ME, 1); /* @p1 */
    if (THERE(ME != 34))
        out[other] = ME; /* @p2 */
}

// Lanes of the other arm take no part.
// run: -k arm -b 32 i32[32]
// run: -k arm -b 32 -D BAD i32[32]
// finds: undefined-lane @a2 @a1
KERNEL void arm(int *out)
{
    if (ME < 16) {
        int v = shuffle(ME, ME + 8); /* @a1 */
        if (THERE(ME < 8)) {
            if (v > 10) /* @a2 */
                out[ME] = 1;
        }
    }
}

// A lane that has returned.
// run: -k returned -b 32 i32[32]
// run: -k returned -b 32 -D BAD i32[32]
// finds: undefined-lane @r2 @r1
KERNEL void returned(int *out)
{
    if (ME == 0)
        return;
    int v = ME;
    int before = shuffle_up(v, 1); /* @r1 */
    if (THERE(ME > 1))
        v += before;
    out[ME] = v; /* @r2 */
}

// Through memory, arithmetic and a helper; as an atomic's operand.
static float difference(float x)
{
    return x - shuffle_up(x, 1); /* @h1 */
}

// run: -k helper -b 32 f32[1] f32[32]=iota
// run: -k helper -b 32 -D BAD f32[1] f32[32]=iota
// finds: undefined-lane @h2 @h1
KERNEL void helper(float *sum, const float *x)
{
    SHARED float all[32];
    all[ME] = difference(x[ME]);
    barrier();
    if (THERE(ME > 0))
        atomic_add(sum, all[ME]); /* @h2 */
}

// Of a whole block.
// run: -k broadcast -b 40 i32[40]
// run: -k broadcast -b 40 -D BAD i32[40]
// finds: undefined-lane @b2 @b1
KERNEL void broadcast(int *out)
{
    int v = block_broadcast(ME, THERE(false) ? 40 : 39); /* @b1 */
    out[ME] = v; /* @b2 */
}

// A tree and a scan that keep what is there and leave the rest.
// run: -k sums -b 45 i32[64]
KERNEL void sums(int *out)
{
    const int lane = lane_id(), count = ME < 32 ? 32 : 13;
    int sum = ME, scan = ME;
    for (int d = 1; d < 32; d *= 2) {
        int below = shuffle_up(scan, d), above = shuffle_down(sum, d);
        if (lane >= d)
            scan += below;
        if (lane + d < count)
            sum += above;
    }
    out[ME] = scan;
    if (lane == 0)
        out[45 + ME / 32] = sum;
}

// A tree whose upper lanes have what nobody takes.
// run: -k tree -b 32 i32[1]
KERNEL void tree(int *out)
{
    int sum = ME;
    for (int d = 16; d > 0; d /= 2)
        sum += shuffle_down(sum, d);
    if (ME == 0)
        *out = sum;
}

// The collectives of the language take the lanes that are there.
// run: -k given -b 45 i32[64]
KERNEL void given(int *out)
{
    int v = warp_sum(ME) + warp_inclusive_sum(ME) + block_max(ME) + block_exclusive_sum(ME);
    if (ME % 3 == 0)
        v += warp_min(v) + (int)ballot(ME > 4);
    out[ME] = v;
}
