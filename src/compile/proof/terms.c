/* terms.c - a value of a kernel as a term, by which the launch finds all that it may be.
 *
 * A term is built for a value at a place, where conditions limit it (term_limits.c).
 *
 * Numbers wrap as those of the kernel do, whatever flags they have. So no term relies on arithmetic
 * that does not overflow.
 */
#include "compile/proof/proof.h"
#include "compile/llvm/llvm.h"
#include <string.h>

enum { BITS_MAX = 64, DEPTH_MAX = 200 };

struct lw__term_known {
    LLVMValueRef value;
    struct lw__term_place at;
    uint32_t term;
    int limits;
    size_t next; /* 1 + number of the one before it with its hash, or 0 */
};

unsigned lw__term_bits(LLVMValueRef v)
{
    LLVMTypeRef type = LLVMTypeOf(v);
    const LLVMTypeKind kind = LLVMGetTypeKind(type);
    const unsigned bits = kind == LLVMIntegerTypeKind   ? LLVMGetIntTypeWidth(type)
                          : kind == LLVMPointerTypeKind ? BITS_MAX
                                                        : 0;
    return bits <= BITS_MAX ? bits : 0;
}

bool lw__term_is_sum(LLVMValueRef v)
{
    if (!LLVMIsABinaryOperator(v))
        return false;
    const LLVMOpcode op = LLVMGetInstructionOpcode(v);
    return op == LLVMAdd || (op == LLVMOr && LLVMGetIsDisjoint(v));
}

/* ---- values ---------------------------------------------------------------------------------- */

static uint32_t of_call(struct lw__terms *t, LLVMValueRef v, struct lw__term_place at, int limits)
{
    static const int places[] = {
#define LW_INDEX(name, axes, place, field, hardware) [LW_INDEX_##name] = LW_PLACE_##place,
#include "compile/llvm/thread_indices.def"
    };
    static const struct {
        const char *name;
        LLVMIntPredicate p;
    } extremes[] = {{"llvm.smin.", LLVMIntSLE},
                    {"llvm.smax.", LLVMIntSGE},
                    {"llvm.umin.", LLVMIntULE},
                    {"llvm.umax.", LLVMIntUGE}};
    static const char *const counts[] = {"llvm.ctpop.", "llvm.ctlz.", "llvm.cttz."};
    const char *name = lw__ir_callee(v);
    const unsigned bits = lw__term_bits(v);
    unsigned axis;
    const enum lw__thread_index index = lw__ir_thread_index(name, &axis);
    if (index)
        return lw__term_leaf(t, LW_TERM_PLACE, bits, places[index] + (int)axis);
    for (size_t i = 0; i < sizeof extremes / sizeof *extremes; i++)
        if (!strncmp(name, extremes[i].name, strlen(extremes[i].name))) {
            /* The least or greatest of two, as one that is so compared with the other. */
            LLVMIntPredicate p = extremes[i].p;
            const uint32_t a = lw__term_at(t, LLVMGetOperand(v, 0), at, limits);
            const uint32_t b = lw__term_at(t, LLVMGetOperand(v, 1), at, limits);
            return lw__term_of_two(t, LW_TERM_EITHER, bits, lw__term_limited(t, a, p, b, bits),
                                   lw__term_limited(t, b, p, a, bits));
        }
    for (size_t i = 0; i < sizeof counts / sizeof *counts; i++)
        if (!strncmp(name, counts[i], strlen(counts[i])))
            return lw__term_limited(t, lw__term_any(t, bits), LLVMIntULE,
                                    lw__term_constant(t, bits, bits), bits);
    return lw__term_any(t, bits);
}

static uint32_t of_operation(struct lw__terms *t, LLVMValueRef v, uint32_t a, uint32_t b)
{
    static const struct {
        LLVMOpcode op;
        enum lw_term_kind kind;
    } kinds[] = {{LLVMAdd, LW_TERM_ADD},   {LLVMSub, LW_TERM_SUBTRACT}, {LLVMMul, LW_TERM_MULTIPLY},
                 {LLVMUDiv, LW_TERM_UDIV}, {LLVMURem, LW_TERM_UREM},    {LLVMSDiv, LW_TERM_SDIV},
                 {LLVMSRem, LW_TERM_SREM}, {LLVMShl, LW_TERM_SHL},      {LLVMLShr, LW_TERM_LSHR},
                 {LLVMAShr, LW_TERM_ASHR}, {LLVMAnd, LW_TERM_AND},      {LLVMXor, LW_TERM_XOR}};
    const LLVMOpcode op = LLVMGetInstructionOpcode(v);
    const unsigned bits = lw__term_bits(v);
    for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++)
        if (kinds[i].op == op)
            return lw__term_of_two(t, kinds[i].kind, bits, a, b);
    if (op == LLVMOr)
        return lw__term_of_two(t, lw__term_is_sum(v) ? LW_TERM_ADD : LW_TERM_OR, bits, a, b);
    return lw__term_any(t, bits);
}

static bool is_compared(LLVMValueRef v)
{
    EACH_USE(u, v)
        if (LLVMIsAICmpInst(LLVMGetUser(u)))
            return true;
    return false;
}

/* A sum of both that is compared somewhere; NULL: there is none. */
static LLVMValueRef compared_sum(LLVMValueRef a, LLVMValueRef b)
{
    if (LLVMIsAConstant(a))
        return NULL;
    EACH_USE(u, a) {
        LLVMValueRef sum = LLVMGetUser(u);
        if (lw__term_is_sum(sum) && is_compared(sum) &&
            ((LLVMGetOperand(sum, 0) == a && LLVMGetOperand(sum, 1) == b) ||
             (LLVMGetOperand(sum, 0) == b && LLVMGetOperand(sum, 1) == a)))
            return sum;
    }
    return NULL;
}

/* (a + b) + c, which C makes of `row * n + b + c`, is a + (b + c): the latter may have a limit.
 * False: v is no such sum. */
static bool regroup(struct lw__terms *t, LLVMValueRef v, struct lw__term_place at, int limits,
                    uint32_t *term)
{
    for (unsigned k = 0; k < 2 && lw__term_is_sum(v); k++) {
        LLVMValueRef inner = LLVMGetOperand(v, k), c = LLVMGetOperand(v, 1 - k);
        for (unsigned j = 0; j < 2 && lw__term_is_sum(inner); j++) {
            LLVMValueRef a = LLVMGetOperand(inner, j), b = LLVMGetOperand(inner, 1 - j);
            LLVMValueRef sum = compared_sum(b, c);
            if (!sum || sum == v)
                continue;
            *term = lw__term_of_two(t, LW_TERM_ADD, lw__term_bits(v), lw__term_at(t, a, at, limits),
                                    lw__term_at(t, sum, at, limits));
            return true;
        }
    }
    return false;
}

static uint32_t of_cast(struct lw__terms *t, LLVMValueRef v, struct lw__term_place at, int limits)
{
    LLVMValueRef from = LLVMGetOperand(v, 0);
    const unsigned bits = lw__term_bits(v);
    const LLVMOpcode op = LLVMGetInstructionOpcode(v);
    if (!lw__term_bits(from) || (op != LLVMSExt && op != LLVMZExt && op != LLVMTrunc))
        return lw__term_any(t, bits);
    return lw__term_resized(t,
                            op == LLVMSExt   ? LW_TERM_SEXT
                            : op == LLVMZExt ? LW_TERM_ZEXT
                                             : LW_TERM_TRUNC,
                            bits, lw__term_at(t, from, at, limits));
}

static uint32_t of_select(struct lw__terms *t, LLVMValueRef v, struct lw__term_place at, int limits)
{
    LLVMValueRef condition = LLVMGetOperand(v, 0);
    uint32_t arms[2];
    for (unsigned k = 0; k < 2; k++) {
        LLVMValueRef arm = LLVMGetOperand(v, k + 1);
        arms[k] = lw__term_at(t, arm, at, limits);
        if (!LLVMIsAConstantInt(arm))
            arms[k] = lw__term_by_condition(t, arms[k], arm, condition, !k, at, limits);
        arms[k] = lw__term_of_two(t, LW_TERM_WHERE, lw__term_bits(v), arms[k],
                                  lw__term_witness(t, condition, !k, at, limits));
    }
    return lw__term_of_two(t, LW_TERM_EITHER, lw__term_bits(v), arms[0], arms[1]);
}

/* The first result of llvm.sadd.with.overflow and its like. */
static uint32_t of_pair(struct lw__terms *t, LLVMValueRef v, struct lw__term_place at, int limits)
{
    static const struct {
        const char *name;
        enum lw_term_kind kind;
    } pairs[] = {{"add.with.overflow.", LW_TERM_ADD},
                 {"sub.with.overflow.", LW_TERM_SUBTRACT},
                 {"mul.with.overflow.", LW_TERM_MULTIPLY}};
    LLVMValueRef call = LLVMGetOperand(v, 0);
    const char *name = lw__ir_callee(call);
    const bool is_first = LLVMGetNumIndices(v) == 1 && LLVMGetIndices(v)[0] == 0;
    for (size_t i = 0; is_first && i < sizeof pairs / sizeof *pairs; i++)
        if (strstr(name, pairs[i].name))
            return lw__term_of_two(t, pairs[i].kind, lw__term_bits(v),
                                   lw__term_at(t, LLVMGetOperand(call, 0), at, limits),
                                   lw__term_at(t, LLVMGetOperand(call, 1), at, limits));
    return lw__term_any(t, lw__term_bits(v));
}

/* ---- phis ------------------------------------------------------------------------------------ */

/* What the phi gets along its edges that lead back to the header of a loop, or along the others; 0:
 * there are none. */
static uint32_t of_edges(struct lw__terms *t, LLVMValueRef phi, uint32_t block, bool leading_back)
{
    uint32_t all = 0;
    for (unsigned k = 0; k < LLVMCountIncoming(phi); k++) {
        const uint32_t from = lw__cfg_index(&t->g, LLVMGetIncomingBlock(phi, k));
        if (from == UINT32_MAX || lw__cfg_dominates(&t->g, block, from) != leading_back)
            continue;
        const struct lw__term_place edge = {from, block};
        const uint32_t one = lw__term_where_reached(
            t, lw__term_at(t, LLVMGetIncomingValue(phi, k), edge, LW_TERM_LIMITS), edge);
        all = all ? lw__term_of_two(t, LW_TERM_EITHER, lw__term_bits(phi), all, one) : one;
    }
    return all;
}

/* Values are aligned, and the lowest bits of their addresses say little. */
static size_t hash_of(LLVMValueRef v)
{
    return ((uintptr_t)v >> 4 ^ (uintptr_t)v >> 12) % LW_TERM_HEADS;
}

static void know(struct lw__terms *t, struct lw__term_known known)
{
    t->known = lw__one_more(t->g.arena, t->known, t->known_count, sizeof *t->known);
    size_t *head = &t->heads[hash_of(known.value)];
    known.next = *head;
    t->known[t->known_count++] = known;
    *head = t->known_count;
}

static uint32_t find(const struct lw__terms *t, LLVMValueRef v, struct lw__term_place at,
                     int limits)
{
    const struct lw__term_known *k;
    for (size_t i = t->heads[hash_of(v)]; i; i = k->next) {
        k = &t->known[i - 1];
        if (k->value == v && k->at.block == at.block && k->at.to == at.to && k->limits == limits)
            return k->term;
    }
    return 0;
}

/* A phi without conditions is the same at any place. It is known before what it is made of, which
 * it may be itself. */
static uint32_t of_phi(struct lw__terms *t, LLVMValueRef phi)
{
    static const struct lw__term_place anywhere = {UINT32_MAX, UINT32_MAX};
    const uint32_t block = lw__cfg_index(&t->g, LLVMGetInstructionParent(phi));
    uint32_t row = find(t, phi, anywhere, 0);
    if (row || block == UINT32_MAX)
        return row;
    row = lw__term_open(t, lw__term_bits(phi));
    if (!row)
        return row;
    know(t, (struct lw__term_known){phi, anywhere, row, 0, 0});
    const uint32_t first = of_edges(t, phi, block, false), next = of_edges(t, phi, block, true);
    if (first && t->count < LW_TERMS_MAX) {
        t->rows[row].kind = next ? LW_TERM_COUNTER : LW_TERM_EITHER;
        t->rows[row].a = first;
        t->rows[row].b = next ? next : first;
    }
    return row;
}

/* ---- phis of counted loops ------------------------------------------------------------------- */

/* What the phi becomes in each iteration; NULL: that depends on how the iteration ends. */
static LLVMValueRef next_of(const struct lw__terms *t, LLVMValueRef phi, uint32_t block)
{
    LLVMValueRef next = NULL;
    for (unsigned k = 0; k < LLVMCountIncoming(phi); k++) {
        const uint32_t from = lw__cfg_index(&t->g, LLVMGetIncomingBlock(phi, k));
        if (from == UINT32_MAX || !lw__cfg_dominates(&t->g, block, from))
            continue;
        LLVMValueRef value = LLVMGetIncomingValue(phi, k);
        if (next && next != value)
            return NULL;
        next = value;
    }
    return next;
}

bool lw__term_counts(const struct lw__terms *t, LLVMValueRef phi, uint32_t block, int64_t *from)
{
    LLVMValueRef next = lw__term_bits(phi) > 1 ? next_of(t, phi, block) : NULL;
    if (!next || !LLVMIsABinaryOperator(next) || LLVMGetInstructionOpcode(next) != LLVMAdd ||
        LLVMGetOperand(next, 0) != phi || !LLVMIsAConstantInt(LLVMGetOperand(next, 1)) ||
        LLVMConstIntGetZExtValue(LLVMGetOperand(next, 1)) != 1)
        return false;
    bool entered = false;
    for (unsigned k = 0; k < LLVMCountIncoming(phi); k++) {
        const uint32_t edge = lw__cfg_index(&t->g, LLVMGetIncomingBlock(phi, k));
        LLVMValueRef value = LLVMGetIncomingValue(phi, k);
        if (edge == UINT32_MAX || lw__cfg_dominates(&t->g, block, edge))
            continue;
        if (!LLVMIsAConstantInt(value) || LLVMConstIntGetSExtValue(value) < 0 ||
            (entered && LLVMConstIntGetSExtValue(value) != *from))
            return false;
        *from = LLVMConstIntGetSExtValue(value);
        entered = true;
    }
    return entered;
}

/* The counter of iterations by which the loop of this header ends, and where it starts; NULL: it
 * has none. */
static LLVMValueRef iterations_of(const struct lw__terms *t, uint32_t block, int64_t *start)
{
    EACH_PHI(i, t->g.blocks[block])
        if (LLVMGetTypeKind(LLVMTypeOf(i)) == LLVMIntegerTypeKind &&
            lw__term_counts(t, i, block, start) &&
            (is_compared(i) || is_compared(next_of(t, i, block))))
            return i;
    return NULL;
}

bool lw__term_is_invariant(const struct lw__terms *t, LLVMValueRef v, uint32_t block)
{
    if (!LLVMIsAInstruction(v))
        return true;
    const uint32_t of = lw__cfg_index(&t->g, LLVMGetInstructionParent(v));
    return of != UINT32_MAX && of != block && lw__cfg_dominates(&t->g, of, block);
}

/* What each iteration adds to the phi, in bytes of a pointer; false: it does something else. */
static bool step_of(struct lw__terms *t, LLVMValueRef phi, uint32_t block, uint32_t *step)
{
    LLVMValueRef next = next_of(t, phi, block);
    if (!next || !LLVMIsAInstruction(next) || LLVMGetNumOperands(next) != 2 ||
        LLVMGetOperand(next, 0) != phi || !lw__term_is_invariant(t, LLVMGetOperand(next, 1), block))
        return false;
    const struct lw__term_place before = {t->g.idom[block], UINT32_MAX};
    LLVMValueRef by = LLVMGetOperand(next, 1);
    const LLVMOpcode op = LLVMGetInstructionOpcode(next);
    const unsigned bits = lw__term_bits(phi);
    uint64_t bytes = 1;
    if (op == LLVMGetElementPtr)
        bytes = LLVMABISizeOfType(t->data, LLVMGetGEPSourceElementType(next));
    else if (op != LLVMAdd)
        return false;
    *step =
        lw__term_of_two(t, LW_TERM_MULTIPLY, bits,
                        op == LLVMAdd ? lw__term_at(t, by, before, LW_TERM_LIMITS)
                                      : lw__term_wide(t, by, LW_TERM_SEXT, before, LW_TERM_LIMITS),
                        lw__term_constant(t, bits, (int64_t)bytes));
    return true;
}

/* A phi of a loop whose iterations another one counts: where it began and so many steps; or what so
 * many iterations make of it. */
static uint32_t of_counted(struct lw__terms *t, LLVMValueRef phi, struct lw__term_place at,
                           int limits)
{
    const uint32_t block = lw__cfg_index(&t->g, LLVMGetInstructionParent(phi));
    int64_t start = 0;
    LLVMValueRef iterations = block == UINT32_MAX ? NULL : iterations_of(t, block, &start);
    const unsigned bits = lw__term_bits(phi);
    if (!iterations || iterations == phi)
        return of_phi(t, phi);
    uint32_t times = lw__term_at(t, iterations, at, limits);
    const unsigned from = lw__term_bits(iterations);
    if (start)
        times =
            lw__term_of_two(t, LW_TERM_SUBTRACT, from, times, lw__term_constant(t, from, start));
    uint32_t step;
    const bool steps = step_of(t, phi, block, &step), wraps_alike = steps && bits == from;
    if (from < BITS_MAX && !wraps_alike)
        times = lw__term_of_two(t, LW_TERM_TIMES, BITS_MAX, times, of_phi(t, iterations));
    if (!steps)
        return lw__term_of_two(t, LW_TERM_COUNTED, bits, of_phi(t, phi), times);
    if (bits < BITS_MAX && !wraps_alike)
        times = lw__term_resized(t, LW_TERM_TRUNC, bits, times);
    return lw__term_of_two(t, LW_TERM_ADD, bits, of_edges(t, phi, block, false),
                           lw__term_of_two(t, LW_TERM_MULTIPLY, bits, step, times));
}

/* ---- terms ----------------------------------------------------------------------------------- */

static uint32_t of_value(struct lw__terms *t, LLVMValueRef v, struct lw__term_place at, int limits)
{
    const unsigned bits = lw__term_bits(v);
    if (LLVMIsAPHINode(v))
        return of_counted(t, v, at, limits);
    if (LLVMIsASelectInst(v))
        return of_select(t, v, at, limits);
    if (LLVMGetTypeKind(LLVMTypeOf(v)) == LLVMPointerTypeKind)
        return lw__term_of_pointer(t, v, at, limits);
    if (LLVMIsAArgument(v)) {
        const struct lw__kernel *kernel = t->kernel;
        for (unsigned i = 0; i < kernel->param_count; i++)
            if (LLVMGetParam(kernel->function, i) == v && kernel->params[i].size * 8 == bits)
                return lw__term_leaf(t, LW_TERM_ARGUMENT, bits, (int64_t)kernel->params[i].offset);
        return lw__term_any(t, bits);
    }
    if (LLVMIsACallInst(v))
        return of_call(t, v, at, limits);
    if (LLVMIsACastInst(v))
        return of_cast(t, v, at, limits);
    if (LLVMIsAExtractValueInst(v))
        return of_pair(t, v, at, limits);
    if (LLVMIsAFreezeInst(v))
        return lw__term_at(t, LLVMGetOperand(v, 0), at, limits);
    uint32_t found;
    if (LLVMIsALoadInst(v) && lw__term_of_field(t, v, &found))
        return found;
    if (limits && regroup(t, v, at, limits, &found))
        return found;
    if (!LLVMIsABinaryOperator(v))
        return lw__term_any(t, bits);
    const uint32_t a = lw__term_at(t, LLVMGetOperand(v, 0), at, limits);
    const uint32_t b = lw__term_at(t, LLVMGetOperand(v, 1), at, limits);
    return of_operation(t, v, a, b);
}

uint32_t lw__term_at(struct lw__terms *t, LLVMValueRef v, struct lw__term_place at, int limits)
{
    if (t->count == LW_TERMS_MAX)
        return 0;
    if (LLVMIsAConstantInt(v) && lw__term_bits(v))
        return lw__term_constant(t, lw__term_bits(v), LLVMConstIntGetSExtValue(v));
    if (!lw__term_bits(v) || t->depth == DEPTH_MAX)
        return lw__term_any(t, lw__term_bits(v) ? lw__term_bits(v) : BITS_MAX);
    uint32_t term = find(t, v, at, limits);
    if (term)
        return term;
    t->depth++;
    term = of_value(t, v, at, limits);
    if (limits && LLVMGetTypeKind(LLVMTypeOf(v)) == LLVMIntegerTypeKind)
        term = lw__term_by_place(t, term, v, at, limits);
    t->depth--;
    know(t, (struct lw__term_known){v, at, term, limits, 0});
    return term;
}

uint32_t lw__term_wide(struct lw__terms *t, LLVMValueRef v, enum lw_term_kind extension,
                       struct lw__term_place at, int limits)
{
    const unsigned bits = lw__term_bits(v);
    const uint32_t term = lw__term_at(t, v, at, limits);
    return bits && bits < BITS_MAX ? lw__term_resized(t, extension, BITS_MAX, term) : term;
}
