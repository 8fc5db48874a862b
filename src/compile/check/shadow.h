/* shadow.h - for the device `check`: which bits of each value are undefined.
 *
 *     declare.c          variables have no value where they are declared; before mem2reg
 *     shadow_mark.c      marks what LLVM's MemorySanitizer would not follow exactly
 *     shadow.c           runs it, and lowers marks and what it calls to calls of the device
 *     shadow_memory.c    where the shadow of memory is
 *
 * A value has a *shadow*, a value of as many bits of which those are 1 that are undefined, and an
 * *origin*: 0, or 1 + the site where the undefined bits come from. MemorySanitizer computes both
 * from those of the operands. Memory has a byte of shadow for each byte, and an origin for each
 * four. Those of a private variable are variables beside it, which leave memory as it does.
 */
#ifndef LW_COMPILE_SHADOW_H
#define LW_COMPILE_SHADOW_H
#include "compile/check/check.h"

/* Marks: calls of functions of these names and a number, each with types of its own.
 *   mixed(result, operands...)   the result is undefined if any bit of an operand is
 *   same(result, operand)        ... where the operand is
 *   shl, lshr, ashr(result, operand, distance)  ... where it is moved to
 *   take(result)                 ... as the device says, after a collective
 *   give(value, identity, number)  the device gets the shadows, before it
 *   use.*(values...)             a finding if any is undefined; store has the address last
 */
#define LW_MARK "lw.mark."
#define LW_MARK_MIXED LW_MARK "mixed"
#define LW_MARK_SAME LW_MARK "same"
#define LW_MARK_SHL LW_MARK "shl"
#define LW_MARK_LSHR LW_MARK "lshr"
#define LW_MARK_ASHR LW_MARK "ashr"
#define LW_MARK_TAKE LW_MARK "take"
#define LW_MARK_GIVE LW_MARK "give"
#define LW_MARK_USE LW_MARK "use."

/* What is done with undefined bits; base/ref_abi.h has names for it. */
enum lw__use { LW_USE_BRANCH, LW_USE_ADDRESS, LW_USE_ATOMIC, LW_USE_STORE, LW_USE_PRINT };

struct lw__shadow_variable {
    LLVMValueRef variable, shadow, origin;
    uint64_t bytes;
    uint32_t number;  /* origin of what was never set */
    bool is_followed; /* no pointer to it is unknown */
};

struct lw__shadow_work {
    struct lw__unit *unit;
    LLVMTargetDataRef data;
    LLVMBuilderRef b;
    LLVMTypeRef none, i1, i8, i32, i64, ptr, pair;
    struct lw__shadow_variable *variables;
    size_t variable_count;
    LLVMValueRef *list; /* instructions to work on */
    size_t list_count;
    bool failed;
};

/* The kernel's instructions of which `wants` is true, in order; false: memory is short. */
void lw__shadow_collect(struct lw__shadow_work *w, LLVMValueRef f, bool (*wants)(LLVMValueRef i));
/* A call of a function lw.NAME of the device, at the builder. */
LLVMValueRef lw__shadow_call(struct lw__shadow_work *w, const char *name, LLVMTypeRef result,
                             LLVMValueRef *args, unsigned count);

/* ---- declare.c ------------------------------------------------------------------------------- */

/* The site of a declaration: what is there is the name, in quotes. */
size_t lw__shadow_declaration(struct lw__unit *unit, struct lw__loc loc);
size_t lw__shadow_declaration_of(struct lw__unit *unit, LLVMValueRef global, const char *name);
bool lw__shadow_site(LLVMValueRef variable, uint32_t *site); /* false: it has none */

/* ---- shadow_mark.c --------------------------------------------------------------------------- */

void lw__shadow_mark(struct lw__shadow_work *w, LLVMValueRef f);

/* ---- shadow_memory.c ------------------------------------------------------------------------- */

/* In place of __msan_metadata_ptr_*; of lw.declared; of a memcpy, memmove or memset. */
void lw__shadow_lower_pointer(struct lw__shadow_work *w, LLVMValueRef call);
void lw__shadow_lower_declared(struct lw__shadow_work *w, LLVMValueRef call);
void lw__shadow_lower_copy(struct lw__shadow_work *w, LLVMValueRef call);
/* The device learns of private variables that unknown pointers are to. */
void lw__shadow_tell_variables(struct lw__shadow_work *w);
#endif
