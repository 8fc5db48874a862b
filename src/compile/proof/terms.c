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

enum { BITS_MAX = 64, DEPTH_MAX = 200, LIMITS = 2 };

struct lw__term_known {
    LLVMValueRef value;
    struct lw__term_place at;
    uint32_t term;
    int limits;
    size_t next; /* 1 + number of the one before it with its hash, or 0 */
};

/* ---- rows ------------------------------------------------------------------------------------ */

static uint32_t add_row(struct lw__terms *t, struct lw_term row)
{
    if (t->count == LW_TERMS_MAX)
        return 0;
    t->rows = lw__one_more(t->g.arena, t->rows, t->count, sizeof *t->rows);
    t->rows[t->count] = row;
    return t->count++;
}

uint32_t lw__term_any(struct lw__terms *t, unsigned bits)
{
    return add_row(t, (struct lw_term){.kind = LW_TERM_ANY, .bits = (uint16_t)bits});
}

uint32_t lw__term_constant(struct lw__terms *t, unsigned bits, int64_t number)
{
    return add_row(
        t, (struct lw_term){.kind = LW_TERM_CONSTANT, .bits = (uint16_t)bits, .number = number});
}

uint32_t lw__term_of_two(struct lw__terms *t, enum lw_term_kind kind, unsigned bits, uint32_t a,
                         uint32_t b)
{
    return add_row(t, (struct lw_term){.kind = kind, .bits = (uint16_t)bits, .a = a, .b = b});
}

uint32_t lw__term_resized(struct lw__terms *t, enum lw_term_kind kind, unsigned bits, uint32_t a)
{
    return lw__term_of_two(t, kind, bits, a, 0);
}

/* a, for which the comparison holds. */
uint32_t lw__term_limited(struct lw__terms *t, uint32_t a, LLVMIntPredicate p, uint32_t b,
                          unsigned bits)
{
    _Static_assert(LLVMIntNE - LLVMIntEQ == (int)LW_ORDER_NE &&
                       LLVMIntULT - LLVMIntEQ == (int)LW_ORDER_ULT &&
                       LLVMIntSLE - LLVMIntEQ == (int)LW_ORDER_SLE,
                   "LLVM's order of predicates");
    return add_row(t, (struct lw_term){.kind = LW_TERM_LIMITED,
                                       .bits = (uint16_t)bits,
                                       .a = a,
                                       .b = b,
                                       .number = p - LLVMIntEQ});
}

/* The bits of an integer that a term can be of; 0: it is another value. */
unsigned lw__term_bits(LLVMValueRef v)
{
    LLVMTypeRef type = LLVMTypeOf(v);
    const unsigned bits =
        LLVMGetTypeKind(type) == LLVMIntegerTypeKind ? LLVMGetIntTypeWidth(type) : 0;
    return bits <= BITS_MAX ? bits : 0;
}

/* ---- values ---------------------------------------------------------------------------------- */

static uint32_t of_argument(struct lw__terms *t, LLVMValueRef v, unsigned bits)
{
    const struct lw__kernel *kernel = t->kernel;
    for (unsigned i = 0; i < kernel->param_count; i++)
        if (LLVMGetParam(kernel->function, i) == v && kernel->params[i].size * 8 == bits)
            return add_row(t, (struct lw_term){.kind = LW_TERM_ARGUMENT,
                                               .bits = (uint16_t)bits,
                                               .number = (int64_t)kernel->params[i].offset});
    return lw__term_any(t, bits);
}

/* The least or greatest of two, as one that is so compared with the other. */
static uint32_t of_extreme(struct lw__terms *t, LLVMValueRef call, LLVMIntPredicate p,
                           struct lw__term_place at, int limits)
{
    const unsigned bits = lw__term_bits(call);
    const uint32_t a = lw__term_at(t, LLVMGetOperand(call, 0), at, limits);
    const uint32_t b = lw__term_at(t, LLVMGetOperand(call, 1), at, limits);
    return lw__term_of_two(t, LW_TERM_EITHER, bits, lw__term_limited(t, a, p, b, bits),
                           lw__term_limited(t, b, p, a, bits));
}

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
    const char *name = lw__ir_callee(v);
    unsigned axis;
    const enum lw__thread_index index = lw__ir_thread_index(name, &axis);
    if (index)
        return add_row(t, (struct lw_term){.kind = LW_TERM_PLACE,
                                           .bits = (uint16_t)lw__term_bits(v),
                                           .number = places[index] + (int)axis});
    for (size_t i = 0; i < sizeof extremes / sizeof *extremes; i++)
        if (!strncmp(name, extremes[i].name, strlen(extremes[i].name)))
            return of_extreme(t, v, extremes[i].p, at, limits);
    return lw__term_any(t, lw__term_bits(v));
}

/* Of and: not above either operand; what a mask of low bits leaves is a remainder. */
static uint32_t of_and(struct lw__terms *t, LLVMValueRef v, uint32_t a, uint32_t b)
{
    const unsigned bits = lw__term_bits(v);
    LLVMValueRef mask = LLVMGetOperand(v, 1);
    const uint64_t low = LLVMIsAConstantInt(mask) ? LLVMConstIntGetZExtValue(mask) : UINT64_MAX;
    if (!(low & (low + 1)) && low <= INT64_MAX / 2 && bits > 1)
        return lw__term_of_two(t, LW_TERM_UREM, bits, a,
                               lw__term_constant(t, bits, (int64_t)low + 1));
    return lw__term_limited(t, lw__term_limited(t, lw__term_any(t, bits), LLVMIntULE, a, bits),
                            LLVMIntULE, b, bits);
}

/* 2^distance, if that is a number of so many bits. */
static bool power_of(LLVMValueRef distance, unsigned bits, int64_t *power)
{
    const uint64_t n = LLVMIsAConstantInt(distance) ? LLVMConstIntGetZExtValue(distance) : bits;
    if (n >= bits - 1)
        return false;
    *power = (int64_t)(UINT64_C(1) << n);
    return true;
}

static uint32_t of_operation(struct lw__terms *t, LLVMValueRef v, LLVMOpcode op, uint32_t a,
                             uint32_t b)
{
    const unsigned bits = lw__term_bits(v);
    int64_t power;
    const bool is_power = power_of(LLVMGetOperand(v, 1), bits, &power);
    switch ((int)op) {
    case LLVMAdd: return lw__term_of_two(t, LW_TERM_ADD, bits, a, b);
    case LLVMSub: return lw__term_of_two(t, LW_TERM_SUBTRACT, bits, a, b);
    case LLVMMul: return lw__term_of_two(t, LW_TERM_MULTIPLY, bits, a, b);
    case LLVMUDiv: return lw__term_of_two(t, LW_TERM_UDIV, bits, a, b);
    case LLVMURem: return lw__term_of_two(t, LW_TERM_UREM, bits, a, b);
    case LLVMSDiv: return lw__term_of_two(t, LW_TERM_SDIV, bits, a, b);
    case LLVMSRem: return lw__term_of_two(t, LW_TERM_SREM, bits, a, b);
    case LLVMAnd: return of_and(t, v, a, b);
    case LLVMOr:
        return LLVMGetIsDisjoint(v) ? lw__term_of_two(t, LW_TERM_ADD, bits, a, b)
                                    : lw__term_any(t, bits);
    case LLVMAShr:
        return is_power ? lw__term_of_two(t, LW_TERM_ASHR, bits, a, b) : lw__term_any(t, bits);
    case LLVMShl:
        return is_power ? lw__term_of_two(t, LW_TERM_MULTIPLY, bits, a,
                                          lw__term_constant(t, bits, power))
                        : lw__term_any(t, bits);
    case LLVMLShr:
        return is_power
                   ? lw__term_of_two(t, LW_TERM_UDIV, bits, a, lw__term_constant(t, bits, power))
                   : lw__term_any(t, bits);
    default: return lw__term_any(t, bits);
    }
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
        const uint32_t one = lw__term_at(t, LLVMGetIncomingValue(phi, k),
                                         (struct lw__term_place){from, block}, LIMITS);
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
    row = lw__term_any(t, lw__term_bits(phi));
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

/* ---- terms ----------------------------------------------------------------------------------- */

static uint32_t of_value(struct lw__terms *t, LLVMValueRef v, struct lw__term_place at, int limits)
{
    const unsigned bits = lw__term_bits(v);
    if (LLVMIsAArgument(v))
        return of_argument(t, v, bits);
    if (LLVMIsAPHINode(v))
        return of_phi(t, v);
    if (LLVMIsACallInst(v))
        return of_call(t, v, at, limits);
    if (LLVMIsACastInst(v))
        return of_cast(t, v, at, limits);
    if (LLVMIsASelectInst(v))
        return of_select(t, v, at, limits);
    if (LLVMIsAExtractValueInst(v))
        return of_pair(t, v, at, limits);
    if (!LLVMIsABinaryOperator(v))
        return lw__term_any(t, bits);
    const uint32_t a = lw__term_at(t, LLVMGetOperand(v, 0), at, limits);
    const uint32_t b = lw__term_at(t, LLVMGetOperand(v, 1), at, limits);
    return of_operation(t, v, LLVMGetInstructionOpcode(v), a, b);
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
    if (limits)
        term = lw__term_by_place(t, term, v, at, limits);
    t->depth--;
    know(t, (struct lw__term_known){v, at, term, limits, 0});
    return term;
}

/* ---- addresses ------------------------------------------------------------------------------- */

static uint32_t add_bytes(struct lw__terms *t, uint32_t sum, LLVMValueRef index, uint64_t bytes,
                          struct lw__term_place at)
{
    uint32_t n = lw__term_at(t, index, at, LIMITS);
    const unsigned bits = lw__term_bits(index);
    if (bits < BITS_MAX)
        n = lw__term_resized(t, LW_TERM_SEXT, BITS_MAX, n);
    n = lw__term_of_two(t, LW_TERM_MULTIPLY, BITS_MAX, n,
                        lw__term_constant(t, BITS_MAX, (int64_t)bytes));
    return lw__term_of_two(t, LW_TERM_ADD, BITS_MAX, sum, n);
}

static uint32_t offset_at(struct lw__terms *t, LLVMValueRef pointer, struct lw__term_place at)
{
    if (pointer == lw__ir_object(pointer))
        return lw__term_constant(t, BITS_MAX, 0);
    uint32_t sum = offset_at(t, LLVMGetOperand(pointer, 0), at);
    LLVMTypeRef type = LLVMGetGEPSourceElementType(pointer);
    for (int k = 1; k < LLVMGetNumOperands(pointer); k++) {
        LLVMValueRef index = LLVMGetOperand(pointer, (unsigned)k);
        if (k > 1 && LLVMGetTypeKind(type) == LLVMStructTypeKind) {
            const unsigned member = (unsigned)LLVMConstIntGetZExtValue(index);
            const uint64_t bytes = LLVMOffsetOfElement(t->data, type, member);
            sum = lw__term_of_two(t, LW_TERM_ADD, BITS_MAX, sum,
                                  lw__term_constant(t, BITS_MAX, (int64_t)bytes));
            type = LLVMStructGetTypeAtIndex(type, member);
            continue;
        }
        if (k > 1)
            type = LLVMGetElementType(type);
        sum = add_bytes(t, sum, index, LLVMABISizeOfType(t->data, type), at);
    }
    return sum;
}

uint32_t lw__terms_offset(struct lw__terms *t, LLVMValueRef pointer, LLVMValueRef at)
{
    const uint32_t block = lw__cfg_index(&t->g, LLVMGetInstructionParent(at));
    return block == UINT32_MAX ? 0
                               : offset_at(t, pointer, (struct lw__term_place){block, UINT32_MAX});
}

void lw__terms_open(struct lw__terms *t, struct lw__arena *arena, const struct lw__kernel *kernel,
                    LLVMTargetDataRef data)
{
    *t = (struct lw__terms){.kernel = kernel, .data = data};
    lw__cfg_build(arena, kernel->function, &t->g);
    lw__term_any(t, BITS_MAX);
}
