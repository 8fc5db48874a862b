/* conversion.h - the conversions of a kernel's printf, as `%-5.*lld`: the compiler refuses what
 * the library would not print.
 */
#ifndef LW_BASE_CONVERSION_H
#define LW_BASE_CONVERSION_H
#include <stdbool.h>

/* Bytes that a launch keeps of what it prints; no width asks for more. */
enum { LW_PRINT_BYTES_MAX = 1 << 20 };
/* Bytes that a %s without a precision reads: a text that is longer is lost as a whole. */
enum { LW_TEXT_BYTES_MAX = LW_PRINT_BYTES_MAX + 1 };

/* % flags width .precision length letter */
struct lw__conversion {
    char flags[6];
    bool takes_width, takes_precision; /* `*`: an argument gives it */
    int width, precision;              /* precision < 0: none */
    int bits;                          /* of an integer: 8, 16, 32 or 64; from length */
    bool is_plain;                     /* no length was given */
    char letter;                       /* 0 at the format's end */
};

/* lw__conversion_parse - the conversion whose % is at `at`; returns what follows it. */
const char *lw__conversion_parse(const char *at, struct lw__conversion *c);

/* lw__conversion_next - where the % of the next conversion is, of `%%` none; NULL: there is none.
 * *format moves after it. */
const char *lw__conversion_next(const char **format, struct lw__conversion *c);

/* lw__conversion_kind - what it takes: 'd' a signed or 'u' an unsigned integer, 'f' a double, 'p' a
 * pointer, 'c' a character, 's' a text; 0: there is no such conversion. Not of `%%`. */
char lw__conversion_kind(const struct lw__conversion *c);
#define LW_CONVERSIONS "d i o u x X c s p f F e E g G a A, of lengths hh h l ll j z t"
#endif
