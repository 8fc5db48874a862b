/* outside_run.c - a launch. Each buffer lies in pages of its own, at their end or at their begin,
 * and the pages around them may not be touched; the rest of its own pages has a pattern. */
#include "outside.h"
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

enum { ROOM = 1 << 14, BUFFERS = 2 * OBJECTS + 1, PATTERN = 0xa5 };

struct memory {
    unsigned char *room, *at;
    size_t bytes;
    lw_buffer *buffer;
};
struct launch {
    struct memory memory[BUFFERS];
    lw_arg args[4 * OBJECTS + 4];
    size_t memories, count;
    bool at_begin;
    lw_status status;
    lw_device *device;
};

/* Kept from launch to launch. */
static unsigned char *room_of(size_t number)
{
    static unsigned char *rooms[BUFFERS];
    const size_t page = (size_t)sysconf(_SC_PAGESIZE);
    if (!rooms[number]) {
        unsigned char *all =
            mmap(NULL, ROOM + 2 * page, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
        if (all == MAP_FAILED || mprotect(all + page, ROOM, PROT_READ | PROT_WRITE))
            abort();
        rooms[number] = all + page;
    }
    return rooms[number];
}

static struct memory *add_memory(struct launch *l, lw_dtype dtype, size_t bytes, size_t count)
{
    struct memory *m = &l->memory[l->memories];
    m->room = room_of(l->memories++);
    m->bytes = bytes * count;
    if (m->bytes > ROOM)
        abort();
    memset(m->room, PATTERN, ROOM);
    m->at = l->at_begin ? m->room : m->room + ROOM - m->bytes;
    memset(m->at, 0, m->bytes);
    if (!l->status)
        l->status = lw_buffer_wrap(l->device, dtype, count, m->at, false, NULL, NULL, &m->buffer);
    return m;
}

static void fill(const struct object *o, unsigned char *to)
{
    for (int i = 0; i < o->rows * o->size; i++) {
        const int value = (i * 7 + 3) % 50;
        const float single = (float)value;
        const double number = value;
        const int64_t whole = value;
        const lw_dtype dtype = elements[o->element].dtype;
        const size_t bytes = (size_t)elements[o->element].bytes;
        memcpy(to + (size_t)i * bytes,
               dtype == LW_F32   ? (const void *)&single
               : dtype == LW_F64 ? (const void *)&number
                                 : (const void *)&whole,
               bytes);
    }
}

static lw_arg tensor_of(const struct object *o, lw_buffer *buffer)
{
    lw_tensor t = {.buffer = buffer, .rank = 2, .extent = {o->rows, o->size}, .strided = true};
    t.stride[0] = o->layout == 1 ? 1 : o->layout == 2 ? -o->size : o->size;
    t.stride[1] = o->layout == 1 ? o->rows : 1;
    t.offset = o->layout == 2 ? (size_t)((o->rows - 1) * o->size) : 0;
    return lw_arg_tensor(t);
}

static void add_indices(struct launch *l, const struct kernel *k, int object,
                        const struct defect *defect)
{
    const struct memory *m = add_memory(l, LW_I32, sizeof(int), (size_t)threads_of(k));
    int *at = (int *)(void *)m->at;
    for (int i = 0; i < threads_of(k); i++)
        at[i] = (i * 13 + 5) % k->object[object].count;
    if (defect->what == WRONG_DATA && k->access[defect->access].object == object)
        at[defect->thread] = (int)defect->by;
    l->args[l->count++] = lw_arg_buffer(m->buffer);
}

static void add_object(struct launch *l, const struct kernel *k, int object,
                       const struct defect *defect)
{
    const struct object *o = &k->object[object];
    const struct element *e = &elements[o->element];
    if (o->is_named)
        l->args[l->count++] = lw_arg_int(o->count);
    if (is_parameter(o)) {
        const struct memory *m =
            add_memory(l, e->dtype, (size_t)e->bytes, (size_t)(o->rows * o->size));
        fill(o, m->at);
        l->args[l->count++] = o->kind == VIEW ? tensor_of(o, m->buffer) : lw_arg_buffer(m->buffer);
    }
    if (o->is_gathered)
        add_indices(l, k, object, defect);
}

static size_t shared_bytes(const struct kernel *k)
{
    for (int i = 0; i < k->objects; i++)
        if (k->object[i].kind == AT_LAUNCH)
            return (size_t)(k->object[i].size * elements[k->object[i].element].bytes);
    return 0;
}

static lw_status wait_for(struct launch *l, lw_program *program, const struct kernel *k)
{
    const lw_launch_options options = {.shared_bytes = shared_bytes(k)};
    const lw_dim3 grid = {(uint32_t)k->grid, 1, 1};
    const lw_dim3 block = {(uint32_t)k->block[0], (uint32_t)k->block[1], (uint32_t)k->block[2]};
    char name[32];
    lw_stream *stream = NULL;
    snprintf(name, sizeof name, "kernel%d", k->number);
    lw_kernel *kernel;
    lw_status status = lw_program_kernel(program, name, &kernel);
    if (!status)
        status = lw_stream_create(l->device, &stream);
    if (!status)
        status = lw_stream_launch(stream, kernel, grid, block, &options, l->args, l->count);
    if (!status)
        status = lw_stream_wait(stream);
    lw_stream_destroy(stream);
    return status;
}

static bool is_untouched(const struct memory *m)
{
    for (size_t i = 0; i < ROOM; i++)
        if (m->room[i] != PATTERN && (m->room + i < m->at || m->room + i >= m->at + m->bytes))
            return false;
    return true;
}

void run_kernel(lw_device *device, lw_program *program, const struct kernel *k,
                const struct defect *defect, struct result *result)
{
    struct launch l = {.device = device, .at_begin = (k->seed + (uint64_t)defect->what) % 2};
    const int threads = threads_of(k) * k->grid;
    *result = (struct result){.is_clean = true};
    l.args[l.count++] = lw_arg_buffer(add_memory(&l, LW_I32, sizeof(int), (size_t)threads)->buffer);
    for (int i = 0; i < k->objects; i++)
        add_object(&l, k, i, defect);
    if (k->is_chosen) {
        l.args[l.count++] = lw_arg_int(defect->what == CHOSEN ? defect->access : NO_ACCESS);
        l.args[l.count++] = lw_arg_int(defect->thread);
        l.args[l.count++] = lw_arg_int(defect->by);
    }
    result->status = l.status ? l.status : wait_for(&l, program, k);
    if (result->status)
        snprintf(result->text, sizeof result->text, "%s", lw_last_error());
    for (size_t i = 0; i < l.memories; i++) {
        const struct memory *m = &l.memory[i];
        result->is_clean &= is_untouched(m);
        for (size_t b = 0; b < m->bytes; b++)
            result->contents = (result->contents ^ m->at[b]) * UINT64_C(1099511628211) + i;
        lw_buffer_destroy(m->buffer);
    }
}
