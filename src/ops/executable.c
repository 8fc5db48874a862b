/* executable.c - compiled graphs: their memory, what is bound to inputs and outputs, their runs.
 *
 * A run queues the recorded launches on the stream, with the run's tensors as inputs and outputs.
 * If device and stream take a batch, the launches are one; a GPU then gets a graph of its driver.
 * Else they are queued one by one. Some tensors go through the executable's own memory: strided
 * ones, and those that begin between two elements. All runs use the same memory for temporaries, so
 * they run one after the other. A run on another stream waits here until the run before it is over.
 */
#include "ops/graph.h"
#include <assert.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { TEXT_BYTES = 1024 }; /* of a message */

static const char run_name[] = "lw_executable_run";

/* An input or output in a run. */
struct bound {
    struct lw__graph_tensor *tensor;
    struct lw__operand operand;
    lw_tensor given;    /* by the caller */
    lw_tensor used;     /* by the launches: given, or own memory, in C order */
    lw_buffer *staging; /* own memory; NULL: none was needed so far */
    bool is_bound, is_copied;
};

struct lw_executable {
    struct lw__recording recording;
    struct bound *bounds; /* inputs, then outputs, in the order of declaration */
    size_t bound_count;
    size_t *bound_of; /* of each tensor that is an input or output */
    lw_buffer *memory;
    lw_placement *placements;
    lw_executable_info info;
    lw_batch *batch;    /* NULL: the launches go one by one */
    lw_recorded *calls; /* all launches, with arguments of the run that is being queued: in args */
    lw_arg *args;
    pthread_mutex_t lock;
    /* locked: */
    lw_event *done;
    const lw_stream *last; /* of the latest run; NULL: there was none */
    bool is_marked;        /* and `done` comes after it, which a batch alone does not need */
};

static lw_status no_memory(void)
{
    return lw_fail(LW_E_MEMORY, "out of memory: an executable");
}

/* ---- compiling ---- */

static void set_bound(lw_executable *x, size_t bound, size_t tensor)
{
    assert(bound < x->recording.inputs + x->recording.outputs && !x->bounds[bound].tensor);
    x->bound_of[tensor] = bound;
    x->bounds[bound].tensor = &x->recording.tensors[tensor];
}

static lw_status list_bounds(lw_executable *x)
{
    const struct lw__recording *r = &x->recording;

    x->bounds = calloc(r->tensor_count + 1, sizeof *x->bounds);
    x->bound_of = calloc(r->tensor_count + 1, sizeof *x->bound_of);
    if (!x->bounds || !x->bound_of)
        return no_memory();
    for (size_t k = 0; k < r->tensor_count; k++)
        if (r->tensors[k].role == LW_ROLE_INPUT)
            set_bound(x, x->bound_count++, k);
        else if (r->tensors[k].role == LW_ROLE_OUTPUT)
            set_bound(x, r->inputs + r->tensors[k].declared, k);
    assert(x->bound_count == r->inputs);
    x->bound_count = r->inputs + r->outputs;
    return LW_OK;
}

/* Each temporary as a part of the one piece of memory. */
static lw_status make_memory(lw_executable *x)
{
    struct lw__recording *r = &x->recording;

    x->placements = calloc(r->tensor_count + 1, sizeof *x->placements);
    if (!x->placements)
        return no_memory();
    LW_TRY(lw_buffer_create(r->device, LW_U8, x->info.bytes_planned, &x->memory));
    for (size_t k = 0; k < r->tensor_count; k++) {
        struct lw__graph_tensor *t = &r->tensors[k];

        if (!lw__tensor_is_planned(t))
            continue;
        assert(t->offset + t->bytes <= x->info.bytes_planned && t->last < r->launch_count);
        x->placements[x->info.temporaries++] = (lw_placement){.bytes = t->bytes,
                                                              .offset = t->offset,
                                                              .first_launch = t->first,
                                                              .last_launch = t->last};
        LW_TRY(lw_buffer_create_part(x->memory, t->offset, t->dtype, t->count, &t->buffer));
    }
    return LW_OK;
}

/* Where a parameter is an input or output, runs fill in the argument. */
static lw_arg as_planned(const lw_executable *x, lw_arg arg, size_t tensor)
{
    if (tensor == LW_NO_TENSOR || !lw__tensor_is_planned(&x->recording.tensors[tensor]))
        return arg;
    if (arg.kind == LW_ARG_TENSOR)
        arg.as.tensor.buffer = x->recording.tensors[tensor].buffer;
    else
        arg.as.buffer = x->recording.tensors[tensor].buffer;
    return arg;
}

static lw_status make_calls(lw_executable *x)
{
    const struct lw__recording *r = &x->recording;
    size_t count = 0;

    for (size_t k = 0; k < r->launch_count; k++)
        count += r->launches[k]->call.count;
    lw_arg *args;
    x->args = args = calloc(count + 1, sizeof *x->args);
    x->calls = calloc(r->launch_count + 1, sizeof *x->calls);
    if (!args || !x->calls)
        return no_memory();
    for (size_t k = 0; k < r->launch_count; k++) {
        const struct lw__graph_launch *l = r->launches[k];

        x->calls[k] = l->call;
        x->calls[k].args = args;
        for (size_t i = 0; i < l->call.count; i++)
            *args++ = as_planned(x, l->call.args[i], l->tensors[i]);
    }
    assert(args == x->args + count);
    return LW_OK;
}

static lw_status make_batch(lw_executable *x)
{
    struct lw__order order;
    lw_status status = lw__order(&x->recording, &order);

    if (!status)
        status = lw_batch_create(x->recording.device, x->recording.launch_count, order.begin,
                                 order.after, &x->batch);
    lw__order_free(&order);
    return status == LW_E_UNSUPPORTED ? LW_OK : status;
}

static lw_status compile(const lw_graph *g, lw_executable *x)
{
    LW_TRY(lw__recording_copy(&g->recording, &x->recording));
    LW_TRY(lw__plan(&x->recording, &x->info.bytes_planned, &x->info.bytes_unshared));
    LW_TRY(list_bounds(x));
    LW_TRY(make_memory(x));
    LW_TRY(make_calls(x));
    LW_TRY(make_batch(x));
    x->info.launches = x->recording.launch_count;
    x->info.placements = x->placements;
    return lw_event_create(x->recording.device, &x->done);
}

lw_status lw_graph_compile(lw_graph *graph, lw_executable **executable)
{
    if (!executable)
        return lw_fail(LW_E_ARG, "the place for the executable is NULL");
    *executable = NULL;
    if (!graph)
        return lw_fail(LW_E_ARG, "the graph is NULL");
    lw_executable *x;
    x = calloc(1, sizeof *x);
    if (!x)
        return no_memory();
    pthread_mutex_init(&x->lock, NULL);
    lw_status status = compile(graph, x);
    if (status)
        lw_executable_destroy(x);
    else
        *executable = x;
    return status;
}

void lw_executable_destroy(lw_executable *executable)
{
    lw_executable *x = executable;

    if (!x)
        return;
    for (size_t k = 0; k < x->bound_count; k++)
        lw_buffer_destroy(x->bounds[k].staging);
    lw__recording_free(&x->recording);
    lw_buffer_destroy(x->memory);
    lw_event_destroy(x->done);
    lw_batch_destroy(x->batch);
    pthread_mutex_destroy(&x->lock);
    free(x->bounds);
    free(x->bound_of);
    free(x->placements);
    free(x->calls);
    free(x->args);
    free(x);
}

lw_status lw_executable_get_info(const lw_executable *executable, lw_executable_info *info)
{
    if (!executable || !info)
        return lw_fail(LW_E_ARG, "the %s is NULL",
                       executable ? "place for the answer" : "executable");
    *info = executable->info;
    return LW_OK;
}

/* ---- binding: locked ---- */

/* Of an input and an output of one name the input comes first. */
static lw_status find_bound(lw_executable *x, const char *const *names, size_t index,
                            struct bound **out)
{
    bool is_found = !names;

    *out = &x->bounds[index];
    for (size_t k = 0; names && names[index] && k < x->bound_count; k++)
        if (!strcmp(x->bounds[k].tensor->name, names[index]) && (!is_found || (*out)->is_bound)) {
            *out = &x->bounds[k];
            is_found = true;
        }
    if (is_found)
        return LW_OK;
    return lw_fail(LW_E_ARG, "%s: the graph has no input or output '%s'", run_name,
                   names[index] ? names[index] : "NULL");
}

static lw_status check_shape(const struct lw__call *call, const struct bound *b)
{
    size_t extents[LW_AXES];

    for (int k = 0; k < b->tensor->rank; k++)
        extents[k] = (size_t)b->tensor->extent[k];
    return lw__operand_expect(call, &b->operand, b->tensor->rank, extents);
}

/* A step counts where there is more than one element to step over. */
static bool is_in_order(const struct lw__operand *o)
{
    ptrdiff_t step = 1;
    bool in_order = true;

    for (int k = LW_AXES - 1; k >= 0; k--) {
        in_order = in_order && (o->shape.extent[k] == 1 || o->view.stride[k] == step);
        step *= (ptrdiff_t)o->shape.extent[k];
    }
    return in_order || !step;
}

static lw_status bind_one(const struct lw__call *call, struct bound *b, lw_tensor given)
{
    const struct lw__graph_tensor *t = b->tensor;

    if (b->is_bound)
        return lw_fail(LW_E_ARG, "%s: '%s' is given twice", run_name, t->name);
    if (given.buffer && lw_buffer_is_blank(given.buffer))
        return lw_fail(LW_E_ARG, "%s: '%s' is a graph's tensor, which has no memory", run_name,
                       t->name);
    if (t->role == LW_ROLE_OUTPUT || t->is_written)
        LW_TRY(lw__operand_out(call, t->name, given, &b->operand));
    else
        LW_TRY(lw__operand_in(call, t->name, given, &b->operand));
    if (b->operand.dtype != t->dtype)
        return lw_fail(LW_E_DTYPE, "%s: '%s' is of %s; need %s", run_name, t->name,
                       lw_dtype_name(b->operand.dtype), lw_dtype_name(t->dtype));
    LW_TRY(check_shape(call, b));
    if (lw_buffer_is_mapped(given.buffer))
        return lw_fail(LW_E_ARG, "%s: the buffer of '%s' is mapped; it needs lw_buffer_unmap first",
                       run_name, t->name);
    b->is_bound = true;
    b->given = b->used = given;
    b->is_copied = !is_in_order(&b->operand) || (t->needs_start && given.offset);
    return LW_OK;
}

static lw_status check_apart(const struct lw__call *call, const lw_executable *x)
{
    for (size_t i = 0; i < x->bound_count; i++)
        for (size_t k = 0; k < x->bound_count; k++) {
            const struct lw__graph_tensor *a = x->bounds[i].tensor, *b = x->bounds[k].tensor;

            if (i != k && (a->role == LW_ROLE_OUTPUT || a->is_written) &&
                (b->role == LW_ROLE_INPUT || i < k))
                LW_TRY(
                    lw__operand_apart(call, &x->bounds[i].operand, &x->bounds[k].operand, false));
        }
    return LW_OK;
}

/* Of the executable's own memory, made at the first run that needs it. */
static lw_status stage(lw_executable *x)
{
    for (size_t k = 0; k < x->bound_count; k++) {
        struct bound *b = &x->bounds[k];
        const struct lw__graph_tensor *t = b->tensor;

        assert(b->is_bound); /* as many were given, and none twice */
        if (!b->is_copied)
            continue;
        if (!b->staging)
            LW_TRY(lw_buffer_create(x->recording.device, t->dtype, t->count, &b->staging));
        b->used = (lw_tensor){.buffer = b->staging, .rank = t->rank};
        memcpy(b->used.extent, t->extent, sizeof t->extent);
    }
    return LW_OK;
}

static lw_status bind(lw_executable *x, lw_stream *s, const char *const *names,
                      const lw_tensor *tensors, size_t count)
{
    const struct lw__call call = {
        .name = run_name, .stream = s, .device = x->recording.device, .is_dry = false};

    if (count != x->bound_count)
        return lw_fail(LW_E_ARG, "%s: %zu tensors for %zu inputs and %zu outputs", run_name, count,
                       x->bound_count - x->recording.outputs, x->recording.outputs);
    for (size_t k = 0; k < count; k++)
        x->bounds[k].is_bound = false;
    for (size_t k = 0; k < count; k++) {
        struct bound *b;

        LW_TRY(find_bound(x, names, k, &b));
        LW_TRY(bind_one(&call, b, tensors[k]));
    }
    LW_TRY(check_apart(&call, x));
    return stage(x);
}

/* Before anything is queued. */
static lw_status check_ordinary(const lw_executable *x)
{
    for (size_t k = 0; k < x->recording.launch_count; k++) {
        const struct lw__graph_launch *l = x->recording.launches[k];

        for (size_t i = 0; i < l->call.count; i++)
            if (l->tensors[i] == LW_NO_TENSOR &&
                lw_buffer_is_mapped(lw__arg_buffer(&l->call.args[i])))
                return lw_fail(LW_E_ARG,
                               "%s: launch %zu, %s: the buffer of parameter %zu is mapped; it "
                               "needs lw_buffer_unmap first",
                               run_name, k, lw_kernel_name(l->call.kernel), i + 1);
    }
    return LW_OK;
}

/* ---- running: locked ---- */

static lw_arg as_bound(const struct bound *b, lw_arg arg)
{
    lw_tensor t;

    assert(b->is_bound && (!b->is_copied || b->used.buffer == b->staging));
    if (arg.kind == LW_ARG_TENSOR) {
        t = arg.as.tensor;
        t.buffer = b->used.buffer;
        t.offset += b->used.offset;
        return lw_arg_tensor(t);
    }
    if (!b->used.offset && lw_buffer_count(b->used.buffer) == b->tensor->count)
        return lw_arg_buffer(b->used.buffer);
    t = (lw_tensor){.buffer = b->used.buffer, .offset = b->used.offset, .rank = 1};
    t.extent[0] = (ptrdiff_t)b->tensor->count;
    return lw_arg_tensor(t);
}

static void fill_in(lw_executable *x)
{
    lw_arg *arg = x->args;

    for (size_t k = 0; k < x->recording.launch_count; k++) {
        const struct lw__graph_launch *l = x->recording.launches[k];

        for (size_t i = 0; i < l->call.count; i++, arg++)
            if (l->tensors[i] != LW_NO_TENSOR &&
                !lw__tensor_is_planned(&x->recording.tensors[l->tensors[i]]))
                *arg = as_bound(&x->bounds[x->bound_of[l->tensors[i]]], l->call.args[i]);
    }
}

static lw_status launch_one_by_one(lw_executable *x, lw_stream *s)
{
    x->is_marked = true;
    for (size_t k = 0; k < x->recording.launch_count; k++) {
        const lw_recorded *l = &x->calls[k];
        const lw_launch_options options = {.shared_bytes = l->shared_bytes};

        LW_TRY(lw_stream_launch(s, l->kernel, l->grid, l->block, &options, l->args, l->count));
    }
    return LW_OK;
}

static lw_status launch_all(lw_executable *x, lw_stream *s)
{
    lw_status status = LW_E_UNSUPPORTED;

    fill_in(x);
    if (x->batch && !lw_stream_is_wrapped(s))
        status = lw_batch_run(x->batch, s, x->calls);
    return status == LW_E_UNSUPPORTED ? launch_one_by_one(x, s) : status;
}

static lw_status queue(lw_executable *x, lw_stream *s)
{
    x->is_marked = false;
    for (size_t k = 0; k < x->bound_count; k++)
        if (x->bounds[k].is_copied) {
            x->is_marked = true;
            LW_TRY(lw_copy(s, x->bounds[k].used, x->bounds[k].given));
        }
    LW_TRY(launch_all(x, s));
    for (size_t k = 0; k < x->bound_count; k++)
        if (x->bounds[k].is_copied && x->bounds[k].tensor->is_written)
            LW_TRY(lw_copy(s, x->bounds[k].given, x->bounds[k].used));
    return LW_OK;
}

/* A stream that has failed tells so at once, though a launch of it may still be running: reading
 * waits until a buffer is not in use. */
static void await_use(const lw_executable *x)
{
    for (size_t k = 0; k < x->recording.tensor_count; k++)
        if (x->recording.tensors[k].buffer)
            (void)!lw_buffer_read(x->recording.tensors[k].buffer, 0, 0, NULL);
    for (size_t k = 0; k < x->bound_count; k++)
        if (x->bounds[k].staging)
            (void)!lw_buffer_read(x->bounds[k].staging, 0, 0, NULL);
}

/* A failure of the run before is reported by its own stream. */
static void await_run_before(const lw_executable *x, const lw_stream *s)
{
    if (!x->last || x->last == s)
        return;
    lw_batch_wait(x->batch);
    if (x->is_marked && lw_event_wait(x->done))
        await_use(x);
}

/* Nothing can be recorded in what is being captured: its owner keeps replays apart. */
static lw_status mark(lw_executable *x, lw_stream *s)
{
    if (x->is_marked && lw_stream_is_captured(s))
        x->is_marked = false;
    return x->is_marked ? lw_event_record(x->done, s) : LW_OK;
}

/* A failure between two launches leaves the first ones queued, which the mark comes after. Where
 * there can be none, the stream has failed. */
static lw_status run(lw_executable *x, lw_stream *s, const char *const *names,
                     const lw_tensor *tensors, size_t count)
{
    char text[TEXT_BYTES];

    LW_TRY(bind(x, s, names, tensors, count));
    LW_TRY(check_ordinary(x));
    await_run_before(x, s);
    x->last = s;
    lw_status queued = queue(x, s);
    if (!queued)
        queued = mark(x, s);
    if (!queued)
        return LW_OK;
    snprintf(text, sizeof text, "%s", lw_last_error());
    if (x->is_marked && mark(x, s)) {
        await_use(x);
        x->is_marked = false;
    }
    return lw_fail(queued, "%s", text);
}

lw_status lw_executable_run(lw_executable *executable, lw_stream *s, const char *const *names,
                            const lw_tensor *tensors, size_t count)
{
    if (!executable || !s || (count && !tensors))
        return lw_fail(LW_E_ARG, "%s: the %s is NULL", run_name,
                       !executable ? "executable"
                       : !s        ? "stream"
                                   : "list of tensors");
    if (lw_stream_records(s))
        return lw_fail(LW_E_ARG,
                       "%s: the stream records for a graph; only launches and operations can be "
                       "recorded",
                       run_name);
    if (lw_stream_device(s) != executable->recording.device)
        return lw_fail(LW_E_DEVICE, "%s: the stream is of another device than the graph", run_name);
    pthread_mutex_lock(&executable->lock);
    lw_status status = run(executable, s, names, tensors, count);
    pthread_mutex_unlock(&executable->lock);
    return status;
}
