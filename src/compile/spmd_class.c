/* spmd_class.c - a region's blocks by the lanes that run them, and the order in which they run.
 *
 * A block whose predecessors are all of one class, and branch uniformly, is of that class too; the
 * join of a region inside is of the class that entered it. Every other block begins a class: lanes
 * come to it from here and there, and wait in its mask until it is its turn. The classes run in
 * topological order, those of a loop together, and again while lanes wait at its header.
 */
#include "compile/spmd.h"
#include <stdlib.h>
#include <string.h>

enum { NO_CLASS = UINT32_MAX, SPLIT = UINT32_MAX - 1 };

/* The region directly inside `outer` (-1: the kernel) that holds block b; -1: none does. */
static int child_with(const struct lw__spmd *s, int outer, uint32_t b)
{
    int r = s->region_of[b], child = -1;
    while (r != outer && r >= 0) {
        child = r;
        r = s->regions[r].parent;
    }
    return r == outer ? child : -1;
}

static bool is_inside(const struct lw__spmd *s, int outer, uint32_t b)
{
    return outer < 0 || s->regions[outer].blocks[b];
}

/* Is block b the branch that enters a region directly inside `outer`? */
static bool enters_child(const struct lw__spmd *s, int outer, uint32_t b)
{
    for (size_t k = 0; k < s->region_count; k++)
        if (s->regions[k].parent == outer && !s->regions[k].is_loop && s->regions[k].head == b)
            return true;
    return false;
}

/* The class whose lanes come along the edge from p, as far as it is known; SPLIT: only some. */
static uint32_t class_along(const struct lw__spmd *s, int outer, uint32_t p)
{
    if (!is_inside(s, outer, p))
        return SPLIT;
    int child = child_with(s, outer, p);
    if (child >= 0)
        return s->regions[child].entered_from;
    if (s->divergent[p] && !enters_child(s, outer, p))
        return SPLIT;
    return s->class_of[p];
}

/* The class of a block from its predecessors; those inside `skip` are not looked at. */
static uint32_t class_from(const struct lw__spmd *s, int outer, uint32_t b, const bool *skip)
{
    const struct lw__cfg *g = &s->cfg;
    uint32_t found = NO_CLASS;
    for (uint32_t e = g->pred_start[b]; e < g->pred_start[b + 1]; e++) {
        if (skip && skip[g->pred[e]])
            continue;
        uint32_t c = class_along(s, outer, g->pred[e]);
        if (c == NO_CLASS)
            continue;
        if (c == SPLIT || (found != NO_CLASS && c != found))
            return b;
        found = c;
    }
    return found;
}

/* One round over the blocks of region `outer`; is_head only ever grows. */
static bool assign(struct lw__spmd *s, int outer, bool *is_head)
{
    bool changed = false;
    for (uint32_t b = 0; b < s->cfg.count; b++) {
        int child = child_with(s, outer, b);
        if (!is_inside(s, outer, b) || (child < 0 && s->region_of[b] != outer))
            continue;
        struct lw__region *c = child >= 0 ? &s->regions[child] : NULL;
        if (c && c->head != b)
            continue;
        if (c && !c->is_loop)
            continue;
        uint32_t *slot = c ? &c->entered_from : &s->class_of[b];
        uint32_t v = is_head[b] ? b : class_from(s, outer, b, c ? c->blocks : NULL);
        changed |= *slot != v;
        *slot = v;
        is_head[b] |= v == b;
    }
    for (size_t k = 0; k < s->region_count; k++) {
        struct lw__region *c = &s->regions[k];
        if (c->parent != outer || c->is_loop)
            continue;
        changed |= c->entered_from != s->class_of[c->head];
        c->entered_from = s->class_of[c->head];
    }
    return changed;
}

/* Classes that were right before a new head was found may not be so after: begin again. */
static void forget(struct lw__spmd *s, int outer)
{
    for (uint32_t b = 0; b < s->cfg.count; b++)
        if (s->region_of[b] == outer)
            s->class_of[b] = NO_CLASS;
    for (size_t k = 0; k < s->region_count; k++)
        if (s->regions[k].parent == outer)
            s->regions[k].entered_from = NO_CLASS;
}

static void find_classes(struct lw__spmd *s, int outer, bool *is_head)
{
    memset(is_head, 0, s->cfg.count);
    if (outer < 0)
        is_head[0] = true;
    size_t heads = 0, before;
    do {
        before = heads;
        forget(s, outer);
        while (assign(s, outer, is_head))
            ;
        heads = 0;
        for (uint32_t b = 0; b < s->cfg.count; b++)
            heads += is_head[b];
    } while (heads != before);
}

/* ---- the order ------------------------------------------------------------------------------- */

struct order {
    struct lw__spmd *s;
    struct lw__region *r;
    int region;
    const bool *is_head;
    bool *placed;
};

static bool add_repeat(struct order *o, uint32_t first)
{
    struct lw__region *r = o->r;
    struct lw__repeat *more = realloc(r->repeats, (r->repeat_count + 1) * sizeof *more);
    if (!more)
        return lw__defect("out of memory");
    r->repeats = more;
    r->repeats[r->repeat_count++] = (struct lw__repeat){first, r->head_count - 1};
    return true;
}

/* The largest loop with this header. */
static const struct lw__loop *loop_at(const struct lw__spmd *s, uint32_t header)
{
    const struct lw__loop *best = NULL;
    for (size_t k = 0; k < s->loops.count; k++)
        if (s->loops.loops[k].header == header && (!best || s->loops.loops[k].size > best->size))
            best = &s->loops.loops[k];
    return best;
}

/* The heads among `only` (NULL: all), in reverse postorder, but each loop in one piece. */
static bool place(struct order *o, const bool *only)
{
    struct lw__spmd *s = o->s;
    for (uint32_t b = 0; b < s->cfg.count; b++) {
        if (!o->r->blocks[b] || (only && !only[b]) || o->placed[b])
            continue;
        o->placed[b] = true;
        const struct lw__loop *l = loop_at(s, b);
        uint32_t first = o->r->head_count;
        bool own = s->region_of[b] == o->region;
        if (o->is_head[b])
            o->r->heads[o->r->head_count++] = b;
        if (!l)
            continue;
        if (!place(o, l->body))
            return false;
        if (own && o->is_head[b] && !add_repeat(o, first))
            return false;
    }
    return true;
}

static bool order_region(struct lw__spmd *s, int region, const bool *is_head)
{
    struct lw__region *r = &s->regions[region];
    struct order o = {.s = s, .r = r, .region = region, .is_head = is_head};
    o.placed = calloc(s->cfg.count, 1);
    r->heads = malloc((s->cfg.count + 1) * sizeof *r->heads);
    bool ok = (o.placed && r->heads) || lw__defect("out of memory");
    ok = ok && place(&o, NULL);
    free(o.placed);
    return ok;
}

bool lw__spmd_classes(struct lw__spmd *s)
{
    bool *is_head = malloc(s->cfg.count + 1), ok = is_head || lw__defect("out of memory");
    for (int r = -1; ok && r < (int)s->region_count; r++) {
        find_classes(s, r, is_head);
        ok = r < 0 || order_region(s, r, is_head);
    }
    free(is_head);
    return ok;
}
