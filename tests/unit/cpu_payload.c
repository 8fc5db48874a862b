/* cpu_payload.c - a payload for `cpu` written by hand: the kernels of run_cpu.c, and as common
 * bitcode the rows that the fake compiler gives for one of them.
 */
#include "base/cpu_abi.h"
#include "base/proof_abi.h"
#include <sched.h>
#include <string.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>
#include <xmmintrin.h>

/* Nothing is left to prove: each launch runs the plain form. */
#define KERNEL(name)                                                                               \
    extern const struct lw_proofs name##_proofs __asm__("lw.proofs." #name);                       \
    const struct lw_proofs name##_proofs = {0};                                                    \
    lw_cpu_entry name __asm__("lw.cpu." #name);                                                    \
    uint32_t name(const struct lw_cpu_launch *launch, struct lw_cpu_worker *worker,                \
                  uint64_t first, uint64_t count)

/* Of every kernel here: void K(uint64_t *out, int64_t n). */
struct args {
    uint64_t *out;
    int64_t n;
};

extern const char common[] __asm__("lw.common");
extern const uint64_t common_bytes __asm__("lw.common.bytes");
const char common[] = "site\tk.c\t7\t3\tassert\nsite\tk.c\t9\t5\tbarrier\n";
const uint64_t common_bytes = sizeof common - 1;

/* The same of the guarded form, which only run_cuda.c and run_cuda_wrap.c ask for. */
extern const char guarded[] __asm__("lw.guarded");
extern const uint64_t guarded_bytes __asm__("lw.guarded.bytes");
const char guarded[] = "site\tk.c\t7\t3\taccess\n";
const uint64_t guarded_bytes = sizeof guarded - 1;

static struct args args_of(const struct lw_cpu_launch *launch)
{
    struct args a;

    memcpy(&a, launch->args, sizeof a);
    return a;
}

static void add(uint64_t *to, uint64_t n)
{
    __atomic_fetch_add(to, n, __ATOMIC_RELAXED);
}

/* Does nothing. */
KERNEL(empty) {
    (void)launch, (void)worker, (void)first, (void)count;
    return 0;
}

/* out[0]: blocks run. */
KERNEL(total) {
    (void)worker, (void)first;
    add(args_of(launch).out, count);
    return 0;
}

/* out[block]: how often it ran, and n is how many there are; out[n]: chunks out of order in one
 * thread; out[n + 1]: the launch's number. */
KERNEL(cover) {
    static _Thread_local uint64_t launch_seen, end_seen;
    struct args a = args_of(launch);

    (void)worker;
    if (launch_seen == a.out[a.n + 1] && first < end_seen)
        add(&a.out[a.n], 1);
    launch_seen = a.out[a.n + 1];
    end_seen = first + count;
    for (uint64_t b = first; b < first + count; b++)
        add(&a.out[b], 1);
    return 0;
}

/* Each block waits until the one below it is done: out[0] counts them. */
KERNEL(look_back) {
    uint64_t *done = args_of(launch).out;

    (void)worker;
    for (uint64_t b = first; b < first + count; b++) {
        while (__atomic_load_n(done, __ATOMIC_ACQUIRE) != b)
            sched_yield();
        __atomic_store_n(done, b + 1, __ATOMIC_RELEASE);
    }
    return 0;
}

/* Every block from n on fails. */
KERNEL(fails) {
    int64_t n = args_of(launch).n;

    for (uint64_t b = first; b < first + count; b++)
        if ((int64_t)b >= n) {
            worker->calls->assert_fail(worker, b, 3, "i < n", 0);
            return 1;
        }
    return 0;
}

/* Stops without a reason. */
KERNEL(stops) {
    (void)launch, (void)worker, (void)first, (void)count;
    return 1;
}

/* Of 8 threads 0 to 2 and 5 came, 7 returned. */
KERNEL(diverges) {
    const uint32_t arrived[] = {0x27}, live[] = {0x7f};

    (void)launch, (void)count;
    worker->calls->diverged(worker, first, 1, arrived, live);
    return 1;
}

/* A line a block. */
KERNEL(prints) {
    double half = 0.5;
    uint64_t slots[2];

    (void)launch;
    for (uint64_t b = first; b < first + count; b++) {
        slots[0] = b;
        memcpy(&slots[1], &half, sizeof half);
        worker->calls->print(worker, b, 1, "%d %.1f\n", 2, slots);
    }
    return 0;
}

/* out[0]: the first n bytes of block memory could not be written or lie where they must not. */
KERNEL(memory) {
    struct args a = args_of(launch);

    for (uint64_t b = first; b < first + count; b++) {
        if ((uintptr_t)worker->shared % LW_CPU_ALIGN)
            add(a.out, 1);
        memset(worker->shared, (int)b, (size_t)a.n);
    }
    return 0;
}

/* A frame of n bytes: out[0] if it lies where it must not. Its first and last byte are written. */
KERNEL(frame) {
    struct args a = args_of(launch);
    char *memory = worker->calls->frame(worker, (uint64_t)a.n);

    (void)first, (void)count;
    if (!memory)
        return 1;
    if ((uintptr_t)memory % LW_CPU_ALIGN || memory == worker->shared)
        add(a.out, 1);
    memory[0] = memory[a.n - 1] = 1;
    return 0;
}

/* out[0]: MXCSR, which it then spoils. */
KERNEL(floats) {
    (void)worker, (void)first, (void)count;
    __atomic_store_n(args_of(launch).out, _mm_getcsr(), __ATOMIC_RELAXED);
    _mm_setcsr(0x9fc0);
    return 0;
}

/* out[0]: the thread that ran it, after n microseconds. */
KERNEL(who) {
    struct args a = args_of(launch);

    (void)worker, (void)first, (void)count;
    if (a.n)
        nanosleep(&(struct timespec){.tv_nsec = (long)a.n * 1000}, NULL);
    __atomic_store_n(a.out, (uint64_t)syscall(SYS_gettid), __ATOMIC_RELAXED);
    return 0;
}

/* Blocks of a millisecond until out[0] is set; n not 0: set it. out[1]: has it begun? */
KERNEL(until) {
    struct args a = args_of(launch);

    (void)worker;
    __atomic_store_n(&a.out[1], 1, __ATOMIC_RELAXED);
    if (a.n)
        __atomic_store_n(a.out, 1, __ATOMIC_RELAXED);
    for (uint64_t b = first; b < first + count; b++)
        if (!__atomic_load_n(a.out, __ATOMIC_RELAXED))
            nanosleep(&(struct timespec){.tv_nsec = 1000000}, NULL);
    return 0;
}
