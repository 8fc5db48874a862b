/* process.c - start clang and the linker: no shell, no temporary files.
 *
 * What a child prints goes to memory files, so nothing has to be read while it runs and a full or
 * read-only disk does not matter.
 */
#include "compile/compile.h"
#include <errno.h>
#include <signal.h>
#include <spawn.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

extern char **environ;

int lw__memory_file(const char *name)
{
    return memfd_create(name, MFD_CLOEXEC);
}

static int duplicate(posix_spawn_file_actions_t *actions, const struct lw__process *p, int in,
                     const int *keep, size_t keep_count)
{
    int e = in < 0 ? posix_spawn_file_actions_addopen(actions, 0, "/dev/null", 0, 0)
                   : posix_spawn_file_actions_adddup2(actions, in, 0);
    if (!e)
        e = posix_spawn_file_actions_adddup2(actions, p->out, 1);
    if (!e)
        e = posix_spawn_file_actions_adddup2(actions, p->err, 2);
    for (size_t i = 0; i < keep_count && !e; i++)
        e = posix_spawn_file_actions_adddup2(actions, keep[i], 3 + (int)i);
    return e;
}

bool lw__process_start(const char *const *argv, int in, const int *keep, size_t keep_count,
                       struct lw__process *process)
{
    *process = (struct lw__process){.out = lw__memory_file("lanewise-out"),
                                    .err = lw__memory_file("lanewise-err")};
    if (process->out < 0 || process->err < 0)
        return lw__defect("no memory file for the output of %s: %s", argv[0], strerror(errno));
    posix_spawn_file_actions_t actions;
    int e = posix_spawn_file_actions_init(&actions);
    if (!e)
        e = duplicate(&actions, process, in, keep, keep_count);
    if (!e)
        e = posix_spawnp(&process->pid, argv[0], &actions, NULL, (char **)argv, environ);
    posix_spawn_file_actions_destroy(&actions);
    if (e)
        return lw__defect("%s cannot be started: %s; it must be installed and on PATH", argv[0],
                          strerror(e));
    return true;
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
            return !text->failed || lw__defect("out of memory");
        if (n > 0)
            lw__text_add_bytes(text, part, (size_t)n);
    }
}
