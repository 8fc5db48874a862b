/* watch.c - what a launch of the device `check` tells while it runs, and what is wrong with it.
 *
 * Accesses are in access.c.
 */
#include "run/check/check.h"
#include <assert.h>
#include <stdlib.h>
#include <string.h>

void lw__check_lack_memory(struct lw__check *check, const struct lw__ref_block *block)
{
    check->failed = true;
    block->launch->status = lw__fail(
        LW_E_MEMORY, "kernel '%s': no memory to check it: %zu pages of 4096 bytes are watched",
        check->request->kernel, check->global.count);
}

/* ---- launches -------------------------------------------------------------------------------- */

/* Fences and warp_syncs have a place in the program. */
static bool has_orders(const struct lw__launch *request)
{
    for (size_t i = 0; i < request->site_count; i++)
        if (!strcmp(request->sites[i].what, "fence") ||
            !strcmp(request->sites[i].what, "warp_sync"))
            return true;
    return false;
}

bool lw__check_begin(struct lw__check *check)
{
    assert(!check->intervals.rows && !check->orders && !check->global.pages);
    check->accesses = 0;
    check->has_atomics = false;
    check->has_ended = false;
    check->intervals.rows = calloc(1, sizeof *check->intervals.rows);
    check->intervals.count = check->intervals.capacity = 1;
    if (has_orders(check->request)) {
        check->orders = lw__orders_create();
        return check->intervals.rows && check->orders;
    }
    return check->intervals.rows;
}

void lw__check_end(struct lw__check *check)
{
    free(check->intervals.rows);
    free(check->learnt.sites);
    lw__shadow_free(&check->global);
    lw__orders_free(check->orders);
    check->intervals = (struct lw__intervals){0};
    check->learnt = (struct lw__learnt){0};
    check->orders = NULL;
    lw__undefined_close(&check->defined);
}

static const struct lw__object *argument(const struct lw__launch *request,
                                         const struct lw_ref_row *row)
{
    return row->kind == LW_REF_ARGUMENT && row->place < request->object_count
               ? &request->objects[row->place]
               : NULL;
}

/* True if no thread can write to what the row's argument points to: by no argument. */
static bool is_unwritten(const struct lw__launch *request, const struct lw_ref_kernel *kernel,
                         const struct lw_ref_row *row)
{
    const struct lw__object *own = argument(request, row);
    bool is = own;
    for (size_t i = 0; is && i < kernel->object_count; i++) {
        const struct lw__object *other = argument(request, &kernel->rows[i]);
        is = !other || !kernel->rows[i].written || !lw__objects_overlap(own, other);
    }
    return is;
}

static lw_status open_launch(void *watch, struct lw_ref_launch *launch)
{
    struct lw__check *check = watch;
    const struct lw_ref_kernel *kernel = launch->code->kernel;
    check->unwritten = check->astray = 0;
    for (size_t i = 0; i < kernel->object_count && i < LW_REF_QUICK_ROWS; i++)
        if (is_unwritten(launch->request, kernel, &kernel->rows[i]))
            check->unwritten |= UINT64_C(1) << i;
    launch->calls.unwritten = check->unwritten;
    memcpy(launch->calls.proved, check->proved, sizeof check->proved);
    return lw__undefined_open(&check->defined, launch)
               ? LW_OK
               : lw__fail(LW_E_MEMORY, "kernel '%s': no memory to check it",
                          launch->request->kernel);
}

static void close_launch(void *watch, struct lw_ref_launch *launch)
{
    struct lw__check *check = watch;
    check->accesses += launch->calls.accesses;
}

void lw__check_astray(struct lw__ref_block *block, const struct lw__ref_thread *thread)
{
    struct lw__watched *b = block->watch;
    struct lw__check *check = b->check;
    assert(!b->astray || check->astray > 0);
    check->astray += (thread ? 1u : 0u) - (b->astray ? 1u : 0u);
    b->astray = thread;
    if (thread)
        memset(b->quick.interval, 0, sizeof b->quick.interval);
    else if (!check->orders)
        memcpy(b->quick.interval, b->interval, sizeof b->quick.interval);
    block->launch->calls.unwritten = check->astray ? 0 : check->unwritten;
}

/* ---- blocks ---------------------------------------------------------------------------------- */

/* Intervals begin anew. */
static void start_epoch(struct lw__watched *b)
{
    b->quick.now = (uint64_t)b->check->intervals.count << 32;
    memset(b->interval, 0, sizeof b->interval);
    memset(b->quick.interval, 0, sizeof b->quick.interval);
}

/* For the code, which enters itself what it accesses in block memory. Where fences order it does
 * not, as no interval is known to it, but looks. */
static bool open_cells(struct lw__watched *b, const struct lw__ref_block *block)
{
    const uint64_t address = lw__ref_address((uint64_t)(uintptr_t)block->memory);
    if (!b->shared.flat && !lw__shadow_flat(&b->shared, address, b->undefined.bytes + 1))
        return false;
    b->quick.first = address / LW_PAGE_BYTES * LW_PAGE_BYTES;
    b->quick.cells = (uint64_t *)b->shared.flat;
    return true;
}

static void block_free(struct lw__ref_block *block)
{
    struct lw__watched *b = block->watch;
    for (size_t i = 0; i < b->thread_count; i++)
        lw__order_end(&b->threads[i]);
    lw__shadow_free(&b->shared);
    lw__undefined_end(&b->undefined);
    free(b);
    block->watch = NULL;
}

static void block_open(void *watch, struct lw__ref_block *block)
{
    struct lw__check *check = watch;
    const lw_dim3 grid = check->request->grid;
    const size_t count = check->orders ? (size_t)block->launch->thread_count : 0;
    struct lw__watched *b = block->watch;
    if (!b)
        b = block->watch = calloc(1, sizeof *b + count * sizeof b->threads[0]);
    if (!b) {
        lw__check_lack_memory(check, block);
        return;
    }
    b->check = check;
    if (check->orders) /* histories have no entries */
        lw__shadow_free(&b->shared);
    b->begin = (uint64_t)check->intervals.count << 32;
    start_epoch(b);
    b->epoch = 0;
    b->has_ended = false;
    lw__check_astray(block, NULL);
    b->thread_count = count;
    b->index = ((uint64_t)block->index[2] * grid.y + (uint64_t)block->index[1]) * grid.x +
               (uint64_t)block->index[0];
    for (size_t i = 0; i < count; i++)
        lw__order_start(&b->threads[i]);
    if (!lw__undefined_start(&b->undefined, block) || !open_cells(b, block))
        lw__check_lack_memory(check, block);
    for (int i = 0; i < block->launch->thread_count; i++) {
        block->threads[i].abi.shared_shadow = b->undefined.block.shadow;
        block->threads[i].abi.shared_origin = b->undefined.block.origin;
        block->threads[i].abi.watched = &b->quick;
    }
}

static void overflow(void *watch, struct lw__ref_thread *thread, uint64_t a, uint64_t b,
                     uint32_t what, uint32_t site)
{
    struct lw__check *check = watch;
    const struct lw__access here = {
        .block = lw__watched(thread)->index, .thread = (uint32_t)thread->abi.linear, .site = site};
    struct lw__message m = {0};
    bool is_new;
    struct lw__found *found = lw__check_found(check, LW_CLASS_OVERFLOW, &here, NULL, &is_new);
    if (found && is_new) {
        lw__tell_overflow(&m, a, b, what);
        found->what = lw__copy_string(m.text);
    }
    if (!found || !found->what)
        lw__check_lack_memory(check, thread->block);
}

static void fence(void *watch, struct lw__ref_thread *thread, bool is_of_device)
{
    struct lw__check *check = watch;
    if (!check->orders)
        return;
    lw__order_fence(check->orders, &lw__watched(thread)->threads[thread->abi.linear], is_of_device);
    if (lw__orders_failed(check->orders))
        lw__check_lack_memory(check, thread->block);
}

/* ---- collectives ----------------------------------------------------------------------------- */

static void on_collective(void *watch, struct lw__ref_block *block, int first, int end, uint32_t op,
                          const bool *active)
{
    struct lw__check *check = watch;
    struct lw__watched *b = block->watch;
    lw__undefined_collective(block->threads + first, end - first, op, active);
    if (op == LW_OP_warp_sync && check->orders)
        lw__order_warp(check->orders, b->threads, b->index, first, end, active);
    if (lw__ref_is_block_op(op)) {
        b->epoch++;
        start_epoch(b);
        if (check->orders)
            lw__order_barrier(check->orders, b->threads, end, b->index, b->epoch);
    }
    if (check->orders && lw__orders_failed(check->orders))
        lw__check_lack_memory(check, block);
}

/* ---- what would fail a launch of ref --------------------------------------------------------- */

static struct lw__access place_of(const struct lw__ref_thread *thread, uint32_t site)
{
    return (struct lw__access){
        .block = lw__watched(thread)->index, .thread = (uint32_t)thread->abi.linear, .site = site};
}

static void tell(struct lw__check *check, enum lw__class class, const struct lw__ref_thread *at,
                 uint32_t site, const struct lw__ref_thread *other, const char *what)
{
    const struct lw__access here = place_of(at, site);
    const struct lw__access there = other ? place_of(other, other->abi.site) : here;
    bool is_new;
    struct lw__found *found = lw__check_found(check, class, &here, other ? &there : NULL, &is_new);
    if (found && is_new)
        found->what = lw__copy_string(what);
    if (!found || !found->what)
        lw__check_lack_memory(check, at->block);
    lw__watched(at)->has_ended = check->has_ended = true;
}

static void refuse(void *watch, const struct lw__ref_thread *thread, uint32_t site,
                   enum lw__ref_verdict verdict, uint64_t pointer, const char *what)
{
    struct lw__check *check = watch;
    struct lw__message m = {0};
    const uint64_t address = lw__ref_address(pointer);
    enum lw__class class = verdict == LW_REF_ENDED      ? LW_CLASS_USE_AFTER_FREE
                           : verdict == LW_REF_PROMISED ? LW_CLASS_ASSUMPTION
                                                        : LW_CLASS_BOUNDS;
    lw__message_add(&m, "%s", what);
    struct lw__range gone;
    if (verdict == LW_REF_NOWHERE && lw__state_gone(check->device, address, &gone)) {
        class = LW_CLASS_USE_AFTER_FREE;
        m = (struct lw__message){0};
        lw__message_add(&m, "access to byte %llu of a buffer of %llu bytes that was destroyed",
                        (unsigned long long)(address - gone.begin), (unsigned long long)gone.bytes);
    }
    if (lw__watched(thread)->astray != thread)
        tell(check, class, thread, site, NULL, m.text);
    lw__watched(thread)->has_ended = check->has_ended = true;
}

static void part(void *watch, const struct lw__ref_thread *earliest,
                 const struct lw__ref_thread *other, const char *what)
{
    struct lw__check *check = watch;
    const char *without_kernel = strstr(what, "barrier divergence");
    if (!lw__watched(earliest)->has_ended)
        tell(check, LW_CLASS_BARRIER, earliest, earliest->abi.site, other,
             without_kernel ? without_kernel : what);
}

static void stop(void *watch, const struct lw__ref_thread *first,
                 const struct lw__ref_thread *other, const char *what)
{
    struct lw__check *check = watch;
    if (!check->has_ended && !lw__check_has(check, LW_CLASS_DEADLOCK))
        tell(check, LW_CLASS_DEADLOCK, first, first->abi.site, other, what);
}

/* ---- undefined bits -------------------------------------------------------------------------- */

static struct lw_ref_shadow shadow(struct lw_ref_thread *t, uint64_t pointer, uint64_t bytes,
                                   uint32_t is_written)
{
    struct lw__ref_thread *thread = (struct lw__ref_thread *)t;
    struct lw__watched *b = lw__watched(thread);
    const struct lw_ref_shadow at =
        lw__undefined_shadow(b->check, &b->undefined, thread, pointer, bytes, is_written);
    if (!at.shadow)
        lw__check_lack_memory(b->check, thread->block);
    return at;
}

static void variable(void *watch, struct lw__ref_thread *thread, uint64_t pointer, uint64_t bytes,
                     struct lw_ref_shadow at, uint32_t number)
{
    if (!lw__undefined_private(&lw__watched(thread)->undefined, thread, pointer, bytes, at, number))
        lw__check_lack_memory(watch, thread->block);
}

/* True if the store is to memory that no other block has. */
static bool is_own_memory(const struct lw__ref_thread *thread, uint64_t pointer)
{
    const uint64_t kind = lw__check_row(thread, pointer)->kind;
    return kind == LW_REF_SHARED || kind == LW_REF_DYNAMIC || kind == LW_REF_PRIVATE;
}

/* Of padding there is no origin. What a thread that has ended would have written is no finding. */
static void undefined(void *watch, struct lw__ref_thread *thread, uint64_t pointer, uint32_t origin,
                      uint32_t site)
{
    struct lw__check *check = watch;
    const struct lw__launch *request = check->request;
    if (!origin || origin > request->site_count || site >= request->site_count ||
        (pointer && is_own_memory(thread, pointer)) || lw__watched(thread)->has_ended)
        return;
    bool is_new;
    struct lw__message m = {0};
    const struct lw__site *use = &request->sites[site], *from = &request->sites[origin - 1];
    const struct lw__access here = place_of(thread, site), there = place_of(thread, origin - 1);
    const enum lw__class class =
        lw__undefined_is_lane(from) ? LW_CLASS_LANE : LW_CLASS_UNINITIALISED;
    struct lw__found *found = lw__check_found(check, class, &here, &there, &is_new);
    if (!strcmp(use->what, "address"))
        lw__check_astray(thread->block, thread);
    if (found && is_new) {
        lw__undefined_tell(&m, use, from);
        found->what = lw__copy_string(m.text);
    }
    if (!found || !found->what)
        lw__check_lack_memory(check, thread->block);
}

static void update(void *watch, struct lw__ref_thread *thread, uint64_t pointer, uint64_t bytes,
                   uint32_t site)
{
    struct lw_ref_shadow at = shadow(&thread->abi, pointer, bytes, false);
    for (uint64_t i = 0; at.shadow && i < bytes; i++)
        if (at.shadow[i]) {
            undefined(watch, thread, 0, at.origin[0], site);
            at = shadow(&thread->abi, pointer, bytes, true);
            if (at.shadow)
                memset(at.shadow, 0, bytes);
            return;
        }
}

const struct lw__ref_watcher lw__check_watcher = {
    .open = open_launch,
    .close = close_launch,
    .block_open = block_open,
    .block_free = block_free,
    .observe = lw__check_observe,
    .fence = fence,
    .overflow = overflow,
    .collective = on_collective,
    .shadow = shadow,
    .variable = variable,
    .undefined = undefined,
    .update = update,
    .refuse = refuse,
    .part = part,
    .stop = stop,
};
