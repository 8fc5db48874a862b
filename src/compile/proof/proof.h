/* proof.h - which accesses of a kernel a launch may prove to be in bounds.
 *
 *     proofs.c         the accesses, and their table
 *     pointers.c       where a pointer is in its object, and how large that is
 *     terms.c          a value of the kernel as a term of base/proof_abi.h
 *     term_limits.c    the term, limited by conditions that hold
 *     term_rows.c      the table of terms
 */
#ifndef LW_COMPILE_PROOF_H
#define LW_COMPILE_PROOF_H
#include "base/proof_abi.h"
#include "compile/ir/ir.h"

enum { LW_TERM_HEADS = 1024, LW_TERM_LIMITS = 2 };

/* The table of a kernel. */
struct lw__proofs {
    struct lw_proof *rows; /* count of LW_PROOFS_MAX */
    LLVMValueRef *calls;   /* the checks; of equal ones the first */
    const struct lw_term *terms;
    uint32_t count, term_count;
    bool is_partial; /* there are checks without a row */
};

/* The terms of a kernel. */
struct lw__terms {
    const struct lw__kernel *kernel;
    LLVMTargetDataRef data;
    struct lw__cfg g;
    struct lw__loops loops;
    struct lw_term *rows; /* row 0 is anything, of 64 bits */
    uint32_t count;
    uint32_t *same;                 /* of each row: the one before it with its hash, or 0 */
    uint32_t latest[LW_TERM_HEADS]; /* of each hash */
    struct lw__term_known *known;   /* what has been translated */
    size_t known_count;
    size_t heads[LW_TERM_HEADS]; /* where the list of each hash begins */
    int depth;
};

/* Where a value is used: in a block, or on the edge from its end to another one. */
struct lw__term_place {
    uint32_t block, to; /* to UINT32_MAX: no edge */
};

/* ---- proofs.c -------------------------------------------------------------------------------- */

/* Of a kernel with calls of lw.access and lw.index. each: also what is equal, or known to hold, has
 * a row of its own. A call with a row gets its number. The rows' sites are 0. */
void lw__proofs_of(struct lw__arena *arena, const struct lw__kernel *kernel, LLVMTargetDataRef data,
                   bool each, struct lw__proofs *proofs);
/* Is there a check that no launch can prove, unless its threads never reach that check? */
bool lw__proofs_are_rare(const struct lw__proofs *proofs);
uint32_t lw__proof_of(LLVMValueRef call); /* UINT32_MAX: the call has none */
/* As the launch reads them: a struct lw_proofs. */
void lw__proofs_write(const struct lw__proofs *proofs, struct lw__text *to);

/* ---- pointers.c ------------------------------------------------------------------------------ */

/* Where the pointer is in its object; of any value that is a pointer. */
uint32_t lw__term_of_pointer(struct lw__terms *terms, LLVMValueRef pointer,
                             struct lw__term_place at, int limits);
/* The bytes of its object, of several the least; false: it is not known which. */
bool lw__term_of_size(struct lw__terms *terms, LLVMValueRef pointer, uint32_t *size);
/* The parameter that has the buffer; UINT32_MAX: it is none, or one of several. */
uint32_t lw__term_param(struct lw__terms *terms, LLVMValueRef pointer);
/* Of a load from an argument that is passed by value: what it is; false: it is another one. */
bool lw__term_of_field(struct lw__terms *terms, LLVMValueRef load, uint32_t *term);

/* ---- terms.c --------------------------------------------------------------------------------- */

/* The value's term there. limits: how far conditions that hold there are followed; 0: not at all.
 * What a value is compared with is followed less far, for two such values would limit each other
 * for ever. */
uint32_t lw__term_at(struct lw__terms *terms, LLVMValueRef v, struct lw__term_place at, int limits);
/* The same, extended to 64 bits. */
uint32_t lw__term_wide(struct lw__terms *terms, LLVMValueRef v, enum lw_term_kind extension,
                       struct lw__term_place at, int limits);
unsigned lw__term_bits(LLVMValueRef v); /* of an integer, or a pointer; 0: no term can be of it */
/* Of a phi of a loop's header: does it count the iterations before, by one, from a constant on that
 * is not negative? Of a value: is it the same in all iterations of the loop of that header? */
bool lw__term_counts(const struct lw__terms *terms, LLVMValueRef phi, uint32_t header,
                     int64_t *from);
bool lw__term_is_invariant(const struct lw__terms *terms, LLVMValueRef v, uint32_t header);
bool lw__term_is_sum(LLVMValueRef v); /* True if it is a + b, or an or that is the same */

/* ---- term_limits.c --------------------------------------------------------------------------- */

/* The value's term, limited by what holds at the place; by the condition, or its contrary. */
uint32_t lw__term_by_place(struct lw__terms *terms, uint32_t term, LLVMValueRef v,
                           struct lw__term_place at, int limits);
uint32_t lw__term_by_condition(struct lw__terms *terms, uint32_t term, LLVMValueRef v,
                               LLVMValueRef condition, bool is_true, struct lw__term_place at,
                               int limits);
/* The term, where all conditions on the way to the place hold that the launch decides. */
uint32_t lw__term_where_reached(struct lw__terms *terms, uint32_t term, struct lw__term_place at);
/* A term that has a number only where the condition may hold. */
uint32_t lw__term_witness(struct lw__terms *terms, LLVMValueRef condition, bool is_true,
                          struct lw__term_place at, int limits);

/* ---- term_rows.c ----------------------------------------------------------------------------- */

void lw__terms_open(struct lw__terms *terms, struct lw__arena *arena,
                    const struct lw__kernel *kernel, LLVMTargetDataRef data);
/* A row of a kind; an equal one is taken again. Row 0 if there are too many. */
uint32_t lw__term_any(struct lw__terms *terms, unsigned bits);
uint32_t lw__term_constant(struct lw__terms *terms, unsigned bits, int64_t number);
uint32_t lw__term_leaf(struct lw__terms *terms, enum lw_term_kind kind, unsigned bits,
                       int64_t number);
uint32_t lw__term_of_two(struct lw__terms *terms, enum lw_term_kind kind, unsigned bits, uint32_t a,
                         uint32_t b);
uint32_t lw__term_resized(struct lw__terms *terms, enum lw_term_kind kind, unsigned bits,
                          uint32_t a);
uint32_t lw__term_limited(struct lw__terms *terms, uint32_t a, LLVMIntPredicate p, uint32_t b,
                          unsigned bits);
uint32_t lw__term_distance(struct lw__terms *terms, unsigned bits, uint32_t a, uint32_t b,
                           bool is_signed);
/* One that becomes another kind later. */
uint32_t lw__term_open(struct lw__terms *terms, unsigned bits);
bool lw__term_is_constant(const struct lw__terms *terms, uint32_t term, uint64_t *number);
/* Leaves only what the rows need, whose terms get other numbers. */
void lw__terms_keep(struct lw__terms *terms, struct lw_proof *rows, uint32_t count);
#endif
