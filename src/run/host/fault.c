/* fault.c - lw_trap_faults: a fault of kernel code ends the call of it, and nothing else.
 *
 * lw__stack_switch calls kernel code: it saves the address of its own frame and switches to the
 * thread's stack for kernels. On a fault the handler continues the thread at the end of
 * lw__stack_switch, with that frame: the call returns, and the rest of the kernel code is skipped.
 * No frame of the library is skipped, so the library leaves nothing undone. Kernel code that
 * overruns its arrays finds no frame of the library on its stack.
 *
 * A thread's lw__fault_thread says if it is in kernel code. The handler may run in any thread at
 * any place. It uses pthread_getspecific, which only reads in glibc; a thread-local variable may
 * allocate memory first.
 */
#include "run/host/fault.h"
#include "run/host/host.h"
#include <pthread.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <ucontext.h>
#include <unistd.h>

enum {
    STACK_BYTES = 8 << 20,         /* as threads have */
    FRAME_MAX = 1 << 20,           /* of kernel code: none is larger */
    SIGNAL_STACK_BYTES = 64 << 10, /* for handlers that come later than ours, too */
    FRAME_BYTES = 256,             /* of lw__stack_switch, below the frame that it notes */
    GUARDED_BYTES = 4096,          /* of buffers, from which on they are guarded */
};

/* ---- another stack ---- */

/* lw__stack_switch - call on the stack that ends at `stack`; *frame is first set to where this
 * call's own frame is. lw__stack_return - its end, for whom the frame register has that again. The
 * stack pointer is moved down before it leaves, so that valgrind takes FRAME_BYTES for in use. */
uint64_t lw__stack_switch(void *stack, void *volatile *frame, const struct lw__call *call);
void lw__stack_return(void);

#if defined(__aarch64__)
__asm__(".text\n"
        ".hidden lw__stack_switch, lw__stack_return\n"
        ".globl lw__stack_switch, lw__stack_return\n"
        ".type lw__stack_switch, %function\n"
        ".p2align 4\n"
        "lw__stack_switch:\n"
        "    .cfi_startproc\n"
        "    stp x29, x30, [sp, #-160]!\n"
        "    .cfi_def_cfa_offset 160\n"
        "    .cfi_offset 29, -160\n"
        "    .cfi_offset 30, -152\n"
        "    mov x29, sp\n"
        "    .cfi_def_cfa_register 29\n"
        "    stp x19, x20, [x29, #16]\n"
        "    stp x21, x22, [x29, #32]\n"
        "    stp x23, x24, [x29, #48]\n"
        "    stp x25, x26, [x29, #64]\n"
        "    stp x27, x28, [x29, #80]\n"
        "    stp d8, d9, [x29, #96]\n"
        "    stp d10, d11, [x29, #112]\n"
        "    stp d12, d13, [x29, #128]\n"
        "    stp d14, d15, [x29, #144]\n"
        "    sub sp, sp, #320\n"
        "    str x29, [x1]\n"
        "    mov sp, x0\n"
        "    mov x8, x2\n"
        "    ldr x9, [x8]\n"
        "    ldp x0, x1, [x8, #8]\n"
        "    ldp x2, x3, [x8, #24]\n"
        "    ldp x4, x5, [x8, #40]\n"
        "    blr x9\n"
        "lw__stack_return:\n"
        "    mov sp, x29\n"
        "    ldp x19, x20, [x29, #16]\n"
        "    ldp x21, x22, [x29, #32]\n"
        "    ldp x23, x24, [x29, #48]\n"
        "    ldp x25, x26, [x29, #64]\n"
        "    ldp x27, x28, [x29, #80]\n"
        "    ldp d8, d9, [x29, #96]\n"
        "    ldp d10, d11, [x29, #112]\n"
        "    ldp d12, d13, [x29, #128]\n"
        "    ldp d14, d15, [x29, #144]\n"
        "    ldp x29, x30, [sp], #160\n"
        "    .cfi_def_cfa 31, 0\n"
        "    ret\n"
        "    .cfi_endproc\n"
        ".size lw__stack_switch, . - lw__stack_switch\n");
#else
__asm__(".text\n"
        ".hidden lw__stack_switch, lw__stack_return\n"
        ".globl lw__stack_switch, lw__stack_return\n"
        ".type lw__stack_switch, @function\n"
        ".p2align 4\n"
        "lw__stack_switch:\n"
        "    .cfi_startproc\n"
        "    pushq %rbp\n"
        "    .cfi_def_cfa_offset 16\n"
        "    .cfi_offset 6, -16\n"
        "    movq %rsp, %rbp\n"
        "    .cfi_def_cfa_register 6\n"
        "    pushq %rbx\n"
        "    pushq %r12\n"
        "    pushq %r13\n"
        "    pushq %r14\n"
        "    pushq %r15\n"
        "    subq $280, %rsp\n"
        "    movq %rbp, (%rsi)\n"
        "    movq %rdi, %rsp\n"
        "    movq %rdx, %rax\n"
        "    movq 8(%rax), %rdi\n"
        "    movq 16(%rax), %rsi\n"
        "    movq 24(%rax), %rdx\n"
        "    movq 32(%rax), %rcx\n"
        "    movq 40(%rax), %r8\n"
        "    movq 48(%rax), %r9\n"
        "    callq *(%rax)\n"
        "lw__stack_return:\n"
        "    leaq -40(%rbp), %rsp\n"
        "    popq %r15\n"
        "    popq %r14\n"
        "    popq %r13\n"
        "    popq %r12\n"
        "    popq %rbx\n"
        "    popq %rbp\n"
        "    .cfi_def_cfa 7, 8\n"
        "    retq\n"
        "    .cfi_endproc\n"
        ".size lw__stack_switch, . - lw__stack_switch\n");
#endif

static uintptr_t pc_of(const ucontext_t *context)
{
#if defined(__aarch64__)
    return (uintptr_t)context->uc_mcontext.pc;
#else
    return (uintptr_t)context->uc_mcontext.gregs[REG_RIP];
#endif
}

static uintptr_t sp_of(const ucontext_t *context)
{
#if defined(__aarch64__)
    return (uintptr_t)context->uc_mcontext.sp;
#else
    return (uintptr_t)context->uc_mcontext.gregs[REG_RSP];
#endif
}

/* The thread goes on at the end of the lw__stack_switch with this frame. */
static void go_on(ucontext_t *context, const char *frame)
{
#if defined(__aarch64__)
    context->uc_mcontext.pc = (uintptr_t)lw__stack_return;
    context->uc_mcontext.sp = (uintptr_t)frame;
    context->uc_mcontext.regs[29] = (uintptr_t)frame;
#else
    enum { DIRECTION = 0x400 };

    context->uc_mcontext.gregs[REG_RIP] = (greg_t)(uintptr_t)lw__stack_return;
    context->uc_mcontext.gregs[REG_RSP] = (greg_t)(uintptr_t)(frame - FRAME_BYTES);
    context->uc_mcontext.gregs[REG_RBP] = (greg_t)(uintptr_t)frame;
    context->uc_mcontext.gregs[REG_EFL] &= ~DIRECTION;
#endif
}

/* ---- kernel code and the library ---- */

/* One call of kernel code. */
struct lw__trap {
    void *volatile frame; /* of its lw__stack_switch, on the library's stack */
    volatile bool is_hit;
    struct lw__fault fault;
};

static pthread_key_t key; /* of a thread's lw__fault_thread; there before the handler */

static void *below(void *frame)
{
    return (char *)frame - FRAME_BYTES;
}

bool lw__fault_call(struct lw__fault_thread *thread, const struct lw__call *call, uint64_t *result,
                    struct lw__fault *fault)
{
    void *const before = thread->frame;
    struct lw__trap trap; /* of which only this is read if there is no fault */

    trap.is_hit = false;
    thread->trap = &trap;
    *result = lw__stack_switch(before ? below(before) : thread->stack.top, &trap.frame, call);
    thread->trap = NULL;
    thread->frame = before;
    if (trap.is_hit)
        *fault = trap.fault;
    return !trap.is_hit;
}

uint64_t lw__fault_outside(const struct lw__call *call)
{
    struct lw__fault_thread *const thread = pthread_getspecific(key);
    struct lw__trap *const trap = thread->trap;
    void *const before = thread->frame;
    uint64_t result;

    thread->trap = NULL;
    result = lw__stack_switch(below(trap->frame), &thread->frame, call);
    thread->frame = before;
    thread->trap = trap;
    return result;
}

/* ---- the handler ---- */

static const int signals[] = {SIGSEGV, SIGBUS};
enum { SIGNALS = sizeof signals / sizeof *signals };

static struct sigaction previous[SIGNALS]; /* fixed before the handler is there */

/* A signal that this thread raised comes from a handler that ran first and now passes it on. */
static bool is_fault(const siginfo_t *info)
{
    return info->si_code > 0 || (info->si_code == SI_TKILL && info->si_pid == getpid());
}

static void note(const struct lw__guarded *stack, struct lw__trap *trap, const siginfo_t *info,
                 const ucontext_t *context)
{
    const uintptr_t sp = sp_of(context), address = (uintptr_t)info->si_addr;
    const bool is_first = info->si_code > 0;
    const bool is_there = sp >= (uintptr_t)stack->low && sp < (uintptr_t)stack->top;
    size_t words = is_first && is_there ? ((uintptr_t)stack->top - sp) / sizeof(uintptr_t) : 0;

    words = words < LW_FAULT_WORDS ? words : LW_FAULT_WORDS;
    memset(&trap->fault, 0, sizeof trap->fault);
    memcpy(trap->fault.words, (const void *)sp, words * sizeof(uintptr_t));
    trap->fault.pc = is_first ? pc_of(context) : 0;
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

static void hand_on(int signal, siginfo_t *info, void *context)
{
    struct sigaction *p = &previous[signal == signals[0] ? 0 : 1];
    const struct sigaction action = *p;
    sigset_t own;

    if (action.sa_handler == SIG_DFL || action.sa_handler == SIG_IGN) {
        by_default(signal, info, action.sa_handler == SIG_IGN);
        return;
    }
    if (action.sa_flags & (int)SA_RESETHAND)
        *p = (struct sigaction){.sa_handler = SIG_DFL};
    pthread_sigmask(SIG_BLOCK, &action.sa_mask, NULL);
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

static void on_fault(int signal, siginfo_t *info, void *context)
{
    struct lw__fault_thread *const thread = pthread_getspecific(key);
    struct lw__trap *const trap = thread ? thread->trap : NULL;

    if (!trap || !is_fault(info)) {
        hand_on(signal, info, context);
        return;
    }
    note(&thread->stack, trap, info, context);
    thread->trap = NULL;
    go_on(context, trap->frame);
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

    if (pthread_key_create(&key, NULL))
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

/* A signal that a fault raises while it is blocked ends the process. */
static void unblock(void)
{
    sigset_t ours;

    sigemptyset(&ours);
    for (size_t i = 0; i < SIGNALS; i++)
        sigaddset(&ours, signals[i]);
    pthread_sigmask(SIG_UNBLOCK, &ours, NULL);
}

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
    if (thread->stack.map)
        return true;
    if (!lw__guard_create(STACK_BYTES, LW_GUARD_THREAD, LW_GUARDED_ALL, &thread->stack))
        return false;
    if (!set_signal_stack(&thread->signal_stack) || pthread_setspecific(key, thread)) {
        lw__fault_end(thread);
        return false;
    }
    unblock();
    return true;
}

void lw__fault_end(struct lw__fault_thread *thread)
{
    stack_t there;

    if (!thread->stack.map)
        return; /* nothing was prepared; maybe there is no key, and 0 is the key of another */
    if (thread->signal_stack.map && !sigaltstack(NULL, &there) &&
        there.ss_sp == thread->signal_stack.low)
        sigaltstack(&(stack_t){.ss_flags = SS_DISABLE}, NULL);
    pthread_setspecific(key, NULL);
    lw__guard_free(&thread->signal_stack);
    lw__guard_free(&thread->stack);
    *thread = (struct lw__fault_thread){0};
}
