// What is so long that the compiler cuts it, behind several waits: where a thread's work may stop
// and go on, it goes on by a switch, two values of which lead there.
// sizes: 1 9 320
// run: -k far -b @B --quiet 0 u32[4096]=iota u32[320]
// run: -k far -b @B --quiet 1 u32[4096]=iota u32[320]
// run: -k far -b @B --quiet 7 u32[4096]=iota u32[320]
// run: -k far -b @B --quiet 3 u32[4096]=iota u32[320]
#include <lanewise/kernel.h>

#define ME (warp_id() * WARP_SIZE + lane_id())
#define FOUR(x) x x x x
#define STEP sum = (sum ^ in[sum & 4095]) * 5 + 1;

static uint32_t far_from(const uint32_t *in, uint32_t sum)
{
    for (int i = 0; i < 1024; i++) {
        STEP
    }
    return sum;
}

KERNEL void far(int n, const uint32_t *in, uint32_t *out)
{
    SHARED uint32_t ready;
    atomic_store(&ready, 1);
    while (!atomic_load(&ready))
        ;
    if (n == 0)
        barrier();
    else if (n == 1)
        barrier();
    else if (in[n] != 7)
        return;
    uint32_t sum = in[ME];
    FOUR(FOUR(FOUR(FOUR(FOUR(STEP)))))
    out[ME] = sum;
    assert(out[ME] == far_from(in, in[ME]));
}
