/* buffer.c - memory of a device, and waiting for the launches that use it.
 *
 * A launch counts as a use from the moment it is queued. Reading, writing, filling and mapping wait
 * until there are no uses; while a buffer is mapped no launch may start to use it.
 */
#include "run/host/host.h"
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

enum { FILL_STEP = 1 << 16, ALIGNMENT_MAX = 256 };

/* ---- the device's memory, or the host's where the device has none of its own ---- */

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
        has_more = lw__ahead_drain_device(b->device);
        lw__unlock();
    } while (has_more);
    return status;
}

static lw_status memory_create(lw_buffer *b)
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
static void memory_destroy(lw_buffer *b)
{
    if (b->device->ops->memory_destroy && b->memory)
        b->device->ops->memory_destroy(b->device->state, b->memory);
    free(b->block);
    lw__guard_free(&b->guarded);
    free(b->staging);
}

static void define(lw_buffer *b, size_t at, size_t bytes)
{
    if (b->undefined)
        memset(b->undefined + at, 0, bytes);
}

static lw_status memory_write(lw_buffer *b, size_t at, const void *from, size_t bytes)
{
    char *to = (char *)b->memory + at;

    if (!bytes)
        return LW_OK;
    if (b->device->ops->memory_write)
        return b->device->ops->memory_write(b->device->state, to, from, bytes);
    memcpy(to, from, bytes);
    define(b, at, bytes);
    return LW_OK;
}

static lw_status memory_read(lw_buffer *b, size_t at, void *to, size_t bytes)
{
    const char *from = (const char *)b->memory + at;

    if (!bytes)
        return LW_OK;
    if (b->device->ops->memory_read)
        return b->device->ops->memory_read(b->device->state, to, from, bytes);
    memcpy(to, from, bytes);
    return LW_OK;
}

/* Both are the host's, or one is, or a device's own functions copy. */
static lw_status memory_copy(lw_buffer *to, size_t to_at, lw_buffer *from, size_t from_at,
                             size_t bytes)
{
    const struct lw__device_ops *ops = to->device->ops;
    char *target = (char *)to->memory + to_at;

    if (!bytes)
        return LW_OK;
    if (!ops->memory_write) {
        LW_TRY(memory_read(from, from_at, target, bytes));
        if (to->undefined && from->undefined)
            memcpy(to->undefined + to_at, from->undefined + from_at, bytes);
        else
            define(to, to_at, bytes);
        return LW_OK;
    }
    if (!from->device->ops->memory_read)
        return memory_write(to, to_at, (const char *)from->memory + from_at, bytes);
    if (ops != from->device->ops)
        return lw__fail(LW_E_UNSUPPORTED, "nothing copies from device '%s' to device '%s'",
                        from->device->ops->info.name, ops->info.name);
    return ops->memory_copy(to->device->state, target, from->device->state,
                            (const char *)from->memory + from_at, bytes);
}

/* ---- life ---- */

static lw_status create(lw_buffer model, lw_buffer **buffer)
{
    lw_status status = LW_OK;
    lw_buffer *b;

    if (!model.device)
        return lw__fail(LW_E_ARG, "the device is NULL");
    if (__builtin_mul_overflow(model.count, model.element_bytes, &model.bytes) ||
        model.bytes > PTRDIFF_MAX)
        return lw__fail(LW_E_MEMORY, "a buffer of %zu x %zu bytes is beyond any memory",
                        model.count, model.element_bytes);
    b = malloc(sizeof *b);
    if (!b)
        return lw__fail(LW_E_MEMORY, "out of memory: a buffer");
    *b = model;
    atomic_init(&b->holds, 1);
    lw__device_hold(b->device);
    if (!b->is_wrapped)
        status = memory_create(b);
    if (!status && !b->is_wrapped && b->device->ops->memory_made)
        b->device->ops->memory_made(b->device->state, b->memory, b->bytes);
    if (status)
        lw_buffer_destroy(b);
    else
        *buffer = b;
    return status;
}

static lw_status check_dtype(lw_dtype dtype)
{
    if (lw_dtype_size(dtype))
        return LW_OK;
    return lw__fail(LW_E_DTYPE, "%d is no dtype; they go from 0 (i8) to %d (f64)", (int)dtype,
                    LW_DTYPE_COUNT - 1);
}

/* The program has created it, by a call that returns to `creator`. */
static lw_status created(lw_buffer *buffer, const void *creator)
{
    lw__alive_add(buffer->device, &buffer->alive, buffer, creator);
    return LW_OK;
}

lw_status lw__buffer_create(lw_device *device, lw_dtype dtype, size_t count, lw_buffer **buffer)
{
    LW_TRY(check_dtype(dtype));
    return create((lw_buffer){.device = device,
                              .has_dtype = true,
                              .dtype = dtype,
                              .element_bytes = lw_dtype_size(dtype),
                              .count = count},
                  buffer);
}

lw_status lw_buffer_create(lw_device *device, lw_dtype dtype, size_t count, lw_buffer **buffer)
{
    if (!buffer)
        return lw__fail(LW_E_ARG, "the place for the buffer is NULL");
    *buffer = NULL;
    LW_TRY(lw__buffer_create(device, dtype, count, buffer));
    return created(*buffer, __builtin_return_address(0));
}

lw_status lw_buffer_create_structs(lw_device *device, size_t element_bytes, size_t count,
                                   lw_buffer **buffer)
{
    if (!buffer)
        return lw__fail(LW_E_ARG, "the place for the buffer is NULL");
    *buffer = NULL;
    if (!element_bytes)
        return lw__fail(LW_E_SHAPE, "a struct of 0 bytes; need at least 1");
    LW_TRY(create(
        (lw_buffer){
            .device = device, .dtype = LW_U8, .element_bytes = element_bytes, .count = count},
        buffer));
    return created(*buffer, __builtin_return_address(0));
}

static lw_status check_memory(const lw_device *device, lw_dtype dtype, size_t count,
                              const void *memory)
{
    const size_t size = lw_dtype_size(dtype);
    size_t bytes;

    if (!device)
        return lw__fail(LW_E_ARG, "the device is NULL");
    if (count && !memory)
        return lw__fail(LW_E_ARG, "the memory for %zu elements is NULL", count);
    if ((uintptr_t)memory % size)
        return lw__fail(LW_E_ARG, "the memory at %p is not aligned: %s needs a multiple of %zu",
                        memory, lw_dtype_name(dtype), size);
    if (!count || !device->ops->memory_check || __builtin_mul_overflow(count, size, &bytes))
        return LW_OK;
    return device->ops->memory_check(device->state, memory, bytes);
}

lw_status lw__buffer_create_at(lw_device *device, lw_dtype dtype, size_t count, void *memory,
                               lw_buffer **buffer)
{
    LW_TRY(check_dtype(dtype));
    return create((lw_buffer){.device = device,
                              .has_dtype = true,
                              .dtype = dtype,
                              .element_bytes = lw_dtype_size(dtype),
                              .count = count,
                              .memory = memory,
                              .is_wrapped = true},
                  buffer);
}

lw_status lw_buffer_wrap(lw_device *device, lw_dtype dtype, size_t count, void *memory,
                         bool read_only, void (*release)(void *memory, void *user), void *user,
                         lw_buffer **buffer)
{
    if (!buffer)
        return lw__fail(LW_E_ARG, "the place for the buffer is NULL");
    *buffer = NULL;
    LW_TRY(check_dtype(dtype)); /* check_memory divides by its size */
    LW_TRY(check_memory(device, dtype, count, memory));
    LW_TRY(lw__buffer_create_at(device, dtype, count, memory, buffer));
    (*buffer)->read_only = read_only;
    (*buffer)->release = release;
    (*buffer)->user = user;
    return created(*buffer, __builtin_return_address(0));
}

void lw__buffer_hold(lw_buffer *buffer)
{
    atomic_fetch_add_explicit(&buffer->holds, 1, memory_order_relaxed);
}

void lw_buffer_destroy(lw_buffer *buffer)
{
    void (*release)(void *, void *);
    void *memory, *user;

    if (!buffer || atomic_fetch_sub(&buffer->holds, 1) != 1)
        return;
    if (buffer->is_used_unseen && !buffer->is_wrapped) {
        lw__lock();
        (void)lw__streams_await_wrapped(buffer->device);
        lw__unlock();
    }
    lw__alive_remove(&buffer->alive);
    free(buffer->undefined);
    release = buffer->release;
    memory = buffer->memory;
    user = buffer->user;
    if (!buffer->is_wrapped && memory && buffer->device->ops->memory_gone)
        buffer->device->ops->memory_gone(buffer->device->state, memory, buffer->bytes);
    if (buffer->is_wrapped)
        free(buffer->staging);
    else
        memory_destroy(buffer);
    lw_device_close(buffer->device);
    free(buffer);
    if (release)
        release(memory, user);
}

lw_device *lw_buffer_device(const lw_buffer *buffer)
{
    return buffer ? buffer->device : NULL;
}

size_t lw_buffer_count(const lw_buffer *buffer)
{
    return buffer ? buffer->count : 0;
}

size_t lw_buffer_bytes(const lw_buffer *buffer)
{
    return buffer ? buffer->bytes : 0;
}

void *lw_buffer_address(const lw_buffer *buffer)
{
    return buffer && !lw_buffer_is_blank(buffer) ? buffer->memory : NULL;
}

size_t lw_buffer_alignment(const lw_buffer *buffer)
{
    const uintptr_t at = (buffer ? (uintptr_t)buffer->memory : 0) | ALIGNMENT_MAX;

    return at & -at;
}

bool lw_buffer_is_read_only(const lw_buffer *buffer)
{
    return buffer && buffer->read_only;
}

bool lw_buffer_has_dtype(const lw_buffer *buffer)
{
    return buffer && buffer->has_dtype;
}

lw_dtype lw_buffer_dtype(const lw_buffer *buffer)
{
    return buffer ? buffer->dtype : LW_U8;
}

/* ---- contents ---- */

/* Locked. For launches that nobody follows. */
static lw_status wait_unseen(lw_buffer *b)
{
    lw_status status;

    b->is_used_unseen = false;
    status = lw__streams_await_wrapped(b->device);
    if (status)
        b->is_used_unseen = true;
    return status;
}

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
    (void)wait_uses(b, NULL);
    if (b->is_used_unseen)
        LW_TRY(wait_unseen(b));
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
    lw_status status;
    size_t last;

    if (!b)
        return lw__fail(LW_E_ARG, "the buffer is NULL");
    if (offset > b->count && !count)
        return lw__fail(LW_E_SHAPE, "0 elements from %zu on: %s has %zu", offset, what, b->count);
    if (offset > b->count || count > b->count - offset) {
        if (__builtin_add_overflow(offset, count - 1, &last))
            last = SIZE_MAX;
        return lw__fail(LW_E_SHAPE, "elements %zu to %zu: %s has %zu", offset, last, what,
                        b->count);
    }
    if (count && !host)
        return lw__fail(LW_E_ARG, "the host memory for %zu elements is NULL", count);
    lw__lock();
    status = wait_unused(b);
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
    return memory_write(buffer, offset * buffer->element_bytes, from,
                        count * buffer->element_bytes);
}

lw_status lw_buffer_read(lw_buffer *buffer, size_t offset, size_t count, void *to)
{
    LW_TRY(lw__buffer_check_memory(buffer, "lw_buffer_read"));
    LW_TRY(check_range("the buffer", buffer, offset, count, to));
    return memory_read(buffer, offset * buffer->element_bytes, to, count * buffer->element_bytes);
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
    size_t size;

    LW_TRY(lw__buffer_check_memory(to, "lw_buffer_copy"));
    LW_TRY(lw__buffer_check_memory(from, "lw_buffer_copy"));
    LW_TRY(check_writable(to));
    LW_TRY(check_range("the buffer to copy to", to, offset, count, to));
    LW_TRY(check_range("the buffer to copy from", from, from_offset, count, from));
    size = to->element_bytes;
    if (size != from->element_bytes ||
        (to->has_dtype && from->has_dtype && to->dtype != from->dtype))
        return lw__fail(LW_E_DTYPE,
                        "elements of %s (%zu bytes) do not go into a buffer of %s (%zu bytes); "
                        "lw_copy converts",
                        element_text(from), from->element_bytes, element_text(to), size);
    if (overlap(to, offset * size, from, from_offset * size, count * size))
        return lw__fail(LW_E_ARG, "%zu elements overlap with where they are copied to", count);
    return memory_copy(to, offset * size, from, from_offset * size, count * size);
}

/* Build a stretch of copies once, then write it as often as it takes. */
lw_status lw_buffer_fill(lw_buffer *buffer, const void *value)
{
    size_t size, stretch;
    char *copies;
    lw_status status = LW_OK;

    LW_TRY(lw__buffer_check_memory(buffer, "lw_buffer_fill"));
    LW_TRY(check_writable(buffer));
    LW_TRY(check_range("the buffer", buffer, 0, buffer ? buffer->count : 0, value));
    size = buffer->element_bytes;
    stretch = size < FILL_STEP ? FILL_STEP / size * size : size;
    stretch = stretch < buffer->bytes ? stretch : buffer->bytes;
    copies = malloc(stretch + 1);
    if (!copies)
        return lw__fail(LW_E_MEMORY, "out of memory: %zu bytes to fill a buffer", stretch);
    for (size_t at = 0; at < stretch; at += size)
        memcpy(copies + at, value, size);
    for (size_t at = 0; at < buffer->bytes && !status; at += stretch) {
        size_t left = buffer->bytes - at;

        status = memory_write(buffer, at, copies, left < stretch ? left : stretch);
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
    if (!b->device->ops->memory_read)
        return LW_OK;
    b->staging = malloc(b->bytes + 1);
    if (!b->staging)
        return lw__fail(LW_E_MEMORY, "out of memory: %zu bytes to map a buffer", b->bytes);
    return memory_read(b, 0, b->staging, b->bytes);
}

/* Locked. */
static void end_mapping(lw_buffer *b)
{
    free(b->staging);
    b->staging = NULL;
    b->mapped = false;
}

lw_status lw_buffer_map(lw_buffer *buffer, void **memory)
{
    lw_status status;

    if (!buffer || !memory)
        return lw__fail(LW_E_ARG, "the %s is NULL", buffer ? "place for the address" : "buffer");
    *memory = NULL;
    LW_TRY(lw__buffer_check_memory(buffer, "lw_buffer_map"));
    LW_TRY(check_writable(buffer));
    lw__lock();
    status = wait_unused(buffer);
    if (!status)
        buffer->mapped = true;
    lw__unlock();
    LW_TRY(status);
    status = make_staging(buffer);
    if (!status) {
        *memory = buffer->staging ? buffer->staging : buffer->memory;
        define(buffer, 0, buffer->bytes); /* the host may write all of it */
        return LW_OK;
    }
    lw__lock();
    end_mapping(buffer);
    lw__unlock();
    return status;
}

lw_status lw_buffer_unmap(lw_buffer *buffer)
{
    bool is_mapped;

    if (!buffer)
        return lw__fail(LW_E_ARG, "the buffer is NULL");
    lw__lock();
    is_mapped = buffer->mapped;
    lw__unlock();
    if (!is_mapped)
        return lw__fail(LW_E_ARG, "the buffer is not mapped");
    if (buffer->staging)
        LW_TRY(memory_write(buffer, 0, buffer->staging, buffer->bytes));
    lw__lock();
    end_mapping(buffer);
    lw__announce();
    lw__unlock();
    return LW_OK;
}
