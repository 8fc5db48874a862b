/* amx.c - may this process use AMX's tiles? The processor must have them for bfloat16 numbers, and
 * the system must be asked before their first use: it enlarges what a thread's registers take.
 */
#include "run/cpu/cpu.h"
#include <pthread.h>

#if defined(__x86_64__)
#include <cpuid.h>
#include <sys/syscall.h>
#include <unistd.h>

enum {
    BF16 = 1 << 22, /* edx of leaf 7 */
    TILE = 1 << 24,
    REQUEST_PERMISSION = 0x1023, /* ARCH_REQ_XCOMP_PERM */
    TILE_DATA = 18,              /* of the processor's extended states */
};

static bool is_permitted;

static void ask(void)
{
    unsigned a, b, c, d;

    is_permitted = __get_cpuid_count(7, 0, &a, &b, &c, &d) && d & BF16 && d & TILE &&
                   !syscall(SYS_arch_prctl, REQUEST_PERMISSION, TILE_DATA);
}

bool lw__cpu_may_use_amx(const struct lw__level *level)
{
    static pthread_once_t once = PTHREAD_ONCE_INIT;

    if (level->vector_bits < 512)
        return false;
    pthread_once(&once, ask);
    return is_permitted;
}
#else
bool lw__cpu_may_use_amx(const struct lw__level *level)
{
    (void)level;
    return false;
}
#endif
