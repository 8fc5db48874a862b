/* proofs.c - the checks of a kernel that a launch may prove to hold.
 *
 * Each lw.access and each lw.index gets a row (base/proof_abi.h). An access has none whose object
 * is not known here, or whose variable has ended. At a launch run/proof/prove.c tells which rows
 * hold. The plain form of a kernel for `cpu` also assumes what the text promises, so that a promise
 * counts as a check: `a < b` has a row, another one has none.
 */
#include "compile/proof/proof.h"
#include "compile/instrument/instrument.h"
#include "compile/llvm/llvm.h"
#include <assert.h>
#include <string.h>

/* The metadata of a call that has a row: its number. */
static unsigned row_kind(LLVMContextRef c)
{
    return LLVMGetMDKindIDInContext(c, "lw.proof", 8);
}

uint32_t lw__proof_of(LLVMValueRef call)
{
    LLVMContextRef c = LLVMGetTypeContext(LLVMTypeOf(call));
    LLVMValueRef node = LLVMGetMetadata(call, row_kind(c)), number;
    if (!node || LLVMGetMDNodeNumOperands(node) != 1)
        return UINT32_MAX;
    LLVMGetMDNodeOperands(node, &number);
    assert(LLVMIsAConstantInt(number));
    return (uint32_t)LLVMConstIntGetZExtValue(number);
}

/* ---- rows ------------------------------------------------------------------------------------ */

enum { BITS = 64, SUM_DEPTH = 12 };

/* The row of an access; false: it has none. */
static bool of_access(struct lw__terms *t, LLVMValueRef call, struct lw__term_place at,
                      struct lw_proof *row)
{
    LLVMValueRef pointer = LLVMGetOperand(call, 0);
    const uint64_t kind = LLVMConstIntGetZExtValue(LLVMGetOperand(call, 2));
    if (kind & LW_ACCESS_ENDED || !lw__term_of_size(t, pointer, &row->size))
        return false;
    row->at = lw__term_of_pointer(t, pointer, at, LW_TERM_LIMITS);
    row->bytes = lw__term_wide(t, LLVMGetOperand(call, 1), LW_TERM_ZEXT, at, LW_TERM_LIMITS);
    row->param = lw__term_param(t, pointer);
    return true;
}

static bool of_index(struct lw__terms *t, LLVMValueRef call, struct lw__term_place at,
                     struct lw_proof *row)
{
    const bool behind = !lw__ir_is_truth(LLVMGetOperand(call, LW_INDEX_BEHIND), false);
    row->at =
        lw__term_wide(t, LLVMGetOperand(call, LW_INDEX_NUMBER), LW_TERM_ZEXT, at, LW_TERM_LIMITS);
    row->bytes = lw__term_constant(t, BITS, !behind);
    row->size =
        lw__term_wide(t, LLVMGetOperand(call, LW_INDEX_COUNT), LW_TERM_ZEXT, at, LW_TERM_LIMITS);
    return true;
}

/* The row of a promise: of two unsigned numbers one is less. False: it has none. */
static bool of_promise(struct lw__terms *t, LLVMValueRef call, struct lw__term_place at,
                       struct lw_proof *row)
{
    LLVMValueRef holds = LLVMGetOperand(call, 0);
    const LLVMIntPredicate is = LLVMIsAICmpInst(holds) ? LLVMGetICmpPredicate(holds) : LLVMIntEQ;
    const unsigned less = is == LLVMIntUGT;
    if ((is != LLVMIntULT && is != LLVMIntUGT) ||
        LLVMGetTypeKind(LLVMTypeOf(LLVMGetOperand(holds, 0))) != LLVMIntegerTypeKind ||
        lw__term_bits(LLVMGetOperand(holds, 0)) > BITS)
        return false;
    row->at = lw__term_wide(t, LLVMGetOperand(holds, less), LW_TERM_ZEXT, at, LW_TERM_LIMITS);
    row->bytes = lw__term_constant(t, BITS, 1);
    row->size = lw__term_wide(t, LLVMGetOperand(holds, !less), LW_TERM_ZEXT, at, LW_TERM_LIMITS);
    return true;
}

/* True if the row holds whatever the launch is. */
static bool always_holds(const struct lw__terms *t, const struct lw_proof *row)
{
    uint64_t at, bytes, size;
    return lw__term_is_constant(t, row->at, &at) && lw__term_is_constant(t, row->bytes, &bytes) &&
           lw__term_is_constant(t, row->size, &size) && bytes <= size && at <= size - bytes;
}

/* The number of an equal row. */
static uint32_t find(const struct lw__proofs *p, const struct lw_proof *row)
{
    uint32_t i = 0;
    while (i < p->count && !(p->rows[i].at == row->at && p->rows[i].bytes == row->bytes &&
                             p->rows[i].size == row->size))
        i++;
    return i;
}

static void add(struct lw__proofs *p, struct lw__terms *t, LLVMValueRef call, bool each)
{
    const uint32_t block = lw__cfg_index(&t->g, LLVMGetInstructionParent(call));
    assert(block != UINT32_MAX);
    const struct lw__term_place at = {block, UINT32_MAX};
    struct lw_proof row = {.param = UINT32_MAX};
    const bool has_row = lw__is_access_check(call) ? of_access(t, call, at, &row)
                         : lw__is_promise(call)    ? of_promise(t, call, at, &row)
                                                   : of_index(t, call, at, &row);
    if (!has_row) {
        p->is_partial = true;
        return;
    }
    if (!each && always_holds(t, &row))
        return;
    assert(row.at < t->count && row.bytes < t->count && row.size < t->count);
    row.at = lw__term_where_reached(t, row.at, at);
    const uint32_t number = each ? p->count : find(p, &row);
    if (number == LW_PROOFS_MAX || t->count == LW_TERMS_MAX) {
        p->is_partial = true;
        return;
    }
    LLVMContextRef c = LLVMGetTypeContext(LLVMTypeOf(call));
    LLVMMetadataRef node = LLVMValueAsMetadata(LLVMConstInt(LLVMInt32TypeInContext(c), number, 0));
    LLVMSetMetadata(call, row_kind(c), LLVMMetadataAsValue(c, LLVMMDNodeInContext2(c, &node, 1)));
    if (number < p->count)
        return;
    assert(number == p->count && p->count < LW_PROOFS_MAX);
    p->calls[number] = call;
    p->rows[p->count++] = row;
}

void lw__proofs_of(struct lw__arena *arena, const struct lw__kernel *kernel, LLVMTargetDataRef data,
                   bool each, struct lw__proofs *proofs)
{
    *proofs = (struct lw__proofs){.rows = lw__new(arena, LW_PROOFS_MAX, sizeof *proofs->rows),
                                  .calls = lw__new(arena, LW_PROOFS_MAX, sizeof(LLVMValueRef))};
    struct lw__terms terms;
    lw__terms_open(&terms, arena, kernel, data);
    for (uint32_t b = 0; b < terms.g.count; b++)
        EACH_INSTRUCTION(i, terms.g.blocks[b])
            if (lw__is_access_check(i) || lw__is_index_check(i) || (!each && lw__is_promise(i)))
                add(proofs, &terms, i, each);
    lw__terms_keep(&terms, proofs->rows, proofs->count);
    proofs->terms = terms.rows;
    proofs->term_count = terms.count;
}

/* Has the sum a part of which nothing is known, as an index from memory? */
static bool is_unlimited(const struct lw_term *terms, uint32_t number, unsigned depth)
{
    const struct lw_term *term = &terms[number];
    if (!depth)
        return false;
    switch (term->kind) {
    case LW_TERM_ANY: return term->bits >= 32;
    case LW_TERM_ADD:
    case LW_TERM_SUBTRACT:
    case LW_TERM_MULTIPLY:
        return is_unlimited(terms, term->a, depth - 1) || is_unlimited(terms, term->b, depth - 1);
    case LW_TERM_SHL:
    case LW_TERM_SEXT:
    case LW_TERM_ZEXT:
    case LW_TERM_WHERE: return is_unlimited(terms, term->a, depth - 1);
    default: return false;
    }
}

bool lw__proofs_are_rare(const struct lw__proofs *proofs)
{
    for (uint32_t i = 0; i < proofs->count; i++)
        if (is_unlimited(proofs->terms, proofs->rows[i].at, SUM_DEPTH))
            return true;
    return proofs->is_partial;
}

void lw__proofs_write(const struct lw__proofs *proofs, struct lw__text *to)
{
    assert(proofs->count <= LW_PROOFS_MAX && proofs->term_count <= LW_TERMS_MAX);
    const struct lw_proofs head = {
        .count = proofs->count, .term_count = proofs->term_count, .is_partial = proofs->is_partial};
    lw__text_add_bytes(to, (const char *)&head, sizeof head);
    lw__text_add_bytes(to, (const char *)proofs->rows, proofs->count * sizeof *proofs->rows);
    lw__text_add_bytes(to, (const char *)proofs->terms, proofs->term_count * sizeof *proofs->terms);
}
