/* learn.h - `lanewise learn`: a track of puzzles, each a folder of examples/puzzles.
 *
 *     track       the names in order            README.md     problem, drawing, hints
 *     check.txt   what is launched, compared    skeleton.c    where the reader starts
 *     reference.c what is right, in plain C     solution.c    one way to do it, explained
 *
 * docs/puzzles.md describes check.txt. The reader's file is lanewise-puzzles/NAME.c in the working
 * folder. All texts point into the text of check.txt, which the puzzle owns.
 */
#ifndef LW_CLI_LEARN_H
#define LW_CLI_LEARN_H

#include "cli/run/run.h"
#include "lanewise/picture.h"
#include <limits.h>

#define LEARN_FOLDER "lanewise-puzzles"

enum {
    LEARN_RANK = 4,
    LEARN_VALUES = 48, /* variables of a case, and counts */
    LEARN_ARRAYS = 10,
    LEARN_LAUNCHES = 6,
    LEARN_CASES = 16,
    LEARN_NEEDS = 8,
    LEARN_LETS = 12,
    LEARN_TESTS = 16,
    LEARN_RUNS = 16,
    LEARN_PARAMS = 12,
    LEARN_PUZZLES = 64
};

/* ---- number.c: whole numbers of a case ------------------------------------------------- */

struct learn_value {
    const char *name;
    int64_t number;
};

struct learn_scope {
    struct learn_value values[LEARN_VALUES];
    size_t count;
};

/* learn_set - a variable, new or again.
 * learn_get - NULL: there is none of that name of length bytes.
 * learn_number - the value of an expression without blanks: names, whole numbers, + - * / %, == !=
 * < <= > >= and ( ), as in C.
 * learn_numbers - up to most of them, with commas in between; *count: how many. */
int learn_set(struct learn_scope *scope, const char *name, int64_t number);
const int64_t *learn_get(const struct learn_scope *scope, const char *name, size_t length);
int learn_number(const struct learn_scope *scope, const char *text, int64_t *number);
int learn_numbers(const struct learn_scope *scope, const char *text, size_t most, int64_t *numbers,
                  size_t *count);

/* ---- read.c: check.txt ----------------------------------------------------------------- */

enum learn_role { LEARN_IN, LEARN_OUT, LEARN_INOUT, LEARN_SCRATCH };

struct learn_array {
    enum learn_role role;
    const char *name;
    lw_dtype dtype;
    const char *shape;                        /* numbers */
    const char *fill;                         /* of IN and INOUT */
    const char *writer_block, *writer_thread; /* numbers; e is the element */
};

struct learn_launch {
    const char *kernel, *grid, *block, *shared; /* shared: bytes, or NULL */
    const char *args[LEARN_PARAMS];
    size_t arg_count;
};

struct learn_need {
    const char *condition, *why;
};

/* What one launch, or several one after the other, has to give. */
struct learn_test {
    const char *name, *reference;    /* reference: its kernel in reference.c */
    const char *cases[LEARN_CASES];  /* "n=8 m=3" */
    const char *lets[LEARN_LETS];    /* "NAME EXPRESSION" or "NAME rand LOW HIGH" */
    const char *defines[LEARN_LETS]; /* NAME=VALUE */
    struct learn_array arrays[LEARN_ARRAYS];
    struct learn_launch launches[LEARN_LAUNCHES];
    struct learn_need needs[LEARN_NEEDS];
    size_t case_count, let_count, define_count, array_count, launch_count, need_count;
    double tolerance; /* of floats, relative above 1 */
    bool is_lenient;  /* warnings of the checker do not count */
};

struct learn_puzzle {
    int number; /* from 1 */
    char name[64], folder[PATH_MAX];
    char mine[PATH_MAX]; /* the reader's file */
    char *text;          /* of check.txt */
    const char *title, *teaches, *picture;
    const char *runs[LEARN_RUNS]; /* words of `lanewise run` after the file */
    size_t run_count;
    struct learn_test common, tests[LEARN_TESTS]; /* common: what is said before the first test */
    size_t test_count;
};

/* learn_read - the puzzle of a folder; release with learn_free, also after a failure. */
int learn_read(const char *folder, const char *name, struct learn_puzzle *puzzle);
void learn_free(struct learn_puzzle *puzzle);

/* ---- files.c: the track, the reader's folder ------------------------------------------- */

struct learn_track {
    char folder[PATH_MAX - 256];
    char *text;
    const char *names[LEARN_PUZZLES];
    bool done[LEARN_PUZZLES];
    int hints[LEARN_PUZZLES]; /* that were shown */
    size_t count;
};

/* learn_open - the installed track, with what the reader has done.
 * learn_find - by number or name; *index from 0.
 * learn_start - make the reader's file from the skeleton, with the inputs beside it; *is_new: there
 * was none.
 * learn_save - what the reader has done. */
int learn_open(struct learn_track *track);
void learn_close(struct learn_track *track);
int learn_find(const struct learn_track *track, const char *word, size_t *index);
int learn_start(const struct learn_puzzle *puzzle, bool *is_new);
int learn_save(const struct learn_track *track);

/* learn_text - all of a file and a NUL, release with free. */
int learn_text(const char *folder, const char *name, char **text);

/* ---- page.c: README.md on a terminal --------------------------------------------------- */

/* learn_print_page - up to its hints, in lines of 80 columns.
 * learn_print_hint - the index-th; *count: how many there are. */
void learn_print_page(FILE *to, const char *markdown);
void learn_print_hint(FILE *to, const char *markdown, size_t index, size_t *count);
void learn_print_words(FILE *to, const char *text, size_t indent);

/* ---- data.c: contents of arrays -------------------------------------------------------- */

/* An array of one case. */
struct learn_data {
    const struct learn_array *array;
    size_t extent[LEARN_RANK], count;
    int rank;
    void *before;     /* what it holds before the launches, count elements of the array */
    double *expected; /* of OUT and INOUT */
};

/* learn_make - shape and contents from a seed. Release with learn_drop. */
int learn_make(const struct learn_array *array, const struct learn_scope *scope, uint64_t seed,
               struct learn_data *data);
void learn_drop(struct learn_data *data);

double learn_element(lw_dtype dtype, const void *data, size_t index);
void learn_put(lw_dtype dtype, double value, void *data, size_t index);

/* learn_was_written - false: the element still is what OUT was filled with.
 * learn_place - "out[2][5]". */
bool learn_was_written(const struct learn_data *data, const void *now, size_t index);
void learn_place(const struct learn_data *data, size_t index, char *text, size_t size);

/* ---- run.c: a test on a device --------------------------------------------------------- */

/* A file of kernels on a device, for all cases of a test. */
struct learn_bench {
    const char *device_name, *file;
    bool count;
    struct cli_progress *progress; /* or NULL */
    lw_device *device;
    lw_program *program;
};

/* How launches ended. */
struct learn_outcome {
    bool is_failed, has_timed_out, has_findings;
    char why[1024];
    lw_picture_counts counts;       /* where the bench counts */
    void *after[LEARN_ARRAYS];      /* what the arrays hold then */
    char *findings, *findings_json; /* of the checker; NULL: none */
};

/* learn_bench_open - build; the compiler's messages go to standard error.
 * learn_launch - all launches of a test on arrays. A failure of the launches is an outcome; release
 * it with learn_outcome_free. */
int learn_bench_open(struct learn_bench *bench, const struct learn_test *test,
                     const struct cli_options *options);
void learn_bench_close(struct learn_bench *bench);
int learn_launch(const struct learn_bench *bench, const struct learn_test *test,
                 const struct learn_scope *scope, const struct learn_data *data,
                 const struct cli_options *options, struct learn_outcome *outcome);
void learn_outcome_free(struct learn_outcome *outcome);

/* learn_expect - fill data[].expected by the reference. */
int learn_expect(const struct learn_bench *bench, const struct learn_test *test,
                 const struct learn_scope *scope, struct learn_data *data);

/* ---- check.c, score.c: the verdict ----------------------------------------------- */

/* What was found out about the reader's file. */
struct learn_verdict {
    bool is_right, has_timed_out;
    uint64_t seed;
    size_t cases; /* that were right */
    const char *test, *device;
    char sizes[256];  /* of the case that is wrong, or of the last one */
    char what[1280];  /* one line */
    char writer[160]; /* which thread should have written; "": not known */
    char place[96];   /* the element; "": none */
    double got, expected;
    bool was_written;
    char *findings, *findings_json;
    lw_picture_counts mine, ours; /* of the last case, where it is right */
};

/* learn_check - judge puzzle->mine. A failure means that there is no verdict. */
int learn_check(const struct learn_puzzle *puzzle, const struct cli_options *options,
                struct cli_progress *progress, struct learn_verdict *verdict);
void learn_verdict_free(struct learn_verdict *verdict);

/* learn_count_values - the counts as variables of conditions.
 * learn_print_score - both counts side by side. */
int learn_count_values(const lw_picture_counts *counts, struct learn_scope *scope);
void learn_print_score(FILE *to, const struct learn_verdict *verdict);

/* ---- the command ---------------------------------------------------------------------------- */

int cli_learn(const struct cli_options *options);

#endif
