/* faults_host.c - what a host sees of lw_trap_faults: its own faults go where they went before, a
 * kernel's come back as errors in every thread and whatever handler came later; buffers end at a
 * guard page; nothing of a thread's state changes.
 */
#include "robust.h"
#include <fenv.h>
#include <pthread.h>
#include <setjmp.h>
#include <signal.h>
#include <stdint.h>
#include <sys/mman.h>
#include <sys/wait.h>

enum { COUNT = 1024 };

#define SOURCE                                                                                     \
    "#include <lanewise/kernel.h>\n"                                                               \
    "KERNEL void copy(float *out, const float *a)\n"                                               \
    "{\n"                                                                                          \
    "    out[global_idx.x] = a[global_idx.x];\n"                                                   \
    "}\n"

static lw_device *device;
static lw_program *program;

/* Blocks of 256 threads: four are right, more go too far. */
static lw_status copy(uint32_t blocks)
{
    lw_stream *stream;
    WORKS(lw_stream_create(device, &stream));
    lw_buffer *out;
    WORKS(lw_buffer_create(device, LW_F32, COUNT, &out));
    lw_buffer *a;
    WORKS(lw_buffer_create(device, LW_F32, COUNT, &a));
    lw_kernel *kernel;
    WORKS(lw_program_kernel(program, "copy", &kernel));
    WORKS(LW_LAUNCH(stream, kernel, blocks, 256, out, a));
    lw_status status = lw_stream_wait(stream);
    lw_stream_destroy(stream);
    lw_buffer_destroy(out);
    lw_buffer_destroy(a);
    return status;
}

/* ---- the host's own faults ---- */

static sigjmp_buf back;
static volatile sig_atomic_t seen;
static volatile char *nothing; /* a page that nobody can touch */

static void on_signal(int signal)
{
    seen = signal;
    siglongjmp(back, 1);
}

/* Does the access fault? */
static bool faults(volatile char *at)
{
    seen = 0;
    if (sigsetjmp(back, 1) == 0)
        *at = *at;
    return seen == SIGSEGV;
}

static void own_faults(void)
{
    CHECK(faults(nothing));
    CHECK(copy(5) == LW_E_LAUNCH);
    CHECK(faults(nothing));
    CHECK(copy(4) == LW_OK);
}

static void guarded(void)
{
    static const size_t counts[] = {4095, 4096, 4097, 5000, 8192, 100001, 5000000};
    for (size_t i = 0; i < sizeof counts / sizeof *counts; i++) {
        const size_t count = counts[i], page = (size_t)sysconf(_SC_PAGESIZE);
        lw_buffer *buffer;
        WORKS(lw_buffer_create(device, LW_U8, count, &buffer));
        void *memory;
        WORKS(lw_buffer_map(buffer, &memory));
        char *begin = memory, *end = begin + (count + 63) / 64 * 64;
        CHECK((uintptr_t)begin % 64 == 0);
        CHECK(!faults(begin) && !faults(begin + count - 1));
        for (size_t k = 0; k < count; k += 997)
            CHECK(begin[k] == 0);
        if (count >= 4096) {
            CHECK((uintptr_t)end % page == 0 && faults(end) && faults(end + 100000));
            CHECK(faults(begin - page) && faults(begin - 100000));
        }
        WORKS(lw_buffer_unmap(buffer));
        lw_buffer_destroy(buffer);
    }
}

/* Of 20,000 buffers those beyond 8192 have no guard pages, and all work. */
static void many(void)
{
    enum { MANY = 20000 };
    static lw_buffer *buffers[MANY];
    for (int i = 0; i < MANY; i++)
        WORKS(lw_buffer_create(device, LW_U8, 4096, &buffers[i]));
    CHECK(copy(4) == LW_OK);
    for (int i = 0; i < MANY; i++)
        lw_buffer_destroy(buffers[i]);
    CHECK(copy(5) == LW_E_LAUNCH);
}

/* ---- children: how does one end that does this? ---- */

static int ends(void (*act)(void))
{
    int status = 0;
    fflush(stdout);
    pid_t child = fork();
    if (child == 0) {
        act();
        _exit(0);
    }
    waitpid(child, &status, 0);
    return status;
}

static void touch_nothing(void)
{
    *nothing = 1;
}

static void kill_self(void)
{
    kill(getpid(), SIGSEGV);
}

static void raise_bus(void)
{
    raise(SIGBUS);
}

static void by_default(void (*act)(void))
{
    signal(SIGSEGV, SIG_DFL);
    signal(SIGBUS, SIG_DFL);
    WORKS(lw_trap_faults());
    act();
}

static void default_fault(void)
{
    by_default(touch_nothing);
}

static void default_kill(void)
{
    by_default(kill_self);
}

static void default_bus(void)
{
    by_default(raise_bus);
}

static void ignored_kill(void)
{
    signal(SIGSEGV, SIG_IGN);
    WORKS(lw_trap_faults());
    kill_self();
}

/* Before any other use of the library in this process: each child installs the handler anew. */
static void children(void)
{
    int status = ends(default_fault);
    CHECK(WIFSIGNALED(status) && WTERMSIG(status) == SIGSEGV);
    status = ends(default_kill);
    CHECK(WIFSIGNALED(status) && WTERMSIG(status) == SIGSEGV);
    status = ends(default_bus);
    CHECK(WIFSIGNALED(status) && WTERMSIG(status) == SIGBUS);
    CHECK(ends(ignored_kill) == 0);
}

/* ---- later handlers, threads ---- */

static struct sigaction ours;

/* As Python's faulthandler: puts back what was there, and raises the signal again. */
static void on_later(int signal)
{
    seen = signal;
    sigaction(signal, &ours, NULL);
    raise(signal);
}

static void later_handler(void)
{
    struct sigaction later = {.sa_handler = on_later, .sa_flags = SA_NODEFER};
    sigemptyset(&later.sa_mask);
    seen = 0;
    sigaction(SIGSEGV, &later, &ours);
    CHECK(copy(5) == LW_E_LAUNCH && strstr(lw_last_error(), "outside its buffers"));
    CHECK(seen == SIGSEGV);
    CHECK(copy(5) == LW_E_LAUNCH && copy(4) == LW_OK);
}

static void *in_thread(void *unused)
{
    static const int modes[] = {FE_UPWARD, FE_TOWARDZERO};
    sigset_t all;
    sigfillset(&all);
    pthread_sigmask(SIG_SETMASK, &all, NULL);
    for (int i = 0; i < 20; i++) {
        fesetround(modes[i % 2]);
        CHECK(copy(5) == LW_E_LAUNCH);
        CHECK(fegetround() == modes[i % 2]);
        CHECK(copy(4) == LW_OK);
    }
    sigset_t after;
    pthread_sigmask(SIG_SETMASK, NULL, &after);
    CHECK(sigismember(&after, SIGUSR1) && sigismember(&after, SIGINT));
    return unused;
}

static void threads(void)
{
    for (int i = 0; i < 20; i++) {
        pthread_t thread;
        CHECK(pthread_create(&thread, NULL, in_thread, NULL) == 0);
        pthread_join(thread, NULL);
    }
}

int main(void)
{
    lw_build_options options = {.source = SOURCE};
    struct sigaction own = {.sa_handler = on_signal};
    setenv("LANEWISE_BOUNDS", "0", 1);
    setenv("LANEWISE_GUARD", "some", 1);
    CHECK(lw_trap_faults() == LW_E_ARG && strstr(lw_last_error(), "LANEWISE_GUARD is 'some'"));
    unsetenv("LANEWISE_GUARD");
    nothing = mmap(NULL, 1, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    children();
    sigemptyset(&own.sa_mask);
    sigaction(SIGSEGV, &own, NULL);
    device = open_device("cpu");
    WORKS(lw_program_build(device, "copy.c", &options, &program));
    if (!program)
        return 1;
    WORKS(lw_trap_faults());
    own_faults();
    guarded();
    many();
    threads();
    later_handler();
    lw_program_destroy(program);
    lw_device_close(device);
    return failures != 0;
}
