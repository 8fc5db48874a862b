/* driver_queue.c - the driver's functions for memory, streams and events. */
#include "device.h"
#include <stdlib.h>
#include <string.h>

static bool is_event(const struct gpu_event *event)
{
    const struct gpu_event *e = device_context.events;

    while (e && e != event)
        e = e->next;
    return e != NULL;
}

static int enqueue(struct gpu_stream *stream, struct command command)
{
    return device_enqueue(stream, &command) ? 0 : LW_CU_OUT_OF_MEMORY;
}
/* ---- memory ---- */

int ptxsim_memory_info(size_t *unused, size_t *total)
{
    memory_info(unused, total);
    return 0;
}

/* No stream can be captured meanwhile. */
static int begin_alone(void)
{
    const int result = begin();

    return result ? result : capture_refuse(NULL);
}

/* Nor this one. */
static int begin_uncaptured(struct gpu_stream **stream)
{
    const int result = begin_with(stream);

    return result ? result : capture_refuse(*stream);
}

int ptxsim_memory_create(uint64_t *memory, size_t bytes)
{
    const int result = begin_alone();

    if (result)
        return end(result);
    if (!bytes)
        return end(LW_CU_INVALID_VALUE);
    *memory = memory_create(bytes);
    return end(*memory ? 0 : LW_CU_OUT_OF_MEMORY);
}

/* As the driver does: what is under way may use it. */
int ptxsim_memory_destroy(uint64_t memory)
{
    int result = begin_alone();

    result = result ? result : device_drain(NULL);
    return end(result ? result : memory_destroy(memory) ? 0 : LW_CU_INVALID_VALUE);
}

static bool is_inside(uint64_t address, size_t bytes)
{
    struct extent in;

    return memory_find(address, &in) && in.bytes - (address - in.begin) >= bytes;
}

int ptxsim_memory_fill(uint64_t to, unsigned char value, size_t bytes, struct gpu_stream *stream)
{
    const int result = begin_with(&stream);

    if (result)
        return end(result);
    if (!is_inside(to, bytes))
        return end(LW_CU_INVALID_VALUE);
    return end(enqueue(
        stream, (struct command){
                    .kind = FILL, .to = (void *)(uintptr_t)to, .value = value, .bytes = bytes}));
}

static int copy(void *to, const void *from, uint64_t device_address, size_t bytes,
                struct gpu_stream *stream)
{
    const int result = begin_with(&stream);

    if (result)
        return end(result);
    if (bytes && !is_inside(device_address, bytes))
        return end(LW_CU_INVALID_VALUE);
    return end(
        enqueue(stream, (struct command){.kind = COPY, .to = to, .from = from, .bytes = bytes}));
}

int ptxsim_memory_write(uint64_t to, const void *from, size_t bytes, struct gpu_stream *stream)
{
    return copy((void *)(uintptr_t)to, from, to, bytes, stream);
}

int ptxsim_memory_read(void *to, uint64_t from, size_t bytes, struct gpu_stream *stream)
{
    return copy(to, (const void *)(uintptr_t)from, from, bytes, stream);
}

int ptxsim_memory_copy(uint64_t to, struct gpu_context *to_context, uint64_t from,
                       struct gpu_context *from_context, size_t bytes, struct gpu_stream *stream)
{
    (void)to_context;
    (void)from_context;
    if (bytes && !is_inside(from, bytes))
        return LW_CU_INVALID_VALUE;
    return copy((void *)(uintptr_t)to, (const void *)(uintptr_t)from, to, bytes, stream);
}

/* It has one GPU. */
int ptxsim_context_reaches(struct gpu_context *context, unsigned flags)
{
    (void)context;
    (void)flags;
    return LW_CU_INVALID_VALUE;
}

int ptxsim_pointer_attribute(void *value, int attribute, uint64_t memory)
{
    const int result = begin();

    if (result)
        return end(result);
    if (attribute != LW_CU_POINTER_DEVICE_ADDRESS || !is_inside(memory, 1))
        return end(LW_CU_INVALID_VALUE);
    memcpy(value, &memory, sizeof memory);
    return end(0);
}

int ptxsim_host_create(void **memory, size_t bytes, unsigned flags)
{
    uint64_t address = 0;
    const int result = ptxsim_memory_create(&address, bytes);

    (void)flags;
    *memory = (void *)(uintptr_t)address;
    return result;
}

int ptxsim_host_destroy(void *memory)
{
    return ptxsim_memory_destroy((uintptr_t)memory);
}

int ptxsim_host_address(uint64_t *address, void *memory, unsigned flags)
{
    (void)flags;
    *address = (uintptr_t)memory;
    return is_inside(*address, 1) ? 0 : LW_CU_INVALID_VALUE;
}

/* ---- streams ---- */

int ptxsim_stream_create(struct gpu_stream **stream, unsigned flags)
{
    const int result = begin();

    (void)flags;
    if (result)
        return end(result);
    *stream = calloc(1, sizeof **stream);
    if (!*stream)
        return end(LW_CU_OUT_OF_MEMORY);
    (*stream)->end = &(*stream)->first;
    (*stream)->next = device_context.streams;
    device_context.streams = *stream;
    return end(0);
}

/* What it has to do is done first, which the driver does without being awaited. */
int ptxsim_stream_destroy(struct gpu_stream *stream)
{
    struct gpu_stream **link = &device_context.streams;
    int result = stream ? begin_with(&stream) : begin();

    result = result || stream ? result : INVALID_HANDLE;
    if (result)
        return end(result);
    result = device_drain(stream);
    while (*link != stream)
        link = &(*link)->next;
    *link = stream->next;
    free(stream);
    return end(result);
}

int ptxsim_stream_context(struct gpu_stream *stream, struct gpu_context **context)
{
    const int result = begin_with(&stream);

    *context = result ? NULL : &device_context;
    return end(result);
}

int ptxsim_stream_is_capturing(struct gpu_stream *stream, int *status)
{
    const int result = begin_with(&stream);

    *status = !result && stream->captured ? 1 : 0;
    return end(result);
}

int ptxsim_stream_query(struct gpu_stream *stream)
{
    const int result = begin_uncaptured(&stream);

    return end(result ? result : stream->first ? LW_CU_NOT_READY : 0);
}

int ptxsim_stream_wait(struct gpu_stream *stream)
{
    const int result = begin_uncaptured(&stream);

    return end(result ? result : device_drain(stream));
}

int ptxsim_stream_wait_event(struct gpu_stream *stream, struct gpu_event *event, unsigned flags)
{
    const int result = begin_uncaptured(&stream);

    (void)flags;
    if (result)
        return end(result);
    return end(is_event(event)
                   ? enqueue(stream,
                             (struct command){.kind = AWAIT, .event = event, .turn = event->issued})
                   : INVALID_HANDLE);
}

/* ---- events ---- */

static int begin_event(const struct gpu_event *event)
{
    const int result = begin();

    return result ? result : is_event(event) ? 0 : INVALID_HANDLE;
}

int ptxsim_event_create(struct gpu_event **event, unsigned flags)
{
    const int result = begin();

    (void)flags;
    if (result)
        return end(result);
    *event = calloc(1, sizeof **event);
    if (!*event)
        return end(LW_CU_OUT_OF_MEMORY);
    (*event)->next = device_context.events;
    device_context.events = *event;
    return end(0);
}

int ptxsim_event_destroy(struct gpu_event *event)
{
    struct gpu_event **link = &device_context.events;
    int result = begin_event(event);

    result = result ? result : device_drain(NULL);
    if (result)
        return end(result);
    while (*link != event)
        link = &(*link)->next;
    *link = event->next;
    free(event);
    return end(0);
}

int ptxsim_event_record(struct gpu_event *event, struct gpu_stream *stream)
{
    int result = begin_uncaptured(&stream);

    result = result ? result : is_event(event) ? 0 : INVALID_HANDLE;
    if (result)
        return end(result);
    event->issued++;
    return end(
        enqueue(stream, (struct command){.kind = RECORD, .event = event, .turn = event->issued}));
}

int ptxsim_event_query(struct gpu_event *event)
{
    const int result = begin_event(event);

    return end(result ? result : event->done < event->issued ? LW_CU_NOT_READY : 0);
}

int ptxsim_event_wait(struct gpu_event *event)
{
    const int result = begin_event(event);

    return end(result ? result : device_await(event, event->issued));
}

int ptxsim_event_elapsed(float *milliseconds, struct gpu_event *from, struct gpu_event *to)
{
    const int result = begin_event(from);

    if (result || !is_event(to) || !from->issued || !to->issued)
        return end(result ? result : INVALID_HANDLE);
    if (from->done < from->issued || to->done < to->issued)
        return end(LW_CU_NOT_READY);
    *milliseconds = (float)((double)(to->time.tv_sec - from->time.tv_sec) * 1e3 +
                            (double)(to->time.tv_nsec - from->time.tv_nsec) / 1e6);
    return end(0);
}
