/* watch.c - what a launch of the device `check` tells while it runs, and what is wrong with it.
 *
 * A race is looked for access by access. The summaries of the granule say at once that most
 * accesses race with nothing. Where they do not and the kernel has fences or warp_sync, the
 * granule's history decides, by what the thread knows of others.
 */
#include "run/check/check.h"
#include <stdlib.h>
#include <string.h>

/* What is kept for a resident block. */
struct watched_block {
    uint64_t index; /* linear, in the grid */
    uint32_t epoch;
    bool has_ended; /* a thread ended early: what follows from that is not told */
    const struct lw__ref_thread *astray; /* it goes on to an address that is undefined */
    uint32_t interval[LW_REF_THREADS_MAX / LW_WARP_SIZE]; /* of each warp; 0: it has none yet */
    struct lw__shadow shared;
    struct lw__undefined undefined;
    size_t thread_count;
    struct lw__order threads[]; /* none where barriers alone order */
};

static struct watched_block *block_of(const struct lw__ref_thread *thread)
{
    return thread->block->watch;
}

static void lack_memory(struct lw__check *check, const struct lw__ref_block *block)
{
    check->failed = true;
    block->launch->status = lw__fail(
        LW_E_MEMORY, "kernel '%s': no memory to check it: %zu pages of 4096 bytes are watched",
        check->request->kernel, check->global.count);
}

/* ---- launches and blocks --------------------------------------------------------------------- */

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
    check->accesses = 0;
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

static void block_free(struct lw__ref_block *block)
{
    struct watched_block *b = block->watch;
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
    struct watched_block *b = block->watch;
    if (!b)
        b = block->watch = calloc(1, sizeof *b + count * sizeof b->threads[0]);
    if (!b) {
        lack_memory(check, block);
        return;
    }
    lw__shadow_free(&b->shared);
    memset(b->interval, 0, sizeof b->interval);
    b->epoch = 0;
    b->has_ended = false;
    b->astray = NULL;
    b->thread_count = count;
    b->index = ((uint64_t)block->index[2] * grid.y + (uint64_t)block->index[1]) * grid.x +
               (uint64_t)block->index[0];
    for (size_t i = 0; i < count; i++)
        lw__order_start(&b->threads[i]);
    if (!lw__undefined_start(&b->undefined, block))
        lack_memory(check, block);
}

/* ---- races ----------------------------------------------------------------------------------- */

/* One access as its granules see it. */
struct look {
    struct lw__check *check;
    const struct lw__ref_thread *thread;
    struct watched_block *block;
    struct lw__access now;
    uint64_t entry;   /* of a summary */
    uint64_t pointer; /* with its tag */
    bool is_same;     /* it leaves the memory as it is */
    bool is_shared;
    bool raced[LW_KINDS]; /* with an access of the kind: told */
};

/* The interval of the thread's warp. 0: memory is short. */
static uint32_t interval_of(struct lw__check *check, struct watched_block *b, uint32_t warp)
{
    struct lw__intervals *all = &check->intervals;
    if (b->interval[warp])
        return b->interval[warp];
    if (all->count > UINT32_MAX - 1)
        return 0;
    if (all->count == all->capacity) {
        struct lw__interval *rows = realloc(all->rows, 2 * all->capacity * sizeof *rows);
        if (!rows)
            return 0;
        all->rows = rows;
        all->capacity *= 2;
    }
    all->rows[all->count] = (struct lw__interval){b->index, b->epoch, warp};
    return b->interval[warp] = (uint32_t)all->count++;
}

static bool is_ordered(const void *user, const struct lw__access *earlier, uint32_t lanes,
                       const struct lw__access *now, uint32_t *lane)
{
    const struct look *look = user;
    const struct lw__order *order = &look->block->threads[now->thread];
    if (earlier->block == now->block && earlier->clock >> 32 < now->clock >> 32)
        return true;
    for (uint32_t l = 0; l < LW_WARP_SIZE; l++) {
        const uint32_t thread = earlier->thread + l;
        *lane = l;
        if (lanes >> l & 1 && !(earlier->block == now->block && thread == now->thread) &&
            !lw__clock_knows(order->known, earlier->block, thread, earlier->clock))
            return false;
    }
    return true;
}

struct lw__access lw__check_access(const struct lw__intervals *intervals, uint64_t entry,
                                   enum lw__kind kind)
{
    const struct lw__interval *i = &intervals->rows[entry >> 32];
    const uint32_t lane = entry >> LW_SITE_BITS & (LW_WARP_SIZE - 1);
    return (struct lw__access){.block = i->block,
                               .thread = i->warp * LW_WARP_SIZE + lane,
                               .site = entry & ((1u << LW_SITE_BITS) - 1),
                               .kind = kind};
}

static enum lw__class class_of(const struct look *look, const struct lw__access *other)
{
    const bool is_benign =
        look->is_same && look->now.kind == LW_KIND_WRITE && other->kind == LW_KIND_WRITE;
    const bool is_one_warp = look->now.block == other->block &&
                             look->now.thread / LW_WARP_SIZE == other->thread / LW_WARP_SIZE;
    return is_benign         ? LW_CLASS_BENIGN_WRITE
           : is_one_warp     ? LW_CLASS_RACE_WARP
           : look->is_shared ? LW_CLASS_RACE_SHARED
                             : LW_CLASS_RACE_GLOBAL;
}

/* The row of what is pointed to. */
static const struct lw_ref_row *row_of(const struct lw__ref_thread *thread, uint64_t pointer)
{
    uint64_t offset, element;
    const size_t row = lw__ref_object_at(thread, pointer, &offset, &element);
    return &thread->block->launch->code->kernel->rows[row];
}

static void tell_race(struct look *look, const struct lw__access *other)
{
    bool is_new;
    struct lw__message object = {0};
    struct lw__found *found =
        lw__check_found(look->check, class_of(look, other), &look->now, other, &is_new);
    look->raced[other->kind] = true;
    if (found && is_new) {
        lw__ref_tell_object(look->thread, look->pointer, &object);
        found->what = lw__copy_string(object.text);
        found->origin = (uint32_t)row_of(look->thread, look->pointer)->origin;
    }
    if (!found || !found->what)
        lack_memory(look->check, look->thread->block);
}

static struct lw__summary *summary_of(struct lw__page *page, size_t granule, enum lw__kind kind)
{
    struct lw__granule *of = kind & LW_KIND_ATOMIC_READ ? page->atomic : page->plain;
    return of ? &of[granule].of[kind & LW_KIND_WRITE] : NULL;
}

static void look_for_race(struct look *look, struct lw__page *page, size_t granule,
                          enum lw__kind kind)
{
    struct lw__access other;
    const struct lw__summary *summary = summary_of(page, granule, kind);
    const uint64_t entry =
        summary ? lw__summary_find(&look->check->intervals, summary, look->entry) : 0;
    if (!entry)
        return;
    if (!look->check->orders)
        other = lw__check_access(&look->check->intervals, entry, kind);
    else if (!lw__history_find(&page->events[granule], kind, &look->now, is_ordered, look, &other))
        return;
    tell_race(look, &other);
}

/* False: memory is short. */
static bool look_at(struct look *look, struct lw__page *page, size_t granule)
{
    const enum lw__kind own = look->now.kind;
    const bool keeps_events = look->check->orders;
    if ((own & LW_KIND_ATOMIC_READ && !lw__page_add_atomic(page)) ||
        (keeps_events && !lw__page_add_events(page)))
        return false;
    for (enum lw__kind kind = 0; kind < LW_KINDS; kind++)
        if (lw__kinds_conflict(kind, own) && !look->raced[kind])
            look_for_race(look, page, granule, kind);
    lw__summary_add(&look->check->intervals, summary_of(page, granule, own), look->entry);
    return !keeps_events || lw__history_add(&page->events[granule], &look->now, is_ordered, look);
}

/* ---- accesses -------------------------------------------------------------------------------- */

static bool look_at_bytes(struct look *look, struct lw__shadow *shadow, uint64_t address,
                          uint64_t bytes)
{
    const bool by_bytes = address % LW_GRANULE_BYTES || bytes % LW_GRANULE_BYTES;
    for (uint64_t at = address, end = address + bytes; at < end;) {
        struct lw__page *page = lw__shadow_page(shadow, at, by_bytes);
        if (!page || !look_at(look, page, at % LW_PAGE_BYTES / page->granule))
            return false;
        at += page->granule;
    }
    return true;
}

static enum lw__kind kind_of(uint32_t what)
{
    switch (what & LW_OBSERVE_KIND) {
    case LW_OBSERVE_READ: return LW_KIND_READ;
    case LW_OBSERVE_WRITE: return LW_KIND_WRITE;
    case LW_OBSERVE_ATOMIC_READ: return LW_KIND_ATOMIC_READ;
    default: return LW_KIND_ATOMIC_WRITE;
    }
}

/* What an atomic access leaves with its address, or takes from there. */
static void order_atomic(struct look *look, uint64_t address, uint32_t what)
{
    const uint32_t kind = what & LW_OBSERVE_KIND;
    struct lw__order *order = &look->block->threads[look->now.thread];
    if (kind == LW_OBSERVE_READ || kind == LW_OBSERVE_WRITE)
        return;
    lw__order_atomic(look->check->orders, order, look->now.block, look->now.thread, address,
                     kind != LW_OBSERVE_ATOMIC_STORE, kind != LW_OBSERVE_ATOMIC_READ);
    look->check->failed |= lw__orders_failed(look->check->orders);
}

static void tell_misaligned(struct look *look, uint64_t address, uint64_t bytes, uint64_t align)
{
    bool is_new;
    struct lw__message m = {0}, object = {0};
    struct lw__found *found =
        lw__check_found(look->check, LW_CLASS_MISALIGNED, &look->now, NULL, &is_new);
    if (found && is_new) {
        lw__ref_tell_object(look->thread, look->pointer, &object);
        lw__message_add(&m,
                        "access of %llu bytes to %s at an address that is %llu bytes behind a "
                        "multiple of %llu, which its type needs",
                        (unsigned long long)bytes, object.text,
                        (unsigned long long)(address % align), (unsigned long long)align);
        found->what = lw__copy_string(m.text);
    }
    if (!found || !found->what)
        lack_memory(look->check, look->thread->block);
}

/* True if other threads may access what is there. */
static bool is_common(const struct lw__ref_thread *thread, uint64_t pointer, bool *is_shared)
{
    const uint64_t kind = row_of(thread, pointer)->kind;
    *is_shared = kind == LW_REF_SHARED || kind == LW_REF_DYNAMIC;
    return *is_shared || kind == LW_REF_ARGUMENT || kind == LW_REF_NOTHING;
}

/* The time of an access. An atomic write behind a fence is part of the release, as in the memory
 * model of PTX: whoever takes what was left there knows of the write, too. */
static uint64_t time_of(const struct watched_block *b, uint32_t thread, enum lw__kind kind)
{
    const struct lw__order *order = &b->threads[thread];
    const uint64_t fence = order->released_time[0];
    const bool is_release =
        kind == LW_KIND_ATOMIC_WRITE && fence != UINT64_MAX && fence >> 32 == order->time >> 32;
    return is_release ? fence : order->time;
}

/* Memory that a launch writes is kept where another schedule follows. False: memory is short. */
static bool keep(struct lw__check *check, uint64_t address, uint64_t bytes)
{
    return check->settings.schedules == 1 || lw__outcome_keep(&check->outcome, address, bytes);
}

/* What is noted for the comparison of schedules. False: memory is short. */
static bool note(const struct look *look, uint64_t address, uint64_t bytes, uint32_t what)
{
    const uint32_t kind = what & LW_OBSERVE_KIND;
    const bool learns = kind == LW_OBSERVE_ATOMIC_READ || kind == LW_OBSERVE_ATOMIC_UPDATE;
    if (learns && !lw__learnt(&look->check->learnt, &look->now))
        return false;
    return look->is_shared || !(look->now.kind & LW_KIND_WRITE) ||
           keep(look->check, address, bytes);
}

static void observe(void *watch, struct lw__ref_thread *thread, uint64_t pointer, uint64_t bytes,
                    uint32_t what, uint32_t site)
{
    struct lw__check *check = watch;
    const uint64_t address = lw__ref_address(pointer);
    const uint64_t align = UINT64_C(1) << (what >> LW_OBSERVE_ALIGN_SHIFT);
    const uint32_t linear = (uint32_t)thread->abi.linear;
    struct look look = {.check = check,
                        .thread = thread,
                        .block = block_of(thread),
                        .pointer = pointer,
                        .is_same = what & LW_OBSERVE_SAME};
    look.block->astray = NULL;
    if (!bytes || !is_common(thread, pointer, &look.is_shared))
        return;
    if ((what & LW_OBSERVE_KIND) == LW_OBSERVE_MAY_UPDATE) {
        if (!look.is_shared && !keep(check, address, bytes))
            lack_memory(check, thread->block);
        return;
    }
    const uint32_t interval = interval_of(check, look.block, linear / LW_WARP_SIZE);
    check->accesses++;
    look.entry = lw__summary_entry(interval, linear % LW_WARP_SIZE, site);
    look.now = (struct lw__access){
        .block = look.block->index, .thread = linear, .site = site, .kind = kind_of(what)};
    if (check->orders)
        look.now.clock = time_of(look.block, linear, look.now.kind);
    struct lw__shadow *shadow = look.is_shared ? &look.block->shared : &check->global;
    if (!note(&look, address, bytes, what))
        lack_memory(check, thread->block);
    if (address % align)
        tell_misaligned(&look, address, bytes, align);
    if (!interval || !look_at_bytes(&look, shadow, address, bytes))
        lack_memory(check, thread->block);
    if (check->orders)
        order_atomic(&look, address, what);
}

static void overflow(void *watch, struct lw__ref_thread *thread, uint64_t a, uint64_t b,
                     uint32_t what, uint32_t site)
{
    struct lw__check *check = watch;
    bool is_new;
    const struct lw__access here = {
        .block = block_of(thread)->index, .thread = (uint32_t)thread->abi.linear, .site = site};
    struct lw__message m = {0};
    struct lw__found *found = lw__check_found(check, LW_CLASS_OVERFLOW, &here, NULL, &is_new);
    if (found && is_new) {
        lw__tell_overflow(&m, a, b, what);
        found->what = lw__copy_string(m.text);
    }
    if (!found || !found->what)
        lack_memory(check, thread->block);
}

static void fence(void *watch, struct lw__ref_thread *thread, bool is_of_device)
{
    struct lw__check *check = watch;
    if (!check->orders)
        return;
    lw__order_fence(check->orders, &block_of(thread)->threads[thread->abi.linear], is_of_device);
    if (lw__orders_failed(check->orders))
        lack_memory(check, thread->block);
}

/* ---- collectives ----------------------------------------------------------------------------- */

static void order_warp(struct lw__check *check, struct lw__ref_block *block, int first, int end,
                       const bool *active)
{
    struct watched_block *b = block->watch;
    bool returned[LW_WARP_SIZE];
    if (!check->orders)
        return;
    for (int i = first; i < end; i++)
        returned[i - first] = block->threads[i].abi.state == LW_REF_RETURNED;
    lw__order_warp(check->orders, b->threads, b->index, first, end, active, returned);
}

static void on_collective(void *watch, struct lw__ref_block *block, int first, int end, uint32_t op,
                          const bool *active)
{
    struct lw__check *check = watch;
    struct watched_block *b = block->watch;
    lw__undefined_collective(block->threads + first, end - first, op, active);
    if (op == LW_OP_warp_sync)
        order_warp(check, block, first, end, active);
    if (lw__ref_is_block_op(op)) {
        b->epoch++;
        memset(b->interval, 0, sizeof b->interval);
        if (check->orders)
            lw__order_barrier(check->orders, b->threads, end, b->index, b->epoch);
    }
    if (check->orders && lw__orders_failed(check->orders))
        lack_memory(check, block);
}

/* ---- what would fail a launch of ref --------------------------------------------------------- */

static struct lw__access place_of(const struct lw__ref_thread *thread, uint32_t site)
{
    return (struct lw__access){
        .block = block_of(thread)->index, .thread = (uint32_t)thread->abi.linear, .site = site};
}

static void tell(struct lw__check *check, enum lw__class class, const struct lw__ref_thread *at,
                 uint32_t site, const struct lw__ref_thread *other, const char *what)
{
    bool is_new;
    const struct lw__access here = place_of(at, site);
    const struct lw__access there = other ? place_of(other, other->abi.site) : here;
    struct lw__found *found = lw__check_found(check, class, &here, other ? &there : NULL, &is_new);
    if (found && is_new)
        found->what = lw__copy_string(what);
    if (!found || !found->what)
        lack_memory(check, at->block);
    block_of(at)->has_ended = check->has_ended = true;
}

static void refuse(void *watch, const struct lw__ref_thread *thread, uint32_t site,
                   enum lw__ref_verdict verdict, uint64_t pointer, const char *what)
{
    struct lw__check *check = watch;
    struct lw__range gone;
    struct lw__message m = {0};
    const uint64_t address = lw__ref_address(pointer);
    enum lw__class class = verdict == LW_REF_ENDED ? LW_CLASS_USE_AFTER_FREE : LW_CLASS_BOUNDS;
    lw__message_add(&m, "%s", what);
    if (verdict == LW_REF_NOWHERE && lw__state_gone(check->device, address, &gone)) {
        class = LW_CLASS_USE_AFTER_FREE;
        m = (struct lw__message){0};
        lw__message_add(&m, "access to byte %llu of a buffer of %llu bytes that was destroyed",
                        (unsigned long long)(address - gone.begin), (unsigned long long)gone.bytes);
    }
    if (block_of(thread)->astray != thread)
        tell(check, class, thread, site, NULL, m.text);
    block_of(thread)->has_ended = check->has_ended = true;
}

static void part(void *watch, const struct lw__ref_thread *earliest,
                 const struct lw__ref_thread *other, const char *what)
{
    struct lw__check *check = watch;
    const char *without_kernel = strstr(what, "barrier divergence");
    if (!block_of(earliest)->has_ended)
        tell(check, LW_CLASS_BARRIER, earliest, earliest->abi.site, other,
             without_kernel ? without_kernel : what);
}

static void stop(void *watch, const struct lw__ref_thread *first, const char *what)
{
    struct lw__check *check = watch;
    if (!check->has_ended && !lw__check_has(check, LW_CLASS_DEADLOCK))
        tell(check, LW_CLASS_DEADLOCK, first, first->abi.site, NULL, what);
}

/* ---- undefined bits -------------------------------------------------------------------------- */

static struct lw_ref_shadow shadow(void *watch, struct lw__ref_thread *thread, uint64_t pointer,
                                   uint64_t bytes, bool is_written)
{
    struct lw__check *check = watch;
    const struct lw_ref_shadow at = lw__undefined_shadow(check, &block_of(thread)->undefined,
                                                         thread, pointer, bytes, is_written);
    if (!at.shadow)
        lack_memory(check, thread->block);
    return at;
}

static void variable(void *watch, struct lw__ref_thread *thread, uint64_t pointer, uint64_t bytes,
                     struct lw_ref_shadow at, uint32_t number)
{
    if (!lw__undefined_private(&block_of(thread)->undefined, thread, pointer, bytes, at, number))
        lack_memory(watch, thread->block);
}

/* True if the store is to memory that no other block has. */
static bool is_own_memory(const struct lw__ref_thread *thread, uint64_t pointer)
{
    const uint64_t kind = row_of(thread, pointer)->kind;
    return kind == LW_REF_SHARED || kind == LW_REF_DYNAMIC || kind == LW_REF_PRIVATE;
}

/* Of padding there is no origin. What a thread that has ended would have written is no finding. */
static void undefined(void *watch, struct lw__ref_thread *thread, uint64_t pointer, uint32_t origin,
                      uint32_t site)
{
    struct lw__check *check = watch;
    const struct lw__launch *request = check->request;
    if (!origin || origin > request->site_count || site >= request->site_count ||
        (pointer && is_own_memory(thread, pointer)) || block_of(thread)->has_ended)
        return;
    bool is_new;
    struct lw__message m = {0};
    const struct lw__site *use = &request->sites[site], *from = &request->sites[origin - 1];
    const struct lw__access here = place_of(thread, site), there = place_of(thread, origin - 1);
    const enum lw__class class =
        lw__undefined_is_lane(from) ? LW_CLASS_LANE : LW_CLASS_UNINITIALISED;
    struct lw__found *found = lw__check_found(check, class, &here, &there, &is_new);
    if (!strcmp(use->what, "address"))
        block_of(thread)->astray = thread;
    if (found && is_new) {
        lw__undefined_tell(&m, use, from);
        found->what = lw__copy_string(m.text);
    }
    if (!found || !found->what)
        lack_memory(check, thread->block);
}

static void update(void *watch, struct lw__ref_thread *thread, uint64_t pointer, uint64_t bytes,
                   uint32_t site)
{
    struct lw_ref_shadow at = shadow(watch, thread, pointer, bytes, false);
    for (uint64_t i = 0; at.shadow && i < bytes; i++)
        if (at.shadow[i]) {
            undefined(watch, thread, 0, at.origin[0], site);
            at = shadow(watch, thread, pointer, bytes, true);
            if (at.shadow)
                memset(at.shadow, 0, bytes);
            return;
        }
}

const struct lw__ref_watcher lw__check_watcher = {
    .block_open = block_open,
    .block_free = block_free,
    .observe = observe,
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
