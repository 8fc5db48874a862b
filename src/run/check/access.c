/* access.c - an access of a thread: does it race, is it aligned, what of memory will it write.
 *
 * A race is looked for access by access. The summaries of the granule say at once that most
 * accesses race with nothing. Where they do not and the kernel has fences or warp_sync, the
 * granule's history decides, by what the thread knows of others.
 *
 * Nearly all accesses are plain ones, aligned, to pages that are known, and in order with all
 * before them: look_quickly() takes these, and leaves all others to look_closely() as they were.
 */
#include "run/check/check.h"
#include <assert.h>
#include <string.h>

/* ---- races ----------------------------------------------------------------------------------- */

/* One access as its granules see it. */
struct look {
    struct lw__check *check;
    const struct lw__ref_thread *thread;
    struct lw__watched *block;
    struct lw__access now;
    uint64_t entry;   /* of a summary */
    uint64_t pointer; /* with its tag */
    bool is_same;     /* it leaves the memory as it is */
    bool is_shared;
    bool is_cuda, is_lockstep;
    bool raced[LW_KINDS]; /* with an access of the kind: told */
};

/* The interval of the thread's warp. 0: memory is short. */
static uint32_t interval_of(struct lw__check *check, struct lw__watched *b, uint32_t warp)
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
    if (!check->orders && !b->astray)
        b->quick.interval[warp] = (uint32_t)all->count;
    return b->interval[warp] = (uint32_t)all->count++;
}

static bool is_ordered(const void *user, const struct lw__access *earlier, uint32_t lanes,
                       const struct lw__access *now, uint32_t *lane)
{
    const struct look *look = user;
    const struct lw__order *order = &look->block->threads[now->thread];
    if (earlier->block == now->block && earlier->clock >> 32 < now->clock >> 32)
        return true;
    const bool is_own_warp = earlier->block == now->block &&
                             earlier->thread / LW_WARP_SIZE == now->thread / LW_WARP_SIZE;
    const uint32_t own = is_own_warp ? UINT32_C(1) << now->thread % LW_WARP_SIZE : 0;
    return lw__clock_knows(order->known, earlier, lanes & ~own, lane);
}

struct lw__access lw__check_access(const struct lw__intervals *intervals, uint64_t entry,
                                   enum lw__kind kind)
{
    const struct lw__interval *i = &intervals->rows[entry >> 32];
    assert(entry >> 32 && entry >> 32 < intervals->count); /* row 0 is nobody's */
    const uint32_t lane = entry >> LW_SITE_BITS & (LW_WARP_SIZE - 1);
    return (struct lw__access){.block = i->block,
                               .thread = i->warp * LW_WARP_SIZE + lane,
                               .site = lw__entry_site(entry),
                               .kind = kind};
}

/* True if one is the first read of a loop that compares and swaps, the other an atomic. */
static bool is_guess(const struct look *look, const struct lw__access *other)
{
    const struct lw__site *sites = look->check->request->sites;
    const struct lw__access *read = look->now.kind == LW_KIND_READ ? &look->now : other,
                            *write = read == other ? &look->now : other;
    return look->is_cuda && read->kind == LW_KIND_READ && write->kind == LW_KIND_ATOMIC_WRITE &&
           !strcmp(sites[read->site].what, LW_SITE_GUESS);
}

static enum lw__class class_of(const struct look *look, const struct lw__access *other)
{
    const bool is_benign =
        look->is_same && look->now.kind == LW_KIND_WRITE && other->kind == LW_KIND_WRITE;
    const bool is_one_warp = look->now.block == other->block &&
                             look->now.thread / LW_WARP_SIZE == other->thread / LW_WARP_SIZE;
    return is_benign               ? LW_CLASS_BENIGN_WRITE
           : is_guess(look, other) ? LW_CLASS_BENIGN_READ
           : is_one_warp           ? LW_CLASS_RACE_WARP
           : look->is_shared       ? LW_CLASS_RACE_SHARED
                                   : LW_CLASS_RACE_GLOBAL;
}

const struct lw_ref_row *lw__check_row(const struct lw__ref_thread *thread, uint64_t pointer)
{
    size_t row = lw__ref_tagged_row(thread->block->launch, pointer);
    uint64_t offset, element;
    if (!row)
        row = lw__ref_object_at(thread, pointer, &offset, &element);
    return &thread->block->launch->code->kernel->rows[row];
}

static void tell_race(struct look *look, const struct lw__access *other)
{
    struct lw__message object = {0};
    bool is_new;
    struct lw__found *found =
        lw__check_found(look->check, class_of(look, other), &look->now, other, &is_new);
    look->raced[other->kind] = true;
    if (found && is_new) {
        lw__ref_tell_object(look->thread, look->pointer, &object);
        found->what = lw__copy_string(object.text);
        found->is_warning |= look->is_lockstep && found->class == LW_CLASS_RACE_WARP;
        found->origin = (uint32_t)lw__check_row(look->thread, look->pointer)->origin;
    }
    if (!found || !found->what)
        lw__check_lack_memory(look->check, look->thread->block);
}

static void look_for_race(struct look *look, struct lw__page *page, size_t granule,
                          enum lw__kind kind)
{
    const struct lw__summary summary = lw__page_summary(page, granule, kind);
    const uint64_t entry = lw__summary_find(&look->check->intervals, &summary, look->entry);
    if (!entry)
        return;
    struct lw__access other;
    if (!look->check->orders)
        other = lw__check_access(&look->check->intervals, entry, kind);
    else if (!lw__history_find(&page->events[granule], kind, &look->now, look->is_cuda, is_ordered,
                               look, &other))
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
    if (look->is_shared)
        lw__page_forget(page, granule, look->block->begin);
    for (enum lw__kind kind = 0; kind < LW_KINDS; kind++)
        if (lw__kinds_conflict(kind, own) && !look->raced[kind])
            look_for_race(look, page, granule, kind);
    struct lw__summary summary = lw__page_summary(page, granule, own);
    lw__summary_add(&look->check->intervals, &summary, look->entry);
    return lw__page_set(page, granule, own, summary) &&
           (!keeps_events || lw__history_add(&page->events[granule], &look->now, is_ordered, look));
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
    struct lw__message m = {0}, object = {0};
    bool is_new;
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
        lw__check_lack_memory(look->check, look->thread->block);
}

/* True if other threads may access what is there. */
static bool is_common(const struct lw__ref_thread *thread, uint64_t pointer, bool *is_shared)
{
    const uint64_t kind = lw__check_row(thread, pointer)->kind;
    *is_shared = kind == LW_REF_SHARED || kind == LW_REF_DYNAMIC;
    return *is_shared || kind == LW_REF_ARGUMENT || kind == LW_REF_NOTHING;
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

static void look_closely(struct lw__ref_thread *thread, uint64_t pointer, uint64_t bytes,
                         uint32_t what, uint32_t site)
{
    struct lw__watched *b = lw__watched(thread);
    struct lw__check *check = b->check;
    const uint64_t address = lw__ref_address(pointer);
    const uint64_t align = UINT64_C(1) << (what >> LW_OBSERVE_ALIGN_SHIFT & LW_OBSERVE_ALIGN);
    const uint32_t linear = (uint32_t)thread->abi.linear;
    struct look look = {.check = check,
                        .thread = thread,
                        .block = b,
                        .pointer = pointer,
                        .is_same = what & LW_OBSERVE_SAME,
                        .is_cuda = what & LW_OBSERVE_CUDA,
                        .is_lockstep = what & LW_OBSERVE_LOCKSTEP};
    if (!bytes || !is_common(thread, pointer, &look.is_shared))
        return;
    check->has_atomics |= (what & LW_OBSERVE_KIND) > LW_OBSERVE_WRITE;
    if ((what & LW_OBSERVE_KIND) == LW_OBSERVE_MAY_UPDATE) {
        if (!look.is_shared && !keep(check, address, bytes))
            lw__check_lack_memory(check, thread->block);
        return;
    }
    const uint32_t interval = interval_of(check, b, linear / LW_WARP_SIZE);
    check->accesses++;
    look.entry = lw__summary_entry(interval, linear % LW_WARP_SIZE, site);
    look.now = (struct lw__access){
        .block = b->index, .thread = linear, .site = site, .kind = kind_of(what)};
    if (check->orders && look.is_cuda)
        lw__orders_of_cuda(check->orders);
    if (check->orders)
        look.now.clock = b->threads[linear].time;
    struct lw__shadow *shadow = look.is_shared ? &b->shared : &check->global;
    if (!note(&look, address, bytes, what))
        lw__check_lack_memory(check, thread->block);
    if (address % align)
        tell_misaligned(&look, address, bytes, align);
    if (!interval || !look_at_bytes(&look, shadow, address, bytes))
        lw__check_lack_memory(check, thread->block);
    if (check->orders)
        order_atomic(&look, address, what);
}

/* ---- those that race with nothing ------------------------------------------------------------ */

/* One access, as it is looked at quickly: to so many granules from cells on. */
struct glance {
    const struct lw__watched *block;
    struct lw__page *page;
    size_t granule, count;
    uint64_t entry;
    bool is_shared, is_write;
};

/* True if all of this summary happened in earlier epochs of the block, or never. Only the block
 * itself accesses its memory, so there one comparison tells. */
static inline bool is_past(const struct glance *g, uint64_t last)
{
    if (!last)
        return true;
    if (g->is_shared)
        return last < g->block->quick.now;
    if (last & LW_REF_ENTRY_MORE)
        return false;
    const struct lw__interval *row = &g->block->check->intervals.rows[last >> 32];
    return row->block == g->block->index && row->epoch != g->block->epoch;
}

/* True if it races with nothing that this summary is of. */
static inline bool is_quiet(const struct glance *g, uint64_t last)
{
    const bool is_alone = !(last & LW_REF_ENTRY_MORE);
    return (is_alone && lw__entry_is_same_thread(last, g->entry)) || is_past(g, last);
}

/* False: memory is short. */
static inline bool add(const struct glance *g, size_t granule, uint64_t *own)
{
    const enum lw__kind kind = g->is_write ? LW_KIND_WRITE : LW_KIND_READ;
    if (is_past(g, *own)) {
        *own = g->entry;
        return true;
    }
    if (lw__entry_is_same_thread(*own, g->entry))
        return true;
    struct lw__summary summary = lw__page_summary(g->page, granule, kind);
    lw__summary_add(&g->block->check->intervals, &summary, g->entry);
    return lw__page_set(g->page, granule, kind, summary);
}

static bool glance_at(const struct glance *g)
{
    struct lw__cell *cells = g->page->plain.last + g->granule;
    for (size_t i = 0; i < g->count; i++)
        if (!is_quiet(g, cells[i].of[1]) || (g->is_write && !is_quiet(g, cells[i].of[0])))
            return false;
    for (size_t i = 0; i < g->count; i++)
        if (!add(g, g->granule + i, &cells[i].of[g->is_write]))
            return false;
    return true;
}

/* As keep(), of bytes of the page that is looked at. False: look closely. */
static inline bool keep_quickly(struct lw__check *check, struct lw__page *page, uint64_t address,
                                uint64_t bytes)
{
    if (check->settings.schedules == 1)
        return true;
    if (!page->outcome)
        page->outcome = lw__outcome_page_of(&check->outcome, address);
    if (!page->outcome || address % LW_OUTCOME_WORD + bytes > LW_OUTCOME_WORD)
        return false;
    lw__outcome_keep_in(page->outcome, address, bytes);
    return true;
}

/* False: look closely; nothing has happened. */
static bool look_quickly(const struct lw__ref_thread *thread, uint64_t pointer, uint64_t bytes,
                         uint32_t what, uint32_t site)
{
    struct lw__watched *b = lw__watched(thread);
    struct lw__check *check = b->check;
    const struct lw_ref_launch *launch = thread->block->launch;
    const uint32_t linear = (uint32_t)thread->abi.linear, kind = what & LW_OBSERVE_KIND;
    const uint64_t address = lw__ref_address(pointer), in_page = address % LW_PAGE_BYTES;
    const uint64_t align = UINT64_C(1) << (what >> LW_OBSERVE_ALIGN_SHIFT & LW_OBSERVE_ALIGN);
    const uint32_t memory = launch->code->kernel->rows[lw__ref_tagged_row(launch, pointer)].kind;
    const uint32_t interval = b->interval[linear / LW_WARP_SIZE];
    struct glance g = {.block = b,
                       .is_shared = memory == LW_REF_SHARED || memory == LW_REF_DYNAMIC,
                       .is_write = kind == LW_OBSERVE_WRITE};
    if ((!g.is_shared && memory != LW_REF_ARGUMENT) || kind > LW_OBSERVE_WRITE || check->orders ||
        !interval || !bytes || in_page + bytes > LW_PAGE_BYTES || address % align)
        return false;
    g.page = lw__shadow_recent(g.is_shared ? &b->shared : &check->global, address);
    if (!g.page || g.page->atomic.last ||
        (g.page->granule > 1 && (address | bytes) % LW_GRANULE_BYTES) ||
        (g.is_write && !g.is_shared && !keep_quickly(check, g.page, address, bytes)))
        return false;
    const bool has_words = g.page->granule > 1;
    g.granule = has_words ? in_page / LW_GRANULE_BYTES : in_page;
    g.count = has_words ? bytes / LW_GRANULE_BYTES : bytes;
    g.entry = lw__summary_entry(interval, linear % LW_WARP_SIZE, site);
    if (!glance_at(&g))
        return false;
    check->accesses++;
    return true;
}

void lw__check_observe(struct lw_ref_thread *t, uint64_t pointer, uint64_t bytes, uint32_t what,
                       uint32_t site)
{
    struct lw__ref_thread *thread = (struct lw__ref_thread *)t;
    struct lw__watched *b = lw__watched(thread);
    if (b->astray)
        lw__check_astray(thread->block, NULL);
    if (!look_quickly(thread, pointer, bytes, what, site))
        look_closely(thread, pointer, bytes, what, site);
}
