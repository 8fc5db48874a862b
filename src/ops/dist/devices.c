/* devices.c - the transport between threads of a process: a rank for each device.
 *
 * Ranks share one piece of memory. An allgather has a place for each rank, twice: a rank enters
 * the next one when all have come to this one, so nobody writes what another still reads. A message
 * waits in a list until its receiver takes it.
 */
#include "ops/dist/dist.h"
#include <assert.h>
#include <errno.h>
#include <pthread.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

enum { SPINS = 100 };

struct message {
    struct message *next;
    int from, to, tag;
    size_t bytes;
    char data[];
};

struct place {
    struct lw__room data[2];
    size_t bytes[2];
    uint64_t came; /* allgathers that the rank has come to */
    bool has_left;
};

struct world {
    pthread_mutex_t lock;
    pthread_cond_t changed;
    int size, users;
    int spins; /* looks before a rank sleeps, where each has a processor */
    struct message *first, **last;
    struct place places[];
};

struct member {
    struct world *world;
    int rank;
    char text[200];
};

/* ---- waiting ---- */

static struct timespec deadline_after(uint64_t nanoseconds)
{
    const uint64_t second = 1000000000u;
    struct timespec t;

    clock_gettime(CLOCK_MONOTONIC, &t);
    uint64_t all = nanoseconds % second + (uint64_t)t.tv_nsec;
    t.tv_sec += (time_t)(nanoseconds / second + all / second);
    t.tv_nsec = (long)(all % second);
    return t;
}

static bool waits(struct world *w, const struct timespec *deadline)
{
    return pthread_cond_timedwait(&w->changed, &w->lock, deadline) != ETIMEDOUT;
}

/* The ranks that have not come, as "rank 2 " or "ranks 1, 4 ", and what they did. */
static const char *absent(struct member *m, uint64_t number, bool left)
{
    const struct world *w = m->world;
    size_t at = 0;
    int count = 0;

    for (int r = 0; r < w->size; r++)
        if (w->places[r].came < number && w->places[r].has_left == left)
            count++;
    at += (size_t)snprintf(m->text, sizeof m->text, count == 1 ? "rank" : "ranks");
    for (int r = 0, said = 0; r < w->size && at < sizeof m->text - 40; r++)
        if (w->places[r].came < number && w->places[r].has_left == left)
            at +=
                (size_t)snprintf(m->text + at, sizeof m->text - at, "%s %d", said++ ? "," : "", r);
    snprintf(m->text + at, sizeof m->text - at, left ? " destroyed its comm" : " did not answer");
    return m->text;
}

/* ---- the transport ---- */

static bool some_absent(const struct world *w, uint64_t number, bool *have_left)
{
    bool some = false;

    *have_left = false;
    for (int r = 0; r < w->size; r++)
        if (w->places[r].came < number) {
            some = true;
            *have_left = *have_left || w->places[r].has_left;
        }
    return some;
}

static const char *await_all(struct member *m, uint64_t number, uint64_t nanoseconds)
{
    const struct timespec deadline = deadline_after(nanoseconds);
    bool in_time = true, have_left;

    for (int k = 0; k < m->world->spins && some_absent(m->world, number, &have_left); k++) {
        pthread_mutex_unlock(&m->world->lock);
        sched_yield();
        pthread_mutex_lock(&m->world->lock);
    }
    while (some_absent(m->world, number, &have_left)) {
        if (have_left)
            return absent(m, number, true);
        if (!in_time)
            return absent(m, number, false);
        in_time = waits(m->world, &deadline);
    }
    return NULL;
}

static const char *collect(struct member *m, size_t turn, size_t bytes, char *all)
{
    for (int r = 0; r < m->world->size; r++) {
        const struct place *p = &m->world->places[r];

        if (p->bytes[turn] != bytes) {
            snprintf(m->text, sizeof m->text, "rank %d gave %zu bytes, this one %zu", r,
                     p->bytes[turn], bytes);
            return m->text;
        }
        memcpy(all + (size_t)r * bytes, p->data[turn].memory, bytes);
    }
    return NULL;
}

static const char *allgather(void *context, const void *data, size_t bytes, void *all,
                             uint64_t nanoseconds)
{
    struct member *m = context;
    struct world *w = m->world;
    struct place *own = &w->places[m->rank];
    const size_t turn = own->came % 2;
    const char *text = "out of memory";

    /* all have come to the one before, so nobody reads what was here two before */
    if (lw__room(&own->data[turn], bytes))
        return text;
    memcpy(own->data[turn].memory, data, bytes);
    own->bytes[turn] = bytes;
    pthread_mutex_lock(&w->lock);
    own->came++;
    pthread_cond_broadcast(&w->changed);
    text = await_all(m, own->came, nanoseconds);
    pthread_mutex_unlock(&w->lock);
    return text ? text : collect(m, turn, bytes, all);
}

static const char *send(void *context, int to, int tag, const void *data, size_t bytes)
{
    struct member *m = context;
    struct message *message = malloc(sizeof *message + bytes);

    if (!message)
        return "out of memory";
    *message = (struct message){.from = m->rank, .to = to, .tag = tag, .bytes = bytes};
    memcpy(message->data, data, bytes);
    pthread_mutex_lock(&m->world->lock);
    assert(!*m->world->last && to >= 0 && to < m->world->size);
    *m->world->last = message;
    m->world->last = &message->next;
    pthread_cond_broadcast(&m->world->changed);
    pthread_mutex_unlock(&m->world->lock);
    return NULL;
}

static struct message *take(struct world *w, int from, int to, int tag)
{
    for (struct message **at = &w->first; *at; at = &(*at)->next) {
        struct message *found = *at;

        if (found->from != from || found->to != to || found->tag != tag)
            continue;
        *at = found->next;
        if (w->last == &found->next)
            w->last = at;
        return found;
    }
    return NULL;
}

static const char *receive(void *context, int from, int tag, void *data, size_t bytes,
                           uint64_t nanoseconds)
{
    const struct timespec deadline = deadline_after(nanoseconds);
    struct member *m = context;
    bool in_time = true;

    pthread_mutex_lock(&m->world->lock);
    struct message *found;
    while (!(found = take(m->world, from, m->rank, tag)) && in_time &&
           !m->world->places[from].has_left)
        in_time = waits(m->world, &deadline);
    if (!found)
        snprintf(m->text, sizeof m->text, "rank %d %s", from,
                 in_time ? "destroyed its comm" : "did not answer");
    else if (found->bytes != bytes)
        snprintf(m->text, sizeof m->text, "rank %d sent %zu bytes, need %zu", from, found->bytes,
                 bytes);
    pthread_mutex_unlock(&m->world->lock);
    if (!found)
        return m->text;
    if (found->bytes == bytes)
        memcpy(data, found->data, bytes);
    const bool fits = found->bytes == bytes;
    free(found);
    return fits ? NULL : m->text;
}

bool lw__dist_lends(const lw_comm *c)
{
    return c->transport.send == send;
}

/* ---- life ---- */

static void destroy_world(struct world *w)
{
    assert(!w->users);
    while (w->first) {
        struct message *next = w->first->next;

        free(w->first);
        w->first = next;
    }
    for (int r = 0; r < w->size; r++) {
        free(w->places[r].data[0].memory);
        free(w->places[r].data[1].memory);
    }
    pthread_cond_destroy(&w->changed);
    pthread_mutex_destroy(&w->lock);
    free(w);
}

static void release(void *context)
{
    struct member *m = context;
    struct world *w = m->world;

    pthread_mutex_lock(&w->lock);
    assert(w->users > 0 && !w->places[m->rank].has_left);
    w->places[m->rank].has_left = true;
    int users = --w->users;
    pthread_cond_broadcast(&w->changed);
    pthread_mutex_unlock(&w->lock);
    free(m);
    if (!users)
        destroy_world(w);
}

static struct world *create_world(int size)
{
    struct world *w = calloc(1, sizeof *w + (size_t)size * sizeof *w->places);

    if (!w)
        return NULL;
    w->size = size;
    w->spins = size <= sysconf(_SC_NPROCESSORS_ONLN) ? SPINS : 0;
    w->last = &w->first;
    pthread_mutex_init(&w->lock, NULL);
    pthread_condattr_t attributes;
    pthread_condattr_init(&attributes);
    pthread_condattr_setclock(&attributes, CLOCK_MONOTONIC);
    pthread_cond_init(&w->changed, &attributes);
    pthread_condattr_destroy(&attributes);
    return w;
}

static lw_status create_member(struct world *w, int rank, lw_device *device, lw_comm **comm)
{
    struct member *m = calloc(1, sizeof *m);
    lw_transport t = {m, rank, w->size, send, receive, allgather, release};

    if (!m)
        return lw_fail(LW_E_MEMORY, "out of memory: a rank");
    m->world = w;
    m->rank = rank;
    lw_status status = lw_comm_create(device, &t, comm);
    if (status)
        free(m);
    else
        w->users++;
    return status;
}

lw_status lw_comm_devices(lw_device *const *devices, int count, lw_comm **comms)
{
    lw_status status = LW_OK;

    if (count < 1 || !devices || !comms)
        return lw_fail(LW_E_ARG, "%d devices%s; need at least one, and places for the comms", count,
                       count < 1 ? "" : ", but a list that is NULL");
    for (int r = 0; r < count; r++)
        comms[r] = NULL;
    struct world *w = create_world(count);
    if (!w)
        return lw_fail(LW_E_MEMORY, "out of memory: %d ranks", count);
    w->users = 1; /* this call */
    for (int r = 0; r < count && !status; r++)
        status = create_member(w, r, devices[r], &comms[r]);
    for (int r = 0; r < count && status; r++) {
        lw_comm_destroy(comms[r]);
        comms[r] = NULL;
    }
    w->users--;
    if (status)
        destroy_world(w);
    return status;
}
