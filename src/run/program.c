/* program.c - from a kernel file to kernels that can be launched.
 *
 *     source -> key -> cache, or the compiler and then the cache -> manifest -> code on the device
 *
 * A program is fixed once it is built, so that all threads read it freely.
 */
#include "run/run.h"
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

/* One build under way. */
struct build {
    lw_program *program;
    struct lw__compile compile;
    struct lw__cache cache;
    uint64_t key;
    struct lw__bytes file;   /* the source, where it is a file */
    struct lw__bytes result; /* manifest and payload */
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

/* A pipe can be read once only, and /dev/stdin is another file in the compiler: those get there as
 * text, not as a path. */
static bool is_plain_file(const char *path)
{
    struct stat s;

    return strncmp(path, "/dev/", 5) && strncmp(path, "/proc/", 6) && stat(path, &s) == 0 &&
           S_ISREG(s.st_mode);
}

static lw_status read_source(struct build *b, const char *path)
{
    LW_TRY(lw__read_file(path, &b->file));
    b->compile.source = b->file.bytes;
    b->compile.source_bytes = b->file.length;
    if (!is_plain_file(path))
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

static lw_status prepare(struct build *b, lw_device *device, const char *path,
                         const lw_build_options *options)
{
    LW_TRY(check_list("defines", options->defines, options->define_count));
    LW_TRY(check_list("include_dirs", options->include_dirs, options->include_dir_count));
    b->compile.options = options;
    b->compile.target = device->ops->target;
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
    LW_TRY(lw__compiler_find(&b->compiler));
    b->compile.compiler = b->compiler;
    return LW_OK;
}

/* ---- compiling ---- */

static void tell_diagnostics(const struct build *b)
{
    const lw_build_options *o = b->compile.options;
    const struct lw__manifest *m = &b->program->manifest;

    for (size_t i = 0; o->on_diagnostic && i < m->diag_count; i++)
        o->on_diagnostic(&m->diags[i], o->user);
}

/* The first error; the caller has heard of them all. */
static lw_status refused(const struct build *b)
{
    const struct lw__manifest *m = &b->program->manifest;

    for (size_t i = 0; i < m->diag_count; i++) {
        const lw_diagnostic *d = &m->diags[i];

        if (strcmp(d->severity, "error"))
            continue;
        if (d->file[0] && d->line)
            return lw__fail(LW_E_COMPILE, "%s:%d:%d: %s", d->file, d->line, d->column, d->text);
        return lw__fail(LW_E_COMPILE, "%s: %s", b->compile.name, d->text);
    }
    return lw__fail(LW_E_INTERNAL, "lanewise-compile refused '%s' and gave no reason",
                    b->compile.name);
}

static bool has_error(const struct lw__manifest *m)
{
    for (size_t i = 0; i < m->diag_count; i++)
        if (!strcmp(m->diags[i].severity, "error"))
            return true;
    return false;
}

static lw_status compile(struct build *b)
{
    struct lw__manifest *m = &b->program->manifest;
    bool clean = true, found;

    lw__cache_open(&b->cache);
    b->key = lw__cache_key(&b->compile);
    found = lw__cache_find(&b->cache, b->key, &b->result);
    if (!found)
        LW_TRY(lw__compiler_run(&b->compile, &b->result, &clean));
    LW_TRY(lw__manifest_read(b->result.bytes, b->result.length, m));
    tell_diagnostics(b);
    if (!clean || has_error(m))
        return refused(b);
    if (!found)
        lw__cache_store(&b->cache, b->key, &b->result, m->text_bytes);
    return LW_OK;
}

/* ---- loading ---- */

/* A name for dlopen that needs no disk. The file stays open as long as the code is loaded: dlopen
 * takes a name it has seen for the same library, and the number must not go to another. */
static lw_status load_from_memory(lw_program *p, const void *payload, size_t bytes)
{
    char path[64];

    p->payload_file = memfd_create("lanewise-kernels", MFD_CLOEXEC);
    if (p->payload_file < 0 || !lw__write_all(p->payload_file, payload, bytes))
        return lw__fail(LW_E_IO, "the code of '%s' cannot be put into a memory file: %s", p->name,
                        strerror(errno));
    snprintf(path, sizeof path, "/proc/self/fd/%d", p->payload_file);
    return p->device->ops->load(p->device->state, path, payload, bytes, &p->code);
}

static lw_status load(struct build *b)
{
    lw_program *p = b->program;
    const char *payload = b->result.bytes + p->manifest.text_bytes;
    size_t bytes = p->manifest.payload_bytes;
    char *path;
    lw_status status = LW_E_IO;

    if (!p->device->ops->load)
        return LW_OK;
    path = lw__cache_payload_path(&b->cache, b->key, payload, bytes);
    if (path)
        status = p->device->ops->load(p->device->state, path, payload, bytes, &p->code);
    free(path);
    return status ? load_from_memory(p, payload, bytes) : LW_OK;
}

/* ---- kernels ---- */

static lw_status fill_param(const lw_program *p, size_t index)
{
    const struct lw__manifest_param *row = &p->manifest.params[index];
    lw_param *param = &p->params[index];
    size_t bytes;

    *param = (lw_param){.name = row->name,
                        .type = row->type,
                        .bytes = row->size,
                        .dims = row->dims,
                        .layout = row->layout};
    if (!lw__layout_read(row->layout, param, &bytes) || bytes != row->size)
        return lw__fail(LW_E_INTERNAL,
                        "the compiler's manifest is damaged: parameter '%s' of %zu "
                        "bytes has layout '%s'",
                        row->name, row->size, row->layout);
    return LW_OK;
}

static lw_status fill_kernel(lw_program *p, size_t index)
{
    const struct lw__device_ops *ops = p->device->ops;
    lw_kernel *k = &p->kernels[index];
    void *sizes = NULL;

    k->program = p;
    k->row = &p->manifest.kernels[index];
    k->param_rows = p->manifest.params + k->row->first_param;
    k->params = p->params + k->row->first_param;
    for (size_t i = 0; i < k->row->param_count; i++)
        k->size_count += (size_t)k->params[i].dims;
    if (!ops->load)
        return LW_OK;
    LW_TRY(ops->find(p->code, k->row->name, &k->entry));
    if (k->size_count)
        LW_TRY(ops->sizes(p->code, k->row->name, &sizes));
    memcpy(&k->sizes, &sizes, sizeof k->sizes); /* POSIX: a function fits a void * */
    return LW_OK;
}

static lw_status fill(lw_program *p)
{
    const struct lw__manifest *m = &p->manifest;

    p->params = calloc(m->param_count + 1, sizeof *p->params);
    p->kernels = calloc(m->kernel_count + 1, sizeof *p->kernels);
    p->sites = calloc(m->site_count + 1, sizeof *p->sites);
    if (!p->params || !p->kernels || !p->sites)
        return lw__fail(LW_E_MEMORY, "out of memory: the kernels of '%s'", p->name);
    for (size_t i = 0; i < m->param_count; i++)
        LW_TRY(fill_param(p, i));
    for (size_t i = 0; i < m->kernel_count; i++)
        LW_TRY(fill_kernel(p, i));
    for (size_t i = 0; i < m->site_count; i++)
        p->sites[i] = (struct lw__site){m->sites[i].file, m->sites[i].line, m->sites[i].column,
                                        m->sites[i].what};
    return LW_OK;
}

/* ---- the whole ---- */

static lw_status build(struct build *b, lw_device *device, const char *path,
                       const lw_build_options *options)
{
    LW_TRY(prepare(b, device, path, options));
    LW_TRY(compile(b));
    LW_TRY(load(b));
    return fill(b->program);
}

lw_status lw_program_build(lw_device *device, const char *path, const lw_build_options *options,
                           lw_program **program)
{
    static const lw_build_options defaults;
    struct build b = {0};
    lw_status status;

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
    b.program->payload_file = -1;
    b.program->device = device;
    lw__device_hold(device);
    status = build(&b, device, path, options ? options : &defaults);
    lw__cache_close(&b.cache);
    free(b.file.bytes);
    free(b.result.bytes);
    free(b.compiler);
    free(b.path);
    if (status)
        lw_program_destroy(b.program);
    else
        *program = b.program;
    return status;
}

void lw__program_hold(lw_program *program)
{
    atomic_fetch_add_explicit(&program->holds, 1, memory_order_relaxed);
}

void lw_program_destroy(lw_program *program)
{
    if (!program || atomic_fetch_sub(&program->holds, 1) != 1)
        return;
    if (program->code)
        program->device->ops->unload(program->device->state, program->code);
    if (program->payload_file >= 0)
        close(program->payload_file);
    lw__manifest_free(&program->manifest);
    free(program->params);
    free(program->kernels);
    free(program->sites);
    free(program->name);
    lw_device_close(program->device);
    free(program);
}

/* ---- questions ---- */

size_t lw_program_kernel_count(const lw_program *program)
{
    return program ? program->manifest.kernel_count : 0;
}

lw_status lw_program_kernel_at(lw_program *program, size_t index, lw_kernel **kernel)
{
    if (!program || !kernel)
        return lw__fail(LW_E_ARG, "the %s is NULL", program ? "place for the kernel" : "program");
    *kernel = NULL;
    if (index >= program->manifest.kernel_count)
        return lw__fail(LW_E_ARG, "there is no kernel %zu; '%s' has %zu, counted from 0", index,
                        program->name, program->manifest.kernel_count);
    *kernel = &program->kernels[index];
    return LW_OK;
}

static lw_status no_such_kernel(const lw_program *p, const char *name)
{
    struct lw__text known = {0};

    for (size_t i = 0; i < p->manifest.kernel_count; i++)
        lw__text_add(&known, "%s%s", i ? ", " : "it has ", p->manifest.kernels[i].name);
    lw__fail(LW_E_ARG, "there is no kernel '%s' in '%s'; %s", name, p->name,
             known.data ? known.data : "it has none");
    lw__text_free(&known);
    return LW_E_ARG;
}

lw_status lw_program_kernel(lw_program *program, const char *name, lw_kernel **kernel)
{
    if (!program || !name || !kernel)
        return lw__fail(LW_E_ARG, "the %s is NULL",
                        !program ? "program"
                        : !name  ? "kernel's name"
                                 : "place for the kernel");
    *kernel = NULL;
    for (size_t i = 0; i < program->manifest.kernel_count; i++)
        if (!strcmp(program->manifest.kernels[i].name, name)) {
            *kernel = &program->kernels[i];
            return LW_OK;
        }
    return no_such_kernel(program, name);
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
