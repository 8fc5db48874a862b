/* stop.c - the threads of a cancelled launch are taken out of kernel code.
 *
 * lw_stream_cancel sets the launch's flag, which the library reads before each call of kernel code
 * and after each call back. A thread that stays in kernel code gets LW_STOP_SIGNAL. Its handler
 * leaves the call (call.c). It may come at any instruction; so it leaves
 * only where nothing is lost:
 * - The thread is on its stack for kernels, hence in no function of the library that matters.
 * - It is in the code of the kernel itself, which holds no locks. A worker may also be in memcpy or
 *   fma, which that calls, but not on the way there, in the dynamic linker. In a thread of the host
 *   such code may be that of a handler, which has interrupted the kernel.
 * Elsewhere the signal does nothing, and the next one comes a millisecond later.
 *
 * The handler is set by the first cancel that finds a thread in a launch.
 */
#include "run/threads/threads.h"
#include <assert.h>
#include <link.h>
#include <sys/auxv.h>

static struct lw__fault_thread *threads; /* locked */

/* Fixed before the handler is there. */
static struct sigaction previous;
static struct segment {
    uintptr_t low, high;
} linker;
static const char ours; /* its address comes with our signals */

/* ---- the handler ---- */

static bool has(uintptr_t low, uintptr_t high, uintptr_t address)
{
    return address >= low && address < high;
}

static bool can_leave(struct lw__fault_thread *t, const ucontext_t *context)
{
    const uintptr_t pc = lw__stack_pc(context), sp = lw__stack_sp(context);

    /* A function that pushes nothing, not even where it returns to, leaves sp at the top. */
    if (!t->trap || !t->trap->frame ||
        !has((uintptr_t)t->stack.low, (uintptr_t)t->stack.top + 1, sp))
        return false;
    return has(atomic_load(&t->low), atomic_load(&t->high), pc) ||
           (t->is_worker && !has(linker.low, linker.high, pc));
}

static void on_stop(int signal, siginfo_t *info, void *context)
{
    if (info->si_code != SI_QUEUE || info->si_value.sival_ptr != &ours) {
        if (previous.sa_handler != SIG_DFL && previous.sa_handler != SIG_IGN)
            lw__signal_hand_on(&previous, signal, info, context);
        return;
    }
    struct lw__fault_thread *t = lw__fault_this_thread();
    const atomic_bool *cancelled = t ? atomic_load(&t->launch) : NULL;
    if (!cancelled || !atomic_load(cancelled) || !can_leave(t, context))
        return;
    struct lw__trap *trap = t->trap;
    lw__trap_cancel(trap);
    t->trap = NULL;
    lw__stack_go_on(context, trap->frame);
}

/* ---- segments of code ---- */

struct search {
    uintptr_t address;
    struct segment found; /* all zero: none yet */
};

static int look_at(struct dl_phdr_info *object, size_t bytes, void *argument)
{
    struct search *s = argument;

    (void)bytes;
    for (int i = 0; i < object->dlpi_phnum; i++) {
        const ElfW(Phdr) *part = &object->dlpi_phdr[i];
        const uintptr_t low = object->dlpi_addr + part->p_vaddr, high = low + part->p_memsz;

        if (part->p_type != PT_LOAD || !(part->p_flags & PF_X))
            continue;
        /* An object is also named by where it begins. */
        if (!has(low, high, s->address) && s->address != object->dlpi_addr)
            continue;
        s->found = (struct segment){low, high};
        return 1;
    }
    return 0;
}

static struct segment find_segment(uintptr_t address)
{
    struct search s = {.address = address};

    if (address)
        dl_iterate_phdr(look_at, &s);
    return s.found;
}

/* ---- stopping: all locked ---- */

static bool install(void)
{
    static bool is_there; /* locked */
    struct sigaction action = {.sa_sigaction = on_stop,
                               .sa_flags = SA_SIGINFO | SA_ONSTACK | SA_RESTART};

    if (is_there)
        return true;
    sigemptyset(&action.sa_mask);
    linker = find_segment(getauxval(AT_BASE));
    is_there =
        !sigaction(LW_STOP_SIGNAL, NULL, &previous) && !sigaction(LW_STOP_SIGNAL, &action, NULL);
    return is_there;
}

size_t lw__stop_send(const atomic_bool *cancelled)
{
    size_t count = 0;

    assert(lw__is_locked());
    for (struct lw__fault_thread *t = threads; t; t = t->next) {
        if (atomic_load(&t->launch) != cancelled)
            continue;
        count++;
        if (install()) {
            const struct segment code = find_segment((uintptr_t)atomic_load(&t->entry));

            atomic_store(&t->low, code.low);
            atomic_store(&t->high, code.high);
            pthread_sigqueue(t->thread, LW_STOP_SIGNAL, (union sigval){.sival_ptr = (void *)&ours});
        }
    }
    return count;
}

/* ---- threads ---- */

void lw__stop_begin(struct lw__fault_thread *thread, const atomic_bool *cancelled,
                    const void *entry)
{
    assert(!atomic_load(&thread->launch)); /* a thread takes part in one at a time */
    atomic_store_explicit(&thread->entry, entry, memory_order_relaxed);
    atomic_store_explicit(&thread->launch, cancelled, memory_order_release);
}

void lw__stop_end(struct lw__fault_thread *thread)
{
    assert(atomic_load(&thread->launch) && !thread->trap);
    atomic_store_explicit(&thread->launch, NULL, memory_order_release);
}

void lw__stop_list(struct lw__fault_thread *thread)
{
    lw__lock();
    thread->thread = pthread_self();
    thread->is_worker = lw__pool_has(thread->thread);
    thread->previous = NULL;
    thread->next = threads;
    if (threads)
        threads->previous = thread;
    threads = thread;
    lw__unlock();
}

void lw__stop_unlist(struct lw__fault_thread *thread)
{
    lw__lock();
    if (thread->next)
        thread->next->previous = thread->previous;
    if (thread->previous)
        thread->previous->next = thread->next;
    else if (threads == thread)
        threads = thread->next;
    lw__unlock();
}

/* Only the thread that forked is there. */
void lw__stop_after_fork(void)
{
    struct lw__fault_thread *t = lw__fault_this_thread();

    threads = t;
    if (t)
        t->next = t->previous = NULL;
}
