/* guard.h - a kernel for `cpu` or `cuda` whose accesses stay within their objects.
 *
 * guard.c makes a call of lw.guard of each check that instrument/ has put. objects.c finds the
 * object that a pointer is into. All of it is one thread's code; spmd/control/guards.c makes code
 * for the lanes of it, gpu/guards.c a branch. base/bounds_abi.h is what the code and the device
 * agree on.
 */
#ifndef LW_COMPILE_GUARD_H
#define LW_COMPILE_GUARD_H
#include "base/bounds_abi.h"
#include "compile/ir/ir.h"

/* What a pointer is into. The values are known wherever the pointer's root is. */
struct lw__guard_object {
    LLVMValueRef root;  /* lw__ir_object() of the pointer */
    LLVMValueRef base;  /* address of the object; NULL: nothing asked for it yet */
    LLVMValueRef start; /* of the root in the object, in bytes */
    LLVMValueRef size;  /* of the object, in bytes, */
    LLVMValueRef slot;  /* or where that is: of a variable of a helper, 0 once it has returned */
    LLVMValueRef says;  /* address of its struct lw_bounds_object, or 0; i64 like the others */
};

/* One kernel that is guarded. */
struct lw__guard {
    struct lw__unit *unit;
    struct lw__kernel *kernel; /* its last parameter is the struct lw_bounds */
    LLVMValueRef function;
    LLVMBuilderRef b;
    LLVMTargetDataRef data;
    LLVMTypeRef i1, i8, i32, i64, ptr;
    LLVMValueRef bounds;        /* the record */
    LLVMValueRef dynamic_bytes; /* loaded from it where the kernel begins, after its variables */
    LLVMValueRef begin;         /* an instruction after what is known there */
    struct lw__guard_variable {
        LLVMValueRef value;
        const char *name; /* in the source */
    } *own;               /* own_count variables of the thread */
    size_t own_count;
    struct lw__guard_object **objects; /* object_count that were found */
    size_t object_count;
    LLVMValueRef live, live_count, live_step; /* fields of the record; NULL: not loaded yet */
    LLVMValueRef *variables; /* that a pointer from memory may be into, known with `live` */
    size_t variable_count;
};

bool lw__pass_guard(struct lw__unit *unit);
bool lw__pass_forms(struct lw__unit *unit);

/* ---- objects.c ------------------------------------------------------------------------------- */

/* A variable of the thread, before any code is added. */
void lw__guard_note_variable(struct lw__guard *g, LLVMValueRef variable);
/* At the builder: the size of the object. */
LLVMValueRef lw__guard_size(struct lw__guard *g, const struct lw__guard_object *object);
/* What the pointer is into. */
const struct lw__guard_object *lw__guard_object(struct lw__guard *g, LLVMValueRef pointer);
/* True if start and size are known where the kernel begins. */
bool lw__guard_is_constant(const struct lw__guard_object *object);
/* The builder: where the kernel begins, after what is known there so far. */
void lw__guard_at_begin(struct lw__guard *g);
/* The size of a variable that the pointer is into; 0: it is into none, or only the launch knows. */
uint64_t lw__guard_fixed_size(const struct lw__guard *g, LLVMValueRef pointer);
#endif
