/* cpu_abi.h - what kernels compiled for `cpu` and device_cpu agree on.
 *
 * A program is built in two steps, since the block's dimensions are constants of the code:
 *
 *   1. `lanewise-compile --device cpu:LEVEL ... PATH` makes a shared object with
 *          lw.common, lw.common.bytes     the common bitcode, and how many bytes (uint64_t)
 *          lw.sizes.K                     see manifest.h
 *          lw.cpu.K                       kernels that BLOCK(...) fixes
 *   2. `lanewise-compile --device cpu:LEVEL --common FD --kernel K --block X,Y,Z --name N --out FD`
 *      makes, from those bytes in descriptor FD, one with lw.cpu.K for blocks of X x Y x Z threads.
 *      Its manifest has diag rows (remarks; errors where the compiler cannot do the kernel: exit
 *      status 1) and the site rows that its code counts from 0.
 *
 * LEVEL is baseline (x86-64), avx2 (with FMA) or avx512 (F, BW, CD, DQ, VL).
 * lw.cpu.K runs the blocks first ... first + count - 1 of a launch, x fastest, one after the other
 * on the calling thread, with the floating-point environment that the caller has set: round to
 * nearest, nothing flushed, no exception unmasked.
 */
#ifndef LW_CPU_ABI_H
#define LW_CPU_ABI_H
#include <stdint.h>

enum { LW_CPU_ALIGN = 128 }; /* of block memory, its dynamic part included */

/* One launch; read by all its threads. */
struct lw_cpu_launch {
    const char *args;    /* packed as the manifest's param rows say */
    int32_t grid_dim[3]; /* blocks */
};

/* One thread that runs blocks of a launch. */
struct lw_cpu_worker {
    char *shared; /* block memory: static SHARED, then dynamic from the next 128 bytes on */
    const struct lw_cpu_calls *calls;
    void *user; /* device_cpu's own */
};

/* 0: all blocks ran; 1: one of the calls below stopped the launch. */
typedef uint32_t lw_cpu_entry(const struct lw_cpu_launch *launch, struct lw_cpu_worker *worker,
                              uint64_t first, uint64_t count);

/* Calls from kernel code. block: the linear index of the block in the grid; thread: that of the
 * thread in its block. A call that returns nonzero, and every `fail`, makes lw.cpu.K return 1. */
struct lw_cpu_calls {
    /* one printf of one thread; args as in lw_ref_calls */
    void (*print)(struct lw_cpu_worker *w, uint64_t block, uint32_t thread, const char *format,
                  uint32_t count, const uint64_t *args);
    /* a failed assert: the lowest thread of those for which it failed */
    void (*assert_fail)(struct lw_cpu_worker *w, uint64_t block, uint32_t thread,
                        const char *expression, uint32_t site);
    /* a barrier or block operation that live threads of the block did not reach: bit t % 32 of
     * word t / 32 stands for thread t */
    void (*diverged)(struct lw_cpu_worker *w, uint64_t block, uint32_t site,
                     const uint32_t *arrived, const uint32_t *live);
    /* memory for arrays of a block's threads that are too large for the stack, LW_CPU_ALIGN
     * aligned, this thread's until lw.cpu.K returns; NULL: there is none, so lw.cpu.K returns 1 */
    void *(*frame)(struct lw_cpu_worker *w, uint64_t bytes);
};
#endif
