/* pattern.c - what right kernels do with memory. Each leaves its block memory to nobody else: a
 * pattern has arrays of its own, so none needs a barrier in front. */
#include "planted.h"

static struct step *access_to(struct kernel *k, enum op op, int array, struct index index)
{
    struct step *s = add_step(k, op);
    s->array = array;
    s->index = index;
    s->by_helper = (k->steps * 7 + array) % 5 == 0;
    return s;
}

static const struct index me = {.a = 1};

static void sync_block(struct kernel *k, struct dice *d)
{
    if (percent(d, 15))
        add_step(k, VOTE);
    add_step(k, percent(d, 20) ? BLOCK_SUM : BARRIER);
}

static struct index turned(const struct kernel *k, struct dice *d)
{
    switch (below(d, 3)) {
    case 0: return (struct index){.a = 1, .d = 1 + below(d, k->block - 1), .m = k->block};
    case 1: return (struct index){.a = -1, .d = k->block - 1};
    default: return (struct index){.a = 1, .x = 1};
    }
}

/* Memory of the block, or the block's part of a buffer. */
static int own_array(struct kernel *k, struct dice *d, enum type type, bool *is_shared)
{
    *is_shared = percent(d, 65);
    return add_array(k, type, *is_shared, 0, *is_shared ? k->block : k->block * k->grid);
}

static struct index in_own(const struct kernel *k, struct index index, bool is_shared)
{
    index.b = is_shared ? 0 : k->block;
    return index;
}

static void exchange(struct kernel *k, struct dice *d)
{
    bool is_shared;
    const int a = own_array(k, d, (enum type)below(d, TYPES), &is_shared);
    if (percent(d, 30)) { /* in two arms */
        add_step(k, IF)->when = (struct condition){.threads = percent(d, 50) ? EVEN : BELOW,
                                                   .k = 1 + below(d, k->block - 1)};
        access_to(k, STORE, a, in_own(k, me, is_shared));
        add_step(k, ELSE);
        access_to(k, STORE, a, in_own(k, me, is_shared));
        add_step(k, END);
    } else {
        access_to(k, STORE, a, in_own(k, me, is_shared));
    }
    if (percent(d, 40)) /* its own needs no barrier */
        access_to(k, LOAD, a, in_own(k, me, is_shared));
    sync_block(k, d);
    access_to(k, LOAD, a, in_own(k, turned(k, d), is_shared));
    if (percent(d, 40)) {
        sync_block(k, d);
        access_to(k, STORE, a, in_own(k, turned(k, d), is_shared));
    }
}

static void neighbours(struct kernel *k, struct dice *d)
{
    bool is_shared;
    const int a = own_array(k, d, (enum type)below(d, TYPES), &is_shared);
    struct index left = in_own(k, me, is_shared), right = left;
    left.e = -1;
    right.e = 1;
    access_to(k, STORE, a, in_own(k, me, is_shared));
    sync_block(k, d);
    access_to(k, LOAD, a, left)->when = (struct condition){.threads = FROM, .k = 1};
    access_to(k, LOAD, a, right)->when = (struct condition){.threads = BELOW, .k = k->block - 1};
}

static int levels(const struct kernel *k)
{
    int n = 0;
    while (1 << n < k->block)
        n++;
    return n;
}

static void tree(struct kernel *k, struct dice *d)
{
    bool is_shared;
    const int a = own_array(k, d, I32, &is_shared);
    access_to(k, STORE, a, in_own(k, me, is_shared));
    sync_block(k, d);
    add_step(k, LOOP)->count = levels(k);
    add_step(k, IF)->when = (struct condition){.threads = IN_TREE};
    struct index far = in_own(k, me, is_shared);
    far.has_half = true;
    access_to(k, LOAD, a, far);
    access_to(k, PLAIN_ADD, a, in_own(k, me, is_shared));
    add_step(k, END);
    sync_block(k, d);
    add_step(k, END);
    access_to(k, LOAD, a, in_own(k, (struct index){0}, is_shared));
}

static void tile(struct kernel *k, struct dice *d)
{
    const int width = percent(d, 50) ? 4 : 8, height = k->block / width;
    const int a = add_array(k, (enum type)below(d, TYPES), true, height, width);
    struct step *s = access_to(k, STORE, a, (struct index){.a = 1, .m = width});
    s->row = (struct index){.a = 1, .q = width};
    s->by_helper = false;
    sync_block(k, d);
    s = access_to(k, LOAD, a, (struct index){.a = 1, .q = height});
    s->row = (struct index){.a = 1, .m = height};
    s->by_helper = false;
}

/* A histogram: initialised, counted by atomics, read. */
static void histogram(struct kernel *k, struct dice *d)
{
    const int bins = 1 + below(d, 7), a = add_array(k, I32, true, 0, bins);
    access_to(k, STORE, a, me)->when = (struct condition){.threads = BELOW, .k = bins};
    sync_block(k, d);
    access_to(k, ATOMIC_ADD, a, (struct index){.a = 3, .d = below(d, 5), .m = bins});
    if (percent(d, 30))
        access_to(k, CAS_FAILS, a, (struct index){.a = 1, .m = bins});
    if (percent(d, 30))
        access_to(k, ATOMIC_LOAD, a, (struct index){.a = 1, .m = bins});
    sync_block(k, d);
    access_to(k, LOAD, a, (struct index){.a = 1, .m = bins});
}

static void count_globally(struct kernel *k, struct dice *d)
{
    const int bins = 1 + below(d, 7), a = add_array(k, I32, false, 0, bins);
    access_to(k, ATOMIC_ADD, a, (struct index){.a = 1, .d = below(d, 5), .m = bins});
    if (percent(d, 50))
        access_to(k, ATOMIC_LOAD, a, (struct index){.a = 1, .m = bins});
    if (percent(d, 30))
        access_to(k, CAS_FAILS, a, (struct index){.a = 1, .m = bins});
}

static void in_warp(struct kernel *k, struct dice *d)
{
    bool is_shared;
    const int a = own_array(k, d, (enum type)below(d, TYPES), &is_shared);
    const bool parts = percent(d, 40);
    const int flips = k->block % WARP ? 3 : 5;
    if (parts) /* whole pairs, so that lanes that meet exchange */
        add_step(k, IF)->when =
            (struct condition){.threads = BELOW, .k = 8 * (1 + below(d, k->block / 8))};
    access_to(k, STORE, a, in_own(k, me, is_shared));
    if (percent(d, 30))
        add_step(k, VOTE);
    add_step(k, WARP_SYNC);
    access_to(k, LOAD, a,
              in_own(k, (struct index){.a = 1, .x = 1 << below(d, parts ? 3 : flips)}, is_shared));
    if (percent(d, 40)) {
        add_step(k, WARP_SYNC);
        access_to(k, STORE, a, in_own(k, me, is_shared));
    }
    if (parts)
        add_step(k, END);
}

/* Two halves in turn need one barrier an iteration. */
static void double_buffer(struct kernel *k, struct dice *d)
{
    const int a = add_array(k, (enum type)below(d, TYPES), true, 0, 2 * k->block);
    struct index own = me, other = turned(k, d);
    own.flip = other.flip = k->block;
    add_step(k, LOOP)->count = 2 + below(d, 3);
    access_to(k, STORE, a, own);
    sync_block(k, d);
    access_to(k, LOAD, a, other);
    add_step(k, END);
}

static void broadcast(struct kernel *k, struct dice *d)
{
    const int a = add_array(k, (enum type)below(d, TYPES), true, 0, 1 + below(d, 3));
    access_to(k, STORE, a, (struct index){0})->when =
        (struct condition){.threads = IS, .k = below(d, k->block)};
    sync_block(k, d);
    access_to(k, LOAD, a, (struct index){0});
}

static void grid_stride(struct kernel *k, struct dice *d)
{
    const int trips = 2 + below(d, 2), threads = k->block * k->grid;
    const int a = add_array(k, (enum type)below(d, TYPES), false, 0, trips * threads);
    const struct index index = {.a = 1, .b = k->block, .c = threads};
    add_step(k, LOOP)->count = trips;
    access_to(k, STORE, a, index);
    access_to(k, LOAD, a, index);
    add_step(k, END);
}

/* One thread of a block gives a value to one thread of each later block. */
static void hand_over(struct kernel *k, struct dice *d)
{
    const bool blocks = k->grid > 1 && percent(d, 60);
    if (!blocks && k->block <= WARP) { /* nobody to wait for */
        count_globally(k, d);
        return;
    }
    const int data = add_array(k, (enum type)below(d, TYPES), !blocks, 0, 1);
    const int flag = add_array(k, I32, !blocks, 0, 1);
    const enum op fence = blocks || percent(d, 30) ? FENCE_DEVICE : FENCE_BLOCK;
    const struct condition giver = {.threads = IS, .blocks = blocks ? BLOCK_IS : ANY};
    const struct condition taker = {
        .threads = IS, .k = blocks ? 0 : WARP, .blocks = blocks ? BLOCK_IS_NOT : ANY};
    const struct index first = {0};
    if (!blocks) { /* block memory begins with anything */
        struct step *s = access_to(k, STORE, flag, first);
        s->when = giver;
        s->salt = 0;
        sync_block(k, d);
    }
    add_step(k, IF)->when = giver;
    access_to(k, STORE, data, first);
    add_step(k, fence);
    access_to(k, ATOMIC_STORE, flag, first);
    add_step(k, END);
    add_step(k, IF)->when = taker;
    access_to(k, SPIN, flag, first);
    add_step(k, fence);
    access_to(k, LOAD, data, first);
    add_step(k, END);
    if (!percent(d, 40))
        return;
    sync_block(k, d); /* then all of the taker's block know */
    access_to(k, LOAD, data, first)->when = (struct condition){.blocks = taker.blocks};
}

static void locked(struct kernel *k, struct dice *d)
{
    const int data = add_array(k, I32, false, 0, 1), lock = add_array(k, I32, false, 0, 1);
    const struct index first = {0};
    add_step(k, IF)->when = (struct condition){.threads = IS, .k = below(d, k->block)};
    access_to(k, LOCK, lock, first);
    add_step(k, FENCE_DEVICE);
    access_to(k, PLAIN_ADD, data, first);
    add_step(k, FENCE_DEVICE);
    access_to(k, ATOMIC_STORE, lock, first)->salt = 0;
    add_step(k, END);
}

/* The last block adds up what all have left. */
static void last_block(struct kernel *k, struct dice *d)
{
    const bool all = percent(d, 50);
    const int part = add_array(k, I32, false, 0, all ? k->block * k->grid : k->grid);
    const int done = add_array(k, I32, false, 0, 1);
    const struct index first = {0};
    struct index index = all ? me : first;
    index.b = all ? k->block : 1;
    if (all) {
        access_to(k, STORE, part, index);
        sync_block(k, d);
    }
    add_step(k, IF)->when = (struct condition){.threads = IS};
    if (!all)
        access_to(k, STORE, part, index);
    add_step(k, FENCE_DEVICE);
    access_to(k, LAST, done, first);
    add_step(k, FENCE_DEVICE);
    add_step(k, LOOP)->count = all ? k->grid * k->block : k->grid;
    access_to(k, LOAD, part, (struct index){.c = 1});
    add_step(k, END);
    add_step(k, END);
}

/* What the one does before it changes the element: perhaps much, from two places in turn. */
static void access_first(struct kernel *k, struct dice *d, enum op op, int array,
                         struct index index, struct condition one)
{
    const bool is_much = percent(d, 40);
    if (is_much)
        add_step(k, LOOP)->count = 4;
    access_to(k, op, array, index)->when = one;
    if (!is_much)
        return;
    access_to(k, op, array, index)->when = one;
    add_step(k, END);
}

/* Of a block's element: others access it, then the one that changes it does, and a barrier later it
 * changes it. Without the barrier its own access is the latest before, in every order: a vote or a
 * flag that orders no memory sees to that. So the checker must remember two. */
static void changed_by_one(struct kernel *k, struct dice *d)
{
    const enum op first = percent(d, 50) ? LOAD : ATOMIC_ADD;
    const int a = add_array(k, I32, false, 0, k->grid);
    const struct index own = {.b = 1};
    const int lanes = k->block < WARP ? k->block : WARP;
    const struct condition one = {.threads = IS, .k = below(d, lanes)};
    if (percent(d, 50)) /* it orders nothing */
        add_step(k, FENCE_BLOCK);
    if (k->block > WARP && percent(d, 50)) { /* another warp */
        const int flag = add_array(k, I32, false, 0, k->grid);
        add_step(k, IF)->when =
            (struct condition){.threads = IS, .k = WARP + below(d, k->block - WARP)};
        access_to(k, first, a, own);
        access_to(k, ATOMIC_STORE, flag, own);
        add_step(k, END);
        access_to(k, SPIN, flag, own)->when = one;
    } else { /* other lanes */
        access_to(k, first, a, own)->when =
            (struct condition){.threads = BELOW, .k = 2 + below(d, lanes - 1)};
        add_step(k, VOTE);
    }
    access_first(k, d, first, a, own, one);
    add_step(k, BARRIER);
    access_to(k, first == LOAD || percent(d, 50) ? PLAIN_ADD : LOAD, a, own)->when = one;
}

/* Each block reads its element and changes it, one behind the other by a flag that orders no
 * memory. Where one reads the next one's, that has been read by its owner since. */
static void blocks_in_turn(struct kernel *k, struct dice *d)
{
    if (k->grid < 2) {
        changed_by_one(k, d);
        return;
    }
    const int a = add_array(k, I32, false, 0, k->grid), flag = add_array(k, I32, false, 0, 1);
    const struct index own = {.b = 1}, first = {0};
    const struct condition giver = {.threads = IS, .blocks = BLOCK_IS};
    const struct condition taker = {.threads = IS, .blocks = BLOCK_IS_NOT};
    add_step(k, IF)->when = giver;
    access_to(k, LOAD, a, own);
    access_to(k, ATOMIC_STORE, flag, first);
    add_step(k, END);
    add_step(k, IF)->when = taker;
    access_to(k, SPIN, flag, first);
    access_to(k, LOAD, a, own);
    add_step(k, END);
    add_step(k, BARRIER);
    access_to(k, STORE, a, own)->when =
        (struct condition){.threads = IS, .k = below(d, k->block), .blocks = BLOCK_IS_NOT};
}

/* A value goes from one to a third by way of a second, which may look at it, too. Of the flag that
 * the first has set the third sees what the second has stored in its place. */
static void passed_on(struct kernel *k, struct dice *d)
{
    const bool blocks = k->grid > 2;
    if (!blocks && k->block <= 2 * WARP) {
        hand_over(k, d);
        return;
    }
    const int data = add_array(k, (enum type)below(d, TYPES), false, 0, blocks ? 1 : k->grid);
    const int flag = add_array(k, I32, false, 0, blocks ? 2 : 2 * k->grid);
    const enum op fence = blocks || percent(d, 30) ? FENCE_DEVICE : FENCE_BLOCK;
    const struct index at = {.b = !blocks}, first = {.b = blocks ? 0 : 2},
                       next = {.b = first.b, .d = 1};
    struct condition who[3];
    for (int i = 0; i < 3; i++)
        who[i] = (struct condition){.threads = IS,
                                    .k = blocks ? 0 : i * WARP,
                                    .blocks = blocks ? BLOCK_IS : ANY,
                                    .block = i};
    add_step(k, IF)->when = who[0];
    access_to(k, STORE, data, at);
    add_step(k, fence);
    access_to(k, ATOMIC_STORE, flag, first);
    add_step(k, END);
    add_step(k, IF)->when = who[1];
    access_to(k, SPIN, flag, first);
    add_step(k, fence);
    if (percent(d, 60)) {
        add_step(k, LOOP)->count = 4;
        access_to(k, LOAD, data, at);
        access_to(k, LOAD, data, at);
        add_step(k, END);
    }
    access_to(k, ATOMIC_STORE, flag, first);
    access_to(k, ATOMIC_STORE, flag, next);
    add_step(k, END);
    add_step(k, IF)->when = who[2];
    access_to(k, SPIN, flag, next);
    access_to(k, ATOMIC_LOAD, flag, first);
    add_step(k, fence);
    access_to(k, LOAD, data, at);
    add_step(k, END);
}

/* One reads twice, from one place, and each time says so; then another writes. */
static void read_twice(struct kernel *k, struct dice *d)
{
    if (k->block <= WARP) {
        changed_by_one(k, d);
        return;
    }
    const int data = add_array(k, I32, false, 0, k->grid),
              flag = add_array(k, I32, false, 0, 2 * k->grid);
    const struct index at = {.b = 1};
    add_step(k, IF)->when = (struct condition){.threads = IS};
    add_step(k, LOOP)->count = 2;
    access_to(k, LOAD, data, at);
    add_step(k, FENCE_BLOCK);
    access_to(k, ATOMIC_STORE, flag, (struct index){.b = 2, .c = 1});
    add_step(k, END);
    add_step(k, END);
    add_step(k, IF)->when = (struct condition){.threads = IS, .k = WARP};
    access_to(k, SPIN, flag, (struct index){.b = 2, .d = 1});
    add_step(k, FENCE_BLOCK);
    access_to(k, STORE, data, at);
    add_step(k, END);
}

void add_pattern(struct kernel *k, struct dice *d, bool is_last)
{
    static void (*const any[])(struct kernel *, struct dice *) = {
        exchange, neighbours,     tree,           tile,      histogram,   count_globally,
        in_warp,  exchange,       double_buffer,  broadcast, grid_stride, hand_over,
        locked,   changed_by_one, blocks_in_turn, passed_on, read_twice,
    };
    if (is_last && percent(d, 15))
        last_block(k, d);
    else
        any[below(d, (int)(sizeof any / sizeof *any))](k, d);
}
