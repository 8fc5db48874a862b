/* compact.c - the elements whose mask is set, on processors; see compact.inc.
 *
 * launch   any number of threads
 * idea     one thread stores each element of a line and keeps a set one by moving on, which takes
 *          no branch
 */
#include "compact.h"

enum { LINE = 1024, AHEAD = 4096 };

#define KEEP(T)                                                                                    \
    DEVICE static size_t keep_one_##T(T *to, size_t most, const T *from, ptrdiff_t step,           \
                                      const uint8_t *flags, size_t line)                           \
    {                                                                                              \
        T *const first = to, *const end = to + most;                                               \
        size_t j = 0;                                                                              \
                                                                                                   \
        if (step == 1 && line < most)                                                              \
            for (; j + 8 <= line; j += 8) {                                                        \
                _Pragma("unroll") for (size_t k = 0; k < 8; k++)                                   \
                {                                                                                  \
                    *to = from[j + k];                                                             \
                    to += flags[j + k];                                                            \
                }                                                                                  \
            }                                                                                      \
        for (; j < line && to < end; j++) {                                                        \
            *to = from[(ptrdiff_t)j * step];                                                       \
            to += flags[j];                                                                        \
        }                                                                                          \
        return (size_t)(to - first);                                                               \
    }                                                                                              \
    DEVICE static void keep_##T(T *to, size_t most, const T *from, ptrdiff_t step,                 \
                                const uint8_t *flags, size_t line, size_t *kept)                   \
    {                                                                                              \
        if (thread_idx.x == 0)                                                                     \
            *kept = keep_one_##T(to, most, from, step, flags, line);                               \
    }
WIDTHS(KEEP)
#undef KEEP
#include "compact.inc"
