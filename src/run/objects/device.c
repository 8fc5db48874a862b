/* device.c - a device that is open: its holds, what it says of itself, its end. */
#include "run/objects/objects.h"
#include <assert.h>
#include <stdlib.h>

/* That a device is not available is no failure. */
const char *lw__device_probe(const struct lw__device_ops *ops)
{
    char before[LW_MESSAGE_MAX + 1];

    lw__error_keep(before);
    const char *why = ops->probe ? ops->probe() : "";
    lw__error_restore(before);
    return why;
}

/* Where LANEWISE_BOUNDS has another value there are no programs that it would be about. */
static lw_bounds_mode bounds_of(const struct lw__device_ops *ops)
{
    enum lw__wish wish;

    (void)lw__environment_bounds_of(ops, &wish);
    return (lw_bounds_mode)wish;
}

void lw__device_describe(const struct lw__device_ops *ops, void *state, lw_device_info *info)
{
    char before[LW_MESSAGE_MAX + 1];

    *info = ops->info;
    info->unavailable = lw__device_probe(ops);
    info->available = info->unavailable[0] == '\0';
    lw__error_keep(before);
    info->bounds = bounds_of(ops);
    if (ops->describe)
        ops->describe(state, info);
    lw__error_restore(before);
}

lw_status lw__device_create(const struct lw__device_ops *ops, const struct lw__device_hooks *hooks,
                            const char *name, lw_device **device)
{
    lw_device *d = calloc(1, sizeof *d);
    char before[LW_MESSAGE_MAX + 1];

    if (!d)
        return lw__fail(LW_E_MEMORY, "out of memory: a device");
    atomic_init(&d->holds, 1);
    d->ops = ops;
    d->hooks = hooks;
    if (ops->open) {
        lw_status status = ops->open(name, &d->state);

        if (status) {
            free(d);
            return status;
        }
    }
    d->info = ops->info;
    lw__error_keep(before);
    d->info.bounds = bounds_of(ops);
    lw__error_restore(before);
    if (ops->describe)
        ops->describe(d->state, &d->info);
    d->info.available = true;
    d->info.unavailable = "";
    *device = d;
    return LW_OK;
}

const char *lw__device_target(const lw_device *device)
{
    return device->ops->target_of ? device->ops->target_of(device->state) : device->ops->target;
}

void lw__device_hold(lw_device *device)
{
    assert(atomic_load(&device->holds) > 0);
    atomic_fetch_add_explicit(&device->holds, 1, memory_order_relaxed);
}

void lw_device_close(lw_device *device)
{
    if (!device || atomic_fetch_sub(&device->holds, 1) != 1)
        return;
    assert(!device->alive); /* what is on the list holds the device */
    device->hooks->close(device);
    if (device->ops->close)
        device->ops->close(device->state);
    free(device->index.rows);
    free(device);
}

lw_status lw_device_get_info(lw_device *device, lw_device_info *info)
{
    if (!device || !info)
        return lw__fail(LW_E_ARG, "the %s is NULL", device ? "place for the info" : "device");
    *info = device->info;
    return LW_OK;
}

int lw_device_vector_bits(const lw_device *device)
{
    return device && device->ops->vector_bits ? device->ops->vector_bits(device->state) : 0;
}

bool lw_device_has_amx(const lw_device *device)
{
    return device && device->ops->has_amx && device->ops->has_amx(device->state);
}

bool lw_device_is_gpu(const lw_device *device)
{
    return device && device->ops->is_gpu;
}

bool lw_device_has_findings(const lw_device *device)
{
    return device && device->ops->has_findings;
}
