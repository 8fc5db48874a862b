/* ref.h - a kernel as the reference device runs it: a thread at a time, each access checked.
 *
 * lower.c makes the coroutine, calls.c lowers its calls, turns.c has its yields. bounds.c makes
 * comparisons of the checks that instrument/ has put. For the device `check`, observe.c tells it of
 * each shared access. With -O0, debug_variables.c and debug_unit.c serve the debugger.
 */
#ifndef LW_COMPILE_REF_H
#define LW_COMPILE_REF_H
#include "compile/instrument/instrument.h"
#include "compile/proof/proof.h"

enum { LW_OBSERVE_ARGS = 3 }; /* of lw.observe: a pointer, how many bytes, enum lw_observe */

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
    struct lw__coroutine co;
    LLVMBuilderRef b;
    LLVMTargetDataRef data;
    LLVMTypeRef i8, i32, i64, ptr;
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
    struct lw__proofs proofs;            /* accesses that the launch may prove; of `check` */
    LLVMValueRef proved[LW_PROOF_WORDS]; /* a bit for each: it needs no check */
    struct lw__ref_shown *shown;         /* for a debugger: SHARED variables of the kernel */
    size_t shown_count;
};

/* ---- observe.c: for the device check --------------------------------------------------------- */

bool lw__pass_declare(struct lw__unit *unit); /* declare.c */
bool lw__pass_shadow(struct lw__unit *unit);  /* shadow.c */
bool lw__pass_observe(struct lw__unit *unit);
/* At the builder, a call of the device in place of lw.observe; false: it is another call. */
bool lw__ref_lower_observe(struct lw__ref *r, LLVMValueRef call);
/* The same for lw.overflow. */
bool lw__ref_lower_overflow(struct lw__ref *r, LLVMValueRef call);
void lw__ref_observe_fence(struct lw__ref *r, LLVMValueRef fence); /* at the builder */

/* ---- marks.c: for a picture ------------------------------------------------------------------ */

bool lw__pass_marks(struct lw__unit *unit);
/* At the builder, a call of the device in place of lw.line, lw.iteration or lw.trace.*;
 * false: it is another call. */
bool lw__ref_lower_mark(struct lw__ref *r, LLVMValueRef call);
/* The type of a SHARED variable as docs/layout.md writes it; "": clang says nothing of it. */
char *lw__ref_layout_of(struct lw__ref *r, LLVMValueRef global);

/* ---- quick.c: what needs no call of the device ----------------------------------------------- */

/* Which arguments the kernel may write to, by its calls, before any is lowered. */
void lw__ref_find_written(struct lw__ref *r, LLVMValueRef *calls, size_t count);
/* For the call of lw.observe, or of lw.shadow, which the builder stands at and will replace: where
 * the device need not be asked, control goes round what is built next, until lw__ref_quick_end. */
struct lw__ref_quick {
    LLVMBasicBlockRef from, join; /* from NULL: the device is asked always */
    LLVMValueRef result;          /* without it */
};
struct lw__ref_quick lw__ref_quick_observe(struct lw__ref *r, LLVMValueRef call, uint32_t site);
struct lw__ref_quick lw__ref_quick_shadow(struct lw__ref *r, LLVMValueRef call);
/* At the builder; of the device's answer, or NULL, and the one without it. */
LLVMValueRef lw__ref_quick_end(struct lw__ref *r, const struct lw__ref_quick *quick,
                               LLVMValueRef call, LLVMValueRef answer);

/* ---- shadow_calls.c: likewise; shadow.h has the rest ----------------------------------------- */

bool lw__ref_lower_shadow(struct lw__ref *r, LLVMValueRef call);

/* ---- lower.c --------------------------------------------------------------------------------- */

bool lw__pass_ref(struct lw__unit *unit);
/* At the builder, for the thread's record: the address of a field, its value, a store to it; and a
 * call through a slot of lw_ref_calls. */
LLVMValueRef lw__ref_field(struct lw__ref *r, size_t offset);
LLVMValueRef lw__ref_load(struct lw__ref *r, LLVMTypeRef type, size_t offset);
void lw__ref_store(struct lw__ref *r, LLVMValueRef value, size_t offset);
LLVMValueRef lw__ref_call(struct lw__ref *r, size_t slot, LLVMTypeRef result, LLVMTypeRef *types,
                          LLVMValueRef *args, unsigned count);
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

/* calls.c */
bool lw__ref_lower_call(struct lw__ref *r, LLVMValueRef call);  /* lw.* that is no collective */
bool lw__ref_may_write(LLVMValueRef instruction);               /* to memory that others see */
void lw__ref_note_write(struct lw__ref *r, LLVMValueRef write); /* sets `changed` if it did */

/* ---- prove.c: for the device check ----------------------------------------------------------- */

/* Before any check is removed: lw.proofs.K. */
void lw__ref_prove(struct lw__ref *r, const struct lw__kernel *kernel);
/* Loads the bits that tell which of them the launch has proved. The builder is where the kernel
 * begins. */
void lw__ref_prove_open(struct lw__ref *r);
/* At the builder: a branch to `tail` where the access is proved. The builder comes to where it is
 * not. */
void lw__ref_go_round_proved(struct lw__ref *r, LLVMValueRef call, LLVMBasicBlockRef tail);

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

/* ---- debug_variables.c: for a debugger ------------------------------------------------------- */

#define LW_HERE "lw.here" /* of a thread that resumes: void (ptr thread) */
void lw__ref_stack_open(struct lw__ref *r, LLVMValueRef function);
void lw__ref_stack_suspend(struct lw__ref *r, LLVMBasicBlockRef at, LLVMBasicBlockRef next);
void lw__ref_watch_argument(struct lw__ref *r, LLVMValueRef param, LLVMValueRef value);
void lw__ref_watch_shared(struct lw__ref *r, const struct lw__shared_layout *layout);
void lw__ref_watch_locals(struct lw__ref *r);

/* ---- debug_unit.c ---------------------------------------------------------------------------- */

bool lw__pass_watch(struct lw__unit *unit);
#endif
