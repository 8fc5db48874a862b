/* outside.c - random kernels on `cpu` and on `ref`, right ones and with an access that is outside
 * of its object.
 *
 *   outside [--seed N] [--cases N] [--batch N] [--only]
 *
 * A case is a number from --seed on: a kernel, and it with a defect or with some. What is right
 * leaves the same bits on both. What `ref` refuses `cpu` must refuse: at the same line, for the
 * same object, and with the same message, if one thread of a block alone is wrong. Neither
 * may touch what is around the buffers. A batch is a source file; from one to the next the vector
 * level changes, and whether LANEWISE_BOUNDS is 1.
 */
#include "outside.h"
#include <lanewise/device.h>
#include <stdlib.h>
#include <string.h>

enum { LAUNCHES = 4, LEVELS = 3, LINE = 400 };

struct options {
    uint64_t seed;
    int cases, batch;
    bool only;
};
struct counts {
    int clean, defects, harmless, failed;
    int of_kind[KINDS];
};
struct pair {
    lw_device *device[2];
    lw_program *program[2];
    char how[64];
};
struct one {
    struct kernel kernel;
    struct defect defect;
};

static struct options read_options(int argc, char **argv)
{
    struct options o = {.seed = 1, .cases = 200, .batch = 25};
    for (int i = 1; i < argc; i++) {
        const bool has_value = i + 1 < argc;
        if (!strcmp(argv[i], "--only"))
            o.only = true;
        else if (has_value && !strcmp(argv[i], "--seed"))
            o.seed = strtoull(argv[++i], NULL, 10);
        else if (has_value && !strcmp(argv[i], "--cases"))
            o.cases = atoi(argv[++i]);
        else if (has_value && !strcmp(argv[i], "--batch"))
            o.batch = atoi(argv[++i]);
        else
            o.batch = 0;
    }
    if (o.batch < 1 || o.cases < 1) {
        fprintf(stderr, "usage: outside [--seed N] [--cases N] [--batch N] [--only]\n");
        exit(2);
    }
    if (o.only)
        o.cases = 1;
    return o;
}

/* ---- verdicts -------------------------------------------------------------------------------- */

/* A part of the message: from the text `begin` up to `end`. */
static void part(const char *text, const char *begin, const char *end, char to[LINE])
{
    const char *from = strstr(text, begin),
               *up_to = from ? strstr(from + strlen(begin), end) : NULL;
    snprintf(to, LINE, "%.*s", up_to ? (int)(up_to - from) : 0, from ? from : "");
}

static bool is_same_part(const char *a, const char *b, const char *begin, const char *end)
{
    char x[LINE], y[LINE];
    part(a, begin, end, x);
    part(b, begin, end, y);
    return !strcmp(x, y);
}

/* All of it where one thread of a block is wrong. Else line and object, for another lane may come
 * first; if the object is too small, at another line. */
static bool is_same_refusal(const char *ref, const char *cpu, const struct defect *defect)
{
    const bool is_here = is_same_part(ref, cpu, "outside.c:", ":");
    if (defect->thread == ALL_THREADS)
        return (is_here || defect->what == SHRUNK) && is_same_part(ref, cpu, " of '", "'");
    return !strcmp(ref, cpu);
}

static const char *judge(const struct one *one, const struct result *ref, const struct result *cpu)
{
    if (!cpu->is_clean || strstr(cpu->text, "accessed memory"))
        return "memory outside was accessed";
    if (!ref->is_clean)
        return "memory outside was accessed on ref";
    if (one->defect.what == NOTHING && ref->status)
        return "a right kernel is refused on ref";
    if ((ref->status && ref->status != LW_E_LAUNCH) || ref->status != cpu->status)
        return ref->status ? "not refused" : "a false alarm";
    if (!ref->status && ref->contents != cpu->contents)
        return "other bits";
    if (ref->status && !is_same_refusal(ref->text, cpu->text, &one->defect))
        return "another message";
    return NULL;
}

static void check_one(const struct pair *pair, const struct one *one, const struct options *o,
                      struct counts *c)
{
    struct result result[2];
    for (int i = 0; i < 2; i++)
        run_kernel(pair->device[i], pair->program[i], &one->kernel, &one->defect, &result[i]);
    const char *wrong = judge(one, &result[0], &result[1]);
    if (one->defect.what == NOTHING)
        c->clean++;
    else if (!result[0].status)
        c->harmless++;
    else {
        c->defects++;
        c->of_kind[one->kernel.object[one->kernel.access[one->defect.access].object].kind]++;
    }
    c->failed += wrong != NULL;
    if (!wrong && !o->only)
        return;
    printf("seed %llu, kernel %d, grid %d, block %dx%dx%d, %s: %s\n  ref: %s\n  cpu: %s\n",
           (unsigned long long)one->kernel.seed, one->kernel.number, one->kernel.grid,
           one->kernel.block[0], one->kernel.block[1], one->kernel.block[2], pair->how,
           wrong ? wrong : "as expected", result[0].text, result[1].text);
    if (!o->only)
        print_kernel(stdout, &one->kernel, &one->defect);
}

/* ---- batches --------------------------------------------------------------------------------- */

static bool open_pair(struct pair *pair, uint64_t number)
{
    static const char *const levels[LEVELS] = {"baseline", "avx2", "avx512"};
    const char *level = levels[number % LEVELS];
    const bool always = number / LEVELS % 2;
    *pair = (struct pair){0};
    setenv("LANEWISE_CPU", level, 1);
    if (always)
        setenv("LANEWISE_BOUNDS", "1", 1);
    else
        unsetenv("LANEWISE_BOUNDS");
    if (lw_device_open("cpu", &pair->device[1])) { /* the processor lacks this level */
        unsetenv("LANEWISE_CPU");
        level = "widest";
        if (lw_device_open("cpu", &pair->device[1]))
            return false;
    }
    snprintf(pair->how, sizeof pair->how, "%s%s", level, always ? ", LANEWISE_BOUNDS=1" : "");
    return lw_device_open("ref", &pair->device[0]) == LW_OK;
}

static void close_pair(struct pair *pair)
{
    for (int i = 0; i < 2; i++) {
        lw_program_destroy(pair->program[i]);
        lw_device_close(pair->device[i]);
    }
}

/* What is launched, kernels of one source: each kernel as it is, and with defects. */
static int make_launches(struct one *list, uint64_t seed, int cases, FILE *to)
{
    int count = 0;
    print_helpers(to);
    for (int i = 0; i < cases; i++) {
        struct dice d = {seed + (uint64_t)i};
        struct one *first = &list[count++];
        make_kernel(&first->kernel, seed + (uint64_t)i);
        first->kernel.number = count;
        first->defect = (struct defect){.access = NO_ACCESS, .thread = ALL_THREADS};
        print_kernel(to, &first->kernel, &first->defect);
        below(&d, 2);
        for (int n = 1; n < LAUNCHES; n++) {
            struct one *next = &list[count];
            next->kernel = first->kernel;
            if (!make_defect(&next->kernel, &d, &next->defect))
                continue;
            count++;
            if (next->defect.what == CHOSEN)
                continue;
            next->kernel.number = count;
            print_kernel(to, &next->kernel, &next->defect);
            break;
        }
    }
    return count;
}

static bool check_batch(uint64_t seed, int cases, const struct options *o, struct counts *c)
{
    struct one *list = calloc((size_t)cases * LAUNCHES, sizeof *list);
    char *source = NULL;
    size_t size = 0;
    FILE *to = open_memstream(&source, &size);
    if (!list || !to)
        abort();
    const int count = make_launches(list, seed, cases, to);
    fclose(to);
    const lw_build_options options = {.source = source};
    struct pair pair;
    bool ok = open_pair(&pair, seed);
    for (int i = 0; i < 2 && ok; i++)
        ok = lw_program_build(pair.device[i], "outside.c", &options, &pair.program[i]) == LW_OK;
    if (!ok)
        printf("seed %llu: %s\n", (unsigned long long)seed, lw_last_error());
    if (o->only || !ok)
        fputs(source, stdout);
    for (int i = 0; i < count && ok; i++)
        check_one(&pair, &list[i], o, c);
    close_pair(&pair);
    free(source);
    free(list);
    return ok;
}

int main(int argc, char **argv)
{
    const struct options o = read_options(argc, argv);
    struct counts c = {0};
    setvbuf(stdout, NULL, _IOLBF, 0);
    if (lw_trap_faults())
        printf("no faults are trapped: %s\n", lw_last_error());
    for (int done = 0; done < o.cases; done += o.batch) {
        const int cases = o.cases - done < o.batch ? o.cases - done : o.batch;
        c.failed += !check_batch(o.seed + (uint64_t)done, cases, &o, &c);
    }
    printf("%d right kernels, %d defects, %d that are none:", c.clean, c.defects, c.harmless);
    for (int i = 0; i < KINDS; i++)
        printf(" %s %d%s", kind_names[i], c.of_kind[i], i + 1 < KINDS ? "," : "\n");
    printf("%d passed, %d failed\n", c.clean + c.defects + c.harmless - c.failed, c.failed);
    return c.failed != 0;
}
