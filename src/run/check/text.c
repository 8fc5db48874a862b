/* text.c - a finding as a paragraph: what is wrong, the lines of the source, what to do.
 *
 *     dot.c:12:21: race-shared: thread 3 writes part[3] while thread 1 reads it at dot.c:12:24 ...
 *        12 |             part[i] += part[i + half];
 *           |                     ^  ^
 *        fix: barrier() between the two accesses; seen 6 times
 */
#include "run/check/check.h"
#include <stdlib.h>
#include <string.h>

enum { GUTTER = 6 };

/* A line of a text, without its end; NULL: there is none. */
static const char *line_of(const char *text, int line, size_t *length)
{
    while (text && --line > 0) {
        text = strchr(text, '\n');
        text = text ? text + 1 : NULL;
    }
    if (!text || !*text)
        return NULL;
    *length = strcspn(text, "\r\n");
    return text;
}

/* What stands below a line: a mark at a column, and at another that is 0 or further right. Tabs
 * are as they are above. */
static void add_marks(struct lw__text *to, const char *line, size_t length, int column, int other)
{
    for (int i = 1; i <= column || i <= other; i++) {
        const bool is_tab = (size_t)i <= length && line[i - 1] == '\t';
        lw__text_add(to, "%c", i == column || i == other ? '^' : is_tab ? '\t' : ' ');
    }
    lw__text_add(to, "\n");
}

static void add_line(struct lw__text *to, const lw_place *place, int other_column)
{
    struct lw__bytes file = {0};
    size_t length;
    if (place->line < 1 || lw__read_file(place->file, &file))
        return;
    const char *line = line_of(file.bytes, place->line, &length);
    if (line) {
        lw__text_add(to, "%*d | %.*s\n%*s | ", GUTTER, place->line, (int)length, line, GUTTER, "");
        add_marks(to, line, length, place->column, other_column);
    }
    free(file.bytes);
}

static void add_lines(struct lw__text *to, const lw_place *at, const lw_place *other)
{
    const bool is_one = other->file && at->line == other->line && !strcmp(at->file, other->file);
    add_line(to, at, is_one ? other->column : 0);
    if (other->file && !is_one)
        add_line(to, other, 0);
}

void lw__check_text(struct lw__text *to, const lw_finding *f)
{
    lw__text_add(to, "%s:%d:%d: %s%s: %s\n", f->at.file, f->at.line, f->at.column,
                 f->warning ? "warning: " : "", f->name, f->message);
    add_lines(to, &f->at, &f->other);
    lw__text_add(to, "   fix: %s", f->fix);
    if (f->count > 1)
        lw__text_add(to, "; seen %zu times", f->count);
    lw__text_add(to, "\n");
}
