/* hash.c - FNV-1a, 64 bits: short, well spread, and every one-byte change shows, since each step is
 * a bijection of the state.
 * source  Fowler, Noll, Vo; draft-eastlake-fnv, the 64-bit prime
 */
#include "base/base.h"

#define FNV_PRIME 0x100000001b3u

uint64_t lw__hash(uint64_t hash, const void *bytes, size_t count)
{
    const unsigned char *p = bytes;

    for (size_t i = 0; i < count; i++)
        hash = (hash ^ p[i]) * FNV_PRIME;
    return hash;
}
