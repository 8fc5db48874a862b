/* devlib_maths_long.c - every float of every maths function of one argument, and doubles by the
 * million: the proof of the bounds in docs/maths.md. scripts/test-maths builds and runs it.
 *
 *     devlib_maths_long [--jobs N] [--only NAME[.f32|.f64]] [--stride N] [--points N]
 *
 * A result is compared with the C library's in the next wider type; where that cannot decide, with
 * MPFR. A line a function: how many results, the largest error and its input, how many exceed the
 * bound. Status 1 if any does, or if the wider type was less exact than it has to be.
 */
#include "devlib_maths_long.h"
#include <inttypes.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <unistd.h>

uint64_t maths_stride = 1, maths_points = 8192;

static struct test tests[128];
static size_t test_count;
static unsigned next_job; /* of the first test that has any left */
static size_t next_test;
static int failures;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER; /* over all of these */

void maths_enter(struct tally *tally, const struct test *test, double error, double x, double y,
                 double z)
{
    tally->exceeded += !(error <= test->bound);
    if (error > tally->worst) {
        tally->worst = error;
        tally->x = x;
        tally->y = y;
        tally->z = z;
    }
}

static void report(const struct test *test)
{
    const struct tally *t = &test->total;
    bool bad = t->exceeded || t->misled || !(t->worst <= test->bound);
    failures += bad;
    printf("%-5s %s %11" PRIu64 " results  %.6f ULP of %.2f", test->name, test->type, t->count,
           t->worst, test->bound);
    if (t->worst > 0)
        printf(" at %a", t->x);
    if (t->worst > 0 && !isnan(t->y))
        printf(", %a", t->y);
    if (t->worst > 0 && !isnan(t->z))
        printf(", %a", t->z);
    printf("  (%" PRIu64 " by MPFR)", t->judged);
    if (t->exceeded)
        printf("  %" PRIu64 " EXCEED THE BOUND", t->exceeded);
    if (t->misled)
        printf("  the C library is off for %" PRIu64, t->misled);
    printf("%s\n", bad ? "  FAILED" : "");
    fflush(stdout);
}

/* Add a job's tally to its test's; the last job's thread reports. */
static void finish(struct test *test, const struct tally *tally)
{
    struct tally *total = &test->total;
    total->count += tally->count;
    total->judged += tally->judged;
    total->misled += tally->misled;
    total->exceeded += tally->exceeded;
    if (tally->worst > total->worst) {
        total->worst = tally->worst;
        total->x = tally->x;
        total->y = tally->y;
        total->z = tally->z;
    }
    if (++test->done == test->jobs)
        report(test);
}

static void *work(void *unused)
{
    (void)unused;
    pthread_mutex_lock(&lock);
    while (next_test < test_count) {
        struct test *test = &tests[next_test];
        unsigned job = next_job++;
        if (next_job == test->jobs) {
            next_test++;
            next_job = 0;
        }
        /* What others have found is known: less is left to MPFR. */
        struct tally tally = {.worst = test->total.worst, .x = NAN, .y = NAN, .z = NAN};
        pthread_mutex_unlock(&lock);
        test->run(test, job, &tally);
        pthread_mutex_lock(&lock);
        finish(test, &tally);
    }
    pthread_mutex_unlock(&lock);
    mpfr_free_cache();
    return NULL;
}

/* Keep the tests that are called NAME or NAME.TYPE. */
static void select_tests(const char *only)
{
    size_t kept = 0;
    for (size_t i = 0; i < test_count; i++) {
        char full[32];
        snprintf(full, sizeof full, "%s.%s", tests[i].name, tests[i].type);
        if (!strcmp(only, full) || !strcmp(only, tests[i].name))
            tests[kept++] = tests[i];
    }
    test_count = kept;
}

static void usage(void)
{
    fputs("usage: devlib_maths_long [--jobs N] [--only NAME[.f32|.f64]] [--stride N] "
          "[--points N]\n",
          stderr);
    exit(2);
}

static void checked(int status)
{
    if (status) {
        fprintf(stderr, "devlib_maths_long: no thread: %s\n", strerror(status));
        exit(2);
    }
}

int main(int argc, char **argv)
{
    long jobs = sysconf(_SC_NPROCESSORS_ONLN);
    test_count = maths_unary_tests(tests);
    test_count += maths_pair_tests(tests + test_count);
    for (int i = 1; i < argc; i += 2) {
        uint64_t n = i + 1 < argc ? strtoull(argv[i + 1], NULL, 10) : 0;
        if (i + 1 < argc && !strcmp(argv[i], "--only"))
            select_tests(argv[i + 1]);
        else if (n && !strcmp(argv[i], "--jobs"))
            jobs = (long)n;
        else if (n && !strcmp(argv[i], "--stride"))
            maths_stride = n;
        else if (n && !strcmp(argv[i], "--points"))
            maths_points = n;
        else
            usage();
    }
    if (!test_count || jobs < 1 || jobs > 1024)
        usage();
    pthread_t threads[1024];
    for (long i = 0; i < jobs; i++)
        checked(pthread_create(&threads[i], NULL, work, NULL));
    for (long i = 0; i < jobs; i++)
        checked(pthread_join(threads[i], NULL));
    struct rusage use;
    getrusage(RUSAGE_SELF, &use);
    printf("%zu passed, %d failed; %ld s of processor time\n", test_count - (size_t)failures,
           failures, (long)use.ru_utime.tv_sec);
    return failures != 0;
}
