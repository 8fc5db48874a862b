/* main.c - the benchmark's passes: each row at each vector level and number of threads.
 *
 * Levels and threads belong to a process (LANEWISE_CPU, LANEWISE_NUM_THREADS are read once), so
 * each pass is a child, which starts with fresh memory and, should it crash, costs one row only. It
 * sends a struct result through a pipe. Compilers' caches are in a folder that is removed at the
 * end.
 */
#include "bench.h"
#include <errno.h>
#include <ftw.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

enum { SECONDS_MAX = 300, RESULTS_MAX = 256 };

/* ---- in the child ---------------------------------------------------------------------------- */

static void set_environment(const char *level, int threads, const char *folder)
{
    char count[16], cache[4096];
    snprintf(count, sizeof count, "%d", threads);
    setenv("LANEWISE_CPU", level, 1);
    setenv("LANEWISE_NUM_THREADS", count, 1);
    setenv("POCL_MAX_PTHREAD_COUNT", count, 1);
    setenv("OPENBLAS_NUM_THREADS", "1", 1);
    snprintf(cache, sizeof cache, "%s/lanewise", folder);
    setenv("LANEWISE_CACHE_DIR", cache, 1);
    snprintf(cache, sizeof cache, "%s/pocl", folder);
    setenv("POCL_CACHE_DIR", cache, 1);
}

/* measure - one pass, in this process; without ours where crash says how that ended before. */
static void measure(const struct options *options, struct result *result, const char *crash)
{
    struct bench bench = {
        .options = options, .hand = hand_find(result->level), .threads = result->threads};
    if (lw_device_open("ref", &bench.ref) != LW_OK) {
        fprintf(stderr, "bench: %s\n", lw_last_error());
        return;
    }
    if (crash[0])
        snprintf(bench.problem, sizeof bench.problem, "%s", crash);
    else if (lw_device_open(options->device, &bench.device) != LW_OK)
        snprintf(bench.problem, sizeof bench.problem, "refused: %s", lw_last_error());
    bench.memory = bench.device ? bench.device : bench.ref;
    session_measure(&bench, &bench_rows[result->row], result);
    lw_device_close(bench.device);
    lw_device_close(bench.ref);
}

/* ---- in the parent --------------------------------------------------------------------------- */

/* run_child - one pass in a child; false, and why in crash, where it gave no result. */
static bool run_child(const struct options *options, const char *folder, struct result *result,
                      char crash[TEXT_SIZE])
{
    struct result asked = *result;
    int ends[2], status = 0;
    fflush(NULL);
    if (pipe(ends) != 0) {
        snprintf(crash, TEXT_SIZE, "failed: no pipe: %s", strerror(errno));
        return false;
    }
    pid_t child = fork();
    if (child == 0) {
        close(ends[0]);
        alarm(SECONDS_MAX);
        set_environment(result->level, result->threads, folder);
        measure(options, result, crash);
        bool sent = write(ends[1], result, sizeof *result) == sizeof *result;
        _exit(sent ? 0 : 1);
    }
    close(ends[1]);
    bool is_whole = child > 0 && read_pipe(ends[0], result, sizeof *result) && result->count > 0;
    close(ends[0]);
    while (child > 0 && waitpid(child, &status, 0) < 0 && errno == EINTR)
        continue;
    if (is_whole)
        return true;
    *result = asked;
    if (WIFSIGNALED(status))
        snprintf(crash, TEXT_SIZE, "crashed: the pass ended by signal %d", WTERMSIG(status));
    else
        snprintf(crash, TEXT_SIZE, "failed: the pass gave no result");
    return false;
}

/* Where a pass crashes, ours is the suspect: once more without it, so that the peers have times. */
static void run_pass(const struct options *options, const char *folder, struct result *result)
{
    char crash[TEXT_SIZE] = "";
    if (run_child(options, folder, result, crash) || run_child(options, folder, result, crash))
        return;
    struct measure *m = &result->measures[0];
    result->count = 1;
    snprintf(m->name, sizeof m->name, "ours");
    snprintf(m->problem, sizeof m->problem, "%s", crash);
}

/* ---- which passes ---------------------------------------------------------------------------- */

static bool wants_level(const struct options *options, const struct hand *hand)
{
    return options->levels ? list_has(options->levels, hand->level) : hand->usable();
}

static bool wants_threads(const struct options *options, const struct row *row, int threads)
{
    if (threads > 1 && !row->team)
        return false;
    return options->threads ? threads == options->threads
                            : threads == 1 || (threads == 2 && sysconf(_SC_NPROCESSORS_ONLN) > 1);
}

/* Launches and builds do not depend on the level: once is enough. */
static bool wants_row(const struct options *options, const struct row *row, bool is_first_level)
{
    bool once = row->kind == LAUNCH || row->kind == BUILD;
    return (!options->rows || list_has(options->rows, row->name)) && (is_first_level || !once);
}

static void choose_passes(struct report *report, struct result *results)
{
    static const struct hand *const levels[] = {&hand_avx512, &hand_avx2};
    const struct options *options = report->options;
    bool is_first = true;
    for (int l = 0; l < 2; l++) {
        if (!wants_level(options, levels[l]))
            continue;
        for (size_t r = 0; r < bench_row_count; r++)
            for (int threads = 1; threads <= HAND_THREADS_MAX; threads++) {
                if (!wants_row(options, &bench_rows[r], is_first) ||
                    !wants_threads(options, &bench_rows[r], threads) ||
                    report->count == RESULTS_MAX)
                    continue;
                struct result *result = &results[report->count++];
                *result = (struct result){.row = (int)r, .threads = threads};
                snprintf(result->level, sizeof result->level, "%s", levels[l]->level);
            }
        is_first = false;
    }
}

/* On a terminal standard error shows which pass is under way, and nothing in the end. */
static void run_passes(FILE *to, struct report *report, struct result *results, const char *folder)
{
    const bool is_terminal = isatty(STDERR_FILENO);
    choose_passes(report, results);
    for (int i = 0; i < report->count; i++) {
        struct result *result = &results[i];
        if (is_terminal)
            fprintf(stderr, "%d/%d %s, %s, %d thread%s", i + 1, report->count,
                    bench_rows[result->row].name, result->level, result->threads,
                    result->threads > 1 ? "s" : "");
        run_pass(report->options, folder, result);
        if (is_terminal)
            fputs("\r\033[K", stderr);
        table_row(to, result);
        if (fflush(to) != 0) /* nobody reads the table any more, or the disk is full */
            break;
    }
}

/* ---- around them ----------------------------------------------------------------------------- */

static void describe(struct report *report)
{
    machine_describe(&report->machine);
    snprintf(report->commit, sizeof report->commit, "%s", report->options->commit);
}

static int remove_one(const char *path, const struct stat *s, int kind, struct FTW *at)
{
    (void)s, (void)kind, (void)at;
    return remove(path);
}

/* asks_json - true if the words, whether they are right or not, ask for JSON on standard output. */
static bool asks_json(int argc, char **argv)
{
    for (int i = 1; i < argc; i++)
        if (strcmp(argv[i], "--json") == 0)
            return i + 1 == argc || !options_is_json_file(argv[i + 1]);
    return false;
}

/* Is what was computed right? A variant that is not measured is no fault. */
static int check_all(const struct report *report)
{
    static const char *const faults[] = {"wrong", "crashed", "failed"};
    for (int i = 0; i < report->count; i++)
        for (int k = 0; k < report->results[i].count; k++) {
            const struct measure *m = &report->results[i].measures[k];
            for (int f = 0; f < 3; f++)
                if (strncmp(m->problem, faults[f], strlen(faults[f])) == 0)
                    return bench_fail(1, "%s: %s: %s", bench_rows[report->results[i].row].name,
                                      m->name, m->problem);
        }
    return 0;
}

/* deliver - the files, then the exit status of all. *has_json: an object is there. */
static int deliver(const struct report *report, bool *has_json)
{
    const struct options *options = report->options;
    int status = check_all(report);
    int failed = options->svg ? svg_write(report, options->svg) : 0;
    status = failed ? failed : status;
    failed = options->json ? json_write(report, options->json, status) : 0;
    *has_json = options->json;
    return failed ? failed : status;
}

static int measure_all(struct report *report, struct result *results, bool *has_json)
{
    const struct options *options = report->options;
    char folder[] = "/tmp/lanewise-bench-XXXXXX";
    if (!mkdtemp(folder))
        return bench_fail(4, "%s: %s", folder, strerror(errno));
    /* Where JSON goes to standard output, the table makes way. */
    FILE *to = options->json && strcmp(options->json, "-") == 0 ? stderr : stdout;
    describe(report);
    table_head(to, report);
    run_passes(to, report, results, folder);
    nftw(folder, remove_one, 16, FTW_DEPTH | FTW_PHYS);
    table_targets(to, report);
    return deliver(report, has_json);
}

static int run(int argc, char **argv, bool *has_json)
{
    static struct result results[RESULTS_MAX];
    struct options options;
    struct report report = {.options = &options, .results = results};
    int failed = options_read(argc, argv, &options);
    if (failed)
        return failed;
    if (lw_trap_faults())
        return bench_fail(4, "%s", lw_last_error());
    if (cuda_is_meant(&options))
        return cuda_bench(&options);
    if (!options.help)
        return measure_all(&report, results, has_json);
    options_help(stdout);
    return 0;
}

int main(int argc, char **argv)
{
    bool has_json = false;
    int status = run(argc, argv, &has_json);
    if (status && !has_json && asks_json(argc, argv))
        json_write_failure(stdout, status);
    errno = 0;
    bool is_lost = fflush(stdout) != 0 || ferror(stdout);
    if (is_lost && errno != EPIPE)
        bench_fail(4, "standard output: %s", errno ? strerror(errno) : "could not be written");
    return is_lost && errno != EPIPE && !status ? 4 : status;
}
