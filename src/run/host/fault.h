/* fault.h - faults of kernel code as failures of its launch: lw_trap_faults, and what it changes.
 *
 *     guard    memory between pages that nobody can touch
 *     fault    the handler; kernel code is called on a stack of its own, which it can be taken off
 *
 * Kernel code and the library take turns: lw__fault_call enters kernel code, and what kernel code
 * calls goes back to the library by lw__fault_outside. Only between the two a fault is a kernel's.
 */
#ifndef LW_RUN_FAULT_H
#define LW_RUN_FAULT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* ---- guard.c ---- */

/* Memory between guard pages; all zero: none. */
struct lw__guarded {
    char *low, *top;  /* what may be touched: whole pages */
    char *map;        /* with the guard pages, */
    size_t map_bytes; /* all of them */
};

/* lw__guard_create - zeroed memory, and at least `guard` bytes on either side that fault. False:
 * there is no memory, or that much is guarded already; *g is then all zero.
 * owns     release with lw__guard_free */
enum lw__guard_most { LW_GUARDED_BUFFERS = 8192, LW_GUARDED_ALL = 1 << 30 };
bool lw__guard_create(size_t bytes, size_t guard, enum lw__guard_most most, struct lw__guarded *g);
void lw__guard_free(struct lw__guarded *g);

enum {
    LW_GUARD_ALIGN = 64,         /* of what ends at a guard page */
    LW_GUARD_BUFFER = 256 << 10, /* bytes that fault on either side of a buffer, */
    LW_GUARD_THREAD = 16 << 20,  /* and of a thread's own memory: the elements of private arrays are
                                  * as far apart as a block has threads */
};

/* lw__guard_place - the aligned address at which `bytes` end closest to the upper guard page; the
 * gap is less than `align`, a power of two of at most a page. */
static inline char *lw__guard_place(const struct lw__guarded *g, size_t bytes, size_t align)
{
    return (char *)(((uintptr_t)g->top - bytes) & ~(uintptr_t)(align - 1));
}

/* ---- fault.c ---- */

bool lw__faults_trapped(void);            /* after lw_trap_faults */
bool lw__buffer_is_guarded(size_t bytes); /* is a new buffer of that size to be guarded? */

struct lw__trap;

/* One thread that runs kernels. All zero: not ready. */
struct lw__fault_thread {
    struct lw__guarded stack, signal_stack;
    struct lw__trap *volatile trap; /* NULL: it is in the library, or in the host's code */
    void *volatile frame; /* kernel code is on `stack` down to here; NULL: on nothing of it */
};

/* lw__fault_ready - have this thread's faults come to the handler. False: memory is short.
 * lw__fault_end - at its end. */
bool lw__fault_ready(struct lw__fault_thread *thread);
void lw__fault_end(struct lw__fault_thread *thread);

enum { LW_FAULT_WORDS = 96, LW_CALL_WORDS = 6 };

/* A call on another stack: arguments and result are integers or pointers. */
struct lw__call {
    void (*function)(void); /* first: fault.c's assembler reads both */
    uint64_t args[LW_CALL_WORDS];
};
#define LW__WORD(pointer) ((uint64_t)(uintptr_t)(pointer))

/* What went wrong. */
struct lw__fault {
    uintptr_t pc;                    /* 0: not known */
    uintptr_t words[LW_FAULT_WORDS]; /* on its stack: return addresses may be among them */
    size_t stack_bytes;              /* it ran out of so much stack; 0: it did not */
};

/* lw__fault_call - call kernel code. False: it has left its memory, and *fault says where.
 * lw__fault_outside - from kernel code: call the library, on the stack that is its own. */
bool lw__fault_call(struct lw__fault_thread *thread, const struct lw__call *call, uint64_t *result,
                    struct lw__fault *fault);
uint64_t lw__fault_outside(const struct lw__call *call);

#endif
