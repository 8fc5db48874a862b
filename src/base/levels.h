/* levels.h - the vector levels of the device cpu, and which of them this processor has. */
#ifndef LW_BASE_LEVELS_H
#define LW_BASE_LEVELS_H
#include <stdbool.h>
#include <stddef.h>

struct lw__level {
    const char *word;   /* in LANEWISE_CPU */
    const char *target; /* of lanewise-compile */
    const char *title;
    int vector_bits;
    bool is_native; /* of the architecture that this code is for */
};

/* The rows of levels.def. */
enum {
#define LW_LEVEL(...) +1
    LW_LEVEL_COUNT = 0
#include "base/levels.def"
};
extern const struct lw__level lw__levels[LW_LEVEL_COUNT];

/* lw__level_best - the index of the best level that this processor has. The system must save its
 * registers, too. */
size_t lw__level_best(void);
#endif
