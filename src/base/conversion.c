/* conversion.c - reads one conversion of a format.
 */
#include "base/conversion.h"
#include <assert.h>
#include <stdint.h>
#include <string.h>

static bool is_one_of(char c, const char *set)
{
    return c && strchr(set, c);
}

/* Digits, or `*` for an argument. */
static const char *parse_number(const char *at, int *number, bool *is_taken)
{
    int64_t n = 0;
    if (*at == '*') {
        *is_taken = true;
        return at + 1;
    }
    for (; is_one_of(*at, "0123456789"); at++) {
        n = n * 10 + (*at - '0');
        n = n < LW_PRINT_BYTES_MAX ? n : LW_PRINT_BYTES_MAX;
    }
    *number = (int)n;
    return at;
}

const char *lw__conversion_parse(const char *at, struct lw__conversion *c)
{
    assert(*at == '%');
    *c = (struct lw__conversion){.precision = -1};
    for (at++; is_one_of(*at, "-+ #0"); at++)
        if (!strchr(c->flags, *at))
            c->flags[strlen(c->flags)] = *at;
    at = parse_number(at, &c->width, &c->takes_width);
    if (*at == '.')
        at = parse_number(at + 1, &c->precision, &c->takes_precision);
    const char *const length = at;
    c->bits = 32;
    if (*at == 'h') {
        c->bits = at[1] == 'h' ? 8 : 16;
        at += at[1] == 'h' ? 2 : 1;
    } else if (is_one_of(*at, "lzjt")) {
        c->bits = 64;
        at += at[0] == 'l' && at[1] == 'l' ? 2 : 1;
    }
    c->is_plain = at == length;
    c->letter = *at;
    return *at ? at + 1 : at;
}

const char *lw__conversion_next(const char **format, struct lw__conversion *c)
{
    const char *at = *format;
    while ((at = strchr(at, '%')) && at[1] == '%')
        at += 2;
    *format = at ? lw__conversion_parse(at, c) : NULL;
    return at;
}

char lw__conversion_kind(const struct lw__conversion *c)
{
    if (is_one_of(c->letter, "di"))
        return 'd';
    if (is_one_of(c->letter, "ouxX"))
        return 'u';
    if (is_one_of(c->letter, "fFeEgGaA"))
        return 'f';
    return c->letter == 'p' || (c->is_plain && is_one_of(c->letter, "cs")) ? c->letter : 0;
}
