/* source_text.c - the column of a location whose line only is in the debug info: of functions,
 * variables, globals.
 *
 * The name is searched in that line of the text. If a macro or #line hides it, the column is that
 * of the line's first word.
 */
#include "compile/support/unit.h"
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

/* The position of a whole word in count bytes; NULL: it is not there. */
static const char *find_word(const char *text, size_t count, const char *word, size_t n)
{
    for (size_t i = 0; n && i + n <= count; i++)
        if (!memcmp(text + i, word, n) && (!i || !lw__is_word_char(text[i - 1])) &&
            (i + n == count || !lw__is_word_char(text[i + n])))
            return text + i;
    return NULL;
}

static int open_file(const struct lw__diags *diags, struct lw__loc loc)
{
    struct lw__text path = {0};
    char again[48];
    if (lw__row_is_main(diags, loc) && diags->source_fd > 0) {
        snprintf(again, sizeof again, "/proc/self/fd/%d", diags->source_fd);
        return open(again, O_RDONLY | O_CLOEXEC);
    }
    if (!loc.file)
        lw__text_add(&path, "%s", diags->main_name);
    else if (loc.file[0] != '/')
        lw__text_add(&path, "%.*s/", (int)loc.directory_length, loc.directory);
    if (loc.file)
        lw__text_add(&path, "%.*s", (int)loc.file_length, loc.file);
    const int file = open(lw__finished(&path), O_RDONLY | O_CLOEXEC);
    lw__text_free(&path);
    return file;
}

static bool read_file(const struct lw__diags *diags, struct lw__loc loc, struct lw__text *text)
{
    const int file = open_file(diags, loc);
    const bool is_read = file >= 0 && lw__read_all(file, text) && text->data;
    if (file >= 0)
        close(file);
    return is_read;
}

static const char *line_in(const char *text, unsigned line)
{
    for (; line > 1 && text; line--) {
        text = strchr(text, '\n');
        text = text ? text + 1 : NULL;
    }
    return text;
}

static unsigned column_in(const char *text, struct lw__loc loc)
{
    text = line_in(text, loc.line);
    if (!text)
        return 1;
    const size_t count = strcspn(text, "\n");
    const char *at = loc.name ? find_word(text, count, loc.name, loc.name_length) : NULL;
    const size_t blank = strspn(text, " \t");
    return (unsigned)(at ? (size_t)(at - text) : blank < count ? blank : 0) + 1;
}

unsigned lw__front_column(const struct lw__diags *diags, struct lw__loc loc)
{
    struct lw__text text = {0};
    unsigned column = loc.line && !loc.column ? 1 : loc.column;
    if (loc.line && !loc.column && read_file(diags, loc, &text))
        column = column_in(text.data, loc);
    lw__text_free(&text);
    return column;
}

const char *lw__front_line(const struct lw__diags *diags, struct lw__loc loc, struct lw__text *text,
                           size_t *length)
{
    const char *line = read_file(diags, loc, text) ? line_in(text->data, loc.line) : NULL;
    *length = line ? strcspn(line, "\n") : 0;
    return line;
}

/* Comments become blanks. */
static void blank_comments(char *text)
{
    for (char *c = text, *end; *c; c++) {
        const bool is_line = c[0] == '/' && c[1] == '/';
        if (!is_line && !(c[0] == '/' && c[1] == '*'))
            continue;
        end = is_line ? c + strcspn(c, "\n") : strstr(c + 2, "*/");
        end = end ? end + (is_line ? 0 : 2) : c + strlen(c);
        for (; c < end; c++)
            *c = *c == '\n' ? '\n' : ' ';
        c--;
    }
}

struct lw__loc lw__front_find(const struct lw__diags *diags, const char *name)
{
    struct lw__loc loc = diags->main;
    struct lw__text text = {0};
    const char *at = NULL;
    if (read_file(diags, loc, &text)) {
        blank_comments(text.data);
        at = find_word(text.data, text.length, name, strlen(name));
    }
    for (const char *c = text.data; at && c <= at; c = strchr(c, '\n') + 1) {
        loc.line++;
        loc.column = (unsigned)(at - c) + 1;
        if (!strchr(c, '\n'))
            break;
    }
    lw__text_free(&text);
    return at ? loc : (struct lw__loc){0};
}
