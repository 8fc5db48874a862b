/* prove.c - for the device `check`: accesses that are not checked where the launch has proved them.
 *
 * Each lw.access to the buffer of a pointer parameter gets a row of lw.proofs.K (base/proof_abi.h),
 * also one that prune_checks.c then removes. At a launch the device sets a bit for each row that
 * it proves. The code has these bits at hand, and goes round the comparison where one is set.
 */
#include "compile/ref/prove.h"
#include "compile/llvm/llvm.h"
#include <string.h>

#define CALL(name) offsetof(struct lw_ref_calls, name)
enum { WORD_BITS = 64 };

static unsigned row_kind(LLVMContextRef c)
{
    return LLVMGetMDKindIDInContext(c, "lw.proof", 8);
}

static void set_row(LLVMValueRef call, LLVMContextRef c, uint64_t row)
{
    LLVMMetadataRef node = LLVMValueAsMetadata(LLVMConstInt(LLVMInt32TypeInContext(c), row, 0));
    LLVMSetMetadata(call, row_kind(c), LLVMMetadataAsValue(c, LLVMMDNodeInContext2(c, &node, 1)));
}

/* UINT64_MAX: the access has none. */
static uint64_t row_of(LLVMValueRef call, LLVMContextRef c)
{
    LLVMValueRef node = LLVMGetMetadata(call, row_kind(c)), number;
    if (!node || LLVMGetMDNodeNumOperands(node) != 1)
        return UINT64_MAX;
    LLVMGetMDNodeOperands(node, &number);
    return LLVMConstIntGetZExtValue(number);
}

/* The parameter that the pointer is into; UINT32_MAX: none. */
static uint32_t param_of(const struct lw__kernel *kernel, LLVMValueRef pointer)
{
    LLVMValueRef object = lw__ir_object(pointer);
    for (unsigned i = 0; i < kernel->param_count; i++)
        if (LLVMGetParam(kernel->function, i) == object && !kernel->params[i].by_value)
            return i;
    return UINT32_MAX;
}

static void add(struct lw__ref *r, struct lw__terms *terms, LLVMValueRef call)
{
    LLVMValueRef pointer = LLVMGetOperand(call, 0), bytes = LLVMGetOperand(call, 1);
    const uint32_t param = param_of(terms->kernel, pointer);
    const uint64_t kind = LLVMConstIntGetZExtValue(LLVMGetOperand(call, 2));
    if (param == UINT32_MAX || !LLVMIsAConstantInt(bytes) || r->proof_count == LW_PROOFS_MAX ||
        LLVMConstIntGetZExtValue(bytes) > INT32_MAX)
        return;
    set_row(call, r->unit->context, r->proof_count);
    r->proofs[r->proof_count++] = (struct lw_proof){
        .offset = lw__terms_offset(terms, pointer, call),
        .bytes = (uint32_t)LLVMConstIntGetZExtValue(bytes),
        .param = param,
        .site = (uint32_t)lw__ir_site(r->unit, call, lw__ref_access_name(kind)),
    };
}

/* lw.proofs.K; LLVM's bytes of it are ours. */
static void describe(struct lw__ref *r, const struct lw__terms *terms)
{
    LLVMContextRef c = r->unit->context;
    struct lw__text name = {0}, all = {0};
    const struct lw_proofs head = {.count = r->proof_count,
                                   .term_count = r->proof_count ? terms->count : 0};
    lw__text_add(&name, "lw.proofs.%s", terms->kernel->name);
    lw__text_add_bytes(&all, (const char *)&head, sizeof head);
    lw__text_add_bytes(&all, (const char *)r->proofs, head.count * sizeof *r->proofs);
    lw__text_add_bytes(&all, (const char *)terms->rows, head.term_count * sizeof *terms->rows);
    lw__ref_constant(r, LLVMConstStringInContext2(c, lw__finished(&all), all.length, 1),
                     lw__finished(&name));
    lw__text_free(&name);
    lw__text_free(&all);
}

void lw__ref_prove(struct lw__ref *r, const struct lw__kernel *kernel)
{
    struct lw__terms terms;
    if (!lw__has(r->unit, LW_IS_OBSERVED) || lw__has(r->unit, LW_IS_RECORDED))
        return;
    r->proofs = lw__new(&r->unit->scratch, LW_PROOFS_MAX, sizeof *r->proofs);
    lw__terms_open(&terms, &r->unit->scratch, kernel, r->data);
    for (uint32_t b = 0; b < terms.g.count; b++)
        for (LLVMValueRef i = LLVMGetFirstInstruction(terms.g.blocks[b]); i;
             i = LLVMGetNextInstruction(i))
            if (!strcmp(lw__ir_callee(i), "lw.access"))
                add(r, &terms, i);
    describe(r, &terms);
}

/* ---- code ------------------------------------------------------------------------------------ */

void lw__ref_prove_open(struct lw__ref *r)
{
    LLVMValueRef calls =
        r->proof_count ? lw__ref_load(r, r->ptr, offsetof(struct lw_ref_thread, calls)) : NULL;
    for (uint32_t k = 0; k * WORD_BITS < r->proof_count; k++) {
        LLVMValueRef at = LLVMConstInt(r->i64, CALL(proved) + k * sizeof(uint64_t), 0);
        LLVMValueRef word = LLVMBuildGEP2(r->b, r->i8, calls, &at, 1, "");
        r->proved[k] = LLVMBuildLoad2(r->b, r->i64, word, "");
    }
}

void lw__ref_go_round_proved(struct lw__ref *r, LLVMValueRef call, LLVMBasicBlockRef tail)
{
    const uint64_t row = row_of(call, r->unit->context);
    if (row == UINT64_MAX)
        return;
    LLVMValueRef bit = LLVMConstInt(r->i64, UINT64_C(1) << row % WORD_BITS, 0);
    LLVMValueRef bits = LLVMBuildAnd(r->b, r->proved[row / WORD_BITS], bit, "");
    LLVMValueRef is_proved = LLVMBuildICmp(r->b, LLVMIntNE, bits, LLVMConstNull(r->i64), "");
    LLVMBasicBlockRef compare = LLVMInsertBasicBlockInContext(r->unit->context, tail, "");
    LLVMBuildCondBr(r->b, is_proved, tail, compare);
    LLVMPositionBuilderAtEnd(r->b, compare);
}
