// Short vectors that are parts of longer ones in memory, read after these are read or written.
// sizes: 1 33 8x8x4
// run: -k parts -b @B --quiet f32[2048] u64[2048]=iota
// run: -k begin -b @B --quiet u64[256] u64[4]=iota
#include <lanewise/kernel.h>

#define ME (warp_id() * WARP_SIZE + lane_id())

KERNEL void parts(float *kept, const uint64_t *row)
{
    int t = ME;
    ulong4 four = ((const ulong4 *)row)[t];
    ulong2 two = ((const ulong2 *)row)[2 * t], rest = ((const ulong2 *)row)[2 * t + 1];
    assert(two.x == 4 * (uint64_t)t && two.y == four.y && rest.x == four.z && rest.y == four.w);
    assert(((const uint4 *)row)[2 * t].z == (uint32_t)four.y);
    float4 own = {t, t + 1, t + 2, t + 3};
    ((float4 *)kept)[t] = own;
    float2 half = ((float2 *)kept)[2 * t + 1];
    assert(half.x == t + 2 && half.y == t + 3 && kept[4 * t + 1] == t + 1);
}

/* What is unused has branches, so that it falls away late. */
KERNEL void begin(uint64_t *kept, const uint64_t *row)
{
    __bf16 unused = ((const ulong4 *)row)[0].z;
    (void)unused;
    kept[ME] = ((const ulong2 *)row)[0].y;
    assert(kept[ME] == 1);
}
