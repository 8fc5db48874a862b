/* page.c - a puzzle's README.md as text of 80 columns: paragraphs and lists are broken into
 * lines, code and drawings stay, links lose their addresses.
 */
#include "cli/learn/learn.h"
#include <string.h>

#define HINTS "## Hints"

/* ---- words ----------------------------------------------------------------------------------- */

/* plain - text without the signs of links and emphasis. */
static void plain(const char *text, size_t length, char *to, size_t size)
{
    const char *end = text + length;
    size_t n = 0;
    bool is_code = false;
    while (text < end && n + 1 < size) {
        const char *close =
            *text == ']' && text + 1 < end && text[1] == '(' ? strchr(text, ')') : 0;
        is_code ^= *text == '`';
        if (close && close < end)
            text = close + 1;
        else if (!is_code && (*text == '*' || (*text == '[' && memchr(text, ']', 80))))
            text++;
        else
            to[n++] = *text++;
    }
    to[n] = '\0';
}

void learn_print_words(FILE *to, const char *text, size_t indent)
{
    fprintf(to, "%*s", (int)indent, "");
    cli_write_words(to, text, strlen(text), indent, indent);
}

/* ---- lines ----------------------------------------------------------------------------------- */

static size_t item_length(const char *line)
{
    size_t digits = strspn(line, "0123456789");
    if (strncmp(line, "- ", 2) == 0)
        return 2;
    return digits && strncmp(line + digits, ". ", 2) == 0 ? digits + 2 : 0;
}

/* print_heading - underlined: a title by double lines. */
static void print_heading(FILE *to, const char *line, size_t length)
{
    size_t level = strspn(line, "#"), width = length - level - 1;
    fprintf(to, "%.*s\n", (int)width, line + level + 1);
    for (size_t i = 0; i < width; i++)
        fputc(level == 1 ? '=' : '-', to);
    fputc('\n', to);
}

static void print_line(FILE *to, const char *line, size_t length)
{
    char text[4096];
    size_t item = item_length(line);
    bool is_kept = length == 0 || *line == ' ' || *line == '|';
    if (*line == '#') {
        print_heading(to, line, length);
        return;
    }
    if (is_kept) {
        fprintf(to, "%.*s\n", (int)length, line);
        return;
    }
    plain(line + item, length - item, text, sizeof text);
    fprintf(to, "%.*s", (int)item, line);
    cli_write_words(to, text, strlen(text), item, item);
}

void learn_print_page(FILE *to, const char *markdown)
{
    bool is_code = false;
    for (const char *line = markdown; *line;) {
        size_t length = strcspn(line, "\n");
        bool is_fence = strncmp(line, "```", 3) == 0;
        if (strncmp(line, HINTS, strlen(HINTS)) == 0)
            break;
        is_code ^= is_fence;
        if (is_code && !is_fence)
            fprintf(to, "%s%.*s\n", length ? "    " : "", (int)length, line);
        else if (!is_fence)
            print_line(to, line, length);
        line += length + (line[length] == '\n');
    }
}

void learn_print_hint(FILE *to, const char *markdown, size_t index, size_t *count)
{
    char text[4096];
    const char *line = strstr(markdown, HINTS);
    *count = 0;
    for (line = line ? line + strcspn(line, "\n") : ""; *line;) {
        size_t length = strcspn(line, "\n"), item = item_length(line);
        if (strncmp(line, "## ", 3) == 0)
            break;
        if (item && (*count)++ == index && to) {
            plain(line + item, length - item, text, sizeof text);
            cli_write_words(to, text, strlen(text), 0, 0);
        }
        line += length + (line[length] == '\n');
    }
}
