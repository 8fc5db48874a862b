/* instrument.h - checks in the code of a kernel, as calls without a body, for the later folders to
 * make code of: ref/ and check/ for one thread, check/screen/ and guard/ for SIMD code.
 *
 *     lw.index     of an array's index, by clang            index_checks.c
 *     lw.overflow  of arithmetic, by clang                  overflow_checks.c
 *     lw.promise   of what the text assumes                 promises.c
 *     lw.access    before each access to memory             access_checks.c
 *
 * texts.c adds accesses for what a printf reads. prune_checks.c removes redundant checks, and
 * plain.c all of them, for code without. variables.c is what is told of a variable.
 */
#ifndef LW_COMPILE_INSTRUMENT_H
#define LW_COMPILE_INSTRUMENT_H
#include "compile/ir/ir.h"

/* The operands of lw.access: a pointer, the size, the kind of access. */
enum { LW_ACCESS_ARGS = 3 };
enum lw__access_kind { LW_ACCESS_READ, LW_ACCESS_WRITE, LW_ACCESS_ATOMIC };
enum { LW_ACCESS_ENDED = 4 }; /* added to the kind: the variable is of a helper that has returned */

/* Those of lw.index. */
enum {
    LW_INDEX_OK, /* is the index within bounds? */
    LW_INDEX_NUMBER,
    LW_INDEX_COUNT,
    LW_INDEX_POINTER, /* into the array */
    LW_INDEX_AXIS,    /* the tensor's, or -1 */
    LW_INDEX_BEHIND,  /* may it be the one after the last? */
    LW_INDEX_ARGS,
};

/* Of lw.overflow: is it right?, two operands of 64 bits, what (base/ref_abi.h). Of lw.promise: does
 * it hold?, enum lw_promise, a number. */
#define LW_OVERFLOW "lw.overflow"
#define LW_PROMISE "lw.promise"

/* ---- access_checks.c ------------------------------------------------------------------------- */

bool lw__pass_access(struct lw__unit *unit);
bool lw__is_access_check(LLVMValueRef v); /* a call of lw.access; of lw.index; of lw.promise */
bool lw__is_index_check(LLVMValueRef v);
bool lw__is_promise(LLVMValueRef v);
/* At the builder, a call of this name, which may not return and touches no memory of others. */
LLVMValueRef lw__instrument_call(LLVMBuilderRef b, LLVMModuleRef module, const char *name,
                                 LLVMValueRef *args, unsigned count);
/* True if all `bytes` from the pointer on, at a constant offset of all its GEPs, are within an
 * object of `size`. */
bool lw__is_within(LLVMTargetDataRef data, LLVMValueRef pointer, uint64_t bytes, uint64_t size);

/* ---- index_checks.c -------------------------------------------------------------------------- */

bool lw__pass_rows(struct lw__unit *unit);

/* ---- overflow_checks.c ----------------------------------------------------------------------- */

void lw__replace_overflows(struct lw__unit *unit, LLVMBuilderRef b);

/* ---- promises.c ------------------------------------------------------------------------------ */

/* Of places that are not reached; of __builtin_assume and assume_aligned. */
void lw__replace_unreachable(struct lw__unit *unit, LLVMBuilderRef b);
bool lw__pass_promises(struct lw__unit *unit);

/* ---- texts.c --------------------------------------------------------------------------------- */

bool lw__pass_texts(struct lw__unit *unit);
#define LW_TEXT_BYTE "lw.text" /* metadata of the load of a byte that is printed */

/* ---- plain.c --------------------------------------------------------------------------------- */

bool lw__pass_plain(struct lw__unit *unit);

/* ---- prune_checks.c -------------------------------------------------------------------------- */

/* Remove redundant checks of a kernel. */
void lw__prune_checks(struct lw__arena *scratch, LLVMTargetDataRef data, LLVMValueRef function);

/* ---- variables.c ----------------------------------------------------------------------------- */

/* The type of a variable, private or global; NULL: the object is none. */
LLVMTypeRef lw__variable_type(LLVMValueRef object);
/* Its name in the source. */
char *lw__variable_name(struct lw__arena *arena, LLVMValueRef variable);
/* Of an array's elements, or of a scalar; 0 for a struct, which is counted in bytes. */
uint64_t lw__variable_element(LLVMTargetDataRef data, LLVMTypeRef type);
/* True if the pointer cannot be followed. checked: a check is made of it. */
bool lw__variable_escapes(LLVMValueRef pointer, bool *checked);
bool lw__is_lifetime_marker(LLVMValueRef user);
#endif
