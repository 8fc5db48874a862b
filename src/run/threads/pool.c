/* pool.c - the one lock, and the only threads that the library makes.
 *
 * Workers start when there is work and none of them is free, up to LANEWISE_NUM_THREADS (default:
 * the processors this process may use), and then stay, asleep. A task is the work of a stream. It
 * is in the list of ready tasks once at most and one worker steps it at a time: a stream's jobs
 * stay in order, streams run side by side. Signals go to the host's own threads: workers block them
 * all.
 *
 * The worker that steps a task may share out the launch it runs. Idle workers join in, the ready
 * tasks first; nobody ever waits for one to come, so a launch goes on with its own thread alone.
 * Whoever finds work for more workers than are awake wakes one, and that one looks again: waking
 * many costs the first no more than waking one.
 *
 * A host's thread that waits for a task steps it itself, as long as no worker has it in hand:
 * then nobody waits for a worker to wake up, and the data stays near the processor that wrote it.
 * Threads that do so count as workers, but need nobody's leave: the limit is one of workers.
 *
 * Before it sleeps, an idle thread polls without the lock for a moment, if no other thread needs
 * its processor. Sleep and wake-up take longer than a small launch.
 *
 * A thread whose launch was cancelled may not come back from it (queue/end.c). Another one then
 * takes its place. So it is while a task waits and all workers are in launches that do not end:
 * a thread that waits sees that none was taken up for STRANDED_NS.
 *
 * fork() copies one thread only. The lock is taken around it, so that the child finds all lists in
 * order; there the workers are gone, and new ones start with the next launch.
 */
#include "run/threads/threads.h"
#include <assert.h>
#include <errno.h>
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* Nanoseconds for which threads look for news: a worker for work, a launch for its helpers' end; a
 * thread that waits for a change. */
enum { SPIN_NS = 50000, WAIT_NS = 200000, SPIN_STEP = 16, STRANDED_NS = 50000000 };

struct worker {
    pthread_t thread;
    bool busy; /* has a task or a share in hand */
};

static pthread_mutex_t lock = PTHREAD_ADAPTIVE_MUTEX_INITIALIZER_NP;
static pthread_cond_t changed = PTHREAD_COND_INITIALIZER; /* something was announced */
static pthread_cond_t work = PTHREAD_COND_INITIALIZER;    /* there is more to do, or the end */
static pthread_cond_t helped = PTHREAD_COND_INITIALIZER;  /* a share's last helper has left */

/* All under the lock. */
static struct {
    struct worker workers[LW_WORKERS_MAX];
    size_t count, limit, busy;
    size_t lost;                   /* threads that may never come back, and that others replace */
    size_t stranded;               /* more of them, for tasks alone, until none is ready */
    size_t taken;                  /* tasks that were taken up, ever */
    size_t spinners, spinners_max; /* workers that look for news; how many may */
    bool waiter_spins;             /* so does a thread that waits for a change */
    struct lw__task *first, *last; /* ready tasks */
    size_t ready;
    size_t waiters; /* threads that wait for a change */
    bool held;      /* no worker was called for a ready task */
    struct lw__share *shares;
    size_t wanted; /* helpers, of all shares */
    bool ending;
} pool;

static void call_worker(void);
static bool has_room(void);

static unsigned era;                   /* locked */
static void (*tasks_after_fork)(void); /* locked */

/* Read without the lock: how often there was a change, or more work; how many tasks are ready. */
static atomic_uint changes, calls;
static atomic_size_t unattended;

void lw__lock(void)
{
    pthread_mutex_lock(&lock);
}

void lw__unlock(void)
{
    pthread_mutex_unlock(&lock);
}

bool lw__is_locked(void)
{
    if (pthread_mutex_trylock(&lock))
        return true;
    pthread_mutex_unlock(&lock);
    return false;
}

unsigned lw__era(void)
{
    return era;
}

uint64_t lw__clock(void)
{
    struct timespec t;

    clock_gettime(CLOCK_MONOTONIC, &t);
    return (uint64_t)t.tv_sec * 1000000000u + (uint64_t)t.tv_nsec;
}

struct timespec lw__deadline(uint64_t nanoseconds)
{
    uint64_t seconds = nanoseconds / 1000000000u, rest = nanoseconds % 1000000000u;
    struct timespec t;

    clock_gettime(CLOCK_MONOTONIC, &t);
    rest += (uint64_t)t.tv_nsec;
    t.tv_sec += (time_t)(seconds + rest / 1000000000u);
    t.tv_nsec = (long)(rest % 1000000000u);
    return t;
}

static void pause_processor(void)
{
#if defined(__x86_64__)
    __builtin_ia32_pause();
#elif defined(__aarch64__)
    __asm__ volatile("yield");
#endif
}

/* Locked, but while it looks: until `news` moves, `other` moves or `end`. True: news moved. */
static bool spin(const atomic_uint *news, const atomic_uint *other, uint64_t end)
{
    unsigned before = atomic_load(news), other_before = atomic_load(other);
    int step = 0;

    lw__unlock();
    while (atomic_load_explicit(news, memory_order_relaxed) == before &&
           atomic_load_explicit(other, memory_order_relaxed) == other_before &&
           (++step % SPIN_STEP || lw__clock() < end))
        pause_processor();
    lw__lock();
    return atomic_load(news) != before;
}

/* Locked. More work ends it: that needs the processor. */
static bool spin_for_change(const struct timespec *deadline)
{
    uint64_t end = lw__clock() + WAIT_NS, limit;

    if (pool.waiter_spins || !pool.spinners_max || pool.busy > pool.spinners_max)
        return false;
    if (deadline) {
        limit = lw__clock_of(deadline);
        end = limit < end ? limit : end;
    }
    pool.waiter_spins = true;
    bool moved = spin(&changes, &calls, end);
    pool.waiter_spins = false;
    return moved;
}

/* Looks, after STRANDED_NS, if anybody still takes up tasks. */
static bool wait_for_change(const struct timespec *deadline)
{
    if (spin_for_change(deadline))
        return true;
    const size_t taken = pool.taken;
    const struct timespec soon = lw__deadline(STRANDED_NS);
    const bool is_last = deadline && lw__clock_of(deadline) <= lw__clock_of(&soon);
    if (pthread_cond_clockwait(&changed, &lock, CLOCK_MONOTONIC, is_last ? deadline : &soon) !=
        ETIMEDOUT)
        return true;
    if (pool.first && pool.taken == taken && !has_room()) {
        pool.stranded++;
        call_worker();
    }
    return !is_last;
}

bool lw__wait_change(const struct timespec *deadline)
{
    assert(lw__is_locked());
    lw__pool_release();
    pool.waiters++;
    bool in_time = wait_for_change(deadline);
    pool.waiters--;
    return in_time;
}

void lw__announce(void)
{
    assert(lw__is_locked());
    atomic_fetch_add(&changes, 1);
    pthread_cond_broadcast(&changed);
}

/* ---- ready tasks ---- */

static struct lw__task *take_ready(void)
{
    struct lw__task *task = pool.first;

    if (task) {
        lw__pool_forget(task);
        pool.taken++;
    }
    return task;
}

void lw__pool_forget(struct lw__task *task)
{
    struct lw__task **link = &pool.first, *before = NULL;

    if (!task->ready)
        return;
    assert(lw__is_locked() && pool.ready > 0);
    while (*link != task) {
        assert(*link && (*link)->ready);
        before = *link;
        link = &before->next;
    }
    *link = task->next;
    if (pool.last == task)
        pool.last = before;
    task->next = NULL;
    task->ready = false;
    pool.ready--;
    atomic_store_explicit(&unattended, pool.ready, memory_order_relaxed);
}

static void add_ready(struct lw__task *task)
{
    assert(lw__is_locked() && !task->ready && !task->next && !pool.first == !pool.last);
    if (pool.last)
        pool.last->next = task;
    else
        pool.first = task;
    pool.last = task;
    task->ready = true;
    pool.ready++;
    atomic_store_explicit(&unattended, pool.ready, memory_order_relaxed);
}

bool lw__pool_has(pthread_t thread)
{
    for (size_t i = 0; i < pool.count; i++)
        if (pthread_equal(pool.workers[i].thread, thread))
            return true;
    return false;
}

bool lw__pool_is_short(void)
{
    return atomic_load_explicit(&unattended, memory_order_relaxed) > 0;
}

/* ---- how many ---- */

static size_t processors(void)
{
    long n = 0;

    cpu_set_t set;
    if (sched_getaffinity(0, sizeof set, &set) == 0)
        n = CPU_COUNT(&set);
    if (n < 1)
        n = sysconf(_SC_NPROCESSORS_ONLN);
    return n < 1 ? 1 : (size_t)n;
}

/* Locked. Workers spin only where each has a processor, and one is left for the host's thread. */
static void set_limit(void)
{
    size_t there, wanted;

    if (pool.limit)
        return;
    there = processors();
    (void)lw__environment_threads(&wanted); /* lw_device_open tells of what is wrong */
    pool.limit = wanted ? wanted : there;
    if (pool.limit > LW_WORKERS_MAX)
        pool.limit = LW_WORKERS_MAX;
    pool.spinners_max = pool.limit > there ? 0 : there - 1;
}

size_t lw__pool_size(void)
{
    lw__lock();
    set_limit();
    size_t size = pool.limit;
    lw__unlock();
    return size;
}

/* ---- workers ---- */

static void *work_for_ever(void *argument);

/* Does nothing where all are started or the system gives no more: those there are do the work. */
static void start_worker(void)
{
    struct worker *w = &pool.workers[pool.count];

    set_limit();
    if (pool.count >= pool.limit + pool.lost + pool.stranded || pool.count == LW_WORKERS_MAX)
        return;
    sigset_t all;
    sigfillset(&all);
    sigset_t before;
    pthread_sigmask(SIG_SETMASK, &all, &before);
    if (pthread_create(&w->thread, NULL, work_for_ever, w) == 0) {
        pthread_setname_np(w->thread, "lanewise");
        pool.count++;
    }
    pthread_sigmask(SIG_SETMASK, &before, NULL);
}

/* Have a worker come, if there is work for more of them than are on their way: those that spin
 * come by themselves. */
static void call_worker(void)
{
    size_t todo = pool.ready + pool.wanted;

    pool.held = false;
    if (!todo)
        return;
    atomic_fetch_add(&calls, 1);
    if (todo + pool.busy > pool.count)
        start_worker();
    if (todo > pool.spinners)
        pthread_cond_signal(&work);
}

/* Locked. The share that most needs a helper. */
static struct lw__share *choose_share(void)
{
    struct lw__share *chosen = NULL;

    for (struct lw__share *s = pool.shares; s; s = s->next)
        if (s->wanted && (!chosen || atomic_load(&s->helpers) < atomic_load(&chosen->helpers)))
            chosen = s;
    return chosen;
}

/* Locked. */
static void set_wanted(struct lw__share *share, size_t wanted)
{
    assert(lw__is_locked() && share->wanted <= pool.wanted);
    pool.wanted = pool.wanted - share->wanted + wanted;
    share->wanted = wanted;
}

/* Once a helper finds nothing left, none is wanted any more; one that leaves early may be replaced,
 * as long as the share is open. */
static void help(struct lw__share *share)
{
    assert(share->is_open && share->wanted > 0);
    set_wanted(share, share->wanted - 1);
    atomic_fetch_add(&share->helpers, 1);
    call_worker();
    lw__unlock();
    bool is_left = share->run(share, true);
    lw__lock();
    if (share->is_open)
        set_wanted(share, is_left ? share->wanted + 1 : 0);
    if (atomic_fetch_sub(&share->helpers, 1) == 1)
        pthread_cond_broadcast(&helped);
}

/* Locked. May one more worker work? */
static bool has_room(void)
{
    return pool.busy < pool.limit + pool.lost + pool.stranded;
}

static bool do_something(struct worker *self)
{
    struct lw__task *task = has_room() ? take_ready() : NULL; /* threads that wait work, too */
    struct lw__share *share = task || pool.busy >= pool.limit + pool.lost ? NULL : choose_share();

    if (!task && !share) {
        pool.stranded -= pool.stranded && !pool.first;
        return false;
    }
    assert(!self->busy);
    self->busy = true;
    pool.busy++;
    if (task) {
        call_worker();
        task->step(task);
    } else {
        help(share);
    }
    assert(lw__is_locked() && pool.busy > 0);
    pool.busy--;
    self->busy = false;
    return true;
}

static void *work_for_ever(void *argument)
{
    bool works = false;

    lw__lock();
    while (!pool.ending) {
        bool worked = works;

        works = do_something(argument);
        if (!works) {
            /* One that was woken for work that another took does not look for more. */
            bool moved = false;

            if (worked && pool.spinners < pool.spinners_max) {
                pool.spinners++;
                moved = spin(&calls, &calls, lw__clock() + SPIN_NS);
                pool.spinners--;
            }
            if (!moved)
                pthread_cond_wait(&work, &lock);
        }
    }
    lw__unlock();
    return NULL;
}

void lw__pool_schedule(struct lw__task *task)
{
    if (task->ready)
        return;
    add_ready(task);
    call_worker();
}

/* To call a worker takes a launch's thread longer than to hand over the launch. Where others wait,
 * perhaps for this, nobody relies on what a thread is likely to do. */
void lw__pool_hold(struct lw__task *task)
{
    if (pool.waiters)
        lw__pool_schedule(task);
    else if (!task->ready)
        lw__pool_keep(task);
}

void lw__pool_keep(struct lw__task *task)
{
    add_ready(task);
    pool.held = true;
}

void lw__pool_release(void)
{
    if (pool.held)
        call_worker();
}

/* The worker that was woken for the task may not have arrived yet. The host's thread has its data
 * near its own processor. */
bool lw__pool_lend_hand(struct lw__task *task)
{
    if (!task->ready)
        return false;
    lw__pool_forget(task);
    pool.busy++;
    call_worker();
    task->step(task);
    assert(lw__is_locked() && pool.busy > 0);
    pool.busy--;
    if (!task->ready || pool.ready + pool.wanted > 1)
        call_worker();
    return true;
}

/* ---- sharing ---- */

void lw__pool_share(struct lw__share *share, size_t helpers)
{
    if (!helpers) {
        share->run(share, false);
        return;
    }
    lw__lock();
    set_limit();
    bool may_spin = pool.spinners_max > 0;
    assert(!share->is_open && !share->wanted);
    atomic_init(&share->helpers, 0);
    share->is_open = true;
    share->next = pool.shares;
    pool.shares = share;
    set_wanted(share, helpers < pool.limit ? helpers : pool.limit - 1);
    call_worker();
    lw__unlock();
    share->run(share, false);
    if (may_spin) {
        /* Helpers are in their last piece when this thread finds none: mostly they need no long
         * wait. */
        uint64_t end = lw__clock() + SPIN_NS;
        int step = 0;

        while (atomic_load(&share->helpers) && (++step % SPIN_STEP || lw__clock() < end))
            pause_processor();
    }
    lw__lock();
    struct lw__share **link = &pool.shares;
    while (*link != share) {
        assert(*link && (*link)->is_open);
        link = &(*link)->next;
    }
    *link = share->next;
    set_wanted(share, 0);
    share->is_open = false;
    while (atomic_load(&share->helpers))
        pthread_cond_wait(&helped, &lock);
    lw__unlock();
}

/* ---- threads that do not come back ---- */

void lw__pool_lose(size_t threads)
{
    pool.lost += threads;
    call_worker();
}

void lw__pool_find(size_t threads)
{
    assert(lw__is_locked() && pool.lost >= threads);
    pool.lost -= threads;
}

/* ---- fork ---- */

static void in_child(void)
{
    pthread_cond_init(&changed, NULL); /* the parent's waiters are not here */
    pthread_cond_init(&work, NULL);
    pthread_cond_init(&helped, NULL);
    memset(&pool, 0, sizeof pool);
    atomic_store(&unattended, 0);
    era++;
    tasks_after_fork();
    lw__unlock();
}

static int fork_status;

static void prepare_for_fork(void)
{
    fork_status = pthread_atfork(lw__lock, lw__unlock, in_child);
}

lw_status lw__pool_ready(void (*after_fork)(void))
{
    static pthread_once_t once = PTHREAD_ONCE_INIT;

    tasks_after_fork = after_fork;
    pthread_once(&once, prepare_for_fork);
    if (fork_status)
        return lw__fail(LW_E_MEMORY, "out of memory: the fork handlers");
    if (pool.ending)
        return lw__fail(LW_E_DEVICE, "the process is ending; nothing runs any more");
    if (!pool.count)
        start_worker();
    return pool.count
               ? LW_OK
               : lw__fail(LW_E_MEMORY,
                          "no thread for kernels can be started: "
                          "memory for its stack or a thread of this user (ulimit -u) is lacking");
}

/* At exit the sleeping workers go home, so that leak checkers find nothing. One that is busy may
 * never end and is left alone. */
__attribute__((destructor)) static void end_workers(void)
{
    pthread_t leaving[LW_WORKERS_MAX];
    size_t count = 0;

    lw__lock();
    pool.ending = true;
    for (size_t i = 0; i < pool.count; i++)
        if (!pool.workers[i].busy)
            leaving[count++] = pool.workers[i].thread;
    atomic_fetch_add(&calls, 1);
    pthread_cond_broadcast(&work);
    lw__unlock();
    for (size_t i = 0; i < count; i++)
        pthread_join(leaving[i], NULL);
}
