/* child.c - start a program with the descriptors that it shall have, and no others. */
#include "base/child.h"
#include <assert.h>
#include <fcntl.h>
#include <signal.h>
#include <spawn.h>
#include <unistd.h>

extern char **environ;

enum { FIRST = 3 };

static int set_descriptors(posix_spawn_file_actions_t *actions, const int *files, size_t count,
                           int said)
{
    assert(said >= FIRST);
    int e = posix_spawn_file_actions_addopen(actions, STDIN_FILENO, "/dev/null", O_RDONLY, 0);
    if (!e)
        e = posix_spawn_file_actions_adddup2(actions, said, STDOUT_FILENO);
    if (!e)
        e = posix_spawn_file_actions_adddup2(actions, said, STDERR_FILENO);
    for (size_t i = 0; i < count && !e; i++) {
        assert(files[i] < 0 || files[i] >= FIRST + (int)i); /* none has taken its place */
        e = files[i] >= 0 ? posix_spawn_file_actions_adddup2(actions, files[i], FIRST + (int)i)
                          : posix_spawn_file_actions_addclose(actions, FIRST + (int)i);
    }
    return e ? e : posix_spawn_file_actions_addclosefrom_np(actions, FIRST + (int)count);
}

/* No signal blocked, none ignored: the host's habits are not the child's. */
static int set_signals(posix_spawnattr_t *attributes)
{
    sigset_t none, all;
    sigemptyset(&none);
    sigfillset(&all);
    int e = posix_spawnattr_setsigmask(attributes, &none);
    if (!e)
        e = posix_spawnattr_setsigdefault(attributes, &all);
    if (!e)
        e = posix_spawnattr_setflags(attributes, POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETSIGDEF);
    return e;
}

int lw__child_start(const char *program, char *const *words, const int *files, size_t count,
                    int said, pid_t *pid)
{
    posix_spawn_file_actions_t actions;
    int e = posix_spawn_file_actions_init(&actions);
    if (e)
        return e;
    posix_spawnattr_t attributes;
    e = posix_spawnattr_init(&attributes);
    if (!e) {
        e = set_descriptors(&actions, files, count, said);
        if (!e)
            e = set_signals(&attributes);
        if (!e)
            e = posix_spawn(pid, program, &actions, &attributes, words, environ);
        posix_spawnattr_destroy(&attributes);
    }
    posix_spawn_file_actions_destroy(&actions);
    return e;
}
