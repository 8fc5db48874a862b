/* pool.c - the one lock, and the only threads that the library makes.
 *
 * Workers start when a stream has work and none of them is free, up to LANEWISE_NUM_THREADS
 * (default: the processors this process may use), and then stay, asleep. A stream is in the queue
 * of ready streams once at most and one worker steps it at a time: its jobs stay in order, streams
 * run side by side. Signals go to the host's own threads: workers block them all.
 *
 * fork() copies one thread only. The lock is taken around it, so that the child finds all queues in
 * order; there the workers are gone, and new ones start with the next launch.
 */
#include "run/run.h"
#include <errno.h>
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { WORKERS_MAX = 256 };

struct worker {
    pthread_t thread;
    bool busy; /* has a stream in hand */
};

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t changed = PTHREAD_COND_INITIALIZER; /* something was announced */
static pthread_cond_t work = PTHREAD_COND_INITIALIZER;    /* a stream is ready, or the end */

/* All under the lock. */
static struct {
    struct worker workers[WORKERS_MAX];
    size_t count, limit, busy, ready;
    lw_stream *first, *last; /* ready streams */
    bool ending;
} pool;

void lw__lock(void)
{
    pthread_mutex_lock(&lock);
}

void lw__unlock(void)
{
    pthread_mutex_unlock(&lock);
}

bool lw__wait_change(const struct timespec *deadline)
{
    if (!deadline) {
        pthread_cond_wait(&changed, &lock);
        return true;
    }
    return pthread_cond_clockwait(&changed, &lock, CLOCK_MONOTONIC, deadline) != ETIMEDOUT;
}

void lw__announce(void)
{
    pthread_cond_broadcast(&changed);
}

/* ---- ready streams ---- */

static lw_stream *take_ready(void)
{
    lw_stream *s = pool.first;

    if (s)
        lw__pool_forget(s);
    return s;
}

void lw__pool_forget(lw_stream *stream)
{
    lw_stream **link = &pool.first, *before = NULL;

    if (!stream->ready)
        return;
    while (*link != stream) {
        before = *link;
        link = &before->next_ready;
    }
    *link = stream->next_ready;
    if (pool.last == stream)
        pool.last = before;
    stream->next_ready = NULL;
    stream->ready = false;
    pool.ready--;
}

static void add_ready(lw_stream *s)
{
    if (pool.last)
        pool.last->next_ready = s;
    else
        pool.first = s;
    pool.last = s;
    s->ready = true;
    pool.ready++;
}

/* ---- workers ---- */

static void *work_for_ever(void *argument)
{
    struct worker *self = argument;

    lw__lock();
    while (!pool.ending) {
        lw_stream *s = take_ready();

        if (!s) {
            pthread_cond_wait(&work, &lock);
            continue;
        }
        self->busy = true;
        pool.busy++;
        lw__stream_step(s);
        pool.busy--;
        self->busy = false;
    }
    lw__unlock();
    return NULL;
}

static size_t processors(void)
{
    const char *wanted = getenv("LANEWISE_NUM_THREADS");
    long n = wanted ? strtol(wanted, NULL, 10) : 0;
    cpu_set_t set;

    if (n < 1 && sched_getaffinity(0, sizeof set, &set) == 0)
        n = CPU_COUNT(&set);
    if (n < 1)
        n = sysconf(_SC_NPROCESSORS_ONLN);
    if (n < 1)
        n = 1;
    return n > WORKERS_MAX ? WORKERS_MAX : (size_t)n;
}

/* Does nothing where all are started or the system gives no more: those there are do the work. */
static void start_worker(void)
{
    struct worker *w = &pool.workers[pool.count];
    sigset_t all, before;

    if (!pool.limit)
        pool.limit = processors();
    if (pool.count >= pool.limit)
        return;
    sigfillset(&all);
    pthread_sigmask(SIG_SETMASK, &all, &before);
    if (pthread_create(&w->thread, NULL, work_for_ever, w) == 0) {
        pthread_setname_np(w->thread, "lanewise");
        pool.count++;
    }
    pthread_sigmask(SIG_SETMASK, &before, NULL);
}

void lw__pool_schedule(lw_stream *stream)
{
    if (stream->ready)
        return;
    add_ready(stream);
    if (pool.ready > pool.count - pool.busy)
        start_worker();
    pthread_cond_signal(&work);
}

/* ---- fork ---- */

static void in_child(void)
{
    pthread_cond_init(&changed, NULL); /* the parent's waiters are not here */
    pthread_cond_init(&work, NULL);
    memset(&pool, 0, sizeof pool);
    lw__streams_after_fork();
    lw__unlock();
}

static int fork_status;

static void prepare_for_fork(void)
{
    fork_status = pthread_atfork(lw__lock, lw__unlock, in_child);
}

lw_status lw__pool_ready(void)
{
    static pthread_once_t once = PTHREAD_ONCE_INIT;

    pthread_once(&once, prepare_for_fork);
    if (fork_status)
        return lw__fail(LW_E_MEMORY, "out of memory: the fork handlers");
    if (pool.ending)
        return lw__fail(LW_E_DEVICE, "the process is ending; nothing runs any more");
    if (!pool.count)
        start_worker();
    return pool.count ? LW_OK : lw__fail(LW_E_MEMORY, "no worker thread can be started");
}

/* At exit the sleeping workers go home, so that leak checkers find nothing. One that is busy may
 * never end and is left alone. */
__attribute__((destructor)) static void end_workers(void)
{
    pthread_t leaving[WORKERS_MAX];
    size_t count = 0;

    lw__lock();
    pool.ending = true;
    for (size_t i = 0; i < pool.count; i++)
        if (!pool.workers[i].busy)
            leaving[count++] = pool.workers[i].thread;
    pthread_cond_broadcast(&work);
    lw__unlock();
    for (size_t i = 0; i < count; i++)
        pthread_join(leaving[i], NULL);
}
