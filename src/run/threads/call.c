/* call.c - kernel code is called so that it can be left: on a fault (fault.c), or where its launch
 * is cancelled (stop.c).
 *
 * lw__stack_switch calls kernel code on the thread's stack for kernels. A handler continues the
 * thread at the end of lw__stack_switch: the call returns, and the rest of the kernel code is
 * skipped. No frame of the library is skipped, so the library leaves nothing undone. Kernel code
 * that overruns its arrays finds no frame of the library on its stack.
 *
 * A thread's lw__fault_thread says if it is in kernel code. A handler may run in any thread at any
 * place. It uses pthread_getspecific, which only reads in glibc; a thread-local variable may
 * allocate memory first.
 */
#include "run/threads/threads.h"
#include <assert.h>

/* ---- the thread ---- */

static pthread_key_t key; /* of a thread's lw__fault_thread; there before the handlers */
static pthread_once_t key_once = PTHREAD_ONCE_INIT;
static bool has_key;

static void make_key(void)
{
    has_key = pthread_key_create(&key, NULL) == 0;
}

bool lw__fault_key(void)
{
    pthread_once(&key_once, make_key);
    return has_key;
}

bool lw__fault_thread_set(struct lw__fault_thread *thread)
{
    return !pthread_setspecific(key, thread);
}

struct lw__fault_thread *lw__fault_this_thread(void)
{
    return has_key ? pthread_getspecific(key) : NULL;
}

/* ---- kernel code and the library ---- */

static void *below(void *frame)
{
    return (char *)frame - LW_STACK_FRAME;
}

static bool is_cancelled(const struct lw__fault_thread *thread)
{
    const atomic_bool *cancelled = atomic_load_explicit(&thread->launch, memory_order_relaxed);

    return cancelled && atomic_load_explicit(cancelled, memory_order_relaxed);
}

bool lw__fault_call(struct lw__fault_thread *thread, const struct lw__call *call, uint64_t *result,
                    struct lw__fault *fault)
{
    void *const before = thread->frame;
    struct lw__trap trap; /* of which only the first two are read if there is no fault */

    assert(!thread->trap && thread->stack.top);
    if (is_cancelled(thread)) {
        *fault = (struct lw__fault){.is_cancelled = true};
        return false;
    }
    trap.frame = NULL;
    trap.is_hit = false;
    thread->trap = &trap;
    *result = lw__stack_switch(before ? below(before) : thread->stack.top, &trap.frame, call);
    thread->trap = NULL;
    thread->frame = before;
    if (trap.is_hit)
        *fault = trap.fault;
    return !trap.is_hit;
}

void lw__trap_cancel(struct lw__trap *trap)
{
    trap->fault = (struct lw__fault){.is_cancelled = true};
    trap->is_hit = true;
}

uint64_t lw__fault_outside(const struct lw__call *call)
{
    struct lw__fault_thread *const thread = pthread_getspecific(key);
    struct lw__trap *const trap = thread->trap;
    void *const before = thread->frame;

    assert(trap->frame && !trap->is_hit);
    thread->trap = NULL;
    uint64_t result = lw__stack_switch(below(trap->frame), &thread->frame, call);
    thread->frame = before;
    if (is_cancelled(thread)) {
        lw__trap_cancel(trap);
        lw__stack_leave(trap->frame);
    }
    thread->trap = trap;
    return result;
}

/* ---- for handlers ---- */

void lw__signal_hand_on(struct sigaction *to, int signal, siginfo_t *info, void *context)
{
    const struct sigaction action = *to;

    if (action.sa_flags & (int)SA_RESETHAND)
        *to = (struct sigaction){.sa_handler = SIG_DFL};
    pthread_sigmask(SIG_BLOCK, &action.sa_mask, NULL);
    sigset_t own;
    if (action.sa_flags & SA_NODEFER) {
        sigemptyset(&own);
        sigaddset(&own, signal);
        pthread_sigmask(SIG_UNBLOCK, &own, NULL);
    }
    if (action.sa_flags & SA_SIGINFO)
        action.sa_sigaction(signal, info, context);
    else
        action.sa_handler(signal);
}
