/* ir_loop.c - natural loops of a reducible control flow graph.
 *
 * A loop is its header and all that reaches the header's back edges without passing the header.
 * lw__loops_grow adds, by the same rule, all that reaches one more block: ir_instance.c uses it to
 * take exit arms into the trip that they leave.
 * source   Aho, Sethi & Ullman, Compilers, 1986, section 10.4
 */
#include "compile/compile.h"
#include <stdlib.h>

bool lw__loops_grow(const struct lw__cfg *cfg, struct lw__loop *loop, uint32_t block)
{
    uint32_t *todo = malloc((cfg->count + 1) * sizeof *todo);
    if (!todo)
        return lw__defect("out of memory");
    size_t n = 0;
    if (!loop->body[block]) {
        loop->body[block] = true;
        todo[n++] = block;
    }
    while (n) {
        uint32_t b = todo[--n];
        loop->size++;
        for (uint32_t e = cfg->pred_start[b]; e < cfg->pred_start[b + 1]; e++) {
            uint32_t p = cfg->pred[e];
            if (!loop->body[p]) {
                loop->body[p] = true;
                todo[n++] = p;
            }
        }
    }
    free(todo);
    return true;
}

static bool add_loop(const struct lw__cfg *cfg, struct lw__loops *loops, uint32_t header)
{
    struct lw__loop *l = &loops->loops[loops->count];
    *l = (struct lw__loop){header, calloc(cfg->count, sizeof *l->body), 1, -1};
    if (!l->body)
        return lw__defect("out of memory");
    loops->count++;
    l->body[header] = true;
    for (uint32_t e = cfg->pred_start[header]; e < cfg->pred_start[header + 1]; e++)
        if (cfg->pred[e] >= header && !lw__loops_grow(cfg, l, cfg->pred[e]))
            return false;
    return true;
}

static bool is_header(const struct lw__cfg *cfg, uint32_t b)
{
    for (uint32_t e = cfg->pred_start[b]; e < cfg->pred_start[b + 1]; e++)
        if (cfg->pred[e] >= b)
            return true;
    return false;
}

bool lw__loops_build(const struct lw__cfg *cfg, struct lw__loops *loops)
{
    *loops = (struct lw__loops){0, calloc(cfg->count + 1, sizeof *loops->loops)};
    if (!loops->loops)
        return lw__defect("out of memory");
    for (uint32_t b = 0; b < cfg->count; b++)
        if (is_header(cfg, b) && !add_loop(cfg, loops, b))
            return false;
    lw__loops_nest(loops);
    return true;
}

/* The parent is the smallest other loop that holds the header. */
void lw__loops_nest(struct lw__loops *loops)
{
    for (size_t i = 0; i < loops->count; i++) {
        struct lw__loop *l = &loops->loops[i];
        l->parent = -1;
        for (size_t k = 0; k < loops->count; k++) {
            const struct lw__loop *outer = &loops->loops[k];
            if (k == i || !outer->body[l->header])
                continue;
            if (l->parent < 0 || outer->size < loops->loops[l->parent].size)
                l->parent = (int)k;
        }
    }
}

void lw__loops_free(struct lw__loops *loops)
{
    for (size_t i = 0; i < loops->count; i++)
        free(loops->loops[i].body);
    free(loops->loops);
    *loops = (struct lw__loops){0};
}
