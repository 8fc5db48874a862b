/* limits.h - what lanewise-compile may take, and how one says that it took more.
 */
#ifndef LW_LIMITS_H
#define LW_LIMITS_H
#include <signal.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

/* Seconds that lanewise-compile may take, and each process that it starts: of processor time, which
 * SIGXCPU ends; by the clock, which SIGALRM ends. A clang may have LW_COMPILE_MEMORY bytes. */
enum { LW_COMPILE_SECONDS = 60, LW_COMPILE_CLOCK_SECONDS = 600 };
#define LW_COMPILE_MEMORY ((uint64_t)4 << 30)

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
#endif
