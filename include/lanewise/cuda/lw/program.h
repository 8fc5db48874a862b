/* program.h - assert, printf, time, traps: what a kernel does besides computing. */
#ifndef LANEWISE_CUDA_PROGRAM_H
#define LANEWISE_CUDA_PROGRAM_H

#include "operations.h"

/* glibc's <assert.h> calls this. The front end makes lw.assert_fail of it: file and line are those
 * of the call, which Lanewise knows. */
extern "C" __device__ __attribute__((noreturn)) void
__assert_fail(const char *, const char *, unsigned, const char *) noexcept;
extern "C" __device__ __attribute__((format(printf, 1, 2), nothrow)) int printf(const char *, ...)
    __asm__("lw.printf");

/* Time is a count of the calls, on every device: it grows, so that loops which wait for it end. */
inline __device__ unsigned long long lw_ticks;
LW_DEVICE long long clock64() { return (long long)lw_atomic_add(&lw_ticks, 64ull); }
LW_DEVICE clock_t clock() { return (clock_t)clock64(); }
LW_DEVICE unsigned long long __globaltimer() { return (unsigned long long)clock64(); }
LW_DEVICE unsigned long long globaltimer() { return (unsigned long long)clock64(); }
LW_DEVICE void __nanosleep(unsigned) {}
LW_DEVICE void __prof_trigger(int) {}
LW_DEVICE void __brkpt() {}
LW_DEVICE void __trap() { lw_assert_fail("__trap()"); }

/* All blocks wait for each other: on ref and check always, elsewhere where all are resident, or the
 * launch fails. The last block to come begins the next round. */
inline __device__ unsigned lw_blocks_here, lw_grid_round;
LW_DEVICE void lw_grid_sync()
{
    lw_fence_device();
    lw_barrier();
    if (threadIdx.x == 0 && threadIdx.y == 0 && threadIdx.z == 0) {
        const unsigned round = lw_atomic_load(&lw_grid_round);
        lw_fence_device();
        if (lw_atomic_add(&lw_blocks_here, 1u) == gridDim.x * gridDim.y * gridDim.z - 1) {
            lw_atomic_store(&lw_blocks_here, 0u);
            lw_fence_device();
            lw_atomic_add(&lw_grid_round, 1u);
        } else {
            while (lw_atomic_load(&lw_grid_round) == round)
                ;
        }
        lw_fence_device();
    }
    lw_barrier();
}

#endif
