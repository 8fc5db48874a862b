/* text.c - a finding as a paragraph: what is wrong, the lines of the source, what to do.
 *
 *     dot.c:12:21: race-shared: thread 3 writes part[3] while thread 1 reads it at dot.c:12:24 ...
 *        12 |             part[i] += part[i + half];
 *           |                     ^  ^
 *        fix: barrier() between the two accesses; seen 6 times
 */
#include "run/check/check.h"
#include <string.h>

enum { GUTTER = 6 };

/* The line, and below it a mark at a column, and at another that is 0 or further right. Columns
 * count bytes. A character of UTF-8 has one place, that of its first byte. Tabs are as they are
 * above. */
static void add_line(struct lw__text *to, const lw_place *place, const char *line, int other_column)
{
    const size_t length = line ? strlen(line) : 0;
    if (!line)
        return;
    lw__text_add(to, "%*d | %s\n%*s | ", GUTTER, place->line, line, GUTTER, "");
    for (int i = 1; i <= place->column || i <= other_column; i++) {
        const char above = (size_t)i <= length ? line[i - 1] : ' ';
        if (i == place->column || i == other_column)
            lw__text_add(to, "^");
        else if ((above & 0xc0) != 0x80)
            lw__text_add(to, "%c", above == '\t' ? '\t' : ' ');
    }
    lw__text_add(to, "\n");
}

void lw__check_text(struct lw__text *to, const struct lw__told *told)
{
    const lw_finding *f = &told->finding;
    lw__text_add(to, "%s:%d:%d: %s%s%s: %s\n", f->at.file, f->at.line, f->at.column,
                 told->suppressed_by ? "suppressed: " : "", f->warning ? "warning: " : "", f->name,
                 f->message);
    const lw_place *at = &told->finding.at, *other = &told->finding.other;
    const bool is_one = other->file && at->line == other->line && !strcmp(at->file, other->file);
    add_line(to, at, told->line, is_one ? other->column : 0);
    if (other->file && !is_one)
        add_line(to, other, told->other_line, 0);
    for (size_t i = 0; i < f->stack_count; i++)
        lw__text_add(to, "   called at %s:%d:%d\n", f->stack[i].file, f->stack[i].line,
                     f->stack[i].column);
    if (told->suppressed_by)
        lw__text_add(to, "   by: %s", told->suppressed_by);
    else
        lw__text_add(to, "   fix: %s", f->fix);
    if (f->count > 1)
        lw__text_add(to, "; seen %zu times", f->count);
    lw__text_add(to, "\n");
    if (told->note)
        lw__text_add(to, "   note: %s\n", told->note);
}
