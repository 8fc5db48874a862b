/* ref.h - a kernel as the reference device runs it: a thread at a time, each access checked.
 *
 * lower.c makes the coroutine, calls.c lowers its calls, turns.c has its yields. bounds.c makes
 * comparisons of the checks that instrument/ has put. check/ and debugger/ extend the form.
 */
#ifndef LW_COMPILE_REF_H
#define LW_COMPILE_REF_H
#include "compile/instrument/instrument.h"

/* Offsets in a thread's record, and in the device's calls. */
#define FIELD(name) offsetof(struct lw_ref_thread, name)
#define CALL(name) offsetof(struct lw_ref_calls, name)

enum { LW_REF_OBJECTS_MAX = 1 << 14 }; /* rows of a table; the tag has two bits more at least */

/* An object that a kernel's pointers may point into; a struct lw_ref_row of base/ref_abi.h. */
struct lw__ref_object {
    LLVMValueRef value; /* the base of all pointers that are known to be into it, or NULL */
    char *name;
    uint64_t kind, place, bytes, element, origin;
    char *layout; /* of a picture's SHARED variables, else NULL */
    bool fixed;   /* its size is known here */
    bool written; /* of an argument: the kernel may write to it */
};

/* bounds.c */
struct lw__ref_bounds {
    struct lw__ref_object *rows;
    size_t count, objects; /* objects: those of the table */
    LLVMValueRef table;    /* the thread's */
    LLVMValueRef record;   /* memory for the device's report */
    LLVMBasicBlockRef refused;
    bool has_private;
};

/* A block at whose beginning a thread may suspend (turns.c). */
struct lw__ref_yield {
    LLVMBasicBlockRef block;
    bool is_loop;       /* it is a loop's header; then: */
    bool every_trip;    /* its iterations all yield */
    bool waits;         /* it waits for other threads, */
    size_t site;        /* by this access; */
    bool is_steady;     /* ... and depends on memory alone */
    bool leaves;        /* threads come here from a steady loop */
    LLVMValueRef place; /* of a turn; NULL: it is none */
    LLVMValueRef again; /* an iteration that is not the first; NULL: they are not counted */
    uint32_t depth;     /* of the loop */
};

/* One kernel on its way to the reference form. */
struct lw__ref {
    struct lw__unit *unit;
    const struct lw__ref_extension *extension;
    struct lw__coroutine co;
    LLVMBuilderRef b;
    LLVMTargetDataRef data;
    LLVMTypeRef none, i8, i32, i64, ptr;
    LLVMValueRef thread; /* struct lw_ref_thread * */
    LLVMValueRef shared; /* block memory */
    bool has_loops;      /* then writes are noted: a loop may wait for them */
    struct lw__ref_yield *yields;
    size_t yield_count;
    struct {
        LLVMValueRef call, place;
    } *placed; /* collectives of a kernel with loops that wait */
    size_t placed_count;
    struct lw__ref_bounds bounds;
    /* the extensions' own */
    struct lw__check_proofs *proofs;
    struct lw__debug_shown *shown;
    size_t shown_count;
};

/* What a product adds to the form. Each slot may be NULL. */
struct lw__ref_extension {
    /* lower.c: r->co.function is empty, and the kernel as in the common bitcode, with all checks */
    void (*open)(struct lw__ref *r, const struct lw__kernel *kernel);
    /* lower.c, with the builder at the kernel's beginning: the argument replaces the parameter
     * next; all arguments are loaded; SHARED variables have rows */
    void (*argument)(struct lw__ref *r, LLVMValueRef parameter, LLVMValueRef argument);
    void (*enter)(struct lw__ref *r);
    void (*shared)(struct lw__ref *r, const struct lw__shared_layout *layout);
    /* lower.c: the calls, returns and writes, before the first is lowered; all are lowered */
    void (*survey)(struct lw__ref *r, LLVMValueRef *list, size_t count);
    void (*leave)(struct lw__ref *r);
    /* As lw__ref_suspend. With it there is no coroutine: `open` has made r->co. */
    void (*suspend)(struct lw__ref *r, LLVMBasicBlockRef at, LLVMBasicBlockRef next);
    /* calls.c, with the builder before a call: it is lowered; false: ref lowers it */
    bool (*lower)(struct lw__ref *r, LLVMValueRef call);
    /* bounds.c: more of a variable's row; and at the builder, a way to `tail` round a check's
     * comparison, where the builder is then */
    void (*describe)(struct lw__ref *r, LLVMValueRef variable, struct lw__ref_object *row);
    void (*skip)(struct lw__ref *r, LLVMValueRef check, LLVMBasicBlockRef tail);
};

/* Metadata of an access that an extension makes for itself: other threads do not notice it. */
#define LW_REF_OWN "lw.shadow"

/* ---- lower.c --------------------------------------------------------------------------------- */

bool lw__pass_ref(struct lw__unit *unit);
bool lw__ref_lower(struct lw__unit *unit, const struct lw__ref_extension *extension);
/* At the builder, for the thread's record: the address of a field, its value, a store to it; and a
 * call through a slot of lw_ref_calls, whose first argument is the thread. */
LLVMValueRef lw__ref_field(struct lw__ref *r, size_t offset);
LLVMValueRef lw__ref_load(struct lw__ref *r, LLVMTypeRef type, size_t offset);
void lw__ref_store(struct lw__ref *r, LLVMValueRef value, size_t offset);
void lw__ref_store32(struct lw__ref *r, uint32_t value, size_t offset);
LLVMValueRef lw__ref_call(struct lw__ref *r, size_t slot, LLVMTypeRef result, LLVMValueRef *args,
                          unsigned count);
LLVMValueRef lw__ref_to_bits(struct lw__ref *r, LLVMValueRef v);
uint32_t lw__ref_dtype_named(const char *name); /* lw_dtype; 0: there is none */
/* End `at` by a suspension of the thread, which resumes in `next`. */
void lw__ref_suspend(struct lw__ref *r, LLVMBasicBlockRef at, LLVMBasicBlockRef next);

/* ---- turns.c --------------------------------------------------------------------------------- */

/* Before any block is split: where the kernel's threads yield. */
void lw__ref_find_yields(struct lw__ref *r, LLVMValueRef function);
void lw__ref_yield(struct lw__ref *r, const struct lw__ref_yield *yield);
/* At the builder: the place of a collective, if the kernel has turns. */
void lw__ref_store_place(struct lw__ref *r, LLVMValueRef call);

/* ---- calls.c --------------------------------------------------------------------------------- */

bool lw__ref_lower_call(struct lw__ref *r, LLVMValueRef call);  /* lw.* that is no collective */
bool lw__ref_may_write(LLVMValueRef instruction);               /* to memory that others see */
void lw__ref_note_write(struct lw__ref *r, LLVMValueRef write); /* sets `changed` if it did */

/* ---- bounds.c -------------------------------------------------------------------------------- */

LLVMBasicBlockRef lw__ref_refused(struct lw__ref *r); /* where a refused thread ends */

/* In this order, with the builder at the kernel's beginning: the table's rows, before the arguments
 * are loaded; the row of an argument; the SHARED variables, as layout->places. */
void lw__ref_bounds_open(struct lw__ref *r, const struct lw__kernel *kernel);
void lw__ref_bounds_argument(struct lw__ref *r, unsigned index, LLVMValueRef value);
void lw__ref_bounds_shared(struct lw__ref *r, struct lw__shared_layout *layout);
/* After shared memory is replaced, with the builder as before: private variables and constants.
 * Then the accesses use addresses without tags. */
bool lw__ref_bounds_variables(struct lw__ref *r);
void lw__ref_bounds_strip(struct lw__ref *r);
/* lw.access and lw.index; false: it is another call. */
bool lw__ref_lower_check(struct lw__ref *r, LLVMValueRef call);
/* The row of the object that the pointer is into; 0: unknown. */
uint64_t lw__ref_row_of(struct lw__ref *r, LLVMValueRef pointer);
const char *lw__ref_check_name(LLVMValueRef check); /* of its site: read, write, ..., index */
/* A table for the device; name "": it is of another one. */
LLVMValueRef lw__ref_constant(struct lw__ref *r, LLVMValueRef initial, const char *name);
void lw__ref_bounds_describe(struct lw__ref *r, const struct lw__kernel *kernel);

#endif
