/* main.c - `random`: so many random programs, or random programs until stopped. */
#include "random.h"
#include <errno.h>
#include <inttypes.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

enum { BATCH = 50, REQUIRED_PERCENT = 20, EXIT_WRONG = 1, EXIT_USAGE = 2 };

static const char usage[] =
    "usage: random [--seed S] [--programs N] [--jobs J]    run programs S to S + N - 1\n"
    "       random --fuzz FOLDER [--seed S] [--jobs J]     until stopped; what is wrong goes "
    "there\n"
    "       random --kernel S | --scalar S | --shrink S    print a program, or its test file\n";

struct options {
    uint64_t seed, programs;
    int jobs;
    const char *fuzz, *print;
};

/* What cli/number.c would tell people. */
int cli_fail(int status, const char *format, ...);
int cli_fail(int status, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    vfprintf(stderr, format, arguments);
    va_end(arguments);
    fputc('\n', stderr);
    return status;
}

static bool parse(int argc, char **argv, struct options *o)
{
    for (int i = 1; i + 1 < argc; i += 2) {
        const char *name = argv[i], *value = argv[i + 1];
        bool prints =
            !strcmp(name, "--kernel") || !strcmp(name, "--scalar") || !strcmp(name, "--shrink");
        if (!strcmp(name, "--fuzz"))
            o->fuzz = value;
        else if (!strcmp(name, "--programs"))
            o->programs = strtoull(value, NULL, 0);
        else if (!strcmp(name, "--jobs"))
            o->jobs = atoi(value);
        else if (prints || !strcmp(name, "--seed"))
            o->seed = strtoull(value, NULL, 0);
        else
            return false;
        o->print = prints ? name : o->print;
    }
    return argc % 2 == 1 && o->jobs > 0;
}

/* write_report - FOLDER/random-SEED.c, complete or not there. */
static void write_report(const char *folder, struct program *p, const struct outcome *o)
{
    char path[4096], partial[4096 + 8];
    snprintf(path, sizeof path, "%s/random-%" PRIu64 ".c", folder, p->seed);
    snprintf(partial, sizeof partial, "%s.part", path);
    FILE *to = fopen(partial, "w");
    bool done = to && report(to, p, o);
    done = to && fclose(to) == 0 && done && rename(partial, path) == 0;
    printf("%s: %s\n", path, done ? o->why : "cannot be written");
    fflush(stdout);
}

/* run_batch - programs seed, seed + 1 ...; returns how many are wrong. */
static int run_batch(const struct options *o, uint64_t seed, int count)
{
    struct program *p[BATCH] = {NULL};
    struct outcome outcomes[BATCH];
    int wrong = 0;
    for (int i = 0; i < count; i++)
        p[i] = generate(seed + (uint64_t)i);
    run_programs(p, count, outcomes);
    for (int i = 0; i < count; i++) {
        if (outcomes[i].verdict != AGREES) {
            wrong++;
            printf("seed %" PRIu64 ": %s\n", p[i]->seed, outcomes[i].why);
            fflush(stdout);
            if (o->fuzz) {
                p[i] = shrink(p[i], &outcomes[i]);
                write_report(o->fuzz, p[i], &outcomes[i]);
            }
        }
        program_destroy(p[i]);
    }
    return wrong;
}

/* worker - each jobs-th batch; its exit status says whether all agree. */
static void worker(const struct options *o, int job)
{
    int wrong = 0;
    for (uint64_t at = (uint64_t)job * BATCH; at < o->programs; at += (uint64_t)o->jobs * BATCH) {
        uint64_t left = o->programs - at;
        wrong += run_batch(o, o->seed + at, left < BATCH ? (int)left : BATCH);
        if (o->fuzz && job == 0) {
            printf("%" PRIu64 " programs\n", at + BATCH * (uint64_t)o->jobs);
            fflush(stdout);
        }
    }
    exit(wrong ? EXIT_WRONG : 0);
}

/* coverage - prints it; false where too few programs have what many should, or one is none. */
static bool coverage(const struct options *o)
{
    uint64_t count[FEATURES] = {0};
    bool enough = true, found[FEATURES];
    for (uint64_t i = 0; i < o->programs; i++) {
        struct program *p = generate(o->seed + i);
        const char *why;
        if (!program_check(p, found, &why)) {
            printf("seed %" PRIu64 " is no program: %s\n", p->seed, why);
            enough = false;
        }
        for (int f = 0; f < FEATURES; f++)
            count[f] += found[f];
        program_destroy(p);
    }
    for (int f = 0; f < FEATURES; f++) {
        double percent = 100.0 * (double)count[f] / (double)o->programs;
        bool few = f < REQUIRED && percent < REQUIRED_PERCENT && o->programs >= 100;
        printf("%5.1f %%  %s%s\n", percent, feature_names[f], few ? ": too few" : "");
        enough = enough && !few;
    }
    return enough;
}

static int run_all(const struct options *o)
{
    int failed = o->fuzz || coverage(o) ? 0 : 1;
    fflush(stdout);
    for (int job = 0; job < o->jobs; job++) {
        pid_t child = fork();
        if (child == 0)
            worker(o, job);
        failed += child < 0;
    }
    int status;
    while (wait(&status) > 0 || errno == EINTR)
        failed += status != 0;
    printf("%" PRIu64 " random programs from seed %" PRIu64 ": %s\n", o->programs, o->seed,
           failed ? "not all agree" : "all agree");
    return failed ? EXIT_WRONG : 0;
}

static int print(const struct options *o)
{
    struct program *p = generate(o->seed);
    struct outcome outcome;
    if (!strcmp(o->print, "--kernel")) {
        fputs(kernel_prelude, stdout);
        write_kernel(stdout, p);
    } else if (!strcmp(o->print, "--scalar")) {
        fputs("#include \"lanes.h\"\n", stdout);
        write_scalar(stdout, p);
    } else {
        run_programs(&p, 1, &outcome);
        if (outcome.verdict != AGREES)
            p = shrink(p, &outcome);
        report(stdout, p, &outcome);
    }
    program_destroy(p);
    return 0;
}

int main(int argc, char **argv)
{
    long cores = sysconf(_SC_NPROCESSORS_ONLN);
    struct options o = {.seed = 1, .programs = 1000, .jobs = cores > 0 ? (int)cores : 1};
    if (!parse(argc, argv, &o)) {
        fputs(usage, stderr);
        return EXIT_USAGE;
    }
    setenv("LANEWISE_CACHE", "0", 0);
    if (o.print)
        return print(&o);
    if (o.fuzz) {
        o.programs = UINT64_MAX / 2;
        o.seed = o.seed == 1 ? (uint64_t)time(NULL) << 20 : o.seed;
        printf("random programs from seed %" PRIu64 "\n", o.seed);
    }
    return run_all(&o);
}
