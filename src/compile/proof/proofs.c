/* proofs.c - the accesses of a kernel that a launch may prove to be in bounds.
 *
 * Each lw.access to the buffer of a pointer parameter gets a row (base/proof_abi.h), also one that
 * ref/prune_checks.c then removes. At a launch run/proof/prove.c tells which rows are proved.
 */
#include "compile/proof/proof.h"
#include "compile/llvm/llvm.h"
#include <string.h>

/* The metadata of a call that has a row: its number. */
static unsigned row_kind(LLVMContextRef c)
{
    return LLVMGetMDKindIDInContext(c, "lw.proof", 8);
}

static void set_row(LLVMValueRef call, uint32_t row)
{
    LLVMContextRef c = LLVMGetTypeContext(LLVMTypeOf(call));
    LLVMMetadataRef node = LLVMValueAsMetadata(LLVMConstInt(LLVMInt32TypeInContext(c), row, 0));
    LLVMSetMetadata(call, row_kind(c), LLVMMetadataAsValue(c, LLVMMDNodeInContext2(c, &node, 1)));
}

uint32_t lw__proof_of(LLVMValueRef call)
{
    LLVMContextRef c = LLVMGetTypeContext(LLVMTypeOf(call));
    LLVMValueRef node = LLVMGetMetadata(call, row_kind(c)), number;
    if (!node || LLVMGetMDNodeNumOperands(node) != 1)
        return UINT32_MAX;
    LLVMGetMDNodeOperands(node, &number);
    return (uint32_t)LLVMConstIntGetZExtValue(number);
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

static void add(struct lw__proofs *proofs, struct lw__terms *terms, LLVMValueRef call)
{
    LLVMValueRef pointer = LLVMGetOperand(call, 0), bytes = LLVMGetOperand(call, 1);
    const uint32_t param = param_of(terms->kernel, pointer);
    if (param == UINT32_MAX || !LLVMIsAConstantInt(bytes) || proofs->count == LW_PROOFS_MAX ||
        LLVMConstIntGetZExtValue(bytes) > INT32_MAX)
        return;
    set_row(call, proofs->count);
    proofs->calls[proofs->count] = call;
    proofs->rows[proofs->count++] =
        (struct lw_proof){.offset = lw__terms_offset(terms, pointer, call),
                          .bytes = (uint32_t)LLVMConstIntGetZExtValue(bytes),
                          .param = param};
}

void lw__proofs_of(struct lw__arena *arena, const struct lw__kernel *kernel, LLVMTargetDataRef data,
                   struct lw__proofs *proofs)
{
    struct lw__terms terms;
    *proofs = (struct lw__proofs){.rows = lw__new(arena, LW_PROOFS_MAX, sizeof *proofs->rows),
                                  .calls = lw__new(arena, LW_PROOFS_MAX, sizeof(LLVMValueRef))};
    lw__terms_open(&terms, arena, kernel, data);
    for (uint32_t b = 0; b < terms.g.count; b++)
        for (LLVMValueRef i = LLVMGetFirstInstruction(terms.g.blocks[b]); i;
             i = LLVMGetNextInstruction(i))
            if (!strcmp(lw__ir_callee(i), "lw.access"))
                add(proofs, &terms, i);
    proofs->terms = terms.rows;
    proofs->term_count = proofs->count ? terms.count : 0;
}

void lw__proofs_write(const struct lw__proofs *proofs, struct lw__text *to)
{
    const struct lw_proofs head = {.count = proofs->count, .term_count = proofs->term_count};
    lw__text_add_bytes(to, (const char *)&head, sizeof head);
    lw__text_add_bytes(to, (const char *)proofs->rows, proofs->count * sizeof *proofs->rows);
    lw__text_add_bytes(to, (const char *)proofs->terms, proofs->term_count * sizeof *proofs->terms);
}
