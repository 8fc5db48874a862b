/* message.c - the compiler's messages on standard error, as clang has them: a line, its picture,
 * colours where they are wanted.
 */
#include "cli/core/cli.h"
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define BOLD "\033[1m"
#define RED "\033[1;31m"
#define GREEN "\033[1;32m"
#define PLAIN "\033[0m"

/* What --color says; until it is read, AUTO. */
static enum cli_color chosen;

void cli_choose_color(enum cli_color color)
{
    chosen = color;
}

void cli_message_begin(void)
{
    const bool color = cli_wants_color(chosen);
    fprintf(stderr, "%slanewise:%s ", color ? RED : "", color ? PLAIN : "");
}

bool cli_wants_color(enum cli_color color)
{
    const char *no_color = getenv("NO_COLOR"), *term = getenv("TERM");
    if (color != CLI_COLOR_AUTO)
        return color == CLI_COLOR_ALWAYS;
    if ((no_color && *no_color) || (term && strcmp(term, "dumb") == 0))
        return false;
    return isatty(STDERR_FILENO) == 1;
}

static const char *color_of(const char *severity)
{
    return strcmp(severity, "error") == 0     ? RED
           : strcmp(severity, "warning") == 0 ? "\033[1;35m"
           : strcmp(severity, "remark") == 0  ? "\033[1;34m"
                                              : "\033[1;36m";
}

/* print_picture - lines of the source are numbered and plain, what stands below them is green. */
static void print_picture(const char *picture, bool color)
{
    while (*picture) {
        int length = (int)strcspn(picture, "\n");
        const char *bar = memchr(picture, '|', (size_t)length);
        int gutter = bar ? (int)(bar - picture) + 1 : 0;
        bool is_source = (int)strcspn(picture, "0123456789") < gutter;
        if (color && bar && !is_source)
            fprintf(stderr, "%.*s" GREEN "%.*s" PLAIN "\n", gutter, picture, length - gutter,
                    picture + gutter);
        else
            fprintf(stderr, "%.*s\n", length, picture);
        picture += length + (picture[length] == '\n');
    }
}

void cli_message_print(const lw_diagnostic *diagnostic, bool color)
{
    fputs(color ? BOLD : "", stderr);
    if (*diagnostic->file)
        fprintf(stderr, "%s:", diagnostic->file);
    if (diagnostic->line > 0)
        fprintf(stderr, "%d:%d:", diagnostic->line, diagnostic->column);
    fputs(*diagnostic->file ? " " : "", stderr);
    if (color)
        fprintf(stderr, "%s%s: " PLAIN BOLD "%s" PLAIN "\n", color_of(diagnostic->severity),
                diagnostic->severity, diagnostic->text);
    else
        fprintf(stderr, "%s: %s\n", diagnostic->severity, diagnostic->text);
    if (diagnostic->picture)
        print_picture(diagnostic->picture, color);
}
