/* threads.h - the lock, the threads that run kernels, and kernel code that is left before its end:
 * where it faults and lw_trap_faults has been called, or where its launch is cancelled.
 *
 *     pool     the one lock; the threads, and what they do
 *     guard    memory between pages that nobody can touch
 *     stack    calls on another stack, which can be left
 *     call     kernel code is called on a stack of its own
 *     stop     the threads of a cancelled launch are taken out of kernel code
 *     fault    the handler for its faults; a thread gets ready for both
 *
 * Everything that moves while work is queued is guarded by the one lock of pool.c, and is marked
 * "locked" where it is declared: one lock, because then fork() finds the whole of it in order.
 */
#ifndef LW_RUN_THREADS_H
#define LW_RUN_THREADS_H

#include "run/report/report.h"
#include <assert.h>
#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <time.h>
#include <ucontext.h>

/* ---- pool.c: the lock ---- */

void lw__lock(void);
void lw__unlock(void);
bool lw__is_locked(void);                           /* by whomever: for asserts */
unsigned lw__era(void);                             /* locked: how many forks led to this process */
uint64_t lw__clock(void);                           /* CLOCK_MONOTONIC, in nanoseconds */
struct timespec lw__deadline(uint64_t nanoseconds); /* such a time: so long from now */

/* lw__clock_of - the time in nanoseconds, as lw__clock has it */
static inline uint64_t lw__clock_of(const struct timespec *t)
{
    return (uint64_t)t->tv_sec * 1000000000u + (uint64_t)t->tv_nsec;
}

/* lw__wait_change - locked: wait until something announced, or until the monotonic time `deadline`
 * (NULL: for ever). False where the time ran out. Spurious returns happen: look again. */
bool lw__wait_change(const struct timespec *deadline);
void lw__announce(void); /* locked: wake all who wait for a change */

/* ---- pool.c: the threads ---- */

/* Work that is done step by step, by one thread at a time. */
struct lw__task {
    void (*step)(struct lw__task *task); /* called locked, and returns so */
    struct lw__task *next;               /* locked: the next that waits for a worker */
    bool ready;                          /* locked: it waits, too */
};

/* lw__pool_ready - locked: there is a worker thread, or one could be started. after_fork: called
 * in the child of each fork, locked; there all tasks are forgotten. It is the same for all callers.
 * errors   LW_E_MEMORY none could */
lw_status lw__pool_ready(void (*after_fork)(void));
void lw__pool_schedule(struct lw__task *task); /* locked: have a worker step it */
void lw__pool_forget(struct lw__task *task);   /* locked: it goes away */

/* lw__pool_hold - locked: the host's thread is likely to wait for it in a moment, and so to lend a
 * hand; if it does anything else, lw__pool_release has a worker step it. lw__pool_keep: this thread
 * looks for work, or releases, before it opens the lock. */
void lw__pool_hold(struct lw__task *task);
void lw__pool_keep(struct lw__task *task);
void lw__pool_release(void); /* locked */

/* lw__pool_lend_hand - locked: step the task in this thread, which has to wait for it; then there
 * may be more of it, so lw__pool_release comes after the last. False: a worker steps it, or there
 * is nothing to step. */
bool lw__pool_lend_hand(struct lw__task *task);

/* lw__pool_lose - locked: so many threads may never come back, and others take their place.
 * lw__pool_find: they are back. */
void lw__pool_lose(size_t threads);
void lw__pool_find(size_t threads);

/* lw__pool_size - how many worker threads there are at most: LANEWISE_NUM_THREADS, or else the
 * processors this process may use. */
size_t lw__pool_size(void);

/* Work that idle workers may join in. run does pieces of it until none is left; that of a helper
 * returns early, with true, where lw__pool_is_short. */
struct lw__share {
    bool (*run)(struct lw__share *share, bool is_helper);
    size_t wanted;         /* locked: helpers that may still come */
    bool is_open;          /* locked: not over for its owner */
    atomic_size_t helpers; /* inside run; changed under the lock */
    struct lw__share *next;
};

/* lw__pool_share - share->run() here and on up to `helpers` idle workers; returns when all have
 * left it. It never waits for a worker to come. thread: any, not locked */
void lw__pool_share(struct lw__share *share, size_t helpers);

/* lw__pool_is_short - is a task ready that no worker has taken up yet? Any thread, no lock. */
bool lw__pool_is_short(void);

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
    assert(align && !(align & (align - 1)) && bytes <= (size_t)(g->top - g->low));
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

/* ---- call.c: kernel code and the library take turns ----
 *
 * lw__fault_call enters kernel code, and what kernel code calls goes back to the library by
 * lw__fault_outside. Only between the two a fault is a kernel's.
 */

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

/* lw__fault_call - call kernel code. False: it was left early, and *fault says why.
 * lw__fault_outside - from kernel code: call the library, on the stack that is its own. */
bool lw__fault_call(struct lw__fault_thread *thread, const struct lw__call *call, uint64_t *result,
                    struct lw__fault *fault);
uint64_t lw__fault_outside(const struct lw__call *call);

/* ---- stop.c ---- */

enum { LW_STOP_SIGNAL = SIGURG }; /* ignored by default, so that one too many does no harm */

/* lw__stop_begin, lw__stop_end - this thread takes part in a launch that *cancelled stops. */
void lw__stop_begin(struct lw__fault_thread *thread, const atomic_bool *cancelled,
                    const void *entry);
void lw__stop_end(struct lw__fault_thread *thread);

/* lw__stop_send - locked: tell all threads of the launch to leave kernel code. How many there are;
 * a signal may come where a thread cannot leave, so repeat it until there is none. */
size_t lw__stop_send(const atomic_bool *cancelled);

void lw__stop_after_fork(void); /* locked, in the child */

/* ---- fault.c ---- */

bool lw__faults_trapped(void);            /* after lw_trap_faults */
bool lw__buffer_is_guarded(size_t bytes); /* is a new buffer of that size to be guarded? */

/* lw__fault_ready - have this thread's faults, where they are trapped, and its stops come to the
 * handlers. False: memory is short. lw__fault_end - at its end. Not locked. */
bool lw__fault_ready(struct lw__fault_thread *thread);
void lw__fault_end(struct lw__fault_thread *thread);

/* ---- inside this folder ---- */

/* lw__pool_has - locked: is the thread one of the workers? */
bool lw__pool_has(pthread_t thread);

/* lw__stack_switch - call on the stack that ends at `stack`; *frame is first set to where this
 * call's own frame is. lw__stack_leave - leave the call with that frame. lw__stack_go_on - have the
 * interrupted thread do so. lw__stack_pc, lw__stack_sp - where it was interrupted. */
uint64_t lw__stack_switch(void *stack, void *volatile *frame, const struct lw__call *call);
void lw__stack_leave(void *frame);
void lw__stack_go_on(ucontext_t *context, const char *frame);
uintptr_t lw__stack_pc(const ucontext_t *context);
uintptr_t lw__stack_sp(const ucontext_t *context);

/* lw__fault_key - before all handlers: there is the key by which they find a thread's.
 * lw__fault_thread_set - this thread's; NULL: no more. False, both: memory is short. */
bool lw__fault_key(void);
bool lw__fault_thread_set(struct lw__fault_thread *thread);

/* For handlers: this thread's, or NULL; mark the call as left since the launch is cancelled; call
 * the handler, neither SIG_DFL nor SIG_IGN, that was there before. */
struct lw__fault_thread *lw__fault_this_thread(void);
void lw__trap_cancel(struct lw__trap *trap);
void lw__signal_hand_on(struct sigaction *to, int signal, siginfo_t *info, void *context);

void lw__stop_list(struct lw__fault_thread *thread);   /* this thread; not locked */
void lw__stop_unlist(struct lw__fault_thread *thread); /* not locked */
#endif
