/* reach.c - the buffers of a device by their addresses: which one an address is into, and all that
 * a launch may reach which follows pointers.
 *
 * The list by address is made from that of alive.c when it is asked for and something has changed.
 */
#include "run/objects/objects.h"
#include <assert.h>
#include <stdlib.h>
#include <string.h>

static uint64_t address_of(const lw_buffer *b)
{
    return (uint64_t)(uintptr_t)b->memory;
}

static int by_address(const void *a, const void *b)
{
    const lw_buffer *const *x = a, *const *y = b;
    return address_of(*x) < address_of(*y) ? -1 : address_of(*x) > address_of(*y);
}

/* False: memory is short. */
static bool make_index(lw_device *device)
{
    struct lw__index *index = &device->index;
    size_t count = 0;
    assert(lw__is_locked());
    if (index->rows)
        return true;
    for (const struct lw__alive *a = device->alive; a; a = a->next)
        count += a->buffer != NULL;
    index->rows = malloc((count + 1) * sizeof(lw_buffer *));
    if (!index->rows)
        return false;
    for (const struct lw__alive *a = device->alive; a; a = a->next)
        if (a->buffer && a->buffer->memory && a->buffer->bytes)
            index->rows[index->count++] = a->buffer;
    qsort(index->rows, index->count, sizeof(lw_buffer *), by_address);
    return true;
}

/* Hold it, unless its last holder has just let go. */
static bool hold(lw_buffer *b)
{
    size_t holds = atomic_load_explicit(&b->holds, memory_order_relaxed);
    while (holds && !atomic_compare_exchange_weak(&b->holds, &holds, holds + 1))
        ;
    return holds;
}

/* How many rows begin at the address or before it. */
static size_t rows_to(const struct lw__index *index, uint64_t address)
{
    size_t low = 0, high = index->count;
    while (low < high) {
        const size_t middle = low + (high - low) / 2;
        if (address_of(index->rows[middle]) <= address)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

lw_status lw__reach_find(lw_device *device, uint64_t address, lw_buffer **buffer)
{
    lw_buffer *found = NULL;
    *buffer = NULL;
    lw__lock();
    const bool ok = make_index(device);
    /* Wrapped ones may lie in each other: the last that begins before it need not have it. */
    for (size_t i = ok ? rows_to(&device->index, address) : 0; i && !found; i--) {
        lw_buffer *b = device->index.rows[i - 1];
        if (address - address_of(b) < b->bytes && hold(b))
            found = b;
    }
    lw__unlock();
    *buffer = found;
    return ok ? LW_OK : lw__fail(LW_E_MEMORY, "out of memory: the buffers by their addresses");
}

/* A launch may reach it: its memory is there, and open to launches that write. */
static bool is_open(const lw_buffer *b)
{
    return !b->blank_of && !b->mapped && !b->read_only;
}

lw_status lw__reach_take(lw_device *device, struct lw__reach **out)
{
    *out = NULL;
    lw__lock();
    const size_t room = make_index(device) ? device->index.count : 0;
    struct lw__reach *reach =
        device->index.rows ? malloc(sizeof *reach + room * sizeof *reach->objects) : NULL;
    if (reach) {
        *reach = (struct lw__reach){.buffers = calloc(room + 1, sizeof(lw_buffer *))};
        for (size_t i = 0; i < room && reach->buffers; i++) {
            lw_buffer *b = device->index.rows[i];
            if (!is_open(b) || !hold(b))
                continue;
            reach->buffers[reach->count] = b;
            reach->objects[reach->count++] = (struct lw__object){.name = "",
                                                                 .memory = b->memory,
                                                                 .bytes = b->bytes,
                                                                 .undefined = b->undefined,
                                                                 .element_bytes = b->element_bytes};
        }
    }
    lw__unlock();
    if (!reach || !reach->buffers) {
        free(reach);
        return lw__fail(LW_E_MEMORY, "out of memory: the buffers that a launch may reach");
    }
    *out = reach;
    return LW_OK;
}

void lw__reach_release(struct lw__reach *reach)
{
    if (!reach)
        return;
    for (size_t i = 0; i < reach->count; i++)
        lw_buffer_destroy(reach->buffers[i]);
    free(reach->buffers);
    free(reach);
}
