/* main.c - `random`: so many random programs, or random programs until stopped. */
#include "language.h"
#include <errno.h>
#include <inttypes.h>
#include <lanewise/lanewise.h>
#include <signal.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/time.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

enum { PROGRESS_SECONDS = 20, REQUIRED_PERCENT = 20, EXIT_WRONG = 1, EXIT_USAGE = 2 };

static const char usage[] =
    "usage: random [options]                  run programs S to S + N - 1\n"
    "       random --fuzz FOLDER [options]    until stopped; what is wrong goes there, shrunk\n"
    "       random --kernel S | --scalar S | --shrink S [options]\n"
    "                                         print a program, or its test file\n"
    "\n"
    "  --seed S              the first program (default 1; with --fuzz by the clock)\n"
    "  --programs N          how many (default 1000)\n"
    "  --device NAME         what is compared with plain C (default ref); 'ref -O0' is code for a\n"
    "                        debugger\n"
    "  --jobs J              at once (default: one for each core)\n"
    "  --only-uniform        threads part in guards and strided loops only, and do nothing "
    "together\n"
    "                        there; no switch, goto, break, continue, return\n"
    "  --wild                some accesses are outside of their objects, for some threads; on cpu\n"
    "                        and ref, which must refuse them with the same message\n"
    "  --cuda                kernels in CUDA\n"
    "  --refusals-allowed    a program that the device does not build is no failure\n";

struct options {
    uint64_t seed, programs;
    int jobs;
    const char *device, *fuzz, *print;
    const struct language *language;
    bool only_uniform, wild, refusals_allowed;
};

/* What all workers know and have found. */
struct totals {
    _Atomic uint64_t next, passed, failed, refused, outside;
};

/* What src/text/number.c would tell people. */
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

/* ---- options ------------------------------------------------------------------------------- */

static bool take_number(const char *text, uint64_t *number)
{
    errno = 0;
    char *end;
    *number = strtoull(text, &end, 0);
    return *text && *text != '-' && !*end && errno == 0;
}

static bool take_value(struct options *o, const char *name, const char *value)
{
    uint64_t number = 0;
    if (!strcmp(name, "--fuzz") || !strcmp(name, "--device")) {
        *(name[2] == 'f' ? &o->fuzz : &o->device) = value;
        return true;
    }
    if (!take_number(value, &number))
        return false;
    if (!strcmp(name, "--programs")) {
        o->programs = number;
        return number > 0;
    }
    if (!strcmp(name, "--jobs")) {
        o->jobs = (int)number;
        return number > 0 && number < 1024;
    }
    if (!strcmp(name, "--kernel") || !strcmp(name, "--scalar") || !strcmp(name, "--shrink"))
        o->print = name;
    else if (strcmp(name, "--seed"))
        return false;
    o->seed = number;
    return true;
}

static bool parse(int argc, char **argv, struct options *o)
{
    for (int i = 1; i < argc; i++) {
        if (!strcmp(argv[i], "--only-uniform"))
            o->only_uniform = true;
        else if (!strcmp(argv[i], "--wild"))
            o->wild = true;
        else if (!strcmp(argv[i], "--cuda"))
            o->language = &cuda_language;
        else if (!strcmp(argv[i], "--refusals-allowed"))
            o->refusals_allowed = true;
        else if (i + 1 == argc || !take_value(o, argv[i], argv[i + 1]))
            return false;
        else
            i++;
    }
    return true;
}

static struct program *make(const struct options *o, uint64_t seed)
{
    struct program *p = generate(seed, o->language, o->only_uniform, o->wild);
    if (o->wild)
        make_wild(p);
    return p;
}

/* ---- running ------------------------------------------------------------------------------- */

/* write_report - FOLDER/random-SEED.c or .cu, complete or not there. */
static void write_report(const struct options *o, struct program *p, const struct outcome *outcome)
{
    char path[4096], partial[4096 + 8];
    snprintf(path, sizeof path, "%s/random-%" PRIu64 "%s", o->fuzz, p->seed,
             strrchr(o->language->file, '.'));
    snprintf(partial, sizeof partial, "%s.part", path);
    FILE *to = fopen(partial, "w");
    bool done = to && report(to, o->device, p, outcome);
    done = to && fclose(to) == 0 && done && rename(partial, path) == 0;
    printf("%s: %s\n", path, done ? outcome->why : "cannot be written");
    fflush(stdout);
}

static void judge(const struct options *o, struct totals *totals, struct program **p,
                  const struct outcome *outcome)
{
    totals->outside += (uint64_t)outcome->outside;
    if (outcome->verdict == AGREES) {
        totals->passed++;
        return;
    }
    if (outcome->verdict == REFUSED && o->refusals_allowed) {
        totals->refused++;
        return;
    }
    totals->failed++;
    printf("seed %" PRIu64 ": %s\n", (*p)->seed, outcome->why);
    fflush(stdout);
    if (o->fuzz) {
        *p = shrink(o->device, *p, outcome);
        write_report(o, *p, outcome);
    }
}

/* Programs that share a start of the compilers, which takes longer than one program with `ref`, in
 * CUDA than two. Other devices compile each for seconds. So few that every worker has several
 * batches: programs differ much in how long they take. */
static uint64_t batch_size(const struct options *o)
{
    const uint64_t most = strncmp(o->device, "ref", 3) ? BATCH_MAX / 4 : BATCH_MAX,
                   batches = o->language->is_cuda ? 2 : 4,
                   share = o->programs / (batches * (uint64_t)o->jobs);
    return share < 1 ? 1 : share < most ? share : most;
}

/* worker - one batch after the other, as long as there are any. */
static void worker(const struct options *o, struct totals *totals)
{
    const uint64_t batch = batch_size(o);
    uint64_t at;
    while ((at = atomic_fetch_add(&totals->next, batch)) < o->programs) {
        struct program *p[BATCH_MAX] = {NULL};
        struct outcome outcomes[BATCH_MAX];
        int count = (int)(o->programs - at < batch ? o->programs - at : batch);
        for (int i = 0; i < count; i++)
            p[i] = make(o, o->seed + at + (uint64_t)i);
        run_programs(o->device, p, count, outcomes);
        for (int i = 0; i < count; i++) {
            judge(o, totals, &p[i], &outcomes[i]);
            program_destroy(p[i]);
        }
    }
    exit(0);
}

/* ---- coverage ------------------------------------------------------------------------------ */

static const char *const feature_names[FEATURES] = {
    [C_DIVERGENT] = "collective under divergence",
    [C_BARRIER_LOOP] = "barrier in a loop",
    [C_SWITCH] = "switch",
    [C_HALF] = "16-bit float",
    [C_ATOMIC] = "atomics",
    [C_SHARED_HELPER] = "helper with a SHARED pointer",
    [C_FALL_THROUGH] = "fall-through",
    [C_RETURN] = "early return",
    [C_BREAK] = "break",
    [C_CONTINUE] = "continue",
    [C_GOTO] = "goto",
    [C_COMMON] = "barrier in the first trips",
    [C_DEPART] = "return that is known before",
    [C_EXCHANGE] = "block memory between lanes of a warp",
    [C_TURN] = "wait for other warps",
    [C_BEHIND] = "arm that leaves behind the other",
    [C_ENTRY] = "jump into a loop",
    [C_STRIDE] = "grid-stride loop",
    [C_BLOCK_OP] = "block operation",
    [C_REDUCE] = "reduction",
    [C_SCAN] = "scan",
    [C_MOVE] = "shuffle, broadcast",
    [C_BORROWED] = "absent sources",
    [C_VOTE] = "vote",
    [C_USER_OPERATOR] = "user's operator",
    [C_IN_CONDITION] = "collective in a condition",
    [C_VECTOR] = "short vector",
    [C_STRUCT] = "struct",
    [C_ARRAY] = "private array",
    [C_REFERENCE] = "pointer to an own variable",
    [C_HELPER] = "helper",
};

static bool is_required(const struct options *o, int f)
{
    return f < REQUIRED && !(o->only_uniform && (f == C_DIVERGENT || f == C_SWITCH));
}

static bool is_forbidden(const struct options *o, int f)
{
    return o->only_uniform &&
           (f == C_DIVERGENT || f == C_SWITCH || f == C_RETURN || f == C_BREAK || f == C_CONTINUE ||
            f == C_GOTO || f == C_BEHIND || f == C_COMMON || f == C_DEPART);
}

/* coverage - prints it; returns how many programs are none, and features too few or not to be. */
static uint64_t coverage(const struct options *o)
{
    uint64_t count[FEATURES] = {0}, wrong = 0;
    for (uint64_t i = 0; i < o->programs; i++) {
        bool found[FEATURES];
        struct program *p = make(o, o->seed + i);
        const char *why;
        if (!program_check(p, found, &why)) {
            printf("seed %" PRIu64 " is no program: %s\n", p->seed, why);
            wrong++;
        }
        for (int f = 0; f < FEATURES; f++)
            count[f] += found[f];
        program_destroy(p);
    }
    for (int f = 0; f < FEATURES; f++) {
        double percent = 100.0 * (double)count[f] / (double)o->programs;
        bool few = is_required(o, f) && percent < REQUIRED_PERCENT && o->programs >= 100;
        bool many = is_forbidden(o, f) && count[f];
        printf("%5.1f %%  %s%s\n", percent, feature_names[f],
               few    ? ": too few"
               : many ? ": there must be none"
                      : "");
        wrong += few || many;
    }
    fflush(stdout);
    return wrong;
}

/* ---- all together -------------------------------------------------------------------------- */

static uint64_t done_of(const struct totals *totals)
{
    return totals->passed + totals->failed + totals->refused;
}

static void tell_progress(const struct options *o, const struct totals *totals)
{
    printf("%" PRIu64, done_of(totals));
    if (!o->fuzz)
        printf(" of %" PRIu64, o->programs);
    puts(" programs");
    fflush(stdout);
}

static void wake(int number)
{
    (void)number; /* it has ended our wait */
}

/* A signal every so often, in this process alone. */
static void start_clock(void)
{
    const struct sigaction action = {.sa_handler = wake};
    const struct itimerval every = {{PROGRESS_SECONDS, 0}, {PROGRESS_SECONDS, 0}};
    sigaction(SIGALRM, &action, NULL);
    setitimer(ITIMER_REAL, &every, NULL);
}

/* A signal from the terminal ends the workers; we still say what they found. */
static void run_workers(const struct options *o, struct totals *totals)
{
    signal(SIGINT, SIG_IGN);
    for (int job = 0; job < o->jobs; job++)
        if (fork() == 0) {
            signal(SIGINT, SIG_DFL);
            worker(o, totals);
        }
    start_clock();
    pid_t ended;
    while ((ended = wait(NULL)) > 0 || errno == EINTR)
        if (ended < 0)
            tell_progress(o, totals);
}

static int run_all(const struct options *o)
{
    struct totals *totals =
        mmap(NULL, sizeof *totals, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    if (totals == MAP_FAILED) {
        perror("random");
        return EXIT_WRONG;
    }
    printf("random programs from seed %" PRIu64 "\n", o->seed);
    fflush(stdout);
    uint64_t wrong = o->fuzz ? 0 : coverage(o);
    run_workers(o, totals);
    uint64_t done = done_of(totals);
    if (!o->fuzz && done < o->programs) {
        printf("%" PRIu64 " programs were not run: a worker died\n", o->programs - done);
        wrong += o->programs - done;
    }
    wrong += totals->failed;
    printf("%" PRIu64 " passed, %" PRIu64 " failed", totals->passed, wrong);
    if (totals->refused)
        printf(", %" PRIu64 " refused", totals->refused);
    if (o->wild)
        printf(", %" PRIu64 " launches with an access outside", totals->outside);
    putchar('\n');
    return wrong ? EXIT_WRONG : 0;
}

static int print(const struct options *o)
{
    struct program *p = make(o, o->seed);
    bool done = true;
    struct outcome outcome;
    if (!strcmp(o->print, "--kernel")) {
        p->language->prelude(stdout, NULL);
        write_kernel(stdout, p);
    } else if (!strcmp(o->print, "--scalar")) {
        fputs("#include \"lanes.h\"\n", stdout);
        write_scalar(stdout, p);
    } else {
        run_programs(o->device, &p, 1, &outcome);
        if (outcome.verdict != AGREES)
            p = shrink(o->device, p, &outcome);
        done = report(stdout, o->device, p, &outcome);
    }
    program_destroy(p);
    return done ? 0 : EXIT_WRONG;
}

/* In a child: a driver that this process has talked to is of no use to the children to come. */
static bool is_there(const char *name)
{
    fflush(NULL);
    pid_t child = fork();
    lw_device *device;
    if (child == 0) {
        if (lw_device_open(name, &device) != LW_OK) {
            fprintf(stderr, "random: %s\n", lw_last_error());
            _exit(1);
        }
        lw_device_close(device);
        _exit(0);
    }
    int status;
    return child > 0 && waitpid(child, &status, 0) == child && status == 0;
}

int main(int argc, char **argv)
{
    long cores = sysconf(_SC_NPROCESSORS_ONLN);
    struct options o = {.seed = 1,
                        .programs = 1000,
                        .jobs = cores > 0 ? (int)cores : 1,
                        .device = "ref",
                        .language = &kernel_language};
    if (!parse(argc, argv, &o)) {
        fputs(usage, stderr);
        return EXIT_USAGE;
    }
    setenv("LANEWISE_CACHE", "0", 0);
    setenv("LANEWISE_GUARD", "all", 0); /* what is accessed beyond a buffer shows on cpu */
    if (lw_trap_faults() != LW_OK || !is_there(is_for_debugger(o.device) ? "ref" : o.device))
        return EXIT_USAGE;
    if (o.print)
        return print(&o);
    if (o.fuzz) {
        o.programs = UINT64_MAX / 2;
        o.seed = o.seed == 1 ? (uint64_t)time(NULL) << 20 : o.seed;
        mkdir(o.fuzz, 0777);
    }
    return run_all(&o);
}
