/* hand_team.c - a hand-written kernel on several threads, each with its own part.
 */
#include "hand.h"
#include <immintrin.h>
#include <pthread.h>
#include <semaphore.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

static const struct hand *const levels[] = {&hand_avx512, &hand_avx2};

const struct hand *hand_find(const char *level)
{
    for (size_t i = 0; i < sizeof levels / sizeof levels[0]; i++)
        if (strcmp(levels[i]->level, level) == 0)
            return levels[i];
    return NULL;
}

/* wanted and done count turns; apart so that no two share a cache line. */
struct helper {
    _Alignas(64) atomic_uint wanted;
    _Alignas(64) atomic_uint done;
    sem_t awake;
    work_fn *fn;
    struct work part;
};

struct hand_team {
    int threads; /* the caller is the first; helpers[0] is not used */
    struct helper helpers[HAND_THREADS_MAX];
};

static void *help(void *argument)
{
    struct helper *self = argument;
    for (unsigned turn = 1;; turn++) {
        while (sem_wait(&self->awake) != 0)
            continue;
        while (atomic_load_explicit(&self->wanted, memory_order_acquire) != turn)
            _mm_pause();
        self->fn(&self->part);
        atomic_store_explicit(&self->done, turn, memory_order_release);
    }
    return NULL;
}

static bool start(struct helper *helper)
{
    pthread_t thread;
    if (sem_init(&helper->awake, 0, 0) || pthread_create(&thread, NULL, help, helper))
        return false;
    pthread_detach(thread);
    return true;
}

struct hand_team *hand_team_create(int threads)
{
    struct hand_team *team = NULL;
    if (threads > HAND_THREADS_MAX ||
        posix_memalign((void **)&team, _Alignof(struct hand_team), sizeof *team))
        return NULL;
    memset(team, 0, sizeof *team);
    team->threads = threads;
    for (int i = 1; i < threads; i++)
        if (!start(&team->helpers[i]))
            return NULL;
    return team;
}

void hand_team_wake(struct hand_team *team)
{
    for (int i = 1; i < team->threads; i++)
        sem_post(&team->helpers[i].awake);
}

/* Parts begin at multiples of 4096 elements: whole pages. */
static struct work part_of(const struct work *work, int part, int parts, size_t b_element)
{
    size_t step = (work->n / (size_t)parts + 4095) / 4096 * 4096;
    size_t begin = step * (size_t)part < work->n ? step * (size_t)part : work->n;
    size_t end = begin + step < work->n && part < parts - 1 ? begin + step : work->n;
    struct work own = *work;
    own.a += begin;
    own.b = own.b ? (const char *)own.b + begin * b_element : NULL;
    own.out += part;
    own.n = end - begin;
    return own;
}

void hand_team_run(struct hand_team *team, work_fn *fn, const struct work *work, size_t b_element)
{
    for (int i = 1; i < team->threads; i++) {
        team->helpers[i].fn = fn;
        team->helpers[i].part = part_of(work, i, team->threads, b_element);
        atomic_fetch_add_explicit(&team->helpers[i].wanted, 1, memory_order_release);
    }
    struct work own = part_of(work, 0, team->threads, b_element);
    fn(&own);
    for (int i = 1; i < team->threads; i++)
        while (atomic_load_explicit(&team->helpers[i].done, memory_order_acquire) !=
               atomic_load_explicit(&team->helpers[i].wanted, memory_order_relaxed))
            _mm_pause();
}
