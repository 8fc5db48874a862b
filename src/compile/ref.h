/* ref.h - shared by ref.c (the coroutine) and ref_call.c (what it calls). */
#ifndef LW_COMPILE_REF_H
#define LW_COMPILE_REF_H
#include "compile/compile.h"
#include <llvm-c/DebugInfo.h>

enum { LW_REF_OBJECTS_MAX = 1 << 14 }; /* rows of a table; the tag has two bits more at least */

/* What a kernel's pointers may point into; a struct lw_ref_row of base/ref_abi.h. */
struct lw__ref_object {
    LLVMValueRef value; /* what all pointers that are known to be into it begin with, or NULL */
    char *name;         /* owned */
    uint64_t kind, place, bytes, element;
    bool fixed; /* its size is known here */
};

/* ref_bounds.c */
struct lw__ref_bounds {
    struct lw__ref_object *rows;
    size_t count, objects; /* objects: those of the table */
    LLVMValueRef table;    /* the thread's */
    LLVMValueRef record;   /* room for what the device is told */
    LLVMBasicBlockRef refused;
    bool has_private, failed;
};

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
    struct lw__ref_bounds bounds;
    struct lw__ref_shown *shown; /* for a debugger: SHARED variables of the kernel */
    size_t shown_count;
};

/* At the builder: the address of a field of the thread's record, its value, a store to it, and a
 * call through a slot of lw_ref_calls. */
LLVMValueRef lw__ref_field(struct lw__ref *r, size_t offset);
LLVMValueRef lw__ref_load(struct lw__ref *r, LLVMTypeRef type, size_t offset);
void lw__ref_store(struct lw__ref *r, LLVMValueRef value, size_t offset);
LLVMValueRef lw__ref_call(struct lw__ref *r, size_t slot, LLVMTypeRef result, LLVMTypeRef *types,
                          LLVMValueRef *args, unsigned count);
LLVMValueRef lw__ref_to_bits(struct lw__ref *r, LLVMValueRef v);

/* ref.c: end `at` by a suspension of the thread, which goes on in `next`. */
void lw__ref_suspend(struct lw__ref *r, LLVMBasicBlockRef at, LLVMBasicBlockRef next);

/* ref_watch.c: for a debugger. */
#define LW_HERE "lw.here" /* of a thread that goes on: void (ptr thread) */
void lw__ref_stack_open(struct lw__ref *r, LLVMValueRef function);
void lw__ref_stack_suspend(struct lw__ref *r, LLVMBasicBlockRef at, LLVMBasicBlockRef next);
void lw__ref_watch_argument(struct lw__ref *r, LLVMValueRef param, LLVMValueRef value);
bool lw__ref_watch_shared(struct lw__ref *r, const struct lw__shared_layout *layout);
void lw__ref_watch_locals(struct lw__ref *r);

/* ref_call.c */
bool lw__ref_lower_call(struct lw__ref *r, LLVMValueRef call);  /* lw.* that is no collective */
bool lw__ref_may_write(LLVMValueRef instruction);               /* to memory that others see */
void lw__ref_note_write(struct lw__ref *r, LLVMValueRef write); /* sets `changed` if it did */
#endif
