/* ref.h - shared by ref.c (the coroutine) and ref_call.c (what it calls). */
#ifndef LW_COMPILE_REF_H
#define LW_COMPILE_REF_H
#include "compile/compile.h"
#include <llvm-c/DebugInfo.h>

/* One kernel on its way to the reference form. */
struct lw__ref {
    struct lw__unit *unit;
    struct lw__coroutine co;
    LLVMBuilderRef b;
    LLVMTargetDataRef data;
    LLVMTypeRef i8, i32, i64, ptr;
    LLVMValueRef thread; /* struct lw_ref_thread * */
    LLVMValueRef shared; /* block memory */
    bool has_loops;      /* then writes are noted: a loop may wait for them */
    struct {
        LLVMValueRef at; /* first instruction of a loop's header behind its phis */
        bool every_trip;
    } *yields;
    size_t yield_count;
};

/* At the builder: the address of a field of the thread's record, its value, a store to it, and a
 * call through a slot of lw_ref_calls. */
LLVMValueRef lw__ref_field(struct lw__ref *r, size_t offset);
LLVMValueRef lw__ref_load(struct lw__ref *r, LLVMTypeRef type, size_t offset);
void lw__ref_store(struct lw__ref *r, LLVMValueRef value, size_t offset);
LLVMValueRef lw__ref_call(struct lw__ref *r, size_t slot, LLVMTypeRef result, LLVMTypeRef *types,
                          LLVMValueRef *args, unsigned count);
LLVMValueRef lw__ref_to_bits(struct lw__ref *r, LLVMValueRef v);

/* ref_call.c */
bool lw__ref_lower_call(struct lw__ref *r, LLVMValueRef call);  /* lw.* that is no collective */
bool lw__ref_may_write(LLVMValueRef instruction);               /* to memory that others see */
void lw__ref_note_write(struct lw__ref *r, LLVMValueRef write); /* sets `changed` if it did */
#endif
