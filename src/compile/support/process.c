/* process.c - start clang: without a shell or temporary files, and with limits.
 *
 * A child's output goes to memory files. So nothing has to be read while it runs, and a full or
 * read-only disk does not matter. Some texts keep clang busy for ever or make it grow without
 * bound, so time, memory and stack are limited. A child that exceeds a limit ends like one that
 * crashed.
 */
#include "base/limits.h"
#include "base/manifest.h"
#include "compile/support/unit.h"
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

/* Stack: the kernel always keeps 128 MiB free below the main stack. */
static const rlim_t stack_bytes = (rlim_t)100 << 20;

/* The soft limit becomes `wanted` if it is higher (or, for is_raise, lower). A lower hard limit
 * wins. Limits that cannot be set stay the host's. */
static void limit(int resource, rlim_t wanted, bool is_raise)
{
    struct rlimit now;
    if (getrlimit(resource, &now))
        return;
    if (now.rlim_max != RLIM_INFINITY && wanted > now.rlim_max)
        wanted = now.rlim_max;
    bool is_higher = now.rlim_cur == RLIM_INFINITY || now.rlim_cur > wanted;
    if (is_higher == is_raise)
        return;
    now.rlim_cur = wanted;
    setrlimit(resource, &now);
}

void lw__process_limits(void)
{
    limit(RLIMIT_CPU, LW_COMPILE_SECONDS, false);
    limit(RLIMIT_STACK, stack_bytes, true);
    signal(SIGXFSZ, SIG_IGN); /* memory files have the limit of files, too: an error, not the end */
}

void lw__process_begin(void)
{
    alarm(LW_COMPILE_CLOCK_SECONDS);
}

/* The kernel sends it when the thread ends that started this process. All that start one wait for
 * it, so that is when their process ends. */
void lw__process_leave_none(void)
{
    prctl(PR_SET_PDEATHSIG, SIGKILL);
}

/* Only for children: sanitizers, which this program may be built with, need the whole address
 * space. */
static void limit_memory(pid_t pid)
{
    struct rlimit now;
    if (prlimit(pid, RLIMIT_AS, NULL, &now) || now.rlim_cur <= LW_COMPILE_MEMORY)
        return;
    now.rlim_cur = LW_COMPILE_MEMORY;
    prlimit(pid, RLIMIT_AS, &now, NULL);
}

int lw__memory_file(const char *name)
{
    return memfd_create(name, MFD_CLOEXEC);
}

/* file as number, and open in the program. */
static bool give(int file, int number)
{
    return file == number ? !fcntl(file, F_SETFD, 0) : dup2(file, number) >= 0;
}

/* In the child. Until it is another program its memory is the parent's: it calls the system only.
 * Returns why it is none. */
static int become(const struct lw__child *c, const struct lw__process *p)
{
    const int in = c->in < 0 ? open("/dev/null", O_RDONLY) : c->in;
    bool ok = give(in, 0) && give(p->out, 1) && give(p->err, 2);
    lw__process_leave_none();
    for (size_t i = 0; i < c->keep_count && ok; i++)
        ok = give(c->keep[i], 3 + (int)i);
    if (ok && c->run)
        _exit(c->run(c->words));
    if (ok)
        execvp(c->words[0], (char **)c->words);
    return errno;
}

/* posix_spawn cannot have the child end with its parent. What runs in this program gets memory of
 * its own. */
static int spawn(const struct lw__child *child, struct lw__process *process)
{
    volatile int error = 0;
    process->pid = child->run ? fork() : vfork();
    if (process->pid == 0) {
        error = become(child, process);
        _exit(127);
    }
    if (process->pid < 0)
        return errno;
    if (error)
        waitpid(process->pid, NULL, 0);
    return error;
}

int lw__process_start(const struct lw__child *child, struct lw__process *process)
{
    *process = (struct lw__process){.out = lw__memory_file("lanewise-out"),
                                    .err = lw__memory_file("lanewise-err")};
    if (process->out < 0 || process->err < 0) {
        lw__defect("no memory file for the output of %s: %s", child->words[0], strerror(errno));
        return -1;
    }
    const int e = spawn(child, process);
    if (!e)
        limit_memory(process->pid);
    return e;
}

bool lw__process_wait(struct lw__process *process, int *exit_code)
{
    int status;
    while (waitpid(process->pid, &status, 0) < 0)
        if (errno != EINTR)
            return lw__defect("lost a child process: %s", strerror(errno));
    *exit_code = WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
    return true;
}

bool lw__read_all(int fd, struct lw__text *text)
{
    char part[1 << 16];
    if (lseek(fd, 0, SEEK_SET) < 0)
        return lw__defect("a memory file cannot be rewound: %s", strerror(errno));
    for (;;) {
        ssize_t n = read(fd, part, sizeof part);
        if (n < 0 && errno != EINTR)
            return lw__defect("a memory file cannot be read: %s", strerror(errno));
        if (n == 0)
            return true;
        if (n > 0)
            lw__text_add_bytes(text, part, (size_t)n);
    }
}
