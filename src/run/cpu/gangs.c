/* gangs.c - blocks that run in several gangs. The gangs run one after the other on this thread.
 * Each runs to its next barrier, block operation or iteration of a spin loop.
 *
 * A round resumes every gang in a spin loop. If there is none, all have returned or are at a
 * barrier or block operation. If that is the same for all, it runs and they go on. A spin loop may
 * also wait for lower blocks, which other threads run.
 *
 * A launch in which all threads wait for ever is stopped. What a thread's gangs will do depends on
 * their frames and on memory. If the frames still return to their contents of LW_CPU_STUCK_NS ago,
 * no memory that the thread waits for has changed. When that is so for each thread of the
 * launch, no thread will change it. Of a steady loop the frame does not matter: the same lanes must
 * still be in it. Some threads may have had no processor for that long; so each must have looked
 * once more since the last of them became stuck. A thread that writes is not stuck.
 */
#include "run/cpu/cpu.h"
#include <assert.h>
#include <sched.h>
#include <string.h>

enum {
    WATCH_ROUNDS = 512, /* of waiting, after which it is asked whether it ends */
    YIELD_ROUNDS = 16,  /* after which others may have the processor */
};

struct gang_state {
    struct lw_cpu_gang abi; /* first: kernel code has its address */
    const struct gang_set *set;
    void *handle;
    char *memory; /* of its frame */
    size_t bytes;
    uint32_t state, site, writes, departures; /* of abi, when its frame was copied */
};

/* The gangs of the block under way. */
struct gang_set {
    struct lw_cpu_exchange exchange;
    struct gang_state members[LW_CPU_GANGS_MAX];
    uint32_t count;
    const struct lw_cpu_gangs *code;
    const struct lw_cpu_launch *launch;
    struct lw_cpu_worker *worker;
    struct lw__cpu_run *run;
    struct lw__cpu_resume resume;
    uint64_t rounds;                    /* of waiting, since something else happened; */
    uint64_t began;                     /* when there were YIELD_ROUNDS of them */
    char *copy;                         /* of the frames at `since`; NULL: none yet */
    uint32_t arrived[LW_CPU_GANGS_MAX]; /* of the exchange, then */
    uint64_t since;                     /* lw__clock() */
    uint64_t age, age_max;              /* of the copy, in rounds */
    bool is_stuck;                      /* the frames came back to what they were long ago, */
    bool is_counted;                    /* and did again while run->stuck_count was this */
    uint64_t stuck_count;
};

static struct lw__cpu_thread *thread_of(const struct gang_set *c)
{
    return (struct lw__cpu_thread *)c->worker;
}

/* ---- memory ---- */

void *lw__cpu_gang_memory(struct lw_cpu_worker *worker, struct lw_cpu_gang *gang, uint64_t bytes)
{
    struct gang_state *m = (struct gang_state *)gang;
    struct lw__cpu_run *run = worker->user;
    const uint32_t last = m->set->count - 1;
    const bool is_last = gang->number == last;
    const size_t each = (bytes + LW_CPU_ALIGN - 1) / LW_CPU_ALIGN * LW_CPU_ALIGN;

    assert(gang->number < m->set->count && &m->set->members[gang->number] == m);
    char *memory;
    if (!lw__cpu_memory(is_last ? LW_CPU_LAST_GANG : LW_CPU_GANGS, is_last ? each : last * each,
                        LW_CPU_ALIGN, &memory)) {
        struct lw__message why = {0};

        lw__message_add(&why, "kernel '%s': no memory for %u gangs of a block: %zu bytes each",
                        run->launch->kernel, m->set->count, each);
        lw__cpu_fail(run, UINT64_MAX, LW_E_MEMORY, &why);
        return NULL;
    }
    m->memory = is_last ? memory : memory + gang->number * each;
    m->bytes = each;
    return m->memory;
}

static bool is_waiting(const struct gang_state *m)
{
    return m->abi.state == LW_CPU_WAITS || m->abi.state == LW_CPU_STEADY;
}

/* ---- for ever? ---- */

/* Count anew who waits in vain. Locked. */
static void recount(struct lw__cpu_run *run)
{
    assert(lw__is_locked());
    run->stuck = 0;
    run->stuck_count++;
}

static void not_stuck(struct gang_set *c)
{
    if (c->is_stuck) {
        lw__lock();
        recount(c->run);
        lw__unlock();
    }
    c->is_stuck = false;
}

/* Called in a round without progress. True if all threads make none. A thread may see the start of
 * a count in a round that began earlier; therefore its next round is counted. */
static bool are_all_stuck(struct gang_set *c)
{
    lw__lock();
    if (!c->is_stuck)
        recount(c->run);
    c->is_stuck = true;
    if (c->stuck_count != c->run->stuck_count) {
        c->stuck_count = c->run->stuck_count;
        c->is_counted = false;
    } else if (!c->is_counted) {
        c->is_counted = true;
        c->run->stuck++;
    }
    assert(c->run->stuck <= c->run->threads);
    bool all = c->run->stuck >= atomic_load(&c->run->inside);
    lw__unlock();
    return all;
}

static void stop_watching(struct gang_set *c)
{
    if (c->rounds >= YIELD_ROUNDS)
        thread_of(c)->waited += lw__clock() - c->began;
    not_stuck(c);
    c->rounds = 0;
    c->copy = NULL;
}

/* True if the gang is in a steady loop, and so are the same lanes as at the copy. */
static bool is_steady(const struct gang_set *c, uint32_t g)
{
    const struct gang_state *m = &c->members[g];
    const uint32_t warps = c->code->gang_threads / 32;

    return m->abi.state == LW_CPU_STEADY && m->state == LW_CPU_STEADY && m->abi.site == m->site &&
           m->abi.departures == m->departures &&
           !memcmp(c->arrived + g * warps, c->exchange.arrived + g * warps,
                   warps * sizeof c->arrived[0]);
}

static bool frames_same(const struct gang_set *c)
{
    const char *copy = c->copy;

    for (uint32_t g = 0; g < c->count; copy += c->members[g++].bytes) {
        const struct gang_state *m = &c->members[g];

        if (m->abi.writes != m->writes || (!is_steady(c, g) && memcmp(copy, m->memory, m->bytes)))
            return false;
    }
    return true;
}

/* Without memory for it nobody watches. */
static void copy_frames(struct gang_set *c)
{
    size_t bytes = 0, at = 0;

    for (uint32_t g = 0; g < c->count; g++)
        bytes += c->members[g].bytes;
    c->age_max = c->copy ? 2 * c->age_max : 1;
    c->age = 0;
    c->since = lw__clock();
    if (!lw__cpu_memory(LW_CPU_WATCHED, bytes, LW_CPU_ALIGN, &c->copy))
        return;
    memcpy(c->arrived, c->exchange.arrived, sizeof c->arrived);
    for (uint32_t g = 0; g < c->count; at += c->members[g++].bytes) {
        struct gang_state *m = &c->members[g];

        memcpy(c->copy + at, m->memory, m->bytes);
        m->state = m->abi.state;
        m->site = m->abi.site;
        m->writes = m->abi.writes;
        m->departures = m->abi.departures;
    }
}

/* Do all threads wait in vain? Frames that come back to what they were do so again and again, as
 * long as memory is the same. The copy is renewed when it is age_max rounds old without that; then
 * age_max doubles. */
static bool watch(struct gang_set *c)
{
    if (c->copy && frames_same(c)) {
        c->age = 0;
        return lw__clock() - c->since >= LW_CPU_STUCK_NS && are_all_stuck(c);
    }
    if (!c->copy || ++c->age >= c->age_max) {
        not_stuck(c);
        copy_frames(c);
    }
    return false;
}

/* One line of the message: where gangs wait from `g` on, with how many threads. */
static void add_waiting(struct lw__message *m, struct gang_set *c, uint32_t g)
{
    const struct lw__launch *l = c->run->launch;
    const uint32_t site = c->members[g].abi.site;
    const uint32_t warps = c->code->gang_threads / 32;
    int64_t count = 0, first = -1;
    int32_t index[3];

    for (uint32_t w = g * warps; w < LW_CPU_GANGS_MAX; w++) {
        const uint32_t word = c->exchange.arrived[w];

        if (!word || c->members[w / warps].abi.site != site)
            continue;
        if (first < 0)
            first = (int64_t)w * 32 + __builtin_ctz(word);
        count += __builtin_popcount(word);
    }
    lw__message_add_site(m, l, site);
    lw__message_add(m, " waits with %lld thread%s (first block ", (long long)count,
                    count == 1 ? "" : "s");
    lw__place(l->grid, c->members[g].abi.block, index);
    lw__message_add_index(m, index);
    lw__message_add(m, " thread ");
    lw__place(l->block, first < 0 ? 0 : (uint64_t)first, index);
    lw__message_add_index(m, index);
    lw__message_add(m, ")");
}

static void fail_stuck(struct gang_set *c)
{
    struct lw__message m = {0};
    bool is_first = true;

    lw__message_add(&m, "kernel '%s': no thread can make progress: ", c->run->launch->kernel);
    for (uint32_t g = 0; g < c->count; g++) {
        bool is_new = c->members[g].abi.state != LW_CPU_RETURNED;

        for (uint32_t k = 0; k < g; k++)
            is_new &= c->members[k].abi.state == LW_CPU_RETURNED ||
                      c->members[k].abi.site != c->members[g].abi.site;
        if (!is_new)
            continue;
        lw__message_add(&m, "%s", is_first ? "" : ", ");
        add_waiting(&m, c, g);
        is_first = false;
    }
    lw__cpu_fail(c->run, c->members[0].abi.block, LW_E_LAUNCH, &m);
}

/* After a round in which all gangs waited: is it in vain? */
static bool waits_in_vain(struct gang_set *c)
{
    if (++c->rounds == YIELD_ROUNDS)
        c->began = lw__clock();
    if (c->rounds % YIELD_ROUNDS == 0)
        sched_yield();
    if (c->rounds < WATCH_ROUNDS)
        return false;
    if (c->rounds % YIELD_ROUNDS == 0 && lw__cpu_is_stopped(c->run))
        return true;
    if (!watch(c))
        return false;
    fail_stuck(c);
    return true;
}

/* ---- one block ---- */

/* Negative: a comes before b; 0: they are at the same instance. */
static int key_order(const struct lw_cpu_gang *a, const struct lw_cpu_gang *b)
{
    for (uint32_t k = 0; k < a->key_length && k < b->key_length; k++)
        if (a->key[k] != b->key[k])
            return a->key[k] < b->key[k] ? -1 : 1;
    return (a->key_length > b->key_length) - (a->key_length < b->key_length);
}

/* All gangs have returned or wait at a collective: are all of these at the same place? */
static bool at_one_place(struct gang_set *c, const struct lw_cpu_gang *earliest)
{
    struct lw_cpu_exchange *x = &c->exchange;
    const uint32_t warps = c->code->gang_threads / 32;
    bool all = true;

    for (uint32_t g = 0; g < c->count; g++) {
        const struct lw_cpu_gang *gang = &c->members[g].abi;
        const bool there = gang->state == LW_CPU_ARRIVED && key_order(gang, earliest) == 0;

        for (uint32_t w = g * warps; w < (g + 1) * warps && w < LW_CPU_GANGS_MAX; w++) {
            x->live[w] = gang->state == LW_CPU_RETURNED ? 0 : x->live[w];
            x->arrived[w] = there ? x->arrived[w] : 0;
            all &= x->arrived[w] == x->live[w];
        }
    }
    if (!all)
        lw__cpu_calls.diverged(c->worker, earliest->block, earliest->site, x->arrived, x->live);
    return all;
}

/* Resumes those in one of two states. False: the launch is stopped. */
static bool resume_all(struct gang_set *c, enum lw_cpu_gang_state one, enum lw_cpu_gang_state other)
{
    struct lw__cpu_resume *r = &c->resume;

    r->count = 0;
    for (uint32_t g = 0; g < c->count; g++)
        if (c->members[g].abi.state == one || c->members[g].abi.state == other)
            r->handles[r->count++] = c->members[g].handle;
    return lw__cpu_enter_gangs(thread_of(c), r, c->members[0].abi.block);
}

/* The operation at which they have met, then on to the next suspension. */
static bool go_on(struct gang_set *c, const struct lw_cpu_gang *earliest)
{
    struct lw_cpu_exchange *x = &c->exchange;
    struct lw_cpu_launch operation = {.args = (const char *)&x, .grid_dim = {1, 1, 1}};

    if (!at_one_place(c, earliest))
        return false;
    if (earliest->operation &&
        !lw__cpu_enter_blocks(thread_of(c), earliest->operation, &operation, earliest->block, 0, 1))
        return false;
    return resume_all(c, LW_CPU_ARRIVED, LW_CPU_ARRIVED);
}

/* *waiting counts the gangs in spin loops. Returns the gang at a barrier or block operation with
 * the smallest instance, or NULL. */
static const struct lw_cpu_gang *survey(const struct gang_set *c, uint32_t *waiting, bool *stopped)
{
    const struct lw_cpu_gang *earliest = NULL;

    *waiting = 0;
    *stopped = false;
    for (uint32_t g = 0; g < c->count; g++) {
        const struct lw_cpu_gang *gang = &c->members[g].abi;

        *waiting += is_waiting(&c->members[g]);
        *stopped |= gang->state == LW_CPU_STOPPED;
        if (gang->state == LW_CPU_ARRIVED && (!earliest || key_order(gang, earliest) < 0))
            earliest = gang;
    }
    return earliest;
}

/* Resumes each waiting gang once. *moved: one of them did more than wait. */
static bool resume_waiting(struct gang_set *c, uint32_t waiting, bool *moved)
{
    bool goes_on = resume_all(c, LW_CPU_WAITS, LW_CPU_STEADY);

    for (uint32_t g = 0; g < c->count; g++) {
        assert(waiting || !is_waiting(&c->members[g])); /* no others were resumed */
        waiting -= is_waiting(&c->members[g]);
    }
    *moved = waiting > 0;
    return goes_on;
}

static bool start(struct gang_set *c, uint64_t block)
{
    const struct lw__launch *l = c->run->launch;

    memset(c->exchange.arrived, 0, sizeof c->exchange.arrived);
    memset(c->exchange.live, 0, sizeof c->exchange.live);
    for (uint32_t g = 0; g < c->count; g++) {
        struct gang_state *m = &c->members[g];
        lw_cpu_gang_start *first = g + 1 < c->count ? c->code->start : c->code->start_last;

        *m = (struct gang_state){.set = c,
                                 .abi = {.block = block,
                                         .number = g,
                                         .first = g * c->code->gang_threads,
                                         .exchange = &c->exchange}};
        lw__place(l->grid, block, m->abi.block_idx);
        m->handle = lw__cpu_enter_start(thread_of(c), first, c->launch, &m->abi);
        if (!m->handle || m->abi.state == LW_CPU_STOPPED)
            return false;
    }
    return true;
}

static bool run_block(struct gang_set *c, uint64_t block)
{
    if (!start(c, block))
        return false;
    uint32_t waiting;
    bool stopped, moved;
    for (;;) {
        const struct lw_cpu_gang *earliest = survey(c, &waiting, &stopped);

        if (stopped)
            return false;
        if (waiting) {
            if (!resume_waiting(c, waiting, &moved))
                return false;
            if (moved)
                stop_watching(c);
            else if (waits_in_vain(c))
                return false;
        } else if (!earliest) {
            return true;
        } else if (!go_on(c, earliest)) {
            return false;
        }
    }
}

uint32_t lw__cpu_run_gangs(const struct lw_cpu_launch *launch, struct lw_cpu_worker *worker,
                           uint64_t first, uint64_t count, const struct lw_cpu_gangs *gangs)
{
    struct lw__cpu_run *run = worker->user;
    bool ok = true;

    struct gang_set *c;
    char *memory;
    if (!lw__cpu_memory(LW_CPU_CREW, sizeof *c, _Alignof(struct gang_set), &memory)) {
        struct lw__message why = {0};

        lw__message_add(&why, "kernel '%s': no memory for the gangs of a block: %zu bytes",
                        run->launch->kernel, sizeof *c);
        lw__cpu_fail(run, UINT64_MAX, LW_E_MEMORY, &why);
        return 1;
    }
    c = (struct gang_set *)memory;
    c->code = gangs;
    c->count = (gangs->threads + gangs->gang_threads - 1) / gangs->gang_threads;
    assert(c->count && c->count <= LW_CPU_GANGS_MAX && gangs->gang_threads % 32 == 0);
    c->launch = launch;
    c->worker = worker;
    c->run = run;
    c->resume.resume = gangs->resume;
    c->is_stuck = c->is_counted = false;
    c->stuck_count = UINT64_MAX; /* of an earlier launch */
    c->rounds = 0;
    stop_watching(c);
    for (uint64_t k = 0; ok && k < count; k++)
        ok = run_block(c, first + k);
    stop_watching(c);
    return ok ? 0 : 1;
}
