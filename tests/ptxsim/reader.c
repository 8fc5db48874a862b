/* reader.c - see reader.h. */
#include "reader.h"
#include <ctype.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

bool reader_fail(struct reader *in, uint32_t line, const char *format, ...)
{
    if (*in->log || !in->room)
        return false;
    const int length = snprintf(in->log, in->room, "line %u: ", line);
    if ((size_t)length >= in->room)
        return false;
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(in->log + length, in->room - (size_t)length, format, arguments);
    va_end(arguments);
    return false;
}

/* ---- tokens ---- */

static bool is_in_word(char c)
{
    return isalnum((unsigned char)c) || (c && strchr("_$%.", c));
}

static void skip_blanks(struct reader *in)
{
    for (;; in->at++) {
        if (!strncmp(in->at, "//", 2))
            in->at += strcspn(in->at, "\n");
        if (*in->at == '\n')
            in->line++;
        else if (!isspace((unsigned char)*in->at))
            return;
    }
}

static void scan(struct reader *in)
{
    skip_blanks(in);
    const char *end = in->at;
    if (*end == '-' && isdigit((unsigned char)end[1]))
        end++;
    while (is_in_word(*end))
        end++;
    if (end == in->at && *end)
        end++;
    in->token = (struct token){in->at, (size_t)(end - in->at), in->line};
    in->at = end;
}

struct token reader_next(struct reader *in)
{
    const struct token t = in->token;

    if (t.length || !t.text)
        scan(in);
    return t;
}

bool is_word(const struct token *t, const char *word)
{
    return t->length == strlen(word) && !memcmp(t->text, word, t->length);
}

bool reader_take(struct reader *in, const char *word)
{
    if (!is_word(&in->token, word))
        return false;
    scan(in);
    return true;
}

bool reader_expect(struct reader *in, const char *word)
{
    return reader_take(in, word) || reader_fail(in, in->token.line, "'%s' was expected, not '%.*s'",
                                                word, (int)in->token.length, in->token.text);
}

char *copy_word(const struct token *t)
{
    char *word = strndup(t->text, t->length);

    if (!word)
        abort();
    return word;
}

/* ---- numbers and types ---- */

bool parse_number(const struct token *t, uint64_t *number)
{
    char text[40], *end;
    const bool is_float = t->length > 2 && t->text[0] == '0' && strchr("fFdD", t->text[1]);

    if (t->length >= sizeof text || !t->length)
        return false;
    memcpy(text, t->text, t->length);
    text[t->length] = '\0';
    if (!isdigit((unsigned char)text[text[0] == '-']))
        return false;
    *number = is_float ? strtoull(text + 2, &end, 16) : strtoull(text, &end, 0);
    return !*end || (*end == 'U' && !end[1]);
}

bool reader_number(struct reader *in, uint64_t *number)
{
    const struct token t = reader_next(in);

    return parse_number(&t, number) ||
           reader_fail(in, t.line, "a number was expected, not '%.*s'", (int)t.length, t.text);
}

uint32_t type_bits(const char *text, size_t length)
{
    static const char *const types[] = {"b8",  "u8",  "s8",  "b16", "u16", "s16", "f16", "b32",
                                        "u32", "s32", "f32", "b64", "u64", "s64", "f64", "pred"};

    if (length && *text == '.')
        text++, length--;
    for (size_t i = 0; i < sizeof types / sizeof *types; i++)
        if (strlen(types[i]) == length && !memcmp(types[i], text, length))
            return *text == 'p' ? 1 : (uint32_t)atoi(types[i] + 1);
    return 0;
}

void *grow(void *array, uint32_t count, size_t size)
{
    if (count & (count - 1)) /* a power of two is full */
        return array;
    array = realloc(array, (count ? 2 * (size_t)count : 1) * size);
    if (!array)
        abort();
    return array;
}
