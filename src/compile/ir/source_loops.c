/* source_loops.c - the loops of the source text.
 *
 * An arm that leaves a loop (break, return, goto) belongs to the iteration that it leaves. No edge
 * leads from it back to the header. Its position in the source identifies it. clang's control flow
 * graph still has that position: blocks are laid out in source order. A block is in the loop if its
 * position is among the loop's blocks and only they lead to it. The last arm of a `while` may be
 * laid out after them, but before the statement's end, the block "while.end". Without such a block,
 * a label ends it. Source locations would not do: all code of a macro has one location.
 */
#include "compile/ir/ir.h"
#include <string.h>

/* True if a block has one of these names, followed by clang's number and inlining's suffix. */
static bool named(LLVMBasicBlockRef block, const char *const *names)
{
    const char *name = LLVMGetBasicBlockName(block);
    for (; *names; names++) {
        size_t n = strlen(*names);
        if (!strncmp(name, *names, n) && strspn(name + n, "0123456789.i") == strlen(name + n))
            return true;
    }
    return false;
}

static const char *const begins[] = {"for.cond", "while.cond", "do.body", NULL};
static const char *const while_cond[] = {"while.cond", NULL};
static const char *const while_body[] = {"while.body", NULL};
static const char *const ends[] = {"for.end", "while.end", "do.end", NULL};
static const char *const bodies[] = {"for.cond",   "while.cond", "do.body",
                                     "while.body", "for.body",   NULL};

/* Names of clang have dots, except for these; a label of the source has none. */
static bool is_label(LLVMBasicBlockRef block)
{
    static const char *const own[] = {"entry", "return", "cleanup", "unreachable", NULL};
    const char *name = LLVMGetBasicBlockName(block);
    return *name && !strchr(name, '.') && !named(block, own);
}

/* True if a loop's statement ends between its last block and block b. Statements that begin there
 * end there as well; `while (true)` begins with its body. A loop that only goto and return leave
 * has no end block: then the first label after it is taken for the end. */
static bool statement_ends(const struct lw__cfg *g, uint32_t last, uint32_t b)
{
    uint32_t position = 0, depth = 0, conditions = 0;
    bool label = false;
    LLVMBasicBlockRef block = LLVMGetFirstBasicBlock(g->function);
    for (; block; block = LLVMGetNextBasicBlock(block), position++) {
        if (position <= last)
            continue;
        if (named(block, ends) && depth-- == 0)
            return position <= g->layout[b];
        label |= position <= g->layout[b] && is_label(block);
        depth += named(block, begins);
        conditions += named(block, while_cond);
        if (named(block, while_body)) {
            depth += conditions == 0;
            conditions -= conditions > 0;
        }
    }
    return label;
}

static bool is_in_text(const struct lw__cfg *g, const struct lw__loop *l, uint32_t b)
{
    uint32_t first = UINT32_MAX, last = 0;
    for (uint32_t k = 0; k < g->count; k++) {
        if (!l->body[k])
            continue;
        first = g->layout[k] < first ? g->layout[k] : first;
        last = g->layout[k] > last ? g->layout[k] : last;
    }
    if (g->layout[b] <= last)
        return g->layout[b] > first;
    return named(g->blocks[l->header], bodies) && !statement_ends(g, last, b);
}

bool lw__text_begins_loop(LLVMBasicBlockRef block)
{
    return named(block, begins) || named(block, while_body);
}

void lw__text_loops(const struct lw__cfg *g, const bool *wanted, struct lw__loops *loops)
{
    lw__loops_build_by_text(g, loops);
    for (size_t i = 0; i < loops->count; i++) {
        /* Add to this loop the wanted blocks of the arms that leave it. */
        const struct lw__arena_mark mark = lw__arena_mark(g->arena);
        bool *around = lw__new(g->arena, g->count + 1, sizeof *around);
        struct lw__loop own = loops->loops[i];
        own.body = lw__new(g->arena, g->count + 1, sizeof *own.body);
        /* Mark what can be reached without the loop. */
        uint32_t *todo = lw__new(g->arena, g->count + 1, sizeof *todo), n = 0;
        around[0] = !loops->loops[i].body[0];
        if (around[0])
            todo[n++] = 0;
        while (n) {
            uint32_t b = todo[--n];
            EACH_SUCCESSOR(t, g, b) {
                if (!loops->loops[i].body[t] && !around[t]) {
                    around[t] = true;
                    todo[n++] = t;
                }
            }
        }
        memcpy(own.body, loops->loops[i].body, g->count);
        for (uint32_t b = 0; b < g->count; b++)
            if (wanted[b] && !loops->loops[i].body[b] && !around[b] && is_in_text(g, &own, b))
                lw__loops_grow(g, &loops->loops[i], b);
        lw__arena_release(g->arena, mark);
    }
    /* outer loops precede inner ones: from the back, each inner loop is complete first */
    for (size_t i = loops->count; i-- > 0;) {
        /* Blocks added to an inner loop are added to the loops around it, too. */
        for (size_t k = 0; k < loops->count; k++) {
            const struct lw__loop *inner = &loops->loops[k];
            if (inner == &loops->loops[i] || !loops->loops[i].body[inner->header])
                continue;
            for (uint32_t b = 0; b < g->count; b++)
                if (inner->body[b] && !loops->loops[i].body[b])
                    lw__loops_grow(g, &loops->loops[i], b);
        }
    }
    lw__loops_nest(loops);
}
