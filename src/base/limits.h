/* limits.h - what lanewise-compile may take, and how one says that it took more.
 */
#ifndef LW_LIMITS_H
#define LW_LIMITS_H
#include "base/manifest.h"
#include <signal.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/wait.h>

/* Seconds that lanewise-compile may take, and each process that it starts: of processor time, which
 * SIGXCPU ends; by the clock, which SIGALRM ends. A clang may have LW_COMPILE_MEMORY bytes. */
enum { LW_COMPILE_SECONDS = 60, LW_COMPILE_CLOCK_SECONDS = 600 };
#define LW_COMPILE_MEMORY ((uint64_t)4 << 30)
/* With less than this the system may not even load it: its file has some 80 MB. */
#define LW_COMPILE_LEAST_MEMORY ((uint64_t)256 << 20)

/* The limit that a process met, which this signal has ended; NULL: none. */
static inline const char *lw__limit_of(int signal)
{
    _Static_assert(LW_COMPILE_SECONDS == 60 && LW_COMPILE_CLOCK_SECONDS == 600, "the texts below");
    return signal == SIGXCPU   ? "60 s of processor time"
           : signal == SIGALRM ? "600 s by the clock"
                               : NULL;
}
/* True if a program that ended early says that memory was short: LLVM, C++, the loader. */
static inline bool lw__lacked_memory(const char *said)
{
    return strstr(said, "LLVM ERROR: out of memory") || strstr(said, "std::bad_alloc") ||
           (strstr(said, "error while loading shared libraries") &&
            (strstr(said, "failed to map segment") || strstr(said, "annot allocate memory")));
}

/* True if lanewise-compile, of which wait() tells this, had too little memory. said: what it wrote
 * to standard error, or NULL. The system ends a program that it cannot load by a signal. */
static inline bool lw__compiler_lacked_memory(int wait_status, const char *said)
{
    const bool is_silent = !said || !*said;
    struct rlimit most;
    if (WIFSIGNALED(wait_status) && WTERMSIG(wait_status) == SIGSEGV && is_silent)
        return !getrlimit(RLIMIT_AS, &most) && most.rlim_cur < LW_COMPILE_LEAST_MEMORY;
    return (WIFEXITED(wait_status) && WEXITSTATUS(wait_status) == LW_EXIT_MEMORY) ||
           (!is_silent && lw__lacked_memory(said));
}
#endif
