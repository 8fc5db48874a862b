/* learn.c - `lanewise learn`: the list, a problem, its hints, its solution, a picture, the verdict.
 */
#include "cli/learn/learn.h"
#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* ---- the list -------------------------------------------------------------------------------- */

/* first_open - the index of the first puzzle that is not done; the count where all are. */
static size_t first_open(const struct learn_track *track)
{
    size_t i = 0;
    while (i < track->count && track->done[i])
        i++;
    return i;
}

static int json_list(const struct learn_track *track)
{
    struct learn_puzzle *puzzle = malloc(sizeof *puzzle);
    int failed = puzzle ? CLI_DONE : cli_fail_memory(sizeof *puzzle);
    char *text = NULL;
    size_t size;
    FILE *to = failed ? NULL : open_memstream(&text, &size);
    if (!failed && !to)
        failed = cli_fail_memory(1);
    for (size_t i = 0; i < track->count && !failed; i++) {
        failed = learn_read(track->folder, track->names[i], puzzle);
        fprintf(to, "%s\n  {\"number\": %zu", i ? "," : "", i + 1);
        lw__json_member(to, ", ", "name", track->names[i]);
        lw__json_member(to, ", ", "title", failed ? "" : puzzle->title);
        lw__json_member(to, ", ", "teaches", failed ? "" : puzzle->teaches);
        lw__json_member(to, ", ", "file", puzzle->mine);
        fprintf(to, ", \"done\": %s}", track->done[i] ? "true" : "false");
        learn_free(puzzle);
    }
    int unread = to ? cli_end_text(to, &text) : failed;
    failed = failed ? failed : unread;
    if (!failed) {
        cli_report_begin();
        printf("{\"puzzles\": [%s]}\n", text);
    }
    free(text);
    free(puzzle);
    return failed;
}

static int print_list(const struct learn_track *track)
{
    struct learn_puzzle *puzzle = malloc(sizeof *puzzle);
    int failed = puzzle ? CLI_DONE : cli_fail_memory(sizeof *puzzle);
    size_t next = first_open(track);
    for (size_t i = 0; i < track->count && !failed; i++) {
        failed = learn_read(track->folder, track->names[i], puzzle);
        if (!failed)
            printf("%s %2zu  %-21s%s\n",
                   track->done[i] ? "done"
                   : i == next    ? "next"
                                  : "    ",
                   i + 1, track->names[i], puzzle->teaches);
        learn_free(puzzle);
    }
    free(puzzle);
    if (failed)
        return failed;
    if (next == track->count)
        puts("\nAll are done.");
    else
        printf("\nlanewise learn %zu shows the next one.\n", next + 1);
    return CLI_DONE;
}

/* ---- one puzzle ------------------------------------------------------------------------------ */

/* print_run - a command as one types it: words with brackets in quotes. */
static void print_run(const struct learn_puzzle *puzzle, const char *words)
{
    printf("  lanewise run %s", puzzle->mine);
    for (const char *word = words; *word;) {
        size_t length = strcspn(word, " ");
        bool is_quoted = strcspn(word, "[](){}*") < length;
        bool is_file = *word == '@';
        printf(is_quoted ? " '%s%.*s'" : " %s%.*s", is_file ? "@" LEARN_FOLDER "/" : "",
               (int)length - is_file, word + is_file);
        word += length;
        word += strspn(word, " ");
    }
    putchar('\n');
}

/* print_expected - what the example prints in the end, where that is short. */
static int print_expected(const struct learn_puzzle *puzzle)
{
    enum { SHORT = 500 };
    char *text;
    if (puzzle->run_count > 1)
        return CLI_DONE;
    int failed = learn_text(puzzle->folder, "expected.txt", &text);
    if (!failed && strlen(text) <= SHORT) {
        puts("In the end it prints");
        for (char *line = strtok(text, "\n"); line; line = strtok(NULL, "\n"))
            strlen(line) < 78 ? (void)printf("  %s\n", line) : learn_print_words(stdout, line, 2);
    }
    if (!failed)
        free(text);
    return failed;
}

static int show_problem(const struct learn_puzzle *puzzle)
{
    bool is_new;
    int failed = learn_start(puzzle, &is_new);
    char *page;
    if (!failed)
        failed = learn_text(puzzle->folder, "README.md", &page);
    if (failed)
        return failed;
    learn_print_page(stdout, page);
    free(page);
    printf("Your file is %s%s.\n", puzzle->mine, is_new ? ", a copy of the skeleton" : "");
    puts("Run it on the example:");
    print_run(puzzle, puzzle->runs[0]);
    failed = print_expected(puzzle);
    if (failed)
        return failed;
    printf("Is it right?\n  lanewise learn %d --check\n", puzzle->number);
    printf("Help:\n  lanewise learn %d --hint | --picture | --solution\n", puzzle->number);
    return CLI_DONE;
}

static int show_hint(struct learn_track *track, const struct learn_puzzle *puzzle)
{
    int *shown = &track->hints[puzzle->number - 1];
    char *page;
    int failed = learn_text(puzzle->folder, "README.md", &page);
    if (failed)
        return failed;
    size_t count;
    learn_print_hint(NULL, page, 0, &count);
    size_t index = (size_t)*shown < count ? (size_t)*shown : count - 1;
    for (size_t i = 0; i <= index && count > 0; i++) {
        printf("hint %zu of %zu: ", i + 1, count);
        learn_print_hint(stdout, page, i, &count);
    }
    if ((size_t)*shown >= count)
        printf("These are all; lanewise learn %d --solution shows a way to do it.\n",
               puzzle->number);
    free(page);
    *shown += (size_t)*shown < count;
    return learn_save(track);
}

static int show_solution(const struct learn_puzzle *puzzle)
{
    char *text;
    int failed = learn_text(puzzle->folder, "solution.c", &text);
    if (!failed)
        fputs(text, stdout);
    free(text);
    return failed;
}

static int need_file(const struct learn_puzzle *puzzle)
{
    if (access(puzzle->mine, R_OK) == 0)
        return CLI_DONE;
    if (errno == ENOENT)
        return cli_fail(CLI_USAGE, "there is no %s; lanewise learn %d makes it", puzzle->mine,
                        puzzle->number);
    return cli_fail_file(errno, puzzle->mine);
}

/* draw - `lanewise picture` of the example, into the reader's folder. */
static int draw(const struct learn_puzzle *puzzle)
{
    enum { MOST = 64 };
    char out[PATH_MAX], *words[MOST];
    size_t count = 0;
    struct cli_options options;
    snprintf(out, sizeof out, LEARN_FOLDER "/%s.html", puzzle->name);
    char *fixed[] = {(char *)puzzle->mine, "-o", out};
    for (size_t i = 0; i < sizeof fixed / sizeof *fixed; i++)
        words[count++] = fixed[i];
    char *copy = strdup(puzzle->picture ? puzzle->picture : puzzle->runs[0]), *files[MOST];
    size_t file_count = 0;
    int failed = copy ? CLI_DONE : cli_fail_memory(1);
    for (char *word = copy ? strtok(copy, " ") : NULL; word && count < MOST && !failed;
         word = strtok(NULL, " ")) {
        words[count] = word;
        if (*word == '@' && asprintf(&files[file_count], "@" LEARN_FOLDER "/%s", word + 1) > 0)
            words[count] = files[file_count++];
        count++;
    }
    if (!failed)
        failed = cli_options_read(CLI_PICTURE, words, count, &options);
    if (!failed)
        failed = cli_picture(&options);
    if (!failed)
        printf("wrote %s; open it in a browser\n", out);
    if (copy)
        cli_options_free(&options);
    for (size_t i = 0; i < file_count; i++)
        free(files[i]);
    free(copy);
    return failed;
}

/* ---- the verdict ----------------------------------------------------------------------------- */

static void json_verdict(const struct learn_puzzle *puzzle, const struct learn_verdict *v)
{
    cli_report_begin();
    printf("{\"number\": %d", puzzle->number);
    lw__json_member(stdout, ", ", "name", puzzle->name);
    printf(", \"verdict\": \"%s\", \"seed\": %" PRIu64 ", \"cases_right\": %zu",
           v->is_right ? "right" : "wrong", v->seed, v->cases);
    if (v->is_right) {
        lw__json_member(stdout, ", ", "case", v->sizes);
        cli_json_counts_as(stdout, "counts", &v->mine);
        cli_json_counts_as(stdout, "counts_of_solution", &v->ours);
    } else {
        if (v->test)
            lw__json_member(stdout, ", ", "test", v->test);
        lw__json_member(stdout, ", ", "case", v->sizes);
        lw__json_member(stdout, ", ", "device", v->device);
        lw__json_member(stdout, ", ", "what", v->what);
        if (*v->place)
            lw__json_member(stdout, ", ", "element", v->place);
        if (*v->writer)
            lw__json_member(stdout, ", ", "writer", v->writer);
        printf(",\n %s", v->findings_json ? v->findings_json : "\"findings\": []");
        lw__json_member(stdout, ",\n ", "error", v->what);
        printf(", \"status\": %d", CLI_FOUND);
    }
    puts("}");
}

static void print_wrong(const struct learn_puzzle *puzzle, const struct learn_verdict *v)
{
    printf("WRONG  puzzle %d, %s: %s%s%s, on %s (--seed %" PRIu64 ")\n", puzzle->number,
           puzzle->name, v->test ? v->test : "", v->test ? ", " : "", v->sizes, v->device, v->seed);
    learn_print_words(stdout, v->what, 2);
    if (*v->writer)
        learn_print_words(stdout, v->writer, 2);
    if (v->findings) {
        puts("what the checker found:");
        for (char *line = strtok(v->findings, "\n"); line; line = strtok(NULL, "\n"))
            learn_print_words(stdout, line, strncmp(line, "fix: ", 5) == 0 ? 4 : 2);
    }
    if (v->cases > 0)
        printf("%zu case%s before this one %s right.\n", v->cases, v->cases == 1 ? "" : "s",
               v->cases == 1 ? "was" : "were");
}

static void print_right(const struct learn_track *track, const struct learn_puzzle *puzzle,
                        const struct learn_verdict *v)
{
    size_t next = first_open(track);
    printf("RIGHT  puzzle %d, %s: %zu case%s on ref, check and cpu (--seed %" PRIu64 ")\n",
           puzzle->number, puzzle->name, v->cases, v->cases == 1 ? "" : "s", v->seed);
    learn_print_score(stdout, v);
    if (next == track->count)
        puts("\nAll puzzles are done.");
    else
        printf("\nnext: lanewise learn %zu\n", next + 1);
}

static int judge(struct learn_track *track, const struct learn_puzzle *puzzle,
                 const struct cli_options *options)
{
    int failed = need_file(puzzle);
    if (failed)
        return failed;
    struct cli_progress progress;
    cli_progress_begin(&progress, options, "checking", puzzle->name);
    struct learn_verdict verdict;
    failed = learn_check(puzzle, options, &progress, &verdict);
    cli_progress_end(&progress);
    if (!failed && verdict.is_right) {
        track->done[puzzle->number - 1] = true;
        failed = learn_save(track);
    }
    if (!failed && options->json)
        json_verdict(puzzle, &verdict);
    else if (!failed && verdict.is_right)
        print_right(track, puzzle, &verdict);
    else if (!failed)
        print_wrong(puzzle, &verdict);
    bool is_right = verdict.is_right;
    if (verdict.has_timed_out) /* the launch still runs, and would keep us from ending */
        _exit(cli_deliver(failed ? failed : CLI_FOUND));
    learn_verdict_free(&verdict);
    return failed || is_right ? failed : CLI_FOUND;
}

/* ---- the command ----------------------------------------------------------------------------- */

static bool asks(const struct cli_options *options, const char *name)
{
    return options->ask && strcmp(options->ask, name) == 0;
}

static int check_options(const struct cli_options *o)
{
    const bool is_check = asks(o, "--check");
    if (o->arg_count > 0)
        return cli_fail(CLI_USAGE, "learn takes one puzzle, not '%s' too", o->args[0]);
    if (o->ask && !o->file)
        return cli_fail(CLI_USAGE, "learn needs a puzzle, as in: lanewise learn 1 %s", o->ask);
    if (o->json && o->file && !is_check)
        return cli_fail(CLI_USAGE, "--json is for the list and for --check");
    if (!is_check && (o->seed || o->timeout))
        return cli_fail(CLI_USAGE, "--seed and --timeout are for --check");
    return CLI_DONE;
}

static int learn_one(struct learn_track *track, const struct cli_options *options)
{
    size_t index;
    int failed = learn_find(track, options->file, &index);
    struct learn_puzzle *puzzle = failed ? NULL : malloc(sizeof *puzzle);
    if (failed)
        return failed;
    if (!puzzle)
        return cli_fail_memory(sizeof *puzzle);
    failed = learn_read(track->folder, track->names[index], puzzle);
    puzzle->number = (int)index + 1;
    if (!failed && asks(options, "--check"))
        failed = judge(track, puzzle, options);
    else if (!failed && asks(options, "--hint"))
        failed = show_hint(track, puzzle);
    else if (!failed && asks(options, "--solution"))
        failed = show_solution(puzzle);
    else if (!failed && asks(options, "--picture"))
        failed = (failed = need_file(puzzle)) ? failed : draw(puzzle);
    else if (!failed)
        failed = show_problem(puzzle);
    learn_free(puzzle);
    free(puzzle);
    return failed;
}

int cli_learn(const struct cli_options *options)
{
    int failed = check_options(options);
    if (failed)
        return failed;
    struct learn_track track;
    failed = learn_open(&track);
    if (!failed && options->file)
        failed = learn_one(&track, options);
    else if (!failed)
        failed = options->json ? json_list(&track) : print_list(&track);
    learn_close(&track);
    return failed;
}
