/* dice.h - what is random in a case, by its number. */
#ifndef PLANTED_DICE_H
#define PLANTED_DICE_H

#include <stdbool.h>
#include <stdint.h>

struct dice {
    uint64_t state;
};
static inline int below(struct dice *d, int n)
{
    d->state = d->state * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
    return (int)((d->state >> 33) % (uint64_t)n);
}
static inline bool percent(struct dice *d, int n)
{
    return below(d, 100) < n;
}
#endif
