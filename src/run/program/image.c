/* image.c - the code of an image that `lanewise cc` has linked into the process (lanewise/image.h):
 * for a target, a size of block and a form.
 */
#include "run/program/program.h"
#include <assert.h>
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

const lw_image_code *lw__image_code_for_all(const lw_kernel *kernel)
{
    static const lw_dim3 all_sizes;

    return choose(kernel->program, kernel->row->name, all_sizes, false);
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
lw_status lw__image_read_sites(struct lw__code *code, const char *name)
{
    LW_TRY(lw__code_read_sites(code, name));
    for (size_t k = 0; k < code->manifest.site_count; k++) {
        const char *slash = strrchr(code->sites[k].file, '/');

        code->sites[k].file = slash ? slash + 1 : code->sites[k].file;
    }
    return LW_OK;
}

static lw_status load_packed(const lw_device *device, const lw_image_code *code,
                             struct lw__code *out)
{
    char *payload = malloc(code->payload_bytes + 1);

    if (!payload)
        return lw__fail(LW_E_MEMORY, "out of memory: the code of '%s', %zu bytes", code->kernel,
                        code->payload_bytes);
    lw_status status;
    if (lw__unpack(code->packed, code->packed_bytes, payload, code->payload_bytes))
        status = lw__code_load(device->ops, device->state, payload, code->payload_bytes, out);
    else
        status = lw__fail(LW_E_INTERNAL, "the code of '%s' for %s is damaged", code->kernel,
                          code->target);
    free(payload);
    return status;
}

/* Code that is linked is attached, packed code is loaded. */
static lw_status take(const lw_program *p, const lw_image_code *code, struct lw__code *out,
                      void **entry)
{
    const struct lw__device_ops *ops = p->device->ops;

    LW_TRY(lw__manifest_read(code->manifest, code->manifest_bytes, &out->manifest));
    LW_TRY(lw__image_read_sites(out, code->kernel));
    if (!code->packed)
        return ops->attach(p->device->state, code, &out->loaded, entry);
    LW_TRY(load_packed(p->device, code, out));
    return ops->find(out->loaded, code->kernel, entry);
}

lw_status lw__image_code(const lw_kernel *kernel, lw_dim3 block, bool is_guarded,
                         struct lw__code *out, void **entry, bool *found)
{
    const lw_image_code *code = choose(kernel->program, kernel->row->name, block, is_guarded);

    assert(!out->loaded && !out->sites);
    *found = code != NULL;
    return code ? take(kernel->program, code, out, entry) : LW_OK;
}

lw_status lw__image_fail_block(const lw_kernel *kernel, lw_dim3 block, bool is_guarded,
                               const char *why)
{
    const lw_program *p = kernel->program;
    struct lw__text sizes = {0};

    /* "64 x 1 x 1, 256 x 1 x 1": of one target and form there is each size once. */
    for (size_t i = 0; i < p->image->code_count; i++) {
        const lw_image_code *code = &p->image->codes[i];
        lw_dim3 b = code->block;

        if (!strcmp(code->kernel, kernel->row->name) &&
            choose(p, kernel->row->name, b, is_guarded) == code)
            lw__text_add(&sizes, "%s%u x %u x %u", sizes.length ? ", " : "", b.x, b.y, b.z);
    }
    lw_status status = lw__fail(
        LW_E_UNSUPPORTED, "%s: '%s' has no %scode for blocks of %u x %u x %u on %s, but for %s; %s",
        kernel->row->name, p->name, is_guarded ? "guarded " : "", block.x, block.y, block.z,
        lw__device_target(p->device), sizes.data ? sizes.data : "none", why);
    lw__text_free(&sizes);
    return status;
}
