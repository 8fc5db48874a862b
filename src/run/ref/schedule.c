/* schedule.c - run one launch, a thread at a time.
 *
 * A launch is a sequence of rounds over the resident blocks. In a round each thread that can run
 * does so once, to its next suspension; then the collectives of warps and block run:
 * - All live lanes of a warp wait: the smallest instance among them runs with the lanes that wait
 *   at it, if it is a warp operation. Where loops wait for memory, lanes take turns (turns.c).
 * - All live threads of the block wait at a block operation: it runs.
 * - Nothing in the block changes: the lanes at warp operations run them without the lanes at block
 *   operations (late_lanes.c). If there are none, the launch fails.
 * Warps of which no lane has run since they were looked at are passed over.
 *
 * Block 0 starts alone, the next block when an earlier one has ended or seems to wait for it. A
 * round is quiet if no thread starts or returns, no collective runs and no memory changes. Such a
 * round can only change the coroutines' frames. If after some quiet rounds all frames have the
 * contents that they had before, the launch repeats itself for ever. Then the next block starts; if
 * none is left the launch fails. Nothing else is ever taken for a hang.
 *
 * Of several blocks that fail the first one counts. So where a block fails, those before it go on.
 *
 * source   frames are compared with a copy renewed after 1, 2, 4, 8 ... quiet rounds, which finds a
 *          cycle of any length: Brent, "An improved Monte Carlo factorization algorithm", BIT 1980
 */
#include "run/ref/ref.h"
#include <assert.h>
#include <fenv.h>
#include <locale.h>
#include <stdlib.h>
#include <string.h>

/* The next block starts after this much patience for each resident block. A round in which
 * something moved takes 1 of it; one in which all only yielded, perhaps in wait for a block that
 * has not started, takes POLL. So blocks that run long without waiting make few others resident. */
enum { POLL = 64 };

/* ---- threads ------------------------------------------------------------------------------- */

static lw_status fail_internal(const struct lw_ref_launch *launch, const char *what, uint32_t value)
{
    return lw__fail(LW_E_INTERNAL, "kernel '%s': its code reports %s %u, which ref does not know",
                    launch->request->kernel, what, value);
}

/* resume - run a thread from where it stands to where it suspends. */
static lw_status resume(struct lw_ref_launch *launch, struct lw__ref_thread *thread)
{
    struct lw_ref_thread *t = &thread->abi;
    if (!thread->handle)
        launch->moved = launch->advanced = true;
    if (!launch->code->resume)
        lw__ref_stack_resume(thread);
    else if (thread->handle)
        launch->code->resume(thread->handle);
    else
        thread->handle = launch->code->ramp(t);
    if (launch->status != LW_OK)
        return launch->status;
    if (!thread->handle)
        return lw__fail(LW_E_MEMORY, "kernel '%s': no memory for the threads of block (%d,%d,%d)",
                        launch->request->kernel, t->block_idx[0], t->block_idx[1], t->block_idx[2]);
    launch->changed |= t->changed != 0;
    t->changed = 0;
    return LW_OK;
}

/* step - resume a thread and note why it suspended. */
static lw_status step(struct lw__ref_block *block, int i)
{
    struct lw_ref_launch *launch = block->launch;
    struct lw__ref_thread *thread = &block->threads[i];
    if (atomic_load_explicit(launch->request->cancelled, memory_order_relaxed))
        return lw__fail(LW_E_LAUNCH, "kernel '%s': the launch was cancelled",
                        launch->request->kernel);
    assert(block->lives[i] && block->ready[i] && thread->block == block);
    block->ready[i] = false;
    LW_TRY(resume(launch, thread));
    if (thread->abi.state == LW_REF_FAILED && launch->watcher)
        thread->abi.state = LW_REF_RETURNED;
    switch (thread->abi.state) {
    case LW_REF_COLLECTIVE: return LW_OK;
    case LW_REF_TURN: return LW_OK;
    case LW_REF_YIELD: block->ready[i] = true; return LW_OK;
    case LW_REF_RETURNED:
        assert(block->live > 0);
        block->live--;
        block->lives[i] = false;
        launch->moved = launch->advanced = true;
        return LW_OK;
    default: return fail_internal(launch, "state", thread->abi.state);
    }
}

/* The threads of a block from first to end - 1: a warp, or all. */
struct range {
    int first, end;
};

static bool is_any_ready(const struct lw__ref_block *block, struct range range)
{
    return memchr(block->ready + range.first, true, (size_t)(range.end - range.first));
}

static struct range warp_at(const struct lw__ref_block *block, int first)
{
    const int count = block->launch->thread_count, end = first + LW_WARP_SIZE;
    return (struct range){first, end < count ? end : count};
}

static lw_status run_threads(struct lw__ref_block *block)
{
    struct lw_ref_launch *launch = block->launch;
    lw__ref_order_threads(launch);
    for (int first = 0; first < launch->thread_count; first += LW_WARP_SIZE)
        if (is_any_ready(block, warp_at(block, first)))
            block->seen[first / LW_WARP_SIZE] = block->seen_without[first / LW_WARP_SIZE] = false;
    for (int i = 0; i < launch->thread_count; i++)
        if (block->ready[launch->turn[i]])
            LW_TRY(step(block, launch->turn[i]));
    return LW_OK;
}

/* ---- collectives ---------------------------------------------------------------------------- */

static bool is_together(const struct lw__ref_thread *a, const struct lw__ref_thread *b)
{
    bool is = a->abi.op == b->abi.op && a->abi.key_length == b->abi.key_length;
    for (uint32_t i = 0; is && i < a->abi.key_length; i++)
        is = a->abi.key[i] == b->abi.key[i];
    return is;
}

/* earliest - the waiting thread with the smallest instance; NULL if a live one does not wait, or
 * none lives. but_turns: lanes at turns wait, too. */
static struct lw__ref_thread *earliest(struct lw__ref_block *block, struct range range,
                                       bool but_turns)
{
    struct lw__ref_thread *found = NULL;
    if (is_any_ready(block, range))
        return NULL;
    for (int i = range.first; i < range.end; i++) {
        struct lw__ref_thread *thread = &block->threads[i];
        if (!block->lives[i] || (but_turns && lw__ref_is_at_turn(block, i)))
            continue;
        if (!lw__ref_is_waiting(block, i))
            return NULL;
        if (!found || lw__ref_key_order(&thread->abi, &found->abi) < 0)
            found = thread;
    }
    return found;
}

/* earliest_of_warp - of a warp whose lanes all wait: who waits at the smallest instance of one of
 * the warp's operations; NULL: nobody. */
static struct lw__ref_thread *earliest_of_warp(struct lw__ref_block *block, struct range warp)
{
    struct lw__ref_thread *found = NULL;
    for (int i = warp.first; i < warp.end; i++) {
        struct lw__ref_thread *at = &block->threads[i];
        if (block->lives[i] && !lw__ref_is_block_op(at->abi.op) &&
            (!found || lw__ref_key_order(&at->abi, &found->abi) < 0))
            found = at;
    }
    return found;
}

/* collect - run a collective for the threads of the range that wait where `at` does. are_all: all
 * live ones do. */
static lw_status collect(struct lw__ref_block *block, struct range range,
                         const struct lw__ref_thread *at, bool are_all)
{
    struct lw_ref_launch *launch = block->launch;
    struct lw__ref_lanes *l = &launch->lanes;
    struct lw__ref_thread *threads = block->threads + range.first;
    l->count = range.end - range.first;
    for (int i = 0; i < l->count; i++) {
        const struct lw_ref_thread *t = &threads[i].abi;
        l->active[i] = block->lives[range.first + i] &&
                       (are_all || (lw__ref_is_waiting(block, range.first + i) &&
                                    is_together(&threads[i], at)));
        l->value[i] = t->value;
        l->identity[i] = t->identity;
        l->number[i] = t->number;
    }
    if (!lw__ref_collective(at->abi.op, at->abi.type, l))
        return fail_internal(launch, "an operation or type", at->abi.op << 8 | at->abi.type);
    const bool has_result = at->abi.op != LW_OP_barrier; /* else the record is left alone */
    for (int i = 0; i < l->count; i++) {
        if (l->active[i] && has_result)
            threads[i].abi.result = l->result[i];
        block->ready[range.first + i] |= l->active[i];
    }
    launch->moved = true;
    launch->advanced |= !launch->has_turns;
    if (launch->request->recorder)
        launch->request->recorder->collective(launch->request->recording, block, range.first, at,
                                              l);
    if (launch->watcher)
        launch->watcher->collective(launch->watch, block, range.first, range.end, at->abi.op,
                                    l->active);
    return launch->status;
}

/* part - threads of the block wait apart: the launch fails, or goes on without them. */
static lw_status part(struct lw__ref_block *block, const struct lw__ref_thread *at,
                      const char *what)
{
    struct lw_ref_launch *launch = block->launch;
    if (!launch->watcher)
        return lw__fail(LW_E_LAUNCH, "%s", what);
    launch->watcher->part(launch->watch, at, lw__ref_find_apart(block, at), what);
    for (int i = 0; i < launch->thread_count; i++) {
        block->threads[i].abi.state = LW_REF_RETURNED;
        block->lives[i] = block->ready[i] = false;
    }
    block->live = 0;
    launch->moved = launch->advanced = true;
    return launch->status;
}

/* all_together - the first live thread of the range, if all live ones wait where it does, at an
 * operation of the block or of a warp, as asked; else NULL. */
static const struct lw__ref_thread *all_together(const struct lw__ref_block *block,
                                                 struct range range, bool of_block)
{
    const struct lw__ref_thread *first = NULL;
    if (is_any_ready(block, range))
        return NULL;
    for (int i = range.first; i < range.end; i++) {
        const struct lw__ref_thread *thread = &block->threads[i];
        if (!block->lives[i])
            continue;
        if (!lw__ref_is_waiting(block, i) || (first && !is_together(thread, first)))
            return NULL;
        if (!first && lw__ref_is_block_op(thread->abi.op) != of_block)
            return NULL;
        first = first ? first : thread;
    }
    return first;
}

/* run_collectives - run the warp operations whose lanes are there, or the block's when no warp can
 * go on. A warp whose operation just ran does not wait, so the block's cannot run in the same
 * round. */
static lw_status run_collectives(struct lw__ref_block *block)
{
    struct range all = {0, block->launch->thread_count};
    const struct lw__ref_thread *here = block->late ? NULL : all_together(block, all, true);
    if (here) /* what follows would do the same, slower */
        return collect(block, all, here, true);
    for (int first = 0; first < all.end; first += LW_WARP_SIZE) {
        struct range warp = warp_at(block, first);
        if (block->seen[first / LW_WARP_SIZE])
            continue;
        block->seen[first / LW_WARP_SIZE] = true;
        here = block->late ? NULL : all_together(block, warp, false);
        if (here) {
            LW_TRY(collect(block, warp, here, true));
            continue;
        }
        struct lw__ref_thread *at = earliest(block, warp, true);
        const bool is_of_warp = at && !lw__ref_is_block_op(at->abi.op);
        if (lw__ref_take_turn(block, warp.first, warp.end, is_of_warp ? at : NULL))
            continue;
        const char *late = at ? lw__ref_find_late(block, at) : NULL;
        if (late)
            return part(block, at, late);
        if (is_of_warp)
            LW_TRY(collect(block, warp, at, false));
    }
    struct lw__ref_thread *at = earliest(block, all, false);
    bool together = at;
    for (int i = 0; together && i < all.end; i++)
        together = !block->lives[i] || is_together(&block->threads[i], at);
    return together ? collect(block, all, at, true) : LW_OK;
}

/* go_without - nothing in the block moves: who waits in an operation of a warp goes on without
 * those who wait at one of the block. */
static lw_status go_without(struct lw__ref_block *block)
{
    struct range all = {0, block->launch->thread_count};
    struct lw__message m = {0};
    bool some = false;
    for (int first = 0; first < all.end; first += LW_WARP_SIZE) {
        struct range warp = warp_at(block, first);
        if (block->seen_without[first / LW_WARP_SIZE])
            continue;
        block->seen_without[first / LW_WARP_SIZE] = true;
        struct lw__ref_thread *waits = earliest(block, warp, false),
                              *at = waits ? earliest_of_warp(block, warp) : NULL;
        if (!at)
            continue;
        some = true;
        LW_TRY(lw__ref_go_without(block, waits, at));
        LW_TRY(collect(block, warp, at, false));
    }
    struct lw__ref_thread *at = some ? NULL : earliest(block, all, false);
    if (!at)
        return LW_OK;
    lw__ref_tell_divergence(&m, block, at);
    return part(block, at, m.text);
}

/* ---- blocks -------------------------------------------------------------------------------- */

static bool is_block_left(const struct lw_ref_launch *launch)
{
    return launch->next[2] < (int32_t)launch->request->grid.z;
}

/* count_up - from a block to the next, x fastest. */
static void count_up(int32_t index[3], lw_dim3 grid)
{
    if ((uint32_t)++index[0] < grid.x)
        return;
    index[0] = 0;
    if ((uint32_t)++index[1] < grid.y)
        return;
    index[1] = 0;
    index[2]++;
}

/* start_block - make the next block resident. */
static lw_status start_block(struct lw_ref_launch *launch)
{
    struct lw__ref_block **at = lw__ref_order_block(launch), *next = *at, *block;
    const lw_status status = lw__ref_block_open(launch, launch->next, &block);
    if (block) {
        block->next = next;
        *at = block;
    }
    LW_TRY(status);
    count_up(launch->next, launch->request->grid);
    launch->resident_count++;
    launch->patience = 0;
    return LW_OK;
}

/* round_of - one round of a block. */
static lw_status round_of(struct lw__ref_block *block)
{
    struct lw_ref_launch *launch = block->launch;
    const struct lw__launch *request = launch->request;
    LW_TRY(run_threads(block));
    if (request->recorder)
        request->recorder->ran(request->recording, block);
    LW_TRY(run_collectives(block));
    if (!launch->moved)
        LW_TRY(go_without(block));
    if (request->recorder)
        request->recorder->end_round(request->recording, block);
    return LW_OK;
}

/* fail - a thread of this block has failed. */
static lw_status fail(struct lw_ref_launch *launch, struct lw__ref_block **at, lw_status status)
{
    const bool is_first = at == &launch->resident || launch->schedule.direction;
    if (is_first || status != LW_E_LAUNCH || launch->watcher || launch->request->recorder)
        return status;
    while (*at) {
        struct lw__ref_block *block = *at;
        *at = block->next;
        block->next = launch->spare;
        launch->spare = block;
        launch->resident_count--;
    }
    launch->failed = status;
    launch->status = LW_OK;
    launch->next[2] = (int32_t)launch->request->grid.z;
    launch->moved = launch->advanced = true;
    return LW_OK;
}

/* round_over_blocks - one round; blocks that end become spare ones. */
static lw_status round_over_blocks(struct lw_ref_launch *launch)
{
    struct lw__ref_block **at = &launch->resident;
    launch->moved = launch->advanced = launch->changed = false;
    while (*at) {
        struct lw__ref_block *block = *at;
        const bool others_moved = launch->moved;
        launch->moved = false;
        const lw_status status = round_of(block);
        if (status)
            return fail(launch, at, status);
        launch->moved |= others_moved;
        if (block->live > 0) {
            at = &block->next;
            continue;
        }
        assert(launch->resident_count > 0 && !memchr(block->lives, true, sizeof block->lives));
        *at = block->next;
        block->next = launch->spare;
        launch->spare = block;
        launch->resident_count--;
        launch->patience = 0;
    }
    return LW_OK;
}

/* ---- progress ------------------------------------------------------------------------------ */

static bool frames_same(const struct lw_ref_launch *launch)
{
    for (struct lw__ref_block *block = launch->resident; block; block = block->next)
        if (!lw__ref_frames_same(block))
            return false;
    return true;
}

static lw_status frames_save(struct lw_ref_launch *launch)
{
    for (struct lw__ref_block *block = launch->resident; block; block = block->next)
        if (!lw__ref_frames_save(block))
            return lw__fail(LW_E_MEMORY, "kernel '%s': no memory to watch %d waiting blocks",
                            launch->request->kernel, launch->resident_count);
    return LW_OK;
}

/* watch - after a round: does the launch repeat itself for ever? The copy of the frames is renewed
 * when it is age_max quiet rounds old, and age_max doubles each time. */
static lw_status watch(struct lw_ref_launch *launch, bool *repeats)
{
    *repeats = false;
    if (launch->advanced || launch->changed) {
        launch->saved = false;
        return LW_OK;
    }
    if (launch->saved) {
        *repeats = frames_same(launch);
        if (*repeats || ++launch->age < launch->age_max)
            return LW_OK;
    }
    launch->age_max = launch->saved ? 2 * launch->age_max : 1;
    launch->age = 0;
    launch->saved = true;
    return frames_save(launch);
}

/* stop - no thread can make progress: the launch fails, or just ends. */
static lw_status stop(struct lw_ref_launch *launch)
{
    struct lw__message m = {0};
    assert(launch->resident && !is_block_left(launch));
    if (launch->failed)
        return launch->failed;
    const struct lw__ref_thread *other, *first = lw__ref_tell_stuck(&m, launch, &other);
    if (!launch->watcher)
        return lw__fail(LW_E_LAUNCH, "kernel '%s': %s", launch->request->kernel, m.text);
    launch->watcher->stop(launch->watch, first, other, m.text);
    launch->stopped = true;
    return launch->status;
}

/* go_on - after a round: start the next block, or fail, or neither. */
static lw_status go_on(struct lw_ref_launch *launch)
{
    bool repeats;
    LW_TRY(watch(launch, &repeats));
    if (!is_block_left(launch))
        return repeats ? stop(launch) : LW_OK;
    launch->patience += launch->moved ? 1 : POLL;
    if (repeats || launch->patience >= (uint64_t)POLL * (uint64_t)launch->resident_count)
        return start_block(launch);
    return LW_OK;
}

static lw_status run_blocks(struct lw_ref_launch *launch)
{
    while (!launch->stopped && (launch->resident || is_block_left(launch))) {
        while (launch->resident_count < launch->resident_least && is_block_left(launch))
            LW_TRY(start_block(launch));
        LW_TRY(round_over_blocks(launch));
        if (launch->resident)
            LW_TRY(go_on(launch));
    }
    return launch->failed;
}

/* ---- the launch ---------------------------------------------------------------------------- */

/* What the caller's thread has set and kernels must not see. */
struct environment {
    fenv_t floats;
    locale_t locale, plain;
};

static bool environment_enter(struct environment *e)
{
    e->plain = newlocale(LC_ALL_MASK, "C", (locale_t)0);
    if (!e->plain)
        return false;
    e->locale = uselocale(e->plain);
    fegetenv(&e->floats);
    fesetenv(FE_DFL_ENV);
    return true;
}

lw_status lw__ref_run(const struct lw__launch *request, const struct lw__ref_code *code,
                      const struct lw__ref_watcher *watcher, void *watch,
                      const struct lw__ref_schedule *schedule)
{
    struct lw_ref_launch *launch = calloc(1, sizeof *launch);
    struct environment environment;
    if (!launch || !environment_enter(&environment)) {
        free(launch);
        return lw__fail(LW_E_MEMORY, "kernel '%s': no memory to launch it", request->kernel);
    }
    launch->request = request;
    launch->code = code;
    launch->watcher = watcher;
    launch->watch = watch;
    lw__ref_calls_open(launch);
    launch->thread_count = (int)(request->block.x * request->block.y * request->block.z);
    launch->dynamic_offset =
        (request->shared_bytes + LW_DYNAMIC_ALIGN - 1) / LW_DYNAMIC_ALIGN * LW_DYNAMIC_ALIGN;
    lw__ref_order_open(launch, schedule);
    lw_status status = lw__ref_bounds_open(launch);
    if (!status && watcher)
        status = watcher->open(watch, launch);
    if (!status)
        status = run_blocks(launch);
    if (watcher)
        watcher->close(watch, launch);
    if (request->recorder)
        request->recorder->end(request->recording, launch->resident);
    fesetenv(&environment.floats);
    uselocale(environment.locale);
    freelocale(environment.plain);
    lw__ref_block_free(launch->resident);
    lw__ref_block_free(launch->spare);
    lw__ref_bounds_close(launch);
    free(launch);
    return status;
}
