/* cpu.h - the parts of the `cpu` device.
 *
 *     device   the device: loads programs, finds kernels
 *     amx      may tiles be used?
 *     level    which vector instructions: of the processor, or as LANEWISE_CPU says
 *     launch   runs one launch: its blocks in chunks, on this thread and on idle workers
 *     calls    what kernel code calls, and the first failure of a launch
 *     gangs    blocks that run in several gangs, in turn
 *     trap     enters kernel code, and turns its faults into failures
 *     memory   each thread's block memory, that of large arrays and of gangs
 *
 * A kernel is a function that runs a row of blocks, one after the other (base/cpu_abi.h).
 */
#ifndef LW_CPU_H
#define LW_CPU_H

#include "base/cpu_abi.h"
#include "base/levels.h"
#include "base/manifest.h"
#include "run/build/build.h"
#include "run/threads/threads.h"

enum {
    LW_CPU_SHARED_MAX = 48 << 10, /* bytes, static */
    LW_CPU_DYNAMIC_MAX = 1 << 20, /* bytes */
    LW_CPU_HELPER_NS = 20000,     /* work for which waking one more worker pays */
    LW_CPU_CHUNK_NS = 50000,      /* what a chunk of blocks should take: it is not interrupted */
    LW_CPU_STUCK_NS = 500000000,  /* all wait and nothing changes for so long: for ever */
    LW_CPU_GANGS_MAX = LW_CPU_THREADS_MAX / 32,
};

/* ---- cpu_level ---- */

/* lw__cpu_level_choose - what LANEWISE_CPU names, or the best there is, in gangs as LANEWISE_GANG
 * says: a row of lw__levels, or one with another target.
 * errors   LW_E_DEVICE it names none, or one that this processor or its system lacks;
 *          LANEWISE_GANG is no size of a gang */
lw_status lw__cpu_level_choose(const struct lw__level **level);

/* lw__cpu_spare_target - the same in gangs of one warp; NULL where their size was asked for. */
const char *lw__cpu_spare_target(const struct lw__level *level);

/* lw__cpu_level_suits - how well this level runs code for a target, in gangs of any size: its
 * own is best, those of lesser levels follow; -1: not at all. */
int lw__cpu_level_suits(const struct lw__level *level, const char *target);

/* lw__cpu_describe - "AVX-512, 2 threads". NULL: of the level that choose would give, or where that
 * is an error of the best there is. The text is constant. */
const char *lw__cpu_describe(const struct lw__level *level);

/* lw__cpu_may_use_amx - may kernels of this level use AMX for bfloat16 numbers? Asks the system at
 * the first call, which changes what it keeps of each thread of the process. */
bool lw__cpu_may_use_amx(const struct lw__level *level);

/* ---- cpu_launch ---- */

lw_status lw__cpu_launch(void *state, const struct lw__launch *launch);
uint64_t lw__cpu_known_time(void *state, const struct lw__launch *launch);

/* The first failure of a launch, in the order of its blocks. */
struct lw__cpu_failure {
    atomic_bool is_set;
    uint64_t block; /* locked, as are those below */
    lw_status status;
    struct lw__message message;
};

/* One launch, for all its threads. */
struct lw__cpu_run {
    struct lw__share share; /* first: threads/pool.c hands its address back */
    struct lw_cpu_launch abi;
    const struct lw__launch *launch;
    lw_cpu_entry *entry;
    uint64_t blocks, threads;           /* threads: that may work on it at once */
    uint64_t first_chunk;               /* blocks */
    _Alignas(64) _Atomic uint64_t next; /* the first block that no thread has taken */
    atomic_bool stopped;                /* no more blocks: a failure, or cancelled */
    atomic_bool short_of_memory;        /* not even this thread has a block's */
    atomic_uint inside;                 /* threads that take part */
    unsigned stuck;                     /* locked: of them, counted as waiting in vain */
    uint64_t stuck_count;               /* locked: which count; a new one begins from 0 */
    _Alignas(64) _Atomic uint64_t busy; /* nanoseconds of all threads together */
    struct lw__cpu_failure failure;
};

/* One thread of a launch. */
struct lw__cpu_thread {
    struct lw_cpu_worker abi; /* first: kernel code has its address */
    struct lw__fault_thread *fault;
    uint64_t waited; /* nanoseconds that its gangs waited for other threads */
};

/* No more is to be done: a failure, or cancelled. */
bool lw__cpu_is_stopped(struct lw__cpu_run *run);

/* ---- cpu_calls ---- */

extern const struct lw_cpu_calls lw__cpu_calls; /* their worker's user is a lw__cpu_run */

/* The launch fails; of several failures that of the lowest block stays. UINT64_MAX: of none. */
void lw__cpu_fail(struct lw__cpu_run *run, uint64_t block, lw_status status,
                  const struct lw__message *message);

/* ---- cpu_trap ---- */

/* Calls of kernel code. False, NULL: the launch is stopped. If kernel code faults and that is
 * trapped, the launch has failed in `block`. LW_CPU_BLOCK_SAYS: the one that the worker says. */
#define LW_CPU_BLOCK_SAYS UINT64_MAX
bool lw__cpu_enter_blocks(struct lw__cpu_thread *thread, lw_cpu_entry *entry,
                          const struct lw_cpu_launch *launch, uint64_t block, uint64_t first,
                          uint64_t count);
void *lw__cpu_enter_start(struct lw__cpu_thread *thread, lw_cpu_gang_start *start,
                          const struct lw_cpu_launch *launch, struct lw_cpu_gang *gang);

/* resume(handle) for each of the gangs of a block. One call for all: to enter kernel code takes as
 * long as a gang does between two barriers. */
struct lw__cpu_resume {
    void (*resume)(void *handle);
    void *handles[LW_CPU_GANGS_MAX];
    uint32_t count;
};
bool lw__cpu_enter_gangs(struct lw__cpu_thread *thread, const struct lw__cpu_resume *gangs,
                         uint64_t block);

/* Who prints, and the text of a %s: "" where that is outside all memory, and the launch has failed.
 */
struct lw__cpu_printer {
    struct lw__cpu_thread *thread;
    uint64_t block;
};
const char *lw__cpu_find_text(const void *printer, uint64_t address, size_t most);

extern const struct lw_cpu_calls lw__cpu_outside_calls; /* the same, for kernel code */

/* ---- cpu_gang ---- */

/* Calls of kernel code (base/cpu_abi.h). */
uint32_t lw__cpu_run_gangs(const struct lw_cpu_launch *launch, struct lw_cpu_worker *worker,
                           uint64_t first, uint64_t count, const struct lw_cpu_gangs *gangs);
void *lw__cpu_gang_memory(struct lw_cpu_worker *worker, struct lw_cpu_gang *gang, uint64_t bytes);

/* ---- cpu_memory ---- */

enum lw__cpu_use {
    LW_CPU_BLOCK,     /* block memory */
    LW_CPU_FRAME,     /* arrays of a block's threads that are too large for the stack */
    LW_CPU_CREW,      /* the gangs of a block: what the library knows of them, */
    LW_CPU_GANGS,     /* the frames of all but the last, */
    LW_CPU_LAST_GANG, /* and of that */
    LW_CPU_WATCHED,   /* copies of the frames */
    LW_CPU_USES
};

/* lw__cpu_memory - this thread's memory for a use, of so many bytes at least, aligned to `align`,
 * which is at most LW_SHARED_ALIGN; it is kept for the thread's next launch. If faults are trapped,
 * memory for kernel code ends at a guard page. NULL for 0 bytes. False: memory is short; NULL. */
bool lw__cpu_memory(enum lw__cpu_use use, size_t bytes, size_t align, char **memory);

/* lw__cpu_fault_thread - what threads/ has of this thread. NULL: memory is short. */
struct lw__fault_thread *lw__cpu_fault_thread(void);
#endif
