/* read.c - a puzzle's check.txt: lines of a word and what it says. docs/puzzles.md.
 */
#include "cli/learn/learn.h"
#include <stdlib.h>
#include <string.h>

struct reading {
    struct learn_puzzle *puzzle;
    struct learn_test *test; /* that the lines are of */
    int line;
};

static int fail(const struct reading *r, const char *what, const char *word)
{
    return cli_fail(CLI_BROKEN, "%s/check.txt:%d: %s '%s'", r->puzzle->folder, r->line, what, word);
}

/* next_word - cut the first word off *text; "" where there is none. */
static const char *next_word(char **text)
{
    char *word = *text + strspn(*text, " ");
    *text = word + strcspn(word, " ");
    if (**text)
        *(*text)++ = '\0';
    *text += strspn(*text, " ");
    return word;
}

static int add(const struct reading *r, const char **list, size_t *count, size_t most,
               const char *text)
{
    if (*count == most)
        return fail(r, "there is no room for", text);
    list[(*count)++] = text;
    return CLI_DONE;
}

/* ---- arrays ---------------------------------------------------------------------------------- */

/* read_type - "f32[n,m]" */
static int read_type(const struct reading *r, char *text, struct learn_array *array)
{
    char *shape = strchr(text, '['), *end = shape ? strchr(shape, ']') : NULL;
    if (!end || end[1] || !lw__dtype_find(text, (size_t)(shape - text), &array->dtype))
        return fail(r, "no TYPE[SHAPE]:", text);
    *end = '\0';
    array->shape = shape + 1;
    return CLI_DONE;
}

/* read_array - NAME TYPE[SHAPE] [= FILL] [by BLOCK THREAD] */
static int read_array(struct reading *r, enum learn_role role, char *text)
{
    struct learn_test *test = r->test;
    if (test->array_count == LEARN_ARRAYS)
        return fail(r, "there is no room for", text);
    struct learn_array *array = &test->arrays[test->array_count++];
    *array = (struct learn_array){.role = role, .name = next_word(&text)};
    int failed = read_type(r, (char *)next_word(&text), array);
    char *by = text ? strstr(text, "by ") : NULL;
    if (!failed && by) {
        char *rest = by + 3;
        while (by > text && by[-1] == ' ')
            by--;
        *by = '\0';
        array->writer_block = next_word(&rest);
        array->writer_thread = next_word(&rest);
    }
    if (!failed && *text == '=')
        array->fill = text + 1 + strspn(text + 1, " ");
    if (!failed && !array->fill && (role == LEARN_IN || role == LEARN_INOUT))
        failed = fail(r, "no fill for", array->name);
    return failed;
}

static int read_in(struct reading *r, char *text)
{
    return read_array(r, LEARN_IN, text);
}

static int read_out(struct reading *r, char *text)
{
    return read_array(r, LEARN_OUT, text);
}

static int read_inout(struct reading *r, char *text)
{
    return read_array(r, LEARN_INOUT, text);
}

static int read_scratch(struct reading *r, char *text)
{
    return read_array(r, LEARN_SCRATCH, text);
}

/* ---- other lines ----------------------------------------------------------------------------- */

static int read_title(struct reading *r, char *text)
{
    r->puzzle->title = text;
    return CLI_DONE;
}

static int read_teaches(struct reading *r, char *text)
{
    r->puzzle->teaches = text;
    return CLI_DONE;
}

static int read_picture(struct reading *r, char *text)
{
    r->puzzle->picture = text;
    return CLI_DONE;
}

static int read_run(struct reading *r, char *text)
{
    struct learn_puzzle *puzzle = r->puzzle;
    return add(r, puzzle->runs, &puzzle->run_count, LEARN_RUNS, text);
}

/* read_program - of examples/check. */
static int read_program(struct reading *r, char *text)
{
    (void)r, (void)text;
    return CLI_DONE;
}

static int read_test(struct reading *r, char *text)
{
    struct learn_puzzle *puzzle = r->puzzle;
    if (puzzle->test_count == LEARN_TESTS)
        return fail(r, "there is no room for", text);
    r->test = &puzzle->tests[puzzle->test_count++];
    *r->test = puzzle->common;
    r->test->name = text;
    return CLI_DONE;
}

static int read_reference(struct reading *r, char *text)
{
    r->test->reference = text;
    return CLI_DONE;
}

static int read_case(struct reading *r, char *text)
{
    return add(r, r->test->cases, &r->test->case_count, LEARN_CASES, text);
}

static int read_let(struct reading *r, char *text)
{
    return add(r, r->test->lets, &r->test->let_count, LEARN_LETS, text);
}

static int read_define(struct reading *r, char *text)
{
    return add(r, r->test->defines, &r->test->define_count, LEARN_LETS, text);
}

static int read_tolerance(struct reading *r, char *text)
{
    char *end;
    r->test->tolerance = strtod(text, &end);
    return *end || end == text ? fail(r, "no number:", text) : CLI_DONE;
}

static int read_lenient(struct reading *r, char *text)
{
    r->test->is_lenient = true;
    return *text ? fail(r, "nothing may follow lenient:", text) : CLI_DONE;
}

/* read_need - CONDITION WHY */
static int read_need(struct reading *r, char *text)
{
    if (r->test->need_count == LEARN_NEEDS)
        return fail(r, "there is no room for", text);
    struct learn_need *need = &r->test->needs[r->test->need_count++];
    need->condition = next_word(&text);
    need->why = text;
    return *text ? CLI_DONE : fail(r, "no reason for", need->condition);
}

/* read_launch - KERNEL grid X block X [shared BYTES] args A B C */
static int read_launch(struct reading *r, char *text)
{
    if (r->test->launch_count == LEARN_LAUNCHES)
        return fail(r, "there is no room for", text);
    struct learn_launch *launch = &r->test->launches[r->test->launch_count++];
    *launch = (struct learn_launch){.kernel = next_word(&text), .grid = "1", .block = "256"};
    while (*text) {
        const char *word = next_word(&text);
        if (strcmp(word, "grid") == 0)
            launch->grid = next_word(&text);
        else if (strcmp(word, "block") == 0)
            launch->block = next_word(&text);
        else if (strcmp(word, "shared") == 0)
            launch->shared = next_word(&text);
        else if (strcmp(word, "args") != 0)
            return fail(r, "a launch has no", word);
        else
            break;
    }
    while (*text) {
        int failed = add(r, launch->args, &launch->arg_count, LEARN_PARAMS, next_word(&text));
        if (failed)
            return failed;
    }
    return CLI_DONE;
}

/* ---- the file -------------------------------------------------------------------------------- */

static int read_line(struct reading *r, char *line)
{
    static const struct {
        const char *word;
        int (*read)(struct reading *r, char *text);
    } rows[] = {
        {"title", read_title},
        {"teaches", read_teaches},
        {"picture", read_picture},
        {"run", read_run},
        {"program", read_program},
        {"test", read_test},
        {"case", read_case},
        {"reference", read_reference},
        {"let", read_let},
        {"define", read_define},
        {"tolerance", read_tolerance},
        {"need", read_need},
        {"launch", read_launch},
        {"in", read_in},
        {"out", read_out},
        {"inout", read_inout},
        {"scratch", read_scratch},
        {"lenient", read_lenient},
    };
    if (*line == '#' || line[strspn(line, " ")] == '\0')
        return CLI_DONE;
    const char *word = next_word(&line);
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++)
        if (strcmp(rows[i].word, word) == 0)
            return rows[i].read(r, line);
    return fail(r, "no such word:", word);
}

/* check_puzzle - is all there that the rest relies on? */
static int check_puzzle(struct reading *r)
{
    struct learn_puzzle *puzzle = r->puzzle;
    if (puzzle->test_count == 0)
        puzzle->tests[puzzle->test_count++] = puzzle->common;
    if (!puzzle->title || !puzzle->teaches || puzzle->run_count == 0)
        return fail(r, "title, teaches and run are needed in", puzzle->name);
    for (size_t i = 0; i < puzzle->test_count; i++)
        if (puzzle->tests[i].case_count == 0 || puzzle->tests[i].launch_count == 0)
            return fail(r, "a case and a launch are needed in", puzzle->name);
    return CLI_DONE;
}

int learn_read(const char *folder, const char *name, struct learn_puzzle *puzzle)
{
    struct reading r = {.puzzle = puzzle, .test = &puzzle->common};
    *puzzle = (struct learn_puzzle){.common = {.reference = "reference", .tolerance = 1e-5}};
    snprintf(puzzle->name, sizeof puzzle->name, "%s", name);
    snprintf(puzzle->folder, sizeof puzzle->folder, "%.*s/%.60s", PATH_MAX - 64, folder, name);
    snprintf(puzzle->mine, sizeof puzzle->mine, LEARN_FOLDER "/%.60s.c", name);
    int failed = learn_text(puzzle->folder, "check.txt", &puzzle->text);
    for (char *line = puzzle->text, *end; !failed && *line; line = end) {
        end = line + strcspn(line, "\n");
        if (*end)
            *end++ = '\0';
        r.line++;
        failed = read_line(&r, line);
    }
    return failed ? failed : check_puzzle(&r);
}

void learn_free(struct learn_puzzle *puzzle)
{
    free(puzzle->text);
    puzzle->text = NULL;
}
