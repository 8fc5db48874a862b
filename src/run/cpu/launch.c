/* launch.c - run one launch: its blocks in chunks, on this thread and on idle workers.
 *
 * A chunk is a run of consecutive blocks. One counter hands out chunks in increasing order, so a
 * block may wait for lower ones: the lowest unfinished block runs on a thread that waits for
 * nothing. A chunk should take LW_CPU_CHUNK_NS: short enough that the threads end together, and
 * long enough that the counter costs little. Tiny blocks come by the thousand. Near the end
 * chunks shrink with the number of blocks left (guided self-scheduling), so that the threads end
 * together.
 *
 * Two launches have the same work if grid, dynamic memory and all arguments but addresses are the
 * same. A launch is small if the last one with the same work took at most LW_CPU_SMALL_NS of one
 * thread. A first launch is not small. The same times decide how many helpers to wake.
 *
 * source   chunks: Polychronopoulos and Kuck, "Guided self-scheduling", IEEE Trans. Computers 1987
 */
#include "run/cpu/cpu.h"
#include <assert.h>
#include <string.h>
#include <time.h>

/* ---- the floating-point environment ---- */

/* FLOATS_DEFAULT: round to nearest, every exception masked, nothing flushed to zero. */
#if defined(__aarch64__)
enum { FLOATS_DEFAULT = 0 };

static unsigned long get_floats(void)
{
    unsigned long fpcr;

    __asm__ volatile("mrs %0, fpcr" : "=r"(fpcr));
    return fpcr;
}

static void set_floats(unsigned long fpcr)
{
    __asm__ volatile("msr fpcr, %0" : : "r"(fpcr) : "memory");
}
#else
#include <xmmintrin.h>
enum { FLOATS_DEFAULT = 0x1f80 };

static unsigned long get_floats(void)
{
    return _mm_getcsr();
}

static void set_floats(unsigned long mxcsr)
{
    _mm_setcsr((unsigned)mxcsr);
}
#endif

/* ---- times of earlier launches ---- */

/* An entry has the upper bits of the work's hash, and below the nanoseconds, at most all ones; in
 * one word, so that it is read and written whole. 0 is no entry. */
enum { TIME_BITS = 24 };
#define TIME_MAX ((UINT64_C(1) << TIME_BITS) - 1)

/* Of one thread; 0 where unknown, TIME_MAX for that long or longer. */
uint64_t lw__cpu_known_time(void *state, const struct lw__launch *l)
{
    (void)state;
    uint64_t entry =
        atomic_load_explicit(&l->times->entry[l->work % LW_TIMES], memory_order_relaxed);

    return (entry ^ l->work) > TIME_MAX ? 0 : entry & TIME_MAX;
}

/* ---- chunks ---- */

/* Up to `size` blocks from *first on; 0: none is left. One of several threads takes at most half of
 * its share of the rest. But it takes enough blocks that the counter costs less than they do. */
static uint64_t take(struct lw__cpu_run *run, uint64_t size, uint64_t *first)
{
    uint64_t at = atomic_load_explicit(&run->next, memory_order_relaxed), count, part;

    do {
        uint64_t left = run->blocks - at;

        assert(at <= run->blocks && size);
        if (!left || atomic_load_explicit(&run->stopped, memory_order_relaxed))
            return 0;
        part = run->threads > 1 ? left / (2 * run->threads) : left;
        count = part > size / 64 ? part : size / 64;
        count = count > size ? size : count;
        count = count > left ? left : count;
        count = count ? count : 1;
    } while (!atomic_compare_exchange_weak(&run->next, &at, at + count));
    *first = at;
    return count;
}

/* The next chunk's size after one of `count` blocks, asked for with `size`, took so long. */
static uint64_t adapt(uint64_t size, uint64_t count, uint64_t ns)
{
    if (ns > 2 * LW_CPU_CHUNK_NS)
        return size > 1 ? size / 2 : 1;
    if (count < size || ns > LW_CPU_CHUNK_NS / 2 || size >= UINT64_C(1) << 40)
        return size;
    return ns < LW_CPU_CHUNK_NS / 16 ? size * 8 : size * 2;
}

bool lw__cpu_is_stopped(struct lw__cpu_run *run)
{
    if (atomic_load_explicit(run->launch->cancelled, memory_order_relaxed))
        atomic_store(&run->stopped, true);
    return atomic_load_explicit(&run->stopped, memory_order_relaxed);
}

/* Chunks until none is left, or a helper is needed elsewhere: then true. */
static bool run_chunks(struct lw__cpu_run *run, struct lw__cpu_thread *thread, bool is_helper)
{
    uint64_t size = run->first_chunk, first, count, began = lw__clock(), at = began;
    bool is_needed = false;

    while (!is_needed && !lw__cpu_is_stopped(run) && (count = take(run, size, &first))) {
        uint64_t before = at, waited = thread->waited;

        if (!lw__cpu_enter_blocks(thread, run->entry, &run->abi, LW_CPU_BLOCK_SAYS, first, count))
            atomic_store(&run->stopped, true);
        at = lw__clock();
        size = adapt(size, count, at - before - (thread->waited - waited));
        is_needed = is_helper && lw__pool_is_short();
    }
    atomic_fetch_add_explicit(&run->busy, at - began, memory_order_relaxed);
    return is_needed;
}

/* A thread's part in the launch: its memory, its floating-point environment. */
static bool take_part(struct lw__share *share, bool is_helper)
{
    struct lw__cpu_run *run = (struct lw__cpu_run *)share;
    const struct lw__launch *l = run->launch;
    struct lw__cpu_thread thread = {.abi = {.calls = &lw__cpu_outside_calls, .user = run},
                                    .fault = lw__cpu_fault_thread()};
    size_t fixed = (l->shared_bytes + LW_DYNAMIC_ALIGN - 1) / LW_DYNAMIC_ALIGN * LW_DYNAMIC_ALIGN;
    unsigned long before;
    bool is_needed;

    if (!thread.fault || !lw__cpu_memory(LW_CPU_BLOCK, fixed + l->dynamic_bytes, l->shared_align,
                                         &thread.abi.shared)) {
        if (!is_helper)
            atomic_store(&run->short_of_memory, true);
        return false;
    }
    before = get_floats();
    set_floats(FLOATS_DEFAULT);
    if (is_helper)
        lw__stop_begin(thread.fault, l->cancelled, l->entry);
    atomic_fetch_add(&run->inside, 1);
    is_needed = run_chunks(run, &thread, is_helper);
    atomic_fetch_sub(&run->inside, 1);
    if (is_helper)
        lw__stop_end(thread.fault);
    set_floats(before);
    return is_needed;
}

/* ---- the launch ---- */

/* Idle workers that it pays to wake. */
static size_t count_helpers(uint64_t blocks, uint64_t time)
{
    uint64_t most = blocks - 1, worth = time / LW_CPU_HELPER_NS;

    if (!most || (time && !worth))
        return 0;
    if (time && worth < most)
        most = worth;
    return most < lw__pool_size() ? (size_t)most : lw__pool_size() - 1;
}

/* Blocks for the first chunk of each thread: one, where nothing is known. */
static uint64_t first_chunk(uint64_t blocks, uint64_t time)
{
    uint64_t chunks = time / LW_CPU_CHUNK_NS + 1;

    return time && time < TIME_MAX && blocks > chunks ? blocks / chunks : 1;
}

static lw_status outcome(struct lw__cpu_run *run)
{
    const char *kernel = run->launch->kernel;

    if (atomic_load(&run->failure.is_set))
        return lw__fail(run->failure.status, "%s", run->failure.message.text);
    if (atomic_load(&run->short_of_memory))
        return lw__fail(LW_E_MEMORY,
                        "kernel '%s': out of memory: a block with %zu + %zu bytes of SHARED memory",
                        kernel, run->launch->shared_bytes, run->launch->dynamic_bytes);
    if (!atomic_load(&run->stopped))
        return LW_OK;
    if (atomic_load(run->launch->cancelled))
        return lw__fail(LW_E_LAUNCH, "kernel '%s': the launch was cancelled", kernel);
    return lw__fail(LW_E_INTERNAL, "kernel '%s': its code stopped the launch without a reason",
                    kernel);
}

lw_status lw__cpu_launch(void *state, const struct lw__launch *launch)
{
    uint64_t time = lw__cpu_known_time(state, launch);
    struct lw__cpu_run run = {.share.run = take_part, .launch = launch};
    struct lw__fault_thread *self = lw__cpu_fault_thread();

    (void)state;
    if (!self)
        return lw__fail(LW_E_MEMORY, "kernel '%s': out of memory: a thread's stack for kernels",
                        launch->kernel);
    struct lw__guarded_args room;
    size_t args_bytes;
    const char *args = lw__guarded_args(launch, false, &room, &args_bytes);
    if (!args)
        return lw__fail(LW_E_MEMORY, "kernel '%s': out of memory: its arguments", launch->kernel);
    run.abi = (struct lw_cpu_launch){
        .args = args,
        .grid_dim = {(int32_t)launch->grid.x, (int32_t)launch->grid.y, (int32_t)launch->grid.z}};
    memcpy(&run.entry, &launch->entry, sizeof run.entry);
    run.blocks = (uint64_t)launch->grid.x * launch->grid.y * launch->grid.z;
    run.first_chunk = first_chunk(run.blocks, time);
    size_t helpers = count_helpers(run.blocks, time);
    run.threads = helpers + 1;
    lw__stop_begin(self, launch->cancelled, launch->entry);
    lw__pool_share(&run.share, helpers); /* with this thread in it until its helpers have left */
    lw__stop_end(self);
    assert(!atomic_load(&run.inside));
    lw__guarded_args_end(&room);
    lw_status status = outcome(&run);
    if (!status) {
        assert(atomic_load(&run.next) == run.blocks);
        time = atomic_load(&run.busy);
        time = time < 1 ? 1 : time > TIME_MAX ? TIME_MAX : time;
        atomic_store_explicit(&launch->times->entry[launch->work % LW_TIMES],
                              (launch->work & ~TIME_MAX) | time, memory_order_relaxed);
    }
    return status;
}
