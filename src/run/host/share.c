/* share.c - programs of a text that a device keeps: each text is built once for a device.
 *
 * Like the programs of images (image.c) they are residents: found without a lock, freed with the
 * device, and every hold of one is a hold of its device.
 */
#include "run/host/host.h"
#include <stdlib.h>
#include <string.h>

static lw_program *look_up(lw_device *device, const char *source)
{
    lw_program *p = atomic_load_explicit(&device->shared, memory_order_acquire);

    while (p && strcmp(p->shared_text, source))
        p = p->next_resident;
    return p;
}

/* Two threads may each build one; the first to get there is kept. NULL: memory is short. */
static lw_program *keep(lw_device *device, lw_program *p, const char *source)
{
    char *text = lw__copy_string(source);
    lw_program *kept;

    if (!text)
        return NULL;
    lw__lock();
    kept = look_up(device, source);
    if (!kept) {
        p->shared_text = text; /* a resident from here on */
        p->next_resident = atomic_load_explicit(&device->shared, memory_order_relaxed);
        atomic_store_explicit(&device->shared, p, memory_order_release);
    }
    lw__unlock();
    if (!kept)
        return p;
    free(text);
    return kept;
}

void lw__shared_free(lw_device *device)
{
    lw_program *p = atomic_load_explicit(&device->shared, memory_order_acquire), *next;

    for (; p; p = next) {
        next = p->next_resident;
        lw__program_free(p);
    }
}

/* The caller's hold is the one that the build took of the device. */
static lw_status build(lw_device *device, const char *name, const char *source, lw_program **out)
{
    const lw_build_options options = {.source = source};
    lw_program *p, *kept;

    LW_TRY(lw_program_build(device, name, &options, &p));
    kept = keep(device, p, source);
    if (kept == p) {
        *out = p;
        return LW_OK;
    }
    if (kept)
        lw__program_hold(kept);
    lw_program_destroy(p);
    *out = kept;
    return kept ? LW_OK : lw__fail(LW_E_MEMORY, "out of memory: the text of '%s'", name);
}

lw_status lw_program_share(lw_device *device, const char *name, const char *source,
                           lw_program **program)
{
    if (!program)
        return lw__fail(LW_E_ARG, "the place for the program is NULL");
    *program = NULL;
    if (!device || !name || !source)
        return lw__fail(LW_E_ARG, "the %s is NULL",
                        !device ? "device"
                        : !name ? "program's name"
                                : "source");
    *program = look_up(device, source);
    if (!*program)
        return build(device, name, source, program);
    lw__program_hold(*program);
    return LW_OK;
}
