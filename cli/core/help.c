/* help.c - `lanewise help [COMMAND]`, from the rows of help.def, in lines of 80 columns.
 */
#include "cli/core/cli.h"
#include <string.h>

enum { WIDTH = 79, COLUMN = 22 };

/* ---- text in lines --------------------------------------------------------------------------- */

void cli_write_words(FILE *to, const char *words, size_t length, size_t at, size_t indent)
{
    const char *end = words + length;
    bool is_first = true;
    while (words < end) {
        size_t room = (size_t)(end - words), word = strcspn(words, " ");
        word = word < room ? word : room;
        if (!is_first && at + 1 + word > WIDTH) {
            fprintf(to, "\n%*s", (int)indent, "");
            at = indent;
            is_first = true;
        }
        fprintf(to, "%s%.*s", is_first ? "" : " ", (int)word, words);
        at += word + !is_first;
        is_first = false;
        for (words += word; words < end && *words == ' ';)
            words++;
    }
    fputc('\n', to);
}

/* write_item - a term and what it means, beside it or below. */
static void write_item(FILE *to, const char *term, const char *meaning)
{
    size_t length = strlen(term);
    fprintf(to, "  %s", term);
    if (length + 2 < COLUMN)
        fprintf(to, "%*s", (int)(COLUMN - 2 - length), "");
    else
        fprintf(to, "\n%*s", COLUMN, "");
    cli_write_words(to, meaning, strlen(meaning), COLUMN, COLUMN);
}

/* write_about - paragraphs; a line that begins with a blank stays as it is. */
static void write_about(FILE *to, const char *text)
{
    while (*text) {
        size_t length = strcspn(text, "\n");
        if (*text == ' ')
            fprintf(to, "%.*s\n", (int)length, text);
        else
            cli_write_words(to, text, length, 0, 0);
        text += length;
        text += *text == '\n';
        if (*text && *text == ' ' && text[-1 - (ptrdiff_t)length] != ' ')
            fputc('\n', to);
    }
}

/* ---- the rows -------------------------------------------------------------------------------- */

struct row {
    const char *name, *usage, *summary, *about;
    unsigned bit;
};

static const struct row commands[] = {
#define COMMAND(name, bit, function, has_file, usage, summary, about)                              \
    {name, usage, summary, about, bit},
#include "cli/core/help.def"
};
enum { COMMANDS = sizeof commands / sizeof commands[0] };

static const struct {
    const char *name, *value, *help;
    unsigned commands;
} options[] = {
#define OPTION(name, takes, commands, set, value, complete, help) {name, value, help, commands},
#include "cli/core/help.def"
};

static void write_options(FILE *to, unsigned bit)
{
    char term[64];
    fputs("\noptions\n", to);
    for (size_t i = 0; i < sizeof options / sizeof options[0]; i++) {
        const char *value = options[i].value;
        if (!(options[i].commands & bit))
            continue;
        snprintf(term, sizeof term, "%s%s%s", options[i].name,
                 *value && strncmp(value, "[=", 2) != 0 ? " " : "", value);
        write_item(to, term, options[i].help);
    }
    write_item(to, "--", "ends the options");
}

static void write_args(FILE *to, unsigned bit)
{
    if (!(bit & (CLI_RUN | CLI_OP | CLI_BENCH_OP)))
        return;
    fputs("\nARG\n", to);
#define ARG(form, meaning) write_item(to, form, meaning);
#include "cli/core/help.def"
}

static void write_statuses(FILE *to)
{
    fputs("\nexit status\n", to);
#define EXIT(status, meaning) write_item(to, #status, meaning);
#include "cli/core/help.def"
}

/* ---- the texts ------------------------------------------------------------------------------- */

void cli_help(FILE *to)
{
    fputs("lanewise - run and check SIMT kernels written in plain C\n\n"
          "usage: lanewise COMMAND [words]\n"
          "       lanewise --help | --version\n\ncommands\n",
          to);
    for (size_t i = 0; i < COMMANDS; i++)
        write_item(to, commands[i].name, commands[i].summary);
    fputs("\nlanewise help COMMAND, or lanewise COMMAND --help, tells the options of one.\n", to);
    write_statuses(to);
}

bool cli_help_command(FILE *to, const char *name)
{
    for (size_t i = 0; i < COMMANDS; i++) {
        const struct row *row = &commands[i];
        if (strcmp(row->name, name) != 0)
            continue;
        fprintf(to, "usage: lanewise %s %s\n\n", row->name, row->usage);
        cli_write_words(to, row->summary, strlen(row->summary), 0, 0);
        if (*row->about)
            fputc('\n', to);
        write_about(to, row->about);
        if (row->bit)
            write_options(to, row->bit);
        write_args(to, row->bit);
        write_statuses(to);
        return true;
    }
    return false;
}
