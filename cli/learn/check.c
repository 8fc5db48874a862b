/* check.c - is the reader's kernel right? Each case of each test runs on ref, then under the
 * checker, then on cpu: so a mistake is told by the device that can say most about it.
 *
 * A case is right where the launches end well, the checker finds nothing, inputs are as before,
 * outputs are those of the reference, and the conditions on the counts of ref hold.
 */
#include "cli/learn/learn.h"
#include <math.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

enum { REF, CHECK, CPU, DEVICES };

/* A test under way: its benches, and the case at hand. */
struct judge {
    const struct learn_puzzle *puzzle;
    const struct learn_test *test;
    const struct cli_options *options;
    struct cli_progress *progress;
    struct learn_verdict *verdict;
    struct learn_bench mine[DEVICES], reference;
    struct learn_scope scope;
    struct learn_data data[LEARN_ARRAYS];
};

/* ---- the numbers of a case ------------------------------------------------------------------- */

/* random_number - of low to high, by a seed. */
static int64_t random_number(uint64_t seed, int64_t low, int64_t high)
{
    double random;
    lw__fill_make(LW_FILL_RAND, LW_F64, seed, 1, &random);
    return low + (int64_t)(random * (double)(high - low + 1));
}

/* set_pairs - "n=8 m=3"; names is room for what the scope points to. */
static int set_pairs(struct learn_scope *scope, const char *text, char *names)
{
    int failed = CLI_DONE;
    strcpy(names, text);
    for (char *word = strtok(names, " "); word && !failed; word = strtok(NULL, " ")) {
        char *equals = strchr(word, '=');
        if (!equals)
            return cli_fail(CLI_BROKEN, "check.txt: case '%s' is not NAME=NUMBER ...", text);
        *equals = '\0';
        failed = learn_set(scope, word, strtoll(equals + 1, NULL, 10));
    }
    return failed;
}

/* set_let - "NAME EXPRESSION" or "NAME rand LOW HIGH" */
static int set_let(struct learn_scope *scope, const char *text, uint64_t seed, char *name)
{
    char expression[200];
    if (sscanf(text, "%31s %199[^\n]", name, expression) != 2)
        return cli_fail(CLI_BROKEN, "check.txt: let '%s' is not NAME NUMBER", text);
    long long low, high;
    if (sscanf(expression, "rand %lld %lld", &low, &high) == 2)
        return learn_set(scope, name, random_number(seed, low, high));
    int64_t number;
    int failed = learn_number(scope, expression, &number);
    return failed ? failed : learn_set(scope, name, number);
}

/* make_case - numbers and arrays. names: what the scope points to. */
static int make_case(struct judge *j, size_t index, char names[LEARN_LETS + 8][32])
{
    enum { SEEDS = 64 }; /* of a case */
    const struct learn_test *test = j->test;
    uint64_t seed = (j->verdict->seed << 20) + index * SEEDS;
    j->scope.count = 0;
    if (strlen(test->cases[index]) >= 8 * sizeof *names)
        return cli_fail(CLI_BROKEN, "check.txt: case '%s' is too long", test->cases[index]);
    int failed = set_pairs(&j->scope, test->cases[index], names[LEARN_LETS]);
    for (size_t i = 0; i < test->let_count && !failed; i++)
        failed = set_let(&j->scope, test->lets[i], seed++, names[i]);
    for (size_t i = 0; i < test->array_count && !failed; i++)
        failed = learn_make(&test->arrays[i], &j->scope, seed++, &j->data[i]);
    return failed ? failed : learn_expect(&j->reference, test, &j->scope, j->data);
}

/* ---- one outcome ----------------------------------------------------------------------------- */

static void say(struct judge *j, const char *format, ...) __attribute__((format(printf, 2, 3)));
static void say(struct judge *j, const char *format, ...)
{
    va_list list;
    va_start(list, format);
    vsnprintf(j->verdict->what, sizeof j->verdict->what, format, list);
    va_end(list);
}

static void write_number(lw_dtype dtype, double value, char text[LW_NUMBER_SIZE])
{
    char element[16];
    learn_put(dtype, value, element, 0);
    lw__number_write(dtype, element, text);
}

static bool is_near(const struct learn_test *test, lw_dtype dtype, double is, double expected)
{
    char rounded[16];
    learn_put(dtype, expected, rounded, 0);
    double nearest = learn_element(dtype, rounded, 0);
    if (is == nearest || (isnan(is) && isnan(nearest)))
        return true;
    double size = fabs(expected) > 1 ? fabs(expected) : 1;
    return lw__dtype_is_float(dtype) && fabs(is - expected) <= test->tolerance * size;
}

/* dim_text - "3" or "(1,2)" of numbers for element e. */
static int dim_text(struct judge *j, const char *expression, char text[48])
{
    int64_t axis[3];
    size_t count;
    int failed = learn_numbers(&j->scope, expression, 3, axis, &count);
    if (failed)
        return failed;
    if (count == 1)
        snprintf(text, 48, "%d", (int)axis[0]);
    else if (count == 2)
        snprintf(text, 48, "(%d,%d)", (int)axis[0], (int)axis[1]);
    else
        snprintf(text, 48, "(%d,%d,%d)", (int)axis[0], (int)axis[1], (int)axis[2]);
    return CLI_DONE;
}

static int say_writer(struct judge *j, const struct learn_array *array, size_t index)
{
    char block[48], thread[48];
    if (!array->writer_block)
        return CLI_DONE;
    int failed = learn_set(&j->scope, "e", (int64_t)index);
    if (!failed)
        failed = dim_text(j, array->writer_block, block);
    if (!failed)
        failed = dim_text(j, array->writer_thread, thread);
    if (!failed)
        snprintf(j->verdict->writer, sizeof j->verdict->writer, "thread %s of block %s %s", thread,
                 block, j->verdict->was_written ? "writes this element" : "should have written it");
    return failed;
}

/* say_element - that this one is wrong. */
static int say_element(struct judge *j, const struct learn_data *data, const void *now, size_t at)
{
    struct learn_verdict *v = j->verdict;
    const lw_dtype dtype = data->array->dtype;
    char is[LW_NUMBER_SIZE], right[LW_NUMBER_SIZE];
    learn_place(data, at, v->place, sizeof v->place);
    v->was_written = learn_was_written(data, now, at);
    v->got = learn_element(dtype, now, at);
    v->expected = data->expected[at];
    write_number(dtype, v->got, is);
    write_number(dtype, v->expected, right);
    if (v->was_written)
        say(j, "%s is %s; %s is right", v->place, is, right);
    else
        say(j, "%s was never written; %s is right", v->place, right);
    return say_writer(j, data->array, at);
}

static void say_changed(struct judge *j, const struct learn_data *data, const void *now, size_t at)
{
    struct learn_verdict *v = j->verdict;
    char is[LW_NUMBER_SIZE], was[LW_NUMBER_SIZE];
    learn_place(data, at, v->place, sizeof v->place);
    write_number(data->array->dtype, learn_element(data->array->dtype, now, at), is);
    write_number(data->array->dtype, learn_element(data->array->dtype, data->before, at), was);
    say(j, "the input %s was %s and is %s afterwards; inputs must stay", v->place, was, is);
}

/* check_array - *is_right: inputs are as before, outputs as expected. */
static int check_array(struct judge *j, const struct learn_data *data, const void *now,
                       bool *is_right)
{
    const enum learn_role role = data->array->role;
    const size_t bytes = lw_dtype_size(data->array->dtype);
    for (size_t i = 0; i < data->count && role != LEARN_SCRATCH; i++) {
        const char *was = (char *)data->before + i * bytes, *is = (const char *)now + i * bytes;
        bool is_same = memcmp(was, is, bytes) == 0;
        if (role == LEARN_IN
                ? is_same
                : is_near(j->test, data->array->dtype, learn_element(data->array->dtype, now, i),
                          data->expected[i]))
            continue;
        *is_right = false;
        if (role != LEARN_IN)
            return say_element(j, data, now, i);
        say_changed(j, data, now, i);
        return CLI_DONE;
    }
    return CLI_DONE;
}

/* check_needs - the conditions on what the threads did. */
static int check_needs(struct judge *j, const lw_picture_counts *counts, bool *is_right)
{
    int failed = learn_count_values(counts, &j->scope);
    for (size_t i = 0; i < j->test->need_count && !failed && *is_right; i++) {
        int64_t holds;
        failed = learn_number(&j->scope, j->test->needs[i].condition, &holds);
        *is_right = failed || holds;
        if (!*is_right)
            say(j, "the numbers are right, but %s", j->test->needs[i].why);
    }
    return failed;
}

/* judge_outcome - of launches that the verdict has not condemned yet. */
static int judge_outcome(struct judge *j, int device, struct learn_outcome *outcome, bool *is_right)
{
    int failed = CLI_DONE;
    *is_right = !outcome->is_failed;
    j->verdict->has_timed_out = outcome->has_timed_out;
    if (outcome->is_failed)
        say(j, "%s", outcome->why);
    for (size_t i = 0; i < j->test->array_count && *is_right && !failed; i++)
        failed = check_array(j, &j->data[i], outcome->after[i], is_right);
    if (!failed && *is_right && device == REF) {
        j->verdict->mine = outcome->counts;
        failed = check_needs(j, &outcome->counts, is_right);
    }
    if (!failed && *is_right && outcome->has_findings) {
        *is_right = false;
        say(j, "the numbers are right, by luck: the checker found something");
    }
    return failed;
}

/* ---- one case -------------------------------------------------------------------------------- */

static void take_findings(struct learn_verdict *verdict, struct learn_outcome *outcome)
{
    if (!outcome->has_findings)
        return;
    verdict->findings = outcome->findings;
    verdict->findings_json = outcome->findings_json;
    outcome->findings = outcome->findings_json = NULL;
}

static int run_on(struct judge *j, int device, struct learn_outcome *outcome)
{
    struct learn_bench *bench = &j->mine[device];
    *outcome = (struct learn_outcome){.is_failed = false};
    int failed = bench->program ? CLI_DONE : learn_bench_open(bench, j->test, j->options);
    if (failed)
        return failed;
    return learn_launch(bench, j->test, &j->scope, j->data, j->options, outcome);
}

/* ask_checker - a case is wrong on ref: what has the checker to say? */
static int ask_checker(struct judge *j)
{
    struct learn_outcome outcome;
    int failed = run_on(j, CHECK, &outcome);
    if (outcome.has_timed_out)
        return failed;
    take_findings(j->verdict, &outcome);
    learn_outcome_free(&outcome);
    return failed;
}

static int run_case(struct judge *j, size_t index, bool *is_right)
{
    char names[LEARN_LETS + 8][32];
    int failed = make_case(j, index, names);
    snprintf(j->verdict->sizes, sizeof j->verdict->sizes, "%s", j->test->cases[index]);
    *is_right = true;
    for (int device = REF; device < DEVICES && *is_right && !failed; device++) {
        j->verdict->device = j->mine[device].device_name;
        struct learn_outcome outcome;
        failed = run_on(j, device, &outcome);
        if (!failed)
            failed = judge_outcome(j, device, &outcome, is_right);
        if (outcome.has_timed_out)
            return failed;
        take_findings(j->verdict, &outcome);
        learn_outcome_free(&outcome);
        if (!failed && !*is_right && device == REF)
            failed = ask_checker(j);
    }
    for (size_t i = 0; i < j->test->array_count; i++)
        learn_drop(&j->data[i]);
    return failed;
}

/* run_ours - the solution's counts of the last case. */
static int run_ours(struct judge *j)
{
    char file[PATH_MAX + 64], names[LEARN_LETS + 8][32];
    struct learn_bench ours = {.device_name = "ref", .file = file, .count = true};
    snprintf(file, sizeof file, "%s/solution.c", j->puzzle->folder);
    int failed = make_case(j, j->test->case_count - 1, names);
    if (!failed)
        failed = learn_bench_open(&ours, j->test, j->options);
    struct learn_outcome outcome;
    if (!failed)
        failed = learn_launch(&ours, j->test, &j->scope, j->data, j->options, &outcome);
    if (!failed) {
        j->verdict->ours = outcome.counts;
        learn_outcome_free(&outcome);
    }
    learn_bench_close(&ours);
    for (size_t i = 0; i < j->test->array_count; i++)
        learn_drop(&j->data[i]);
    return failed;
}

/* ---- all of it ------------------------------------------------------------------------------- */

static int run_test(struct judge *j, bool is_last, bool *is_right)
{
    static const char *const names[DEVICES] = {"ref", "check", "cpu"};
    char reference[PATH_MAX + 64];
    snprintf(reference, sizeof reference, "%s/reference.c", j->puzzle->folder);
    j->reference = (struct learn_bench){.device_name = "ref", .file = reference};
    for (int i = 0; i < DEVICES; i++)
        j->mine[i] = (struct learn_bench){.device_name = names[i],
                                          .file = j->puzzle->mine,
                                          .count = i == REF,
                                          .progress = j->progress};
    j->verdict->test = j->test->name;
    int failed = learn_bench_open(&j->reference, j->test, j->options);
    *is_right = true;
    for (size_t i = 0; i < j->test->case_count && !failed && *is_right; i++) {
        failed = run_case(j, i, is_right);
        j->verdict->cases += !failed && *is_right;
    }
    if (j->verdict->has_timed_out)
        return failed;
    if (!failed && *is_right && is_last)
        failed = run_ours(j);
    for (int i = 0; i < DEVICES; i++)
        learn_bench_close(&j->mine[i]);
    learn_bench_close(&j->reference);
    return failed;
}

/* new_seed - up to a million, for people to type. */
static uint64_t new_seed(void)
{
    struct timespec now;
    clock_gettime(CLOCK_REALTIME, &now);
    return 1 + (uint64_t)(now.tv_sec * 31 + now.tv_nsec / 1000) % 999999;
}

int learn_check(const struct learn_puzzle *puzzle, const struct cli_options *options,
                struct cli_progress *progress, struct learn_verdict *verdict)
{
    struct judge j = {
        .puzzle = puzzle, .options = options, .progress = progress, .verdict = verdict};
    int failed = cli_trap_faults();
    *verdict = (struct learn_verdict){.seed = options->seed ? options->seed : new_seed()};
    verdict->is_right = true;
    for (size_t i = 0; i < puzzle->test_count && !failed && verdict->is_right; i++) {
        j.test = &puzzle->tests[i];
        failed = run_test(&j, i + 1 == puzzle->test_count, &verdict->is_right);
    }
    return failed;
}

void learn_verdict_free(struct learn_verdict *verdict)
{
    free(verdict->findings);
    free(verdict->findings_json);
}
