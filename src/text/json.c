/* json.c - a text as JSON has it. */
#include "text/json.h"
#include "text/utf8.h"
#include <string.h>

/* The next character of *at as it stands between quotes; escape has room for one that is escaped.
 */
static const char *next(const char **at, char escape[8], size_t *length)
{
    const char *c = *at;
    *length = (size_t)lw__utf8_length(c);
    *at += *length ? *length : 1;
    if (*length && *c != '"' && *c != '\\' && (unsigned char)*c >= 0x20)
        return c;
    if (!*length)
        strcpy(escape, "\\ufffd");
    else
        snprintf(escape, 8, (unsigned char)*c < 0x20 ? "\\u%04x" : "\\%c", *c);
    *length = strlen(escape);
    return escape;
}

void lw__json_add(struct lw__text *to, const char *text)
{
    char escape[8];
    lw__text_add_bytes(to, "\"", 1);
    size_t length;
    while (*text) {
        const char *bytes = next(&text, escape, &length);
        lw__text_add_bytes(to, bytes, length);
    }
    lw__text_add_bytes(to, "\"", 1);
}

void lw__json_write(FILE *to, const char *text)
{
    char escape[8];
    fputc('"', to);
    size_t length;
    while (*text) {
        const char *bytes = next(&text, escape, &length);
        fwrite(bytes, 1, length, to);
    }
    fputc('"', to);
}

void lw__json_member(FILE *to, const char *before, const char *name, const char *text)
{
    fprintf(to, "%s\"%s\": ", before, name);
    lw__json_write(to, text);
}
