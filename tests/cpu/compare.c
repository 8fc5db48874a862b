/* compare.c - kernels on `cpu` must leave the bytes that they leave on `ref`: at each vector level
 * of this machine, with 1, 2, 3 and 7 threads, for each size of block.
 *
 *     compare [--quick] [--level LEVEL] [--kernel NAME] [--ref RESULTS] FILE... [--1d FILE...]
 *
 * Every kernel of the files is launched on random data. Its arguments follow from its parameters:
 * `int n` is how many elements there are, a few less than threads; a pointer gets a buffer of an
 * element a thread and some more, of which all are compared. Kernels with sizes `rows` and `cols`
 * stand in the table below. Files after --1d are for blocks of one dimension.
 *
 * Vector level and threads are fixed when a process opens the device, so each pair of them has a
 * process; before them one has run all on `ref`, into memory that they share. --quick takes of the
 * sizes and threads a share that differs from kernel to kernel and level to level. --ref is for two
 * machines: where the file RESULTS is missing, what `ref` leaves is written there and nothing is
 * compared; where it is not, `cpu` must leave that.
 * The last line is `N passed, N failed`; a launch counts one.
 */
#include <lanewise/lanewise.h>
#include <fcntl.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

enum { GRID = 3, SLACK = 70, KERNELS_MAX = 400, PARAMS_MAX = 8, TEAMS = 4 };

static const lw_dim3 sizes[] = {{1, 1, 1},    {31, 1, 1},  {32, 1, 1},  {33, 1, 1},
                                {64, 1, 1},   {100, 1, 1}, {256, 1, 1}, {1000, 1, 1},
                                {1024, 1, 1}, {16, 16, 1}, {8, 8, 4}};
enum { SIZES = sizeof sizes / sizeof *sizes };

#if defined(__aarch64__)
static const char *const levels[] = {"aarch64"};
#else
static const char *const levels[] = {"avx512", "avx2", "baseline"};
#endif
enum { LEVELS = sizeof levels / sizeof *levels };
static const char *const teams[TEAMS] = {"1", "2", "3", "7"};

/* Kernels over matrices, with the grid and the sizes that suit them. */
static const struct matrix {
    const char *kernel;
    lw_dim3 grid;
    int rows, cols;
} matrices[] = {
    {"matmul", {3, 3, 1}, 48, 48},
    {"matmul_4x4", {1, 1, 1}, 64, 64},
    {"softmax", {3, 1, 1}, 3, 1501},
    {"transpose", {2, 3, 1}, 70, 45},
};

/* What the processes share. */
struct shared {
    long passed, failed;
    size_t offsets[KERNELS_MAX][SIZES]; /* where what a launch has left begins */
    unsigned char bytes[];              /* what ref leaves, launch after launch */
};

static struct {
    bool quick;
    const char *level, *kernel; /* NULL: all */
    const char *results;        /* NULL: none */
    struct shared *shared;
    bool is_ref;
    int level_index, team_index; /* of this process */
    lw_device *device;
    lw_stream *stream;
    size_t offset;   /* into shared->bytes */
    unsigned serial; /* of the kernel */
} run;

static void stop(const char *format, ...)
{
    va_list list;
    va_start(list, format);
    fprintf(stderr, "compare: ");
    vfprintf(stderr, format, list);
    fputc('\n', stderr);
    va_end(list);
    exit(2);
}

static void must(lw_status status)
{
    if (status != LW_OK)
        stop("%s", lw_last_error());
}

/* ---- data ------------------------------------------------------------------------------------ */

/* splitmix64: Steele, Lea and Flood, "Fast Splittable Pseudorandom Number Generators", OOPSLA 2014.
 */
static uint64_t next_random(uint64_t *state)
{
    uint64_t z = *state += 0x9e3779b97f4a7c15u;
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
    z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
    return z ^ (z >> 31);
}

static bool is_floating(lw_dtype dtype)
{
    return dtype == LW_F16 || dtype == LW_BF16 || dtype == LW_F32 || dtype == LW_F64;
}

/* Bits of the exponent and of the mantissa. */
static void float_fields(lw_dtype dtype, int *exponent, int *mantissa)
{
    *exponent = dtype == LW_F16 ? 5 : dtype == LW_F64 ? 11 : 8;
    *mantissa = (int)lw_dtype_size(dtype) * 8 - 1 - *exponent;
}

static bool is_nan(lw_dtype dtype, uint64_t bits)
{
    int exponent, mantissa;
    float_fields(dtype, &exponent, &mantissa);
    uint64_t infinity = ((1ull << exponent) - 1) << mantissa;
    return (bits & ~(1ull << (exponent + mantissa))) > infinity;
}

/* One value in eight is any bits at all: NaN, infinite, subnormal among them. The others lie within
 * 2^-6 ... 2^2, so that sums of them round. */
static uint64_t random_float(lw_dtype dtype, uint64_t *state)
{
    int exponent, mantissa;
    uint64_t bits = next_random(state), zero = next_random(state) % 64;
    float_fields(dtype, &exponent, &mantissa);
    uint64_t bias = (1ull << (exponent - 1)) - 1, kind = next_random(state) % 8;
    if (zero == 0) /* of either sign; infinities */
        return (bits & 1) << (exponent + mantissa) |
               (bits & 2 ? ((1ull << exponent) - 1) << mantissa : 0);
    if (kind == 0)
        return bits;
    bits &= ((1ull << mantissa) - 1) | 1ull << (exponent + mantissa);
    return bits | (bias - 6 + next_random(state) % 8) << mantissa;
}

static void fill(unsigned char *to, lw_dtype dtype, size_t count, uint64_t seed)
{
    size_t size = lw_dtype_size(dtype);
    for (size_t i = 0; i < count; i++) {
        uint64_t bits = is_floating(dtype) ? random_float(dtype, &seed)
                        : dtype == LW_BOOL ? next_random(&seed) >> 63
                                           : next_random(&seed);
        memcpy(to + i * size, &bits, size); /* the low bytes: little-endian */
    }
}

/* ---- one launch ------------------------------------------------------------------------------ */

struct launch {
    lw_kernel *kernel;
    const struct matrix *matrix;
    lw_dim3 grid, block;
    size_t elements, param_count;
    lw_param params[PARAMS_MAX];
    lw_arg args[PARAMS_MAX];
    lw_buffer *buffers[PARAMS_MAX];
};

static void prepare_argument(struct launch *l, size_t k)
{
    lw_param *p = &l->params[k];
    must(lw_kernel_param(l->kernel, k, p));
    if (p->kind == LW_PARAM_SCALAR) {
        bool is_n = !strcmp(p->name, "n");
        if (!is_n && !l->matrix)
            stop("%s: parameter '%s' is not n", lw_kernel_signature(l->kernel), p->name);
        l->args[k] = lw_arg_int(is_n ? (int64_t)l->elements - (l->elements > 5 ? 5 : 0)
                                : !strcmp(p->name, "rows") ? l->matrix->rows
                                                           : l->matrix->cols);
        return;
    }
    if (!p->has_dtype)
        stop("%s: parameter '%s' has no dtype", lw_kernel_signature(l->kernel), p->name);
    size_t count = p->dims ? (size_t)l->matrix->rows * (size_t)l->matrix->cols
                           : (l->elements + SLACK) * p->element_bytes / lw_dtype_size(p->dtype);
    unsigned char *data = malloc(count * lw_dtype_size(p->dtype));
    if (!data)
        stop("out of memory");
    fill(data, p->dtype, count, (run.serial * 64 + k) * 4096 + l->elements);
    must(lw_buffer_create(run.device, p->dtype, count, &l->buffers[k]));
    must(lw_buffer_write(l->buffers[k], 0, count, data));
    l->args[k] = lw_arg_buffer(l->buffers[k]);
    free(data);
}

static void say_place(const struct launch *l)
{
    printf("%s, block %ux%ux%u, %s, %s threads: ", lw_kernel_name(l->kernel), l->block.x,
           l->block.y, l->block.z, levels[run.level_index], teams[run.team_index]);
}

/* Is what the buffer holds what ref has left there? Says the first element that is not. */
static bool same_bytes(const struct launch *l, size_t k, const unsigned char *got,
                       const unsigned char *want)
{
    lw_dtype dtype = l->params[k].dtype;
    size_t size = lw_dtype_size(dtype), count = lw_buffer_count(l->buffers[k]), wrong = 0;
    for (size_t i = count; i-- > 0;) {
        uint64_t a = 0, b = 0;
        memcpy(&a, got + i * size, size);
        memcpy(&b, want + i * size, size);
        if (a == b || (is_floating(dtype) && is_nan(dtype, a) && is_nan(dtype, b)))
            continue;
        if (wrong++ == 0)
            say_place(l);
        if (wrong <= 3)
            printf("%s[%zu] is %0*llx, on ref %0*llx; ", l->params[k].name, i, (int)size * 2,
                   (unsigned long long)a, (int)size * 2, (unsigned long long)b);
    }
    if (wrong)
        printf("%zu of %zu are wrong\n", wrong, count);
    return !wrong;
}

static void compare_buffers(const struct launch *l, lw_status status)
{
    bool same = true;
    if (status != LW_OK) {
        if (run.is_ref)
            stop("%s on ref: %s", lw_kernel_name(l->kernel), lw_last_error());
        say_place(l);
        printf("%s\n", lw_last_error());
        same = false;
    }
    for (size_t k = 0; k < l->param_count; k++) {
        if (!l->buffers[k])
            continue;
        size_t bytes = lw_buffer_bytes(l->buffers[k]);
        unsigned char *want = run.shared->bytes + run.offset, *got = malloc(bytes);
        if (!got)
            stop("out of memory");
        must(lw_buffer_read(l->buffers[k], 0, lw_buffer_count(l->buffers[k]),
                            run.is_ref ? want : got));
        if (!run.is_ref && status == LW_OK)
            same = same_bytes(l, k, got, want) && same;
        free(got);
        run.offset += bytes;
    }
    if (!run.is_ref)
        __atomic_fetch_add(same ? &run.shared->passed : &run.shared->failed, 1, __ATOMIC_RELAXED);
    fflush(stdout);
}

/* --quick: does this process run the kernel at this size? ref runs all, for all of them. */
static bool is_wanted(int size)
{
    if (run.is_ref || !run.quick)
        return true;
    unsigned turn = run.serial * 5 + (unsigned)run.level_index * 4;
    return (turn + (unsigned)run.team_index * 7) % SIZES == (unsigned)size;
}

static void launch(lw_kernel *kernel, const struct matrix *matrix, lw_dim3 block, int size)
{
    struct launch l = {.kernel = kernel, .matrix = matrix, .grid = {GRID, 1, 1}, .block = block};
    l.elements = (size_t)GRID * block.x * block.y * block.z;
    l.param_count = lw_kernel_param_count(kernel);
    if (matrix)
        l.grid = matrix->grid;
    if (run.serial >= KERNELS_MAX || l.param_count > PARAMS_MAX)
        stop("%s: more kernels or parameters than expected", lw_kernel_name(kernel));
    if (run.is_ref)
        run.shared->offsets[run.serial][size] = run.offset;
    else
        run.offset = run.shared->offsets[run.serial][size];
    for (size_t k = 0; k < l.param_count; k++)
        prepare_argument(&l, k);
    lw_status status =
        lw_stream_launch(run.stream, kernel, l.grid, block, NULL, l.args, l.param_count);
    if (status == LW_OK)
        status = lw_stream_wait(run.stream);
    compare_buffers(&l, status);
    for (size_t k = 0; k < l.param_count; k++)
        lw_buffer_destroy(l.buffers[k]);
    if (status == LW_OK)
        return;
    lw_stream_destroy(run.stream); /* it has failed for ever */
    must(lw_stream_create(run.device, &run.stream));
}

/* ---- one process ----------------------------------------------------------------------------- */

static void run_kernel(lw_kernel *kernel, bool flat)
{
    const char *name = lw_kernel_name(kernel);
    const struct matrix *matrix = NULL;
    lw_dim3 fixed = lw_kernel_fixed_block(kernel);
    run.serial++;
    if (run.kernel && strcmp(run.kernel, name) != 0)
        return;
    for (size_t k = 0; k < sizeof matrices / sizeof *matrices; k++)
        if (!strcmp(matrices[k].kernel, name))
            matrix = &matrices[k];
    if (fixed.x) {
        launch(kernel, matrix, fixed, 0);
        return;
    }
    for (int k = 0; k < SIZES; k++)
        if (is_wanted(k) && (!flat || sizes[k].y == 1))
            launch(kernel, matrix, sizes[k], k);
}

static void run_file(const char *path, bool flat)
{
    lw_program *program;
    if (lw_program_build(run.device, path, NULL, &program) != LW_OK) {
        if (run.is_ref)
            stop("%s", lw_last_error());
        printf("%s, %s: %s\n", path, levels[run.level_index], lw_last_error());
        __atomic_fetch_add(&run.shared->failed, 1, __ATOMIC_RELAXED);
        return;
    }
    for (size_t k = 0; k < lw_program_kernel_count(program); k++) {
        lw_kernel *kernel;
        must(lw_program_kernel_at(program, k, &kernel));
        run_kernel(kernel, flat);
    }
    lw_program_destroy(program);
}

static int run_all(char **files)
{
    bool flat = false;
    must(lw_device_open(run.is_ref ? "ref" : "cpu", &run.device));
    must(lw_stream_create(run.device, &run.stream));
    for (; *files; files++) {
        if (!strcmp(*files, "--1d"))
            flat = true;
        else
            run_file(*files, flat);
    }
    lw_stream_destroy(run.stream);
    lw_device_close(run.device);
    return 0;
}

/* ---- all of them ----------------------------------------------------------------------------- */

/* A process that runs all files on ref, or on cpu at a level with a team of threads. */
static pid_t start(char **files, int level, int team)
{
    pid_t child = fork();
    if (child < 0)
        stop("no process can be started");
    if (child > 0)
        return child;
    run.is_ref = level < 0;
    if (!run.is_ref) {
        run.level_index = level, run.team_index = team;
        setenv("LANEWISE_CPU", levels[level], 1);
        setenv("LANEWISE_NUM_THREADS", teams[team], 1);
    }
    exit(run_all(files));
}

/* A process that ends badly is a failure. */
static bool finish(void)
{
    int status;
    if (wait(&status) < 0)
        return false;
    if (status == 0)
        return true;
    printf("a process ended with status 0x%x\n", (unsigned)status);
    __atomic_fetch_add(&run.shared->failed, 1, __ATOMIC_RELAXED);
    return true;
}

static bool has_level(const char *level)
{
#if defined(__aarch64__)
    return !strcmp(level, "aarch64");
#else
    __builtin_cpu_init();
    bool avx2 = __builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma");
    bool avx512 = avx2 && __builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512bw") &&
                  __builtin_cpu_supports("avx512cd") && __builtin_cpu_supports("avx512dq") &&
                  __builtin_cpu_supports("avx512vl");
    return !strcmp(level, "avx512") ? avx512 : !strcmp(level, "avx2") ? avx2 : true;
#endif
}

/* Two at a time: the processes of one team differ in what they build, those of a level share it. */
static void start_all(char **files)
{
    int under_way = 0;
    for (int team = 0; team < TEAMS; team++)
        for (int level = 0; level < LEVELS; level++) {
            if ((run.level && strcmp(run.level, levels[level]) != 0) || !has_level(levels[level]))
                continue;
            if (under_way == 2 && finish())
                under_way--;
            start(files, level, team);
            under_way++;
        }
    while (finish())
        ;
}

static char **read_options(int argc, char **argv)
{
    int at = 1;
    for (; at < argc && !strncmp(argv[at], "--", 2); at++) {
        if (!strcmp(argv[at], "--quick"))
            run.quick = true;
        else if (!strcmp(argv[at], "--level") && at + 1 < argc)
            run.level = argv[++at];
        else if (!strcmp(argv[at], "--kernel") && at + 1 < argc)
            run.kernel = argv[++at];
        else if (!strcmp(argv[at], "--ref") && at + 1 < argc)
            run.results = argv[++at];
        else
            break;
    }
    if (at == argc)
        stop("[--quick] [--level LEVEL] [--kernel NAME] [--ref RESULTS] FILE... [--1d FILE...]");
    return argv + at;
}

/* Memory that all processes share, or with --ref the file. True: what ref leaves is in it. */
static bool share_memory(void)
{
    size_t bytes = (size_t)4 << 30; /* of addresses: ref takes what it needs */
    int file = -1, kind = MAP_ANONYMOUS;
    bool is_there = run.results && access(run.results, F_OK) == 0;
    if (run.results) {
        kind = 0;
        file = open(run.results, O_RDWR | O_CREAT, 0600);
        if (file < 0 || ftruncate(file, (off_t)bytes))
            stop("%s cannot be written", run.results);
    }
    void *memory =
        mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_NORESERVE | kind, file, 0);
    if (memory == MAP_FAILED)
        stop("no memory to share");
    run.shared = memory;
    return is_there;
}

int main(int argc, char **argv)
{
    char **files = read_options(argc, argv);
    setenv("LANEWISE_GUARD", "all", 0);
    must(lw_trap_faults());
    bool has_results = share_memory(), only_ref = run.results && !has_results;
    run.shared->passed = run.shared->failed = 0;
    if (!has_results) {
        start(files, -1, 0);
        finish();
    }
    if (run.shared->failed == 0 && !only_ref)
        start_all(files);
    printf("%ld passed, %ld failed\n", run.shared->passed, run.shared->failed);
    return run.shared->failed || !(run.shared->passed || only_ref);
}
