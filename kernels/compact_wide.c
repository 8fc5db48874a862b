/* compact_wide.c - the elements whose mask is set, on processors that pack the lanes of a vector by
 * one instruction; see compact.inc.
 *
 * launch   a warp
 * idea     a lane's place counts the set lanes below it: the compiler packs them
 *          (src/compile/spmd/memory/compress_store.c)
 */
#include "compact.h"

enum { LINE = 1024, AHEAD = 4096 };

#define KEEP(T)                                                                                    \
    DEVICE static void keep_##T(T *to, size_t most, const T *from, ptrdiff_t step,                 \
                                const uint8_t *flags, size_t line, size_t *kept)                   \
    {                                                                                              \
        size_t count = 0;                                                                          \
                                                                                                   \
        (void)most, (void)line;                                                                    \
        for (int j = thread_idx.x; j < LINE; j += block_dim.x) {                                   \
            const bool is_set = flags[j];                                                          \
            const uint32_t set = ballot(is_set), below = ((uint32_t)1 << lane_id()) - 1;           \
                                                                                                   \
            __builtin_prefetch(from + j * step + AHEAD / sizeof(T));                               \
            if (is_set)                                                                            \
                to[count + (size_t)popcount(set & below)] = from[j * step];                        \
            count += (size_t)popcount(set);                                                        \
        }                                                                                          \
        if (thread_idx.x == 0)                                                                     \
            *kept = count;                                                                         \
    }
WIDTHS(KEEP)
#undef KEEP
#include "compact.inc"
