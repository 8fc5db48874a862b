/* check_screen - screens against a list of all accesses: a kernel plays random reads, writes and
 * atomics of its threads, in block memory and in a buffer, with barriers in between. Two accesses
 * conflict if they are to the same element by different threads, one changes it, not both are
 * atomic, and they are of different blocks, in the buffer, or of one block with no barrier in
 * between. With a conflict there must be a finding; without one the launch must have been screened,
 * and the exact count of accesses told.
 */
#include "check_test.h"

enum { THREADS = 40, BLOCKS = 3, STEPS = 4, OWN = 48, ALL = 160, CASES = 300 };
enum { READS = 8 }; /* of what is to be done, in each step of each thread */
enum { NOTHING, READ, WRITE, ADD, READ_OWN, WRITE_OWN, ADD_OWN, KINDS };

static const char kernels[] =
    "#include <lanewise/kernel.h>\n"
    "KERNEL void play(int *out, int *all, const unsigned char *what, const short *where,\n"
    "                 const int *has_barrier)\n"
    "{\n"
    "    SHARED int own[48];\n"
    "    int sum = 0, me = thread_idx.x;\n"
    "    own[me] = me;\n"
    "    if (me < 8)\n"
    "        own[40 + me] = 0;\n"
    "    barrier();\n"
    "    for (int i = 0; i < 4; i++) {\n"
    "        size_t k = (size_t)i * grid_dim.x * block_dim.x + global_idx.x;\n"
    "        int p = where[k];\n"
    "        if (what[k] == 1)\n"
    "            sum += all[p];\n"
    "        if (what[k] == 2)\n"
    "            all[p] = i * 1000 + (int)global_idx.x;\n"
    "        if (what[k] == 3)\n"
    "            atomic_add(&all[p], 1);\n"
    "        if (what[k] == 4)\n"
    "            sum += own[p];\n"
    "        if (what[k] == 5)\n"
    "            own[p] = i * 1000 + me;\n"
    "        if (what[k] == 6)\n"
    "            atomic_add(&own[p], 1);\n"
    "        if (has_barrier[i])\n"
    "            barrier();\n"
    "    }\n"
    "    out[global_idx.x] = sum;\n"
    "}\n";

struct play {
    unsigned char what[STEPS][BLOCKS][THREADS];
    short where[STEPS][BLOCKS][THREADS];
    int has_barrier[STEPS];
};

static unsigned random_below(unsigned most)
{
    static uint64_t state = 1;
    state = state * 6364136223846793005u + 1442695040888963407u;
    return (unsigned)(state >> 33) % most;
}

/* All threads of a block read one element in a step, or add to it; in the next, one accesses it. */
static void make_meeting(struct play *p)
{
    const int i = (int)random_below(STEPS - 1), b = (int)random_below(BLOCKS);
    const int first = random_below(2) ? READ_OWN : READ;
    const short where = (short)random_below(first == READ_OWN ? OWN : ALL);
    const int all = first + (random_below(2) ? ADD - READ : 0);
    for (int t = 0; t < THREADS; t++) {
        p->what[i][b][t] = (unsigned char)all;
        p->what[i + 1][b][t] = NOTHING;
        p->where[i][b][t] = p->where[i + 1][b][t] = where;
    }
    p->what[i + 1][b][random_below(2) ? THREADS - 1 : random_below(THREADS)] =
        (unsigned char)(first + (int)random_below(ADD - READ + 1));
}

/* Mostly elements of the thread's own, so that a good part of the cases has no conflict. */
static void make(struct play *p)
{
    const unsigned rarely = 1 + random_below(2000), shift = random_below(3);
    for (int i = 0; i < STEPS; i++) {
        p->has_barrier[i] = (int)random_below(2);
        for (int b = 0; b < BLOCKS; b++)
            for (int t = 0; t < THREADS; t++) {
                const int what = (int)random_below(KINDS), own = what >= READ_OWN;
                const int moved = i && p->has_barrier[i - 1] ? (int)shift : 0;
                int where = (t + moved) % THREADS + (own ? 0 : b * THREADS);
                if (!random_below(rarely))
                    where = (int)random_below(own ? OWN : ALL);
                p->what[i][b][t] = (unsigned char)what;
                p->where[i][b][t] = (short)where;
            }
    }
    if (!random_below(3))
        make_meeting(p);
}

struct step {
    int i, block, thread, what, where, epoch;
};

static bool conflict(const struct step *a, const struct step *b)
{
    const bool own = a->what >= READ_OWN, reads = a->what == READ || a->what == READ_OWN;
    const bool adds = a->what == ADD || a->what == ADD_OWN;
    if (a->where != b->where || own != (b->what >= READ_OWN))
        return false;
    if ((reads || adds) && a->what == b->what)
        return false;
    if (a->block != b->block)
        return !own;
    return a->thread != b->thread && a->epoch == b->epoch;
}

/* Whether two accesses conflict, and how many there are. */
static bool has_conflict(const struct play *p, unsigned long long *count)
{
    static struct step steps[STEPS * BLOCKS * THREADS];
    size_t n = 0;
    int epoch = 0;
    for (int i = 0; i < STEPS; epoch += p->has_barrier[i++])
        for (int b = 0; b < BLOCKS; b++)
            for (int t = 0; t < THREADS; t++)
                if (p->what[i][b][t])
                    steps[n++] = (struct step){i, b, t, p->what[i][b][t], p->where[i][b][t], epoch};
    *count = n + BLOCKS * (OWN + THREADS + STEPS * THREADS * READS);
    for (size_t a = 0; a < n; a++)
        for (size_t b = 0; b < a; b++)
            if (conflict(&steps[a], &steps[b]))
                return true;
    return false;
}

struct place {
    lw_device *device;
    lw_kernel *kernel;
    lw_buffer *out, *all, *what, *where, *has_barrier;
};

/* 1: it is as it should be. */
static int play(const struct place *at, const struct play *p, int number, int *wrong)
{
    char counted[64];
    unsigned long long count;
    const bool is_wrong = has_conflict(p, &count);
    *wrong += is_wrong;
    must(lw_buffer_write(at->what, 0, sizeof p->what, p->what));
    must(lw_buffer_write(at->where, 0, sizeof p->where / sizeof(short), p->where));
    must(lw_buffer_write(at->has_barrier, 0, STEPS, p->has_barrier));
    lw_stream *s;
    must(lw_stream_create(at->device, &s));
    must(LW_LAUNCH(s, at->kernel, BLOCKS, THREADS, at->out, at->all, at->what, at->where,
                   at->has_barrier));
    const lw_status status = lw_stream_wait(s);
    if (status && status != LW_E_CHECK)
        must(status);
    const char *why;
    const bool found = lw_check_get_verdict(s, &why) == LW_CHECK_FOUND;
    snprintf(counted, sizeof counted, " %llu accesses,", count);
    const bool ok = found == is_wrong && strstr(why, counted) && (is_wrong || was_screened(s));
    if (!ok)
        printf("case %d: %s conflict, %s accesses; %s: %s\n", number, is_wrong ? "a" : "no",
               counted, found ? "found" : "clean", why);
    lw_stream_destroy(s);
    return ok;
}

int main(void)
{
    const lw_build_options options = {.source = kernels};
    int right = 0, wrong = 0;
    setenv("LANEWISE_SCREEN", "1", 1);
    struct place at;
    must(lw_device_open("check", &at.device));
    lw_program *program;
    must(lw_program_build(at.device, "play.c", &options, &program));
    must(lw_program_kernel(program, "play", &at.kernel));
    must(lw_buffer_create(at.device, LW_I32, BLOCKS * THREADS, &at.out));
    must(lw_buffer_create(at.device, LW_I32, ALL, &at.all));
    struct play p;
    must(lw_buffer_create(at.device, LW_U8, sizeof p.what, &at.what));
    must(lw_buffer_create(at.device, LW_I16, sizeof p.where / sizeof(short), &at.where));
    must(lw_buffer_create(at.device, LW_I32, STEPS, &at.has_barrier));
    for (int i = 0; i < CASES; i++) {
        make(&p);
        right += play(&at, &p, i, &wrong);
    }
    lw_buffer *const buffers[] = {at.out, at.all, at.what, at.where, at.has_barrier};
    for (size_t i = 0; i < sizeof buffers / sizeof *buffers; i++)
        lw_buffer_destroy(buffers[i]);
    lw_program_destroy(program);
    lw_device_close(at.device);
    printf("%d of %d are right, %d have a conflict\n", right, CASES, wrong);
    return right == CASES && wrong > CASES / 4 && wrong < CASES / 4 * 3 ? 0 : 1;
}
