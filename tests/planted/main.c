/* main.c - random kernels under the device `check`, right ones and with a planted defect.
 *
 *   planted [--seed N] [--cases N] [--batch N] [--only] [--mixed]
 *
 * A case is a number from --seed on: a kernel, which must be clean, and the same with a defect,
 * which must be found if the oracle finds it; what is found must be in the oracle's list, with both
 * lines. --mixed: a case is a kernel that is right or wrong by chance. --batch cases are two source
 * files, without fences and with. --only prints the case of --seed and both lists.
 */
#include "planted.h"
#include <stdlib.h>
#include <string.h>

struct options {
    uint64_t seed;
    int cases, batch;
    bool only, is_mixed;
};
struct counts {
    int clean, defects, uncertain, harmless, failed;
    int of_class[OTHER + 1];
};

static struct options read_options(int argc, char **argv)
{
    struct options o = {.seed = 1, .cases = 200, .batch = 50};
    for (int i = 1; i < argc; i++) {
        const bool has_value = i + 1 < argc;
        if (!strcmp(argv[i], "--only"))
            o.only = true;
        else if (!strcmp(argv[i], "--mixed"))
            o.is_mixed = true;
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
        fprintf(stderr, "usage: planted [--seed N] [--cases N] [--batch N] [--only] [--mixed]\n");
        exit(2);
    }
    if (o.only)
        o.cases = 1;
    return o;
}

static void print_alone(const struct kernel *k)
{
    struct kernel copy = *k;
    int line = 0;
    print_prelude(stdout, &line);
    print_kernel(stdout, &copy, &line);
}

/* True if the oracle has a race at these places where the other one of the values differs: whether
 * a store leaves memory as it is depends on the order. */
static bool has_race_there(const struct truth *truth, struct finding one)
{
    const bool is_benign = one.class == BENIGN;
    bool has = false;
    for (one.class = is_benign ? RACE_WARP : BENIGN; one.class <= BENIGN; one.class ++)
        has |= has_finding(&truth->all, one);
    return has;
}

/* Threads that wait apart end their block at a time that no rule tells, so with them a mixed kernel
 * may get to other races. */
static bool is_confirmed(const struct kernel *k, struct truth *truth, struct finding one)
{
    if (k->is_mixed && one.class <= BENIGN &&
        (kinds_of(&truth->all) & A_DIVERGENCE || has_race_there(truth, one)))
        return true;
    return oracle_confirms(k, truth, one);
}

/* Why the findings are wrong, or NULL. */
static const char *judge(const struct kernel *k, struct truth *truth, const struct findings *found)
{
    bool has_error = false, has_class = false;
    for (size_t i = 0; i < found->count; i++) {
        if (!is_confirmed(k, truth, found->row[i]))
            return "a false alarm";
        has_error |= found->row[i].class != BENIGN;
        has_class |= found->row[i].class == truth->class;
    }
    if (truth->is_certain && !has_error)
        return "a defect was not found";
    if (truth->is_certain && truth->class != OTHER && !has_class)
        return "another class was found";
    if (truth->kinds & ~kinds_of(found))
        return "one of the defects was not found";
    return NULL;
}

static void tell(const struct kernel *k, const char *wrong, const struct truth *truth,
                 const struct findings *found)
{
    printf("seed %llu, grid %d, block %d, %s: %s\n  expected (any of)\n",
           (unsigned long long)k->seed, k->grid, k->block,
           k->planted[0] ? k->planted : "nothing planted", wrong);
    print_findings(&truth->all);
    printf("  found\n");
    print_findings(found);
}

static void count(struct counts *c, const struct kernel *k, const struct truth *truth)
{
    if (!k->planted[0])
        c->clean++;
    else if (truth->is_clean)
        c->harmless++;
    else if (!truth->is_certain)
        c->uncertain++;
    else
        c->defects++;
    if (truth->is_certain)
        c->of_class[truth->class]++;
}

static void check_one(struct device *device, const struct kernel *k, const struct options *o,
                      struct counts *c)
{
    struct findings found = {0};
    char why[512];
    struct truth truth;
    oracle(k, &truth);
    const bool ran = device_check(device, k, &found, why, sizeof why);
    const char *wrong = !ran ? why : judge(k, &truth, &found);
    if (!wrong && !k->planted[0] && !truth.is_clean)
        wrong = "the oracle calls a right kernel wrong";
    count(c, k, &truth);
    c->failed += wrong != NULL;
    if (wrong || o->only) {
        tell(k, wrong ? wrong : "as expected", &truth, &found);
        if (!o->only)
            print_alone(k);
    }
    free(truth.all.row);
    free(found.row);
}

/* Kernels of a source file: of each case the right one and the other. */
static int make_cases(struct kernel *k, uint64_t seed, int cases, bool is_mixed)
{
    int count = 0;
    for (int i = 0; i < cases; i++) {
        if (is_mixed) {
            mix(&k[count], seed + (uint64_t)i);
            k[count].number = count;
            count++;
            continue;
        }
        struct dice d = {seed + (uint64_t)i};
        make(&k[count], seed + (uint64_t)i);
        k[count].number = count;
        k[count + 1] = k[count];
        k[count + 1].number = count + 1;
        below(&d, 2);
        count += plant(&k[count + 1], &d) ? 2 : 1;
    }
    return count;
}

/* Do fences or warp_sync order in it? */
static bool has_fences(const struct kernel *k)
{
    for (int i = 0; i < k->steps; i++)
        if (k->step[i].op == WARP_SYNC || k->step[i].op == FENCE_BLOCK ||
            k->step[i].op == FENCE_DEVICE)
            return true;
    return false;
}

/* Those with fences, or those without: a checker may treat a source with fences in another way. */
static bool check_source(struct device *device, struct kernel *k, int number, bool fences,
                         const struct options *o, struct counts *c)
{
    char *source = NULL;
    size_t size = 0;
    FILE *to = open_memstream(&source, &size);
    int line = 0, printed = 0;
    if (!to)
        abort();
    print_prelude(to, &line);
    for (int i = 0; i < number; i++)
        if (has_fences(&k[i]) == fences) {
            print_kernel(to, &k[i], &line);
            printed++;
        }
    fclose(to);
    if (o->only && printed)
        fputs(source, stdout);
    const bool is_built = !printed || device_build(device, source);
    for (int i = 0; i < number && is_built; i++)
        if (has_fences(&k[i]) == fences)
            check_one(device, &k[i], o, c);
    free(source);
    return is_built;
}

static bool check_batch(struct device *device, uint64_t seed, int cases, const struct options *o,
                        struct counts *c)
{
    struct kernel *k = calloc(2 * (size_t)cases, sizeof *k);
    if (!k)
        abort();
    const int number = make_cases(k, seed, cases, o->is_mixed);
    const bool is_built =
        check_source(device, k, number, false, o, c) && check_source(device, k, number, true, o, c);
    free(k);
    return is_built;
}

int main(int argc, char **argv)
{
    const struct options o = read_options(argc, argv);
    struct counts c = {0};
    struct device *device = device_open();
    bool is_built = device != NULL;
    for (int done = 0; done < o.cases && is_built; done += o.batch) {
        const int cases = o.cases - done < o.batch ? o.cases - done : o.batch;
        is_built = check_batch(device, o.seed + (uint64_t)done, cases, &o, &c);
    }
    if (!is_built)
        printf("no kernels: %s\n", device_error());
    printf("%d right kernels, %d defects; %d times what was planted is none, %d times in some "
           "orders\n",
           c.clean, c.defects, c.harmless, c.uncertain);
    for (int i = 0; i <= OTHER; i++)
        if (c.of_class[i])
            printf("  %s: %d\n", i == OTHER ? "several classes" : class_names[i], c.of_class[i]);
    const int passed = c.clean + c.defects + c.harmless + c.uncertain - c.failed;
    printf("%d passed, %d failed\n", passed, c.failed + !is_built);
    if (device)
        device_close(device);
    return c.failed || !is_built;
}
