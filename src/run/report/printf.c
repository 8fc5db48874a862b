/* printf.c - the text of a kernel's printf: a format and 64-bit slots in, text out.
 *
 * The slots have lost their C types. So lw__print parses each conversion and converts its slot to
 * the type that it names. The C library formats one conversion at a time. Three things are printed
 * as they are: invalid conversions, %n, and conversions without an argument.
 */
#include "run/report/report.h"
#include <assert.h>
#include <locale.h>
#include <pthread.h>
#include <string.h>

/* The arguments not used so far. */
struct slots {
    const uint64_t *next;
    uint32_t left;
};

static bool take(struct slots *slots, uint64_t *slot)
{
    if (slots->left == 0)
        return false;
    slots->left--;
    *slot = *slots->next++;
    return true;
}

/* clamp - no number asks for more text than a launch may keep. */
static int clamp(int64_t number)
{
    if (number > LW_PRINT_BYTES_MAX)
        return LW_PRINT_BYTES_MAX;
    return number < -LW_PRINT_BYTES_MAX ? -LW_PRINT_BYTES_MAX : (int)number;
}

/* take_number - what an argument gives for `*`. */
static void take_number(struct slots *slots, bool is_taken, int *number)
{
    uint64_t slot;
    if (is_taken && take(slots, &slot))
        *number = clamp((int32_t)(uint32_t)slot);
}

static int64_t sign_extend(uint64_t slot, int bits)
{
    switch (bits) {
    case 8: return (int8_t)(uint8_t)slot;
    case 16: return (int16_t)(uint16_t)slot;
    case 32: return (int32_t)(uint32_t)slot;
    default: return (int64_t)slot;
    }
}

/* What a %s prints, of which at most so many bytes are read. */
static const char *text_of(const struct lw__print_texts *texts, uint64_t slot, int most)
{
    if (!slot)
        return "(null)";
    return texts ? texts->find(texts->user, slot, (size_t)most) : (const char *)(uintptr_t)slot;
}

/* add - format one conversion whose argument has been found. */
static void add(struct lw__text *text, const struct lw__conversion *c, uint64_t slot,
                const struct lw__print_texts *texts)
{
    const char kind = lw__conversion_kind(c);
    char format[16] = "%"; /* % flags *.* length letter */
    strcat(format, c->flags);
    strcat(format, kind == 'c' || kind == 'p' ? "*" : "*.*");
    strcat(format, kind == 'd' || kind == 'u' ? "j" : "");
    assert(strlen(format) + 1 < sizeof format);
    format[strlen(format)] = c->letter;
    const void *pointer = (const void *)(uintptr_t)slot;
    const int most = c->precision < 0 ? LW_TEXT_BYTES_MAX : c->precision;
    double real;
    memcpy(&real, &slot, sizeof real);

    switch (kind) {
    case 'd':
        lw__text_add(text, format, c->width, c->precision, (intmax_t)sign_extend(slot, c->bits));
        break;
    case 'u':
        lw__text_add(text, format, c->width, c->precision,
                     (uintmax_t)(c->bits == 64 ? slot : slot & ((UINT64_C(1) << c->bits) - 1)));
        break;
    case 'f': lw__text_add(text, format, c->width, c->precision, real); break;
    case 'p': lw__text_add(text, format, c->width, pointer); break;
    case 's': lw__text_add(text, format, c->width, most, text_of(texts, slot, most)); break;
    default:
        if (slot & 0xff)
            lw__text_add(text, format, c->width, (int)(slot & 0xff));
        else /* the text is a C string: no zero byte */
            lw__text_add(text, "%*s", c->width, "");
    }
}

/* add_conversion - print the conversion at `at`, or its own text; returns what follows it. */
static const char *add_conversion(struct lw__text *text, const char *at, struct slots *slots,
                                  const struct lw__print_texts *texts)
{
    struct lw__conversion c;
    const char *end = lw__conversion_parse(at, &c);
    if (at[1] == '%') {
        lw__text_add_bytes(text, at, 1);
        return at + 2;
    }
    take_number(slots, c.takes_width, &c.width);
    take_number(slots, c.takes_precision, &c.precision);
    uint64_t slot;
    /* an unknown one has an argument, too, if it is one of C */
    const bool is_there = c.letter && strchr("diouxXcspfFeEgGaAn", c.letter) && take(slots, &slot);
    if (is_there && lw__conversion_kind(&c))
        add(text, &c, slot, texts);
    else
        lw__text_add_bytes(text, at, (size_t)(end - at));
    return end;
}

static void add_all(struct lw__text *text, const char *format, uint32_t count, const uint64_t *args,
                    const struct lw__print_texts *texts)
{
    struct slots slots = {args, count};
    while (*format) {
        size_t literal = strcspn(format, "%");
        lw__text_add_bytes(text, format, literal);
        format += literal;
        if (*format)
            format = add_conversion(text, format, &slots, texts);
    }
}

static bool print(struct lw__output *out, const int32_t block[3], const int32_t thread[3],
                  const char *format, uint32_t count, const uint64_t *args,
                  const struct lw__print_texts *texts)
{
    struct lw__text text = {0};
    add_all(&text, format, count, args, texts);
    bool complete = !text.failed;
    if (complete && text.length > 0)
        complete = lw__output_add(out, block, thread, text.data);
    lw__text_free(&text);
    return complete;
}

bool lw__print(struct lw__output *out, const int32_t block[3], const int32_t thread[3],
               const char *format, uint32_t count, const uint64_t *args)
{
    return print(out, block, thread, format, count, args, NULL);
}

/* ---- in the "C" locale ---- */

static locale_t plain;

static void make_plain(void)
{
    plain = newlocale(LC_ALL_MASK, "C", (locale_t)0);
}

/* The locale to go back to; 0: memory is short, and nothing was set. */
static locale_t set_plain(void)
{
    static pthread_once_t once = PTHREAD_ONCE_INIT;

    pthread_once(&once, make_plain);
    return plain ? uselocale(plain) : (locale_t)0;
}

bool lw__print_plainly(struct lw__output *out, const int32_t block[3], const int32_t thread[3],
                       const char *format, uint32_t count, const uint64_t *args,
                       const struct lw__print_texts *texts)
{
    const locale_t before = set_plain();

    if (!before)
        return false;
    bool printed = print(out, block, thread, format, count, args, texts);
    uselocale(before);
    return printed;
}

void lw__message_add_print(struct lw__message *m, const char *format, uint32_t count,
                           const uint64_t *args, const struct lw__print_texts *texts)
{
    const locale_t before = set_plain();
    struct lw__text text = {0};

    if (before) {
        add_all(&text, format, count, args, texts);
        uselocale(before);
    }
    /* where memory is short, the bare format says most */
    lw__message_add(m, "%s", !before || text.failed || !text.data ? format : text.data);
    lw__text_free(&text);
}
