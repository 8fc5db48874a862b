/* clock.c - what a thread knows of others, where fences and warp_sync order besides barriers.
 *
 * A thread's time has the epoch of its block in its upper half. In the lower it counts the thread's
 * fences, warp_syncs and atomic writes since. A clock lists what is known: of a block, all that was
 * before an epoch; of a thread, all up to a time, and its atomic writes up to another. Clocks are
 * shared and never changed, so what a barrier makes known to 1024 threads is one clock.
 *
 * A fence of the thread makes what it knows ready; the next atomic write leaves that with the
 * address; an atomic read there takes it; the next fence makes it known. An update of an address
 * adds to what was left there, a store replaces it. A fence of the block counts between threads of
 * one block only. An atomic write behind a fence is part of the release, as in the memory model of
 * PTX: so the thread's atomic writes up to that one are left, too, without what is between them.
 * source   Lamport, "Time, clocks, and the ordering of events in a distributed system", CACM 21
 *          (1978); C17 7.17.4 fences, 5.1.2.4 release sequences
 */
#include "run/check/check.h"
#include <stdlib.h>
#include <string.h>

enum { OF_BLOCK, OF_DEVICE };

/* slot 0: all of the block before `time`; of thread n up to `time`, slot 2 n + 1: all of it, and
 * 2 n + 2: its atomic writes. */
struct known {
    uint64_t block, time;
    uint32_t slot;
};

struct lw__clock {
    size_t holds, count;
    struct known rows[]; /* by block, then by slot */
};

/* What was left with an address: for every block of the device, and for one block. */
struct left {
    uint64_t address;
    struct lw__clock *of_device;
    struct left_of_block {
        struct left_of_block *next;
        uint64_t block;
        struct lw__clock *clock;
    } *of_blocks;
};

struct lw__orders {
    struct left *rows; /* an open hash table by address; 0: free */
    size_t count, capacity;
    bool failed;
};

/* ---- clocks ---------------------------------------------------------------------------------- */

struct lw__clock *lw__clock_hold(struct lw__clock *clock)
{
    if (clock)
        clock->holds++;
    return clock;
}

void lw__clock_release(struct lw__clock *clock)
{
    if (clock && --clock->holds == 0)
        free(clock);
}

static uint32_t slot_of(uint32_t thread)
{
    return 2 * thread + 1;
}

static int order_of(const struct known *a, const struct known *b)
{
    if (a->block != b->block)
        return a->block < b->block ? -1 : 1;
    return (a->slot > b->slot) - (a->slot < b->slot);
}

/* The first row that is not before this one; it may be the end. */
static size_t find(const struct lw__clock *clock, uint64_t block, uint32_t slot)
{
    const struct known wanted = {.block = block, .slot = slot};
    size_t low = 0, high = clock->count;
    while (low < high) {
        const size_t middle = (low + high) / 2;
        if (order_of(&clock->rows[middle], &wanted) < 0)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

/* True if the clock has this row at `at` or behind, with that time or a later one; *at then is it,
 * or else the first behind. */
static bool has(const struct lw__clock *clock, size_t *at, const struct known *wanted)
{
    while (*at < clock->count && order_of(&clock->rows[*at], wanted) < 0)
        ++*at;
    return *at < clock->count && !order_of(&clock->rows[*at], wanted) &&
           wanted->time <= clock->rows[*at].time;
}

bool lw__clock_knows(const struct lw__clock *clock, const struct lw__access *first, uint32_t lanes,
                     uint32_t *lane)
{
    const uint64_t block = first->block, time = first->clock;
    *lane = lanes ? (uint32_t)__builtin_ctz(lanes) : 0;
    if (!lanes || !clock)
        return !lanes;
    size_t at = find(clock, block, 0);
    if (has(clock, &at, &(struct known){block, time + 1, 0}))
        return true;
    at = find(clock, block, slot_of(first->thread + *lane));
    for (; lanes; lanes &= lanes - 1) {
        *lane = (uint32_t)__builtin_ctz(lanes);
        const uint32_t slot = slot_of(first->thread + *lane);
        if (!has(clock, &at, &(struct known){block, time, slot}) &&
            !(first->kind == LW_KIND_ATOMIC_WRITE &&
              has(clock, &at, &(struct known){block, time, slot + 1})))
            return false;
    }
    return true;
}

static struct lw__clock *create(struct lw__orders *orders, size_t room)
{
    struct lw__clock *clock = malloc(sizeof *clock + room * sizeof clock->rows[0]);
    orders->failed |= !clock;
    if (clock)
        *clock = (struct lw__clock){.holds = 1};
    return clock;
}

/* True if all that b knows a knows, too. */
static bool includes(const struct lw__clock *a, const struct lw__clock *b)
{
    size_t i = 0;
    if (b->count > a->count)
        return false;
    for (size_t k = 0; k < b->count; k++) {
        while (i < a->count && order_of(&a->rows[i], &b->rows[k]) < 0)
            i++;
        if (i == a->count || order_of(&a->rows[i], &b->rows[k]) ||
            a->rows[i].time < b->rows[k].time)
            return false;
    }
    return true;
}

/* What both know together. owns: a hold of it */
static struct lw__clock *join(struct lw__orders *orders, struct lw__clock *a, struct lw__clock *b)
{
    if (!b || a == b || (a && includes(a, b)))
        return lw__clock_hold(a);
    if (!a || includes(b, a))
        return lw__clock_hold(b);
    struct lw__clock *both = create(orders, a->count + b->count);
    size_t i = 0, k = 0;
    while (both && (i < a->count || k < b->count)) {
        const int order = i == a->count   ? 1
                          : k == b->count ? -1
                                          : order_of(&a->rows[i], &b->rows[k]);
        struct known *row = &both->rows[both->count++];
        *row = order > 0 ? b->rows[k] : a->rows[i];
        if (order == 0 && b->rows[k].time > row->time)
            row->time = b->rows[k].time;
        i += order <= 0;
        k += order >= 0;
    }
    return both;
}

/* The same, in place of *a. */
static void join_to(struct lw__orders *orders, struct lw__clock **a, struct lw__clock *b)
{
    struct lw__clock *both = join(orders, *a, b);
    lw__clock_release(*a);
    *a = both;
}

/* What is known, and the thread's own doings up to a time, its atomic writes up to another. owns: a
 * hold of it */
static struct lw__clock *with_own(struct lw__orders *orders, struct lw__clock *known,
                                  uint64_t block, uint32_t thread, uint64_t time, uint64_t writes)
{
    const uint32_t slot = slot_of(thread);
    struct lw__clock *own = create(orders, 3);
    if (!own)
        return NULL;
    own->count = writes > time ? 3 : 2;
    own->rows[0] = (struct known){.block = block, .time = time >> 32 << 32, .slot = 0};
    own->rows[1] = (struct known){.block = block, .time = time, .slot = slot};
    own->rows[2] = (struct known){.block = block, .time = writes, .slot = slot + 1};
    join_to(orders, &own, known);
    return own;
}

/* ---- what is left with addresses ------------------------------------------------------------- */

struct lw__orders *lw__orders_create(void)
{
    return calloc(1, sizeof(struct lw__orders));
}

static void forget(struct left *left)
{
    lw__clock_release(left->of_device);
    left->of_device = NULL;
    while (left->of_blocks) {
        struct left_of_block *one = left->of_blocks;
        left->of_blocks = one->next;
        lw__clock_release(one->clock);
        free(one);
    }
}

void lw__orders_free(struct lw__orders *orders)
{
    for (size_t i = 0; orders && i < orders->capacity; i++)
        forget(&orders->rows[i]);
    if (orders)
        free(orders->rows);
    free(orders);
}

bool lw__orders_failed(const struct lw__orders *orders)
{
    return orders->failed;
}

static struct left *place_of(const struct lw__orders *orders, uint64_t address)
{
    const uint64_t golden = UINT64_C(0x9e3779b97f4a7c15); /* Knuth's multiplicative hash */
    size_t i = (size_t)(address * golden >> 32) & (orders->capacity - 1);
    while (orders->rows[i].address && orders->rows[i].address != address)
        i = (i + 1) & (orders->capacity - 1);
    return &orders->rows[i];
}

static bool grow(struct lw__orders *orders)
{
    enum { FIRST = 64 };
    struct lw__orders more = {.capacity = orders->capacity ? 2 * orders->capacity : FIRST};
    more.rows = calloc(more.capacity, sizeof *more.rows);
    if (!more.rows)
        return !(orders->failed = true);
    for (size_t i = 0; i < orders->capacity; i++)
        if (orders->rows[i].address)
            *place_of(&more, orders->rows[i].address) = orders->rows[i];
    free(orders->rows);
    orders->rows = more.rows;
    orders->capacity = more.capacity;
    return true;
}

static struct left *left_at(struct lw__orders *orders, uint64_t address)
{
    if (2 * (orders->count + 1) > orders->capacity && !grow(orders))
        return NULL;
    struct left *left = place_of(orders, address);
    orders->count += !left->address;
    left->address = address;
    return left;
}

/* Where what is left for the threads of a block stands; NULL: nothing is, and none is made. */
static struct lw__clock **of_block(struct lw__orders *orders, struct left *left, uint64_t block,
                                   bool makes)
{
    struct left_of_block *one = left->of_blocks;
    while (one && one->block != block)
        one = one->next;
    if (!one && makes) {
        one = calloc(1, sizeof *one);
        orders->failed |= !one;
        if (!one)
            return NULL;
        *one = (struct left_of_block){.next = left->of_blocks, .block = block};
        left->of_blocks = one;
    }
    return one ? &one->clock : NULL;
}

/* ---- threads --------------------------------------------------------------------------------- */

void lw__order_start(struct lw__order *order)
{
    lw__order_end(order);
    *order = (struct lw__order){.released_time = {UINT64_MAX, UINT64_MAX}};
}

void lw__order_end(struct lw__order *order)
{
    lw__clock_release(order->known);
    for (int scope = OF_BLOCK; scope <= OF_DEVICE; scope++) {
        lw__clock_release(order->released[scope]);
        lw__clock_release(order->pending[scope]);
    }
    *order = (struct lw__order){0};
}

void lw__order_fence(struct lw__orders *orders, struct lw__order *order, bool is_of_device)
{
    for (int scope = OF_BLOCK; scope <= (is_of_device ? OF_DEVICE : OF_BLOCK); scope++)
        join_to(orders, &order->known, order->pending[scope]);
    for (int scope = OF_BLOCK; scope <= (is_of_device ? OF_DEVICE : OF_BLOCK); scope++) {
        lw__clock_release(order->released[scope]);
        order->released[scope] = lw__clock_hold(order->known);
        order->released_time[scope] = order->time;
    }
    order->time++;
}

static void leave(struct lw__orders *orders, const struct lw__order *order, struct left *left,
                  uint64_t block, uint32_t thread)
{
    struct lw__clock *own = NULL;
    for (int scope = OF_BLOCK; scope <= OF_DEVICE; scope++) {
        if (order->released_time[scope] == UINT64_MAX)
            continue;
        struct lw__clock **to =
            scope == OF_DEVICE ? &left->of_device : of_block(orders, left, block, true);
        const bool is_same = own && order->released[OF_BLOCK] == order->released[OF_DEVICE] &&
                             order->released_time[OF_BLOCK] == order->released_time[OF_DEVICE];
        if (!is_same) {
            lw__clock_release(own);
            own = with_own(orders, order->released[scope], block, thread,
                           order->released_time[scope], order->time);
        }
        if (to)
            join_to(orders, to, own);
    }
    lw__clock_release(own);
}

void lw__order_atomic(struct lw__orders *orders, struct lw__order *order, uint64_t block,
                      uint32_t thread, uint64_t address, bool reads, bool writes)
{
    struct left *left = left_at(orders, address);
    if (!left)
        return;
    if (reads) {
        struct lw__clock **ours = of_block(orders, left, block, false);
        join_to(orders, &order->pending[OF_DEVICE], left->of_device);
        join_to(orders, &order->pending[OF_BLOCK], ours ? *ours : NULL);
    } else {
        forget(left);
    }
    if (writes)
        leave(orders, order, left, block, thread);
    order->time += writes;
}

/* ---- threads together ------------------------------------------------------------------------ */

/* Without what is known of one block, which its epoch tells. owns: a hold of it */
static struct lw__clock *without(struct lw__orders *orders, struct lw__clock *clock, uint64_t block)
{
    if (!clock)
        return NULL;
    struct lw__clock *rest = create(orders, clock->count);
    for (size_t i = 0; rest && i < clock->count; i++)
        if (clock->rows[i].block != block)
            rest->rows[rest->count++] = clock->rows[i];
    if (rest && !rest->count) {
        lw__clock_release(rest);
        return NULL;
    }
    return rest;
}

void lw__order_barrier(struct lw__orders *orders, struct lw__order *threads, int count,
                       uint64_t block, uint32_t epoch)
{
    struct lw__clock *all = NULL, *others;
    for (int i = 0; i < count; i++)
        join_to(orders, &all, threads[i].known);
    others = without(orders, all, block);
    for (int i = 0; i < count; i++) {
        lw__clock_release(threads[i].known);
        threads[i].known = lw__clock_hold(others);
        threads[i].time = (uint64_t)epoch << 32;
    }
    lw__clock_release(all);
    lw__clock_release(others);
}

/* What the active threads did themselves. owns: a hold of it */
static struct lw__clock *own_of_warp(struct lw__orders *orders, const struct lw__order *threads,
                                     uint64_t block, int first, int end, const bool *active)
{
    struct lw__clock *own = create(orders, 1 + (size_t)(end - first));
    for (int i = first; own && i < end; i++) {
        const uint64_t time = threads[i].time;
        if (!active[i - first])
            continue;
        if (!own->count)
            own->rows[own->count++] = (struct known){block, time >> 32 << 32, 0};
        own->rows[own->count++] = (struct known){block, time, slot_of((uint32_t)i)};
    }
    return own;
}

void lw__order_warp(struct lw__orders *orders, struct lw__order *threads, uint64_t block, int first,
                    int end, const bool *active)
{
    struct lw__clock *all = own_of_warp(orders, threads, block, first, end, active);
    const struct lw__clock *latest = NULL; /* most lanes know the same, from the last time */
    for (int i = first; i < end; i++) {
        if (active[i - first] && threads[i].known != latest)
            join_to(orders, &all, threads[i].known);
        latest = active[i - first] ? threads[i].known : latest;
    }
    for (int i = first; i < end; i++) {
        if (!active[i - first])
            continue;
        lw__clock_release(threads[i].known);
        threads[i].known = lw__clock_hold(all);
        threads[i].time++;
    }
    lw__clock_release(all);
}
