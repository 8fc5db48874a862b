/* xml.c - a text as XML has it. */
#include "text/xml.h"
#include "text/utf8.h"
#include <string.h>

/* The next character of *at as it stands in an element. */
static const char *next(const char **at, size_t *length)
{
    const char *c = *at;
    *length = (size_t)lw__utf8_length(c);
    *at += *length ? *length : 1;
    const char *replaced = !*length || ((unsigned char)*c < 0x20 && *c != '\t' && *c != '\n') ? "?"
                           : *c == '<' ? "&lt;"
                           : *c == '>' ? "&gt;"
                           : *c == '&' ? "&amp;"
                                       : NULL;
    if (replaced)
        *length = strlen(replaced);
    return replaced ? replaced : c;
}

void lw__xml_add(struct lw__text *to, const char *text, size_t length)
{
    const char *end = text + length;
    while (text < end) {
        const char *bytes = next(&text, &length);
        lw__text_add_bytes(to, bytes, length);
    }
}

void lw__xml_write(FILE *to, const char *text)
{
    size_t length;
    while (*text) {
        const char *bytes = next(&text, &length);
        fwrite(bytes, 1, length, to);
    }
}
