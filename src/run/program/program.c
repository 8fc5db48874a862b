/* program.c - from a kernel file to kernels that can be launched.
 *
 * A program is fixed once it is built, so that all threads read it freely; only what specialize.c
 * adds to its kernels grows.
 */
#include "base/nearest.h"
#include "run/program/program.h"
#include <assert.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

enum { TITLE_MAX = 255 };

/* One build under way. */
struct build {
    lw_program *program;
    struct lw__compile compile;
    struct lw__bytes file; /* the source, where it is a file */
    char *compiler, *path;
};

/* ---- what to build ---- */

static lw_status check_list(const char *what, const char *const *words, size_t count)
{
    if (count && !words)
        return lw__fail(LW_E_ARG, "the list of %s is NULL, its count is %zu", what, count);
    for (size_t i = 0; i < count; i++)
        if (!words[i] || !*words[i])
            return lw__fail(LW_E_ARG, "%s[%zu] is %s", what, i, words[i] ? "empty" : "NULL");
    return LW_OK;
}

/* The other end of a named pipe may never come; a shell's <(...) is in /dev, and has come. A pipe
 * can be read once only, and /dev/stdin is another file in the compiler: what is no plain file gets
 * there as text, not as a path. */
static lw_status read_source(struct build *b, const char *path)
{
    struct stat s = {0};

    if (strncmp(path, "/dev/", 5) && strncmp(path, "/proc/", 6))
        (void)stat(path, &s);
    if (S_ISFIFO(s.st_mode))
        return lw__fail(LW_E_IO, "%s is a named pipe; need a regular file", path);
    LW_TRY(lw__read_file(path, &b->file));
    b->compile.source = b->file.bytes;
    b->compile.source_bytes = b->file.length;
    if (!S_ISREG(s.st_mode))
        return LW_OK;
    if (path[0] != '-') {
        b->compile.path = path;
        return LW_OK;
    }
    b->path = malloc(strlen(path) + sizeof "./"); /* no option of the child */
    if (!b->path)
        return lw__fail(LW_E_MEMORY, "out of memory: the path of '%s'", path);
    strcat(strcpy(b->path, "./"), path);
    b->compile.path = b->path;
    return LW_OK;
}

bool lw__is_block(lw_dim3 block)
{
    const uint64_t layer = (uint64_t)block.x * block.y;

    return layer && block.z && layer <= LW_BLOCK_THREADS_MAX && block.z <= LW_BLOCK_Z_MAX &&
           layer * block.z <= LW_BLOCK_THREADS_MAX;
}

static lw_status prepare(struct build *b, lw_device *device, const char *path,
                         const lw_build_options *options)
{
    LW_TRY(check_list("defines", options->defines, options->define_count));
    if (options->debug && !device->ops->has_debug)
        return lw__fail(LW_E_UNSUPPORTED,
                        "code for a debugger is for device 'ref', which runs one thread at a "
                        "time, and not for '%s'",
                        device->ops->info.name);
    if (options->picture && !device->ops->picture_target)
        return lw__fail(LW_E_UNSUPPORTED, "pictures are of devices 'ref' and 'check', not of '%s'",
                        device->ops->info.name);
    if (options->picture && options->debug)
        return lw__fail(LW_E_UNSUPPORTED, "code for a debugger cannot be for a picture, too");
    LW_TRY(check_list("include_dirs", options->include_dirs, options->include_dir_count));
    b->compile.options = options;
    /* Which launches run the guarded form; the environment is looked at where the program says
     * nothing. */
    _Static_assert(LW_BOUNDS_DEFAULT == (int)LW_WHERE_IT_PAYS && LW_BOUNDS_OFF == (int)LW_NEVER &&
                       LW_BOUNDS_ALWAYS == (int)LW_ALWAYS,
                   "wishes in the order of lw_bounds_mode");
    if ((unsigned)options->bounds > LW_BOUNDS_ALWAYS)
        return lw__fail(LW_E_ARG, "bounds is %d; need LW_BOUNDS_DEFAULT, _OFF or _ALWAYS",
                        (int)options->bounds);
    b->program->bounds = device->ops->guarded ? (enum lw__wish)options->bounds : LW_NEVER;
    if (b->program->bounds == LW_WHERE_IT_PAYS)
        LW_TRY(lw__environment_bounds_of(device->ops, &b->program->bounds));
    b->compile.bounds = b->program->bounds != LW_NEVER;
    b->compile.wants_first = device->ops->common && lw__is_block(options->first_block) &&
                             b->program->bounds != LW_ALWAYS;
    b->compile.target = options->picture ? device->ops->picture_target : lw__device_target(device);
    b->compile.name = path ? path : "<source>";
    if (options->source) {
        b->compile.source = options->source;
        b->compile.source_bytes = strlen(options->source);
    } else {
        LW_TRY(read_source(b, path));
    }
    b->program->name = lw__copy_string(b->compile.name);
    if (!b->program->name)
        return lw__fail(LW_E_MEMORY, "out of memory: the program's name");
    const char *dot = strrchr(b->compile.name, '.');
    const bool is_cuda = options->cuda || (dot && (!strcmp(dot, ".cu") || !strcmp(dot, ".cuh")));
    if (is_cuda && !b->program->root)
        LW_TRY(lw__instances_open(b->program, options, b->compile.source));
    if (device->ops->has_findings) {
        b->program->source = lw__copy_string(b->compile.source);
        if (!b->program->source)
            return lw__fail(LW_E_MEMORY, "out of memory: the source of '%s'", b->compile.name);
    }
    LW_TRY(lw__compiler_find(&b->compiler));
    b->compile.compiler = b->compiler;
    return LW_OK;
}

/* ---- kernels ---- */

static lw_status fill_kernel(lw_program *p, size_t index)
{
    const struct lw__device_ops *ops = p->device->ops;
    lw_kernel *k = &p->kernels[index];
    void *sizes = NULL;

    k->program = p;
    k->row = &p->code.manifest.kernels[index];
    k->param_rows = p->code.manifest.params + k->row->first_param;
    k->params = p->params + k->row->first_param;
    k->titles = p->titles + k->row->first_param;
    assert(k->row->first_param + k->row->param_count <= p->code.manifest.param_count);
    for (size_t i = 0; i < k->row->param_count; i++) {
        struct lw__text title = {0};

        k->size_count += (size_t)k->params[i].dims;
        lw__text_add(&title, "%s: parameter %zu '%s' (%s)", k->row->name, i + 1, k->params[i].name,
                     k->params[i].type);
        k->titles[i] = title.data;
        if (title.failed)
            return lw__fail(LW_E_MEMORY, "out of memory: the parameters of %s", k->row->name);
        if (title.length > TITLE_MAX) /* the message is to have room for what is wrong */
            title.data[TITLE_MAX] = '\0';
    }
    if (!ops->load)
        return LW_OK;
    if (p->image) {
        k->sizes = k->size_count ? (lw__sizes_fn *)p->image->sizes[index] : NULL;
        return lw__verdict_open(k);
    }
    if (!ops->common || k->row->block.x) /* NULL is specialize.c's as well */
        LW_TRY(ops->find(p->code.loaded, k->row->name, &k->entry));
    if (k->size_count)
        LW_TRY(ops->sizes(p->code.loaded, k->row->name, &sizes));
    memcpy(&k->sizes, &sizes, sizeof k->sizes); /* POSIX: a function fits a void * */
    return lw__verdict_open(k);
}

lw_status lw__program_fill(lw_program *p)
{
    const struct lw__manifest *m = &p->code.manifest;

    p->params = calloc(m->param_count + 1, sizeof *p->params);
    p->titles = calloc(m->param_count + 1, sizeof *p->titles);
    p->kernels = calloc(m->kernel_count + 1, sizeof *p->kernels);
    if (!p->params || !p->titles || !p->kernels)
        return lw__fail(LW_E_MEMORY, "out of memory: the kernels of '%s'", p->name);
    for (size_t i = 0; i < m->param_count; i++) {
        const struct lw__manifest_param *row = &p->code.manifest.params[i];
        lw_param *param = &p->params[i];

        *param = (lw_param){.name = row->name,
                            .type = row->type,
                            .bytes = row->size,
                            .dims = row->dims,
                            .layout = row->layout};
        size_t bytes;
        const lw_status status = lw__layout_read(row->layout, param, &bytes);
        if (status == LW_E_MEMORY)
            return lw__fail(status, "out of memory: the type of parameter '%s'", row->name);
        if (status || bytes != row->size)
            return lw__fail(LW_E_INTERNAL,
                            "the compiler's manifest is damaged: parameter '%s' of %zu "
                            "bytes has layout '%s'",
                            row->name, row->size, row->layout);
    }
    for (size_t i = 0; i < m->kernel_count; i++)
        LW_TRY(fill_kernel(p, i));
    return LW_OK;
}

/* ---- the whole ---- */

static lw_status build(struct build *b, lw_device *device, const char *path,
                       const lw_build_options *options)
{
    LW_TRY(prepare(b, device, path, options));
    LW_TRY(lw__code_build(device->ops, device->state, &b->compile, &b->program->code));
    LW_TRY(lw__program_fill(b->program));
    LW_TRY(lw__symbols_open(b->program));
    lw__special_first(b->program, &b->compile);
    return LW_OK;
}

lw_status lw_program_build(lw_device *device, const char *path, const lw_build_options *options,
                           lw_program **program)
{
    return lw__program_build(device, path, options, NULL, program);
}

lw_status lw__program_build(lw_device *device, const char *path, const lw_build_options *options,
                            lw_program *root, lw_program **program)
{
    static const lw_build_options defaults;
    struct build b = {0};

    if (!program)
        return lw__fail(LW_E_ARG, "the place for the program is NULL");
    *program = NULL;
    if (!device)
        return lw__fail(LW_E_ARG, "the device is NULL");
    if (!path && !(options && options->source))
        return lw__fail(LW_E_ARG, "there is nothing to build: path and options->source are NULL");
    b.program = calloc(1, sizeof *b.program);
    if (!b.program)
        return lw__fail(LW_E_MEMORY, "out of memory: a program");
    atomic_init(&b.program->holds, 1);
    b.program->code.payload_file = -1;
    b.program->device = device;
    b.program->root = root;
    lw__device_hold(device);
    lw_status status = build(&b, device, path, options ? options : &defaults);
    free(b.file.bytes);
    free(b.compiler);
    free(b.path);
    if (status)
        lw_program_destroy(b.program);
    else
        *program = b.program;
    return status;
}

/* True if it is kept by its device, whose holds are then its own. */
static bool is_resident(const lw_program *program)
{
    return program->image || program->shared_text;
}

void lw__program_hold(lw_program *program)
{
    assert(is_resident(program) || atomic_load(&program->holds) > 0);
    if (is_resident(program))
        lw__device_hold(program->device);
    else
        atomic_fetch_add_explicit(&program->holds, 1, memory_order_relaxed);
}

void lw__program_free(lw_program *program)
{
    for (size_t i = 0; program->kernels && i < program->code.manifest.kernel_count; i++) {
        lw__special_free(&program->kernels[i]);
        free(program->kernels[i].leaves);
    }
    for (size_t i = 0; program->titles && i < program->code.manifest.param_count; i++)
        free(program->titles[i]);
    lw__code_free(program->device->ops, program->device->state, &program->code);
    lw__instances_close(program);
    lw__symbols_close(program);
    free(program->params);
    free(program->titles);
    free(program->kernels);
    free(program->name);
    free(program->source);
    free(program->shared_text);
    free(program);
}

void lw_program_destroy(lw_program *program)
{
    if (!program)
        return;
    lw_device *device = program->device;
    if (!is_resident(program)) {
        if (atomic_fetch_sub(&program->holds, 1) != 1)
            return;
        lw__program_free(program);
    }
    lw_device_close(device);
}

void lw_kernel_hold(lw_kernel *kernel)
{
    if (kernel)
        lw__program_hold(kernel->program);
}

void lw_kernel_release(lw_kernel *kernel)
{
    if (kernel)
        lw_program_destroy(kernel->program);
}

/* ---- questions ---- */

size_t lw_program_kernel_count(const lw_program *program)
{
    return program ? program->code.manifest.kernel_count : 0;
}

lw_status lw__program_refused(const lw_program *p, const char *name)
{
    for (size_t i = 0; i < p->code.manifest.refused_count; i++) {
        const struct lw__manifest_refused *k = &p->code.manifest.refused[i];

        if (!name || lw__same_name(k->name, name))
            return lw__fail(LW_E_COMPILE, "%s:%d:%d: kernel '%s': %s", k->file, k->line, k->column,
                            k->name, k->text);
    }
    return LW_OK;
}

lw_status lw_program_kernel_at(lw_program *program, size_t index, lw_kernel **kernel)
{
    if (!program || !kernel)
        return lw__fail(LW_E_ARG, "the %s is NULL", program ? "place for the kernel" : "program");
    *kernel = NULL;
    if (index >= program->code.manifest.kernel_count)
        LW_TRY(lw__program_refused(program, NULL));
    if (index >= program->code.manifest.kernel_count)
        return lw__fail(LW_E_ARG, "there is no kernel %zu; '%s' has %zu, counted from 0", index,
                        program->name, program->code.manifest.kernel_count);
    *kernel = &program->kernels[index];
    return LW_OK;
}

bool lw__kernel_named(lw_program *p, const char *name, lw_kernel **kernel)
{
    for (size_t i = 0; i < p->code.manifest.kernel_count; i++) {
        const struct lw__manifest_kernel *row = &p->code.manifest.kernels[i];

        if (lw__same_name(row->name, name) || (row->alias && lw__same_name(row->alias, name))) {
            *kernel = &p->kernels[i];
            return true;
        }
    }
    return false;
}

/* The variable of that name; place: for what is asked of it. */
static lw_status find_symbol(lw_program *program, const char *name, const void *place,
                             const struct lw__symbol **symbol)
{
    if (!program || !name || !place)
        return lw__fail(LW_E_ARG, "the %s is NULL",
                        !program ? "program"
                        : !name  ? "variable's name"
                                 : "place for the result");
    *symbol = lw__symbol_find(program->root ? program->root : program, name);
    if (*symbol)
        return LW_OK;
    struct lw__text known = {0};
    struct lw__nearest nearest = {.typed = name, .length = strlen(name)};

    for (struct lw__symbol *s = atomic_load(&program->symbols); s; s = s->next) {
        lw__text_add(&known, "%s%s", known.length ? ", " : "its kernels use ", s->name);
        lw__nearest_try(&nearest, s->name);
    }
    lw__fail(LW_E_ARG, "no kernel of '%s' uses a variable '%s' of the device; %s%s", program->name,
             name, known.data ? known.data : "its kernels use none", lw__nearest_text(&nearest));
    lw__text_free(&known);
    return LW_E_ARG;
}

lw_status lw_program_symbol(lw_program *program, const char *name, lw_buffer **buffer)
{
    const struct lw__symbol *symbol;

    if (buffer)
        *buffer = NULL;
    LW_TRY(find_symbol(program, name, buffer, &symbol));
    *buffer = symbol->buffer;
    return LW_OK;
}

lw_status lw_program_symbol_param(lw_program *program, const char *name, lw_param *param)
{
    const struct lw__symbol *symbol;

    if (param)
        *param = (lw_param){0};
    LW_TRY(find_symbol(program, name, param, &symbol));
    *param = *symbol->param;
    return LW_OK;
}

lw_status lw_program_kernel(lw_program *program, const char *name, lw_kernel **kernel)
{
    if (!program || !name || !kernel)
        return lw__fail(LW_E_ARG, "the %s is NULL",
                        !program ? "program"
                        : !name  ? "kernel's name"
                                 : "place for the kernel");
    *kernel = NULL;
    if (lw__kernel_named(program, name, kernel))
        return LW_OK;
    const lw_status refused = lw__program_refused(program, name);
    if (refused)
        return refused;
    struct lw__text why = {0};
    if (program->more) {
        const lw_status status = lw__instance_find(program, name, kernel);
        if (status != LW_E_COMPILE && status != LW_E_ARG)
            return status;
        lw__text_add(&why, "; %.*s", (int)strcspn(lw_last_error(), "\n"), lw_last_error());
    }
    struct lw__nearest nearest = {.typed = name, .length = strlen(name)};
    struct lw__text known = {0};

    for (size_t i = 0; i < program->code.manifest.kernel_count; i++) {
        lw__text_add(&known, "%s%s", i ? ", " : "it has ", program->code.manifest.kernels[i].name);
        lw__nearest_try(&nearest, program->code.manifest.kernels[i].name);
    }
    lw__fail(LW_E_ARG, "there is no kernel '%s' in '%s'; %s%s%s", name, program->name,
             known.data ? known.data : "it has none", lw__nearest_text(&nearest),
             why.data ? why.data : "");
    lw__text_free(&known);
    lw__text_free(&why);
    return LW_E_ARG;
}

const char *lw_kernel_name(const lw_kernel *kernel)
{
    return kernel ? kernel->row->name : "";
}

const char *lw_kernel_signature(const lw_kernel *kernel)
{
    return kernel ? kernel->row->signature : "";
}

lw_dim3 lw_kernel_fixed_block(const lw_kernel *kernel)
{
    return kernel ? kernel->row->block : (lw_dim3){0, 0, 0};
}

size_t lw_kernel_param_count(const lw_kernel *kernel)
{
    return kernel ? kernel->row->param_count : 0;
}

lw_status lw_kernel_param(const lw_kernel *kernel, size_t index, lw_param *param)
{
    if (!kernel || !param)
        return lw__fail(LW_E_ARG, "the %s is NULL", kernel ? "place for the parameter" : "kernel");
    *param = (lw_param){0};
    if (index >= kernel->row->param_count)
        return lw__fail(LW_E_ARG, "%s: there is no parameter %zu; it has %zu, counted from 0",
                        kernel->row->name, index, kernel->row->param_count);
    *param = kernel->params[index];
    return LW_OK;
}
