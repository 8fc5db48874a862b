/* prototype.c - the declared sizes of a kernel's array parameters, from clang's -ast-print.
 *
 * `float a[n][TPB * 2]` leaves no outer size in the debug info. clang's printed syntax tree has the
 * prototype with constants evaluated, `float a[n][128]`. A bracket that holds one number is a
 * constant. The others are computed in the kernel's prologue, in the same order (array_sizes.c).
 */
#include "compile/front/front.h"
#include <stdlib.h>
#include <string.h>

/* The first byte after the literal or the bracketed text that begins at p; p + 1 for others. */
static const char *skip(const char *p)
{
    if (*p == '"' || *p == '\'') {
        const char quote = *p++;
        while (*p && *p != quote)
            p += *p == '\\' && p[1] ? 2 : 1;
        return *p ? p + 1 : p;
    }
    if (*p != '(' && *p != '[' && *p != '{')
        return *p ? p + 1 : p;
    for (p++; *p && *p != ')' && *p != ']' && *p != '}';)
        p = skip(p);
    return *p ? p + 1 : p;
}

static const char *skip_blanks(const char *p)
{
    while (*p == ' ' || *p == '\n')
        p++;
    return p;
}

/* True if a body follows a parameter list, with only attributes in between. */
static bool body_follows(const char *p)
{
    while (*p && *p != '{' && *p != ';' && *p != '=')
        p = skip(p);
    return *p == '{';
}

/* The opening parenthesis of the parameters in the definition of `name`; NULL: there is none. */
static const char *find_definition(const char *text, const char *name)
{
    const size_t length = strlen(name);
    for (const char *p = text; *p;) {
        if (!lw__is_word_char(*p)) {
            p = skip(p);
            continue;
        }
        const char *word = p;
        while (lw__is_word_char(*p))
            p++;
        if ((size_t)(p - word) == length && memcmp(word, name, length) == 0 && *p == '(' &&
            body_follows(skip(p)))
            return p;
    }
    return NULL;
}

/* The value of a bracket's text if it is one number, else LW_SIZE_VARIABLE. */
static int64_t constant_size(const char *begin, const char *end)
{
    static const char *const words[] = {"static ", "const ", "restrict ", "volatile "};
    for (size_t i = 0; i < sizeof words / sizeof words[0]; i++)
        if ((size_t)(end - begin) > strlen(words[i]) &&
            memcmp(begin, words[i], strlen(words[i])) == 0) {
            begin += strlen(words[i]);
            i = (size_t)-1;
        }
    char *after;
    const long long value = strtoll(begin, &after, 10);
    while (after < end && (*after == 'U' || *after == 'L'))
        after++;
    return after == end && *begin >= '0' && *begin <= '9' ? value : LW_SIZE_VARIABLE;
}

/* Add the text for users. Maths functions are type-generic macros, which clang prints expanded. */
static void add_text(struct lw__arena *arena, struct lw__brackets *brackets, const char *begin,
                     size_t length)
{
    static const char generic[] = "_Generic(", short_form[] = "[...]";
    for (size_t i = 0; i + sizeof generic <= length; i++)
        if (memcmp(begin + i, generic, sizeof generic - 1) == 0) {
            begin = short_form;
            length = sizeof short_form - 1;
        }
    const size_t before = brackets->text ? strlen(brackets->text) : 0;
    char *text = lw__new(arena, before + length + 1, 1);
    if (before)
        memcpy(text, brackets->text, before);
    memcpy(text + before, begin, length);
    brackets->text = text;
}

/* Read one bracket: begin is at its [ and end after its ]. */
static void add_bracket(struct lw__arena *arena, struct lw__brackets *brackets, const char *begin,
                        const char *end)
{
    add_text(arena, brackets, begin, (size_t)(end - begin));
    if (end - begin == 2) {
        brackets->open = true; /* C allows it as the outermost only */
        return;
    }
    brackets->too_many = brackets->count == LW_RANK_MAX;
    if (!brackets->too_many)
        brackets->size[brackets->count++] = constant_size(begin + 1, end - 1);
}

/* An array of variable-length arrays is one itself: clang computes its size even if constant. */
static void outer_follow_inner(struct lw__brackets *brackets)
{
    bool variable = false;
    for (unsigned i = brackets->count; i-- > 0;) {
        variable |= brackets->size[i] == LW_SIZE_VARIABLE;
        if (variable)
            brackets->size[i] = LW_SIZE_VARIABLE;
        brackets->variable += variable;
    }
}

/* Read the brackets of the parameter that begins at p, up to a comma or the end; *next is after
 * it. */
static void read_param(struct lw__arena *arena, const char *p, struct lw__brackets *brackets,
                       const char **next)
{
    while (*p && *p != ',' && *p != ')') {
        const char *end = skip(p);
        if (*p == '(' && p[1] == '*')
            brackets->pointer = brackets->open = true;
        if (*p == '[')
            add_bracket(arena, brackets, p, end);
        p = end;
    }
    outer_follow_inner(brackets);
    *next = *p == ',' ? p + 1 : NULL;
}

void lw__front_prototype(struct lw__arena *arena, const char *ast_text, const char *name,
                         unsigned count, struct lw__brackets *brackets)
{
    const char *p = find_definition(ast_text, name);
    p = p ? skip_blanks(p + 1) : NULL;
    for (unsigned i = 0; i < count && p; i++)
        read_param(arena, p, &brackets[i], &p);
}
