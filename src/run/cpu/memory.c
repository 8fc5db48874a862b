/* memory.c - memory of blocks: one piece for each thread, kept from launch to launch.
 *
 * A thread runs one block at a time, so it needs the memory of one. The pieces of all threads are
 * in one list. After a fork the child still knows those of the threads that it lacks.
 *
 * If faults are trapped, kernel code uses memory that ends at a guard page. Without address space
 * for the pages, it uses memory without them.
 */
#include "run/cpu/cpu.h"
#include <assert.h>
#include <pthread.h>
#include <stdlib.h>

struct piece {
    struct piece *next, *previous; /* locked */
    struct lw__fault_thread fault;
    struct part {
        size_t bytes;
        char *memory; /* to be freed; NULL where it is */
        struct lw__guarded guarded;
    } parts[LW_CPU_USES];
};

static struct piece *pieces; /* locked */
static pthread_key_t key;
static bool has_key;

static void release(struct part *p)
{
    free(p->memory);
    lw__guard_free(&p->guarded);
    *p = (struct part){0};
}

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
        release(&p->parts[i]);
    lw__fault_end(&p->fault);
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

static struct piece *of_this_thread(void)
{
    static pthread_once_t once = PTHREAD_ONCE_INIT;

    pthread_once(&once, make_key);
    if (!has_key)
        return NULL;
    struct piece *p = pthread_getspecific(key);
    return p ? p : create();
}

static bool grow(struct part *p, size_t bytes, bool is_guarded)
{
    release(p);
    if (is_guarded &&
        lw__guard_create(bytes + LW_SHARED_ALIGN, LW_GUARD_THREAD, LW_GUARDED_ALL, &p->guarded))
        p->bytes = bytes;
    else if ((p->memory = lw__alloc_shared(bytes)))
        p->bytes = bytes;
    return p->bytes != 0;
}

bool lw__cpu_memory(enum lw__cpu_use use, size_t bytes, size_t align, char **memory)
{
    const bool is_kernels = use != LW_CPU_CREW && use != LW_CPU_WATCHED;

    assert(align && align <= LW_SHARED_ALIGN && !(align & (align - 1)));
    *memory = NULL;
    if (!bytes)
        return true;
    struct piece *piece = of_this_thread();
    if (!piece)
        return false;
    struct part *p = &piece->parts[use];
    if (p->bytes < bytes && !grow(p, bytes, is_kernels && piece->fault.traps))
        return false;
    *memory = p->memory ? p->memory : lw__guard_place(&p->guarded, bytes, align);
    return true;
}

struct lw__fault_thread *lw__cpu_fault_thread(void)
{
    struct piece *p = of_this_thread();

    if (p && lw__faults_trapped() && !p->fault.traps) /* its memory, if it has any, is unguarded */
        for (size_t i = 0; i < LW_CPU_USES; i++)
            release(&p->parts[i]);
    return p && lw__fault_ready(&p->fault) ? &p->fault : NULL;
}
