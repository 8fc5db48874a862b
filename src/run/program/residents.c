/* residents.c - programs that a device keeps: of images (image.c), and of texts, each of which is
 * built once for a device.
 *
 * The first request makes a resident, later ones find it without a lock, and it is freed with the
 * device: a reference to a resident is one to its device. The key of an image's is the image's
 * address and id. The address alone is not enough: an image can be unloaded, and another one loaded
 * at its address.
 */
#include "run/program/program.h"
#include <assert.h>
#include <stdlib.h>
#include <string.h>

/* ---- of images ---- */

static _Atomic(lw_program *) *bucket_of(lw_device *device, const lw_image *image)
{
    return &device->residents[((uintptr_t)image >> 5) % LW_RESIDENT_BUCKETS];
}

static lw_program *look_up_image(lw_device *device, const lw_image *image)
{
    lw_program *p = atomic_load_explicit(bucket_of(device, image), memory_order_acquire);

    while (p && (p->image != image || p->image_id != image->id))
        p = p->next_resident;
    return p;
}

/* Code for all sizes of block, as ref has it; the sites are in the image's own manifest. */
static lw_status take_entries(lw_program *p)
{
    const struct lw__device_ops *ops = p->device->ops;

    if (!ops->suits)
        return lw__fail(LW_E_UNSUPPORTED,
                        "'%s' was compiled ahead of time, and there is no such code for device "
                        "'%s'; it takes programs of lw_program_build",
                        p->name, ops->info.name);
    for (size_t i = 0; i < p->code.manifest.kernel_count; i++) {
        lw_kernel *k = &p->kernels[i];
        const lw_image_code *code = lw__image_code_for_all(k);

        if (!code)
            return lw__fail(LW_E_UNSUPPORTED,
                            "'%s' has no code for device '%s'; lanewise cc makes it with the "
                            "target %s",
                            p->name, ops->info.name, lw__device_target(p->device));
        if (p->code.loaded)
            memcpy(&k->entry, &code->entry, sizeof k->entry);
        else
            LW_TRY(ops->attach(p->device->state, code, &p->code.loaded, &k->entry));
    }
    return lw__image_read_sites(&p->code, p->name);
}

static lw_status fill(lw_program *p)
{
    const struct lw__device_ops *ops = p->device->ops;

    p->bounds = LW_NEVER;
    if (lw__verdict_has_forms(p))
        LW_TRY(lw__environment_bounds(&p->bounds));
    p->name = lw__copy_string(p->image->name);
    if (!p->name)
        return lw__fail(LW_E_MEMORY, "out of memory: the program's name");
    LW_TRY(lw__manifest_read(p->image->manifest, p->image->manifest_bytes, &p->code.manifest));
    LW_TRY(lw__program_fill(p));
    return ops->load && !ops->common ? take_entries(p) : LW_OK;
}

/* Two threads may each make one; the first to get there is kept. */
static lw_program *keep_image(lw_device *device, lw_program *p)
{
    _Atomic(lw_program *) *bucket = bucket_of(device, p->image);
    lw_program *kept;

    assert(p->image && !p->next_resident && !p->shared_text);
    lw__lock();
    kept = look_up_image(device, p->image);
    if (!kept) {
        p->next_resident = atomic_load_explicit(bucket, memory_order_relaxed);
        atomic_store_explicit(bucket, p, memory_order_release);
    }
    lw__unlock();
    if (!kept)
        return p;
    lw__program_free(p);
    return kept;
}

static lw_status load(lw_device *device, const lw_image *image, lw_program **out)
{
    if (image->version != LW_IMAGE_VERSION || image->bytes != sizeof *image ||
        image->code_bytes != sizeof *image->codes)
        return lw__fail(LW_E_UNSUPPORTED,
                        "the image is of another version of Lanewise (%u, need %d); make it anew "
                        "with lanewise cc",
                        image->version, LW_IMAGE_VERSION);
    lw_program *p;
    p = calloc(1, sizeof *p);
    if (!p)
        return lw__fail(LW_E_MEMORY, "out of memory: a program");
    p->code.payload_file = -1;
    p->device = device;
    p->image = image;
    p->image_id = image->id;
    lw_status status = fill(p);
    if (status)
        lw__program_free(p);
    else
        *out = keep_image(device, p);
    return status;
}

lw_status lw__resident_find(lw_device *device, const lw_image *image, lw_program **program)
{
    *program = look_up_image(device, image);
    return *program ? LW_OK : load(device, image, program);
}

lw_status lw_program_load(lw_device *device, const lw_image *image, lw_program **program)
{
    if (!program)
        return lw__fail(LW_E_ARG, "the place for the program is NULL");
    *program = NULL;
    if (!device || !image)
        return lw__fail(LW_E_ARG, "the %s is NULL", device ? "image" : "device");
    LW_TRY(lw__resident_find(device, image, program));
    lw__program_hold(*program);
    return LW_OK;
}

/* ---- of texts ---- */

static lw_program *look_up_text(lw_device *device, const char *source)
{
    lw_program *p = atomic_load_explicit(&device->shared, memory_order_acquire);

    while (p && strcmp(p->shared_text, source))
        p = p->next_resident;
    return p;
}

/* Two threads may each build one; the first to get there is kept. NULL: memory is short. */
static lw_program *keep_text(lw_device *device, lw_program *p, const char *source)
{
    char *text = lw__copy_string(source);

    if (!text)
        return NULL;
    lw__lock();
    lw_program *kept = look_up_text(device, source);
    if (!kept) {
        assert(!p->image && !p->next_resident && atomic_load(&p->holds) == 1);
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

/* The caller's hold is the one that the build took of the device. */
static lw_status build(lw_device *device, const char *name, const char *source, lw_program **out)
{
    const lw_build_options options = {.source = source};
    lw_program *p;

    LW_TRY(lw_program_build(device, name, &options, &p));
    lw_program *kept = keep_text(device, p, source);
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
    *program = look_up_text(device, source);
    if (!*program)
        return build(device, name, source, program);
    lw__program_hold(*program);
    return LW_OK;
}

/* ---- the end ---- */

static void free_all(lw_program *p)
{
    while (p) {
        lw_program *next = p->next_resident;

        lw__program_free(p);
        p = next;
    }
}

void lw__residents_free(lw_device *device)
{
    assert(!atomic_load(&device->holds));
    for (size_t i = 0; i < LW_RESIDENT_BUCKETS; i++)
        free_all(atomic_load_explicit(&device->residents[i], memory_order_acquire));
    free_all(atomic_load_explicit(&device->shared, memory_order_acquire));
}
