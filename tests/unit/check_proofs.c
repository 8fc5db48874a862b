/* check_proofs - proofs against what random kernels do: each reads elements, at an index made of
 * thread and block indices, scalars and the counter of a loop, under a condition or not. A twin of
 * the kernel writes down the least and the greatest index. What is proved must be in bounds; much
 * of what is in bounds must be proved; what is out of bounds must be found. `check_proofs N` takes
 * other kernels.
 */
#include <lanewise/check.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { KERNELS = 40, LAUNCHES = 15, THREADS_MAX = 120, LENGTH_MAX = 80, SHARED_LENGTH = 24 };

static void must(lw_status status)
{
    if (status) {
        printf("%s\n", lw_last_error());
        exit(1);
    }
}

static unsigned long long state = 43;
static int below(int n)
{
    state = state * 6364136223846793005ull + 1442695040888963407ull;
    return (int)(state >> 33) % n;
}

#define PICK(list) list[below(sizeof list / sizeof *list)]

static char text[1 << 20];
static size_t length;
static void add(const char *format, ...)
{
    va_list args;
    va_start(args, format);
    length += (size_t)vsnprintf(text + length, sizeof text - length, format, args);
    va_end(args);
}

/* ---- kernels --------------------------------------------------------------------------------- */

static const char *const types[] = {"int", "unsigned", "size_t", "long"};
static const char *const starts[] = {"global_idx.x",
                                     "thread_idx.x",
                                     "block_idx.x * m + thread_idx.x",
                                     "n - 1 - (int)global_idx.x",
                                     "thread_idx.x * s",
                                     "lane_id() + m",
                                     "global_idx.x / 3",
                                     "0",
                                     "n - m"};
static const char *const bounds[] = {"n", "n - 1", "n * m", "m", "n - s", "n + 1", "20"};
static const char *const signs[] = {"<", "<", "<=", "!=", ">", ">=", "=="};
static const char *const indices[] = {"i",
                                      "i",
                                      "i + 1",
                                      "i - 1",
                                      "i * m + j",
                                      "i * 3 + j",
                                      "j",
                                      "j",
                                      "n - 1 - i",
                                      "i / m",
                                      "i % n",
                                      "i & 7",
                                      "i + j",
                                      "j * m + i",
                                      "(i < j ? i : j)",
                                      "i * s",
                                      "(i >> 1)",
                                      "(i >> (m & 3))",
                                      "((i & 15) << (m & 3))",
                                      "(unsigned)i - 2",
                                      "(short)i",
                                      "i / m * m + i % m",
                                      "(i > 3 && j > 1 ? i - 3 : 0)",
                                      "j - i",
                                      "(i ^ 1)",
                                      "(i ^ j)",
                                      "(i | 3)",
                                      "(i & ~3)",
                                      "i + s * 4",
                                      "(i >= j ? i - j : 0)",
                                      "(j < i ? i - j - 1 : 0)",
                                      "(i % 5 + j % 5 * 5)",
                                      "i % (m + 1)",
                                      "popcount((unsigned)i)",
                                      "last",
                                      "last + s",
                                      "turn * m",
                                      "(turn < 3 && i > 0 && i < n ? i - 1 : 0)"};

/* What an iteration leaves to the next. */
static const char *const lasts[] = {"last + 1",   "last + s", "last * 2 + 1",
                                    "(int)i & 7", "turn",     "last < 9 ? last + 2 : 0",
                                    "(int)j"};

static int accesses[KERNELS];

static void add_body(const char *type, int *count)
{
    static const char *const loops[] = {
        "for (T j = 0; j < %s; j++)",
        "for (T j = i; j < %s; j += %d)",
        "for (T j = 0; j <= i && j < %s; j++)",
        "for (int j = 0; j != 12; j += %d)",
        "for (unsigned j = 12; j-- > 0;)",
        "for (int j = %s - 1; j >= 0; j -= %d)",
        "for (int j = global_idx.x; j < %s; j += block_dim.x * grid_dim.x)",
        "for (unsigned j = global_idx.x; j < 30u; j += block_dim.x * grid_dim.x)",
        "for (int j = block_dim.x / 2; j > 0; j /= 2)",
        "for (int j = 1; j < 40; j *= 2)",
        "for (int j = 0; j + 4 <= %s; j += 4)",
        "for (unsigned j = 0; j < block_dim.x * 4; j += 4)",
        "for (int j = 0, k = 0; k < 5; k++, j += %d)",
        "for (int j = 1, k = 0; k != 4; k++, j *= 3)",
        "for (T j = i; j > 0 && turn < 6; j >>= 1)"};
    const int loop = below((int)(sizeof loops / sizeof *loops) * 2);
    add("    typedef %s T;\n    T i = %s, j = m;\n    int turn = 0, last = 0;\n"
        "    (void)j, (void)last;\n",
        type, PICK(starts));
    switch (below(4)) {
    case 0: break;
    case 1: add("    if (i %s (T)(%s))\n", PICK(signs), PICK(bounds)); break;
    case 2: add("    if (i >= 1 && i < (T)(%s))\n", PICK(bounds)); break;
    default: add("    if (!(i < 0 || i %s (T)(%s)))\n", PICK(signs), PICK(bounds)); break;
    }
    if (loop < (int)(sizeof loops / sizeof *loops)) {
        const char *bound = below(2) ? "(T)20" : "(T)(m < 0 ? 0 : m)";
        const bool is_first = strstr(loops[loop], "%s");
        if (is_first)
            add(loops[loop], bound, 1 + below(3));
        else
            add(loops[loop], 1 + below(4));
        add("\n");
    }
    add("    {\n        ACCESS(%s)\n        turn++;\n", PICK(indices));
    add("        last = %s;\n    }\n", PICK(lasts));
    *count = 1 + (below(3) == 0);
    if (*count == 2)
        add("    ACCESS(last)\n");
}

/* What a kernel reads from: x, of so many elements as the launch says, or an array of the block,
 * whose accesses are not told. Where lanes meet in a loop, its iterations are counted. */
static bool is_shared[KERNELS];

static void add_accessor(int k)
{
    is_shared[k] = k % 4 == 3;
    add("#undef ACCESS\n#define ACCESS(e) sum += %s[e];%s\n", is_shared[k] ? "tile" : "x",
        k % 3 ? "" : " warp_sync();");
    add("KERNEL void k%d(int *out, const int *x, int n, int m, int s)\n{\n    int sum = 0;\n", k);
    if (is_shared[k])
        add("    SHARED int tile[%d];\n    for (int q = thread_idx.x; q < %d; q += block_dim.x)\n"
            "        tile[q] = x[0];\n    barrier();\n",
            SHARED_LENGTH, SHARED_LENGTH);
}

static void add_kernels(void)
{
    static char body[4096];
    add("#include <lanewise/kernel.h>\n");
    for (int k = 0; k < KERNELS; k++) {
        const size_t from = length;
        add_body(PICK(types), &accesses[k]);
        snprintf(body, sizeof body, "%s", text + from);
        length = from;
        add_accessor(k);
        add("%s    out[global_idx.x] = sum;\n}\n", body);
        add("#undef ACCESS\n#define ACCESS(e) { long long at = (long long)(e); \\\n"
            "    if (at < low) low = at; \\\n    if (at > high) high = at; }\n"
            "KERNEL void t%d(long long *ends, int n, int m, int s)\n{\n"
            "    long long low = 0x7fffffffffffffff, high = -low;\n"
            "%s    ends[2 * global_idx.x] = low;\n    ends[2 * global_idx.x + 1] = high;\n}\n",
            k, body);
    }
}

/* ---- launches -------------------------------------------------------------------------------- */

struct counts {
    int proved, within, outside, wrong;
};

static lw_device *device;
static lw_program *program;
static lw_buffer *out, *ends;

static void *kernel_named(char kind, int k)
{
    char name[16];
    snprintf(name, sizeof name, "%c%d", kind, k);
    lw_kernel *kernel;
    must(lw_program_kernel(program, name, &kernel));
    return kernel;
}

/* Overflow may be found; that is nothing here. */
static void settle(lw_stream *s)
{
    const lw_status status = lw_stream_wait(s);
    if (status && status != LW_E_CHECK)
        must(status);
}

static void find_bounds(const lw_finding *finding, void *user)
{
    if (!strcmp(finding->name, "out-of-bounds"))
        *(bool *)user = true;
}

/* True if so many accesses to x are proved. */
static bool is_proved(lw_stream *s, int accesses)
{
    static char report[1 << 16];
    char path[] = "/tmp/check_proofs-XXXXXX";
    const int file = mkstemp(path);
    if (file < 0)
        return false;
    close(file);
    must(lw_check_write(s, LW_CHECK_JSON, path));
    FILE *f = fopen(path, "r");
    const size_t n = f ? fread(report, 1, sizeof report - 1, f) : 0;
    report[n] = '\0';
    if (f)
        fclose(f);
    unlink(path);
    int count = 0;
    for (const char *at = strstr(report, "\"proved\": [");
         at && (at = strstr(at, "\"object\": \"x\"")); at++)
        count++;
    return count == accesses;
}

/* Every index of the twin is one of so many elements. */
static bool is_within(int k, lw_dim3 grid, lw_dim3 block, const int n[3], long long elements)
{
    long long at[2 * THREADS_MAX];
    const size_t threads = (size_t)grid.x * block.x;
    lw_stream *s;
    must(lw_stream_create(device, &s));
    must(LW_LAUNCH(s, kernel_named('t', k), grid.x, block.x, ends, n[0], n[1], n[2]));
    settle(s);
    lw_stream_destroy(s);
    must(lw_buffer_read(ends, 0, 2 * threads, at));
    for (size_t t = 0; t < threads; t++)
        if (at[2 * t] <= at[2 * t + 1] && (at[2 * t] < 0 || at[2 * t + 1] >= elements))
            return false;
    return true;
}

static void launch(int k, struct counts *counts)
{
    const lw_dim3 grid = {1 + (unsigned)below(3), 1, 1}, block = {1 + (unsigned)below(40), 1, 1};
    const int n[] = {below(44) - 4, below(11) - 1, below(6) - 1};
    const int elements = 1 + below(below(2) ? LENGTH_MAX : 12);
    bool is_found = false;
    const bool within = is_within(k, grid, block, n, is_shared[k] ? SHARED_LENGTH : elements);
    lw_buffer *x;
    must(lw_buffer_create(device, LW_I32, (size_t)elements, &x));
    lw_stream *s;
    must(lw_stream_create(device, &s));
    must(LW_LAUNCH(s, kernel_named('k', k), grid.x, block.x, out, x, n[0], n[1], n[2]));
    settle(s);
    lw_check_findings(s, find_bounds, &is_found);
    const bool proved = !is_shared[k] && is_proved(s, accesses[k]);
    counts->proved += proved;
    counts->within += within && !is_shared[k];
    counts->outside += is_found;
    if ((proved && !within) || is_found == within) {
        printf("k%d, grid %u, block %u, n %d, m %d, s %d, %d elements: %s, %s, %s\n", k, grid.x,
               block.x, n[0], n[1], n[2], elements, proved ? "proved" : "not proved",
               within ? "within" : "outside", is_found ? "found" : "not found");
        counts->wrong++;
    }
    lw_stream_destroy(s);
    lw_buffer_destroy(x);
}

int main(int argc, char **argv)
{
    const lw_build_options options = {.source = text};
    struct counts counts = {0};
    if (argc > 1)
        state += strtoull(argv[1], NULL, 10);
    add_kernels();
    must(lw_device_open("check", &device));
    must(lw_program_build(device, "proofs.c", &options, &program));
    must(lw_buffer_create(device, LW_I32, THREADS_MAX, &out));
    must(lw_buffer_create(device, LW_I64, 2 * THREADS_MAX, &ends));
    for (int k = 0; k < KERNELS; k++)
        for (int i = 0; i < LAUNCHES; i++)
            launch(k, &counts);
    lw_buffer_destroy(out);
    lw_buffer_destroy(ends);
    lw_program_destroy(program);
    lw_device_close(device);
    printf("%d launches: %d within, of these %d proved; %d outside; %d wrong\n", KERNELS * LAUNCHES,
           counts.within, counts.proved, counts.outside, counts.wrong);
    return counts.wrong || counts.proved * 2 < counts.within || counts.outside < 50;
}
