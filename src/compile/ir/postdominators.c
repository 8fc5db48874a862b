/* postdominators.c - immediate post-dominators.
 *
 * Only paths that end in the return count. A block that ends in `unreachable`, after a failed
 * assert, is on none; nor is a loop without an exit. So an assert does not count as a branch.
 * source   Cooper, Harvey & Kennedy, "A Simple, Fast Dominance Algorithm", 2001, on the reversed
 *          graph
 */
#include "compile/ir/ir.h"

struct reverse {
    const struct lw__cfg *g;
    uint32_t *order;  /* blocks in reverse postorder of the reversed graph */
    uint32_t *number; /* block -> position in order[]; UINT32_MAX: it never returns */
    uint32_t count;
};

static bool is_return(const struct lw__cfg *g, uint32_t b)
{
    return LLVMIsAReturnInst(LLVMGetBasicBlockTerminator(g->blocks[b])) != NULL;
}

/* Depth-first search from the returns, against the edges; order[] is filled from the back. */
static void number_reverse(struct reverse *r)
{
    const struct lw__cfg *g = r->g;
    uint32_t n = (uint32_t)g->count, left = n, depth = 0;
    uint32_t *stack = lw__new(g->arena, n + 1, sizeof *stack);
    uint32_t *edge = lw__new(g->arena, n + 1, sizeof *edge);
    bool *seen = lw__new(g->arena, n + 1, 1);
    for (uint32_t root = 0; root < n; root++) {
        if (!is_return(g, root) || seen[root])
            continue;
        seen[root] = true;
        edge[root] = g->pred_start[root];
        stack[depth++] = root;
        while (depth) {
            uint32_t b = stack[depth - 1];
            if (edge[b] == g->pred_start[b + 1]) {
                r->order[--left] = b;
                depth--;
                continue;
            }
            uint32_t p = g->pred[edge[b]++];
            if (seen[p])
                continue;
            seen[p] = true;
            edge[p] = g->pred_start[p];
            stack[depth++] = p;
        }
    }
    r->count = n - left;
    for (uint32_t k = 0; k < r->count; k++) {
        r->order[k] = r->order[left + k];
        r->number[r->order[k]] = k;
    }
}

/* The nearest common post-dominator; the virtual exit is UINT32_MAX. */
static uint32_t intersect(const struct reverse *r, const uint32_t *ipdom, uint32_t a, uint32_t b)
{
    while (a != b) {
        if (a == UINT32_MAX || b == UINT32_MAX)
            return UINT32_MAX;
        if (r->number[a] > r->number[b])
            a = ipdom[a];
        else
            b = ipdom[b];
    }
    return a;
}

static bool improve(const struct reverse *r, uint32_t *ipdom, bool *done)
{
    const struct lw__cfg *g = r->g;
    bool changed = false;
    for (uint32_t k = 0; k < r->count; k++) {
        uint32_t b = r->order[k], best = UINT32_MAX;
        bool first = true;
        if (is_return(g, b))
            continue;
        EACH_SUCCESSOR(t, g, b) {
            if (r->number[t] == UINT32_MAX || !done[t])
                continue;
            best = first ? t : intersect(r, ipdom, best, t);
            first = false;
        }
        changed |= !done[b] || ipdom[b] != best;
        ipdom[b] = best;
        done[b] = true;
    }
    return changed;
}

uint32_t *lw__cfg_post_dominators(const struct lw__cfg *cfg)
{
    const size_t n = cfg->count;
    uint32_t *ipdom = lw__new(cfg->arena, n + 1, sizeof *ipdom);
    const struct lw__arena_mark mark = lw__arena_mark(cfg->arena);
    struct reverse r = {.g = cfg,
                        .order = lw__new(cfg->arena, n + 1, sizeof *r.order),
                        .number = lw__new(cfg->arena, n + 1, sizeof *r.number)};
    bool *done = lw__new(cfg->arena, n + 1, 1);
    for (size_t b = 0; b < n; b++)
        ipdom[b] = r.number[b] = UINT32_MAX;
    number_reverse(&r);
    for (size_t b = 0; b < n; b++)
        done[b] = r.number[b] != UINT32_MAX && is_return(cfg, (uint32_t)b);
    while (improve(&r, ipdom, done))
        ;
    lw__arena_release(cfg->arena, mark);
    return ipdom;
}
