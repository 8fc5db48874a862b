/* image.c - programs from images that `lanewise cc` has linked into the process (lanewise/image.h).
 *
 * A device has one program for each image, its resident. The first request makes it, later ones
 * find it without a lock, and it is freed with the device: a reference to a resident is one to its
 * device. The key of a resident is the image's address and id. The address alone is not enough: an
 * image can be unloaded, and another one loaded at its address.
 */
#include "run/host/host.h"
#include <stdlib.h>
#include <string.h>

/* ---- which code ---- */

static bool is_for(const lw_image_code *code, const char *kernel, lw_dim3 block, bool is_guarded)
{
    return !strcmp(code->kernel, kernel) && code->block.x == block.x && code->block.y == block.y &&
           code->block.z == block.z && code->is_guarded == is_guarded;
}

static int suits(const lw_device *device, const lw_image_code *code)
{
    return device->ops->suits ? device->ops->suits(device->state, code->target) : -1;
}

/* The best code of the kernel for such blocks; NULL: there is none. */
static const lw_image_code *choose(const lw_program *p, const char *kernel, lw_dim3 block,
                                   bool is_guarded)
{
    const lw_image_code *best = NULL;
    int most = -1;

    for (size_t i = 0; i < p->image->code_count; i++) {
        const lw_image_code *code = &p->image->codes[i];
        int well = is_for(code, kernel, block, is_guarded) ? suits(p->device, code) : -1;

        if (well > most) {
            most = well;
            best = code;
        }
    }
    return best;
}

bool lw__image_has_forms(const lw_program *p)
{
    const struct lw__device_ops *ops = p->device->ops;

    return p->image->proofs && ops->guarded && ops->info.bounds == LW_BOUNDS_DEFAULT;
}

lw_dim3 lw__image_suggest(lw_kernel *kernel, lw_dim3 wanted)
{
    const lw_program *p = kernel->program;
    const bool is_guarded = lw__verdict_is_fixed(kernel) && lw__verdict_is_guarded(kernel, NULL);

    if (choose(p, kernel->row->name, wanted, is_guarded))
        return wanted;
    for (size_t i = 0; i < p->image->code_count; i++) {
        const lw_image_code *code = &p->image->codes[i];

        if (!strcmp(code->kernel, kernel->row->name) && code->block.x &&
            code->is_guarded == is_guarded && suits(p->device, code) >= 0)
            return code->block;
    }
    return wanted;
}

/* ---- loading ---- */

/* Files are named without folders: those of who compiled the image say nothing here. */
static lw_status read_sites(struct lw__code *code, const char *name)
{
    LW_TRY(lw__code_read_sites(code, name));
    for (size_t k = 0; k < code->manifest.site_count; k++) {
        const char *slash = strrchr(code->sites[k].file, '/');

        code->sites[k].file = slash ? slash + 1 : code->sites[k].file;
    }
    return LW_OK;
}

static lw_status read_manifest(const lw_image_code *code, struct lw__code *out)
{
    LW_TRY(lw__manifest_read(code->manifest, code->manifest_bytes, &out->manifest));
    return read_sites(out, code->kernel);
}

static lw_status load_text(const lw_device *device, const lw_image_code *code, void **loaded)
{
    char *text = malloc(code->text_length + 1);
    lw_status status;

    if (!text)
        return lw__fail(LW_E_MEMORY, "out of memory: the code of '%s', %zu bytes", code->kernel,
                        code->text_length);
    if (lw__unpack(code->text, code->text_bytes, text, code->text_length))
        status = device->ops->load(device->state, "", text, code->text_length, loaded);
    else
        status = lw__fail(LW_E_INTERNAL, "the code of '%s' for %s is damaged", code->kernel,
                          code->target);
    free(text);
    return status;
}

/* Code that is linked is attached, text is loaded. */
static lw_status take(const lw_program *p, const lw_image_code *code, struct lw__code *out,
                      void **entry)
{
    const struct lw__device_ops *ops = p->device->ops;

    LW_TRY(read_manifest(code, out));
    if (!code->text)
        return ops->attach(p->device->state, code, &out->loaded, entry);
    LW_TRY(load_text(p->device, code, &out->loaded));
    return ops->find(out->loaded, code->kernel, entry);
}

lw_status lw__image_code(const lw_kernel *kernel, lw_dim3 block, bool is_guarded,
                         struct lw__code *out, void **entry, bool *found)
{
    const lw_image_code *code = choose(kernel->program, kernel->row->name, block, is_guarded);

    *found = code != NULL;
    return code ? take(kernel->program, code, out, entry) : LW_OK;
}

/* "64 x 1 x 1, 256 x 1 x 1": of one target and form there is each size once. */
static void list_blocks(const lw_kernel *kernel, bool is_guarded, struct lw__text *text)
{
    const lw_program *p = kernel->program;

    for (size_t i = 0; i < p->image->code_count; i++) {
        const lw_image_code *code = &p->image->codes[i];
        lw_dim3 b = code->block;

        if (!strcmp(code->kernel, kernel->row->name) &&
            choose(p, kernel->row->name, b, is_guarded) == code)
            lw__text_add(text, "%s%u x %u x %u", text->length ? ", " : "", b.x, b.y, b.z);
    }
}

lw_status lw__image_fail_block(const lw_kernel *kernel, lw_dim3 block, bool is_guarded,
                               const char *why)
{
    const lw_program *p = kernel->program;
    struct lw__text sizes = {0};
    lw_status status;

    list_blocks(kernel, is_guarded, &sizes);
    status = lw__fail(LW_E_UNSUPPORTED,
                      "%s: '%s' has no %scode for blocks of %u x %u x %u on %s, but for %s; %s",
                      kernel->row->name, p->name, is_guarded ? "guarded " : "", block.x, block.y,
                      block.z, lw__device_target(p->device), sizes.data ? sizes.data : "none", why);
    lw__text_free(&sizes);
    return status;
}

/* ---- residents ---- */

static _Atomic(lw_program *) *bucket_of(lw_device *device, const lw_image *image)
{
    return &device->residents[((uintptr_t)image >> 5) % LW_RESIDENT_BUCKETS];
}

static lw_program *look_up(lw_device *device, const lw_image *image)
{
    lw_program *p = atomic_load_explicit(bucket_of(device, image), memory_order_acquire);

    while (p && (p->image != image || p->image_id != image->id))
        p = p->next_resident;
    return p;
}

static lw_status check(const lw_image *image)
{
    if (image->version != LW_IMAGE_VERSION || image->bytes != sizeof *image ||
        image->code_bytes != sizeof *image->codes)
        return lw__fail(LW_E_UNSUPPORTED,
                        "the image is of another version of Lanewise (%u, need %d); make it anew "
                        "with lanewise cc",
                        image->version, LW_IMAGE_VERSION);
    return LW_OK;
}

/* Code for all sizes of block, as ref has it; the sites are in the image's own manifest. */
static lw_status take_entries(lw_program *p)
{
    static const lw_dim3 all_sizes;
    const struct lw__device_ops *ops = p->device->ops;

    if (!ops->suits)
        return lw__fail(LW_E_UNSUPPORTED,
                        "'%s' was compiled ahead of time, and there is no such code for device "
                        "'%s'; it takes programs of lw_program_build",
                        p->name, ops->info.name);
    for (size_t i = 0; i < p->code.manifest.kernel_count; i++) {
        lw_kernel *k = &p->kernels[i];
        const lw_image_code *code = choose(p, k->row->name, all_sizes, false);

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
    return read_sites(&p->code, p->name);
}

static lw_status fill(lw_program *p)
{
    const struct lw__device_ops *ops = p->device->ops;

    p->bounds = LW_NEVER;
    if (lw__image_has_forms(p))
        LW_TRY(lw__environment_bounds(&p->bounds));
    p->name = lw__copy_string(p->image->name);
    if (!p->name)
        return lw__fail(LW_E_MEMORY, "out of memory: the program's name");
    LW_TRY(lw__manifest_read(p->image->manifest, p->image->manifest_bytes, &p->code.manifest));
    LW_TRY(lw__program_fill(p));
    return ops->load && !ops->common ? take_entries(p) : LW_OK;
}

/* Two threads may each make one; the first to get there is kept. */
static lw_program *keep(lw_device *device, lw_program *p)
{
    _Atomic(lw_program *) *bucket = bucket_of(device, p->image);
    lw_program *kept;

    lw__lock();
    kept = look_up(device, p->image);
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
    lw_program *p;
    lw_status status;

    LW_TRY(check(image));
    p = calloc(1, sizeof *p);
    if (!p)
        return lw__fail(LW_E_MEMORY, "out of memory: a program");
    p->code.payload_file = -1;
    p->device = device;
    p->image = image;
    p->image_id = image->id;
    status = fill(p);
    if (status)
        lw__program_free(p);
    else
        *out = keep(device, p);
    return status;
}

/* The caller holds the device; the program is not held. */
static lw_status find(lw_device *device, const lw_image *image, lw_program **program)
{
    *program = look_up(device, image);
    return *program ? LW_OK : load(device, image, program);
}

void lw__residents_free(lw_device *device)
{
    for (size_t i = 0; i < LW_RESIDENT_BUCKETS; i++) {
        lw_program *p = atomic_load_explicit(&device->residents[i], memory_order_acquire), *next;

        for (; p; p = next) {
            next = p->next_resident;
            lw__program_free(p);
        }
    }
}

/* ---- for hosts ---- */

lw_status lw_program_load(lw_device *device, const lw_image *image, lw_program **program)
{
    if (!program)
        return lw__fail(LW_E_ARG, "the place for the program is NULL");
    *program = NULL;
    if (!device || !image)
        return lw__fail(LW_E_ARG, "the %s is NULL", device ? "image" : "device");
    LW_TRY(find(device, image, program));
    lw__program_hold(*program);
    return LW_OK;
}

lw_status lw_image_launch(const lw_image *image, size_t index, lw_stream *stream, lw_dim3 grid,
                          lw_dim3 block, const lw_launch_options *options, const lw_arg *args,
                          size_t count)
{
    lw_program *p;

    if (!image || !stream)
        return lw__fail(LW_E_ARG, "the %s is NULL", image ? "stream" : "image");
    LW_TRY(find(stream->device, image, &p));
    if (index >= p->code.manifest.kernel_count)
        return lw__fail(LW_E_ARG, "there is no kernel %zu; '%s' has %zu, counted from 0", index,
                        p->name, p->code.manifest.kernel_count);
    return lw_stream_launch(stream, &p->kernels[index], grid, block, options, args, count);
}
