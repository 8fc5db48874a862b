/* cpu_memory.c - memory of blocks: a piece a thread, kept from launch to launch.
 *
 * A thread runs one block at a time, so it needs the memory of one. The pieces of all threads are
 * in one list: after a fork those of the threads that the child lacks are still known.
 */
#include "run/cpu.h"
#include <pthread.h>
#include <stdlib.h>

struct piece {
    struct piece *next, *previous; /* locked */
    struct part {
        size_t bytes;
        char *memory;
    } parts[LW_CPU_USES];
};

static struct piece *pieces; /* locked */
static pthread_key_t key;
static bool has_key;

static void destroy(void *argument)
{
    struct piece *p = argument;

    lw__lock();
    if (p->next)
        p->next->previous = p->previous;
    if (p->previous)
        p->previous->next = p->next;
    else
        pieces = p->next;
    lw__unlock();
    for (size_t i = 0; i < LW_CPU_USES; i++)
        free(p->parts[i].memory);
    free(p);
}

static void make_key(void)
{
    has_key = pthread_key_create(&key, destroy) == 0;
}

static struct piece *create(void)
{
    struct piece *p = calloc(1, sizeof *p);

    if (!p || pthread_setspecific(key, p)) {
        free(p);
        return NULL;
    }
    lw__lock();
    p->next = pieces;
    if (pieces)
        pieces->previous = p;
    pieces = p;
    lw__unlock();
    return p;
}

static bool grow(struct part *p, size_t bytes)
{
    free(p->memory);
    p->bytes = 0;
    p->memory = lw__alloc_shared(bytes);
    if (p->memory)
        p->bytes = bytes;
    return p->memory != NULL;
}

bool lw__cpu_memory(enum lw__cpu_use use, size_t bytes, char **memory)
{
    static pthread_once_t once = PTHREAD_ONCE_INIT;
    struct piece *p;

    *memory = NULL;
    if (!bytes)
        return true;
    pthread_once(&once, make_key);
    if (!has_key)
        return false;
    p = pthread_getspecific(key);
    if (!p)
        p = create();
    if (!p || (p->parts[use].bytes < bytes && !grow(&p->parts[use], bytes)))
        return false;
    *memory = p->parts[use].memory;
    return true;
}
