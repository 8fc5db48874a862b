/* prove.c - for the device `check`: accesses that are not checked where the launch has proved them.
 *
 * Each access with a row (proof/proofs.c) has a bit, which the device sets if the launch proves the
 * row. The code has these bits at hand, and goes round the comparison where one is set.
 */
#include "compile/check/check.h"
#include "compile/llvm/llvm.h"
#include "compile/proof/proof.h"

enum { WORD_BITS = 64 };

/* Accesses that the launch may prove, and a bit for each: it needs no check. */
struct lw__check_proofs {
    struct lw__proofs rows;
    LLVMValueRef proved[LW_PROOF_WORDS];
};

/* LLVM's bytes of the table are ours. */
void lw__check_prove(struct lw__ref *r, const struct lw__kernel *kernel)
{
    if (lw__has(r->unit, LW_IS_RECORDED))
        return;
    r->proofs = lw__new(&r->unit->scratch, 1, sizeof *r->proofs);
    struct lw__proofs *proofs = &r->proofs->rows;
    lw__proofs_of(&r->unit->scratch, kernel, r->data, true, proofs);
    for (uint32_t i = 0; i < proofs->count; i++) {
        LLVMValueRef call = proofs->calls[i];
        proofs->rows[i].site = (uint32_t)lw__ir_site(r->unit, call, lw__ref_check_name(call));
    }
    struct lw__text all = lw__text_in(&r->unit->scratch);
    lw__proofs_write(proofs, &all);
    lw__ref_constant(r, LLVMConstStringInContext2(r->unit->context, all.data, all.length, 1),
                     lw__format(&r->unit->scratch, "lw.proofs.%s", kernel->name));
}

/* ---- code ------------------------------------------------------------------------------------ */

void lw__check_load_proved(struct lw__ref *r)
{
    const uint32_t count = r->proofs ? r->proofs->rows.count : 0;
    LLVMValueRef calls = count ? lw__ref_load(r, r->ptr, FIELD(calls)) : NULL;
    for (uint32_t k = 0; k * WORD_BITS < count; k++) {
        LLVMValueRef at = LLVMConstInt(r->i64, CALL(proved) + k * sizeof(uint64_t), 0);
        LLVMValueRef word = LLVMBuildGEP2(r->b, r->i8, calls, &at, 1, "");
        r->proofs->proved[k] = LLVMBuildLoad2(r->b, r->i64, word, "");
    }
}

void lw__check_go_round_proved(struct lw__ref *r, LLVMValueRef call, LLVMBasicBlockRef tail)
{
    const uint32_t row = lw__proof_of(call);
    if (row == UINT32_MAX)
        return;
    LLVMValueRef bit = LLVMConstInt(r->i64, UINT64_C(1) << row % WORD_BITS, 0);
    LLVMValueRef bits = LLVMBuildAnd(r->b, r->proofs->proved[row / WORD_BITS], bit, "");
    LLVMValueRef is_proved = LLVMBuildICmp(r->b, LLVMIntNE, bits, LLVMConstNull(r->i64), "");
    LLVMBasicBlockRef compare = LLVMInsertBasicBlockInContext(r->unit->context, tail, "");
    LLVMBuildCondBr(r->b, is_proved, tail, compare);
    LLVMPositionBuilderAtEnd(r->b, compare);
}
