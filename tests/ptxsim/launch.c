/* launch.c - the blocks of a launch: some are resident, and take turns.
 *
 * A block's turn gives each of its threads a slice, so that one that waits for another, in its warp
 * or not, keeps nobody off. Blocks become resident in their order; where none ends for a while,
 * more become so, up to what a GPU would have: they may be waited for.
 *
 * $PTXSIM_SEED: threads run in another order and for other slices, the same for each seed.
 */
#include "ptxsim.h"
#include "run/cuda/driver.h"
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { SLICE = 2000, WARP_ROUNDS = 64, RESIDENT_FIRST = 4, PATIENCE = 8 };

uint32_t random_next(uint64_t *state)
{
    *state = *state * 6364136223846793005u + 1442695040888963407u;
    return (uint32_t)(*state >> 33);
}

void block_fail(const struct thread *t, int error, const char *format, ...)
{
    struct launch *l = t->block->launch;
    const uint32_t *d = l->block, *g = t->block->index;

    if (l->error)
        return;
    l->error = error;
    fprintf(stderr, "ptxsim: %s, block (%u,%u,%u), thread (%u,%u,%u), line %u: ", l->function->name,
            g[0], g[1], g[2], t->index % d[0], t->index / d[0] % d[1], t->index / d[0] / d[1],
            t->now.at->line);
    va_list arguments;
    va_start(arguments, format);
    vfprintf(stderr, format, arguments);
    va_end(arguments);
    fputc('\n', stderr);
}

/* ---- a block's turn ---- */

/* Where a turn begins in a row of `count`: at 0, or anywhere and in either direction. */
struct order {
    uint32_t count, start, step;
};

static struct order order_of(struct launch *l, uint32_t count)
{
    if (!l->random)
        return (struct order){count, 0, 1};
    return (struct order){count, random_next(&l->random) % count,
                          random_next(&l->random) % 2 ? 1 : count - 1};
}

static uint32_t place_in(const struct order *o, uint32_t k)
{
    return (o->start + k * o->step) % o->count;
}

static bool run_lanes(struct block *b, uint32_t warp)
{
    struct launch *l = b->launch;
    const uint32_t rest = b->threads - warp * LANES;
    const struct order o = order_of(l, rest < LANES ? rest : LANES);
    bool some = false;

    for (uint32_t k = 0; k < o.count && !l->error; k++) {
        struct thread *t = &b->thread[warp * LANES + place_in(&o, k)];
        if (t->state != RUNS)
            continue;
        thread_run(t, l->random ? 1 + random_next(&l->random) % SLICE : SLICE);
        some = true;
    }
    return some;
}

/* One slice; as many as there are operations of the warp in it. */
static bool run_warp(struct block *b, uint32_t warp)
{
    bool some = false;

    for (int round = 0; round < WARP_ROUNDS && !b->launch->error; round++) {
        some |= run_lanes(b, warp);
        if (!warp_meet(b, warp))
            break;
        some = true;
    }
    return some;
}

static void fail_stuck(struct block *b)
{
    const struct thread *t[2] = {NULL, NULL}; /* one that waits, one that waits elsewhere */

    for (uint32_t k = 0; k < b->threads; k++) {
        const struct thread *other = &b->thread[k];
        if (other->state == EXITED)
            continue;
        if (!t[0])
            t[0] = other;
        else if (!t[1] && other->now.at != t[0]->now.at)
            t[1] = other;
    }
    if (t[1])
        block_fail(t[0], LW_CU_LAUNCH_FAILED, "it waits for ever; thread %u does at line %u",
                   t[1]->index, t[1]->now.at->line);
    else
        block_fail(t[0], LW_CU_LAUNCH_FAILED, "it waits for ever");
}

static void run_block(struct block *b)
{
    const struct order o = order_of(b->launch, (b->threads + LANES - 1) / LANES);
    bool some = false;

    for (uint32_t k = 0; k < o.count && !b->launch->error; k++)
        some |= run_warp(b, place_in(&o, k));
    if (b->launch->error || !b->running)
        return;
    some |= block_meet(b);
    if (!some && !b->launch->error)
        fail_stuck(b);
}

/* ---- blocks ---- */

static void destroy_block(struct block *b)
{
    if (b) {
        free(b->thread);
        free(b->slots);
        free(b->shared);
        free(b->local);
    }
    free(b);
}

static struct block *create_block(struct launch *l)
{
    const uint32_t threads = l->block[0] * l->block[1] * l->block[2];
    struct block *b = calloc(1, sizeof *b);

    if (!b)
        return NULL;
    b->launch = l;
    b->threads = threads;
    b->thread = calloc(threads, sizeof *b->thread);
    b->slots = malloc((size_t)threads * l->function->stack_slots * sizeof *b->slots);
    b->shared = malloc(l->shared_bytes);
    b->local = malloc((size_t)threads * l->function->stack_local + 1);
    if (b->thread && b->slots && b->shared && b->local)
        return b;
    destroy_block(b);
    return NULL;
}

static void start_block(struct block *b)
{
    struct launch *l = b->launch;
    const uint64_t number = l->next++;

    b->index[0] = (uint32_t)(number % l->grid[0]);
    b->index[1] = (uint32_t)(number / l->grid[0] % l->grid[1]);
    b->index[2] = (uint32_t)(number / l->grid[0] / l->grid[1]);
    b->running = b->threads;
    memset(b->shared, POISON_BYTE, l->shared_bytes);
    memset(b->local, POISON_BYTE, (size_t)b->threads * l->function->stack_local);
    for (uint32_t k = 0; k < b->threads; k++) {
        b->thread[k].block = b;
        b->thread[k].index = k;
        thread_start(&b->thread[k]);
    }
}

/* Behind the others. */
static void append(struct launch *l, struct block *b)
{
    struct block **end = &l->resident;

    while (*end)
        end = &(*end)->next;
    b->next = NULL;
    *end = b;
}

/* Without memory for another, those that are there have to do. */
static void admit(struct launch *l)
{
    while (l->next < l->blocks && l->resident_count < l->resident_limit) {
        struct block *b = l->idle;
        if (b)
            l->idle = b->next;
        else
            b = create_block(l);
        if (!b) {
            l->error = l->resident_count ? l->error : LW_CU_OUT_OF_MEMORY;
            return;
        }
        start_block(b);
        append(l, b);
        l->resident_count++;
    }
}

/* So many turns in which none has ended: more may have to be there. */
static void expect(struct launch *l)
{
    if (++l->stalls < PATIENCE * l->resident_limit)
        return;
    l->stalls = 0;
    l->resident_limit *= 2;
    if (l->resident_limit > l->resident_most)
        l->resident_limit = l->resident_most;
}

bool launch_run(struct launch *l)
{
    admit(l);
    struct block *b = l->resident;
    if (!b || l->error)
        return true;
    l->resident = b->next;
    run_block(b);
    if (b->running) {
        append(l, b);
        expect(l);
        return l->error != 0;
    }
    b->next = l->idle;
    l->idle = b;
    l->resident_count--;
    l->stalls = 0;
    return l->error || (!l->resident && l->next == l->blocks);
}

/* ---- a launch ---- */

int launch_resident(const struct function *f, uint32_t threads, size_t dynamic_bytes)
{
    const uint32_t warps = (threads + LANES - 1) / LANES;
    const size_t shared = f->module->shared_bytes - SPACE_BEGIN + dynamic_bytes;
    size_t most = PROCESSOR_THREADS / LANES / (warps ? warps : 1);

    most = most > PROCESSOR_BLOCKS ? PROCESSOR_BLOCKS : most;
    if (shared && most > SHARED_BYTES / shared)
        most = SHARED_BYTES / shared;
    return (int)most;
}

static bool copy_parameters(struct launch *l, void **parameters)
{
    const struct function *f = l->function;

    l->parameters = calloc(1, f->parameter_bytes + 1);
    for (uint32_t k = 0; l->parameters && k < f->parameter_count; k++)
        memcpy(l->parameters + f->parameter_at[k], parameters[k], f->parameter_size[k]);
    return l->parameters != NULL;
}

struct launch *launch_create(const struct function *f, const uint32_t grid[3],
                             const uint32_t block[3], uint32_t dynamic_bytes, void **parameters)
{
    const uint32_t threads = block[0] * block[1] * block[2];
    const char *seed = getenv("PTXSIM_SEED");
    struct launch *l = calloc(1, sizeof *l);

    if (!l)
        return NULL;
    l->function = f;
    memcpy(l->grid, grid, sizeof l->grid);
    memcpy(l->block, block, sizeof l->block);
    l->shared_bytes = f->module->shared_bytes + dynamic_bytes;
    l->dynamic_bytes = dynamic_bytes;
    l->blocks = (uint64_t)grid[0] * grid[1] * grid[2];
    l->resident_limit = RESIDENT_FIRST;
    l->resident_most = (uint32_t)launch_resident(f, threads, dynamic_bytes) * PROCESSORS;
    l->random = seed && *seed ? strtoull(seed, NULL, 0) * 2 + 1 : 0;
    if (copy_parameters(l, parameters))
        return l;
    free(l);
    return NULL;
}

static void destroy_blocks(struct block *b)
{
    while (b) {
        struct block *next = b->next;
        destroy_block(b);
        b = next;
    }
}

void launch_destroy(struct launch *l)
{
    destroy_blocks(l->resident);
    destroy_blocks(l->idle);
    free(l->parameters);
    free(l);
}
