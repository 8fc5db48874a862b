/* source_text.c - the column of a location whose line only is in the debug info: of functions,
 * variables, globals.
 *
 * The name is searched in that line of the text. If a macro or #line hides it, the column is that
 * of the line's first word.
 */
#include "compile/support/unit.h"
#include <fcntl.h>
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

/* A file's text as it was first read; NULL: there is none. */
struct lw__source {
    const struct lw__source *next;
    const char *path, *text;
};

static const char *path_of(const struct lw__diags *diags, struct lw__loc loc)
{
    const bool is_below = loc.file && loc.file[0] != '/';
    if (lw__row_is_main(diags, loc) && diags->source_fd > 0)
        return lw__format(diags->scratch, "/proc/self/fd/%d", diags->source_fd);
    if (!loc.file)
        return diags->main_name;
    return lw__format(diags->scratch, "%.*s%s%.*s", is_below ? (int)loc.directory_length : 0,
                      is_below ? loc.directory : "", is_below ? "/" : "", (int)loc.file_length,
                      loc.file);
}

static const char *read_file(struct lw__diags *diags, struct lw__loc loc)
{
    const char *path = path_of(diags, loc);
    for (const struct lw__source *s = diags->sources; s; s = s->next)
        if (!strcmp(s->path, path))
            return s->text;
    struct lw__text text = lw__text_in(diags->arena);
    const int file = open(path, O_RDONLY | O_CLOEXEC);
    const bool is_read = file >= 0 && lw__read_all(file, &text) && text.length;
    if (file >= 0)
        close(file);
    struct lw__source *source = lw__new(diags->arena, 1, sizeof *source);
    *source = (struct lw__source){diags->sources, lw__copy(diags->arena, path),
                                  is_read ? text.data : NULL};
    diags->sources = source;
    return source->text;
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

unsigned lw__front_column(struct lw__diags *diags, struct lw__loc loc)
{
    if (!loc.line || loc.column)
        return loc.column;
    const char *text = read_file(diags, loc);
    return text ? column_in(text, loc) : 1;
}

const char *lw__front_line(struct lw__diags *diags, struct lw__loc loc, size_t *length)
{
    const char *line = line_in(read_file(diags, loc), loc.line);
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

struct lw__loc lw__front_find(struct lw__diags *diags, const char *name)
{
    struct lw__loc loc = diags->main;
    const char *source = read_file(diags, loc);
    char *text = lw__copy(diags->scratch, source ? source : "");
    blank_comments(text);
    const char *at = find_word(text, strlen(text), name, strlen(name));
    for (const char *c = text; at && c <= at; c = strchr(c, '\n') + 1) {
        loc.line++;
        loc.column = (unsigned)(at - c) + 1;
        if (!strchr(c, '\n'))
            break;
    }
    return at ? loc : (struct lw__loc){0};
}
