/* plain_prototypes.c - texts whose kernels cannot have arrays as parameters.
 *
 * A second clang prints the declarations, since the module has no outer array sizes (prototype.c).
 * For a small kernel that is half of the front end's work. So it is left out where the words of the
 * text rule out that it prints a size. The rule is coarse, and what it does not know needs clang:
 * between functions there is no bracket, no parenthesis in a parenthesis, and no directive but
 * #define of a plain value. An asm label needs clang too, since clang.c looks for it in the print.
 */
#include "compile/front/front.h"
#include <string.h>

/* Other spellings of brackets, and lines that go on. */
static bool has_unusual(const char *text)
{
    static const char *const unusual[] = {"asm", "<:", "<%",   "%:",  "%>",
                                          ":>",  "??", "\\\n", "\\\r"};
    for (size_t i = 0; i < sizeof unusual / sizeof *unusual; i++)
        if (strstr(text, unusual[i]))
            return true;
    return false;
}

/* After the comment or literal that begins at c; c itself: none does; NULL: it has no end. */
static const char *skip_opaque(const char *c)
{
    if (c[0] == '/' && c[1] == '/')
        return c + strcspn(c, "\n");
    if (c[0] == '/' && c[1] == '*') {
        c = strstr(c + 2, "*/");
        return c ? c + 2 : NULL;
    }
    if (*c != '"' && *c != '\'')
        return c;
    const char quote = *c++;
    while (*c && *c != '\n' && *c != quote)
        c += *c == '\\' && c[1] ? 2 : 1;
    return *c == quote ? c + 1 : NULL;
}

/* After a #define that cannot bring a bracket into a prototype; NULL: it is another directive. */
static const char *skip_define(const char *c)
{
    c += 1 + strspn(c + 1, " \t");
    if (strncmp(c, "define", 6) != 0 || strcspn(c, "[({\"'/\n") < strcspn(c, "\n"))
        return NULL;
    return c + strcspn(c, "\n");
}

/* Where the text is. */
struct place {
    unsigned braces;
    bool in_parentheses; /* outside of braces */
};

/* False: this character needs clang. */
static bool step(struct place *p, char c)
{
    const bool outside = !p->braces;
    switch (c) {
    case '{': p->braces++; return !p->in_parentheses;
    case '}': p->braces -= !outside; return !outside;
    case '[': return !outside;
    case '(':
    case ')':
        if (outside)
            p->in_parentheses = !p->in_parentheses;
        return !outside || p->in_parentheses == (c == '(');
    default: return true;
    }
}

bool lw__prototypes_are_plain(const char *text)
{
    struct place place = {0};
    bool begins_line = false; /* the text begins after a directive */
    if (has_unusual(text))
        return false;
    for (const char *c = text; *c;) {
        const char *next = skip_opaque(c);
        if (next == c && *c == '#' && begins_line)
            next = skip_define(c);
        if (!next || (next == c && !step(&place, *c)))
            return false;
        if (next == c)
            begins_line = *c == '\n' || (begins_line && strchr(" \t\r\f\v", *c));
        c = next == c ? c + 1 : next;
    }
    return !place.braces && !place.in_parentheses;
}
