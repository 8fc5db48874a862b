/* ref_abi.h - what a kernel compiled for `ref` and the scheduler in src/run/ref agree on.
 *
 * src/compile/ref/lower.c emits code that reads and writes these structs by offsetof(); src/run/ref
 * owns them. A kernel is one coroutine per thread: the ramp `void *lw.ref.<kernel>(struct
 * lw_ref_thread *)` runs the thread to its first suspension and returns the coroutine handle;
 * `void lw.resume(void *handle)` runs it to the next. Before a thread suspends, it writes the
 * reason into its record (state); for a collective also the operation, its operands and its
 * instance. The scheduler writes `result` and resumes it.
 *
 * Code for a debugger has `uint64_t lw.frame` in place of lw.resume: the bytes of the kernel's
 * frame. A thread then runs the ramp to its end on its own stack, and suspends by a call.
 */
#ifndef LW_REF_ABI_H
#define LW_REF_ABI_H
#include "base/proof_abi.h"
#include <stdint.h>

/* The collectives. LW_OP_NONE is none. */
enum lw__op {
    LW_OP_NONE,
#define LW_OP(name, ...) LW_OP_##name,
#include "lanewise/warp_ops.def"
#undef LW_OP
    LW_OP_COUNT
};

enum lw_ref_state {
    LW_REF_FRESH,      /* not started: only the scheduler writes this */
    LW_REF_RETURNED,   /* left the kernel; never resume it */
    LW_REF_COLLECTIVE, /* waits in a collective or barrier */
    LW_REF_YIELD,      /* reached a loop's back edge that may wait on memory: resume at will */
    LW_REF_FAILED,     /* a failed assert or a refused access; never resume it */
    LW_REF_TURN,       /* at its `place`: the earliest lanes of a warp go on */
};

enum { LW_REF_LOOPS_MAX = 32 }; /* loops around a place; what is deeper is not counted */

enum { LW_REF_KEY_MAX = 63 }; /* 31 nested loops */

/* Memory that pointers are checked against. The upper bits of a pointer in kernel code are the tag
 * of its object; arithmetic keeps them. The low LW_REF_ADDRESS_BITS are the address. The object's
 * row in the thread's table is the tag modulo the number of rows. The rest of the tag identifies
 * the launch. A pointer from an earlier launch, kept in memory, is therefore recognised. Like one
 * without a tag, it may point to any object that contains the whole access. */
enum { LW_REF_ADDRESS_BITS = 48 };

enum lw_ref_memory {
    LW_REF_NOTHING, /* row 0: no object has it */
    LW_REF_ARGUMENT,
    LW_REF_SHARED,
    LW_REF_DYNAMIC,
    LW_REF_PRIVATE,
    LW_REF_CONSTANT,
};

/* A row of a thread's table. An access of n bytes at p is within where p - base <= bytes and
 * bytes - (p - base) >= n, unsigned. */
struct lw_ref_object {
    uint64_t base; /* with the tag; of a PRIVATE one the tag alone until the thread adds its own */
    uint64_t bytes;
};

/* What the compiler says of an object. */
struct lw_ref_row {
    const char *name; /* in the source; "": it has none. In code for a picture its layout is after
                       * the NUL, as docs/layout.md writes it; "": not known */
    uint16_t kind;    /* enum lw_ref_memory */
    uint16_t written; /* of an ARGUMENT in code for `check`: 1 where the kernel may write to it */
    uint32_t origin;  /* of code for `check`: 1 + the site of its declaration; else 0 */
    uint64_t place;   /* ARGUMENT: the parameter's index. SHARED: offset in block memory. CONSTANT:
                       * the address */
    uint64_t bytes;   /* 0 of an ARGUMENT and a DYNAMIC one: the launch knows */
    uint64_t element; /* bytes of an element */
};

struct lw_ref_thread;

/* lw.objects.K: a kernel K as the device finds it. */
struct lw_ref_kernel {
    void *(*ramp)(struct lw_ref_thread *thread);
    uint64_t object_count; /* of a thread's table, a power of two; after those rows that are used
                            * up to it come others that have names only */
    uint64_t row_count;
    const struct lw_ref_row *rows;
    uint64_t has_private; /* each thread needs a table of its own; else the block's is for all */
};

/* An access or an index that is refused. */
struct lw_ref_access {
    uint64_t pointer, bytes; /* as kernel code has them */
    uint64_t row;            /* known when compiled; 0: by the tag */
    uint64_t base;           /* of that row, with its tag */
    uint32_t site;
};
struct lw_ref_index {
    int64_t index, count;
    uint64_t pointer; /* into what is indexed */
    uint64_t row;     /* as above */
    uint32_t site;
    int32_t axis; /* of a tensor; -1: of an array */
};

struct lw_ref_launch; /* the scheduler's, opaque to kernel code but for the calls below */

struct lw_ref_thread {
    /* written by the scheduler before the thread starts */
    struct lw_ref_calls *calls;
    const char *args; /* the packed arguments, laid out as the manifest's param rows say; pointers
                       * have their tags */
    char *shared;     /* block memory: SHARED variables at their offsets, then dynamic memory */
    struct lw_ref_object *objects; /* lw_ref_kernel.object_count; row 0 is {0, 0} */
    int32_t thread_idx[3], block_idx[3], block_dim[3], grid_dim[3];
    int32_t linear; /* x-fastest index in the block; lane = linear & 31, warp = linear >> 5 */

    /* written by the thread before it suspends */
    uint32_t state;      /* enum lw_ref_state */
    uint32_t op;         /* enum lw__op */
    uint32_t type;       /* lw_dtype of value; 0 where the operation is untyped */
    uint32_t site;       /* index of a site row of the manifest: the source line */
    int32_t number;      /* the int argument: lane, distance, mask, thread or tree step */
    uint64_t value;      /* the operand's bits, zero-extended; for predicates 0 or 1 */
    uint64_t identity;   /* *_partner: the identity's bits */
    uint64_t changed;    /* 1 once the thread changed memory; the scheduler clears it */
    int32_t budget;      /* iterations until a loop yields; the thread's own */
    uint32_t key_length; /* the instance: place, iteration, place, ... place; compare as a */
    uint64_t key[LW_REF_KEY_MAX]; /* sequence: smaller is earlier in the program */

    /* written by the scheduler before it resumes the thread */
    uint64_t result; /* the collective's result, bits zero-extended */

    /* of code for `check`: the undefined bits. Of value, identity and number the thread writes them
     * before it suspends, if there are any; of result the scheduler does. An origin is 0, or 1 +
     * the site that they come from. */
    uint64_t value_shadow, identity_shadow, number_shadow, result_shadow;
    uint32_t value_origin, identity_origin, number_origin, result_origin;

    /* of code for a debugger */
    uint64_t record_bytes; /* from this record to that of the next thread in the block */
    uint32_t line;         /* of the source, written by the thread before it suspends */

    /* of code for `check`: what `shadow` would answer for the start of block memory */
    uint8_t *shared_shadow;
    uint32_t *shared_origin;
    struct lw_ref_watched *watched; /* the block's */

    /* written by the thread before it suspends, in a kernel with loops that wait */
    uint32_t is_behind;  /* TURN: 0 in a loop that waits, 1 on a way after or round one */
    uint32_t is_steady;  /* 1 within a loop that waits whose iterations depend on memory alone */
    uint32_t departures; /* how often the thread has left such a loop */
    /* how many numbers, and they: for each loop around the place, then for its block. Smaller is
     * earlier; equal loops compare by their `iteration`. NULL: no loop of the kernel waits */
    const uint32_t *place;
    uint64_t iteration[LW_REF_LOOPS_MAX]; /* of each loop around */
};

/* For code for `check`, of a block: who accessed its memory. Of each 4 bytes there is a cell, the
 * last that read and that wrote: interval << 32 | lane << LW_REF_LANE_SHIFT | flags | site. What is
 * below `now` is ordered before all that follows. An access that is in order with both only has to
 * be entered. Flags: MORE, another one is kept elsewhere; FAR, and it is of another interval; TWIN,
 * and it is of the same interval and site. */
enum {
    LW_REF_ENTRY_TWIN = 1 << 24, /* no site is so large */
    LW_REF_ENTRY_FAR = 1 << 25,
    LW_REF_ENTRY_MORE = 1 << 26,
    LW_REF_LANE_SHIFT = 27,
    LW_REF_WARPS_MAX = 32
};
struct lw_ref_watched {
    uint64_t now;
    uint64_t first;                      /* the address of the 4 bytes that the first cell is of */
    uint64_t *cells;                     /* two words each */
    uint32_t interval[LW_REF_WARPS_MAX]; /* of each warp; 0: tell the device */
};

/* What the device `check` is told of an access: its kind; does a store leave the memory as it is;
 * the power of two that its address should be a multiple of. */
enum lw_observe {
    LW_OBSERVE_READ,
    LW_OBSERVE_WRITE,
    LW_OBSERVE_ATOMIC_READ, /* a compare-and-swap that failed, too */
    LW_OBSERVE_ATOMIC_STORE,
    LW_OBSERVE_ATOMIC_UPDATE,
    LW_OBSERVE_MAY_UPDATE, /* no access: a compare-and-swap will come */
    LW_OBSERVE_KIND = 7,
    LW_OBSERVE_SAME = 8,
    LW_OBSERVE_FLOAT = 16, /* of code for a picture: the access is of a floating-point type; and the
                            * power of two that its scalars have as bytes */
    LW_OBSERVE_SCALAR_SHIFT = 5,
    LW_OBSERVE_ALIGN_SHIFT = 8,
    LW_OBSERVE_ALIGN = 15,
    LW_OBSERVE_GUESS = 1 << 12, /* a read whose value a compare-and-swap there will expect */
    LW_OBSERVE_CUDA = 1 << 13,  /* an atomic of the thread orders its later accesses of the place */
    LW_OBSERVE_LOCKSTEP = 1 << 14, /* the text is for warps in lockstep: races of theirs warn */
};

/* Where the shadow of memory is: a byte for each byte, whose bits are 1 where the memory's are
 * undefined; and an origin for each four bytes from a multiple of four on. */
struct lw_ref_shadow {
    uint8_t *shadow;
    uint32_t *origin;
};

/* What went wrong in arithmetic: its kind; the integer's type, log2(bits) << 1 | is signed; of a
 * cast the bits of the floating-point number, which is the first operand, and of a shift the type
 * of the second. */
enum lw_overflow {
    LW_OVERFLOW_ADD,
    LW_OVERFLOW_SUBTRACT,
    LW_OVERFLOW_MULTIPLY,
    LW_OVERFLOW_NEGATE,
    LW_OVERFLOW_DIVIDE,
    LW_OVERFLOW_SHIFT, /* by the second operand */
    LW_OVERFLOW_CAST,
    LW_OVERFLOW_COUNT_ZEROS, /* of 0; the type is 0 for trailing zeros, 1 for leading ones */
    LW_OVERFLOW_KIND = 15,
    LW_OVERFLOW_TYPE_SHIFT = 4,
    LW_OVERFLOW_FROM_SHIFT = 12,
};

/* What a program promises to the compiler, and does not keep. */
enum lw_promise {
    LW_PROMISE_HOLDS,     /* a condition */
    LW_PROMISE_ALIGNED,   /* a pointer, to so many bytes */
    LW_PROMISE_UNREACHED, /* a place */
};

enum { LW_REF_QUICK_BYTES = 64, LW_REF_QUICK_ROWS = 64 };

/* Calls from kernel code into the device, in the thread's own context. */
struct lw_ref_calls {
    /* memory for the coroutine's frame, align a power of two; lives until the block ends;
     * NULL where memory is short: the ramp then returns NULL and the thread never ran */
    void *(*frame)(struct lw_ref_thread *t, uint64_t bytes, uint64_t align);
    /* one printf: args[i] has the bits of a double, of a pointer to constant text, or of an int;
     * an int is sign- or zero-extended to 64 bits by its type */
    void (*print)(struct lw_ref_thread *t, const char *format, uint32_t count,
                  const uint64_t *args);
    /* a failed assert; the thread then suspends with LW_REF_FAILED */
    void (*fail)(struct lw_ref_thread *t, const char *expression, uint32_t site);
    /* an access that the thread's table does not allow: 1 where another object does; else the
     * launch has failed and the thread suspends with LW_REF_FAILED */
    uint32_t (*access)(struct lw_ref_thread *t, const struct lw_ref_access *access);
    /* an index outside of its array or its tensor's extent; the thread then suspends as above */
    void (*index)(struct lw_ref_thread *t, const struct lw_ref_index *index);
    /* a thread with a stack of its own suspends: the call returns when it is resumed */
    void (*suspend)(struct lw_ref_thread *t);
    /* of code for `check`: an access to memory that is not the thread's own, by a pointer with its
     * tag; a fence, for the block or the whole device */
    void (*observe)(struct lw_ref_thread *t, uint64_t pointer, uint64_t bytes, uint32_t what,
                    uint32_t site);
    void (*fence)(struct lw_ref_thread *t, uint32_t is_of_device);
    /* of code for a picture: the thread comes to another line; to the header of a loop, which is
     * numbered in the order of the program and has so many loops around it; to a trace() */
    void (*line)(struct lw_ref_thread *t, uint32_t site);
    void (*iteration)(struct lw_ref_thread *t, uint32_t loop, uint32_t depth);
    void (*trace)(struct lw_ref_thread *t, const char *name, uint32_t type, uint64_t value,
                  uint32_t site);
    /* the shadow of memory that is read, or written; for so many bytes, until the next call. NULL:
     * memory is short, and the thread ends */
    struct lw_ref_shadow (*shadow)(struct lw_ref_thread *t, uint64_t pointer, uint64_t bytes,
                                   uint32_t is_written);
    /* a private variable that unknown pointers are to has its shadow here; number: the origin of
     * what was never set in it, for which 0 stands in `origin` */
    void (*variable)(struct lw_ref_thread *t, uint64_t pointer, uint64_t bytes, uint64_t shadow,
                     uint64_t origin, uint32_t number);
    /* undefined bits are used; pointer: what is stored to, or 0 */
    void (*undefined)(struct lw_ref_thread *t, uint64_t pointer, uint32_t origin, uint32_t site);
    /* an atomic update of memory uses what is there, and defines it */
    void (*update)(struct lw_ref_thread *t, uint64_t pointer, uint64_t bytes, uint32_t site);
    /* of code for `check`: arithmetic whose result its type does not hold; what: by enum
     * lw_overflow */
    void (*overflow)(struct lw_ref_thread *t, uint64_t a, uint64_t b, uint32_t what, uint32_t site);

    /* of code for `check`, for accesses of at most LW_REF_QUICK_BYTES whose row is known when it is
     * compiled. A bit for each of the first LW_REF_QUICK_ROWS: nothing in it is undefined, so
     * `shadow` would answer `read` or `written`; nobody writes to it, so reads that are aligned are
     * counted in `accesses`, and not told */
    uint64_t defined, unwritten;
    uint64_t accesses;
    struct lw_ref_shadow read, written;

    /* a failed assert_that: as `fail`; LW_SAID_MAX args, as those of `print` */
    void (*fail_saying)(struct lw_ref_thread *t, const char *format, uint32_t site,
                        const uint64_t *args);

    /* of code for `check`: a bit for each row of lw.proofs.K that the launch has proved */
    uint64_t proved[LW_PROOF_WORDS];

    /* a promise that is not kept; the thread ends. what: enum lw_promise; number: the alignment */
    void (*promise)(struct lw_ref_thread *t, uint32_t what, uint64_t number, uint32_t site);
};
#endif
