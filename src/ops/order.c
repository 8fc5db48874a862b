/* order.c - which launches of a graph follow which, by what they read and write.
 *
 * A launch that reads a tensor follows the latest one that wrote it; one that writes it follows
 * that and all that have read it since. The first launch that uses a temporary also follows those
 * that used what lay in its memory before: a tree over the offsets at which temporaries begin and
 * end knows which one that was. Inputs and outputs are apart from each other where one is written,
 * which runs check. Ordinary buffers may share memory with each other, and with inputs and outputs:
 * they count as one tensor, and what writes them follows all that may see it.
 */
#include "ops/graph.h"
#include <assert.h>
#include <stdlib.h>

enum { NODES_PER_LEAF = 4 };
#define NOBODY SIZE_MAX
#define SEVERAL (SIZE_MAX - 1)

/* A list of launches. */
struct uses {
    size_t *launches, count, room;
};

struct state {
    size_t writer; /* the latest; NOBODY */
    struct uses readers;
};

struct tracing {
    struct lw__recording *r;
    struct lw__order *order;
    size_t after_room;
    struct state *states;               /* of each tensor, then that of ordinary buffers */
    size_t *bound_writers, bound_count; /* inputs and outputs that were written: tensors */
    bool *is_bound_writer;
    struct uses seen; /* launches that used ordinary buffers, inputs or outputs, since the latest
                         that wrote ordinary ones */
    size_t *noted;    /* of each launch: the latest that was said to follow it, and one more */
    size_t *offsets, offset_count, *owners; /* the tree */
    size_t launch;
    bool is_short; /* of memory */
};

static int by_value(const void *a, const void *b)
{
    const size_t x = *(const size_t *)a, y = *(const size_t *)b;

    return x < y ? -1 : x > y;
}

static bool push(size_t **list, size_t *count, size_t *room, size_t value)
{
    if (*count == *room) {
        const size_t more = *room ? 2 * *room : 8;
        size_t *longer = realloc(*list, more * sizeof *longer);

        if (!longer)
            return false;
        *list = longer;
        *room = more;
    }
    (*list)[(*count)++] = value;
    return true;
}

/* ---- what a launch follows ---- */

static void follow(struct tracing *t, size_t launch)
{
    if (launch == NOBODY || launch == t->launch || t->noted[launch] == t->launch + 1)
        return;
    assert(launch < t->launch);
    t->noted[launch] = t->launch + 1;
    if (!push(&t->order->after, &t->order->count, &t->after_room, launch))
        t->is_short = true;
}

static void follow_all(struct tracing *t, const struct uses *uses)
{
    for (size_t k = 0; k < uses->count; k++)
        follow(t, uses->launches[k]);
}

static void note(struct tracing *t, struct uses *uses)
{
    if (uses->count && uses->launches[uses->count - 1] == t->launch)
        return;
    assert(!uses->count || uses->launches[uses->count - 1] < t->launch);
    if (!push(&uses->launches, &uses->count, &uses->room, t->launch))
        t->is_short = true;
}

static void read(struct tracing *t, struct state *s)
{
    follow(t, s->writer);
    note(t, &s->readers);
}

static void write(struct tracing *t, struct state *s)
{
    follow(t, s->writer);
    follow_all(t, &s->readers);
    s->readers.count = 0;
    s->writer = t->launch;
}

/* ---- memory of temporaries ---- */

static size_t leaf_of(const struct tracing *t, size_t offset)
{
    size_t low = 0, high = t->offset_count;

    while (low < high) {
        const size_t middle = low + (high - low) / 2;

        if (t->offsets[middle] < offset)
            low = middle + 1;
        else
            high = middle;
    }
    assert(low < t->offset_count && t->offsets[low] == offset);
    return low;
}

static void follow_owners(struct tracing *t, size_t node)
{
    const size_t owner = t->owners[node];

    if (owner == SEVERAL) {
        follow_owners(t, 2 * node);
        follow_owners(t, 2 * node + 1);
    } else if (owner != NOBODY) {
        follow(t, t->states[owner].writer);
        follow_all(t, &t->states[owner].readers);
    }
}

/* The leaves from `from` up to `to` are the tensor's from now on; the node has those from `low` up
 * to `high`. */
static void take_over(struct tracing *t, size_t node, size_t low, size_t high, size_t from,
                      size_t to, size_t tensor)
{
    const size_t middle = low + (high - low) / 2;

    if (to <= low || high <= from)
        return;
    if (from <= low && high <= to) {
        follow_owners(t, node);
        t->owners[node] = tensor;
        return;
    }
    assert(high - low > 1 && 2 * node + 1 < NODES_PER_LEAF * t->offset_count + 2);
    if (t->owners[node] != SEVERAL)
        t->owners[2 * node] = t->owners[2 * node + 1] = t->owners[node];
    t->owners[node] = SEVERAL;
    take_over(t, 2 * node, low, middle, from, to, tensor);
    take_over(t, 2 * node + 1, middle, high, from, to, tensor);
}

static void use_planned(struct tracing *t, size_t tensor, bool writes)
{
    const struct lw__graph_tensor *g = &t->r->tensors[tensor];
    struct state *s = &t->states[tensor];

    assert(g->first <= t->launch && t->launch <= g->last);
    if (g->first == t->launch && g->bytes && t->offset_count > 1)
        take_over(t, 1, 0, t->offset_count - 1, leaf_of(t, g->offset),
                  leaf_of(t, g->offset + g->bytes), tensor);
    if (writes || g->first == t->launch)
        write(t, s);
    else
        read(t, s);
}

/* ---- memory of others ---- */

static void use_bound(struct tracing *t, size_t tensor, bool writes)
{
    struct state *ordinary = &t->states[t->r->tensor_count];

    follow(t, ordinary->writer);
    note(t, &t->seen);
    if (!writes) {
        read(t, &t->states[tensor]);
        return;
    }
    follow_all(t, &ordinary->readers);
    write(t, &t->states[tensor]);
    if (!t->is_bound_writer[tensor])
        t->bound_writers[t->bound_count++] = tensor;
    t->is_bound_writer[tensor] = true;
}

static void use_ordinary(struct tracing *t, bool writes)
{
    struct state *ordinary = &t->states[t->r->tensor_count];

    for (size_t k = 0; k < t->bound_count; k++)
        follow(t, t->states[t->bound_writers[k]].writer);
    if (writes) {
        follow_all(t, &t->seen);
        t->seen.count = 0;
        write(t, ordinary);
    } else {
        read(t, ordinary);
    }
    note(t, &t->seen);
}

/* ---- all launches ---- */

static lw_status use(struct tracing *t, const struct lw__graph_launch *l, size_t arg)
{
    const size_t tensor = l->tensors[arg];

    if (!lw__arg_buffer(&l->call.args[arg]))
        return LW_OK;
    lw_param param;
    LW_TRY(lw_kernel_param(l->call.kernel, arg, &param));
    if (tensor == LW_NO_TENSOR)
        use_ordinary(t, !param.is_const);
    else if (lw__tensor_is_planned(&t->r->tensors[tensor]))
        use_planned(t, tensor, !param.is_const);
    else
        use_bound(t, tensor, !param.is_const);
    return LW_OK;
}

static lw_status trace_all(struct tracing *t)
{
    for (t->launch = 0; t->launch < t->r->launch_count; t->launch++) {
        const struct lw__graph_launch *l = t->r->launches[t->launch];

        for (size_t arg = 0; arg < l->call.count; arg++)
            LW_TRY(use(t, l, arg));
        t->order->begin[t->launch + 1] = t->order->count;
    }
    return LW_OK;
}

static bool list_offsets(struct tracing *t)
{
    size_t count = 0, kept = 0;

    t->offsets = malloc((2 * t->r->tensor_count + 1) * sizeof *t->offsets);
    if (!t->offsets)
        return false;
    for (size_t k = 0; k < t->r->tensor_count; k++)
        if (lw__tensor_is_planned(&t->r->tensors[k])) {
            t->offsets[count++] = t->r->tensors[k].offset;
            t->offsets[count++] = t->r->tensors[k].offset + t->r->tensors[k].bytes;
        }
    qsort(t->offsets, count, sizeof *t->offsets, by_value);
    for (size_t k = 0; k < count; k++)
        if (!k || t->offsets[k] != t->offsets[k - 1])
            t->offsets[kept++] = t->offsets[k];
    t->offset_count = kept;
    t->owners = malloc((NODES_PER_LEAF * kept + 2) * sizeof *t->owners);
    for (size_t k = 0; t->owners && k < NODES_PER_LEAF * kept + 2; k++)
        t->owners[k] = NOBODY;
    return t->owners != NULL;
}

static bool make(struct tracing *t)
{
    const size_t tensors = t->r->tensor_count + 1;

    t->order->begin = calloc(t->r->launch_count + 1, sizeof *t->order->begin);
    t->order->after = malloc(sizeof *t->order->after);
    t->after_room = 1;
    t->states = calloc(tensors, sizeof *t->states);
    t->bound_writers = calloc(tensors, sizeof *t->bound_writers);
    t->is_bound_writer = calloc(tensors, sizeof *t->is_bound_writer);
    t->noted = calloc(t->r->launch_count + 1, sizeof *t->noted);
    for (size_t k = 0; t->states && k < tensors; k++)
        t->states[k].writer = NOBODY;
    return t->order->begin && t->order->after && t->states && t->bound_writers &&
           t->is_bound_writer && t->noted && list_offsets(t);
}

static void let_go(struct tracing *t)
{
    for (size_t k = 0; t->states && k <= t->r->tensor_count; k++)
        free(t->states[k].readers.launches);
    free(t->states);
    free(t->bound_writers);
    free(t->is_bound_writer);
    free(t->seen.launches);
    free(t->noted);
    free(t->offsets);
    free(t->owners);
}

lw_status lw__order(struct lw__recording *recording, struct lw__order *order)
{
    struct tracing t = {.r = recording, .order = order};
    lw_status status = LW_OK;

    *order = (struct lw__order){0};
    if (make(&t))
        status = trace_all(&t);
    else
        t.is_short = true;
    assert(status || t.is_short || order->begin[recording->launch_count] == order->count);
    let_go(&t);
    return status       ? status
           : t.is_short ? lw_fail(LW_E_MEMORY, "out of memory: the order of a graph")
                        : LW_OK;
}

void lw__order_free(struct lw__order *order)
{
    free(order->begin);
    free(order->after);
}
