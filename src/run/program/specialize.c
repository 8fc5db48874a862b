/* specialize.c - a kernel's code for one block size, built at the first launch with that size.
 *
 * On some devices the block's dimensions are constants of the code (ops->common). A program is then
 * built in two steps: first bitcode for all sizes, then code for one size. Each kernel has a list
 * of the sizes that launches have asked for. The list only grows, at its head, and a finished entry
 * never changes; so a launch reads it without a lock. The first thread that asks for a size builds
 * it; others wait. If the compiler refuses the kernel, the error is kept and given again. After
 * other failures the next launch tries again. A kernel of an image (image.c) has code for some
 * sizes.
 */
#include "run/program/program.h"
#include <assert.h>
#include <stdlib.h>
#include <string.h>

enum state { ABSENT, BUILDING, READY, REFUSED };

struct lw__special {
    struct lw__special *next; /* fixed once it is in the list */
    lw_dim3 block;
    bool is_guarded;           /* of the form whose accesses stay within their objects */
    _Atomic(enum state) state; /* written under the lock */
    unsigned era;              /* locked; BUILDING: of the process that does it */
    struct lw__code code;      /* READY */
    void *entry;
    struct lw__times times;
    char error[LW_MESSAGE_MAX + 1]; /* REFUSED */
};

static struct lw__special *look_up(lw_kernel *k, lw_dim3 block, bool is_guarded)
{
    struct lw__special *s = atomic_load_explicit(&k->specials, memory_order_acquire);

    while (s && (s->block.x != block.x || s->block.y != block.y || s->block.z != block.z ||
                 s->is_guarded != is_guarded))
        s = s->next;
    return s;
}

/* Locked. */
static struct lw__special *look_up_or_add(lw_kernel *k, lw_dim3 block, bool is_guarded)
{
    struct lw__special *s = look_up(k, block, is_guarded);

    if (s)
        return s;
    s = calloc(1, sizeof *s);
    if (!s)
        return NULL;
    s->block = block;
    s->is_guarded = is_guarded;
    s->code.payload_file = -1;
    s->next = atomic_load_explicit(&k->specials, memory_order_relaxed);
    atomic_store_explicit(&k->specials, s, memory_order_release);
    return s;
}

/* ---- building ---- */

/* The bitcode that all sizes share; *own: memory to be freed, of an image, which has it packed. */
static lw_status find_bitcode(const lw_kernel *k, bool is_guarded, const void **bitcode,
                              size_t *bytes, char **own)
{
    const lw_program *p = k->program;
    const lw_image *image = p->image;
    const struct lw__device_ops *ops = p->device->ops;

    *own = NULL;
    if (!image)
        return (is_guarded ? ops->guarded : ops->common)(p->code.loaded, bitcode, bytes);
    *bytes = image->common_bytes + image->guarded_bytes;
    *own = malloc(*bytes + 1);
    if (!*own)
        return lw__fail(LW_E_MEMORY, "out of memory: the bitcode of '%s'", p->name);
    if (!lw__unpack(image->bitcode, image->bitcode_bytes, *own, *bytes))
        return lw__fail(LW_E_INTERNAL, "the bitcode of '%s' is damaged", p->name);
    *bitcode = *own + (is_guarded ? image->common_bytes : 0);
    *bytes = is_guarded ? image->guarded_bytes : image->common_bytes;
    return LW_OK;
}

/* made: what the compiler has made of this already, or NULL. */
static lw_status compile(const lw_kernel *k, const char *compiler, struct lw__bytes *made,
                         struct lw__special *s)
{
    static const lw_build_options defaults;
    lw_device *device = k->program->device;
    struct lw__compile request = {.compiler = compiler,
                                  .target = lw__device_target(device),
                                  .name = k->program->name,
                                  .options = &defaults,
                                  .kernel = k->row->name,
                                  .block = s->block,
                                  .bounds = s->is_guarded,
                                  .made = made};
    const void *common = NULL;
    char *own;
    lw_status status = find_bitcode(k, s->is_guarded, &common, &request.source_bytes, &own);

    request.source = common;
    if (!status)
        status = lw__code_build(device->ops, device->state, &request, &s->code);
    free(own);
    return status ? status : device->ops->find(s->code.loaded, k->row->name, &s->entry);
}

/* An image may be without bitcode; and where there is no compiler, it has the sizes that it has. */
static lw_status build_anew(const lw_kernel *k, struct lw__special *s)
{
    const lw_image *image = k->program->image;
    char *compiler, why[LW_MESSAGE_MAX + 1];

    if (image && !(s->is_guarded ? image->guarded_bytes : image->common_bytes))
        return lw__image_fail_block(k, s->block, s->is_guarded,
                                    "it was made without bitcode for other sizes");
    lw_status status = lw__compiler_find(&compiler);
    if (!status)
        status = compile(k, compiler, NULL, s);
    else if (image && status != LW_E_MEMORY)
        status = lw__image_fail_block(k, s->block, s->is_guarded, strcpy(why, lw_last_error()));
    free(compiler);
    return status;
}

/* Locked, but while it builds: only the builder touches s then. */
static lw_status build_once(const lw_kernel *k, struct lw__special *s)
{
    enum state reached = READY;
    lw_status status = LW_OK;
    bool found = false;

    assert(!s->code.loaded && s->code.payload_file < 0 && !s->entry);
    atomic_store_explicit(&s->state, BUILDING, memory_order_relaxed);
    s->era = lw__era();
    lw__unlock();
    if (k->program->image)
        status = lw__image_code(k, s->block, s->is_guarded, &s->code, &s->entry, &found);
    if (!status && !found)
        status = build_anew(k, s);
    if (status)
        lw__code_free(k->program->device->ops, k->program->device->state, &s->code);
    lw__lock();
    assert(atomic_load(&s->state) == BUILDING);
    if (status)
        reached = status == LW_E_COMPILE ? REFUSED : ABSENT;
    if (reached == REFUSED)
        strcpy(s->error, lw_last_error());
    atomic_store_explicit(&s->state, reached, memory_order_release);
    lw__announce();
    return status;
}

/* Locked. */
static lw_status make_ready(lw_kernel *k, lw_dim3 block, bool is_guarded, struct lw__special **out)
{
    assert(lw__is_locked());
    struct lw__special *s = look_up_or_add(k, block, is_guarded);
    *out = s;
    if (!s)
        return lw__fail(LW_E_MEMORY, "out of memory: code of %s for blocks of %u x %u x %u",
                        k->row->name, block.x, block.y, block.z);
    /* A builder of an older era was left behind in the parent of a fork. */
    while (atomic_load_explicit(&s->state, memory_order_relaxed) == BUILDING && s->era == lw__era())
        lw__wait_change(NULL);
    switch (atomic_load_explicit(&s->state, memory_order_relaxed)) {
    case READY: return LW_OK;
    case REFUSED: return lw__fail(LW_E_COMPILE, "%s", s->error);
    default: return build_once(k, s);
    }
}

/* ---- with the program ---- */

static lw_kernel *first_kernel(lw_program *p, const char *name)
{
    for (size_t i = 0; name && i < p->code.manifest.kernel_count; i++)
        if (!strcmp(p->kernels[i].row->name, name))
            return &p->kernels[i];
    return !name && p->code.manifest.kernel_count == 1 ? p->kernels : NULL;
}

void lw__special_first(lw_program *p, const struct lw__compile *built)
{
    struct lw__bytes *made = &p->code.first;
    lw_kernel *k = made->length ? first_kernel(p, built->options->first_kernel) : NULL;
    struct lw__special *s =
        k ? look_up_or_add(k, built->options->first_block, k->proofs && lw__verdict_is_fixed(k))
          : NULL;
    char before[LW_MESSAGE_MAX + 1];

    lw__error_keep(before);
    if (s && !compile(k, built->compiler, made, s))
        atomic_store_explicit(&s->state, READY, memory_order_relaxed);
    else if (s)
        lw__code_free(p->device->ops, p->device->state, &s->code);
    lw__error_restore(before);
    free(made->bytes);
    *made = (struct lw__bytes){0};
}

/* ---- for launches ---- */

lw_status lw__special_use(lw_kernel *kernel, struct lw__launch *launch)
{
    struct lw__special *s = look_up(kernel, launch->block, launch->is_guarded);

    if (!s || atomic_load_explicit(&s->state, memory_order_acquire) != READY) {
        lw__lock();
        lw_status status = make_ready(kernel, launch->block, launch->is_guarded, &s);
        lw__unlock();
        LW_TRY(status);
    }
    assert(atomic_load(&s->state) == READY && s->entry);
    launch->code = s->code.loaded;
    launch->entry = s->entry;
    launch->sites = s->code.sites;
    launch->site_count = s->code.manifest.site_count;
    launch->lines = &s->code.lines;
    launch->times = &s->times;
    return LW_OK;
}

void lw__special_free(lw_kernel *kernel)
{
    struct lw__special *s = atomic_load_explicit(&kernel->specials, memory_order_relaxed);

    while (s) {
        struct lw__special *next = s->next;

        lw__code_free(kernel->program->device->ops, kernel->program->device->state, &s->code);
        free(s);
        s = next;
    }
}
