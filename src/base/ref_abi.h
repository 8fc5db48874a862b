/* ref_abi.h - what a kernel compiled for `ref` and the scheduler of device_ref agree on.
 *
 * src/compile/ref.c emits code that reads and writes these structs by offsetof();
 * src/run/device_ref
 * owns them. A kernel is one coroutine per thread: the ramp `void *lw.ref.<kernel>(struct
 * lw_ref_thread *)` runs the thread to its first suspension and returns the coroutine handle;
 * `void lw.resume(void *handle)` runs it to the next. Before it suspends, the thread writes
 * into its record why (state), and for a collective the operation, its operands and its instance.
 * The scheduler writes `result` and resumes it.
 */
#ifndef LW_REF_ABI_H
#define LW_REF_ABI_H
#include <stdint.h>

/* The collectives. LW_OP_NONE is none. */
enum lw__op {
    LW_OP_NONE,
#define LW_OP(name, scope, types, arguments, result) LW_OP_##name,
#include "lanewise/warp_ops.def"
#undef LW_OP
    LW_OP_COUNT
};

enum lw_ref_state {
    LW_REF_FRESH,      /* not started: only the scheduler writes this */
    LW_REF_RETURNED,   /* left the kernel; never resume it */
    LW_REF_COLLECTIVE, /* waits in a collective or barrier */
    LW_REF_YIELD,      /* reached a loop's back edge that may wait on memory: resume at will */
    LW_REF_FAILED,     /* a failed assert; never resume it */
};

enum { LW_REF_KEY_MAX = 63 }; /* 31 nested loops */

struct lw_ref_launch; /* the scheduler's, opaque to kernel code but for the calls below */

struct lw_ref_thread {
    /* written by the scheduler before the thread starts */
    struct lw_ref_calls *calls;
    const char *args; /* the packed arguments, laid out as the manifest's param rows say */
    char *shared;     /* block memory: SHARED variables at their offsets, then dynamic memory */
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
    int32_t budget;      /* trips until a loop yields; the thread's own */
    uint32_t key_length; /* the instance: place, trip, place, trip, ... place; compare as a */
    uint64_t key[LW_REF_KEY_MAX]; /* sequence: smaller is earlier in the program */

    /* written by the scheduler before it resumes the thread */
    uint64_t result; /* the collective's result, bits zero-extended */
};

/* Calls from kernel code into the device, in the thread's own context. */
struct lw_ref_calls {
    /* memory for the coroutine's frame, align a power of two; lives until the block ends;
     * NULL where memory is short: the ramp then returns NULL and the thread never ran */
    void *(*frame)(struct lw_ref_thread *t, uint64_t bytes, uint64_t align);
    /* one printf: args[i] holds the bits of an int (sign- or zero-extended to 64 by its type),
     * a double, or a pointer to constant text */
    void (*print)(struct lw_ref_thread *t, const char *format, uint32_t count,
                  const uint64_t *args);
    /* a failed assert; the thread then suspends with LW_REF_FAILED */
    void (*fail)(struct lw_ref_thread *t, const char *expression, uint32_t site);
};
#endif
