/* ir_way.c - where can a thread come to, that has decided something?
 *
 * What it has decided stays decided: it goes the same way wherever it branches on that condition
 * once more, until that is computed anew. LLVM makes one condition of two branches that stand one
 * behind the other, `a || b`, of two comparisons one, `(x | y) != 0`, and drops what follows from
 * another, as `(x & 1) == 0` from `x == 0`; so what is asked is what follows from the one condition
 * for the other. A phi of constants is decided by the edge that it
 * comes by.
 */
#include "compile/compile.h"
#include <stdlib.h>
#include <string.h>

/* Of conditions that are joined, and of numbers; of both. */
enum { DEPTH_MAX = 4, LOOKED_MAX = 2 * DEPTH_MAX + 1 };

/* ---- what follows ---------------------------------------------------------------------------- */

/* Numbers of `bits` bits, from `first` on and `more` behind it, also past the end; none where it is
 * empty. What a comparison with a constant says of one. */
struct range {
    unsigned bits;
    uint64_t first, more;
    bool is_empty;
};

static uint64_t most(unsigned bits)
{
    return UINT64_MAX >> (64 - bits);
}

/* Those from first up to end, which is none of them. */
static struct range up_to(unsigned bits, uint64_t first, uint64_t end)
{
    return (struct range){bits, first & most(bits), (end - first - 1) & most(bits), false};
}

static struct range others(struct range r)
{
    if (r.is_empty)
        return (struct range){r.bits, 0, most(r.bits), false};
    if (r.more == most(r.bits))
        return (struct range){r.bits, 0, 0, true};
    return up_to(r.bits, r.first + r.more + 1, r.first);
}

static bool is_within(struct range a, struct range b)
{
    const uint64_t behind = (a.first - b.first) & most(a.bits);
    return a.is_empty || (!b.is_empty && (b.more == most(b.bits) ||
                                          (behind <= b.more && a.more <= b.more - behind)));
}

/* Is it a comparison of a number, `of`, with a constant, and for which numbers is it true? */
static bool compares(LLVMValueRef c, LLVMValueRef *of, struct range *r)
{
    if (!LLVMIsAICmpInst(c) || !LLVMIsAConstantInt(LLVMGetOperand(c, 1)))
        return false;
    *of = LLVMGetOperand(c, 0);
    const unsigned bits = LLVMGetIntTypeWidth(LLVMTypeOf(*of));
    if (bits > 64)
        return false;
    const uint64_t k = LLVMConstIntGetZExtValue(LLVMGetOperand(c, 1)), least = 1ull << (bits - 1);
    switch (LLVMGetICmpPredicate(c)) {
    case LLVMIntEQ: *r = up_to(bits, k, k + 1); return true;
    case LLVMIntNE: *r = others(up_to(bits, k, k + 1)); return true;
    case LLVMIntUGE: *r = up_to(bits, k, 0); return true;
    case LLVMIntULT: *r = others(up_to(bits, k, 0)); return true;
    case LLVMIntULE: *r = up_to(bits, 0, k + 1); return true;
    case LLVMIntUGT: *r = others(up_to(bits, 0, k + 1)); return true;
    case LLVMIntSGE: *r = up_to(bits, k, least); return true;
    case LLVMIntSLT: *r = others(up_to(bits, k, least)); return true;
    case LLVMIntSLE: *r = up_to(bits, least, k + 1); return true;
    case LLVMIntSGT: *r = others(up_to(bits, least, k + 1)); return true;
    }
    return false;
}

/* Of x + k, as LLVM asks for both ends of a range at once: of x. */
static LLVMValueRef without_addend(LLVMValueRef v, struct range *r)
{
    if (!LLVMIsAInstruction(v) || LLVMGetInstructionOpcode(v) != LLVMAdd ||
        !LLVMIsAConstantInt(LLVMGetOperand(v, 1)))
        return v;
    r->first = (r->first - LLVMConstIntGetZExtValue(LLVMGetOperand(v, 1))) & most(r->bits);
    return LLVMGetOperand(v, 0);
}

/* Is a number made of such that is 0 where its first operand is, or either one (`and`)? */
static bool keeps_zero(LLVMOpcode op)
{
    return op == LLVMAnd || op == LLVMMul || op == LLVMShl || op == LLVMLShr || op == LLVMAShr ||
           op == LLVMUDiv || op == LLVMSDiv || op == LLVMURem || op == LLVMSRem || op == LLVMZExt ||
           op == LLVMSExt || op == LLVMTrunc;
}

/* Is v 0 wherever z is? z may be x | y, of which v is a part; or v z & x. */
static bool is_zero_with(LLVMValueRef v, LLVMValueRef z, unsigned depth)
{
    if (v == z || depth == DEPTH_MAX)
        return v == z;
    if (LLVMIsAInstruction(z) && LLVMGetInstructionOpcode(z) == LLVMOr &&
        (is_zero_with(v, LLVMGetOperand(z, 0), depth + 1) ||
         is_zero_with(v, LLVMGetOperand(z, 1), depth + 1)))
        return true;
    const LLVMOpcode op = LLVMIsAInstruction(v) ? LLVMGetInstructionOpcode(v) : 0;
    return keeps_zero(op) &&
           (is_zero_with(LLVMGetOperand(v, 0), z, depth + 1) ||
            ((op == LLVMAnd || op == LLVMMul) && is_zero_with(LLVMGetOperand(v, 1), z, depth + 1)));
}

/* What a number out of the first says of the second: 0, 1, or -1. */
static int answer(struct range known, struct range asked)
{
    return is_within(known, asked) ? 1 : is_within(known, others(asked)) ? 0 : -1;
}

/* Of two comparisons with constants: of the same number; or of two that are 0 together. */
static int follows_by_number(LLVMValueRef fact, bool value, LLVMValueRef c)
{
    LLVMValueRef x, y;
    struct range known, asked;
    if (!compares(fact, &x, &known) || !compares(c, &y, &asked))
        return -1;
    if (!value)
        known = others(known);
    const struct range zero_x = up_to(known.bits, 0, 1), zero_y = up_to(asked.bits, 0, 1);
    if (is_within(known, zero_x) && is_zero_with(y, x, 0))
        return answer(zero_y, asked);
    if (is_within(known, others(zero_x)) && is_zero_with(x, y, 0)) {
        const int other = answer(others(zero_y), asked);
        if (other >= 0)
            return other;
    }
    x = without_addend(x, &known);
    y = without_addend(y, &asked);
    return x == y ? answer(known, asked) : -1;
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

static bool is_looked_into(LLVMValueRef v)
{
    return lw__ir_is_logic(v) || LLVMIsABinaryOperator(v) || LLVMIsACastInst(v);
}

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
    if (depth == LOOKED_MAX || !LLVMIsAInstruction(v))
        return;
    for (int k = 0; is_looked_into(v) && k < LLVMGetNumOperands(v); k++)
        mention(m, block, LLVMGetOperand(v, (unsigned)k), depth + 1);
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

/* Where the condition is computed anew, or what it was made of. */
static void find_anew(const struct lw__way *w, LLVMValueRef v, unsigned depth)
{
    if (!LLVMIsAInstruction(v) || depth > LOOKED_MAX)
        return;
    const uint32_t b = lw__cfg_index(w->g, LLVMGetInstructionParent(v));
    if (b != UINT32_MAX)
        w->anew[b] = true;
    for (int k = 0; is_looked_into(v) && k < LLVMGetNumOperands(v); k++)
        find_anew(w, LLVMGetOperand(v, (unsigned)k), depth + 1);
}

static bool leads_along(struct lw__way *w, uint32_t from, uint32_t edge);

static bool leads_on(struct lw__way *w, uint32_t from, uint32_t block)
{
    const uint32_t first = w->g->succ_start[block];
    const int only = decided(w, from, block);
    for (uint32_t e = first; e < w->g->succ_start[block + 1]; e++)
        if ((only < 0 || e == first + (uint32_t)only) && leads_along(w, block, e))
            return true;
    return false;
}

static bool leads_along(struct lw__way *w, uint32_t from, uint32_t edge)
{
    const uint32_t block = w->g->succ[edge];
    if (w->seen[edge] || (w->shut && w->shut[edge]) || !w->later[block])
        return false;
    w->seen[edge] = true;
    return w->ends[block] || w->anew[block] || leads_on(w, from, block);
}

static void begin(struct lw__way *w)
{
    memset(w->seen, 0, w->g->succ_start[w->g->count]);
    memset(w->anew, 0, w->g->count);
    if (w->condition)
        find_anew(w, w->condition, 0);
}

bool lw__way_leads_along(struct lw__way *w, uint32_t from, uint32_t edge)
{
    begin(w);
    return leads_along(w, from, edge);
}

bool lw__way_leads(struct lw__way *w, uint32_t block)
{
    begin(w);
    return leads_on(w, UINT32_MAX, block);
}
