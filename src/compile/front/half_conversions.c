/* half_conversions.c - conversions between _Float16 and __bf16, for which LLVM has no instruction.
 *
 * Neither type holds the other's values, so neither LLVM's fpext nor its fptrunc converts one to
 * the other. clang 19 writes one of them nevertheless, and LLVM refuses to read such a module. So
 * clang writes the module again, as text. Each such conversion becomes two: to float, which is
 * exact, and from float, which rounds once.
 */
#include "compile/front/front.h"
#include <string.h>

struct span {
    const char *begin;
    size_t length;
};

static bool ends_with(struct span s, const char *end)
{
    const size_t n = strlen(end);
    return s.length >= n && !memcmp(s.begin + s.length - n, end, n);
}

/* The type at the start of the text: a word, or a vector's `<N x T>`. */
static struct span type_at(const char *text)
{
    return (struct span){text, *text == '<' ? strcspn(text, ">") + 1 : strcspn(text, " ,\n")};
}

/* Of T or <N x T>; the result is "half", "bfloat" or NULL. */
static const char *sixteen_bits(struct span type)
{
    if (type.length && type.begin[type.length - 1] == '>')
        type.length--;
    return ends_with(type, "bfloat") ? "bfloat" : ends_with(type, "half") ? "half" : NULL;
}

/* A line of the module as text: `%x = fpext half %y to bfloat, !dbg !7`. */
struct conversion {
    struct span result, from, value, to;
    const char *rest;
};

static bool read_conversion(const char *line, const char *end, struct conversion *c)
{
    static const char *const words[] = {" = fpext ", " = fptrunc "};
    const char *at = NULL, *word = NULL;
    for (size_t i = 0; i < 2 && !at; i++)
        at = memmem(line, (size_t)(end - line), word = words[i], strlen(words[i]));
    const char *begin = line + strspn(line, " ");
    if (!at || *begin != '%')
        return false;
    c->result = (struct span){begin, (size_t)(at - begin)};
    c->from = type_at(at + strlen(word));
    const char *value = c->from.begin + c->from.length + 1;
    const char *to = value < end ? memmem(value, (size_t)(end - value), " to ", 4) : NULL;
    if (!to)
        return false;
    c->value = (struct span){value, (size_t)(to - value)};
    c->to = type_at(to + 4);
    c->rest = c->to.begin + c->to.length;
    const char *a = sixteen_bits(c->from), *b = sixteen_bits(c->to);
    return a && b && strcmp(a, b) != 0;
}

/* `<N x half>` or `half` with float in place of half. */
static void add_float(struct lw__text *out, struct span type)
{
    const size_t word = strlen(sixteen_bits(type)), after = type.begin[0] == '<';
    lw__text_add_bytes(out, type.begin, type.length - word - after);
    lw__text_add(out, after ? "float>" : "float");
}

void lw__front_unmix(const char *module, struct lw__text *out)
{
    for (const char *line = module; *line;) {
        const char *end = line + strcspn(line, "\n");
        struct conversion c;
        if (read_conversion(line, end, &c)) {
            /* An instruction without a name has a number, and numbers must be consecutive: the new
             * one gets a name. */
            const size_t wide = out->length;
            lw__text_add(out, "  %%lw.wide.%zu = fpext %.*s %.*s to ", wide, (int)c.from.length,
                         c.from.begin, (int)c.value.length, c.value.begin);
            add_float(out, c.from);
            lw__text_add_bytes(out, c.rest, (size_t)(end - c.rest));
            lw__text_add(out, "\n  %.*s = fptrunc ", (int)c.result.length, c.result.begin);
            add_float(out, c.from);
            lw__text_add(out, " %%lw.wide.%zu to %.*s", wide, (int)c.to.length, c.to.begin);
            lw__text_add_bytes(out, c.rest, (size_t)(end - c.rest));
        } else {
            lw__text_add_bytes(out, line, (size_t)(end - line));
        }
        line = *end ? end + 1 : end;
        lw__text_add_bytes(out, "\n", 1);
    }
}
