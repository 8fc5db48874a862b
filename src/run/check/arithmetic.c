/* arithmetic.c - what is wrong with an operation on integers, in words.
 */
#include "run/check/check.h"
#include <inttypes.h>
#include <string.h>

/* An operand, of which only the last bits are its own, if it is signed; type: see ref_abi.h. */
static int64_t number(uint64_t bits, unsigned type)
{
    const unsigned width = 1u << (type >> 1), unused = width < 64 ? 64 - width : 0;
    return type & 1 ? (int64_t)(bits << unused) >> unused : (int64_t)(bits << unused >> unused);
}

static double real(uint64_t bits, unsigned width)
{
    const uint32_t half = (uint32_t)bits;
    float narrow;
    memcpy(&narrow, &half, sizeof narrow);
    double wide;
    memcpy(&wide, &bits, sizeof wide);
    return width == 64 ? wide : (double)narrow;
}

static void add_cast(struct lw__message *m, uint64_t a, unsigned from, unsigned width,
                     bool is_signed)
{
    if (from == 32 || from == 64)
        lw__message_add(m, "%g ", real(a, from));
    else
        lw__message_add(m, "a number of %u bits ", from);
    lw__message_add(m, "is out of range of %s integer of %u bits",
                    is_signed ? "a signed" : "an unsigned", width);
}

void lw__tell_overflow(struct lw__message *m, uint64_t a, uint64_t b, uint32_t what)
{
    static const char operators[] = "+-*";
    const unsigned kind = what & LW_OVERFLOW_KIND;
    const unsigned type = what >> LW_OVERFLOW_TYPE_SHIFT & 255, width = 1u << (type >> 1);
    const int64_t x = number(a, type), y = number(b, type);
    switch (kind) {
    case LW_OVERFLOW_ADD:
    case LW_OVERFLOW_SUBTRACT:
    case LW_OVERFLOW_MULTIPLY:
        lw__message_add(m, "%" PRId64 " %c %s%" PRId64 "%s", x, operators[kind], y < 0 ? "(" : "",
                        y, y < 0 ? ")" : "");
        break;
    case LW_OVERFLOW_NEGATE: lw__message_add(m, "-(%" PRId64 ")", x); break;
    case LW_OVERFLOW_DIVIDE:
        if (!y) {
            lw__message_add(m, "%" PRId64 " is divided by 0", x);
            return;
        }
        lw__message_add(m, "%" PRId64 " / -1", x);
        break;
    case LW_OVERFLOW_SHIFT:
        lw__message_add(m, "a shift of %u bits by %" PRId64 "; need 0 to %u", width,
                        number(b, what >> LW_OVERFLOW_FROM_SHIFT), width - 1);
        return;
    case LW_OVERFLOW_COUNT_ZEROS:
        lw__message_add(m, "__builtin_c%cz of 0 has no value in C; here it is the width",
                        type ? 'l' : 't');
        return;
    default: add_cast(m, a, what >> LW_OVERFLOW_FROM_SHIFT, width, type & 1); return;
    }
    lw__message_add(m, " is out of range of a signed integer of %u bits", width);
}
