/* graph.c - graphs: tensors are declared, launches recorded in the order of their calls.
 *
 * The graph's stream hands over each launch that has been checked (lanewise/record.h). It is kept
 * with its arguments; each of its buffers is a tensor of the graph or an ordinary one, and is held.
 */
#include "ops/graph.h"
#include <assert.h>
#include <stdlib.h>
#include <string.h>

static lw_status no_memory(void)
{
    return lw_fail(LW_E_MEMORY, "out of memory: a graph");
}

/* Room for one more in a list that doubles; false: memory is short. */
static bool make_room(void *list, size_t count, size_t bytes)
{
    void **place = list, *more;

    if (count & (count - 1))
        return true;
    more = realloc(*place, (count ? 2 * count : 1) * bytes);
    if (more)
        *place = more;
    return more != NULL;
}

/* ---- launches ---- */

lw_buffer *lw__arg_buffer(const lw_arg *arg)
{
    if (arg->kind == LW_ARG_BUFFER)
        return arg->as.buffer;
    return arg->kind == LW_ARG_TENSOR ? arg->as.tensor.buffer : NULL;
}

static void release_launch(struct lw__graph_launch *l)
{
    assert(!l || atomic_load(&l->holds) > 0);
    if (!l || atomic_fetch_sub(&l->holds, 1) != 1)
        return;
    for (size_t i = 0; i < l->call.count; i++)
        lw_buffer_destroy(lw__arg_buffer(&l->call.args[i]));
    lw_kernel_release(l->call.kernel);
    free(l);
}

static size_t value_bytes(const lw_arg *arg)
{
    return arg->kind == LW_ARG_BYTES ? arg->as.bytes.size : 0;
}

/* In one block: the launch, its arguments, their tensors, the bytes of structs. */
static struct lw__graph_launch *copy_launch(const lw_recorded *call)
{
    size_t bytes =
        sizeof(struct lw__graph_launch) + call->count * (sizeof(lw_arg) + sizeof(size_t));
    struct lw__graph_launch *l;
    lw_arg *args;
    char *values;

    for (size_t i = 0; i < call->count; i++)
        bytes += value_bytes(&call->args[i]);
    l = malloc(bytes);
    if (!l)
        return NULL;
    args = (lw_arg *)(l + 1);
    l->tensors = (size_t *)(args + call->count);
    values = (char *)(l->tensors + call->count);
    atomic_init(&l->holds, 1);
    l->call = *call;
    l->call.args = args;
    for (size_t i = 0; i < call->count; i++) {
        const size_t size = value_bytes(&call->args[i]);

        args[i] = call->args[i];
        if (size)
            args[i].as.bytes.data = memcpy(values, call->args[i].as.bytes.data, size);
        values += size;
        lw_buffer_hold(lw__arg_buffer(&args[i]));
    }
    assert(values == (char *)l + bytes); /* the block has no more than its parts */
    lw_kernel_hold(call->kernel);
    return l;
}

static size_t find_tensor(lw_graph *g, const lw_buffer *buffer)
{
    const uint64_t hash = lw__index_hash_pointer(buffer);
    size_t cursor = 0, k;

    if (!buffer)
        return LW_NO_TENSOR;
    do {
        k = lw__index_next(&g->by_buffer, hash, &cursor);
        assert(k == LW_NO_TENSOR || k < g->recording.tensor_count);
    } while (k != LW_NO_TENSOR && g->recording.tensors[k].buffer != buffer);
    return k;
}

static lw_status check_buffers(lw_graph *g, const lw_recorded *call)
{
    for (size_t i = 0; i < call->count; i++) {
        const lw_buffer *b = lw__arg_buffer(&call->args[i]);

        if (lw_buffer_is_blank(b) && find_tensor(g, b) == LW_NO_TENSOR)
            return lw_fail(LW_E_ARG, "%s: parameter %zu: the tensor is of another graph",
                           lw_kernel_name(call->kernel), i + 1);
    }
    return LW_OK;
}

static lw_status record_launch(const lw_recorded *call, void *user)
{
    lw_graph *g = user;
    struct lw__recording *r = &g->recording;

    LW_TRY(check_buffers(g, call));
    struct lw__graph_launch *l;
    if (!make_room(&r->launches, r->launch_count, sizeof *r->launches) || !(l = copy_launch(call)))
        return no_memory();
    for (size_t i = 0; i < call->count; i++)
        l->tensors[i] = find_tensor(g, lw__arg_buffer(&call->args[i]));
    r->launches[r->launch_count++] = l;
    return LW_OK;
}

/* ---- tensors ---- */

bool lw__tensor_is_planned(const struct lw__graph_tensor *t)
{
    return t->is_used && (t->role == LW_ROLE_TEMPORARY || t->role == LW_ROLE_SCRATCH);
}

/* The name may have been added before a failure: it then finds a tensor without one. */
static bool set_name(lw_graph *g, struct lw__graph_tensor *t, size_t tensor, const char *name)
{
    t->name = strdup(name);
    return t->name && lw__index_add(&g->by_name, lw__index_hash(name), tensor);
}

static lw_status add_tensor(lw_graph *g, struct lw__graph_tensor t, const char *name,
                            lw_buffer **buffer)
{
    struct lw__recording *r = &g->recording;

    assert((t.role == LW_ROLE_INPUT) == (name != NULL)); /* outputs get theirs later */
    if (!make_room(&r->tensors, r->tensor_count, sizeof *r->tensors))
        return no_memory();
    LW_TRY(lw_buffer_create_blank(g->stream, t.dtype, t.count, &t.buffer));
    t.bytes = t.count * lw_dtype_size(t.dtype);
    if ((name && !set_name(g, &t, r->tensor_count, name)) ||
        !lw__index_add(&g->by_buffer, lw__index_hash_pointer(t.buffer), r->tensor_count))
        goto failed;
    *buffer = t.buffer;
    r->tensors[r->tensor_count++] = t;
    r->inputs += t.role == LW_ROLE_INPUT;
    return LW_OK;
failed:
    lw_buffer_destroy(t.buffer);
    free(t.name);
    return no_memory();
}

static lw_status record_scratch(size_t bytes, lw_buffer **buffer, void *user)
{
    const struct lw__graph_tensor t = {.role = LW_ROLE_SCRATCH,
                                       .dtype = LW_U8,
                                       .rank = 1,
                                       .extent = {(ptrdiff_t)bytes},
                                       .count = bytes};

    return add_tensor(user, t, NULL, buffer);
}

/* Inputs have names of their own, and outputs too. */
static lw_status check_name(lw_graph *g, const char *call, enum lw__role role, const char *name)
{
    const struct lw__recording *r = &g->recording;
    size_t cursor = 0, k;

    if (!name || !*name)
        return lw_fail(LW_E_ARG, "%s: the name is %s", call, name ? "empty" : "NULL");
    uint64_t hash = lw__index_hash(name);
    while ((k = lw__index_next(&g->by_name, hash, &cursor)) != LW_NO_TENSOR)
        if (k < r->tensor_count && r->tensors[k].role == role && r->tensors[k].name &&
            !strcmp(r->tensors[k].name, name))
            return lw_fail(LW_E_ARG, "%s: the graph has an %s '%s' already", call,
                           role == LW_ROLE_INPUT ? "input" : "output", name);
    return LW_OK;
}

static lw_status declare(lw_graph *g, const char *call, struct lw__graph_tensor t, const char *name,
                         const ptrdiff_t *extents, lw_tensor *out)
{
    if (!lw_dtype_size(t.dtype))
        return lw_fail(LW_E_DTYPE, "%s: %d is no dtype", call, (int)t.dtype);
    if (t.rank < 0 || t.rank > LW_AXES || (t.rank && !extents))
        return lw_fail(LW_E_ARG, "%s: the %s", call,
                       t.rank && !extents ? "list of extents is NULL" : "rank is not 0 to 4");
    t.count = 1;
    for (int k = 0; k < t.rank; k++) {
        if (extents[k] < 0)
            return lw_fail(LW_E_SHAPE, "%s: extent %d is %td; need at least 0", call, k,
                           extents[k]);
        t.extent[k] = extents[k];
        if (__builtin_mul_overflow(t.count, (size_t)extents[k], &t.count))
            return lw_fail(LW_E_SHAPE, "%s: more elements than memory can hold", call);
    }
    *out = (lw_tensor){.rank = t.rank};
    memcpy(out->extent, t.extent, sizeof out->extent);
    return add_tensor(g, t, name, &out->buffer);
}

lw_status lw_graph_input(lw_graph *graph, const char *name, lw_dtype dtype, int rank,
                         const ptrdiff_t *extents, lw_tensor *out)
{
    const struct lw__graph_tensor t = {.role = LW_ROLE_INPUT, .dtype = dtype, .rank = rank};

    if (!graph || !out)
        return lw_fail(LW_E_ARG, "the %s is NULL", graph ? "place for the tensor" : "graph");
    LW_TRY(check_name(graph, "lw_graph_input", LW_ROLE_INPUT, name));
    return declare(graph, "lw_graph_input", t, name, extents, out);
}

lw_status lw_graph_temporary(lw_graph *graph, lw_dtype dtype, int rank, const ptrdiff_t *extents,
                             lw_tensor *out)
{
    const struct lw__graph_tensor t = {.role = LW_ROLE_TEMPORARY, .dtype = dtype, .rank = rank};

    if (!graph || !out)
        return lw_fail(LW_E_ARG, "the %s is NULL", graph ? "place for the tensor" : "graph");
    return declare(graph, "lw_graph_temporary", t, NULL, extents, out);
}

/* All of a tensor in C order, perhaps reshaped. */
static bool is_whole(const struct lw__graph_tensor *t, const lw_tensor *view)
{
    size_t count = 1;

    if (view->rank < 0 || view->rank > LW_AXES)
        return false;
    for (int k = 0; k < view->rank; k++)
        count *= (size_t)view->extent[k];
    return count == t->count && (!count || (!view->offset && lw__tensor_is_plain(view)));
}

lw_status lw_graph_output(lw_graph *graph, const char *name, lw_tensor tensor)
{
    if (!graph)
        return lw_fail(LW_E_ARG, "the graph is NULL");
    LW_TRY(check_name(graph, "lw_graph_output", LW_ROLE_OUTPUT, name));
    size_t k = find_tensor(graph, tensor.buffer);
    struct lw__graph_tensor *t = k == LW_NO_TENSOR ? NULL : &graph->recording.tensors[k];
    if (!t || t->role != LW_ROLE_TEMPORARY)
        return lw_fail(LW_E_ARG, "lw_graph_output: '%s' is %s; need a temporary of this graph",
                       name,
                       !t                          ? "no tensor of this graph"
                       : t->role == LW_ROLE_OUTPUT ? "an output already"
                       : t->role == LW_ROLE_INPUT  ? "an input, which a run changes in place"
                                                   : "scratch memory");
    if (!is_whole(t, &tensor))
        return lw_fail(LW_E_SHAPE,
                       "lw_graph_output: '%s' is a part of its temporary, or permuted; need all "
                       "%zu elements in C order",
                       name, t->count);
    if (!set_name(graph, t, k, name)) {
        free(t->name);
        t->name = NULL;
        return no_memory();
    }
    t->role = LW_ROLE_OUTPUT;
    t->declared = graph->recording.outputs++;
    assert(graph->recording.inputs + graph->recording.outputs <= graph->recording.tensor_count);
    t->rank = tensor.rank;
    memcpy(t->extent, tensor.extent, sizeof t->extent);
    return LW_OK;
}

/* ---- life ---- */

lw_status lw__recording_copy(const struct lw__recording *from, struct lw__recording *to)
{
    *to = (struct lw__recording){
        .device = from->device, .inputs = from->inputs, .outputs = from->outputs};
    to->tensors = calloc(from->tensor_count + 1, sizeof *to->tensors);
    to->launches = calloc(from->launch_count + 1, sizeof(struct lw__graph_launch *));
    if (!to->tensors || !to->launches)
        return no_memory();
    for (; to->launch_count < from->launch_count; to->launch_count++) {
        to->launches[to->launch_count] = from->launches[to->launch_count];
        atomic_fetch_add(&to->launches[to->launch_count]->holds, 1);
    }
    for (; to->tensor_count < from->tensor_count; to->tensor_count++) {
        struct lw__graph_tensor *t = &to->tensors[to->tensor_count];

        *t = from->tensors[to->tensor_count];
        t->buffer = NULL;
        t->name = t->name ? strdup(t->name) : NULL;
        if (!t->name && from->tensors[to->tensor_count].name)
            return no_memory();
    }
    return LW_OK;
}

void lw__recording_free(struct lw__recording *r)
{
    for (size_t k = 0; k < r->launch_count; k++)
        release_launch(r->launches[k]);
    for (size_t k = 0; k < r->tensor_count; k++) {
        lw_buffer_destroy(r->tensors[k].buffer);
        free(r->tensors[k].name);
    }
    free(r->launches);
    free(r->tensors);
}

lw_status lw_graph_create(lw_device *device, lw_graph **graph)
{
    lw_recorder recorder = {.launch = record_launch, .scratch = record_scratch};

    if (!graph)
        return lw_fail(LW_E_ARG, "the place for the graph is NULL");
    *graph = NULL;
    if (!device)
        return lw_fail(LW_E_ARG, "the device is NULL");
    lw_graph *g;
    g = calloc(1, sizeof *g);
    if (!g)
        return no_memory();
    recorder.user = g;
    g->recording.device = device;
    lw_status status = lw_stream_create_recorder(device, &recorder, &g->stream);
    if (status)
        free(g);
    else
        *graph = g;
    return status;
}

void lw_graph_destroy(lw_graph *graph)
{
    if (!graph)
        return;
    lw__recording_free(&graph->recording);
    lw__index_free(&graph->by_buffer);
    lw__index_free(&graph->by_name);
    lw_stream_destroy(graph->stream);
    free(graph);
}

lw_stream *lw_graph_stream(lw_graph *graph)
{
    return graph ? graph->stream : NULL;
}
