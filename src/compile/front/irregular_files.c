/* irregular_files.c - an #include of a named pipe, a device or a socket, for which clang could wait
 * for ever.
 *
 * The text and the user's headers are searched for lines that begin with #include or #embed, and
 * the names looked up as clang does. It is no preprocessor: a line that is not taken counts, too,
 * and a name in a macro is not seen. For that one there is the limit by the clock.
 */
#include "base/base.h"
#include "compile/front/front.h"
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum { FILES_MAX = 1000 };

struct search {
    struct lw__unit *unit;
    const char *files[FILES_MAX]; /* those searched, and to be searched; NULL: the main text */
    size_t count;
};

/* The name after an #include, from its quote or bracket on. */
struct included {
    const char *name;
    size_t length;
    bool is_quoted;
    unsigned line, column;
};

static const char *skip_blanks(const char *c)
{
    return c + strspn(c, " \t\v\f");
}

/* False: the line includes nothing, or by a macro. */
static bool read_line(const char *line, struct included *i)
{
    static const char *const words[] = {"include_next", "include", "import", "embed"};
    const char *c = skip_blanks(line);
    size_t w = 0;
    if (*c != '#')
        return false;
    c = skip_blanks(c + 1);
    while (w < 4 && strncmp(c, words[w], strlen(words[w])) != 0)
        w++;
    c = w < 4 ? skip_blanks(c + strlen(words[w])) : "";
    i->is_quoted = *c == '"';
    i->column = (unsigned)(c - line) + 1;
    i->name = c + 1;
    if (!i->is_quoted && *c != '<')
        return false;
    i->length = strcspn(i->name, i->is_quoted ? "\"\n" : ">\n");
    return i->name[i->length] == (i->is_quoted ? '"' : '>');
}

/* True if a file is there, which clang would read. */
static bool is_there(const struct lw__text *path, struct stat *info)
{
    return !stat(path->data, info) && !S_ISDIR(info->st_mode);
}

/* The path of what is included by the file, or by the main text, as clang looks for it. */
static bool find(const struct search *s, const char *file, const struct included *i,
                 struct lw__text *path, struct stat *info)
{
    const struct lw__options *o = s->unit->options;
    const char *of = file ? file : o->path ? o->path : o->name, *slash = strrchr(of, '/');
    const int folder = slash && *i->name != '/' ? (int)(slash - of) + 1 : 0;
    if (i->is_quoted || *i->name == '/') {
        lw__text_add(path, "%.*s%.*s", folder, of, (int)i->length, i->name);
        if (is_there(path, info) || *i->name == '/')
            return is_there(path, info);
    }
    for (size_t k = 0; k < o->clang_arg_count; k++) {
        path->length = 0;
        lw__text_add(path, "%s/%.*s", o->clang_args[k] + 2, (int)i->length, i->name);
        if (!strncmp(o->clang_args[k], "-I", 2) && is_there(path, info))
            return true;
    }
    return false;
}

static bool has_file(const struct search *s, const char *path)
{
    for (size_t k = 0; k < s->count; k++)
        if (s->files[k] && !strcmp(s->files[k], path))
            return true;
    return false;
}

static void judge(struct search *s, const char *file, const struct included *i)
{
    struct lw__unit *unit = s->unit;
    const struct lw__loc at = {.file = file,
                               .file_length = file ? (unsigned)strlen(file) : 0,
                               .directory = ".",
                               .directory_length = 1,
                               .line = i->line,
                               .column = i->column};
    struct lw__text path = lw__text_in(&unit->scratch);
    struct stat info;
    const bool is_found = find(s, file, i, &path, &info);
    if (is_found && !S_ISREG(info.st_mode))
        lw__diags_error(&unit->diags, at, "'%s' is %s; need a regular file", path.data,
                        lw__file_kind(info.st_mode));
    else if (is_found && s->count < FILES_MAX && !has_file(s, path.data))
        s->files[s->count++] = path.data;
}

static bool read_text(const struct search *s, const char *file, struct lw__text *text)
{
    const struct lw__options *o = s->unit->options;
    const char *path = file ? file : o->path;
    const int opened = path ? open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK) : o->source_fd;
    const bool is_read = opened >= 0 && lw__read_all(opened, text);
    if (path && opened >= 0)
        close(opened);
    return is_read;
}

void lw__front_regular(struct lw__unit *unit)
{
    struct search s = {.unit = unit, .count = 1};
    for (size_t k = 0; k < s.count; k++) {
        struct lw__text text = lw__text_in(&unit->scratch);
        struct included i = {.line = 1};
        const char *line = read_text(&s, s.files[k], &text) ? text.data : NULL;
        for (; line; i.line++) {
            if (read_line(line, &i))
                judge(&s, s.files[k], &i);
            line = strchr(line, '\n');
            line = line ? line + 1 : NULL;
        }
    }
}
