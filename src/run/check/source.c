/* source.c - lines of the source of a launch: of the text that was built, else of the file.
 */
#include "run/check/check.h"
#include "base/nearest.h"
#include <stdlib.h>
#include <string.h>

static const char allow[] = "lanewise-allow:";

/* A line of a text, without its end; NULL: there is none. */
static const char *line_of(const char *text, int line, size_t *length)
{
    if (line < 1)
        return NULL;
    while (text && --line > 0) {
        text = strchr(text, '\n');
        text = text ? text + 1 : NULL;
    }
    if (!text || !*text)
        return NULL;
    *length = strcspn(text, "\r\n");
    return text;
}

static bool copy_line(const char *text, int line, char **copy)
{
    size_t length;
    const char *at = line_of(text, line, &length);
    *copy = at ? strndup(at, length) : NULL;
    return !at || *copy;
}

bool lw__source_line(const struct lw__launch *request, const char *file, int line, char **copy)
{
    struct lw__bytes read = {0};
    *copy = NULL;
    if (!file)
        return true;
    if (request->source && !strcmp(file, request->source_name))
        return copy_line(request->source, line, copy);
    const lw_status status = lw__read_file(file, &read);
    if (status)
        return status != LW_E_MEMORY;
    const bool is_copied = copy_line(read.bytes, line, copy);
    free(read.bytes);
    return is_copied;
}

/* ---- what a comment allows ------------------------------------------------------------------- */

/* A word of a comment that names no class. */
static void add_misspelt(struct lw__message *m, const lw_place *place, const char *word, int length)
{
    struct lw__nearest nearest = {.typed = word, .length = (size_t)length};
    if (m->length)
        return;
    lw__check_try_classes(&nearest);
    lw__message_add(m, "'%.*s' in the comment at %s:%d is no class of findings%s", length, word,
                    place->file, place->line, lw__nearest_text(&nearest));
}

/* True if the line, which is at the place, has such a comment that names the class. */
static bool names(const char *line, const lw_place *place, const char *class,
                  struct lw__message *misspelt)
{
    static const char between[] = " \t,", letters[] = "abcdefghijklmnopqrstuvwxyz-";
    const char *at = line ? strstr(line, allow) : NULL;
    if (!at)
        return false;
    size_t length;
    for (at += strlen(allow); *(at += strspn(at, between)); at += length) {
        length = strspn(at, letters);
        if (length && !lw__check_is_class(at, length))
            add_misspelt(misspelt, place, at, (int)length);
        if (!length || !lw__check_is_class(at, length))
            return false;
        if (strlen(class) == length && !strncmp(at, class, length))
            return true;
    }
    return false;
}

static bool is_comment(const char *line)
{
    const char *at = line + strspn(line, " \t");
    return at[0] == '/' && (at[1] == '/' || at[1] == '*');
}

bool lw__source_allows(const struct lw__launch *request, const lw_place *place, const char *class,
                       struct lw__message *misspelt, bool *allows)
{
    const lw_place before = {.file = place->file, .line = place->line - 1};
    char *own, *above = NULL;
    bool is_known = lw__source_line(request, place->file, place->line, &own);
    if (own)
        is_known = lw__source_line(request, place->file, before.line, &above);
    *allows = names(own, place, class, misspelt) ||
              (above && is_comment(above) && names(above, &before, class, misspelt));
    free(own);
    free(above);
    return is_known;
}
