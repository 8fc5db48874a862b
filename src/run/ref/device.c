/* device.c - the device `ref`: one thread at a time, the definition of correct.
 *
 * A program for it is a shared object (base/ref_abi.h). For each kernel it has a coroutine's ramp,
 * and a table of the objects that pointers may refer to. One function resumes any coroutine.
 * schedule.c runs it.
 */
#include "run/ref/ref.h"
#include "run/build/build.h"
#include "run/report/report.h"
#include <dlfcn.h>
#include <stdlib.h>
#include <string.h>

#if defined(__aarch64__)
static const char target[] = "ref:aarch64";
#else
static const char target[] = "ref";
#endif

/* What load makes of a program. */
struct program {
    void *object;                 /* of dlopen; NULL: linked into the process */
    void (*resume)(void *handle); /* NULL: its threads have stacks */
    uint64_t frame_bytes;         /* of each, for the kernel */
};

/* C has no conversion between pointers to data and to functions; POSIX says they are alike. */
_Static_assert(sizeof(void *) == sizeof(void (*)(void)), "dlsym needs it");

lw_status lw__ref_load(void *state, const char *path, const void *payload, size_t bytes,
                       void **code)
{
    (void)state, (void)payload, (void)bytes;
    *code = NULL;
    struct program *program = calloc(1, sizeof *program);
    if (!program)
        return lw__fail(LW_E_MEMORY, "no memory for a program");
    lw_status status = lw__code_open(path, &program->object);
    if (status) {
        free(program);
        return status;
    }
    const uint64_t *frame = dlsym(program->object, "lw.frame");
    void *resume = dlsym(program->object, "lw.resume");
    if (frame)
        program->frame_bytes = *frame;
    if (!resume && !frame) {
        dlclose(program->object);
        free(program);
        return lw__fail(LW_E_INTERNAL, "the compiled kernels in '%s' lack lw.resume and lw.frame",
                        path);
    }
    memcpy(&program->resume, &resume, sizeof resume);
    *code = program;
    return LW_OK;
}

void lw__ref_unload(void *state, void *code)
{
    struct program *program = code;
    (void)state;
    if (!program)
        return;
    if (program->object)
        dlclose(program->object);
    free(program);
}

static int ref_suits(void *state, const char *code_target)
{
    (void)state;
    return strcmp(code_target, target) ? -1 : 0;
}

static lw_status ref_attach(void *state, const lw_image_code *linked, void **code, void **entry)
{
    struct program *program = calloc(1, sizeof *program);

    (void)state;
    *code = program;
    if (!program)
        return lw__fail(LW_E_MEMORY, "no memory for a program");
    program->resume = (void (*)(void *))linked->resume;
    memcpy(entry, &linked->entry, sizeof *entry);
    return LW_OK;
}

lw_status lw__ref_find(void *code, const char *kernel, void **entry)
{
    const struct program *program = code;
    return lw__code_symbol(program->object, "lw.objects", kernel, entry);
}

lw_status lw__ref_sizes(void *code, const char *kernel, void **function)
{
    const struct program *program = code;
    return lw__code_symbol(program->object, "lw.sizes", kernel, function);
}

lw_status lw__ref_symbol(void *code, const char *name, void **value)
{
    const struct program *program = code;
    return lw__code_symbol(program->object, LW_SYMBOL_PREFIX, name, value);
}

bool lw__ref_proofs(void *code, const char *kernel, const struct lw_proofs **proofs)
{
    const struct program *program = code;
    void *found;
    const bool is_known = lw__code_look(program->object, "lw.proofs", kernel, &found);
    *proofs = found;
    return is_known;
}

struct lw__ref_code lw__ref_code_of(const struct lw__launch *launch)
{
    const struct program *program = launch->code;
    const struct lw_ref_kernel *kernel = launch->entry;
    return (struct lw__ref_code){kernel->ramp, program->resume, program->frame_bytes, kernel};
}

static lw_status ref_launch(void *state, const struct lw__launch *launch)
{
    const struct lw__ref_code code = lw__ref_code_of(launch);
    (void)state;
    return lw__ref_run(launch, &code, NULL, NULL, NULL);
}

const struct lw__device_ops lw__device_ref = {
    .info =
        {
            .name = "ref",
            .description = "one thread at a time on one CPU core: slow, the definition of correct",
            .max_shared_bytes = LW_REF_SHARED_MAX,
            .max_dynamic_bytes = LW_REF_DYNAMIC_MAX,
            .max_print_bytes = LW_REF_PRINT_BYTES,
            .bounds = LW_BOUNDS_ALWAYS,
        },
    .target = target,
    .picture_target = LW_PICTURE_TARGET,
    .has_debug = true,
    .load = lw__ref_load,
    .unload = lw__ref_unload,
    .find = lw__ref_find,
    .suits = ref_suits,
    .attach = ref_attach,
    .sizes = lw__ref_sizes,
    .symbol = lw__ref_symbol,
    .launch = ref_launch,
};
