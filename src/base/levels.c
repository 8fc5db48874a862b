/* levels.c - the vector levels as a table, and the best one here. */
#include "base/levels.h"
#include <assert.h>

#if defined(__aarch64__)
#define IS_NATIVE_X86_64 false
#define IS_NATIVE_AARCH64 true
#define HAS_X86_64(processor) false
#define HAS_AARCH64(processor) true
#else
#define IS_NATIVE_X86_64 true
#define IS_NATIVE_AARCH64 false
#define HAS_X86_64(processor) __builtin_cpu_supports(processor)
#define HAS_AARCH64(processor) false
#endif

const struct lw__level lw__levels[LW_LEVEL_COUNT] = {
#define LW_LEVEL(arch, word, title, processor, features, lanes, ...)                               \
    {word, "cpu:" word, title, 32 * (lanes), IS_NATIVE_##arch},
#include "base/levels.def"
};

size_t lw__level_best(void)
{
#if !defined(__aarch64__)
    __builtin_cpu_init();
#endif
    const bool has[LW_LEVEL_COUNT] = {
#define LW_LEVEL(arch, word, title, processor, ...) HAS_##arch(processor),
#include "base/levels.def"
    };
    size_t best = 0;
    while (!lw__levels[best].is_native)
        best++;
    assert(best <
           LW_LEVEL_COUNT); /* each architecture has a level that all of its processors have */
    for (size_t i = best + 1; i < LW_LEVEL_COUNT; i++)
        if (lw__levels[i].is_native && has[i])
            best = i;
    return best;
}
