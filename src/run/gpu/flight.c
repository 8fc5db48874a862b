/* flight.c - a launch under way, and how it is started.
 *
 * Code with tickets, prints, asserts, checks or spin loops has a record in the GPU's memory for
 * each launch (base/cuda_abi.h). Records are reused: a launch allocates one only if more launches
 * than ever are under way.
 */
#include "run/gpu/gpu.h"
#include <assert.h>
#include <stdlib.h>
#include <string.h>

/* ---- flights ---- */

/* Entered. */
static int create_record(struct lw__gpu *gpu, struct lw__gpu_flight *f)
{
    const struct lw__gpu_driver *driver = gpu->driver;
    void *images;
    int result = driver->host_create(&images, sizeof *f->images, LW_GPU_HOST_PORTABLE);

    if (result)
        return result;
    result = driver->memory_create(&f->record, sizeof f->images->before);
    if (result)
        (void)driver->host_destroy(images);
    else
        f->images = memset(images, 0, sizeof *f->images);
    return result;
}

void lw__gpu_flights_free(struct lw__gpu *gpu, struct lw__gpu_flight *flights, bool is_entered)
{
    while (flights) {
        struct lw__gpu_flight *next = flights->next;

        if (flights->images && is_entered) {
            (void)gpu->driver->memory_destroy(flights->record);
            (void)gpu->driver->host_destroy(flights->images);
        }
        free(flights);
        flights = next;
    }
}

/* One that was used before, or NULL. */
static struct lw__gpu_flight *take_old(struct lw__gpu_queue *q, bool has_record)
{
    struct lw__gpu_flight **list = has_record ? &q->recorded : &q->plain, *f;

    pthread_mutex_lock(&q->gpu->lock);
    f = *list;
    if (f)
        *list = f->next;
    pthread_mutex_unlock(&q->gpu->lock);
    return f;
}

void lw__gpu_set_under_way(struct lw__gpu_queue *q, struct lw__gpu_flight *f)
{
    pthread_mutex_lock(&q->gpu->lock);
    assert(!*q->under_way_end);
    f->next = NULL;
    *q->under_way_end = f;
    q->under_way_end = &f->next;
    pthread_mutex_unlock(&q->gpu->lock);
}

void lw__gpu_end_flight(struct lw__gpu_queue *q, struct lw__gpu_flight *f)
{
    struct lw__gpu_flight **link = &q->under_way;
    struct lw__gpu_flight **list = f->batch    ? &f->batch->idle
                                   : f->images ? &q->recorded
                                               : &q->plain;

    pthread_mutex_lock(&q->gpu->lock);
    while (*link != f) {
        assert(*link); /* it is under way */
        link = &(*link)->next;
    }
    *link = f->next;
    if (!*link)
        q->under_way_end = link;
    f->next = *list;
    *list = f;
    pthread_mutex_unlock(&q->gpu->lock);
}

lw_status lw__gpu_flight_take(struct lw__gpu_queue *q, const struct lw__launch *l, bool has_record,
                              struct lw__gpu_flight **out)
{
    struct lw__gpu_flight *f = take_old(q, has_record);
    int result = 0;

    if (!f) {
        f = calloc(1, sizeof *f);
        if (!f)
            return lw__fail(LW_E_MEMORY, "kernel '%s': out of memory: a launch", l->kernel);
        if (has_record)
            result = create_record(q->gpu, f);
        if (result) {
            free(f);
            return lw__gpu_result(q->gpu, result, "kernel '%s': a launch's record", l->kernel);
        }
    }
    assert(!f->images == !has_record && !f->batch);
    f->kernel = l->kernel;
    *out = f;
    return LW_OK;
}

lw_status lw__gpu_fail_start(struct lw__gpu_queue *q, struct lw__gpu_flight *f, int result,
                             const char *what, const char *kernel)
{
    assert(result);
    if (f && (f->images || f->before))
        (void)q->gpu->driver->stream_wait(q->stream);
    lw_status status = lw__gpu_result(q->gpu, result, "%s '%s' cannot be launched", what, kernel);
    if (f)
        lw__gpu_end_flight(q, f);
    if (atomic_load(&q->gpu->is_lost))
        return lw__gpu_fail_lost(q->gpu, LW_E_LAUNCH);
    return status == LW_E_MEMORY ? status : LW_E_LAUNCH;
}

/* ---- starting ---- */

/* The word that tells waiting threads to end, and memory for prints: once a queue. */
int lw__gpu_prepare(struct lw__gpu_queue *q, uint32_t uses)
{
    const struct lw__gpu_driver *driver = q->gpu->driver;
    int result = 0;

    if (uses & LW_CUDA_PRINTS && !q->prints)
        result = driver->memory_create(&q->prints, LW_GPU_PRINT_BYTES);
    if (result || !(uses & LW_CUDA_STOPS) || atomic_load(&q->stop))
        return result;
    void *word;
    result =
        driver->host_create(&word, sizeof(uint32_t), LW_GPU_HOST_PORTABLE | LW_GPU_HOST_MAPPED);
    if (result)
        return result;
    *(uint32_t *)word = 0;
    result = driver->host_address(&q->stop_address, word, 0);
    if (result)
        (void)driver->host_destroy(word);
    else
        atomic_store(&q->stop, word);
    return result;
}

size_t lw__gpu_dynamic_bytes(const struct lw__launch *l)
{
    const struct lw__gpu_code *c = l->code;
    const size_t align = LW_CUDA_SHARED_ALIGN;

    return c->slack_bytes + (l->shared_bytes + align - 1) / align * align + l->dynamic_bytes;
}

int lw__gpu_start_kernel(struct lw__gpu_queue *q, const struct lw__launch *l, uint64_t record)
{
    static const char no_args[LW_CUDA_ALIGN];
    const struct lw__gpu_code *c = l->code;
    struct lw__guarded_args room;
    size_t bytes;
    const char *args = lw__guarded_args(l, true, &room, &bytes);
    if (!args)
        return q->gpu->driver->out_of_memory;
    void *parameters[] = {(void *)(uintptr_t)(bytes ? args : no_args), &record};
    const struct lw__gpu_start start = {.function = c->function,
                                        .grid = l->grid,
                                        .block = l->block,
                                        .dynamic_bytes = (unsigned)lw__gpu_dynamic_bytes(l),
                                        .follows = c->follows && !q->is_capturing,
                                        .parameters = parameters};

    const int result = q->gpu->driver->launch(&start, q->stream);
    lw__guarded_args_end(&room);
    return result;
}

void lw__gpu_stop(struct lw__gpu_queue *q)
{
    uint32_t *word = atomic_load(&q->stop);

    if (word && !q->gpu->driver->is_forked())
        __atomic_store_n(word, 1, __ATOMIC_RELEASE);
}

/* A cancel that came before the word was there. */
void lw__gpu_stop_if_cancelled(struct lw__gpu_queue *q, const struct lw__launch *l)
{
    if (atomic_load(l->cancelled))
        lw__gpu_stop(q);
}
