/* bits.c - the value of a bit-field, from the bytes of its struct and back.
 */
#include "cli/run/run.h"
#include <string.h>

enum { BYTE = 8, WORD = 64 };

/* The lowest bits of a word, the others as the last of these where it is signed. */
static uint64_t extended(uint64_t word, unsigned bits, bool with_sign)
{
    const unsigned unused = WORD - bits;
    return with_sign ? (uint64_t)((int64_t)(word << unused) >> unused) : word << unused >> unused;
}

void cli_bits_get(const struct lw__type *type, const char *from, void *value)
{
    uint64_t word = 0;
    for (unsigned i = 0; i < type->width; i++) {
        const unsigned at = type->bit + i;
        word |= (uint64_t)((unsigned char)from[at / BYTE] >> at % BYTE & 1) << i;
    }
    word = extended(word, type->width, lw__dtypes[type->dtype].kind == 'i');
    memcpy(value, &word, lw_dtype_size(type->dtype));
}

bool cli_bits_put(const struct lw__type *type, const void *value, char *to)
{
    const bool with_sign = lw__dtypes[type->dtype].kind == 'i';
    const uint64_t word = (uint64_t)lw__integer_get(type->dtype, value);
    if (extended(word, type->width, with_sign) != word)
        return false;
    for (unsigned i = 0; i < type->width; i++) {
        const unsigned at = type->bit + i, one = 1u << at % BYTE;
        const unsigned rest = (unsigned char)to[at / BYTE] & ~one;
        to[at / BYTE] = (char)(word >> i & 1 ? rest | one : rest);
    }
    return true;
}
