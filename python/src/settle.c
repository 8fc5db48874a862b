/* settle.c - who reads an array and has not yet, and what has to be there: waiting.h. */
#include "waiting.h"
#include <stdlib.h>
#include <time.h>

void reader_add(reader **list, reader *r)
{
    r->next = *list;
    r->place = list;
    if (r->next)
        r->next->place = &r->next;
    *list = r;
}

void reader_remove(reader *r)
{
    if (!r->place)
        return;
    *r->place = r->next;
    if (r->next)
        r->next->place = r->place;
    r->place = NULL;
}

reader **readers_of(array *a)
{
    return a->waiting ? &a->waiting->readers : &a->memory->readers;
}

void waiting_drop(array *a)
{
    waiting *w = a->waiting;

    if (!w)
        return;
    for (size_t k = 0; k < w->function->arity; k++) {
        reader_remove(&w->in[k].reader);
        DROP_IF(w->in[k].array);
    }
    DROP_IF(w->stream);
    DROP(w->device);
    DROP(w->function);
    free(w);
    a->waiting = NULL;
}

/* Another thread computes it. */
static int wait_for_other(array *a)
{
    const struct timespec moment = {0, 50000};

    while (a->waiting && a->waiting->is_running) {
        Py_BEGIN_ALLOW_THREADS;
        nanosleep(&moment, NULL);
        Py_END_ALLOW_THREADS;
        if (PyErr_CheckSignals())
            return -1;
    }
    return 0;
}

int array_settle(array *a)
{
    if (!a->waiting)
        return 0;
    if (a->waiting->is_running && wait_for_other(a))
        return -1;
    return a->waiting ? a->waiting->compute(a) : 0;
}

int memory_settle(memory *m)
{
    while (m->readers) {
        array *a = m->readers->array;

        HOLD(a);
        const int failed = array_settle(a);
        DROP(a);
        if (failed)
            return -1;
    }
    return 0;
}
