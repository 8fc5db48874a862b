/* oracle.c - what is wrong with a kernel, by the rules of docs/kernel-language.md and every pair of
 * accesses to every byte.
 *
 * Each thread has a vector clock over all threads, and each byte the list of all accesses that have
 * been; each access is compared with all of them. Waits and returns that memory decides are run for
 * real, so there are several orders of threads, and two contents that block memory begins with.
 * A race that needs one outcome of a wait may be in few orders: a finding is looked for in more.
 */
#include "planted.h"
#include <stdlib.h>

enum { ALL_THREADS = THREADS_MAX * BLOCKS_MAX, ORDERS = 4, ORDERS_SEARCHED = 400 };
enum { OF_BLOCK, OF_DEVICE, SCOPES };

/* Of each thread the number of its acts that are known. writes: of its atomic writes alone, which
 * whoever reads them knows though no fence stands behind them. */
struct clock {
    int all[ALL_THREADS], writes[ALL_THREADS];
};

enum state { RUNS, WAITS, ENDED };
struct thread {
    struct acts acts;
    int at, block, number;
    enum state state;
    struct clock known, pending[SCOPES], released[SCOPES];
    bool has_released[SCOPES];
    bool has_undefined[ARRAYS_MAX]; /* its sum has what nothing has written, of these */
};

/* One access to a byte, of all that there were. */
struct event {
    const struct step *step;
    int thread, time; /* the number of the act in its thread */
    bool writes, is_atomic;
    struct event *next;
};

/* What an atomic write left. */
struct left {
    struct clock clock;
    int block, scope;
    struct left *next;
};

struct memory {            /* an array of a block, or of all */
    int64_t *value;        /* of elements */
    struct event **events; /* of bytes */
    struct left **left;    /* of elements */
    bool *is_undefined;    /* elements: nothing has written them */
    int elements, bytes;
};

/* An operation of a warp that has been. */
struct passed {
    int first, instance;
    struct passed *next;
};

struct run {
    const struct kernel *k;
    struct memory memory[ARRAYS_MAX][BLOCKS_MAX];
    struct thread *thread;
    int threads;
    bool has_ended[BLOCKS_MAX]; /* a thread ended early */
    struct passed *passed;
    struct findings found;
};

static void *some(size_t count, size_t size)
{
    void *memory = calloc(count ? count : 1, size);
    if (!memory)
        abort();
    return memory;
}

/* ---- order ----------------------------------------------------------------------------------- */

static void join(struct clock *a, const struct clock *b)
{
    for (int i = 0; i < ALL_THREADS; i++) {
        a->all[i] = b->all[i] > a->all[i] ? b->all[i] : a->all[i];
        a->writes[i] = b->writes[i] > a->writes[i] ? b->writes[i] : a->writes[i];
    }
}

static void fence(struct thread *t, int self, bool is_of_device)
{
    for (int scope = 0; scope <= (is_of_device ? OF_DEVICE : OF_BLOCK); scope++)
        join(&t->known, &t->pending[scope]);
    for (int scope = 0; scope <= (is_of_device ? OF_DEVICE : OF_BLOCK); scope++) {
        t->released[scope] = t->known;
        t->released[scope].all[self] = t->at;
        t->has_released[scope] = true;
    }
}

static void forget(struct left **left)
{
    while (*left) {
        struct left *one = *left;
        *left = one->next;
        free(one);
    }
}

static void take_and_leave(struct thread *t, int self, struct left **left, bool reads, bool writes)
{
    for (struct left *one = *left; reads && one; one = one->next) {
        if (one->scope == OF_DEVICE)
            join(&t->pending[OF_DEVICE], &one->clock);
        if (one->block == t->block)
            join(&t->pending[OF_BLOCK], &one->clock);
    }
    if (!reads)
        forget(left);
    for (int scope = 0; writes && scope < SCOPES; scope++) {
        if (!t->has_released[scope])
            continue;
        struct left *one = some(1, sizeof *one);
        *one = (struct left){t->released[scope], t->block, scope, *left};
        one->clock.writes[self] = t->at;
        *left = one;
    }
}

/* All of these know what each of them knows; behind a barrier also what threads did before they
 * returned. */
static void meet(struct run *r, int first, int end, const bool *takes_part, bool is_barrier)
{
    struct clock *both = some(1, sizeof *both);
    for (int i = first; i < end; i++) {
        struct thread *t = &r->thread[i];
        if (!takes_part[i - first] && !(is_barrier && t->state == ENDED))
            continue;
        join(both, &t->known);
        both->all[i] = t->at;
        both->writes[i] = t->at;
    }
    for (int i = first; i < end; i++)
        if (takes_part[i - first])
            r->thread[i].known = *both;
    free(both);
}

/* ---- accesses -------------------------------------------------------------------------------- */

static bool is_atomic(enum op op)
{
    return op == ATOMIC_ADD || op == ATOMIC_LOAD || op == ATOMIC_STORE || op == CAS_FAILS ||
           op == SPIN || op == LOCK || op == LAST;
}

static void race(struct run *r, const struct thread *t, const struct event *e,
                 const struct step *step, bool is_shared, bool is_benign)
{
    const struct thread *other = &r->thread[e->thread];
    const bool is_warp = t->block == other->block && t->number / WARP == other->number / WARP;
    add_finding(&r->found, (struct finding){is_benign   ? BENIGN
                                            : is_warp   ? RACE_WARP
                                            : is_shared ? RACE_SHARED
                                                        : RACE_GLOBAL,
                                            step->line, e->step->line});
}

static void touch(struct run *r, int self, const struct act *act, struct memory *m, bool writes,
                  bool is_same)
{
    struct thread *t = &r->thread[self];
    const bool atomic = is_atomic(act->step->op);
    for (int byte = act->first; byte < act->first + act->bytes; byte++) {
        for (const struct event *e = m->events[byte]; e; e = e->next)
            if (e->thread != self && (writes || e->writes) && !(atomic && e->is_atomic) &&
                e->time > t->known.all[e->thread] &&
                !(e->is_atomic && e->writes && e->time <= t->known.writes[e->thread]))
                race(r, t, e, act->step, r->k->array[act->step->array].is_shared,
                     is_same && writes && e->writes && !atomic && !e->is_atomic);
        struct event *now = some(1, sizeof *now);
        *now = (struct event){act->step, self, t->at, writes, atomic, m->events[byte]};
        m->events[byte] = now;
    }
}

static int64_t stored(const struct run *r, const struct thread *t, const struct act *act)
{
    const enum type type = r->k->array[act->step->array].type;
    const int v =
        act->step->salt ? t->number * 5 + t->block * 37 + (int)act->i * 11 + act->step->salt : 0;
    return type == I8 ? (int8_t)v : type == I16 ? (int16_t)v : v;
}

static void end_early(struct run *r, struct thread *t)
{
    t->state = ENDED;
    r->has_ended[t->block] = true;
}

/* What nothing has written is used by an atomic update or a branch, or goes on into the sum. */
static void use(struct run *r, struct thread *t, const struct step *step, enum op op)
{
    if (op == ATOMIC_ADD || op == CAS_FAILS || op == SPIN || op == LOCK || op == LAST)
        add_finding(&r->found,
                    (struct finding){UNINITIALISED, step->line, r->k->array[step->array].line});
    else if (op == LOAD || op == ATOMIC_LOAD)
        t->has_undefined[step->array] = true;
}

static void store_sum(struct run *r, const struct thread *t)
{
    for (int i = 0; i < r->k->arrays; i++)
        if (t->has_undefined[i])
            add_finding(&r->found,
                        (struct finding){UNINITIALISED, r->k->out_line, r->k->array[i].line});
}

/* One access. False: the thread waits at it. */
static bool do_access(struct run *r, int self, const struct act *act)
{
    struct thread *t = &r->thread[self];
    const enum op op = act->step->op;
    const struct array *a = &r->k->array[act->step->array];
    struct memory *m = &r->memory[act->step->array][a->is_shared ? t->block : 0];
    if (act->first < 0) {
        add_finding(&r->found, (struct finding){.class = BOUNDS, .line = act->step->line});
        end_early(r, t);
        return true;
    }
    int64_t *value = &m->value[act->first / act->bytes];
    struct left **left = &m->left[act->first / act->bytes];
    const int64_t old = *value;
    const bool reads = op != STORE && op != ATOMIC_STORE;
    const bool writes = op == STORE || op == PLAIN_ADD || op == ATOMIC_ADD || op == ATOMIC_STORE ||
                        op == LAST || (op == LOCK && old == 0);
    bool *is_undefined = &m->is_undefined[act->first / act->bytes];
    if (*is_undefined)
        use(r, t, act->step, op);
    if (op == STORE || op == ATOMIC_STORE) {
        *value = stored(r, t, act);
        *is_undefined = false;
    }
    if (op == LOCK)
        *value = old ? old : 1;
    else if (writes && op != STORE && op != ATOMIC_STORE)
        *value = old + 1;
    if (op == PLAIN_ADD)
        touch(r, self, act, m, false, false);
    touch(r, self, act, m, writes, writes && *value == old);
    if (is_atomic(op))
        take_and_leave(t, self, left, reads, writes);
    if (op == LAST && old != r->k->grid - 1)
        t->state = ENDED;
    return op == SPIN ? old != 0 : op == LOCK ? old == 0 : true;
}

/* ---- threads --------------------------------------------------------------------------------- */

/* One act. False: the thread waits. */
static bool act(struct run *r, int self)
{
    struct thread *t = &r->thread[self];
    if (t->at > t->acts.count) {
        t->state = ENDED;
        store_sum(r, t);
        return true;
    }
    const struct act *now = &t->acts.act[t->at - 1];
    switch (now->step->op) {
    case BARRIER:
    case BLOCK_SUM:
    case VOTE:
    case WARP_SYNC: t->state = WAITS; return false;
    case RETURN: t->state = ENDED; return true;
    case FENCE_BLOCK: fence(t, self, false); break;
    case FENCE_DEVICE: fence(t, self, true); break;
    default:
        if (!do_access(r, self, now))
            return false;
    }
    t->at++;
    return true;
}

static const struct act *waits_at(const struct thread *t)
{
    return t->state == WAITS ? &t->acts.act[t->at - 1] : NULL;
}

static bool is_of_warp(enum op op)
{
    return op == WARP_SYNC || op == VOTE;
}

static bool has_instance(const struct thread *t, int instance)
{
    for (int i = t->at - 1; i < t->acts.count; i++)
        if (is_of_warp(t->acts.act[i].step->op) && t->acts.act[i].instance == instance)
            return true;
    return false;
}

static void pass(struct run *r, int first, int end, const bool *takes_part, enum op op)
{
    if (op != VOTE)
        meet(r, first, end, takes_part, op != WARP_SYNC);
    for (int i = first; i < end; i++)
        if (takes_part[i - first]) {
            r->thread[i].state = RUNS;
            r->thread[i].at++;
        }
}

static bool is_late(const struct run *r, int first, const struct act *here)
{
    const struct passed *p = r->passed;
    while (p && (p->first != first || p->instance != here->instance))
        p = p->next;
    return p;
}

/* Its threads wait apart. */
static bool end_block(struct run *r, const struct thread *at, int line, int other)
{
    if (!r->has_ended[at->block])
        add_finding(&r->found, (struct finding){DIVERGENCE, line, other});
    for (int i = 0; i < r->k->block; i++)
        r->thread[at->block * r->k->block + i].state = ENDED;
    return r->has_ended[at->block] = true;
}

/* An operation of a warp, when all that it takes part in are there; or without those that wait at
 * a barrier, where nothing else in the block moves. */
static bool pass_warp(struct run *r, int first, int end, bool without_barriers)
{
    for (int i = first; i < end; i++) {
        const struct act *here = waits_at(&r->thread[i]);
        bool takes_part[WARP] = {false}, all = true;
        if (!here || !is_of_warp(here->step->op))
            continue;
        if (is_late(r, first, here))
            return end_block(r, &r->thread[i], here->step->line, 0);
        for (int n = first; n < end; n++) {
            const struct act *there = waits_at(&r->thread[n]);
            takes_part[n - first] = there && there->instance == here->instance;
            all &= takes_part[n - first] || r->thread[n].state == ENDED ||
                   (there && without_barriers && !is_of_warp(there->step->op)) ||
                   !has_instance(&r->thread[n], here->instance);
        }
        if (all) {
            pass(r, first, end, takes_part, here->step->op);
            struct passed *one = some(1, sizeof *one);
            *one = (struct passed){first, here->instance, r->passed};
            r->passed = one;
            return true;
        }
    }
    return false;
}

/* Threads that wait at a barrier go on together; apart, the block ends. */
static bool pass_block(struct run *r, int first, int end)
{
    const struct act *here = NULL;
    bool takes_part[THREADS_MAX] = {false}, is_apart = false;
    for (int i = first; i < end; i++) {
        const struct act *there = waits_at(&r->thread[i]);
        if (r->thread[i].state == ENDED)
            continue;
        if (!there || is_of_warp(there->step->op))
            return false;
        here = here ? here : there;
        is_apart |= here->instance != there->instance;
        takes_part[i - first] = true;
    }
    if (!here)
        return false;
    if (!is_apart) {
        pass(r, first, end, takes_part, here->step->op);
        return true;
    }
    for (int i = first; i < end; i++) {
        const struct act *there = waits_at(&r->thread[i]);
        if (there && there->instance != here->instance)
            return end_block(r, &r->thread[i], here->step->line, there->step->line);
    }
    return false;
}

static bool turn_block(struct run *r, int block)
{
    const int first = block * r->k->block, end = first + r->k->block;
    bool any = false, all_wait = true;
    for (int i = first; i < end; i++)
        all_wait &= r->thread[i].state != RUNS;
    for (int at = first; at < end; at += WARP)
        any |= pass_warp(r, at, at + WARP < end ? at + WARP : end, false);
    any |= pass_block(r, first, end);
    for (int at = first; at < end && !any && all_wait; at += WARP)
        any |= pass_warp(r, at, at + WARP < end ? at + WARP : end, true);
    return any;
}

/* Order 0: forward, 1: reverse, 2: forward, a block as far as it comes before the next, else a
 * thread at a time by the dice. True: anything happened. */
static bool turn_threads(struct run *r, int order, struct dice *d, int first, int end)
{
    bool any = false;
    for (int n = 0; n < end - first; n++) {
        const int self = order == 1 ? end - 1 - n : order < 3 ? first + n : below(d, end - first);
        struct thread *t = &r->thread[self];
        int acts = order < 3 ? INT32_MAX : 1 + below(d, 8);
        while (t->state == RUNS && acts-- && act(r, self))
            any = true;
    }
    return any;
}

static bool turn(struct run *r, int order, struct dice *d)
{
    const int size = r->k->block;
    for (int block = 0; order == 2 && block < r->k->grid; block++)
        if (turn_threads(r, order, d, block * size, (block + 1) * size) | turn_block(r, block))
            return true;
    bool any = order != 2 && turn_threads(r, order, d, 0, r->threads);
    for (int block = 0; order != 2 && block < r->k->grid; block++)
        any |= turn_block(r, block);
    return any;
}

static bool is_done(const struct run *r)
{
    for (int i = 0; i < r->threads; i++)
        if (r->thread[i].state != ENDED)
            return false;
    return true;
}

/* ---- a run ----------------------------------------------------------------------------------- */

static void start(struct run *r, int64_t block_memory)
{
    const struct kernel *k = r->k;
    for (int i = 0; i < k->arrays; i++)
        for (int b = 0; b < (k->array[i].is_shared ? k->grid : 1); b++) {
            struct memory *m = &r->memory[i][b];
            m->elements = k->array[i].count * (k->array[i].rows ? k->array[i].rows : 1);
            m->bytes = m->elements * type_infos[k->array[i].type].bytes;
            m->value = some((size_t)m->elements, sizeof *m->value);
            m->events = some((size_t)m->bytes, sizeof(struct event *));
            m->left = some((size_t)m->elements, sizeof(struct left *));
            m->is_undefined = some((size_t)m->elements, sizeof *m->is_undefined);
            for (int n = 0; k->array[i].is_shared && n < m->elements; n++) {
                m->value[n] = block_memory;
                m->is_undefined[n] = true;
            }
        }
    r->threads = k->grid * k->block;
    r->thread = some((size_t)r->threads, sizeof *r->thread);
    for (int i = 0; i < r->threads; i++) {
        r->thread[i].at = 1;
        r->thread[i].block = i / k->block;
        r->thread[i].number = i % k->block;
        flow_of(k, i / k->block, i % k->block, &r->thread[i].acts);
    }
}

static void end(struct run *r)
{
    for (int i = 0; i < ARRAYS_MAX; i++)
        for (int b = 0; b < BLOCKS_MAX; b++) {
            struct memory *m = &r->memory[i][b];
            for (int n = 0; n < m->elements; n++)
                forget(&m->left[n]);
            for (int n = 0; n < m->bytes; n++)
                while (m->events[n]) {
                    struct event *e = m->events[n];
                    m->events[n] = e->next;
                    free(e);
                }
            free(m->value);
            free(m->events);
            free(m->left);
            free(m->is_undefined);
        }
    for (int i = 0; i < r->threads; i++)
        free(r->thread[i].acts.act);
    free(r->thread);
    while (r->passed) {
        struct passed *one = r->passed;
        r->passed = one->next;
        free(one);
    }
    free(r->found.row);
}

static void run_in_order(const struct kernel *k, int order, struct truth *truth)
{
    enum { IDLE_TURNS = 50 };
    struct run *r = some(1, sizeof *r);
    struct dice d = {k->seed + (uint64_t)order};
    int idle = 0;
    r->k = k;
    start(r, order % 2 ? -1 : 0);
    while (!is_done(r) && idle < IDLE_TURNS)
        idle = turn(r, order, &d) ? 0 : idle + 1;
    bool any_ended = false;
    for (int b = 0; b < BLOCKS_MAX; b++)
        any_ended |= r->has_ended[b];
    for (int i = 0; i < r->threads && !any_ended; i++) {
        const struct thread *t = &r->thread[i];
        if (t->state == RUNS)
            add_finding(&r->found, (struct finding){.class = STUCK,
                                                    .line = t->acts.act[t->at - 1].step->line});
    }
    truth->is_certain &= has_error(&r->found);
    truth->kinds &= kinds_of(&r->found);
    for (size_t i = 0; i < r->found.count; i++)
        add_finding(&truth->all, r->found.row[i]);
    end(r);
    free(r);
}

/* What all findings together say. */
static void conclude(struct truth *truth)
{
    /* A value that lacks because of a race, or of a thread that ended, is told as that only. */
    if (kinds_of(&truth->all) & ~(unsigned)A_VALUE)
        truth->kinds &= ~(unsigned)A_VALUE;
    truth->is_clean = !truth->all.count;
    for (size_t i = 0; i < truth->all.count; i++) {
        const enum class class = truth->all.row[i].class;
        truth->class = i == 0 || class == truth->class ? class : OTHER;
        if (class != truth->class)
            break;
    }
}

void oracle(const struct kernel *k, struct truth *truth)
{
    *truth = (struct truth){.is_certain = true, .class = OTHER, .kinds = ~0u};
    for (int order = 0; order < ORDERS; order++)
        run_in_order(k, order, truth);
    conclude(truth);
}

bool oracle_confirms(const struct kernel *k, struct truth *truth, struct finding one)
{
    for (int order = ORDERS; order < ORDERS_SEARCHED && !has_finding(&truth->all, one); order++)
        run_in_order(k, order, truth);
    conclude(truth);
    return has_finding(&truth->all, one);
}
