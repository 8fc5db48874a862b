/* orders.c - what threads know of others, where fences and warp_sync order besides barriers.
 *
 * A thread's time has the epoch of its block in its upper half. In the lower it counts the thread's
 * fences, warp_syncs and atomic writes since. Clocks say what is known (clock.c). They are shared,
 * so what a barrier makes known to 1024 threads is one clock.
 *
 * A fence of the thread makes what it knows ready; the next atomic write leaves that with the
 * address; an atomic read there takes it; the next fence makes it known. An update of an address
 * adds to what was left there, a store replaces it. A fence of the block counts between threads of
 * one block only. An atomic write after a fence is part of the release, as in the memory model of
 * PTX: so the thread's atomic writes up to that one are left, too, without what is between them.
 * source   Lamport, "Time, clocks, and the ordering of events in a distributed system", CACM 21
 *          (1978); C17 7.17.4 fences, 5.1.2.4 release sequences
 */
#include "run/check/check.h"
#include <assert.h>
#include <stdlib.h>

enum { OF_BLOCK, OF_DEVICE };
static const uint64_t EVERY = UINT64_MAX; /* block: of the device */

/* What was left with an address, for one block or for every block. */
struct left {
    uint64_t address, block;
    uint64_t stores; /* how many replaced what was there; of one block: when it was left */
    struct lw__clock *clock;
};

/* Who waits for an address joins what is left there in each round, as do all others who wait. */
enum { RECENT = 64 };
struct joined {
    struct lw__clock *a, *b, *both;
};

struct lw__orders {
    struct left *rows; /* an open hash table by address and block; address 0: free */
    size_t count, capacity;
    struct lw__clocks clocks;
    struct joined recent[RECENT]; /* by the addresses of a and b */
    bool fences_are_sc;           /* as CUDA's are */
    bool was_fence;               /* some thread has had one */
};

static void replace(struct lw__clock **clock, struct lw__clock *by)
{
    lw__clock_hold(by);
    lw__clock_release(*clock);
    *clock = by;
}

/* What both know, in place of *a. */
static void join_to(struct lw__orders *orders, struct lw__clock **a, struct lw__clock *b)
{
    if (!b || *a == b)
        return;
    const uint64_t golden = UINT64_C(0x9e3779b97f4a7c15); /* Knuth's multiplicative hash */
    const uint64_t hash = ((uintptr_t)*a * golden + (uintptr_t)b) * golden;
    struct joined *j = &orders->recent[hash >> 32 & (RECENT - 1)];
    if (j->a != *a || j->b != b) {
        struct lw__clock *both = lw__clock_join(&orders->clocks, *a, b);
        replace(&j->a, *a);
        replace(&j->b, b);
        replace(&j->both, both);
        lw__clock_release(both);
    }
    replace(a, j->both);
}

/* ---- what is left with addresses ------------------------------------------------------------- */

struct lw__orders *lw__orders_create(void)
{
    return calloc(1, sizeof(struct lw__orders));
}

void lw__orders_free(struct lw__orders *orders)
{
    if (!orders)
        return;
    for (size_t i = 0; i < orders->capacity; i++)
        lw__clock_release(orders->rows[i].clock);
    for (size_t i = 0; i < RECENT; i++) {
        lw__clock_release(orders->recent[i].a);
        lw__clock_release(orders->recent[i].b);
        lw__clock_release(orders->recent[i].both);
    }
    free(orders->rows);
    free(orders);
}

void lw__orders_of_cuda(struct lw__orders *orders)
{
    orders->fences_are_sc = true;
}

bool lw__orders_failed(const struct lw__orders *orders)
{
    return orders->clocks.failed;
}

/* Where the row is, or should be; there is always a free place. */
static struct left *place_of(const struct lw__orders *orders, uint64_t address, uint64_t block)
{
    const uint64_t golden = UINT64_C(0x9e3779b97f4a7c15); /* Knuth's multiplicative hash */
    size_t i = (size_t)((address * golden + block) * golden >> 32) & (orders->capacity - 1);
    while (orders->rows[i].address &&
           (orders->rows[i].address != address || orders->rows[i].block != block))
        i = (i + 1) & (orders->capacity - 1);
    return &orders->rows[i];
}

static bool grow(struct lw__orders *orders)
{
    enum { FIRST = 64 };
    struct lw__orders more = {.capacity = orders->capacity ? 2 * orders->capacity : FIRST};
    more.rows = calloc(more.capacity, sizeof *more.rows);
    if (!more.rows)
        return !(orders->clocks.failed = true);
    for (size_t i = 0; i < orders->capacity; i++)
        if (orders->rows[i].address)
            *place_of(&more, orders->rows[i].address, orders->rows[i].block) = orders->rows[i];
    free(orders->rows);
    orders->rows = more.rows;
    orders->capacity = more.capacity;
    return true;
}

/* NULL: nothing was ever left there. */
static struct left *find(const struct lw__orders *orders, uint64_t address, uint64_t block)
{
    struct left *left = orders->capacity ? place_of(orders, address, block) : NULL;
    return left && left->address ? left : NULL;
}

/* NULL: memory is short. Rows that were found before may be elsewhere then. */
static struct left *find_or_add(struct lw__orders *orders, uint64_t address, uint64_t block)
{
    if (2 * (orders->count + 1) > orders->capacity && !grow(orders))
        return NULL;
    struct left *left = place_of(orders, address, block);
    assert(address && 2 * orders->count < orders->capacity);
    orders->count += !left->address;
    left->address = address;
    left->block = block;
    return left;
}

static void forget(struct left *left, uint64_t stores)
{
    replace(&left->clock, NULL);
    left->stores = stores;
}

static void add(struct lw__orders *orders, uint64_t address, uint64_t block,
                struct lw__clock *clock)
{
    const struct left *every = find_or_add(orders, address, EVERY);
    const uint64_t stores = every ? every->stores : 0;
    struct left *left = every ? find_or_add(orders, address, block) : NULL;
    if (!left)
        return;
    if (left->stores != stores)
        forget(left, stores);
    join_to(orders, &left->clock, clock);
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
        replace(&order->released[scope], order->known);
        order->released_time[scope] = order->time;
    }
    order->time++;
    orders->was_fence = true;
}

void lw__order_atomic(struct lw__orders *orders, struct lw__order *order, uint64_t block,
                      uint32_t thread, uint64_t address, bool reads, bool writes)
{
    struct left *every = find(orders, address, EVERY);
    const struct left *ours = every && reads ? find(orders, address, block) : NULL;
    if (every && reads)
        join_to(orders, &order->pending[OF_DEVICE], every->clock);
    else if (every)
        forget(every, every->stores + 1);
    if (ours && ours->stores == every->stores)
        join_to(orders, &order->pending[OF_BLOCK], ours->clock);
    if (writes) {
        struct lw__clock *own = NULL;
        for (int scope = OF_BLOCK; scope <= OF_DEVICE; scope++) {
            if (order->released_time[scope] == UINT64_MAX)
                continue;
            const bool is_same = own && order->released[OF_BLOCK] == order->released[OF_DEVICE] &&
                                 order->released_time[OF_BLOCK] == order->released_time[OF_DEVICE];
            if (!is_same) {
                lw__clock_release(own);
                own = lw__clock_of_thread(&orders->clocks, block, thread,
                                          order->released_time[scope], order->time);
                join_to(orders, &own, order->released[scope]);
            }
            add(orders, address, scope == OF_DEVICE ? EVERY : block, own);
        }
        lw__clock_release(own);
    }
    order->time += writes;
}

/* ---- threads together ------------------------------------------------------------------------ */

/* Fences that are sequentially consistent have one order. If all threads of a block have one and
 * meet at a barrier, and one of them writes by an atomic, who reads that and has a fence has it
 * after all of theirs. So what one has made ready counts for all that have. */
static void share_fences(struct lw__orders *orders, struct lw__order *threads, int count,
                         uint64_t block)
{
    struct lw__clock *all = NULL;
    for (int i = 0; i < count; i++) {
        if (threads[i].released_time[OF_DEVICE] == UINT64_MAX)
            continue;
        struct lw__clock *own =
            lw__clock_of_thread(&orders->clocks, block, (uint32_t)i,
                                threads[i].released_time[OF_DEVICE], threads[i].time);
        join_to(orders, &all, own);
        join_to(orders, &all, threads[i].released[OF_DEVICE]);
        lw__clock_release(own);
    }
    for (int i = 0; i < count; i++)
        if (threads[i].released_time[OF_DEVICE] != UINT64_MAX)
            replace(&threads[i].released[OF_DEVICE], all);
    lw__clock_release(all);
}

void lw__order_barrier(struct lw__orders *orders, struct lw__order *threads, int count,
                       uint64_t block, uint32_t epoch)
{
    struct lw__clock *all = NULL, *others;
    if (orders->fences_are_sc && orders->was_fence)
        share_fences(orders, threads, count, block);
    for (int i = 0; i < count; i++)
        join_to(orders, &all, threads[i].known);
    others = lw__clock_without(&orders->clocks, all, block); /* its epoch tells of it */
    for (int i = 0; i < count; i++) {
        replace(&threads[i].known, others);
        threads[i].time = (uint64_t)epoch << 32;
    }
    lw__clock_release(all);
    lw__clock_release(others);
}

void lw__order_warp(struct lw__orders *orders, struct lw__order *threads, uint64_t block, int first,
                    int end, const bool *active)
{
    struct lw__clock *all = lw__clock_of_warp(&orders->clocks, block, threads, first, end, active);
    const struct lw__clock *latest = NULL; /* most lanes know the same, from the last time */
    for (int i = first; i < end; i++) {
        if (active[i - first] && threads[i].known != latest)
            join_to(orders, &all, threads[i].known);
        latest = active[i - first] ? threads[i].known : latest;
    }
    for (int i = first; i < end; i++) {
        if (!active[i - first])
            continue;
        replace(&threads[i].known, all);
        threads[i].time++;
    }
    lw__clock_release(all);
}
