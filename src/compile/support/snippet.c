/* snippet.c - the snippet below a message: its line of the source, the caret, the fix-it.
 *
 * clang draws one for each of its messages; what Lanewise itself refuses gets one of the same form:
 *
 *        12 |     float work[n];
 *           |           ^~~~
 *
 * A snippet is the row `shown` of the manifest, after the message's own. It has no colour; the
 * command adds that. Of a long line the part around the caret is shown.
 */
#include "compile/support/unit.h"
#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum {
    COLUMNS_MAX = 110, /* of a line, without the gutter */
    TAB_STOP = 8,
    LINE_MAX_SHOWN = 4096 /* bytes; clang shows nothing of longer ones either */
};

/* One line of a snippet: `  12 | text`, or `     | text` if number is 0. */
struct row {
    unsigned number;
    const char *text;
    size_t length;
};

/* Take the next line of clang's output, if it belongs to a snippet. */
static bool take_row(const char **cursor, struct row *row)
{
    const char *c = *cursor + strspn(*cursor, " ");
    char *end;
    row->number = isdigit((unsigned char)*c) ? (unsigned)strtoul(c, &end, 10) : 0;
    if (row->number)
        c = end;
    c += strspn(c, " ");
    if (*c != '|' || c - *cursor < 5)
        return false;
    c += c[1] == ' ' ? 2 : 1;
    row->text = c;
    row->length = strcspn(c, "\n");
    *cursor = c + row->length + (c[row->length] == '\n');
    while (row->length && row->text[row->length - 1] == ' ')
        row->length--;
    return true;
}

static bool is_mark(const struct row *row)
{
    return !row->number && memchr(row->text, '^', row->length);
}

/* A character of UTF-8 is one column: its first byte counts. */
static bool begins_column(char c)
{
    return ((unsigned char)c & 0xc0) != 0x80;
}

static size_t columns_of(const char *text, size_t length)
{
    size_t columns = 0;
    for (size_t i = 0; i < length; i++)
        columns += begins_column(text[i]);
    return columns;
}

/* The part of a line that is shown. */
struct window {
    size_t begin, end; /* columns */
};

static struct window window_around(size_t caret, size_t columns)
{
    struct window w = {0, columns};
    if (columns <= COLUMNS_MAX)
        return w;
    w.begin = caret > COLUMNS_MAX / 2 ? caret - COLUMNS_MAX / 2 : 0;
    if (w.begin + COLUMNS_MAX > columns)
        w.begin = columns > COLUMNS_MAX && caret < columns ? columns - COLUMNS_MAX : w.begin;
    w.end = w.begin + COLUMNS_MAX;
    return w;
}

/* Three columns at an end of the window tell that the line continues. */
static void add_row(struct lw__text *out, const struct row *row, struct window w)
{
    const size_t columns = columns_of(row->text, row->length);
    const bool before = row->number && w.begin, after = row->number && columns > w.end;
    size_t column = 0, kept;
    if (row->number)
        lw__text_add(out, "%5u |", row->number);
    else
        lw__text_add(out, "      |");
    kept = out->length;
    for (size_t i = 0; i < row->length; i++) {
        if (i && begins_column(row->text[i]))
            column++;
        if (column < w.begin || column >= w.end)
            continue;
        if (out->length == kept)
            lw__text_add(out, " ");
        const bool dot = (before && column < w.begin + 3) || (after && column + 3 >= w.end);
        if (!dot)
            lw__text_add_bytes(out, row->text + i, 1);
        else if (begins_column(row->text[i]))
            lw__text_add(out, ".");
    }
    while (out->length > kept && out->data[out->length - 1] == ' ')
        out->data[--out->length] = 0;
    lw__text_add(out, "\n");
}

static void add_picture(struct lw__text *rows, const struct lw__text *picture)
{
    size_t length = picture->length;
    while (length && picture->data[length - 1] == '\n')
        length--;
    if (!length)
        return;
    lw__text_add(rows, "shown\t");
    lw__row_field(rows, picture->data, length);
    lw__text_add(rows, "\n");
}

/* clang's snippet: the caret's column, the longest line, and the line number. */
struct drawn {
    size_t caret, columns;
    unsigned number;
};

static struct drawn survey(const char *cursor)
{
    struct drawn drawn = {0};
    bool is_found = false;
    unsigned number = 0;
    struct row row;
    while (take_row(&cursor, &row)) {
        const size_t columns = columns_of(row.text, row.length);
        drawn.columns = columns > drawn.columns ? columns : drawn.columns;
        number = row.number ? row.number : number;
        if (!is_found && is_mark(&row)) {
            const char *caret = memchr(row.text, '^', row.length);
            drawn.caret = (size_t)(caret - row.text);
            drawn.number = number;
            is_found = true;
        }
    }
    return drawn;
}

const char *lw__snippet_skip(const char *text)
{
    struct row row;
    while (take_row(&text, &row))
        ;
    return text;
}

/* clang numbers the lines of the file in the snippet, but its message follows #line: the message is
 * right. */
void lw__snippet_take(const struct lw__diags *diags, const char *text, unsigned line)
{
    const struct drawn drawn = survey(text);
    const struct window window = window_around(drawn.caret, drawn.columns);
    struct lw__text picture = lw__text_in(diags->scratch);
    struct row row;
    while (take_row(&text, &row)) {
        if (row.number && drawn.number && line)
            row.number += line - drawn.number;
        add_row(&picture, &row, window);
    }
    add_picture(diags->rows, &picture);
}

/* ---- of our own messages ---- */

/* The line as it is displayed, tabs as blanks, from its first column on; and the columns of the
 * caret and of the end of the word there. */
static void draw_line(struct lw__text *line, const char *from, size_t length, size_t at,
                      size_t *caret, size_t *end)
{
    size_t column = 0, word = at;
    while (word < length && lw__is_word_char(from[word]))
        word++;
    for (size_t i = 0; i < length; i++) {
        if (i == at)
            *caret = column;
        if (i == word)
            *end = column;
        const bool is_odd = (unsigned char)from[i] < ' ' || from[i] == 0x7f;
        const size_t blanks = from[i] == '\t' ? TAB_STOP - column % TAB_STOP : 0;
        if (blanks)
            lw__text_add(line, "%*s", (int)blanks, "");
        else
            lw__text_add_bytes(line, is_odd ? "?" : from + i, 1);
        column += blanks ? blanks : begins_column(from[i]);
    }
    if (word >= length)
        *end = column;
}

static void draw(const struct lw__diags *diags, unsigned number, const char *from, size_t length,
                 size_t at)
{
    struct lw__text line = lw__text_in(diags->scratch), mark = line, picture = line;
    size_t caret = 0, end = 0;
    draw_line(&line, from, length, at, &caret, &end);
    lw__text_add(&mark, "%*s^", (int)caret, "");
    for (size_t i = caret + 1; i < end; i++)
        lw__text_add(&mark, "~");
    const struct window window = window_around(caret, columns_of(line.data, line.length));
    add_row(&picture, &(struct row){number, line.data, line.length}, window);
    add_row(&picture, &(struct row){0, mark.data, mark.length}, window);
    add_picture(diags->rows, &picture);
}

void lw__snippet_draw(struct lw__diags *diags, struct lw__loc loc, unsigned column)
{
    size_t length;
    const char *line = loc.line && column ? lw__front_line(diags, loc, &length) : NULL;
    if (line && length && line[length - 1] == '\r')
        length--;
    if (line && column <= length && length <= LINE_MAX_SHOWN)
        draw(diags, loc.line, line, length, column - 1);
}
