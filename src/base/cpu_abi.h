/* cpu_abi.h - what kernels compiled for `cpu` and the device in src/run/cpu agree on.
 *
 * A program is built in two steps, since the block's dimensions are constants of the code:
 *
 *   1. `lanewise-compile --device cpu:LEVEL ... PATH` makes a shared object with
 *          lw.common, lw.common.bytes     the common bitcode, and how many bytes (uint64_t)
 *          lw.sizes.K                     see manifest.h
 *          lw.cpu.K                       kernels that BLOCK(...) fixes
 *   2. The common bitcode in descriptor FD becomes a shared object, by
 *          lanewise-compile --device cpu:LEVEL --common FD --kernel K --block X,Y,Z --name N
 *              --out FD
 *      It has
 *          lw.cpu.K                       for blocks of X x Y x Z threads
 *      Its manifest has the site rows of its code, numbered from 0, and diag rows: remarks, or
 *      errors if the compiler cannot build the kernel; the exit status is then 1.
 *
 * With --first FD [--kernel K] --block X,Y,Z the first does both; the second's result goes to FD,
 * and there is none where the kernel has its code already (compile/driver/first_launch.c).
 *
 * LEVEL is baseline (x86-64), avx2 (with FMA), avx512 (F, BW, CD, DQ, VL) or aarch64 (NEON);
 * LEVEL/N has each block run in gangs of N threads (below), a multiple of 32.
 * lw.cpu.K runs the blocks first ... first + count - 1 of a launch, x fastest, one after the other
 * on the calling thread. The caller has set the floating-point environment: round to nearest,
 * nothing flushed, no exception unmasked.
 */
#ifndef LW_CPU_ABI_H
#define LW_CPU_ABI_H
#include <stdint.h>

enum { LW_CPU_ALIGN = 128 }; /* of frames; no vector is larger */

/* One launch; read by all its threads. */
struct lw_cpu_launch {
    const char *args;    /* packed as the manifest's param rows say */
    int32_t grid_dim[3]; /* blocks */
};

/* One thread that runs blocks of a launch. */
struct lw_cpu_worker {
    char *shared; /* block memory: static SHARED, then dynamic, as manifest.h says */
    const struct lw_cpu_calls *calls;
    void *user;     /* the device's own */
    uint64_t block; /* the linear index of the block under way; written by lw.cpu.K */
};

struct lw_cpu_gang;
struct lw_cpu_gangs;

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
    /* memory for a block's private arrays that are too large for the stack, aligned to
     * LW_CPU_ALIGN; this thread has it until lw.cpu.K returns. NULL: there is none, so lw.cpu.K
     * returns 1 */
    void *(*frame)(struct lw_cpu_worker *w, uint64_t bytes);
    /* all that lw.cpu.K does where blocks run in several gangs */
    uint32_t (*run_gangs)(const struct lw_cpu_launch *launch, struct lw_cpu_worker *w,
                          uint64_t first, uint64_t count, const struct lw_cpu_gangs *gangs);
    /* a gang's memory, aligned as above, until its block is done; NULL: there is none */
    void *(*gang_memory)(struct lw_cpu_worker *w, struct lw_cpu_gang *gang, uint64_t bytes);
    /* the same of an assert_that: LW_SAID_MAX args, as in lw_ref_calls */
    void (*assert_that)(struct lw_cpu_worker *w, uint64_t block, uint32_t thread,
                        const char *format, uint32_t site, const uint64_t *args);
    /* the same of an access that was refused: LW_REFUSED_WORDS words (base/bounds_abi.h) */
    void (*refused)(struct lw_cpu_worker *w, uint64_t block, uint32_t thread, uint32_t site,
                    const uint64_t *words);
};

/* ---- gangs -----------------------------------------------------------------------------------
 * The lanes that run together are the gang. It is the block, or else some warps of it; each gang is
 * then a coroutine. It suspends at a barrier or block operation, and in each iteration of a spin
 * loop. lw.cpu.K is one call of run_gangs, which resumes the gangs in turn.
 */

enum lw_cpu_gang_state {
    LW_CPU_ARRIVED,  /* at a barrier or block operation: goes on when all others are there */
    LW_CPU_WAITS,    /* in a loop that waits: goes on after the others */
    LW_CPU_RETURNED, /* its threads have */
    LW_CPU_STOPPED,  /* one of the calls stopped the launch, or memory was short */
    LW_CPU_STEADY,   /* as WAITS; whether lanes leave the loop depends on memory alone, whatever
                      * else changes in the frame */
};

enum { LW_CPU_THREADS_MAX = 1024, LW_CPU_OPERANDS_MAX = 3, LW_CPU_KEY_MAX = 63 };

/* The data that the gangs of a block exchange. in and out are arrays of what a block operation
 * takes and gives, element t thread t's; of its type, i1 as bytes. A result that is the same for
 * all threads is out[0]. */
struct lw_cpu_exchange {
    uint32_t arrived[LW_CPU_THREADS_MAX / 32]; /* bit t % 32 of word t / 32: thread t is there, */
    uint32_t live[LW_CPU_THREADS_MAX / 32];    /* and has not returned; of gangs that suspend */
    uint64_t in[LW_CPU_OPERANDS_MAX][LW_CPU_THREADS_MAX];
    uint64_t out[LW_CPU_THREADS_MAX];
};

/* One gang of the block under way. */
struct lw_cpu_gang {
    uint64_t block; /* linear index in the grid */
    int32_t block_idx[3];
    uint32_t number, first; /* of the gang in its block; its first thread */
    struct lw_cpu_exchange *exchange;
    /* written by it before it suspends */
    uint32_t state, site; /* ARRIVED, WAITS, STEADY: where */
    /* ARRIVED: place and iterations, as in struct lw_ref_thread; those of others are the same */
    uint64_t key[LW_CPU_KEY_MAX];
    uint32_t key_length;
    /* ARRIVED: runs the operation, from in to out, as one block; its argument is the exchange's
     * address. NULL: a barrier */
    lw_cpu_entry *operation;
    uint32_t writes,
        departures; /* how often lanes have written in a spin loop; left a STEADY one */
};

/* Runs the gang to its first suspension; NULL: memory was short. */
typedef void *lw_cpu_gang_start(const struct lw_cpu_launch *launch, struct lw_cpu_worker *worker,
                                struct lw_cpu_gang *gang);

struct lw_cpu_gangs {
    lw_cpu_gang_start *start, *start_last; /* the last gang may have fewer threads */
    void (*resume)(void *gang);            /* what start gave; to the next suspension */
    uint32_t threads, gang_threads;        /* of a block; of a gang */
};
#endif
