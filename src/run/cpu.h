/* cpu.h - the parts of the `cpu` device.
 *
 *     device_cpu   the device: loads programs, finds kernels
 *     cpu_level    which vector instructions: of the processor, or as LANEWISE_CPU says
 *     cpu_launch   runs one launch: its blocks in chunks, on this thread and on idle workers
 *     cpu_calls    what kernel code calls, and the first failure of a launch
 *     cpu_memory   each thread's block memory, and that of large arrays
 *
 * A kernel is a function that runs a row of blocks, one after the other (base/cpu_abi.h).
 */
#ifndef LW_CPU_H
#define LW_CPU_H

#include "base/cpu_abi.h"
#include "run/report.h"
#include "run/run.h"

enum {
    LW_CPU_SHARED_MAX = 48 << 10, /* bytes, static */
    LW_CPU_DYNAMIC_MAX = 1 << 20, /* bytes */
    LW_CPU_SMALL_NS = 10000,      /* a launch that takes no longer runs in the caller's thread */
    LW_CPU_HELPER_NS = 20000,     /* work for which waking one more worker pays */
    LW_CPU_CHUNK_NS = 50000,      /* what a chunk of blocks should take: it is not interrupted */
};

/* ---- cpu_level ---- */

struct lw__cpu_level {
    const char *word;   /* in LANEWISE_CPU */
    const char *target; /* of lanewise-compile */
    const char *title;
};

/* lw__cpu_level_choose - what LANEWISE_CPU names, or the best there is.
 * errors   LW_E_DEVICE it names none, or one that this processor or its system lacks */
lw_status lw__cpu_level_choose(const struct lw__cpu_level **level);

/* lw__cpu_describe - "AVX-512, 2 threads". NULL: of the level that choose would give, or where that
 * is an error of the best there is. The text is constant. */
const char *lw__cpu_describe(const struct lw__cpu_level *level);

/* ---- cpu_launch ---- */

lw_status lw__cpu_launch(void *state, const struct lw__launch *launch);
bool lw__cpu_is_small(void *state, const struct lw__launch *launch);

/* The first failure of a launch, in the order of its blocks. */
struct lw__cpu_failure {
    atomic_bool is_set;
    uint64_t block; /* locked, as are those below */
    lw_status status;
    struct lw__message message;
};

/* One launch, for all its threads. */
struct lw__cpu_run {
    struct lw__share share; /* first: pool.c hands its address back */
    struct lw_cpu_launch abi;
    const struct lw__launch *launch;
    lw_cpu_entry *entry;
    uint64_t blocks, threads;           /* threads: that may work on it at once */
    uint64_t first_chunk;               /* blocks */
    _Alignas(64) _Atomic uint64_t next; /* the first block that no thread has taken */
    atomic_bool stopped;                /* no more blocks: a failure, or cancelled */
    atomic_bool short_of_memory;        /* not even this thread has a block's */
    _Alignas(64) _Atomic uint64_t busy; /* nanoseconds of all threads together */
    struct lw__cpu_failure failure;
};

/* ---- cpu_calls ---- */

extern const struct lw_cpu_calls lw__cpu_calls; /* their worker's user is a lw__cpu_run */

/* ---- cpu_memory ---- */

/* Block memory; arrays of a block's threads that are too large for the stack. */
enum lw__cpu_use { LW_CPU_BLOCK, LW_CPU_FRAME, LW_CPU_USES };

/* lw__cpu_memory - this thread's memory for a use, of so many bytes at least, LW_CPU_ALIGN aligned;
 * it is kept for the thread's next launch. NULL for 0 bytes. False: memory is short; NULL. */
bool lw__cpu_memory(enum lw__cpu_use use, size_t bytes, char **memory);
#endif
