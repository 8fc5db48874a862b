/* run.c - what the device `check` finds in a kernel. */
#include "planted.h"
#include <lanewise/check.h>
#include <lanewise/lanewise.h>
#include <stdlib.h>
#include <string.h>

struct device {
    lw_device *device;
    lw_program *program;
};

struct device *device_open(void)
{
    struct device *d = calloc(1, sizeof *d);
    if (d && lw_device_open("check", &d->device) == LW_OK)
        return d;
    free(d);
    return NULL;
}

const char *device_error(void)
{
    return lw_last_error();
}

void device_close(struct device *d)
{
    lw_program_destroy(d->program);
    lw_device_close(d->device);
    free(d);
}

bool device_build(struct device *d, const char *source)
{
    const lw_build_options options = {.source = source};
    lw_program_destroy(d->program);
    d->program = NULL;
    return lw_program_build(d->device, "planted.c", &options, &d->program) == LW_OK;
}

static void note(const lw_finding *f, void *user)
{
    const int other = f->other.file ? f->other.line : 0;
    struct finding one = {.line = f->at.line, .other = other};
    while (one.class < OTHER && strcmp(f->name, class_names[one.class]))
        one.class ++;
    /* Sums of what races with nothing may differ: the oracle does not look at results. */
    if (strcmp(f->name, "nondeterministic"))
        add_finding(user, one);
}

static lw_status create(const struct device *d, const struct kernel *k, lw_arg *args,
                        lw_buffer **buffers, size_t *count)
{
    static const lw_dtype dtypes[TYPES] = {LW_I8, LW_I16, LW_I32, LW_I32};
    lw_status status = lw_buffer_create(d->device, LW_I32, (size_t)(k->block * k->grid), buffers);
    *count = 1;
    for (int i = 0; i < k->arrays && !status; i++) {
        const struct array *a = &k->array[i];
        const size_t lanes = a->type == I32X4 ? 4 : 1;
        if (!a->is_shared)
            status = lw_buffer_create(d->device, dtypes[a->type], lanes * (size_t)a->count,
                                      &buffers[(*count)++]);
    }
    for (size_t i = 0; i < *count && !status; i++)
        args[i] = lw_arg_buffer(buffers[i]);
    return status;
}

bool device_check(struct device *d, const struct kernel *k, struct findings *found, char *why,
                  size_t size)
{
    char name[32];
    lw_stream *stream = NULL;
    lw_buffer *buffers[ARRAYS_MAX + 1] = {NULL};
    lw_arg args[ARRAYS_MAX + 1];
    size_t count = 0;
    const lw_dim3 grid = {(uint32_t)k->grid, 1, 1}, block = {(uint32_t)k->block, 1, 1};
    snprintf(name, sizeof name, "kernel%d", k->number);
    lw_kernel *kernel;
    lw_status status = lw_program_kernel(d->program, name, &kernel);
    if (!status)
        status = lw_stream_create(d->device, &stream);
    if (!status)
        status = create(d, k, args, buffers, &count);
    if (!status)
        status = lw_stream_launch(stream, kernel, grid, block, NULL, args, count);
    if (!status)
        status = lw_stream_wait(stream);
    snprintf(why, size, "%s", status ? lw_last_error() : "");
    if (!status || status == LW_E_CHECK) {
        lw_check_findings(stream, note, found);
        const char *text;
        if (lw_check_get_verdict(stream, &text) == LW_CHECK_NOT_CHECKED) {
            snprintf(why, size, "not checked: %s", text);
            status = LW_E_INTERNAL;
        } else {
            status = LW_OK;
        }
    }
    for (size_t i = 0; i < count; i++)
        lw_buffer_destroy(buffers[i]);
    lw_stream_destroy(stream);
    return status == LW_OK;
}
