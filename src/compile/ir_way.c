/* ir_way.c - where can a thread come to, that has decided something?
 *
 * What it has decided stays decided: it goes the same way wherever it branches on that condition
 * once more, until that is computed anew. LLVM makes one condition of two branches that stand one
 * behind the other, `a || b`, and of two comparisons one, `(x | y) != 0`; so what is asked is what
 * follows from the one condition for the other. A phi of constants is decided by the edge that it
 * comes by.
 */
#include "compile/compile.h"
#include <stdlib.h>

enum { DEPTH_MAX = 6 }; /* of conditions and numbers that are joined */

/* ---- what follows ---------------------------------------------------------------------------- */

/* Is it a comparison of a number with 0? */
static bool asks_for_zero(LLVMValueRef c)
{
    return LLVMIsAICmpInst(c) && LLVMIsAConstantInt(LLVMGetOperand(c, 1)) &&
           LLVMIsNull(LLVMGetOperand(c, 1)) &&
           (LLVMGetICmpPredicate(c) == LLVMIntEQ || LLVMGetICmpPredicate(c) == LLVMIntNE);
}

/* Is v x | y | ..., and `part` of that? */
static bool has_part(LLVMValueRef v, LLVMValueRef part, unsigned depth)
{
    return v == part ||
           (LLVMIsAInstruction(v) && LLVMGetInstructionOpcode(v) == LLVMOr && depth < DEPTH_MAX &&
            (has_part(LLVMGetOperand(v, 0), part, depth + 1) ||
             has_part(LLVMGetOperand(v, 1), part, depth + 1)));
}

/* Of two comparisons with 0: what is not 0 is not with others, either; where it is with others, it
 * is alone. -1: nothing follows. */
static int follows_by_number(LLVMValueRef fact, bool value, LLVMValueRef c)
{
    if (!asks_for_zero(fact) || !asks_for_zero(c))
        return -1;
    LLVMValueRef x = LLVMGetOperand(fact, 0), y = LLVMGetOperand(c, 0);
    const bool is_zero = (LLVMGetICmpPredicate(fact) == LLVMIntEQ) == value;
    if (is_zero ? !has_part(x, y, 0) : !has_part(y, x, 0))
        return -1;
    return is_zero == (LLVMGetICmpPredicate(c) == LLVMIntEQ);
}

/* What the condition c is where the fact has that value: 0, 1, or -1, that is not known. */
static int follows(LLVMValueRef fact, bool value, LLVMValueRef c, unsigned depth)
{
    LLVMValueRef of[2], not_c = lw__ir_negated(c), not_fact = lw__ir_negated(fact);
    int known = c == fact ? value : follows_by_number(fact, value, c);
    if (known >= 0 || depth == DEPTH_MAX)
        return known;
    if (not_c) {
        known = follows(fact, value, not_c, depth + 1);
        return known < 0 ? known : !known;
    }
    for (int by_or = 0; by_or < 2; by_or++)
        if (lw__ir_joined(c, by_or, of)) {
            const int first = follows(fact, value, of[0], depth + 1),
                      second = follows(fact, value, of[1], depth + 1);
            known = first == by_or || second == by_or ? by_or : first == second ? first : -1;
        }
    if (known < 0 && not_fact)
        known = follows(not_fact, !value, c, depth + 1);
    for (int k = 0; known < 0 && k < 2 && lw__ir_joined(fact, !value, of); k++)
        known = follows(of[k], value, c, depth + 1);
    return known;
}

/* -- who decides ------------------------------------------------------------------------------- */

/* What `follows` may look at of the conditions that the blocks branch on. */
struct mention {
    LLVMValueRef v;
    uint32_t block;
};

struct mentions {
    struct mention *list; /* NULL: they are only counted */
    size_t count;
};

static void mention(struct mentions *m, uint32_t block, LLVMValueRef v, unsigned depth)
{
    if (LLVMIsAConstant(v))
        return;
    if (m->list)
        m->list[m->count] = (struct mention){v, block};
    m->count++;
    if (depth == DEPTH_MAX || !LLVMIsAInstruction(v))
        return;
    const LLVMOpcode op = LLVMGetInstructionOpcode(v);
    const bool is_logic = op != LLVMICmp && lw__ir_is_logic(v);
    for (int k = 0; is_logic && k < LLVMGetNumOperands(v); k++)
        mention(m, block, LLVMGetOperand(v, (unsigned)k), depth + 1);
    if (asks_for_zero(v))
        mention(m, block, LLVMGetOperand(v, 0), depth + 1);
}

static int by_value(const void *a, const void *b)
{
    const struct mention *x = a, *y = b;
    const uintptr_t p = (uintptr_t)x->v, q = (uintptr_t)y->v;
    return p != q ? (p < q ? -1 : 1) : x->block < y->block ? -1 : x->block > y->block;
}

static void mention_all(struct mentions *m, const struct lw__cfg *g)
{
    m->count = 0;
    for (uint32_t b = 0; b < g->count; b++) {
        LLVMValueRef c = lw__cfg_condition(g, b);
        if (c)
            mention(m, b, c, 0);
    }
}

bool *lw__way_find_deciders(const struct lw__cfg *g)
{
    struct mentions m = {0};
    mention_all(&m, g);
    m.list = calloc(m.count + 1, sizeof *m.list);
    bool *decides = calloc(g->count, 1);
    if (!m.list || !decides) {
        free(m.list);
        free(decides);
        lw__defect("out of memory");
        return NULL;
    }
    mention_all(&m, g);
    qsort(m.list, m.count, sizeof *m.list, by_value);
    for (size_t i = 1; i < m.count; i++)
        if (m.list[i].v == m.list[i - 1].v && m.list[i].block != m.list[i - 1].block)
            decides[m.list[i].block] = decides[m.list[i - 1].block] = true;
    for (uint32_t b = 0; b < g->count; b++) {
        LLVMValueRef c = lw__cfg_condition(g, b);
        decides[b] |= c && (!LLVMIsAInstruction(c) || LLVMGetInstructionParent(c) != g->blocks[b]);
    }
    free(m.list);
    return decides;
}

/* ---- ways ------------------------------------------------------------------------------------ */

/* The only successor, as 0 or 1, of a block for a thread that comes by an edge from `from`; -1: it
 * may be any. */
static int decided(const struct lw__way *w, uint32_t from, uint32_t block)
{
    LLVMValueRef c = lw__cfg_condition(w->g, block);
    const int known = c && LLVMIsAConstantInt(c) ? lw__ir_is_truth(c, true)
                      : c && w->condition        ? follows(w->condition, w->value, c, 0)
                                                 : -1;
    if (known >= 0)
        return !known;
    if (!c || from == UINT32_MAX || !LLVMIsAPHINode(c) ||
        LLVMGetInstructionParent(c) != w->g->blocks[block])
        return -1;
    LLVMValueRef v = lw__ir_incoming(c, w->g->blocks[from]);
    return v && LLVMIsAConstantInt(v) ? !LLVMConstIntGetZExtValue(v) : -1;
}

/* Is the condition computed anew there, or what it was made of? */
static bool makes(const struct lw__cfg *g, uint32_t block, LLVMValueRef v, unsigned depth)
{
    if (!LLVMIsAInstruction(v) || depth > DEPTH_MAX)
        return false;
    bool is = LLVMGetInstructionParent(v) == g->blocks[block];
    for (int k = 0; !is && lw__ir_is_logic(v) && k < LLVMGetNumOperands(v); k++)
        is = makes(g, block, LLVMGetOperand(v, (unsigned)k), depth + 1);
    return is;
}

static bool leads_on(struct lw__way *w, uint32_t from, uint32_t block)
{
    const uint32_t first = w->g->succ_start[block];
    const int only = decided(w, from, block);
    for (uint32_t e = first; e < w->g->succ_start[block + 1]; e++)
        if ((only < 0 || e == first + (uint32_t)only) && lw__way_leads_along(w, block, e))
            return true;
    return false;
}

bool lw__way_leads_along(struct lw__way *w, uint32_t from, uint32_t edge)
{
    const uint32_t block = w->g->succ[edge];
    if (w->seen[edge] || (w->shut && w->shut[edge]) || !w->later[block])
        return false;
    w->seen[edge] = true;
    return w->ends[block] || (w->condition && makes(w->g, block, w->condition, 0)) ||
           leads_on(w, from, block);
}

bool lw__way_leads(struct lw__way *w, uint32_t block)
{
    return leads_on(w, UINT32_MAX, block);
}
