/* queue.c - launches on a GPU: a queue of the driver behind each stream.
 *
 * Code with tickets, prints, asserts, checks or spin loops has a record in the GPU's memory for
 * each launch (base/cuda_abi.h). Copies in the same queue write it before the launch and read it
 * afterwards, from and to pinned memory. Records are reused: a launch allocates one only if more
 * launches than ever are under way. Code that needs no record has no copies.
 */
#include "run/cuda/cuda.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---- flights ---- */

/* Entered. */
static int create_record(struct lw__cuda *gpu, struct lw__cuda_flight *f)
{
    const struct lw__cuda_driver *cu = gpu->driver;
    void *images;
    int result = cu->host_create(&images, sizeof *f->images, LW_CU_HOST_PORTABLE);

    if (result)
        return result;
    result = cu->memory_create(&f->record, sizeof f->images->before);
    if (result)
        (void)cu->host_destroy(images);
    else
        f->images = memset(images, 0, sizeof *f->images);
    return result;
}

static void free_flights(struct lw__cuda *gpu, struct lw__cuda_flight *flights, bool is_entered)
{
    while (flights) {
        struct lw__cuda_flight *next = flights->next;

        if (flights->images && is_entered) {
            (void)gpu->driver->memory_destroy(flights->record);
            (void)gpu->driver->host_destroy(flights->images);
        }
        free(flights);
        flights = next;
    }
}

/* One that was used before, or NULL. */
static struct lw__cuda_flight *take_old(struct lw__cuda_queue *q, bool has_record)
{
    struct lw__cuda_flight **list = has_record ? &q->recorded : &q->plain, *f;

    pthread_mutex_lock(&q->gpu->lock);
    f = *list;
    if (f)
        *list = f->next;
    pthread_mutex_unlock(&q->gpu->lock);
    return f;
}

static void keep(struct lw__cuda_queue *q, struct lw__cuda_flight *f)
{
    struct lw__cuda_flight **list = f->batch    ? &f->batch->idle
                                    : f->images ? &q->recorded
                                                : &q->plain;

    pthread_mutex_lock(&q->gpu->lock);
    f->next = *list;
    *list = f;
    pthread_mutex_unlock(&q->gpu->lock);
}

void lw__cuda_set_under_way(struct lw__cuda_queue *q, struct lw__cuda_flight *f)
{
    pthread_mutex_lock(&q->gpu->lock);
    f->next = NULL;
    *q->under_way_end = f;
    q->under_way_end = &f->next;
    pthread_mutex_unlock(&q->gpu->lock);
}

void lw__cuda_end(struct lw__cuda_queue *q, struct lw__cuda_flight *f)
{
    struct lw__cuda_flight **link = &q->under_way;

    pthread_mutex_lock(&q->gpu->lock);
    while (*link != f)
        link = &(*link)->next;
    *link = f->next;
    if (!*link)
        q->under_way_end = link;
    pthread_mutex_unlock(&q->gpu->lock);
    keep(q, f);
}

/* Entered. */
static lw_status take(struct lw__cuda_queue *q, const struct lw__launch *l, bool has_record,
                      struct lw__cuda_flight **out)
{
    struct lw__cuda_flight *f = take_old(q, has_record);
    int result = 0;

    if (!f) {
        f = calloc(1, sizeof *f);
        if (!f)
            return lw__fail(LW_E_MEMORY, "kernel '%s': out of memory: a launch", l->kernel);
        if (has_record)
            result = create_record(q->gpu, f);
        if (result) {
            free(f);
            return lw__cuda_fail(q->gpu, result, "kernel '%s': a launch's record", l->kernel);
        }
    }
    f->kernel = l->kernel;
    *out = f;
    return LW_OK;
}

/* ---- records ---- */

/* Entered. The word that tells waiting threads to end, and memory for prints: once a queue. */
int lw__cuda_prepare(struct lw__cuda_queue *q, uint32_t uses)
{
    const struct lw__cuda_driver *cu = q->gpu->driver;
    void *word;
    int result = 0;

    if (uses & LW_CUDA_PRINTS && !q->prints)
        result = cu->memory_create(&q->prints, LW_CUDA_PRINT_BYTES);
    if (result || !(uses & LW_CUDA_STOPS) || atomic_load(&q->stop))
        return result;
    result = cu->host_create(&word, sizeof(uint32_t), LW_CU_HOST_PORTABLE | LW_CU_HOST_MAPPED);
    if (result)
        return result;
    *(uint32_t *)word = 0;
    result = cu->host_address(&q->stop_address, word, 0);
    if (result)
        (void)cu->host_destroy(word);
    else
        atomic_store(&q->stop, word);
    return result;
}

/* Entered. */
static int write_record(struct lw__cuda_queue *q, const struct lw__cuda_flight *f, uint32_t uses)
{
    struct lw_cuda_launch *before = &f->images->before;

    before->stop = uses & LW_CUDA_STOPS ? q->stop_address : 0;
    before->prints = uses & LW_CUDA_PRINTS ? q->prints : 0;
    before->print_capacity = uses & LW_CUDA_PRINTS ? LW_CUDA_PRINT_BYTES : 0;
    before->print_end = UINT64_MAX;
    return q->gpu->driver->memory_write(
        f->record, before,
        uses & LW_CUDA_PRINTS ? sizeof *before : offsetof(struct lw_cuda_launch, failures),
        q->stream);
}

/* Entered. */
static int read_record(struct lw__cuda_queue *q, const struct lw__cuda_flight *f, uint32_t uses)
{
    if (!(uses & (LW_CUDA_PRINTS | LW_CUDA_FAILS)))
        return 0;
    return q->gpu->driver->memory_read(&f->images->after, f->record, sizeof f->images->after,
                                       q->stream);
}

/* ---- launching ---- */

size_t lw__cuda_dynamic_bytes(const struct lw__launch *l)
{
    const struct lw__cuda_code *c = l->code;
    const size_t align = LW_CUDA_SHARED_ALIGN;

    return c->slack_bytes + (l->shared_bytes + align - 1) / align * align + l->dynamic_bytes;
}

lw_status lw__cuda_check(void *state, const struct lw__launch *l)
{
    const struct lw__cuda *gpu = state;
    const struct lw__cuda_code *c = l->code;
    const size_t bytes = lw__cuda_dynamic_bytes(l) + c->static_bytes;
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
lw_status lw__cuda_fill(void *state, const struct lw__launch *l, uint32_t *blocks)
{
    struct lw__cuda *gpu = state;
    const struct lw__cuda_code *c = l->code;
    const uint32_t threads = l->block.x * l->block.y * l->block.z;
    int count = 0, result;

    LW_TRY(lw__cuda_enter(gpu));
    result =
        gpu->driver->function_blocks(&count, c->function, (int)threads, lw__cuda_dynamic_bytes(l));
    lw__cuda_leave(gpu);
    if (result)
        return lw__cuda_fail(gpu, result, "kernel '%s': how many blocks run at once", l->kernel);
    *blocks = (uint32_t)(count > 0 ? count : 1) * (uint32_t)gpu->processors;
    return LW_OK;
}

/* Entered. */
int lw__cuda_start_kernel(struct lw__cuda_queue *q, const struct lw__launch *l, uint64_t record)
{
    static const char no_args[LW_CUDA_ALIGN];
    const struct lw__cuda_code *c = l->code;
    struct lw__guarded_args room;
    size_t bytes;
    const char *args = lw__guarded_args(l, &room, &bytes);
    void *parameters[] = {(void *)(uintptr_t)(bytes ? args : no_args), &record};

    struct cu_launch_attribute programmatic = {.id = LW_CU_LAUNCH_PROGRAMMATIC, .value = {1}};
    const struct cu_launch_config config = {l->grid.x,
                                            l->grid.y,
                                            l->grid.z,
                                            l->block.x,
                                            l->block.y,
                                            l->block.z,
                                            (unsigned)lw__cuda_dynamic_bytes(l),
                                            q->stream,
                                            &programmatic,
                                            1};

    if (c->follows && !q->is_capturing && q->gpu->driver->launch_with)
        return q->gpu->driver->launch_with(&config, c->function, parameters, NULL);
    return q->gpu->driver->launch(c->function, l->grid.x, l->grid.y, l->grid.z, l->block.x,
                                  l->block.y, l->block.z, (unsigned)lw__cuda_dynamic_bytes(l),
                                  q->stream, parameters, NULL);
}

/* Under the library's lock: no call to the driver. */
static void stop(void *state, void *queue)
{
    struct lw__cuda_queue *q = queue;
    uint32_t *word = atomic_load(&q->stop);

    (void)state;
    if (word && !lw__cuda_is_forked())
        __atomic_store_n(word, 1, __ATOMIC_RELEASE);
}

/* A cancel that came before the word was there. */
void lw__cuda_stop_if_cancelled(struct lw__cuda_queue *q, const struct lw__launch *l)
{
    if (atomic_load(l->cancelled))
        stop(q->gpu, q);
}

/* Entered. */
static int start(struct lw__cuda_queue *q, const struct lw__launch *l,
                 const struct lw__cuda_flight *f)
{
    const struct lw__cuda_code *c = l->code;
    int result;

    if (!c->uses)
        return lw__cuda_start_kernel(q, l, 0);
    result = lw__cuda_prepare(q, c->uses);
    lw__cuda_stop_if_cancelled(q, l);
    result = result ? result : write_record(q, f, c->uses);
    result = result ? result : lw__cuda_start_kernel(q, l, f->record);
    return result ? result : read_record(q, f, c->uses);
}

/* Entered. Where it fails nothing of it is under way any more: what its copies and the kernel use
 * is let go then. */
static lw_status take_off(struct lw__cuda_queue *q, const struct lw__launch *l,
                          struct lw__cuda_flight **out)
{
    const struct lw__cuda_code *c = l->code;
    struct lw__cuda_flight *f = NULL;
    int result;

    LW_TRY(take(q, l, c->uses != 0, &f));
    lw__cuda_set_under_way(q, f);
    result = start(q, l, f);
    if (!result) {
        *out = f;
        return LW_OK;
    }
    if (f->images)
        (void)q->gpu->driver->stream_wait(q->stream);
    (void)lw__cuda_fail(q->gpu, result, "kernel '%s' cannot be launched", l->kernel);
    lw__cuda_end(q, f);
    if (atomic_load(&q->gpu->is_lost))
        return lw__cuda_fail_lost(q->gpu, LW_E_LAUNCH);
    return result == LW_CU_OUT_OF_MEMORY ? LW_E_MEMORY : LW_E_LAUNCH;
}

/* A launch that prints needs memory for its text. The text is read before the next such launch. */
static bool takes(void *state, const struct lw__launch *l)
{
    const struct lw__cuda_code *c = l->code;

    (void)state;
    return !(c->uses & LW_CUDA_PRINTS);
}

/* Nobody waits for the end of it. */
static bool is_untold(const struct lw__launch *l)
{
    const struct lw__cuda_queue *q = l->queue;

    return q->is_wrapped && takes(NULL, l);
}

static lw_status issue(void *state, const struct lw__launch *l, void **flight)
{
    struct lw__cuda *gpu = state;
    struct lw__cuda_flight *f = NULL;
    lw_status status;

    LW_TRY(lw__cuda_enter(gpu));
    if (is_untold(l))
        status = lw__cuda_issue_wrapped(l->queue, l);
    else
        status = take_off(l->queue, l, &f);
    lw__cuda_leave(gpu);
    *flight = f;
    return status;
}

/* Under the library's lock, where nothing was printed. */
static lw_status retire(void *state, const struct lw__launch *l, void *flight, const char *awaited)
{
    struct lw__cuda *gpu = state;
    struct lw__cuda_flight *f = flight;
    lw_status status = LW_OK;

    if (atomic_load(&gpu->is_lost))
        status = lw__cuda_fail_lost(gpu, LW_E_LAUNCH);
    else if (awaited)
        status = lw__fail(LW_E_LAUNCH, "kernel '%s': %s", l->kernel, awaited);
    else if (f->images)
        status = lw__cuda_report(l->queue, l, &f->images->after);
    lw__cuda_end(l->queue, f);
    return status;
}

lw_status lw__cuda_launch(void *state, const struct lw__launch *launch)
{
    char error[LW_MESSAGE_MAX + 1];
    void *flight;

    LW_TRY(
        lw__cuda_refuse_capture(state, launch->queue, "a kernel that prints cannot be launched"));
    LW_TRY(issue(state, launch, &flight));
    if (!lw__cuda_await(state, launch->queue, NULL, NULL))
        return retire(state, launch, flight, NULL);
    snprintf(error, sizeof error, "%s", lw_last_error());
    return retire(state, launch, flight, error);
}

/* ---- queues ---- */

static void list(struct lw__cuda_queue *q)
{
    pthread_mutex_lock(&q->gpu->lock);
    q->next = q->gpu->queues;
    if (q->next)
        q->next->previous = q;
    q->gpu->queues = q;
    pthread_mutex_unlock(&q->gpu->lock);
}

static void unlist(struct lw__cuda_queue *q)
{
    pthread_mutex_lock(&q->gpu->lock);
    if (q->next)
        q->next->previous = q->previous;
    if (q->previous)
        q->previous->next = q->next;
    else
        q->gpu->queues = q->next;
    pthread_mutex_unlock(&q->gpu->lock);
}

/* Entered. */
static int find_stream(struct lw__cuda *gpu, struct cu_stream *native, bool is_wrapped,
                       struct cu_stream **stream)
{
    struct cu_context *context = NULL;
    int result;

    if (!is_wrapped)
        return gpu->driver->stream_create(stream, LW_CU_STREAM_NON_BLOCKING);
    *stream = native;
    result = gpu->driver->stream_context(native, &context);
    return !result && context != gpu->context ? LW_CU_INVALID_CONTEXT : result;
}

static lw_status make(struct lw__cuda *gpu, void *native, bool is_wrapped, void **queue)
{
    struct lw__cuda_queue *q;
    int result;

    LW_TRY(lw__cuda_enter(gpu));
    q = calloc(1, sizeof *q);
    result = q ? find_stream(gpu, native, is_wrapped, &q->stream) : 0;
    lw__cuda_leave(gpu);
    if (!q)
        return lw__fail(LW_E_MEMORY, "out of memory: a stream");
    if (result) {
        free(q);
        return lw__cuda_fail(gpu, result, "device '%s': a stream%s", gpu->name,
                             is_wrapped ? " of someone else" : "");
    }
    q->gpu = gpu;
    q->is_wrapped = is_wrapped;
    q->under_way_end = &q->under_way;
    atomic_init(&q->stop, NULL);
    list(q);
    *queue = q;
    return LW_OK;
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
    struct lw__cuda *gpu = state;
    struct lw__cuda_queue *q = queue;
    const bool is_entered = lw__cuda_enter_to_release(gpu);
    void *word = atomic_load(&q->stop);

    if (!lw__cuda_is_forked())
        unlist(q);
    if (is_entered &&
        !q->is_wrapped) /* what was let go of without having been awaited, as that failed */
        (void)gpu->driver->stream_wait(q->stream);
    free_flights(gpu, q->plain, is_entered);
    free_flights(gpu, q->recorded, is_entered);
    free_flights(gpu, q->under_way, false);
    lw__cuda_free_lasting(q, is_entered);
    if (is_entered) {
        if (q->prints)
            (void)gpu->driver->memory_destroy(q->prints);
        if (word)
            (void)gpu->driver->host_destroy(word);
        if (!q->is_wrapped)
            (void)gpu->driver->stream_destroy(q->stream);
        lw__cuda_leave(gpu);
    }
    free(q);
}

const struct lw__queue_ops lw__cuda_queue_ops = {
    .create = create,
    .wrap = wrap,
    .refuse_capture = lw__cuda_refuse_capture,
    .check = lw__cuda_check_queue,
    .destroy = destroy,
    .stop = stop,
    .takes = takes,
    .issue = issue,
    .retire = retire,
    .batch_create = lw__cuda_batch_create,
    .batch_destroy = lw__cuda_batch_destroy,
    .batch_takes = lw__cuda_batch_takes,
    .batch_issue = lw__cuda_batch_issue,
    .batch_retire = lw__cuda_batch_retire,
    .mark = lw__cuda_mark,
    .mark_destroy = lw__cuda_mark_destroy,
    .mark_await = lw__cuda_mark_await,
    .mark_elapsed = lw__cuda_mark_elapsed,
    .await = lw__cuda_await,
};
