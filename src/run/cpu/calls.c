/* calls.c - what kernel code calls: its printf, its large arrays, and how it fails.
 *
 * Blocks are handed out in increasing order and each thread runs those it has to the first
 * failure. So every block below the lowest that fails has run: the failure kept, that of the lowest
 * block, is the same whatever the number of threads.
 */
#include "run/cpu/cpu.h"
#include <assert.h>
#include <inttypes.h>
#include <pthread.h>
#include <string.h>

/* ---- failures ---- */

void lw__cpu_fail(struct lw__cpu_run *run, uint64_t block, lw_status status,
                  const struct lw__message *message)
{
    struct lw__cpu_failure *f = &run->failure;

    assert(status && (block < run->blocks || block == UINT64_MAX));
    lw__lock();
    if (!atomic_load(&f->is_set) || block < f->block) {
        f->block = block;
        f->status = status;
        f->message = *message;
    }
    atomic_store(&f->is_set, true);
    lw__unlock();
    atomic_store(&run->stopped, true);
}

static void fail_assert(struct lw_cpu_worker *w, uint64_t block, uint32_t thread,
                        const struct lw__failed *failed)
{
    struct lw__cpu_run *run = w->user;
    struct lw__message m = {0};
    int32_t block_idx[3], thread_idx[3];

    lw__place(run->launch->grid, block, block_idx);
    lw__place(run->launch->block, thread, thread_idx);
    lw__message_add_assert(&m, run->launch, failed, block_idx, thread_idx);
    lw__cpu_fail(run, block, LW_E_LAUNCH, &m);
}

static void call_assert_fail(struct lw_cpu_worker *w, uint64_t block, uint32_t thread,
                             const char *expression, uint32_t site)
{
    const struct lw__failed failed = {.text = expression, .site = site};

    fail_assert(w, block, thread, &failed);
}

static void call_assert_that(struct lw_cpu_worker *w, uint64_t block, uint32_t thread,
                             const char *format, uint32_t site, const uint64_t *args)
{
    const struct lw__cpu_printer printer = {(struct lw__cpu_thread *)w, block};
    const struct lw__print_texts texts = {.find = lw__cpu_find_text, .user = &printer};
    const struct lw__failed failed = {
        .text = format, .site = site, .args = args, .texts = lw__faults_trapped() ? &texts : NULL};

    fail_assert(w, block, thread, &failed);
}

/* The threads of a block: bit t % 32 of word t / 32. */
struct divergence {
    const uint32_t *arrived, *live;
};

static bool has_thread(const uint32_t *set, int thread)
{
    return set[thread / 32] >> thread % 32 & 1;
}

static bool is_missing(const void *who, int thread)
{
    const struct divergence *d = who;

    return has_thread(d->live, thread) && !has_thread(d->arrived, thread);
}

static void call_diverged(struct lw_cpu_worker *w, uint64_t block, uint32_t site,
                          const uint32_t *arrived, const uint32_t *live)
{
    struct lw__cpu_run *run = w->user;
    const struct lw__launch *l = run->launch;
    struct divergence d = {arrived, live};
    struct lw__message m = {0};
    int count = (int)(l->block.x * l->block.y * l->block.z), first = -1;
    int64_t reached = 0, returned = 0;
    int32_t index[3];

    for (int t = 0; t < count; t++) {
        if (has_thread(arrived, t) && first < 0)
            first = t;
        reached += has_thread(arrived, t);
        returned += !has_thread(live, t);
    }
    lw__place(l->grid, block, index);
    lw__message_add_divergence(&m, l, index);
    lw__message_add_site(&m, l, site);
    lw__place(l->block, first < 0 ? 0 : (uint64_t)first, index);
    lw__message_add_reached(&m, reached, index);
    lw__message_add_missing(&m, l, site, is_missing, &d);
    lw__message_add_returned(&m, returned);
    lw__cpu_fail(run, block, LW_E_LAUNCH, &m);
}

/* ---- refused accesses ---- */

static void call_refused(struct lw_cpu_worker *w, uint64_t block, uint32_t thread, uint32_t site,
                         const uint64_t *words)
{
    const struct lw__refused refused = {
        .words = words,
        .object = (const char *)(uintptr_t)words[LW_REFUSED_OBJECT],
        .block = block,
        .thread = thread,
        .site = site,
    };
    struct lw__cpu_run *run = w->user;
    struct lw__message m = {0};

    lw__message_add_refused(&m, run->launch, &refused);
    lw__cpu_fail(run, block, LW_E_LAUNCH, &m);
}

/* ---- printf ---- */

static void call_print(struct lw_cpu_worker *w, uint64_t block, uint32_t thread, const char *format,
                       uint32_t count, const uint64_t *args)
{
    struct lw__cpu_run *run = w->user;
    const struct lw__cpu_printer printer = {(struct lw__cpu_thread *)w, block};
    const struct lw__print_texts texts = {.find = lw__cpu_find_text, .user = &printer};
    struct lw__message m = {0};
    int32_t block_idx[3], thread_idx[3];

    lw__place(run->launch->grid, block, block_idx);
    lw__place(run->launch->block, thread, thread_idx);
    if (lw__print_plainly(run->launch->output, block_idx, thread_idx, format, count, args,
                          lw__faults_trapped() ? &texts : NULL))
        return;
    lw__message_add(&m, "kernel '%s': no memory for what it prints", run->launch->kernel);
    lw__cpu_fail(run, block, LW_E_MEMORY, &m);
}

/* ---- large arrays ---- */

static void *call_frame(struct lw_cpu_worker *w, uint64_t bytes)
{
    struct lw__cpu_run *run = w->user;
    char *memory;

    if (!lw__cpu_memory(LW_CPU_FRAME, bytes, LW_CPU_ALIGN, &memory)) {
        struct lw__message m = {0};

        lw__message_add(
            &m, "kernel '%s': no memory for the arrays of a block's threads: %" PRIu64 " bytes",
            run->launch->kernel, bytes);
        lw__cpu_fail(run, UINT64_MAX, LW_E_MEMORY,
                     &m); /* of no block: any failure of one comes first */
    }
    return memory;
}

const struct lw_cpu_calls lw__cpu_calls = {
    .print = call_print,
    .assert_fail = call_assert_fail,
    .diverged = call_diverged,
    .frame = call_frame,
    .run_gangs = lw__cpu_run_gangs,
    .gang_memory = lw__cpu_gang_memory,
    .assert_that = call_assert_that,
    .refused = call_refused,
};
