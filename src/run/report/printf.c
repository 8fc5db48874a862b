/* printf.c - the text of a kernel's printf: a format and 64-bit slots in, text out.
 *
 * The slots have lost their C types. So lw__print parses each conversion and converts its slot to
 * the type that it names. The C library formats one conversion at a time. Three things are printed
 * as they are: invalid conversions, %n, and conversions without an argument.
 */
#include "run/report/report.h"
#include <locale.h>
#include <pthread.h>
#include <string.h>

/* The arguments not used so far. */
struct slots {
    const uint64_t *next;
    uint32_t left;
};

/* % flags width .precision length conversion */
struct conversion {
    char flags[6];
    int width, precision; /* as the C library takes them for `*`: precision < 0 is none */
    int bits;             /* of an integer: 8, 16, 32 or 64; from length */
    bool plain;           /* no length was given */
    char letter;          /* 0 at the format's end */
};

static bool is_one_of(char c, const char *set)
{
    return c && strchr(set, c);
}

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

/* parse_number - digits, or `*` for an argument. */
static const char *parse_number(const char *at, struct slots *slots, int *number)
{
    uint64_t slot;
    if (*at == '*') {
        if (take(slots, &slot))
            *number = clamp((int32_t)(uint32_t)slot);
        return at + 1;
    }
    for (*number = 0; is_one_of(*at, "0123456789"); at++)
        *number = clamp((int64_t)*number * 10 + (*at - '0'));
    return at;
}

static const char *parse_length(const char *at, struct conversion *c)
{
    const char *start = at;
    c->bits = 32;
    if (*at == 'h') {
        c->bits = at[1] == 'h' ? 8 : 16;
        at += at[1] == 'h' ? 2 : 1;
    } else if (is_one_of(*at, "lzjt")) {
        c->bits = 64;
        at += at[0] == 'l' && at[1] == 'l' ? 2 : 1;
    }
    c->plain = at == start;
    return at;
}

/* parse - the conversion whose % is at `at`; returns what follows it. */
static const char *parse(const char *at, struct slots *slots, struct conversion *c)
{
    *c = (struct conversion){.precision = -1};
    for (at++; is_one_of(*at, "-+ #0"); at++)
        if (!strchr(c->flags, *at))
            c->flags[strlen(c->flags)] = *at;
    at = parse_number(at, slots, &c->width);
    if (*at == '.')
        at = parse_number(at + 1, slots, &c->precision);
    at = parse_length(at, c);
    c->letter = *at;
    return *at ? at + 1 : at;
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

static uint64_t zero_extend(uint64_t slot, int bits)
{
    return bits == 64 ? slot : slot & ((UINT64_C(1) << bits) - 1);
}

/* What a %s prints. */
static const char *text_of(const struct lw__print_texts *texts, uint64_t slot, int precision)
{
    const size_t most = precision < 0 ? SIZE_MAX : (size_t)precision;

    if (!slot)
        return "(null)";
    return texts ? texts->find(texts->user, slot, most) : (const char *)(uintptr_t)slot;
}

/* add - format one conversion whose argument has been found; false: there is no such conversion. */
static bool add(struct lw__text *text, const struct conversion *c, uint64_t slot,
                const struct lw__print_texts *texts)
{
    char format[16] = "%"; /* % flags *.* length letter */
    strcat(format, c->flags);
    strcat(format, is_one_of(c->letter, "cp") ? "*" : "*.*");
    strcat(format, is_one_of(c->letter, "diouxX") ? "j" : "");
    format[strlen(format)] = c->letter;
    const void *pointer = (const void *)(uintptr_t)slot;
    double real;
    memcpy(&real, &slot, sizeof real);

    if (is_one_of(c->letter, "di"))
        lw__text_add(text, format, c->width, c->precision, (intmax_t)sign_extend(slot, c->bits));
    else if (is_one_of(c->letter, "ouxX"))
        lw__text_add(text, format, c->width, c->precision, (uintmax_t)zero_extend(slot, c->bits));
    else if (is_one_of(c->letter, "fFeEgGaA"))
        lw__text_add(text, format, c->width, c->precision, real);
    else if (c->letter == 'p')
        lw__text_add(text, format, c->width, pointer);
    else if (c->letter == 's' && c->plain)
        lw__text_add(text, format, c->width, c->precision, text_of(texts, slot, c->precision));
    else if (c->letter == 'c' && c->plain && (slot & 0xff) == 0)
        lw__text_add(text, "%*s", c->width, ""); /* the text is a C string: no zero byte */
    else if (c->letter == 'c' && c->plain)
        lw__text_add(text, format, c->width, (int)(slot & 0xff));
    else
        return false;
    return true;
}

/* add_conversion - print the conversion at `at`, or its own text; returns what follows it. */
static const char *add_conversion(struct lw__text *text, const char *at, struct slots *slots,
                                  const struct lw__print_texts *texts)
{
    struct conversion c;
    uint64_t slot;
    const char *end = parse(at, slots, &c);
    if (at[1] == '%') {
        lw__text_add_bytes(text, at, 1);
        return at + 2;
    }
    bool known = is_one_of(c.letter, "diouxXcspfFeEgGaAn") && take(slots, &slot);
    if (!known || !add(text, &c, slot, texts))
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
        lw__output_add(out, block, thread, text.data);
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
    bool printed;

    if (!before)
        return false;
    printed = print(out, block, thread, format, count, args, texts);
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
