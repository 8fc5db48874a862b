/* batch.c - batches of launches as graphs of the driver.
 *
 * Each launch is a kernel node, after the nodes that it follows. The driver starts the nodes
 * without the host, and independent ones at the same time. The first run makes the graph. A later
 * run tells the driver of nodes with new arguments; runs under way keep their arguments.
 *
 * Some launches need a record (queue.c). The records are next to each other in memory of the batch;
 * its address never changes and is an argument of the nodes. One copy before the graph writes them,
 * one after it reads them, from and to memory of that run. So a run keeps its results while the
 * next one is already queued.
 */
#include "run/gpu/gpu.h"
#include <assert.h>
#include <stdlib.h>
#include <string.h>

#define NO_RECORD SIZE_MAX

static const struct lw__gpu_code *code_of(const struct lw__launch *l)
{
    return l->code;
}

static size_t record_bytes(const struct lw__gpu_batch *b)
{
    return b->record_count * sizeof(struct lw_cuda_launch);
}

/* ---- life ---- */

static void destroy(struct lw__gpu_batch *b)
{
    for (size_t k = 0; b->nodes && k < b->count; k++)
        free(b->nodes[k].args);
    free(b->nodes);
    free(b->begin);
    free(b->after);
    free(b);
}

lw_status lw__gpu_batch_create(void *state, size_t count, const size_t *begin, const size_t *after,
                               void **batch)
{
    struct lw__gpu *gpu = state;

    if (!gpu->driver->has_graphs)
        return lw__fail(LW_E_UNSUPPORTED, "the driver of device '%s' has no graphs", gpu->name);
    struct lw__gpu_batch *b;
    b = calloc(1, sizeof *b);
    if (!b)
        return lw__fail(LW_E_MEMORY, "out of memory: a batch of launches");
    b->gpu = gpu;
    b->count = count;
    b->nodes = calloc(count + 1, sizeof *b->nodes);
    b->begin = malloc((count + 1) * sizeof *begin);
    b->after = malloc((begin[count] + 1) * sizeof *after);
    if (!b->nodes || !b->begin || !b->after) {
        destroy(b);
        return lw__fail(LW_E_MEMORY, "out of memory: a batch of launches");
    }
    memcpy(b->begin, begin, (count + 1) * sizeof *begin);
    memcpy(b->after, after, begin[count] * sizeof *after);
    *batch = b;
    return LW_OK;
}

/* Entered. */
static void drop_graph(struct lw__gpu_batch *b)
{
    const struct lw__gpu_driver *driver = b->gpu->driver;

    if (b->exec)
        (void)driver->graph_exec_destroy(b->exec);
    if (b->graph)
        (void)driver->graph_destroy(b->graph);
    if (b->records)
        (void)driver->memory_destroy(b->records);
    b->exec = NULL;
    b->graph = NULL;
    b->records = 0;
}

void lw__gpu_batch_destroy(void *state, void *batch)
{
    struct lw__gpu *gpu = state;
    struct lw__gpu_batch *b = batch;
    const bool is_entered = lw__gpu_enter_to_release(gpu);

    while (b->idle) {
        struct lw__gpu_flight *next = b->idle->next;

        if (is_entered && b->idle->before)
            (void)gpu->driver->host_destroy(b->idle->before);
        free(b->idle);
        b->idle = next;
    }
    if (is_entered) {
        drop_graph(b);
        lw__gpu_leave(gpu);
    }
    destroy(b);
}

/* A launch that prints needs memory for its text. The text is read before the next such launch. */
bool lw__gpu_batch_takes(void *state, const struct lw__launch *first)
{
    (void)state;
    for (const struct lw__launch *l = first; l; l = l->next_of_batch)
        if (code_of(l)->uses & LW_CUDA_PRINTS)
            return false;
    return true;
}

/* ---- the graph: entered; results of the driver ---- */

/* The parameters' places are two of the caller's. */
static struct lw__gpu_start start_of(const struct lw__gpu_batch *b, size_t k,
                                     const struct lw__launch *l, uint64_t *record,
                                     void *parameters[2])
{
    const struct lw__gpu_node *n = &b->nodes[k];

    assert(l && n->code && (n->record == NO_RECORD || n->record < b->record_count));
    *record = n->record == NO_RECORD ? 0 : b->records + n->record * sizeof(struct lw_cuda_launch);
    parameters[0] = n->args;
    parameters[1] = record;
    return (struct lw__gpu_start){.function = n->code->function,
                                  .grid = l->grid,
                                  .block = l->block,
                                  .dynamic_bytes = (unsigned)lw__gpu_dynamic_bytes(l),
                                  .parameters = parameters};
}

static int add_nodes(struct lw__gpu_batch *b, const struct lw__launch *first)
{
    struct gpu_node **list = malloc((b->count + 1) * sizeof(struct gpu_node *));
    const struct lw__launch *l = first;
    int result = list ? 0 : b->gpu->driver->out_of_memory;

    for (size_t k = 0; k < b->count && !result; k++, l = l->next_of_batch) {
        void *parameters[2];
        uint64_t record;
        const struct lw__gpu_start start = start_of(b, k, l, &record, parameters);
        size_t count = 0;

        for (size_t i = b->begin[k]; i < b->begin[k + 1]; i++) {
            assert(b->after[i] < k); /* its node is there */
            list[count++] = b->nodes[b->after[i]].node;
        }
        result = b->gpu->driver->graph_kernel(&b->nodes[k].node, b->graph, list, count, &start);
    }
    free(list);
    return result;
}

/* What the nodes need; false: memory is short. */
static bool note_launches(struct lw__gpu_batch *b, const struct lw__launch *first)
{
    const struct lw__launch *l = first;

    b->record_count = 0;
    struct lw__guarded_args room;
    for (size_t k = 0; k < b->count; k++, l = l->next_of_batch) {
        struct lw__gpu_node *n = &b->nodes[k];
        assert(l); /* as many launches as nodes */
        size_t bytes;
        const char *args = lw__guarded_args(l, true, &room, &bytes);

        n->code = l->code;
        n->kernel = l->kernel;
        n->record = n->code->uses ? b->record_count++ : NO_RECORD;
        b->uses |= n->code->uses;
        free(n->args);
        n->args = args ? calloc(1, bytes ? bytes : LW_CUDA_ALIGN) : NULL;
        if (n->args)
            memcpy(n->args, args, bytes);
        lw__guarded_args_end(&room);
        if (!n->args)
            return false;
    }
    return true;
}

static int make_graph(struct lw__gpu_batch *b, const struct lw__launch *first)
{
    const struct lw__gpu_driver *driver = b->gpu->driver;
    assert(!b->graph && !b->exec && !b->records);
    int result = note_launches(b, first) ? 0 : driver->out_of_memory;

    if (!result && b->record_count)
        result = driver->memory_create(&b->records, record_bytes(b));
    result = result ? result : driver->graph_create(&b->graph, 0);
    result = result ? result : add_nodes(b, first);
    result = result ? result : driver->graph_instantiate(&b->exec, b->graph, 0);
    if (result)
        drop_graph(b);
    return result;
}

static int update_graph(struct lw__gpu_batch *b, const struct lw__launch *first)
{
    const struct lw__launch *l = first;
    int result = 0;

    struct lw__guarded_args room;
    for (size_t k = 0; k < b->count && !result; k++, l = l->next_of_batch) {
        size_t bytes;
        const char *args = lw__guarded_args(l, true, &room, &bytes);
        void *parameters[2];

        assert(l->code == b->nodes[k].code);
        if (!args) {
            result = b->gpu->driver->out_of_memory;
            break;
        }
        const bool is_same = !memcmp(b->nodes[k].args, args, bytes);
        memcpy(b->nodes[k].args, args, bytes);
        lw__guarded_args_end(&room);
        if (is_same)
            continue;
        uint64_t record;
        struct lw__gpu_start start = start_of(b, k, l, &record, parameters);
        result = b->gpu->driver->graph_set(b->exec, b->nodes[k].node, &start);
        if (result) /* the driver has others: all is made anew */
            drop_graph(b);
    }
    return result;
}

/* ---- runs: entered ---- */

static int take(struct lw__gpu_batch *b, struct lw__gpu_flight **out)
{
    void *images = NULL;
    int result = 0;

    pthread_mutex_lock(&b->gpu->lock);
    struct lw__gpu_flight *f = b->idle;
    if (f)
        b->idle = f->next;
    pthread_mutex_unlock(&b->gpu->lock);
    if (!f) {
        f = calloc(1, sizeof *f);
        if (!f)
            return b->gpu->driver->out_of_memory;
        if (b->record_count)
            result =
                b->gpu->driver->host_create(&images, 2 * record_bytes(b), LW_GPU_HOST_PORTABLE);
        if (result) {
            free(f);
            return result;
        }
        f->batch = b;
        f->before = images;
        f->after = f->before ? f->before + b->record_count : NULL;
    }
    *out = f;
    return 0;
}

static int start(struct lw__gpu_batch *b, struct lw__gpu_queue *q, const struct lw__launch *first,
                 const struct lw__gpu_flight *f)
{
    const struct lw__gpu_driver *driver = b->gpu->driver;
    int result = lw__gpu_prepare(q, b->uses);

    lw__gpu_stop_if_cancelled(q, first);
    assert(f->batch == b && !f->before == !b->record_count);
    if (!result && f->before) {
        memset(f->before, 0, record_bytes(b));
        for (size_t k = 0; k < b->count; k++)
            if (b->nodes[k].record != NO_RECORD)
                f->before[b->nodes[k].record].stop =
                    b->nodes[k].code->uses & LW_CUDA_STOPS ? q->stop_address : 0;
        result = b->gpu->driver->memory_write(b->records, f->before, record_bytes(b), q->stream);
    }
    result = result ? result : driver->graph_launch(b->exec, q->stream);
    if (result || !(b->uses & LW_CUDA_FAILS))
        return result;
    return driver->memory_read(f->after, b->records, record_bytes(b), q->stream);
}

static lw_status issue(struct lw__gpu_batch *b, const struct lw__launch *first,
                       struct lw__gpu_flight **flight)
{
    struct lw__gpu_queue *q = first->queue;
    struct lw__gpu_flight *f = NULL;
    int result = b->exec ? update_graph(b, first) : make_graph(b, first);

    result = result ? result : take(b, &f);
    if (!result) {
        lw__gpu_set_under_way(q, f);
        result = start(b, q, first, f);
    }
    *flight = f;
    return result
               ? lw__gpu_fail_start(q, f, result, "a graph that begins with kernel", first->kernel)
               : LW_OK;
}

lw_status lw__gpu_batch_issue(void *state, void *batch, const struct lw__launch *first,
                              void **flight)
{
    struct lw__gpu_flight *f = NULL;

    LW_TRY(lw__gpu_enter(state));
    lw_status status = issue(batch, first, &f);
    lw__gpu_leave(state);
    *flight = f;
    return status;
}

/* Of the first launch that left one. */
static lw_status report(const struct lw__launch *first, const struct lw__gpu_flight *f)
{
    const struct lw__gpu_batch *b = f->batch;
    const struct lw__launch *l = first;

    for (size_t k = 0; k < b->count; k++, l = l->next_of_batch)
        if (code_of(l)->uses & LW_CUDA_FAILS)
            LW_TRY(lw__gpu_report(l->queue, l, &f->after[b->nodes[k].record]));
    return LW_OK;
}

lw_status lw__gpu_batch_retire(void *state, const struct lw__launch *first, void *flight,
                               const char *awaited)
{
    struct lw__gpu *gpu = state;
    struct lw__gpu_flight *f = flight;
    lw_status status = LW_OK;

    if (atomic_load(&gpu->is_lost))
        status = lw__gpu_fail_lost(gpu, LW_E_LAUNCH);
    else if (awaited)
        status = lw__fail(LW_E_LAUNCH, "a graph that begins with kernel '%s': %s", first->kernel,
                          awaited);
    else
        status = report(first, f);
    lw__gpu_end_flight(first->queue, f);
    return status;
}
