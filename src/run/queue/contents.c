/* contents.c - buffers are read, written and mapped, once the launches that use them are over.
 *
 * A launch counts as a use from the moment it is queued. Reading, writing, filling and mapping wait
 * until there are no uses; while a buffer is mapped no launch may start to use it.
 */
#include "run/queue/queue.h"
#include <assert.h>
#include <stdlib.h>
#include <string.h>

enum { FILL_STEP = 1 << 16 };

/* Locked. False: not in time. */
static bool wait_uses(const lw_buffer *b, const struct timespec *deadline)
{
    bool in_time = true;

    while (!b->mapped && b->uses && in_time)
        if (!lw__ahead_drain_use(b, deadline, &in_time))
            in_time = lw__wait_change(deadline);
    return in_time;
}

/* Locked. Wait for the launches that use it; its contents are then the caller's. */
static lw_status wait_unused(lw_buffer *b)
{
    assert(lw__is_locked());
    (void)wait_uses(b, NULL);
    if (b->is_used_unseen) { /* by launches that nobody follows */
        b->is_used_unseen = false;
        const lw_status status = lw__streams_await_wrapped(b->device);
        if (status)
            b->is_used_unseen = true;
        LW_TRY(status);
    }
    return b->mapped ? lw__fail(LW_E_ARG, "the buffer is mapped; it needs lw_buffer_unmap first")
                     : LW_OK;
}

lw_status lw_buffer_wait_for(lw_buffer *buffer, uint64_t nanoseconds)
{
    const struct timespec deadline = lw__deadline(nanoseconds);
    lw_status status = LW_E_TIMEOUT;

    LW_TRY(lw__buffer_check_memory(buffer, "lw_buffer_wait_for"));
    if (!buffer)
        return lw__fail(LW_E_ARG, "the buffer is NULL");
    lw__lock();
    if (wait_uses(buffer, &deadline))
        status = wait_unused(buffer);
    lw__unlock();
    return status == LW_E_TIMEOUT
               ? lw__fail(status, "launches that use the buffer are not done in time; they go on")
               : status;
}

/* what: the buffer, for messages */
static lw_status check_range(const char *what, lw_buffer *b, size_t offset, size_t count,
                             const void *host)
{
    if (!b)
        return lw__fail(LW_E_ARG, "the buffer is NULL");
    if (offset > b->count && !count)
        return lw__fail(LW_E_SHAPE, "0 elements from %zu on: %s has %zu", offset, what, b->count);
    size_t last;
    if (offset > b->count || count > b->count - offset) {
        if (__builtin_add_overflow(offset, count - 1, &last))
            last = SIZE_MAX;
        return lw__fail(LW_E_SHAPE, "elements %zu to %zu: %s has %zu", offset, last, what,
                        b->count);
    }
    if (count && !host)
        return lw__fail(LW_E_ARG, "the host memory for %zu elements is NULL", count);
    lw__lock();
    lw_status status = wait_unused(b);
    lw__unlock();
    return status;
}

static lw_status check_writable(const lw_buffer *b)
{
    return b && b->read_only
               ? lw__fail(LW_E_ARG, "the buffer is read-only: its memory was wrapped so")
               : LW_OK;
}

lw_status lw_buffer_write(lw_buffer *buffer, size_t offset, size_t count, const void *from)
{
    LW_TRY(lw__buffer_check_memory(buffer, "lw_buffer_write"));
    LW_TRY(check_writable(buffer));
    LW_TRY(check_range("the buffer", buffer, offset, count, from));
    return lw__memory_write(buffer, offset * buffer->element_bytes, from,
                            count * buffer->element_bytes);
}

lw_status lw_buffer_read(lw_buffer *buffer, size_t offset, size_t count, void *to)
{
    LW_TRY(lw__buffer_check_memory(buffer, "lw_buffer_read"));
    LW_TRY(check_range("the buffer", buffer, offset, count, to));
    return lw__memory_read(buffer, offset * buffer->element_bytes, to,
                           count * buffer->element_bytes);
}

static const char *element_text(const lw_buffer *b)
{
    return b->has_dtype ? lw_dtype_name(b->dtype) : "structs";
}

static bool overlap(const lw_buffer *a, size_t a_at, const lw_buffer *b, size_t b_at, size_t bytes)
{
    const uintptr_t first = (uintptr_t)a->memory + a_at, second = (uintptr_t)b->memory + b_at;

    return bytes && first < second + bytes && second < first + bytes;
}

lw_status lw_buffer_copy(lw_buffer *to, size_t offset, lw_buffer *from, size_t from_offset,
                         size_t count)
{
    LW_TRY(lw__buffer_check_memory(to, "lw_buffer_copy"));
    LW_TRY(lw__buffer_check_memory(from, "lw_buffer_copy"));
    LW_TRY(check_writable(to));
    LW_TRY(check_range("the buffer to copy to", to, offset, count, to));
    LW_TRY(check_range("the buffer to copy from", from, from_offset, count, from));
    size_t size = to->element_bytes;
    if (size != from->element_bytes ||
        (to->has_dtype && from->has_dtype && to->dtype != from->dtype))
        return lw__fail(LW_E_DTYPE,
                        "elements of %s (%zu bytes) do not go into a buffer of %s (%zu bytes); "
                        "lw_copy converts",
                        element_text(from), from->element_bytes, element_text(to), size);
    if (overlap(to, offset * size, from, from_offset * size, count * size))
        return lw__fail(LW_E_ARG, "%zu elements overlap with where they are copied to", count);
    return lw__memory_copy(to, offset * size, from, from_offset * size, count * size);
}

/* Build a stretch of copies once, then write it as often as it takes. */
lw_status lw_buffer_fill(lw_buffer *buffer, const void *value)
{
    lw_status status = LW_OK;

    LW_TRY(lw__buffer_check_memory(buffer, "lw_buffer_fill"));
    LW_TRY(check_writable(buffer));
    LW_TRY(check_range("the buffer", buffer, 0, buffer ? buffer->count : 0, value));
    size_t size = buffer->element_bytes;
    size_t stretch = size < FILL_STEP ? FILL_STEP / size * size : size;
    stretch = stretch < buffer->bytes ? stretch : buffer->bytes;
    char *copies = malloc(stretch + 1);
    if (!copies)
        return lw__fail(LW_E_MEMORY, "out of memory: %zu bytes to fill a buffer", stretch);
    for (size_t at = 0; at < stretch; at += size)
        memcpy(copies + at, value, size);
    for (size_t at = 0; at < buffer->bytes && !status; at += stretch) {
        size_t left = buffer->bytes - at;

        status = lw__memory_write(buffer, at, copies, left < stretch ? left : stretch);
    }
    free(copies);
    return status;
}

/* Only the checker keeps book of what is initialised. */
lw_status lw_buffer_discard(lw_buffer *buffer)
{
    LW_TRY(lw__buffer_check_memory(buffer, "lw_buffer_discard"));
    LW_TRY(check_writable(buffer));
    LW_TRY(check_range("the buffer", buffer, 0, 0, NULL));
    if (!buffer->device->ops->has_findings || !buffer->bytes)
        return LW_OK;
    if (!buffer->undefined)
        buffer->undefined = malloc(buffer->bytes);
    if (!buffer->undefined)
        return lw__fail(LW_E_MEMORY, "out of memory: a buffer of %zu bytes to check",
                        buffer->bytes);
    memset(buffer->undefined, 0xff, buffer->bytes);
    return LW_OK;
}

/* Device memory is mapped as a copy, which unmap writes back. Whoever holds the mapping owns it. */
static lw_status make_staging(lw_buffer *b)
{
    assert(b->mapped && !b->staging);
    if (!b->device->ops->memory_read)
        return LW_OK;
    b->staging = malloc(b->bytes + 1);
    if (!b->staging)
        return lw__fail(LW_E_MEMORY, "out of memory: %zu bytes to map a buffer", b->bytes);
    return lw__memory_read(b, 0, b->staging, b->bytes);
}

/* Locked. */
static void end_mapping(lw_buffer *b)
{
    assert(lw__is_locked() && b->mapped);
    free(b->staging);
    b->staging = NULL;
    b->mapped = false;
}

lw_status lw_buffer_map(lw_buffer *buffer, void **memory)
{
    if (!buffer || !memory)
        return lw__fail(LW_E_ARG, "the %s is NULL", buffer ? "place for the address" : "buffer");
    *memory = NULL;
    LW_TRY(lw__buffer_check_memory(buffer, "lw_buffer_map"));
    LW_TRY(check_writable(buffer));
    lw__lock();
    lw_status status = wait_unused(buffer);
    if (!status)
        buffer->mapped = true;
    lw__unlock();
    LW_TRY(status);
    status = make_staging(buffer);
    if (!status) {
        *memory = buffer->staging ? buffer->staging : buffer->memory;
        lw__memory_define(buffer, 0, buffer->bytes); /* the host may write all of it */
        return LW_OK;
    }
    lw__lock();
    end_mapping(buffer);
    lw__unlock();
    return status;
}

lw_status lw_buffer_unmap(lw_buffer *buffer)
{
    if (!buffer)
        return lw__fail(LW_E_ARG, "the buffer is NULL");
    lw__lock();
    bool is_mapped = buffer->mapped;
    lw__unlock();
    if (!is_mapped)
        return lw__fail(LW_E_ARG, "the buffer is not mapped");
    if (buffer->staging)
        LW_TRY(lw__memory_write(buffer, 0, buffer->staging, buffer->bytes));
    lw__lock();
    end_mapping(buffer);
    lw__announce();
    lw__unlock();
    return LW_OK;
}

bool lw_buffer_is_mapped(const lw_buffer *buffer)
{
    if (!buffer)
        return false;
    lw__lock();
    bool is_mapped = buffer->mapped;
    lw__unlock();
    return is_mapped;
}
