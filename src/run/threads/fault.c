/* fault.c - faults of kernel code (lw_trap_faults), and how a thread gets ready to run it.
 *
 * The handler leaves the call of kernel code (call.c). A fault that is not a kernel's goes to the
 * handler that was there before.
 */
#include "run/threads/threads.h"
#include <assert.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum {
    STACK_BYTES = 8 << 20,         /* as threads have */
    FRAME_MAX = 1 << 20,           /* of kernel code: none is larger */
    SIGNAL_STACK_BYTES = 64 << 10, /* for handlers that come later than ours, too */
    GUARDED_BYTES = 4096,          /* of buffers, from which on they are guarded */
};

/* ---- the handler ---- */

static const int signals[] = {SIGSEGV, SIGBUS};
enum { SIGNALS = sizeof signals / sizeof *signals };

static struct sigaction previous[SIGNALS]; /* fixed before the handler is there */

static void note(const struct lw__guarded *stack, struct lw__trap *trap, const siginfo_t *info,
                 const ucontext_t *context)
{
    const uintptr_t sp = lw__stack_sp(context), address = (uintptr_t)info->si_addr;
    const bool is_first = info->si_code > 0;
    const bool is_there = sp >= (uintptr_t)stack->low && sp < (uintptr_t)stack->top;
    size_t words = is_first && is_there ? ((uintptr_t)stack->top - sp) / sizeof(uintptr_t) : 0;

    words = words < LW_FAULT_WORDS ? words : LW_FAULT_WORDS;
    memset(&trap->fault, 0, sizeof trap->fault);
    memcpy(trap->fault.words, (const void *)sp, words * sizeof(uintptr_t));
    trap->fault.pc = is_first ? lw__stack_pc(context) : 0;
    if (is_first && address >= (uintptr_t)stack->map && address < (uintptr_t)stack->low &&
        sp >= (uintptr_t)stack->map && sp < (uintptr_t)stack->low + FRAME_MAX)
        trap->fault.stack_bytes = (size_t)(stack->top - stack->low);
    trap->is_hit = true;
}

/* As if ours were not there. For what the thread itself has done, to return is to do it again. */
static void by_default(int signal, const siginfo_t *info, bool is_ignored)
{
    const struct sigaction action = {.sa_handler = SIG_DFL};

    if (is_ignored && info->si_code <= 0)
        return;
    sigaction(signal, &action, NULL);
    if (info->si_code <= 0)
        raise(signal);
}

static void on_fault(int signal, siginfo_t *info, void *context)
{
    struct lw__fault_thread *const thread = lw__fault_this_thread();
    struct lw__trap *const trap = thread ? thread->trap : NULL;

    /* A signal that this thread raised comes from a handler that ran before, and passes it on. */
    if (!trap || !(info->si_code > 0 || (info->si_code == SI_TKILL && info->si_pid == getpid()))) {
        struct sigaction *p = &previous[signal == signals[0] ? 0 : 1];

        if (p->sa_handler == SIG_DFL || p->sa_handler == SIG_IGN)
            by_default(signal, info, p->sa_handler == SIG_IGN);
        else
            lw__signal_hand_on(p, signal, info, context);
        return;
    }
    note(&thread->stack, trap, info, context);
    thread->trap = NULL;
    lw__stack_go_on(context, trap->frame);
}

/* ---- from when on ---- */

enum mode { OFF, LARGE, ALL }; /* which buffers are guarded */

static _Atomic(enum mode) mode;

bool lw__faults_trapped(void)
{
    return atomic_load_explicit(&mode, memory_order_acquire) != OFF;
}

bool lw__buffer_is_guarded(size_t bytes)
{
    const enum mode m = atomic_load_explicit(&mode, memory_order_relaxed);

    return (m == ALL && bytes > 0) || (m == LARGE && bytes >= GUARDED_BYTES);
}

/* Locked. */
static lw_status install(void)
{
    struct sigaction action = {.sa_sigaction = on_fault, .sa_flags = SA_SIGINFO | SA_ONSTACK};

    assert(lw__is_locked());
    if (!lw__fault_key())
        return lw__fail(LW_E_MEMORY, "out of memory: the key of threads that run kernels");
    sigemptyset(&action.sa_mask);
    for (size_t i = 0; i < SIGNALS; i++)
        if (sigaction(signals[i], NULL, &previous[i]) || sigaction(signals[i], &action, NULL))
            return lw__fail(LW_E_DEVICE, "no handler can be set for signal %d", signals[i]);
    return LW_OK;
}

lw_status lw_trap_faults(void)
{
    const char *word = getenv("LANEWISE_GUARD");
    const bool all = word && !strcmp(word, "all");
    lw_status status = LW_OK;

    if (word && *word && !all)
        return lw__fail(LW_E_ARG, "LANEWISE_GUARD is '%s'; need all, or nothing", word);
    lw__lock();
    if (!lw__faults_trapped())
        status = install();
    if (!status)
        atomic_store(&mode, all ? ALL : LARGE);
    lw__unlock();
    return status;
}

/* ---- threads ---- */

/* Where the thread has none: kernel code may have used up its own stack. */
static bool set_signal_stack(struct lw__guarded *g)
{
    stack_t there;

    if (sigaltstack(NULL, &there) || !(there.ss_flags & SS_DISABLE))
        return true;
    if (!lw__guard_create(SIGNAL_STACK_BYTES, 1, LW_GUARDED_ALL, g))
        return false;
    return !sigaltstack(&(stack_t){.ss_sp = g->low, .ss_size = (size_t)(g->top - g->low)}, NULL);
}

bool lw__fault_ready(struct lw__fault_thread *thread)
{
    const bool traps = lw__faults_trapped();

    if (thread->stack.map && thread->traps == traps)
        return true;
    lw__fault_end(thread);
    thread->traps = traps;
    if (!lw__fault_key() ||
        !lw__guard_create(STACK_BYTES, traps ? LW_GUARD_THREAD : 1, LW_GUARDED_ALL, &thread->stack))
        return false;
    if ((traps && !set_signal_stack(&thread->signal_stack)) || !lw__fault_thread_set(thread)) {
        lw__fault_end(thread);
        return false;
    }
    lw__stop_list(thread);
    sigset_t ours; /* a fault that is raised while it is blocked ends the process */
    sigemptyset(&ours);
    sigaddset(&ours, LW_STOP_SIGNAL);
    for (size_t i = 0; traps && i < SIGNALS; i++)
        sigaddset(&ours, signals[i]);
    pthread_sigmask(SIG_UNBLOCK, &ours, NULL);
    return true;
}

void lw__fault_end(struct lw__fault_thread *thread)
{
    if (!thread->stack.map)
        return;
    lw__stop_unlist(thread);
    stack_t there;
    if (thread->signal_stack.map && !sigaltstack(NULL, &there) &&
        there.ss_sp == thread->signal_stack.low)
        sigaltstack(&(stack_t){.ss_flags = SS_DISABLE}, NULL);
    (void)lw__fault_thread_set(NULL);
    lw__guard_free(&thread->signal_stack);
    lw__guard_free(&thread->stack);
    *thread = (struct lw__fault_thread){0};
}
