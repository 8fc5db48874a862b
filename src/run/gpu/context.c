/* context.c - a GPU's context is made current to a thread, and lost.
 *
 * Some errors of the driver invalidate the context: a kernel that accessed memory outside its
 * buffers, or a GPU that fell off the bus. The GPU is then lost: every call fails and names the
 * kernel, until all users of the GPU have closed it.
 */
#include "run/gpu/gpu.h"
#include <assert.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { NAMES_MAX = 4 }; /* of kernels that may have lost the GPU */

/* ---- failing ---- */

static bool is_among(const char *name, const char *const *names, int count)
{
    for (int i = 0; i < count; i++)
        if (!strcmp(names[i], name))
            return true;
    return false;
}

/* False: there is no room for one more. */
static bool add_name(const char *name, const char **names, int *count)
{
    if (is_among(name, names, *count))
        return true;
    if (*count == NAMES_MAX)
        return false;
    names[(*count)++] = name;
    return true;
}

/* Locked. The driver does not say whose fault it was: the kernels that were under way. */
static void add_suspects(const struct lw__gpu *gpu, struct lw__message *m)
{
    const char *names[NAMES_MAX];
    int count = 0, more = 0;

    for (const struct lw__gpu_queue *q = gpu->queues; q; q = q->next) {
        if (*q->last_kernel)
            more |= !add_name(q->last_kernel, names, &count);
        for (const struct lw__gpu_flight *f = q->under_way; f; f = f->next) {
            if (!f->batch)
                more |= !add_name(f->kernel, names, &count);
            for (size_t k = 0; f->batch && k < f->batch->count; k++)
                more |= !add_name(f->batch->nodes[k].kernel, names, &count);
        }
    }
    if (!count)
        lw__message_add(m, "no launch was under way");
    for (int i = 0; i < count; i++)
        lw__message_add(m, "%s'%s'",
                        i           ? ", "
                        : count > 1 ? "one of the kernels "
                                    : "kernel ",
                        names[i]);
    lw__message_add(m, "%s: ", more ? " and others" : "");
}

static void lose(struct lw__gpu *gpu, int result)
{
    char text[LW_GPU_RESULT_ROOM];
    struct lw__message m = {0};

    pthread_mutex_lock(&gpu->lock);
    if (!atomic_load(&gpu->is_lost)) {
        add_suspects(gpu, &m);
        lw__message_add(&m, "%s", gpu->driver->result_text(result, text));
        memcpy(gpu->loss, m.text, sizeof m.text);
        atomic_store_explicit(&gpu->is_lost, true, memory_order_release);
    }
    pthread_mutex_unlock(&gpu->lock);
}

lw_status lw__gpu_fail_lost(struct lw__gpu *gpu, lw_status status)
{
    assert(atomic_load(&gpu->is_lost) && *gpu->loss);
    if (status == LW_E_LAUNCH)
        return lw__fail(status, "%s; device '%s' is lost", gpu->loss, gpu->name);
    return lw__fail(status, "device '%s' is lost (%s); close all that uses it, then open it anew",
                    gpu->name, gpu->loss);
}

lw_status lw__gpu_result(struct lw__gpu *gpu, int result, const char *format, ...)
{
    char what[256], text[LW_GPU_RESULT_ROOM];

    if (!result)
        return LW_OK;
    if (gpu->driver->ends_context(result)) {
        lose(gpu, result);
        return lw__gpu_fail_lost(gpu, LW_E_DEVICE);
    }
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(what, sizeof what, format, arguments);
    va_end(arguments);
    return lw__fail(result == gpu->driver->out_of_memory ? LW_E_MEMORY : LW_E_DEVICE, "%s: %s",
                    what, gpu->driver->result_text(result, text));
}

lw_status lw__gpu_enter(struct lw__gpu *gpu)
{
    if (gpu->driver->is_forked())
        return gpu->driver->fail_forked();
    if (atomic_load_explicit(&gpu->is_lost, memory_order_acquire))
        return lw__gpu_fail_lost(gpu, LW_E_DEVICE);
    int result = gpu->driver->context_push(gpu->context);
    return lw__gpu_result(gpu, result, "device '%s' cannot be used", gpu->name);
}

/* Objects of a lost GPU are released with its context. */
bool lw__gpu_enter_to_release(struct lw__gpu *gpu)
{
    return !gpu->driver->is_forked() &&
           !atomic_load_explicit(&gpu->is_lost, memory_order_acquire) &&
           !gpu->driver->context_push(gpu->context);
}

void lw__gpu_leave(struct lw__gpu *gpu)
{
    struct gpu_context *context;

    (void)gpu->driver->context_pop(&context);
}

int lw__gpu_copied(const struct lw__gpu *gpu, int result)
{
    return result ? result : gpu->driver->stream_wait(gpu->copies);
}

/* ---- from when on ---- */

lw_status lw__gpu_begin(struct lw__gpu *gpu)
{
    LW_TRY(lw__gpu_enter(gpu));
    int result = gpu->driver->stream_create(&gpu->copies, LW_GPU_STREAM_NON_BLOCKING);
    lw__gpu_leave(gpu);
    return lw__gpu_result(gpu, result, "device '%s' cannot be opened", gpu->name);
}

void lw__gpu_end(struct lw__gpu *gpu)
{
    const bool is_entered = gpu->copies && lw__gpu_enter_to_release(gpu);

    assert(!gpu->queues || gpu->driver->is_forked()); /* streams hold the device */
    while (gpu->marks) {
        struct lw__gpu_mark *next = gpu->marks->next;

        if (is_entered)
            (void)gpu->driver->event_destroy(gpu->marks->event);
        free(gpu->marks);
        gpu->marks = next;
    }
    if (is_entered) {
        (void)gpu->driver->stream_destroy(gpu->copies);
        lw__gpu_leave(gpu);
    }
    pthread_mutex_destroy(&gpu->lock);
}
