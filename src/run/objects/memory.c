/* memory.c - a buffer's memory: the device's, or the host's where the device has none. */
#include "run/objects/objects.h"
#include <assert.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

/* Ask for large pages, if the system has them on request. With small pages each row of a tile of a
 * large matrix is on another page. Even copies are up to 1.3 times as fast. The memory has not been
 * touched yet, so the system moves nothing. Without large pages nothing changes. */
static void ask_for_large_pages(void *memory, size_t bytes)
{
    enum { LARGE_PAGE = 2 << 20 };
    const uintptr_t first = ((uintptr_t)memory + LARGE_PAGE - 1) & ~(uintptr_t)(LARGE_PAGE - 1);
    const uintptr_t end = ((uintptr_t)memory + bytes) & ~(uintptr_t)(LARGE_PAGE - 1);

    if (bytes >= LARGE_PAGE && first < end)
        (void)madvise((void *)first, end - first, MADV_HUGEPAGE);
}

/* Jobs that are ahead may have the last references to buffers. */
static lw_status create_there(lw_buffer *b)
{
    const struct lw__device_ops *ops = b->device->ops;
    lw_status status;
    bool has_more;

    do {
        status = ops->memory_create(b->device->state, b->bytes, &b->memory);
        if (status != LW_E_MEMORY)
            return status;
        lw__lock();
        has_more = b->device->hooks->retire(b->device);
        lw__unlock();
    } while (has_more);
    return status;
}

lw_status lw__memory_create(lw_buffer *b)
{
    if (b->device->ops->memory_create)
        return create_there(b);
    if (b->device->ops->traps_faults && lw__buffer_is_guarded(b->bytes) &&
        lw__guard_create(b->bytes, LW_GUARD_BUFFER, LW_GUARDED_BUFFERS, &b->guarded))
        b->memory = lw__guard_place(&b->guarded, b->bytes, LW_GUARD_ALIGN);
    else
        b->memory = lw__alloc_aligned(b->bytes, &b->block);
    if (b->memory)
        ask_for_large_pages(b->memory, b->bytes);
    return b->memory ? LW_OK
                     : lw__fail(LW_E_MEMORY, "out of memory: a buffer of %zu bytes", b->bytes);
}

/* Of its own. */
void lw__memory_destroy(lw_buffer *b)
{
    if (b->device->ops->memory_destroy && b->memory)
        b->device->ops->memory_destroy(b->device->state, b->memory);
    free(b->block);
    lw__guard_free(&b->guarded);
    free(b->staging);
}

void lw__memory_define(lw_buffer *b, size_t at, size_t bytes)
{
    assert(at <= b->bytes && bytes <= b->bytes - at);
    if (b->undefined)
        memset(b->undefined + at, 0, bytes);
}

lw_status lw__memory_write(lw_buffer *b, size_t at, const void *from, size_t bytes)
{
    char *to = (char *)b->memory + at;

    assert(at <= b->bytes && bytes <= b->bytes - at && !b->blank_of);
    if (!bytes)
        return LW_OK;
    if (b->device->ops->memory_write)
        return b->device->ops->memory_write(b->device->state, to, from, bytes);
    memcpy(to, from, bytes);
    lw__memory_define(b, at, bytes);
    return LW_OK;
}

lw_status lw__memory_read(lw_buffer *b, size_t at, void *to, size_t bytes)
{
    const char *from = (const char *)b->memory + at;

    assert(at <= b->bytes && bytes <= b->bytes - at && !b->blank_of);
    if (!bytes)
        return LW_OK;
    if (b->device->ops->memory_read)
        return b->device->ops->memory_read(b->device->state, to, from, bytes);
    memcpy(to, from, bytes);
    return LW_OK;
}

/* Both are the host's, or one is, or a device's own functions copy. */
lw_status lw__memory_copy(lw_buffer *to, size_t to_at, lw_buffer *from, size_t from_at,
                          size_t bytes)
{
    const struct lw__device_ops *ops = to->device->ops;
    char *target = (char *)to->memory + to_at;

    assert(to_at <= to->bytes && bytes <= to->bytes - to_at);
    assert(from_at <= from->bytes && bytes <= from->bytes - from_at);
    if (!bytes)
        return LW_OK;
    if (!ops->memory_write) {
        LW_TRY(lw__memory_read(from, from_at, target, bytes));
        if (to->undefined && from->undefined)
            memcpy(to->undefined + to_at, from->undefined + from_at, bytes);
        else
            lw__memory_define(to, to_at, bytes);
        return LW_OK;
    }
    if (!from->device->ops->memory_read)
        return lw__memory_write(to, to_at, (const char *)from->memory + from_at, bytes);
    if (ops != from->device->ops)
        return lw__fail(LW_E_UNSUPPORTED, "nothing copies from device '%s' to device '%s'",
                        from->device->ops->info.name, ops->info.name);
    return ops->memory_copy(to->device->state, target, from->device->state,
                            (const char *)from->memory + from_at, bytes);
}
