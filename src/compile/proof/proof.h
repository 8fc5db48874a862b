/* proof.h - which accesses of a kernel a launch may prove to be in bounds.
 *
 *     terms.c          a value of the kernel as a term of base/proof_abi.h
 *     term_limits.c    the term, limited by conditions that hold
 *     proofs.c         the accesses, and their table
 */
#ifndef LW_COMPILE_PROOF_H
#define LW_COMPILE_PROOF_H
#include "base/proof_abi.h"
#include "compile/ir/ir.h"

/* The table of a kernel. */
struct lw__proofs {
    struct lw_proof *rows; /* count of LW_PROOFS_MAX */
    LLVMValueRef *calls;   /* of the accesses */
    uint32_t count, term_count;
    const struct lw_term *terms;
};

/* ---- proofs.c -------------------------------------------------------------------------------- */

/* Of a kernel with calls of lw.access, before any of them is removed. Each call with a row gets its
 * number. The rows' sites are 0. */
void lw__proofs_of(struct lw__arena *arena, const struct lw__kernel *kernel, LLVMTargetDataRef data,
                   struct lw__proofs *proofs);
uint32_t lw__proof_of(LLVMValueRef call); /* UINT32_MAX: the call has none */
/* As the launch reads them: a struct lw_proofs. */
void lw__proofs_write(const struct lw__proofs *proofs, struct lw__text *to);

/* ---- terms ----------------------------------------------------------------------------------- */

enum { LW_TERM_HEADS = 1024 };

/* The terms of a kernel. */
struct lw__terms {
    const struct lw__kernel *kernel;
    LLVMTargetDataRef data;
    struct lw__cfg g;
    struct lw_term *rows; /* row 0 is anything, of 64 bits */
    uint32_t count;
    struct lw__term_known *known; /* what has been translated */
    size_t known_count;
    size_t heads[LW_TERM_HEADS]; /* where the list of each hash begins */
    int depth;
};

/* Where a value is used: in a block, or on the edge from its end to another one. */
struct lw__term_place {
    uint32_t block, to; /* to UINT32_MAX: no edge */
};

/* ---- terms.c --------------------------------------------------------------------------------- */

void lw__terms_open(struct lw__terms *terms, struct lw__arena *arena,
                    const struct lw__kernel *kernel, LLVMTargetDataRef data);
/* The offset of the pointer, at this instruction, from its object: a number of a row. */
uint32_t lw__terms_offset(struct lw__terms *terms, LLVMValueRef pointer, LLVMValueRef at);
/* A row of a kind; of a value. limits: how far conditions that hold there are followed; 0: not at
 * all. What a value is compared with is followed less far, for two such values would limit each
 * other for ever. */
uint32_t lw__term_any(struct lw__terms *terms, unsigned bits);
uint32_t lw__term_constant(struct lw__terms *terms, unsigned bits, int64_t number);
uint32_t lw__term_of_two(struct lw__terms *terms, enum lw_term_kind kind, unsigned bits, uint32_t a,
                         uint32_t b);
uint32_t lw__term_resized(struct lw__terms *terms, enum lw_term_kind kind, unsigned bits,
                          uint32_t a);
uint32_t lw__term_limited(struct lw__terms *terms, uint32_t a, LLVMIntPredicate p, uint32_t b,
                          unsigned bits);
uint32_t lw__term_at(struct lw__terms *terms, LLVMValueRef v, struct lw__term_place at, int limits);
unsigned lw__term_bits(LLVMValueRef v); /* 0: no term can be of it */

/* ---- term_limits.c --------------------------------------------------------------------------- */

/* The value's term, limited by what holds at the place; by the condition, or its contrary. The
 * last: a term that has any value only where the condition may hold. */
uint32_t lw__term_by_place(struct lw__terms *terms, uint32_t term, LLVMValueRef v,
                           struct lw__term_place at, int limits);
uint32_t lw__term_by_condition(struct lw__terms *terms, uint32_t term, LLVMValueRef v,
                               LLVMValueRef condition, bool is_true, struct lw__term_place at,
                               int limits);
uint32_t lw__term_witness(struct lw__terms *terms, LLVMValueRef condition, bool is_true,
                          struct lw__term_place at, int limits);
#endif
