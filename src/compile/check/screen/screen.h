/* screen.h - a kernel as a screen: code for `cpu` that stops where something may be wrong.
 *
 * For the device `check`. screen.c makes the screens of a program's kernels beside their exact
 * form. judge.c says which kernels can be screened, accesses.c puts checks before each access,
 * cells.c is the rule of races, private.c follows what variables of the thread have a value,
 * loops.c sees to it that code ends, overflow.c checks arithmetic. All of it is one thread's code,
 * which the spmd passes widen as any other. base/screen_abi.h is what the code and the device
 * agree on.
 */
#ifndef LW_COMPILE_SCREEN_H
#define LW_COMPILE_SCREEN_H
#include "base/screen_abi.h"
#include "compile/ir/ir.h"

/* A row of the kernel: a parameter, or a variable of block memory. */
struct lw__screen_row {
    LLVMValueRef value;
    struct lw_screen_row says;
    LLVMValueRef written[2], read[2], updated[2]; /* of the record; known once the code begins, */
    LLVMValueRef granules;                        /* too */
    unsigned operations;                          /* bits of enum lw__screen_operation */
};

/* One kernel that becomes a screen. */
struct lw__screen {
    struct lw__unit *unit;
    struct lw__kernel *kernel;
    LLVMValueRef function;
    LLVMBuilderRef b;
    LLVMValueRef at; /* code goes before it */
    LLVMTargetDataRef data;
    LLVMTypeRef i1, i8, i32, i64, ptr;
    struct lw__screen_row *rows;
    size_t row_count;
    LLVMValueRef record;        /* the last parameter */
    LLVMValueRef first, thread; /* serial of the block, shifted; linear index in it */
    LLVMValueRef now, count;    /* variables: the serial, shifted; accesses of the thread */
};

/* ---- screen.c -------------------------------------------------------------------------------- */

bool lw__pass_screen(struct lw__unit *unit);

/* Before s->at: the launch stops unless ok. */
void lw__screen_require(struct lw__screen *s, LLVMValueRef ok);
void lw__screen_set_at(struct lw__screen *s, LLVMValueRef at); /* and the builder is there */

/* ---- judge.c --------------------------------------------------------------------------------- */

/* True if the screen finds whatever the exact check would find. */
bool lw__screen_is_possible(const struct lw__screen *s);
bool lw__screen_is_undefined(LLVMValueRef v); /* what a variable has where it is declared */

/* ---- accesses.c ------------------------------------------------------------------------------ */

/* Of atomics: those of one kind leave the same in any order. */
enum lw__screen_operation {
    LW_SCREEN_ADDS = 1,
    LW_SCREEN_ANDS = 2,
    LW_SCREEN_ORS = 4,
    LW_SCREEN_XORS = 8,
    LW_SCREEN_MAXES = 16,
    LW_SCREEN_MINS = 32,
    LW_SCREEN_UNSIGNED_MAXES = 64,
    LW_SCREEN_UNSIGNED_MINS = 128,
};

/* An access to a row, or to none: then it is to a constant or to a variable of the thread's own. */
struct lw__screen_access {
    LLVMValueRef pointer, object;
    uint64_t bytes, align;
    enum lw_screen_use use;
    unsigned operation; /* of an atomic, else 0 */
};
bool lw__screen_access_of(const struct lw__screen *s, LLVMValueRef i,
                          struct lw__screen_access *access); /* false: it accesses nothing */
struct lw__screen_row *lw__screen_row_of(const struct lw__screen *s, LLVMValueRef object);
void lw__screen_check_access(struct lw__screen *s, LLVMValueRef i);
void lw__screen_check_bounds(struct lw__screen *s, LLVMValueRef call); /* of lw.access */

/* ---- cells.c --------------------------------------------------------------------------------- */

/* At the builder: enter an access to a granule; true if it is in order with all others. */
LLVMValueRef lw__screen_enter(struct lw__screen *s, const struct lw__screen_row *row,
                              enum lw_screen_use use, LLVMValueRef granule);
void lw__screen_advance(struct lw__screen *s); /* before s->at, after a barrier */

/* ---- private.c ------------------------------------------------------------------------------- */

/* Each array of the thread's own gets a second one, whose bytes are all ones where the first has a
 * value. */
void lw__screen_follow_private(struct lw__screen *s);

/* ---- loops.c --------------------------------------------------------------------------------- */

void lw__screen_end_loops(struct lw__screen *s); /* before any code is added */

/* ---- overflow.c ------------------------------------------------------------------------------ */

void lw__screen_plain_overflows(struct lw__screen *s);
bool lw__screen_can_overflow(LLVMValueRef call); /* true: it is known how */
#endif
