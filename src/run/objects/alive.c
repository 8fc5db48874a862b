/* alive.c - what a program has created and not destroyed yet.
 *
 * A list of each device, whose nodes are in the buffers and streams. Only what a program has an
 * address of is on it: what a call of the public interface has created, and variables of the
 * device. Scratch memory, parts and recorders are not.
 */
#include "run/objects/objects.h"
#include <assert.h>
#include <stdlib.h>

/* A buffer has come, or goes: reach.c makes it anew. */
static void forget_index(lw_device *device)
{
    free(device->index.rows);
    device->index = (struct lw__index){0};
}

void lw__alive_add(lw_device *device, struct lw__alive *alive, lw_buffer *buffer,
                   const void *creator)
{
    assert(!alive->is_listed);
    alive->is_listed = true;
    alive->buffer = buffer;
    alive->creator = creator;
    lw__lock();
    alive->next = device->alive;
    if (alive->next)
        alive->next->link = &alive->next;
    device->alive = alive;
    alive->link = &device->alive;
    forget_index(device);
    lw__unlock();
}

void lw__alive_remove(lw_device *device, struct lw__alive *alive)
{
    if (!alive->is_listed)
        return;
    lw__lock();
    forget_index(device);
    assert(*alive->link == alive && (!alive->next || alive->next->link == &alive->next));
    *alive->link = alive->next;
    if (alive->next)
        alive->next->link = alive->link;
    alive->link = NULL;
    alive->is_listed = false;
    lw__unlock();
}

bool lw__alive_list(lw_device *device, struct lw__alive_row **rows, size_t *count)
{
    size_t n = 0;
    assert(lw__is_locked());
    for (const struct lw__alive *a = device->alive; a; a = a->next)
        n += a->creator != NULL;
    struct lw__alive_row *list;
    *rows = list = malloc((n + 1) * sizeof *list);
    *count = list ? n : 0;
    for (const struct lw__alive *a = device->alive; list && a; a = a->next) {
        if (!a->creator)
            continue;
        struct lw__alive_row *row = &list[--n]; /* the list begins with the latest */
        *row = (struct lw__alive_row){.is_stream = !a->buffer, .creator = a->creator, .number = n};
        if (!a->buffer)
            continue;
        row->has_dtype = a->buffer->has_dtype;
        row->dtype = a->buffer->dtype;
        row->count = a->buffer->count;
        row->bytes = a->buffer->bytes;
    }
    return list;
}
