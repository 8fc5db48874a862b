/* driver_graph.c - the driver's functions for graphs, and streams that are captured into one.
 *
 * A graph in a stream is one command. Its launches take turns, each once those before it are done,
 * and side by side else: with $PTXSIM_SEED the next turn is any one's, so that a missing edge
 * shows. Each launch of an executable graph comes behind the one before it, in whatever stream.
 */
#include "device.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* One command of a graph; a launch is made of its parameters anew for each run. */
struct gpu_node {
    struct gpu_node *next;
    struct command command; /* COPY or FILL, captured; LAUNCH without one */
    const struct function *function;
    uint32_t grid[3], block[3], dynamic_bytes;
    char *parameters; /* as they lie in the launch's */
    size_t *after, after_count, number;
};

struct gpu_graph {
    struct gpu_graph *next;
    struct gpu_node *first, **end;
    size_t count;
    bool is_invalid;
};

struct gpu_graph_exec {
    struct gpu_graph_exec *next;
    struct gpu_graph *graph; /* a copy */
    uint64_t issued, done;
};

/* What a command GRAPH has to do. */
struct run {
    struct command command;
    const struct gpu_node *node;
    bool is_done;
};

struct graph_run {
    struct gpu_graph_exec *exec;
    uint64_t turn, random;
    size_t count, left;
    struct run runs[];
};

/* ---- nodes ---- */

static void free_node(struct gpu_node *n)
{
    free(n->parameters);
    free(n->after);
    free(n);
}

static void free_graph(struct gpu_graph *g)
{
    while (g->first) {
        struct gpu_node *next = g->first->next;

        free_node(g->first);
        g->first = next;
    }
    free(g);
}

static struct gpu_graph *make_graph(void)
{
    struct gpu_graph *g = calloc(1, sizeof *g);

    if (g)
        g->end = &g->first;
    return g;
}

static bool add(struct gpu_graph *g, struct gpu_node *n, const size_t *after, size_t after_count)
{
    n->after = malloc((after_count + 1) * sizeof *after);
    if (!n->after) {
        free_node(n);
        return false;
    }
    if (after_count)
        memcpy(n->after, after, after_count * sizeof *after);
    n->after_count = after_count;
    n->number = g->count++;
    *g->end = n;
    g->end = &n->next;
    return true;
}

static bool set_parameters(struct gpu_node *n, const struct cu_node_params *p)
{
    const struct function *f = p->function->function;
    char *parameters = calloc(1, f->parameter_bytes + 1);

    if (!parameters)
        return false;
    for (uint32_t k = 0; k < f->parameter_count; k++)
        memcpy(parameters + f->parameter_at[k], p->parameters[k], f->parameter_size[k]);
    free(n->parameters);
    n->parameters = parameters;
    n->command.kind = LAUNCH;
    n->function = f;
    memcpy(n->grid, (const uint32_t[]){p->grid_x, p->grid_y, p->grid_z}, sizeof n->grid);
    memcpy(n->block, (const uint32_t[]){p->block_x, p->block_y, p->block_z}, sizeof n->block);
    n->dynamic_bytes = p->dynamic_bytes;
    return true;
}

static struct launch *make_launch(const struct gpu_node *n)
{
    void *parameters[64];

    for (uint32_t k = 0; k < n->function->parameter_count; k++)
        parameters[k] = n->parameters + n->function->parameter_at[k];
    return launch_create(n->function, n->grid, n->block, n->dynamic_bytes, parameters);
}

/* ---- runs ---- */

void graph_run_destroy(struct graph_run *run)
{
    for (size_t k = 0; k < run->count; k++)
        if (run->runs[k].command.launch)
            launch_destroy(run->runs[k].command.launch);
    run->exec->done = run->turn > run->exec->done ? run->turn : run->exec->done;
    free(run);
}

static struct graph_run *make_run(struct gpu_graph_exec *exec)
{
    const size_t count = exec->graph->count;
    struct graph_run *run = calloc(1, sizeof *run + count * sizeof(struct run));
    const char *seed = getenv("PTXSIM_SEED");

    if (!run)
        return NULL;
    run->exec = exec;
    run->count = run->left = count;
    run->turn = ++exec->issued;
    run->random = seed ? strtoull(seed, NULL, 10) * 2 + 1 + run->turn * 977 : 0;
    for (const struct gpu_node *n = exec->graph->first; n; n = n->next) {
        struct run *r = &run->runs[n->number];

        r->node = n;
        r->command = n->command;
        if (n->command.kind == LAUNCH)
            r->command.launch = make_launch(n);
    }
    return run;
}

static bool is_ready(const struct graph_run *run, const struct run *r)
{
    for (size_t k = 0; k < r->node->after_count; k++)
        if (!run->runs[r->node->after[k]].is_done)
            return false;
    return !r->is_done;
}

/* The first that is ready, from anywhere on if there is a seed. */
static struct run *choose(struct graph_run *run)
{
    const size_t start = run->random ? random_next(&run->random) % run->count : 0;

    for (size_t k = 0; k < run->count; k++) {
        struct run *r = &run->runs[(start + k) % run->count];

        if (is_ready(run, r))
            return r;
    }
    return NULL;
}

bool graph_run_is_due(const struct graph_run *run)
{
    return run->exec->done == run->turn - 1;
}

bool graph_run_step(struct graph_run *run, bool (*step)(struct command *c), int *error)
{
    struct run *r = run->left ? choose(run) : NULL;

    if (!r)
        return true;
    if (!step(&r->command))
        return false;
    if (r->command.launch && r->command.launch->error)
        *error = r->command.launch->error;
    r->is_done = true;
    return --run->left == 0 || *error;
}

/* ---- graphs ---- */

static bool is_graph(const struct gpu_graph *graph)
{
    const struct gpu_graph *g = device_context.graphs;

    while (g && g != graph)
        g = g->next;
    return g != NULL;
}

static bool is_exec(const struct gpu_graph_exec *exec)
{
    const struct gpu_graph_exec *x = device_context.execs;

    while (x && x != exec)
        x = x->next;
    return x != NULL;
}

int ptxsim_graph_create(struct gpu_graph **graph, unsigned flags)
{
    const int result = begin();

    if (result || flags)
        return end(result ? result : LW_CU_INVALID_VALUE);
    *graph = make_graph();
    if (!*graph)
        return end(LW_CU_OUT_OF_MEMORY);
    (*graph)->next = device_context.graphs;
    device_context.graphs = *graph;
    return end(0);
}

int ptxsim_graph_destroy(struct gpu_graph *graph)
{
    struct gpu_graph **link = &device_context.graphs;
    const int result = begin();

    while (*link && *link != graph)
        link = &(*link)->next;
    if (result || !*link)
        return end(result ? result : INVALID_HANDLE);
    *link = graph->next;
    free_graph(graph);
    return end(0);
}

static int add_kernel(struct gpu_node **node, struct gpu_graph *g, struct gpu_node *const *after,
                      size_t after_count, const struct cu_node_params *p)
{
    size_t *numbers = malloc((after_count + 1) * sizeof *numbers);
    struct gpu_node *n = calloc(1, sizeof *n);
    bool is_added = numbers && n && set_parameters(n, p);

    for (size_t k = 0; is_added && k < after_count; k++)
        numbers[k] = after[k]->number;
    if (is_added)
        is_added = add(g, n, numbers, after_count);
    else if (n)
        free_node(n);
    free(numbers);
    *node = n;
    return is_added ? 0 : LW_CU_OUT_OF_MEMORY;
}

int ptxsim_graph_kernel(struct gpu_node **node, struct gpu_graph *graph,
                        struct gpu_node *const *after, size_t after_count,
                        const struct cu_node_params *params)
{
    const int result = begin();

    if (result || !is_graph(graph))
        return end(result ? result : INVALID_HANDLE);
    if (params->extra || !function_is_launchable(params))
        return end(LW_CU_INVALID_VALUE);
    return end(add_kernel(node, graph, after, after_count, params));
}

static struct gpu_node *copy_node(const struct gpu_node *from)
{
    struct gpu_node *n = malloc(sizeof *n);
    const size_t bytes = from->function ? from->function->parameter_bytes + 1 : 1;

    if (!n)
        return NULL;
    *n = *from;
    n->next = NULL;
    n->parameters = malloc(bytes);
    if (n->parameters && from->parameters)
        memcpy(n->parameters, from->parameters, bytes);
    return n;
}

static struct gpu_graph *copy_graph(const struct gpu_graph *from)
{
    struct gpu_graph *g = make_graph();

    for (const struct gpu_node *n = from->first; g && n; n = n->next) {
        struct gpu_node *copy = copy_node(n);

        if (!copy || !add(g, copy, n->after, n->after_count)) {
            free_graph(g);
            return NULL;
        }
    }
    return g;
}

int ptxsim_graph_instantiate(struct gpu_graph_exec **exec, struct gpu_graph *graph,
                             unsigned long long flags)
{
    const int result = begin();

    if (result || flags || !is_graph(graph))
        return end(result ? result : flags ? LW_CU_INVALID_VALUE : INVALID_HANDLE);
    *exec = calloc(1, sizeof **exec);
    if (*exec)
        (*exec)->graph = copy_graph(graph);
    if (!*exec || !(*exec)->graph) {
        free(*exec);
        return end(LW_CU_OUT_OF_MEMORY);
    }
    (*exec)->next = device_context.execs;
    device_context.execs = *exec;
    return end(0);
}

/* What is under way is done first; the driver frees it then. */
int ptxsim_graph_exec_destroy(struct gpu_graph_exec *exec)
{
    struct gpu_graph_exec **link = &device_context.execs;
    int result = begin();

    if (result || !is_exec(exec))
        return end(result ? result : INVALID_HANDLE);
    result = device_drain(NULL);
    while (*link != exec)
        link = &(*link)->next;
    *link = exec->next;
    free_graph(exec->graph);
    free(exec);
    return end(result);
}

/* A node is known by its number, as is its copy. */
int ptxsim_graph_set(struct gpu_graph_exec *exec, struct gpu_node *node,
                     const struct cu_node_params *params)
{
    const int result = begin();

    if (result || !is_exec(exec))
        return end(result ? result : INVALID_HANDLE);
    struct gpu_node *own = exec->graph->first;
    while (own && own->number != node->number)
        own = own->next;
    if (!own || own->function != params->function->function || !function_is_launchable(params))
        return end(LW_CU_INVALID_VALUE);
    return end(set_parameters(own, params) ? 0 : LW_CU_OUT_OF_MEMORY);
}

int ptxsim_graph_launch(struct gpu_graph_exec *exec, struct gpu_stream *stream)
{
    const int result = begin_with(&stream);

    if (result || !is_exec(exec) || stream->captured)
        return end(result ? result : INVALID_HANDLE);
    struct graph_run *run = make_run(exec);
    if (run && device_enqueue(stream, &(struct command){.kind = GRAPH, .run = run}))
        return end(0);
    if (run)
        graph_run_destroy(run);
    return end(LW_CU_OUT_OF_MEMORY);
}

void graphs_destroy_all(void)
{
    struct gpu_context *c = &device_context;

    for (struct gpu_graph *g = c->graphs, *next; g; g = next) {
        next = g->next;
        free_graph(g);
    }
    for (struct gpu_graph_exec *x = c->execs, *next; x; x = next) {
        next = x->next;
        free_graph(x->graph);
        free(x);
    }
}

/* ---- capture ---- */

int capture_refuse(struct gpu_stream *stream)
{
    int result = 0;

    for (struct gpu_stream *s = device_context.streams; s; s = s->next)
        if (s->captured && (!stream || s == stream)) {
            s->captured->is_invalid = true;
            result = CAPTURE_UNSUPPORTED;
        }
    return result;
}

/* Behind what came before it. A launch is taken apart: each run makes its own. */
bool capture_command(struct gpu_graph *g, const struct command *c)
{
    struct gpu_node *n = calloc(1, sizeof *n);
    const size_t last = g->count - 1;

    if (!n)
        return false;
    n->command = *c;
    n->command.launch = NULL;
    if (c->kind == LAUNCH) {
        n->function = c->launch->function;
        memcpy(n->grid, c->launch->grid, sizeof n->grid);
        memcpy(n->block, c->launch->block, sizeof n->block);
        n->dynamic_bytes = c->launch->dynamic_bytes;
        n->parameters = malloc(n->function->parameter_bytes + 1);
        if (n->parameters)
            memcpy(n->parameters, c->launch->parameters, n->function->parameter_bytes);
        launch_destroy(c->launch);
    }
    return add(g, n, &last, g->count ? 1 : 0);
}

int ptxsim_capture_begin(struct gpu_stream *stream, int mode)
{
    const int result = begin_with(&stream);

    (void)mode;
    if (result || stream->captured)
        return end(result ? result : LW_CU_INVALID_VALUE);
    stream->captured = make_graph();
    return end(stream->captured ? 0 : LW_CU_OUT_OF_MEMORY);
}

int ptxsim_capture_end(struct gpu_stream *stream, struct gpu_graph **graph)
{
    const int result = begin_with(&stream);

    *graph = NULL;
    if (result || !stream->captured)
        return end(result ? result : LW_CU_INVALID_VALUE);
    struct gpu_graph *g = stream->captured;
    stream->captured = NULL;
    if (g->is_invalid) {
        free_graph(g);
        return end(CAPTURE_INVALIDATED);
    }
    g->next = device_context.graphs;
    device_context.graphs = g;
    *graph = g;
    return end(0);
}
