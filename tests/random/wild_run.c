/* wild_run.c - programs with accesses outside of their objects, on `ref` and on `cpu`.
 *
 * Either both go through with what the plain C leaves, or both refuse the launch: in the same
 * block, and with the same message where one of its threads is wrong. If several are, `cpu` may
 * come to another lane first. Then `ref` must say the same when that thread alone is wrong.
 *
 * Each buffer lies at the end or at the begin of pages of its own. The pages around them may not be
 * touched, and the rest of its own pages has a pattern.
 */
#include "run.h"
#include <lanewise/device.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

enum { LEVELS = 3, MODE_SEEDS = 8, PATTERN = 0xa5 };

struct memory {
    unsigned char *room, *at;
    size_t room_bytes, bytes;
    lw_buffer *buffer;
};
struct side {
    struct memory memory[BUFFERS_MAX];
    lw_arg args[BUFFERS_MAX];
    lw_status status;
    char text[400];
};

int wild_mode(const struct program *p)
{
    return p->wilds ? 1 + (int)(p->seed / MODE_SEEDS % (2 * LEVELS)) : 0;
}

/* The widest level stands for those that the processor lacks. */
static void choose_level(const char *level)
{
    setenv("LANEWISE_CPU", level, 1);
    lw_device *device;
    if (lw_device_open("cpu", &device) != LW_OK)
        unsetenv("LANEWISE_CPU");
    else
        lw_device_close(device);
}

bool wild_build(struct pair *cpu, struct pair *ref, struct program *const *p, int count,
                struct outcome *o)
{
    static const char *const levels[LEVELS] = {"baseline", "avx2", "avx512"};
    const int mode = wild_mode(p[0]) - 1;
    choose_level(levels[mode % LEVELS]);
    if (mode / LEVELS)
        setenv("LANEWISE_BOUNDS", "1", 1);
    else
        unsetenv("LANEWISE_BOUNDS");
    bool done = build_kernels(cpu, "cpu", p, count, o);
    for (int i = 0; i < count; i++)
        p[i]->wild_alone = true;
    done = done && build_kernels(ref, "ref", p, count, o);
    for (int i = 0; i < count; i++)
        p[i]->wild_alone = false;
    return done;
}

/* ---- a launch ------------------------------------------------------------------------------ */

static void add_memory(struct memory *m, const struct program *p, const struct buffer *b)
{
    const size_t page = (size_t)sysconf(_SC_PAGESIZE);
    const bool is_at_begin = (p->seed + (uint64_t)b->type) % 2;
    m->bytes = b->count * element_size(b->type);
    m->room_bytes = (m->bytes + page - 1) / page * page;
    unsigned char *all =
        mmap(NULL, m->room_bytes + 2 * page, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (all == MAP_FAILED || mprotect(all + page, m->room_bytes, PROT_READ | PROT_WRITE)) {
        perror("random");
        exit(1);
    }
    m->room = all + page;
    memset(m->room, PATTERN, m->room_bytes);
    m->at = is_at_begin ? m->room : m->room + m->room_bytes - m->bytes;
    fill_buffer(p, b, m->at);
}

static bool is_untouched(const struct memory *m)
{
    for (size_t i = 0; i < m->room_bytes; i++)
        if (m->room[i] != PATTERN && (m->room + i < m->at || m->room + i >= m->at + m->bytes))
            return false;
    return true;
}

static void start(struct side *side, struct pair *pair, struct program *p)
{
    struct buffer list[BUFFERS_MAX];
    const int count = list_buffers(p, list);
    side->status = LW_OK;
    for (int i = 0; i < count; i++) {
        struct memory *m = &side->memory[i];
        if (!list[i].count) {
            side->args[i] = by_value(p, list[i].var);
            continue;
        }
        add_memory(m, p, &list[i]);
        if (!side->status)
            side->status = lw_buffer_wrap(pair->device, (lw_dtype)list[i].type, list[i].count,
                                          m->at, false, NULL, NULL, &m->buffer);
        side->args[i] = lw_arg_buffer(m->buffer);
    }
    if (!side->status)
        side->status = launch(pair, p, side->args, count);
    snprintf(side->text, sizeof side->text, "%s", side->status ? lw_last_error() : "");
    lw_stream_destroy(pair->stream);
    pair->stream = NULL;
}

static void finish(struct side *side)
{
    const size_t page = (size_t)sysconf(_SC_PAGESIZE);
    for (int i = 0; i < BUFFERS_MAX; i++) {
        struct memory *m = &side->memory[i];
        lw_buffer_destroy(m->buffer);
        if (m->room)
            munmap(m->room - page, m->room_bytes + 2 * page);
        *m = (struct memory){0};
    }
}

/* ---- verdicts ------------------------------------------------------------------------------ */

static bool tell(struct outcome *o, enum verdict verdict, const char *what, const struct side *ref,
                 const struct side *cpu)
{
    o->verdict = verdict;
    snprintf(o->why, sizeof o->why, "%s\n  ref: %s\n  cpu: %s", what, ref->text, cpu->text);
    return false;
}

/* The numbers of block and thread that a message ends with; false: it has none. */
static bool who(const struct program *p, const char *text, int *block, int *thread)
{
    const char *at = strstr(text, ", block (");
    int b[3], t[3];
    if (!at || sscanf(at, ", block (%d,%d,%d) thread (%d,%d,%d)", &b[0], &b[1], &b[2], &t[0], &t[1],
                      &t[2]) != 6)
        return false;
    *block = (b[2] * p->grid[1] + b[1]) * p->grid[0] + b[0];
    *thread = (t[2] * p->block[1] + t[1]) * p->block[0] + t[0];
    return true;
}

/* Is it what `ref` says of the thread if that is wrong alone, and is its block the first? */
static bool is_another_lane(struct pair *pair, struct program *p, const struct side *ref,
                            const struct side *cpu)
{
    struct side *alone = calloc(1, sizeof *alone);
    const struct wild kept = p->wild;
    int block, thread, first_block, first_thread;
    if (!alone || !who(p, cpu->text, &block, &thread) ||
        !who(p, ref->text, &first_block, &first_thread))
        return false;
    p->wild.block = block;
    p->wild.first = thread;
    p->wild.last = thread + 1;
    start(alone, pair, p);
    const bool is_same = block == first_block && !strcmp(alone->text, cpu->text);
    p->wild = kept;
    finish(alone);
    free(alone);
    return is_same;
}

static bool is_clean(const struct side *side)
{
    for (int i = 0; i < BUFFERS_MAX; i++)
        if (side->memory[i].room && !is_untouched(&side->memory[i]))
            return false;
    return true;
}

/* What both have left must be that of the plain C. */
static bool is_right(struct program *p, const struct side *side, void *scalar, struct outcome *o)
{
    struct buffer list[BUFFERS_MAX];
    void *memory[BUFFERS_MAX];
    const int count = list_buffers(p, list);
    bool same = call_scalar(scalar, p, memory);
    for (int i = 0; i < count; i++)
        if (list[i].count) {
            same = same && compare(&list[i], side->memory[i].at, memory[i], o);
            free(memory[i]);
        }
    return same;
}

static bool judge(struct program *p, bool is_single, const struct side *ref, const struct side *cpu,
                  struct pair *cpu_pair, struct pair *ref_pair, struct outcome *o)
{
    if (!is_clean(cpu) || !is_clean(ref) || strstr(cpu->text, "accessed memory"))
        return tell(o, FAILED, "memory outside was accessed", ref, cpu);
    if (ref->status != cpu->status || (ref->status && ref->status != LW_E_LAUNCH))
        return tell(o, FAILED, "another status", ref, cpu);
    o->outside += ref->status != LW_OK;
    if (!ref->status)
        return is_right(p, ref, cpu_pair->scalar, o) && is_right(p, cpu, cpu_pair->scalar, o);
    if (strcmp(ref->text, cpu->text) && (is_single || !is_another_lane(ref_pair, p, ref, cpu)))
        return tell(o, DISAGREES, "another message", ref, cpu);
    return true;
}

/* From the launch on whose number the program's `fill` is. */
void wild_run(struct pair *cpu, struct pair *ref, struct program *p, struct outcome *o)
{
    static struct side sides[2];
    bool goes_on = true;
    *o = (struct outcome){.verdict = AGREES};
    for (int number = p->fill; number < WILD_LAUNCHES && goes_on; number++) {
        const bool is_single = wild_launch(p, number);
        start(&sides[0], ref, p);
        start(&sides[1], cpu, p);
        goes_on = judge(p, is_single, &sides[0], &sides[1], cpu, ref, o);
        memcpy(o->ended, sides[0].text, sizeof o->ended);
        finish(&sides[0]);
        finish(&sides[1]);
        p->fill = o->fill = number;
    }
}
