/* queue.c - launches on a GPU: a queue of the driver behind each stream.
 *
 * Copies in the same queue write a launch's record (flight.c) before the launch and read it
 * afterwards, from and to pinned memory. Code that needs no record has no copies.
 */
#include "run/gpu/gpu.h"
#include <assert.h>
#include <stdio.h>
#include <stdlib.h>

/* ---- records ---- */

/* Entered. */
static int write_record(struct lw__gpu_queue *q, const struct lw__gpu_flight *f, uint32_t uses)
{
    struct lw_cuda_launch *before = &f->images->before;

    assert(!(uses & LW_CUDA_STOPS) || atomic_load(&q->stop));
    assert(!(uses & LW_CUDA_PRINTS) || q->prints);
    before->stop = uses & LW_CUDA_STOPS ? q->stop_address : 0;
    before->prints = uses & LW_CUDA_PRINTS ? q->prints : 0;
    before->print_capacity = uses & LW_CUDA_PRINTS ? LW_GPU_PRINT_BYTES : 0;
    before->print_end = UINT64_MAX;
    return q->gpu->driver->memory_write(
        f->record, before,
        uses & LW_CUDA_PRINTS ? sizeof *before : offsetof(struct lw_cuda_launch, failures),
        q->stream);
}

/* Entered. */
static int read_record(struct lw__gpu_queue *q, const struct lw__gpu_flight *f, uint32_t uses)
{
    if (!(uses & (LW_CUDA_PRINTS | LW_CUDA_FAILS)))
        return 0;
    return q->gpu->driver->memory_read(&f->images->after, f->record, sizeof f->images->after,
                                       q->stream);
}

/* ---- launching ---- */

lw_status lw__gpu_check(void *state, const struct lw__launch *l)
{
    const struct lw__gpu *gpu = state;
    const struct lw__gpu_code *c = l->code;
    const size_t bytes = lw__gpu_dynamic_bytes(l) + c->static_bytes;
    const uint32_t threads = l->block.x * l->block.y * l->block.z;

    if (bytes > gpu->shared_bytes)
        return lw__fail(LW_E_SHAPE,
                        "%s: %zu bytes of block memory, %zu of them dynamic; device '%s' has %zu",
                        l->kernel, bytes, l->dynamic_bytes, gpu->name, gpu->shared_bytes);
    if ((uint32_t)c->threads < threads)
        return lw__fail(LW_E_SHAPE,
                        "%s: device '%s' has registers for blocks of %d threads, not %u", l->kernel,
                        gpu->name, c->threads, threads);
    return LW_OK;
}

/* As many as fit in at once: by registers, block memory and threads. */
lw_status lw__gpu_fill(void *state, const struct lw__launch *l, uint32_t *blocks)
{
    struct lw__gpu *gpu = state;
    const struct lw__gpu_code *c = l->code;
    const uint32_t threads = l->block.x * l->block.y * l->block.z;
    int count = 0, result;

    LW_TRY(lw__gpu_enter(gpu));
    result =
        gpu->driver->function_blocks(&count, c->function, (int)threads, lw__gpu_dynamic_bytes(l));
    lw__gpu_leave(gpu);
    LW_TRY(lw__gpu_result(gpu, result, "kernel '%s': how many blocks run at once", l->kernel));
    *blocks = (uint32_t)(count > 0 ? count : 1) * (uint32_t)gpu->processors;
    return LW_OK;
}

/* Entered. */
static int start(struct lw__gpu_queue *q, const struct lw__launch *l,
                 const struct lw__gpu_flight *f)
{
    const struct lw__gpu_code *c = l->code;

    if (!c->uses)
        return lw__gpu_start_kernel(q, l, 0);
    int result = lw__gpu_prepare(q, c->uses);
    lw__gpu_stop_if_cancelled(q, l);
    result = result ? result : write_record(q, f, c->uses);
    result = result ? result : lw__gpu_start_kernel(q, l, f->record);
    return result ? result : read_record(q, f, c->uses);
}

/* Entered. */
static lw_status take_off(struct lw__gpu_queue *q, const struct lw__launch *l,
                          struct lw__gpu_flight **out)
{
    const struct lw__gpu_code *c = l->code;
    struct lw__gpu_flight *f = NULL;

    LW_TRY(lw__gpu_flight_take(q, l, c->uses != 0, &f));
    lw__gpu_set_under_way(q, f);
    int result = start(q, l, f);
    if (result)
        return lw__gpu_fail_start(q, f, result, "kernel", l->kernel);
    *out = f;
    return LW_OK;
}

/* A launch that prints needs memory for its text. The text is read before the next such launch. */
static bool takes(void *state, const struct lw__launch *l)
{
    const struct lw__gpu_code *c = l->code;

    (void)state;
    return !(c->uses & LW_CUDA_PRINTS);
}

static lw_status issue(void *state, const struct lw__launch *l, void **flight)
{
    struct lw__gpu *gpu = state;
    struct lw__gpu_queue *q = l->queue;
    struct lw__gpu_flight *f = NULL;

    assert(q->gpu == gpu);
    LW_TRY(lw__gpu_enter(gpu));
    lw_status status;
    if (q->is_wrapped && takes(NULL, l)) /* nobody waits for the end of it */
        status = lw__gpu_issue_wrapped(q, l);
    else
        status = take_off(q, l, &f);
    lw__gpu_leave(gpu);
    *flight = f;
    return status;
}

/* Under the library's lock, where nothing was printed. */
static lw_status retire(void *state, const struct lw__launch *l, void *flight, const char *awaited)
{
    struct lw__gpu *gpu = state;
    struct lw__gpu_flight *f = flight;
    lw_status status = LW_OK;

    if (atomic_load(&gpu->is_lost))
        status = lw__gpu_fail_lost(gpu, LW_E_LAUNCH);
    else if (awaited)
        status = lw__fail(LW_E_LAUNCH, "kernel '%s': %s", l->kernel, awaited);
    else if (f->images)
        status = lw__gpu_report(l->queue, l, &f->images->after);
    lw__gpu_end_flight(l->queue, f);
    return status;
}

lw_status lw__gpu_launch(void *state, const struct lw__launch *launch)
{
    char error[LW_MESSAGE_MAX + 1];

    LW_TRY(lw__gpu_refuse_capture(state, launch->queue, "a kernel that prints cannot be launched"));
    void *flight;
    LW_TRY(issue(state, launch, &flight));
    if (!lw__gpu_await(state, launch->queue, NULL, NULL))
        return retire(state, launch, flight, NULL);
    snprintf(error, sizeof error, "%s", lw_last_error());
    return retire(state, launch, flight, error);
}

/* ---- queues ---- */

/* Entered. */
static int find_stream(struct lw__gpu *gpu, struct gpu_stream *native, bool is_wrapped,
                       struct gpu_stream **stream)
{
    struct gpu_context *context = NULL;

    if (!is_wrapped)
        return gpu->driver->stream_create(stream, LW_GPU_STREAM_NON_BLOCKING);
    *stream = native;
    int result = gpu->driver->stream_context(native, &context);
    return !result && context != gpu->context ? gpu->driver->wrong_context : result;
}

static lw_status make(struct lw__gpu *gpu, void *native, bool is_wrapped, void **queue)
{
    LW_TRY(lw__gpu_enter(gpu));
    struct lw__gpu_queue *q;
    q = calloc(1, sizeof *q);
    int result = q ? find_stream(gpu, native, is_wrapped, &q->stream) : 0;
    lw__gpu_leave(gpu);
    if (!q)
        return lw__fail(LW_E_MEMORY, "out of memory: a stream");
    if (result) {
        free(q);
        return lw__gpu_result(gpu, result, "device '%s': a stream%s", gpu->name,
                              is_wrapped ? " of someone else" : "");
    }
    q->gpu = gpu;
    q->is_wrapped = is_wrapped;
    q->under_way_end = &q->under_way;
    atomic_init(&q->stop, NULL);
    pthread_mutex_lock(&gpu->lock);
    q->next = gpu->queues;
    if (q->next)
        q->next->previous = q;
    gpu->queues = q;
    pthread_mutex_unlock(&gpu->lock);
    *queue = q;
    return LW_OK;
}

/* Under the library's lock. */
static void stop(void *state, void *queue)
{
    (void)state;
    lw__gpu_stop(queue);
}

static lw_status create(void *state, void **queue)
{
    return make(state, NULL, false, queue);
}

static lw_status wrap(void *state, void *native, void **queue)
{
    return make(state, native, true, queue);
}

static void destroy(void *state, void *queue)
{
    struct lw__gpu *gpu = state;
    struct lw__gpu_queue *q = queue;
    const bool is_entered = lw__gpu_enter_to_release(gpu);
    void *word = atomic_load(&q->stop);

    if (!gpu->driver->is_forked()) {
        pthread_mutex_lock(&gpu->lock);
        assert(q->previous ? q->previous->next == q : gpu->queues == q);
        if (q->next)
            q->next->previous = q->previous;
        if (q->previous)
            q->previous->next = q->next;
        else
            gpu->queues = q->next;
        pthread_mutex_unlock(&gpu->lock);
    }
    if (is_entered &&
        !q->is_wrapped) /* what was let go of without having been awaited, as that failed */
        (void)gpu->driver->stream_wait(q->stream);
    lw__gpu_flights_free(gpu, q->plain, is_entered);
    lw__gpu_flights_free(gpu, q->recorded, is_entered);
    lw__gpu_flights_free(gpu, q->under_way, false);
    lw__gpu_free_lasting(q, is_entered);
    if (is_entered) {
        if (q->prints)
            (void)gpu->driver->memory_destroy(q->prints);
        if (word)
            (void)gpu->driver->host_destroy(word);
        if (!q->is_wrapped)
            (void)gpu->driver->stream_destroy(q->stream);
        lw__gpu_leave(gpu);
    }
    free(q);
}

const struct lw__queue_ops lw__gpu_queue_ops = {
    .create = create,
    .wrap = wrap,
    .refuse_capture = lw__gpu_refuse_capture,
    .check = lw__gpu_check_queue,
    .destroy = destroy,
    .stop = stop,
    .takes = takes,
    .issue = issue,
    .retire = retire,
    .batch_create = lw__gpu_batch_create,
    .batch_destroy = lw__gpu_batch_destroy,
    .batch_takes = lw__gpu_batch_takes,
    .batch_issue = lw__gpu_batch_issue,
    .batch_retire = lw__gpu_batch_retire,
    .mark = lw__gpu_mark,
    .mark_destroy = lw__gpu_mark_destroy,
    .mark_await = lw__gpu_mark_await,
    .mark_elapsed = lw__gpu_mark_elapsed,
    .await = lw__gpu_await,
};
