/* suppress.c - a file of findings that are known and not to be told.
 *
 * Each line is a class, or `*`, and where that is not anywhere a file, or a file and a line:
 *
 *     benign-write            # of all files
 *     race-global  flags.c
 *     *            src/old.c:31
 */
#include "run/check/check.h"
#include "base/nearest.h"
#include <assert.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

struct row {
    char *class, *file; /* file NULL: any */
    int line;           /* 0: any */
    int own_line;       /* in the file of suppressions */
};

struct lw__suppressions {
    atomic_size_t holds;
    char *name; /* of the file */
    struct row *rows;
    size_t count;
};

struct lw__suppressions *lw__suppressions_hold(struct lw__suppressions *s)
{
    assert(!s || atomic_load(&s->holds) > 0);
    if (s)
        atomic_fetch_add(&s->holds, 1);
    return s;
}

void lw__suppressions_release(struct lw__suppressions *s)
{
    if (!s || atomic_fetch_sub(&s->holds, 1) != 1)
        return;
    for (size_t i = 0; i < s->count; i++) {
        free(s->rows[i].class);
        free(s->rows[i].file);
    }
    free(s->rows);
    free(s->name);
    free(s);
}

/* ---- reading --------------------------------------------------------------------------------- */

/* "FILE:LINE" becomes a file and a line. */
static void cut_line(char *place, int *line)
{
    char *colon = strrchr(place, ':'), *end;
    if (!colon || !colon[1] || strspn(colon + 1, "0123456789") != strlen(colon + 1))
        return;
    const long number = strtol(colon + 1, &end, 10);
    *line = number > 0 && number < INT32_MAX ? (int)number : INT32_MAX;
    *colon = '\0';
}

/* A line without its comment and the blanks around it, cut up. */
static lw_status read_row(struct lw__suppressions *s, int number, char *text)
{
    static const char blanks[] = " \t\r";
    char *class = text + strspn(text, blanks);
    const size_t length = strcspn(class, blanks);
    char *place = class + length + strspn(class + length, blanks), *end = place + strlen(place);
    struct row *row = &s->rows[s->count];
    while (end > place && strchr(blanks, end[-1]))
        *--end = '\0';
    if (!length)
        return LW_OK;
    class[length] = '\0';
    if (strcmp(class, "*") && !lw__check_is_class(class, length)) {
        struct lw__nearest nearest = {.typed = class, .length = length};
        lw__check_try_classes(&nearest);
        return lw__fail(LW_E_ARG, "%s:%d: '%s' is no class of findings%s", s->name, number, class,
                        lw__nearest_text(&nearest));
    }
    *row = (struct row){.own_line = number};
    if (*place)
        cut_line(place, &row->line);
    row->class = lw__copy_string(class);
    row->file = *place ? lw__copy_string(place) : NULL;
    s->count++;
    if (!row->class || (*place && !row->file))
        return lw__fail(LW_E_MEMORY, "out of memory: the suppressions of '%s'", s->name);
    return LW_OK;
}

static size_t count_lines(const char *text)
{
    size_t count = 1;
    for (; *text; text++)
        count += *text == '\n';
    return count;
}

static lw_status read_rows(struct lw__suppressions *s, const char *path, struct lw__bytes *file)
{
    s->name = lw__copy_string(path);
    s->rows = calloc(count_lines(file->bytes), sizeof *s->rows);
    if (!s->name || !s->rows)
        return lw__fail(LW_E_MEMORY, "out of memory: the suppressions of '%s'", path);
    if (strlen(file->bytes) != file->length)
        return lw__fail(LW_E_ARG, "%s: this is no text: a byte of it is 0", path);
    int number = 1;
    for (char *line = file->bytes, *end; line; line = end, number++) {
        end = strchr(line, '\n');
        if (end)
            *end++ = '\0';
        line[strcspn(line, "#")] = '\0';
        LW_TRY(read_row(s, number, line));
    }
    return LW_OK;
}

lw_status lw__suppressions_read(const char *path, struct lw__suppressions **out)
{
    struct lw__bytes file = {0};
    *out = NULL;
    LW_TRY(lw__read_file(path, &file));
    struct lw__suppressions *s = calloc(1, sizeof *s);
    if (s)
        atomic_init(&s->holds, 1);
    const lw_status status =
        s ? read_rows(s, path, &file)
          : lw__fail(LW_E_MEMORY, "out of memory: the suppressions of '%s'", path);
    free(file.bytes);
    if (status)
        lw__suppressions_release(s);
    else
        *out = s;
    return status;
}

/* ---- asking ---------------------------------------------------------------------------------- */

/* A file is named by the end of its path. */
static bool is_file(const char *path, const char *name)
{
    const size_t length = strlen(path), end = strlen(name);
    return length >= end && !strcmp(path + length - end, name) &&
           (length == end || path[length - end - 1] == '/');
}

static bool is_at(const struct row *row, const lw_place *place)
{
    return place->file && (!row->file || is_file(place->file, row->file)) &&
           (!row->line || row->line == place->line);
}

bool lw__suppressions_find(const struct lw__suppressions *s, const lw_finding *finding,
                           struct lw__message *by)
{
    for (size_t i = 0; s && i < s->count; i++) {
        const struct row *row = &s->rows[i];
        if (strcmp(row->class, "*") && strcmp(row->class, finding->name))
            continue;
        if (!is_at(row, &finding->at) && !is_at(row, &finding->other))
            continue;
        lw__message_add(by, "%s:%d", s->name, row->own_line);
        return true;
    }
    return false;
}
