/* devices.c - the table of devices: the only place that knows them all. */
#include "run/queue/queue.h"
#include <stdlib.h>
#include <string.h>

static const struct lw__device_ops *const devices[] = {
#define LW_DEVICE(name) &lw__device_##name,
#include "run/devices.def"
};
enum { DEVICE_COUNT = sizeof devices / sizeof devices[0] };

size_t lw_device_list(lw_device_info *out, size_t capacity)
{
    for (size_t i = 0; i < DEVICE_COUNT && i < capacity; i++)
        lw__device_describe(devices[i], NULL, &out[i]);
    return DEVICE_COUNT;
}

/* "cuda:0" is device "cuda": the part after the colon is for its open(). */
static bool has_name(const struct lw__device_ops *ops, const char *name)
{
    size_t length = strlen(ops->info.name);

    return !strncmp(ops->info.name, name, length) &&
           (!name[length] || (name[length] == ':' && ops->open));
}

static lw_status no_such_device(const char *name)
{
    struct lw__text known = {0};

    for (size_t i = 0; i < DEVICE_COUNT; i++)
        lw__text_add(&known, "%s%s", i ? ", " : "", devices[i]->info.name);
    lw__fail(LW_E_DEVICE, "there is no device '%s'; this library has %s", name,
             known.data ? known.data : "others");
    lw__text_free(&known);
    return LW_E_DEVICE;
}

static lw_status choose(const char *name, const struct lw__device_ops **ops)
{
    for (size_t i = 0; i < DEVICE_COUNT; i++) {
        if (name && !has_name(devices[i], name))
            continue;
        *ops = devices[i];
        const char *unavailable = lw__device_probe(devices[i]);
        if (!*unavailable)
            return LW_OK;
        if (name)
            return lw__fail(LW_E_DEVICE, "device '%s' cannot be used: %s", name, unavailable);
    }
    return name ? no_such_device(name)
                : lw__fail(LW_E_DEVICE, "none of the devices can be used here");
}

/* What the environment names is told with the variable. */
static lw_status choose_by_environment(const char *name, const struct lw__device_ops **ops)
{
    const lw_status status = choose(name, ops);
    char *why = status ? lw__copy_string(lw_last_error()) : NULL;

    if (status)
        lw__fail(status, "LANEWISE_DEVICE is '%s': %s", name, why ? why : "it cannot be used");
    free(why);
    return status;
}

lw_status lw_device_open(const char *name, lw_device **device)
{
    const struct lw__device_ops *ops = NULL;
    const char *wanted = name ? NULL : getenv("LANEWISE_DEVICE");

    if (!device)
        return lw__fail(LW_E_ARG, "the place for the device is NULL");
    *device = NULL;
    size_t threads;
    LW_TRY(lw__environment_threads(&threads));
    LW_TRY(wanted ? choose_by_environment(wanted, &ops) : choose(name, &ops));
    name = name ? name : wanted;
    return lw__device_create(ops, &lw__device_hooks, name ? name : ops->info.name, device);
}
