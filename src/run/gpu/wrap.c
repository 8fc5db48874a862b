/* wrap.c - a stream of the caller's as a queue: the library does not track its launches.
 *
 * Its owner may capture it into a graph at any time. A launch therefore adds only the kernel, and
 * copies of its record if it has one. The library does not learn when a launch is over. So each
 * code has one record, which stays with the queue and collects the failures. The kernel writes its
 * failed asserts there, and a copy takes them to the host, where lw__gpu_check_queue looks.
 *
 * While the stream is captured, the library can neither allocate the memory of a first launch nor
 * wait.
 */
#include "run/gpu/gpu.h"
#include <assert.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* All launches of one code in this queue. */
struct lw__gpu_lasting {
    struct lw__gpu_lasting *next; /* gpu->lock */
    struct lw__launch launch;     /* the last, but for what does not outlive it */
    struct lw__object *objects;   /* guarded: a copy of the last one's, which the launch has */
    struct lw__gpu_images *images;
    uint64_t record; /* in the GPU's memory */
};

/* ---- capture ---- */

/* Entered. */
static lw_status look_for_capture(struct lw__gpu_queue *q)
{
    int capture = 0, result = q->gpu->driver->stream_is_capturing(q->stream, &capture);

    q->is_capturing = capture != 0;
    return lw__gpu_result(q->gpu, result, "device '%s': the wrapped stream", q->gpu->name);
}

lw_status lw__gpu_refuse_capture(void *state, void *queue, const char *what)
{
    struct lw__gpu_queue *q = queue;

    if (!q->is_wrapped)
        return LW_OK;
    LW_TRY(lw__gpu_enter(state));
    lw_status status = look_for_capture(q);
    lw__gpu_leave(state);
    if (!status && q->is_capturing)
        status = lw__fail(LW_E_ARG, "the wrapped stream is being captured: %s", what);
    return status;
}

/* ---- records ---- */

static struct lw__gpu_lasting *find(struct lw__gpu_queue *q, const void *code)
{
    pthread_mutex_lock(&q->gpu->lock);
    struct lw__gpu_lasting *r;
    for (r = q->lasting; r && r->launch.code != code;)
        r = r->next;
    pthread_mutex_unlock(&q->gpu->lock);
    return r;
}

static void destroy(struct lw__gpu *gpu, struct lw__gpu_lasting *r, bool is_entered)
{
    if (is_entered && r->record)
        (void)gpu->driver->memory_destroy(r->record);
    if (is_entered && r->images)
        (void)gpu->driver->host_destroy(r->images);
    free(r->objects);
    free(r);
}

void lw__gpu_free_lasting(struct lw__gpu_queue *q, bool is_entered)
{
    while (q->lasting) {
        struct lw__gpu_lasting *next = q->lasting->next;

        destroy(q->gpu, q->lasting, is_entered);
        q->lasting = next;
    }
}

/* Entered. All zero, also in the GPU's memory: launches add to that. */
static int make_images(struct lw__gpu *gpu, struct lw__gpu_lasting *r)
{
    const struct lw__gpu_driver *driver = gpu->driver;
    const size_t bytes = sizeof r->images->before;
    void *images;
    int result = driver->host_create(&images, sizeof *r->images, LW_GPU_HOST_PORTABLE);

    if (result)
        return result;
    r->images = memset(images, 0, sizeof *r->images);
    result = driver->memory_create(&r->record, bytes);
    return result ? result
                  : lw__gpu_copied(gpu, driver->memory_fill(r->record, 0, bytes, gpu->copies));
}

/* Entered. */
static lw_status create(struct lw__gpu_queue *q, const struct lw__launch *l,
                        struct lw__gpu_lasting **out)
{
    const struct lw__gpu_code *c = l->code;

    if (q->is_capturing)
        return lw__fail(LW_E_ARG,
                        "%s: the wrapped stream is being captured; a kernel that asserts, waits "
                        "or takes tickets is launched on it once before",
                        l->kernel);
    struct lw__gpu_lasting *r;
    r = calloc(1, sizeof *r);
    if (!r)
        return lw__fail(LW_E_MEMORY, "kernel '%s': out of memory: a launch", l->kernel);
    r->launch = *l;
    r->objects = calloc(l->object_count + 1, sizeof *r->objects);
    if (!r->objects) {
        free(r);
        return lw__fail(LW_E_MEMORY, "kernel '%s': out of memory: a launch", l->kernel);
    }
    r->launch.objects = r->objects;
    r->launch.reach = NULL; /* of the launch alone */
    int result = make_images(q->gpu, r);
    result = result ? result : lw__gpu_prepare(q, c->uses);
    if (result) {
        destroy(q->gpu, r, true);
        return lw__gpu_result(q->gpu, result, "kernel '%s': a launch's record", l->kernel);
    }
    r->images->before.stop = c->uses & LW_CUDA_STOPS ? q->stop_address : 0;
    pthread_mutex_lock(&q->gpu->lock);
    r->next = q->lasting;
    q->lasting = r;
    pthread_mutex_unlock(&q->gpu->lock);
    *out = r;
    return LW_OK;
}

/* Launches that differ have no common grid: their blocks and threads are numbered. What is told of
 * buffers is by those of the last. */
static void note_launch(struct lw__gpu_queue *q, struct lw__gpu_lasting *r,
                        const struct lw__launch *l)
{
    struct lw__launch *of_all = &r->launch;

    assert(of_all->code == l->code && of_all->object_count == l->object_count);
    if (!memcmp(&of_all->grid, &l->grid, sizeof l->grid) && !l->is_guarded)
        return;
    pthread_mutex_lock(&q->gpu->lock);
    if (memcmp(&of_all->grid, &l->grid, sizeof l->grid))
        of_all->grid = (lw_dim3){UINT32_MAX, 1, 1};
    if (l->object_count)
        memcpy(r->objects, l->objects, l->object_count * sizeof *r->objects);
    pthread_mutex_unlock(&q->gpu->lock);
}

/* ---- launching ---- */

/* Entered. Tickets begin anew; failures stay. */
static int start(struct lw__gpu_queue *q, const struct lw__launch *l, struct lw__gpu_lasting *r)
{
    const struct lw__gpu_driver *driver = q->gpu->driver;
    const struct lw__gpu_code *c = l->code;

    note_launch(q, r, l);
    int result = driver->memory_write(r->record, &r->images->before,
                                      offsetof(struct lw_cuda_launch, failure_count), q->stream);
    result = result ? result : lw__gpu_start_kernel(q, l, r->record);
    if (result || !(c->uses & LW_CUDA_FAILS))
        return result;
    return driver->memory_read(&r->images->after, r->record, sizeof r->images->after, q->stream);
}

lw_status lw__gpu_issue_wrapped(struct lw__gpu_queue *q, const struct lw__launch *l)
{
    const struct lw__gpu_code *c = l->code;
    struct lw__gpu_lasting *r = NULL;

    assert(q->is_wrapped && !(c->uses & LW_CUDA_PRINTS));
    LW_TRY(look_for_capture(q));
    if (c->uses) {
        r = find(q, c);
        if (!r)
            LW_TRY(create(q, l, &r));
    }
    pthread_mutex_lock(&q->gpu->lock);
    snprintf(q->last_kernel, sizeof q->last_kernel, "%s", l->kernel);
    pthread_mutex_unlock(&q->gpu->lock);
    int result = r ? start(q, l, r) : lw__gpu_start_kernel(q, l, 0);
    return lw__gpu_result(q->gpu, result, "kernel '%s' cannot be launched", l->kernel);
}

/* ---- what went wrong ---- */

/* The failures so far. Copies of later launches may be under way to the same place: they bring what
 * is there already, and more after it. A failure whose last word is not there yet is for the next
 * time. */
static void take_failures(const struct lw__gpu_lasting *r, struct lw_cuda_launch *out)
{
    const struct lw_cuda_launch *after = &r->images->after;
    uint64_t count = __atomic_load_n(&after->failure_count, __ATOMIC_ACQUIRE);

    out->failure_count = 0;
    for (uint64_t i = 0; i < count && i < LW_CUDA_FAILURES; i++) {
        struct lw_cuda_failure *f = &out->failures[i];

        f->expression = __atomic_load_n(&after->failures[i].expression, __ATOMIC_ACQUIRE);
        if (!f->expression)
            return;
        f->block = __atomic_load_n(&after->failures[i].block, __ATOMIC_RELAXED);
        f->thread = __atomic_load_n(&after->failures[i].thread, __ATOMIC_RELAXED);
        f->site = __atomic_load_n(&after->failures[i].site, __ATOMIC_RELAXED);
        for (int k = 0; k < LW_CUDA_SAID_MAX; k++)
            out->said[i][k] = __atomic_load_n(&after->said[i][k], __ATOMIC_RELAXED);
        out->failure_count = i + 1;
    }
}

static bool has_failed(const struct lw__gpu_lasting *r, struct lw_cuda_launch *failures)
{
    const struct lw__gpu_code *c = r->launch.code;

    if (!(c->uses & LW_CUDA_FAILS))
        return false;
    take_failures(r, failures);
    return failures->failure_count != 0;
}

/* The error of an earlier launch comes with any call. */
static lw_status ask(struct lw__gpu_queue *q)
{
    int result = 0;

    LW_TRY(lw__gpu_enter(q->gpu));
    lw_status status = look_for_capture(q);
    if (!status && !q->is_capturing)
        result = q->gpu->driver->stream_query(q->stream);
    lw__gpu_leave(q->gpu);
    LW_TRY(status);
    return result && result != q->gpu->driver->not_ready
               ? lw__gpu_result(q->gpu, result, "device '%s': the wrapped stream", q->gpu->name)
               : LW_OK;
}

lw_status lw__gpu_check_queue(void *state, void *queue, bool asks)
{
    struct lw__gpu_queue *q = queue;
    struct lw__gpu *gpu = state;

    if (atomic_load(&gpu->is_lost))
        return lw__gpu_fail_lost(gpu, LW_E_LAUNCH);
    pthread_mutex_lock(&gpu->lock);
    struct lw_cuda_launch failures;
    struct lw__gpu_lasting *r;
    for (r = q->lasting; r && !has_failed(r, &failures);)
        r = r->next;
    struct lw__launch launch;
    if (r)
        launch = r->launch;
    pthread_mutex_unlock(&gpu->lock);
    if (r)
        return lw__gpu_report(q, &launch, &failures);
    return asks && q->is_wrapped ? ask(q) : LW_OK;
}
