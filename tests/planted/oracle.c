/* oracle.c - what is wrong with a kernel, by the rules of docs/kernel-language.md and every pair of
 * accesses to every byte.
 *
 * Each thread has a vector clock over all threads, and each byte the list of all accesses that have
 * been; each access is compared with all of them. Waits and returns that memory decides are run for
 * real, so there are several orders of threads, and two contents that block memory begins with.
 */
#include "planted.h"
#include <stdlib.h>
#include <string.h>

enum { ALL_THREADS = THREADS_MAX * BLOCKS_MAX, ORDERS = 4 };
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
    int elements, bytes;
};

struct run {
    const struct kernel *k;
    struct memory memory[ARRAYS_MAX][BLOCKS_MAX];
    struct thread *thread;
    int threads;
    bool has_ended; /* a thread ended early */
    struct findings found;
};

const char *const class_names[] = {[RACE_WARP] = "race-warp",
                                   [RACE_SHARED] = "race-shared",
                                   [RACE_GLOBAL] = "race-global",
                                   [BENIGN] = "benign-write",
                                   [DIVERGENCE] = "barrier-divergence",
                                   [BOUNDS] = "out-of-bounds",
                                   [STUCK] = "deadlock",
                                   [OTHER] = "other"};

static void *some(size_t count, size_t size)
{
    void *memory = calloc(count ? count : 1, size);
    if (!memory)
        abort();
    return memory;
}

bool has_finding(const struct findings *f, struct finding one)
{
    for (size_t i = 0; i < f->count; i++)
        if (f->row[i].class == one.class && f->row[i].line == one.line &&
            f->row[i].other == one.other)
            return true;
    return false;
}

void add_finding(struct findings *f, struct finding one)
{
    if (one.other && one.other < one.line) {
        const int line = one.line;
        one.line = one.other;
        one.other = line;
    }
    if (has_finding(f, one))
        return;
    if (f->count == f->capacity) {
        f->capacity = f->capacity ? 2 * f->capacity : 8;
        f->row = realloc(f->row, f->capacity * sizeof one);
        if (!f->row)
            abort();
    }
    f->row[f->count++] = one;
}

void print_findings(const struct findings *f)
{
    for (size_t i = 0; i < f->count; i++)
        printf("    %s, line %d, other %d\n", class_names[f->row[i].class], f->row[i].line,
               f->row[i].other);
    if (!f->count)
        printf("    nothing\n");
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

/* All of these know what each of them knows. */
static void meet(struct run *r, int first, int end, const bool *takes_part)
{
    struct clock *both = some(1, sizeof *both);
    for (int i = first; i < end; i++) {
        struct thread *t = &r->thread[i];
        if (!takes_part[i - first] && t->state != ENDED)
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
    r->has_ended = true;
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
    if (op == STORE || op == ATOMIC_STORE)
        *value = stored(r, t, act);
    else if (op == LOCK)
        *value = old ? old : 1;
    else if (writes)
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
        return true;
    }
    const struct act *now = &t->acts.act[t->at - 1];
    switch (now->step->op) {
    case BARRIER:
    case BLOCK_SUM:
    case WARP_SYNC: t->state = WAITS; return false;
    case FENCE_BLOCK: fence(t, self, false); break;
    case FENCE_DEVICE: fence(t, self, true); break;
    case VOTE: break;
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

static bool has_instance(const struct thread *t, int instance)
{
    for (int i = t->at - 1; i < t->acts.count; i++)
        if (t->acts.act[i].step->op == WARP_SYNC && t->acts.act[i].instance == instance)
            return true;
    return false;
}

static void pass(struct run *r, int first, int end, const bool *takes_part)
{
    meet(r, first, end, takes_part);
    for (int i = first; i < end; i++)
        if (takes_part[i - first]) {
            r->thread[i].state = RUNS;
            r->thread[i].at++;
        }
}

static bool pass_warp(struct run *r, int first, int end)
{
    for (int i = first; i < end; i++) {
        const struct act *here = waits_at(&r->thread[i]);
        bool takes_part[WARP] = {false}, all = true;
        if (!here || here->step->op != WARP_SYNC)
            continue;
        for (int n = first; n < end; n++) {
            const struct act *there = waits_at(&r->thread[n]);
            takes_part[n - first] = there && there->instance == here->instance;
            all &= takes_part[n - first] || r->thread[n].state == ENDED ||
                   !has_instance(&r->thread[n], here->instance);
        }
        if (all) {
            pass(r, first, end, takes_part);
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
        if (!there || there->step->op == WARP_SYNC)
            return false;
        here = here ? here : there;
        is_apart |= here->instance != there->instance;
        takes_part[i - first] = true;
    }
    if (!here)
        return false;
    if (!is_apart) {
        pass(r, first, end, takes_part);
        return true;
    }
    for (int i = first; i < end; i++) {
        const struct act *there = waits_at(&r->thread[i]);
        if (there && there->instance != here->instance && !r->has_ended)
            add_finding(&r->found,
                        (struct finding){DIVERGENCE, here->step->line, there->step->line});
    }
    for (int i = first; i < end; i++)
        r->thread[i].state = ENDED;
    r->has_ended = true;
    return true;
}

/* Order 0: forward, 1: reverse, else a thread at a time by the dice. True: anything happened. */
static bool turn(struct run *r, int order, struct dice *d)
{
    bool any = false;
    for (int n = 0; n < r->threads; n++) {
        const int self = order == 0 ? n : order == 1 ? r->threads - 1 - n : below(d, r->threads);
        struct thread *t = &r->thread[self];
        int acts = order < 2 ? INT32_MAX : 1 + below(d, 8);
        while (t->state == RUNS && acts-- && act(r, self))
            any = true;
    }
    for (int block = 0; block < r->k->grid; block++) {
        const int first = block * r->k->block, end = first + r->k->block;
        for (int at = first; at < end; at += WARP)
            any |= pass_warp(r, at, at + WARP < end ? at + WARP : end);
        any |= pass_block(r, first, end);
    }
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
            for (int n = 0; k->array[i].is_shared && n < m->elements; n++)
                m->value[n] = block_memory;
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
        }
    for (int i = 0; i < r->threads; i++)
        free(r->thread[i].acts.act);
    free(r->thread);
    free(r->found.row);
}

static bool has_error(const struct findings *f)
{
    for (size_t i = 0; i < f->count; i++)
        if (f->row[i].class != BENIGN)
            return true;
    return false;
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
    for (int i = 0; i < r->threads && !is_done(r) && !r->has_ended; i++) {
        const struct thread *t = &r->thread[i];
        const struct step *step = t->acts.act[t->at - 1].step;
        if (t->state == RUNS)
            add_finding(&r->found, (struct finding){.class = STUCK, .line = step->line});
    }
    truth->is_certain &= has_error(&r->found);
    for (size_t i = 0; i < r->found.count; i++)
        add_finding(&truth->all, r->found.row[i]);
    end(r);
    free(r);
}

void oracle(const struct kernel *k, struct truth *truth)
{
    *truth = (struct truth){.is_certain = true, .class = OTHER};
    for (int order = 0; order < ORDERS; order++)
        run_in_order(k, order, truth);
    truth->is_clean = !truth->all.count;
    for (size_t i = 0; i < truth->all.count; i++) {
        const enum class class = truth->all.row[i].class;
        truth->class = i == 0 || class == truth->class ? class : OTHER;
        if (class != truth->class)
            break;
    }
}
