/* check_workers - screens whose blocks run on several workers: what two of them have accessed is
 * compared when the launch is over. Each of three blocks reads or writes one of two elements,
 * adds to it by an atomic, or does nothing, in all combinations. The blocks are dealt to one, two
 * and three workers. With three no cell tells a block of another, so that only the comparison can
 * find a race.
 *
 * The device's entry into kernel code is wrapped: it deals the blocks, on one thread.
 */
#include "check_test.h"
#include "run/cpu/cpu.h"

enum { BLOCKS = 3, PLACES = 2 };
enum { NOTHING, READ, WRITE, ADD, KINDS };
enum { WAYS = KINDS * PLACES, CASES = WAYS * WAYS * WAYS };

static const char kernels[] =
    "#include <lanewise/kernel.h>\n"
    "KERNEL void play(int *out, int *all, const int *what, const int *where)\n"
    "{\n"
    "    int b = block_idx.x, seen = 0;\n"
    "    if (what[b] == 1)\n"
    "        seen = all[where[b]];\n"
    "    if (what[b] == 2)\n"
    "        all[where[b]] = b;\n"
    "    if (what[b] == 3)\n"
    "        atomic_add(&all[where[b]], b + 1);\n"
    "    out[b] = seen;\n"
    "}\n";

/* ---- dealing blocks -------------------------------------------------------------------------- */

static size_t worker_count;
static size_t entered[BLOCKS]; /* blocks, by each worker */

bool __real_lw__cpu_enter_blocks(struct lw__cpu_thread *t, lw_cpu_entry *entry,
                                 const struct lw_cpu_launch *launch, uint64_t block, uint64_t first,
                                 uint64_t count);
bool __wrap_lw__cpu_enter_blocks(struct lw__cpu_thread *t, lw_cpu_entry *entry,
                                 const struct lw_cpu_launch *launch, uint64_t block, uint64_t first,
                                 uint64_t count);
bool __wrap_lw__cpu_enter_blocks(struct lw__cpu_thread *t, lw_cpu_entry *entry,
                                 const struct lw_cpu_launch *launch, uint64_t block, uint64_t first,
                                 uint64_t count)
{
    static struct lw__cpu_thread workers[BLOCKS]; /* known by their addresses */
    bool ok = true;
    for (uint64_t b = first; b < first + count && ok; b++) {
        struct lw__cpu_thread *worker = &workers[b % worker_count];
        *worker = *t;
        entered[b % worker_count]++;
        ok = __real_lw__cpu_enter_blocks(worker, entry, launch, block, b, 1);
    }
    return ok;
}

/* ---- cases ----------------------------------------------------------------------------------- */

struct play {
    int what[BLOCKS], where[BLOCKS];
};

static struct play play_of(int number)
{
    struct play m;
    for (int b = 0; b < BLOCKS; b++, number /= WAYS) {
        m.what[b] = number % WAYS / PLACES;
        m.where[b] = number % PLACES;
    }
    return m;
}

static bool has_race(const struct play *m)
{
    for (int a = 0; a < BLOCKS; a++)
        for (int b = 0; b < a; b++)
            if (m->what[a] && m->what[b] && m->where[a] == m->where[b] &&
                (m->what[a] != m->what[b] || m->what[a] == WRITE))
                return true;
    return false;
}

struct place {
    lw_device *device;
    lw_program *program;
    lw_kernel *kernel;
    lw_buffer *out, *all, *what, *where;
};

/* The blocks that each worker has run; all of them but where the screen stopped before. */
static bool were_dealt(bool is_race)
{
    size_t sum = 0;
    bool ok = true;
    for (size_t w = 0; w < BLOCKS; w++) {
        const size_t dealt = w < worker_count ? (BLOCKS - w - 1) / worker_count + 1 : 0;
        ok &= is_race ? entered[w] <= dealt : entered[w] == dealt;
        sum += entered[w];
    }
    return ok && (worker_count < BLOCKS || sum == BLOCKS);
}

/* True if all is as it should be. */
static bool try_play(const struct place *at, int number)
{
    const struct play m = play_of(number);
    const bool is_race = has_race(&m);
    memset(entered, 0, sizeof entered);
    must(lw_buffer_write(at->what, 0, BLOCKS, m.what));
    must(lw_buffer_write(at->where, 0, BLOCKS, m.where));
    lw_stream *s;
    must(lw_stream_create(at->device, &s));
    must(LW_LAUNCH(s, at->kernel, BLOCKS, 1, at->out, at->all, at->what, at->where));
    const lw_status status = lw_stream_wait(s);
    if (status && status != LW_E_CHECK)
        must(status);
    const char *why;
    const bool found = lw_check_get_verdict(s, &why) == LW_CHECK_FOUND;
    const bool screened = was_screened(s), dealt = were_dealt(is_race);
    const bool ok = found == is_race && screened == !is_race && dealt;
    if (!ok)
        printf("case %d, %zu workers: %s race, %s, %s, blocks of the workers: %zu %zu %zu\n",
               number, worker_count, is_race ? "a" : "no", found ? "found" : "clean",
               screened ? "screened" : "not screened", entered[0], entered[1], entered[2]);
    lw_stream_destroy(s);
    return ok;
}

static struct place open_place(void)
{
    const lw_build_options options = {.source = kernels};
    struct place at;
    must(lw_device_open("check", &at.device));
    must(lw_program_build(at.device, "play.c", &options, &at.program));
    must(lw_program_kernel(at.program, "play", &at.kernel));
    must(lw_buffer_create(at.device, LW_I32, BLOCKS, &at.out));
    must(lw_buffer_create(at.device, LW_I32, PLACES, &at.all));
    must(lw_buffer_fill(at.all, &(int){7}));
    must(lw_buffer_create(at.device, LW_I32, BLOCKS, &at.what));
    must(lw_buffer_create(at.device, LW_I32, BLOCKS, &at.where));
    return at;
}

static void close_place(struct place *at)
{
    lw_buffer *const buffers[] = {at->out, at->all, at->what, at->where};
    for (size_t i = 0; i < sizeof buffers / sizeof *buffers; i++)
        lw_buffer_destroy(buffers[i]);
    lw_program_destroy(at->program);
    lw_device_close(at->device);
}

int main(void)
{
    int right = 0;
    setenv("LANEWISE_SCREEN", "1", 1);
    setenv("LANEWISE_NUM_THREADS", "1", 1);
    struct place at = open_place();
    for (worker_count = 1; worker_count <= BLOCKS; worker_count++)
        for (int i = 0; i < CASES; i++)
            right += try_play(&at, i);
    close_place(&at);
    printf("%d of %d are right\n", right, BLOCKS * CASES);
    return right == BLOCKS * CASES ? 0 : 1;
}
