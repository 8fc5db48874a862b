/* ours.c - a kernel of kernels/ on the device, through the public API alone.
 */
#include "bench.h"
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* What a variant of ours holds. */
struct ours {
    lw_program *program;
    lw_kernel *kernel;
    lw_stream *stream;
    lw_dim3 grid;
    lw_arg args[8];
    size_t arg_count;
    char salt[48]; /* makes a source that was never built before */
    int builds;
};

size_t kernel_args(const struct session *s, const lw_buffer *out, lw_arg args[8])
{
    size_t count = 0;
    for (const char *at = s->row->params ? s->row->params : "o"; *at; at++) {
        switch (*at) {
        case 'o': args[count++] = lw_arg_buffer((lw_buffer *)(uintptr_t)out); break;
        case 'a': args[count++] = lw_arg_buffer(s->a); break;
        case 'b': args[count++] = lw_arg_buffer(s->b); break;
        case 'x': args[count++] = lw_arg_buffer(s->x); break;
        case 'u': args[count++] = lw_arg_buffer(s->u); break;
        case 'n': args[count++] = lw_arg_uint(s->shape.n); break;
        case 'r': args[count++] = lw_arg_uint(s->shape.rows); break;
        default: args[count++] = lw_arg_uint(s->shape.cols); break;
        }
    }
    return count;
}

/* ---- building -------------------------------------------------------------------------------- */

static bool refused(struct variant *v)
{
    return variant_fail(v, "refused: %s", lw_last_error());
}

static bool build(struct variant *v, const struct session *s)
{
    struct ours *o = v->state;
    char name[64];
    size_t length;
    const char *text = kernel_text("kernels", s->row->kernel, &length);
    const char *defines[3];
    lw_build_options options = {.source = text, .defines = defines};
    if (s->row->define)
        defines[options.define_count++] = s->row->define;
    if (v->block.y > 1 && s->row->any_block)
        defines[options.define_count++] = "BLOCK_2D";
    if (o->salt[0])
        defines[options.define_count++] = o->salt;
    snprintf(name, sizeof name, "%s.c", s->row->kernel);
    return (lw_program_build(s->bench->device, name, &options, &o->program) == LW_OK &&
            lw_program_kernel(o->program, s->row->kernel, &o->kernel) == LW_OK) ||
           refused(v);
}

static bool launch_and_wait(struct variant *v)
{
    struct ours *o = v->state;
    if (lw_stream_launch(o->stream, o->kernel, o->grid, v->block, NULL, o->args, o->arg_count) !=
            LW_OK ||
        lw_stream_wait(o->stream) != LW_OK)
        return refused(v);
    return true;
}

/* All but the program. */
static bool open_stream(struct variant *v, struct session *s)
{
    struct ours *o = v->state = calloc(1, sizeof *o);
    if (!s->bench->device)
        return variant_fail(v, "%s", s->bench->problem);
    if (!o)
        return variant_fail(v, "out of memory");
    if (v->block.x == 0)
        v->block = lw_dim_1(1);
    o->grid = s->row->grid ? s->row->grid(&s->shape, v->block, s->bench->threads) : lw_dim_1(1);
    o->arg_count = kernel_args(s, s->out, o->args);
    return lw_stream_create(s->bench->device, &o->stream) == LW_OK || refused(v);
}

static bool ours_open(struct variant *v, struct session *s)
{
    return open_stream(v, s) && build(v, s);
}

static bool ours_run(struct variant *v, struct session *s)
{
    (void)s;
    return launch_and_wait(v);
}

static void ours_close(struct variant *v)
{
    struct ours *o = v->state;
    if (!o)
        return;
    lw_stream_destroy(o->stream);
    lw_program_destroy(o->program);
    free(o);
    v->state = NULL;
}

const struct way way_ours = {
    .open = ours_open, .run = ours_run, .close = ours_close, .on_device = true};

/* ---- many launches --------------------------------------------------------------------------- */

static bool launches_run(struct variant *v, struct session *s)
{
    (void)s;
    for (int i = 0; i < v->repeat; i++)
        if (!launch_and_wait(v))
            return false;
    return true;
}

const struct way way_launch_ours = {
    .open = ours_open, .run = launches_run, .close = ours_close, .on_device = true};

/* ---- building as the thing measured ---------------------------------------------------------- */

/* Device code may be finished at the first launch only: it belongs to the build. */
static bool build_run(struct variant *v, struct session *s)
{
    return build(v, s) && launch_and_wait(v);
}

/* A name that no other build of this or another run has. */
static void build_ready(struct variant *v, struct session *s)
{
    struct ours *o = v->state;
    (void)s;
    snprintf(o->salt, sizeof o->salt, "SALT=%ld_%d", (long)getpid(), o->builds++);
}

static void build_settle(struct variant *v, struct session *s)
{
    struct ours *o = v->state;
    (void)s;
    lw_program_destroy(o->program);
    o->program = NULL;
}

static bool build_open(struct variant *v, struct session *s)
{
    v->block = lw_dim_1(256);
    return open_stream(v, s);
}

const struct way way_build_ours = {.open = build_open,
                                   .ready = build_ready,
                                   .run = build_run,
                                   .settle = build_settle,
                                   .close = ours_close,
                                   .on_device = true};

const struct way way_cached_ours = {.open = build_open,
                                    .run = build_run,
                                    .settle = build_settle,
                                    .close = ours_close,
                                    .on_device = true};
