/* fault.h - kernel code that is left before its end: where it faults and lw_trap_faults has been
 * called, or where its launch is cancelled.
 *
 *     guard    memory between pages that nobody can touch
 *     stack    calls on another stack, which can be left
 *     fault    kernel code is called on a stack of its own; the handler for its faults
 *     stop     the threads of a cancelled launch are taken out of kernel code
 *
 * Kernel code and the library take turns: lw__fault_call enters kernel code, and what kernel code
 * calls goes back to the library by lw__fault_outside. Only between the two a fault is a kernel's.
 */
#ifndef LW_RUN_FAULT_H
#define LW_RUN_FAULT_H

#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <ucontext.h>

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

/* ---- stack.c ---- */

enum {
    LW_STACK_FRAME = 256, /* bytes of lw__stack_switch, below the frame that it notes */
    LW_CALL_WORDS = 6,
};

/* A call on another stack: arguments and result are integers or pointers. */
struct lw__call {
    void (*function)(void); /* first: stack.c's assembler reads both */
    uint64_t args[LW_CALL_WORDS];
};
#define LW__WORD(pointer) ((uint64_t)(uintptr_t)(pointer))

/* lw__stack_switch - call on the stack that ends at `stack`; *frame is first set to where this
 * call's own frame is. lw__stack_leave - leave the call with that frame. lw__stack_go_on - have the
 * interrupted thread do so. lw__stack_pc, lw__stack_sp - where it was interrupted. */
uint64_t lw__stack_switch(void *stack, void *volatile *frame, const struct lw__call *call);
void lw__stack_leave(void *frame);
void lw__stack_go_on(ucontext_t *context, const char *frame);
uintptr_t lw__stack_pc(const ucontext_t *context);
uintptr_t lw__stack_sp(const ucontext_t *context);

/* ---- fault.c ---- */

bool lw__faults_trapped(void);            /* after lw_trap_faults */
bool lw__buffer_is_guarded(size_t bytes); /* is a new buffer of that size to be guarded? */

enum { LW_FAULT_WORDS = 96 };

/* Why a call of kernel code was left. */
struct lw__fault {
    bool is_cancelled;               /* the launch is, and nothing went wrong; else: */
    uintptr_t pc;                    /* 0: not known */
    uintptr_t words[LW_FAULT_WORDS]; /* on its stack: return addresses may be among them */
    size_t stack_bytes;              /* it ran out of so much stack; 0: it did not */
};

/* One call of kernel code. */
struct lw__trap {
    void *volatile frame; /* of its lw__stack_switch, on the library's stack; NULL: not there yet */
    volatile bool is_hit;
    struct lw__fault fault;
};

/* One thread that runs kernels. All zero: not ready. */
struct lw__fault_thread {
    struct lw__guarded stack, signal_stack;
    bool traps;                     /* its faults come to the handler */
    struct lw__trap *volatile trap; /* NULL: it is in the library, or in the host's code */
    void *volatile frame; /* kernel code is on `stack` down to here; NULL: on nothing of it */
    /* of the launch that it takes part in: is it cancelled? NULL: in none */
    _Atomic(const atomic_bool *) launch;
    _Atomic(const void *) entry;              /* and its code */
    struct lw__fault_thread *next, *previous; /* locked, as all below; stop.c's list */
    pthread_t thread;
    bool is_worker;               /* of the pool: no handler of the host interrupts it */
    _Atomic(uintptr_t) low, high; /* what it may be taken out of: the segment of `entry` */
};

/* lw__fault_ready - have this thread's faults, where they are trapped, and its stops come to the
 * handlers. False: memory is short. lw__fault_end - at its end. Not locked. */
bool lw__fault_ready(struct lw__fault_thread *thread);
void lw__fault_end(struct lw__fault_thread *thread);

/* lw__fault_call - call kernel code. False: it was left early, and *fault says why.
 * lw__fault_outside - from kernel code: call the library, on the stack that is its own. */
bool lw__fault_call(struct lw__fault_thread *thread, const struct lw__call *call, uint64_t *result,
                    struct lw__fault *fault);
uint64_t lw__fault_outside(const struct lw__call *call);

/* For handlers: this thread's, or NULL; mark the call as left since the launch is cancelled; call
 * the handler, neither SIG_DFL nor SIG_IGN, that was there before. */
struct lw__fault_thread *lw__fault_this_thread(void);
void lw__trap_cancel(struct lw__trap *trap);
void lw__signal_hand_on(struct sigaction *to, int signal, siginfo_t *info, void *context);

/* ---- stop.c ---- */

enum { LW_STOP_SIGNAL = SIGURG }; /* ignored by default, so that one too many does no harm */

/* lw__stop_begin, lw__stop_end - this thread takes part in a launch that *cancelled stops. */
void lw__stop_begin(struct lw__fault_thread *thread, const atomic_bool *cancelled,
                    const void *entry);
void lw__stop_end(struct lw__fault_thread *thread);

/* lw__stop_send - locked: tell all threads of the launch to leave kernel code. How many there are;
 * a signal may come where a thread cannot leave, so repeat it until there is none. */
size_t lw__stop_send(const atomic_bool *cancelled);

void lw__stop_list(struct lw__fault_thread *thread);   /* this thread; not locked */
void lw__stop_unlist(struct lw__fault_thread *thread); /* not locked */
void lw__stop_after_fork(void);                        /* locked, in the child */

#endif
