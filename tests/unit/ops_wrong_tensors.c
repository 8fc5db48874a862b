/* ops_wrong_tensors - every operand of every operation, spoilt in each way that a tensor can be:
 * the error, and that nothing runs. Argument: the device. */
#include "ops_wrong.h"

static lw_buffer *structs, *read_only;
static float memory[ELEMENTS];

/* ---- ways to spoil ---- */

static void no_buffer(lw_tensor *t)
{
    t->buffer = NULL;
}
static void rank_5(lw_tensor *t)
{
    t->rank = 5;
}
static void rank_below(lw_tensor *t)
{
    t->rank = -1;
}
static void negative(lw_tensor *t)
{
    t->rank = 1;
    t->extent[0] = -7;
}
static void endless(lw_tensor *t)
{
    t->rank = 4;
    for (int k = 0; k < 4; k++)
        t->extent[k] = 99999999;
}
static void behind(lw_tensor *t)
{
    t->offset = ELEMENTS;
}
static void far(lw_tensor *t)
{
    t->offset = SIZE_MAX;
}
static void farthest(lw_tensor *t)
{
    t->offset = PTRDIFF_MAX;
}
static void backwards(lw_tensor *t)
{
    *t = (lw_tensor){.buffer = t->buffer, .rank = 1, .extent = {2}, .stride = {-1}};
}
static void wide(lw_tensor *t)
{
    *t = (lw_tensor){
        .buffer = t->buffer, .rank = 1, .extent = {3}, .stride = {PTRDIFF_MAX}, .strided = true};
}
static void of_structs(lw_tensor *t)
{
    t->buffer = structs;
}
static void elsewhere(lw_tensor *t)
{
    t->buffer = other.in[0];
}

static const struct {
    void (*spoil)(lw_tensor *t);
    lw_status status;
    const char *text;
} ways[] = {
    {no_buffer, LW_E_ARG, " has no buffer"},
    {rank_5, LW_E_SHAPE, " has rank 5; need 0 to 4"},
    {rank_below, LW_E_SHAPE, " has rank -1; need 0 to 4"},
    {negative, LW_E_SHAPE, " has extent -7 in axis 0; need at least 0"},
    {endless, LW_E_SHAPE, " of shape (99999999, 99999999, 99999999, 99999999) has more elements"},
    {behind, LW_E_SHAPE, " at element 24 leaves its buffer, which has 24 elements"},
    {far, LW_E_SHAPE, " begins at element 18446744073709551615"},
    {farthest, LW_E_SHAPE, " at element 9223372036854775807 leaves its buffer"},
    {backwards, LW_E_SHAPE, " of shape (2,) at element 0 leaves its buffer"},
    {wide, LW_E_SHAPE, " of shape (3,) at element 0 leaves its buffer"},
    {of_structs, LW_E_DTYPE, " is made of structs of 12 bytes; need numbers"},
    {elsewhere, LW_E_DEVICE, NULL},
};

enum { WAYS = sizeof ways / sizeof *ways };

/* operand -1: the output */
static void spoil(const struct operation *op, int operand, size_t way)
{
    const char *name = operand < 0 ? out_name(op) : op->inputs[operand].name;
    char text[120];
    lw_device_info has;

    WORKS(lw_device_get_info(other.device, &has));
    lw_device_info needs;
    WORKS(lw_device_get_info(place.device, &needs));
    struct call c;
    good_call(&place, op, &c);
    ways[way].spoil(operand < 0 ? &c.out : &c.in[operand]);
    snprintf(text, sizeof text, " is on %s; need the stream's device, %s", has.name, needs.name);
    refuse(&c, ways[way].status, name, ways[way].text ? ways[way].text : text, __FILE__, __LINE__);
}

/* ---- outputs ---- */

static const char *text_of(const lw_tensor *t, char *text, size_t room)
{
    size_t n = (size_t)snprintf(text, room, "(");

    for (int k = 0; k < t->rank; k++)
        n += (size_t)snprintf(text + n, room - n, "%td%s", t->extent[k],
                              t->rank == 1      ? ","
                              : k < t->rank - 1 ? ", "
                                                : "");
    snprintf(text + n, room - n, ")");
    return text;
}

static void wrong_shapes(const struct operation *op)
{
    char text[100];
    struct call c;

    good_call(&place, op, &c);
    c.out.extent[c.out.rank++] = 1;
    refuse(&c, LW_E_SHAPE, out_name(op), text_of(&c.out, text, sizeof text), __FILE__, __LINE__);
    good_call(&place, op, &c);
    if (!c.out.rank || op->run == run_histogram) /* any number of bins will do */
        return;
    c.out.extent[c.out.rank - 1]++;
    refuse(&c, LW_E_SHAPE, out_name(op), text_of(&c.out, text, sizeof text), __FILE__, __LINE__);
    good_call(&place, op, &c);
    c.out.rank--;
    refuse(&c, LW_E_SHAPE, out_name(op), text_of(&c.out, text, sizeof text), __FILE__, __LINE__);
}

static void wrong_strides(const struct operation *op)
{
    struct call c;

    good_call(&place, op, &c);
    if (!c.out.rank)
        return;
    c.out.strided = true;
    refuse(&c, LW_E_ARG, out_name(op), "share memory: strides 0, 0, 0, 0", __FILE__, __LINE__);
    for (int k = 0; k < c.out.rank; k++)
        c.out.stride[k] = k + 1; /* element (2, 0) is (0, 1) */
    c.out.offset = 2;
    c.out.stride[c.out.rank - 1] = c.out.rank == 1 ? 0 : -1;
    refuse(&c, LW_E_ARG, out_name(op), " share memory: strides ", __FILE__, __LINE__);
}

static void overlaps(const struct operation *op)
{
    char text[100];
    struct call c;

    for (size_t k = 0; k < op->count; k++) {
        good_call(&place, op, &c);
        c.out.buffer = c.in[k].buffer;
        c.out.offset = 1;
        snprintf(text, sizeof text, "the output %s, from element 1 on, overlaps %s, from 0 on",
                 out_name(op), op->inputs[k].name);
        refuse(&c, LW_E_ARG, out_name(op), text, __FILE__, __LINE__);
        if (k == 0 && op->in_place)
            continue;
        c.out.offset = 0;
        refuse(&c, LW_E_ARG, out_name(op), ", from element 0 on, overlaps", __FILE__, __LINE__);
    }
}

static void wrong_memory(const struct operation *op)
{
    struct call c;

    good_call(&place, op, &c);
    c.out.buffer = read_only;
    refuse(&c, LW_E_ARG, out_name(op), " is read-only", __FILE__, __LINE__);
    void *mapped;
    for (size_t k = 0; k < op->count; k++) {
        good_call(&place, op, &c);
        WORKS(lw_buffer_map(c.in[k].buffer, &mapped));
        CHECK(op->run(&c) == LW_E_ARG && strstr(lw_last_error(), "mapped") &&
              strstr(lw_last_error(), op->name));
        WORKS(lw_stream_wait(place.stream));
        WORKS(lw_buffer_unmap(c.in[k].buffer));
    }
    fill_out(&place, op->dtype);
    WORKS(lw_buffer_map(c.out.buffer, &mapped));
    CHECK(op->run(&c) == LW_E_ARG && strstr(lw_last_error(), "mapped") &&
          strstr(lw_last_error(), op->name));
    WORKS(lw_stream_wait(place.stream));
    CHECK(*(char *)mapped == (op->dtype == LW_BOOL ? 1 : PATTERN));
    WORKS(lw_buffer_unmap(c.out.buffer));
    CHECK(is_good(&place, op));
}

int main(int count, char **arguments)
{
    open_places(count, arguments);
    WORKS(lw_buffer_create_structs(place.device, 12, ELEMENTS, &structs));
    WORKS(lw_buffer_wrap(place.device, LW_F32, ELEMENTS, memory, true, NULL, NULL, &read_only));
    for (size_t k = 0; k < OPERATIONS; k++) {
        const struct operation *op = &operations[k];

        for (int operand = -1; operand < (int)op->count; operand++)
            for (size_t way = 0; way < WAYS; way++)
                spoil(op, operand, way);
        wrong_shapes(op);
        wrong_strides(op);
        overlaps(op);
        wrong_memory(op);
        WRONG(op->name, c.stream = NULL, LW_E_ARG, ": the stream is NULL");
    }
    lw_buffer_destroy(structs);
    lw_buffer_destroy(read_only);
    return close_places();
}
