/* waste.c - what the library is done with, let go by a thread that has the GIL. */
#include "core.h"
#include <stdlib.h>

holder *holder_create(core *c)
{
    holder *h = malloc(sizeof *h); /* its view is large, and mostly set at once */

    if (!h)
        return (holder *)PyErr_NoMemory();
    h->waste = c->waste;
    h->owner = NULL;
    h->has_view = false;
    h->drop = NULL;
    return h;
}

static void holder_drop(holder *h)
{
    if (h->has_view)
        PyBuffer_Release(&h->view);
    if (h->drop)
        h->drop(h->argument);
    DROP_IF(h->owner);
    free(h);
}

static void empty(waste *w)
{
    holder *h = atomic_exchange(&w->first, NULL), *next;

    for (; h; h = next) {
        next = h->next;
        holder_drop(h);
    }
}

void waste_empty(core *c)
{
    if (atomic_load_explicit(&c->waste->first, memory_order_relaxed))
        empty(c->waste);
}

bool waste_announce(core *c)
{
    return !atomic_exchange(&c->waste->is_pending, true);
}

void waste_empty_announced(core *c, bool is_own)
{
    if (is_own)
        atomic_store(&c->waste->is_pending, false);
    if (atomic_load(&c->waste->first)) /* not before that: who comes after it announces itself */
        empty(c->waste);
}

static int empty_pending(void *argument)
{
    waste *w = argument;

    atomic_store(&w->is_pending, false);
    empty(w);
    return 0;
}

/* As lw_buffer_wrap wants it: in any thread, without the GIL. */
void holder_release(void *memory, void *user)
{
    holder *h = user;
    waste *w = h->waste;

    (void)memory;
    h->next = atomic_load(&w->first);
    while (!atomic_compare_exchange_weak(&w->first, &h->next, h))
        ;
    if (!atomic_exchange(&w->is_pending, true) &&
        (!Py_IsInitialized() || Py_AddPendingCall(empty_pending, w)))
        atomic_store(&w->is_pending, false);
}
