/* code.c - code on a device: what lanewise-compile makes of one request, found or made, loaded.
 *
 *     request -> key -> cache, or the compiler and then the cache -> manifest -> payload loaded
 *
 * A request is a whole kernel file (program/program.c) or one kernel for one size of block
 * (program/specialize.c).
 */
#include "run/build/build.h"
#include <assert.h>
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

/* One request under way. */
struct build {
    const struct lw__device_ops *ops; /* of the device, */
    void *state;                      /* and its own */
    const struct lw__compile *compile;
    struct lw__cache cache;
    uint64_t key;
    struct lw__bytes result; /* manifest and payload */
    struct lw__code *code;
};

/* ---- compiling ---- */

/* The first error; the caller has got all of them. If a launch compiles, the message is one line.
 * */
static lw_status refused(const struct build *b)
{
    const struct lw__manifest *m = &b->code->manifest;

    for (size_t i = 0; i < m->diag_count; i++) {
        const lw_diagnostic *d = &m->diags[i];

        if (strcmp(d->severity, "error"))
            continue;
        if (d->file[0] && d->line && d->picture[0] && !b->compile->kernel)
            return lw_fail_lines(LW_E_COMPILE, d->picture, "%s:%d:%d: %s", d->file, d->line,
                                 d->column, d->text);
        if (d->file[0] && d->line)
            return lw__fail(LW_E_COMPILE, "%s:%d:%d: %s", d->file, d->line, d->column, d->text);
        return lw__fail(LW_E_COMPILE, "%s: %s", b->compile->name, d->text);
    }
    return lw__fail(LW_E_INTERNAL, "lanewise-compile refused '%s' and gave no reason",
                    b->compile->name);
}

static bool has_error(const struct lw__manifest *m)
{
    for (size_t i = 0; i < m->diag_count; i++)
        if (!strcmp(m->diags[i].severity, "error"))
            return true;
    return false;
}

/* If the compiler takes too long, it builds the code in another way, if the device has one. LLVM
 * may take quadratic time in a function's size, or not terminate. */
static lw_status run_compiler(struct build *b, bool *clean)
{
    const struct lw__device_ops *ops = b->ops;
    struct lw__compile spare = *b->compile;
    struct lw__bytes *first = b->compile->wants_first ? &b->code->first : NULL;
    lw_status status = lw__compiler_run(b->compile, &b->result, first, clean);

    if (status && first) /* its fault, perhaps: the launch will say so */
        status = lw__compiler_run(b->compile, &b->result, NULL, clean);
    if (status != LW_E_COMPILE || !ops->spare_target_of)
        return status;
    spare.target = ops->spare_target_of(b->state);
    return spare.target ? lw__compiler_run(&spare, &b->result, NULL, clean) : status;
}

static lw_status compile(struct build *b)
{
    const lw_build_options *o = b->compile->options;
    struct lw__manifest *m = &b->code->manifest;
    bool clean = true, found = false;

    LW_TRY(lw__environment_include());
    LW_TRY(lw__cache_open(&b->cache));
    b->key = lw__cache_key(b->compile);
    if (b->compile->made) {
        b->result = *b->compile->made;
        *b->compile->made = (struct lw__bytes){0};
    } else {
        LW_TRY(lw__cache_find(&b->cache, b->key, &b->result));
        found = b->result.bytes;
        LW_TRY(found ? LW_OK : run_compiler(b, &clean));
    }
    LW_TRY(lw__manifest_read(b->result.bytes, b->result.length, m));
    for (size_t i = 0; o->on_diagnostic && i < m->diag_count; i++)
        o->on_diagnostic(&m->diags[i], o->user);
    if (!clean || has_error(m))
        return refused(b);
    if (!found)
        lw__cache_store(&b->cache, b->key, &b->result, m->text_bytes);
    return LW_OK;
}

/* ---- loading ---- */

/* A file in memory, also of what the cache had: these are the bytes that were judged, and nobody
 * takes them away. It stays open as long as the code is loaded: dlopen takes a name it has seen for
 * the same library, and the number must not go to another. */
lw_status lw__code_load(const struct lw__device_ops *ops, void *state, const void *payload,
                        size_t bytes, struct lw__code *c)
{
    char path[64];

    assert(!c->loaded && c->payload_file < 0);
    c->payload_file = memfd_create("lanewise-kernels", MFD_CLOEXEC);
    if (c->payload_file < 0 || !lw__write_all(c->payload_file, payload, bytes))
        return lw__fail_system(errno, "a memory file for the compiled kernels");
    struct stat own;
    /* The file's name for this process and for others, as far as they may look: a debugger that
     * opened /proc/self/fd/N would open a file of its own. /proc may show other numbers than this
     * process knows its own by. */
    snprintf(path, sizeof path, "/proc/%ld/fd/%d", (long)getpid(), c->payload_file);
    struct stat by_name;
    if (stat(path, &by_name) || fstat(c->payload_file, &own) || by_name.st_ino != own.st_ino ||
        by_name.st_dev != own.st_dev)
        snprintf(path, sizeof path, "/proc/self/fd/%d", c->payload_file);
    return ops->load(state, path, payload, bytes, &c->loaded);
}

static lw_status load(struct build *b)
{
    struct lw__code *c = b->code;
    const char *payload = b->result.bytes + c->manifest.text_bytes;
    size_t bytes = c->manifest.payload_bytes;

    assert(c->manifest.text_bytes + bytes == b->result.length);
    lw__cache_close(&b->cache); /* its descriptor may be the one that the loader lacks */
    if (!b->ops->load)
        return LW_OK;
    if (b->ops->traps_faults)
        lw__lines_take(&c->lines, payload, bytes);
    return lw__code_load(b->ops, b->state, payload, bytes, c);
}

lw_status lw__code_read_sites(struct lw__code *c, const char *name)
{
    const struct lw__manifest *m = &c->manifest;

    c->sites = calloc(m->site_count + 1, sizeof *c->sites);
    if (!c->sites)
        return lw__fail(LW_E_MEMORY, "out of memory: the source lines of '%s'", name);
    for (size_t i = 0; i < m->site_count; i++)
        c->sites[i] = (struct lw__site){m->sites[i].file, m->sites[i].line, m->sites[i].column,
                                        m->sites[i].what};
    return LW_OK;
}

/* dlopen does not always leave errno as it was when it failed. */
static bool has_descriptor(void)
{
    const int error = errno, file = open("/dev/null", O_RDONLY | O_CLOEXEC);
    const bool has = file >= 0 || errno != EMFILE;

    if (file >= 0)
        close(file);
    errno = error;
    return has;
}

lw_status lw__code_open(const char *path, void **object)
{
    errno = 0;
    *object = dlopen(path, RTLD_NOW | RTLD_LOCAL);
    if (*object)
        return LW_OK;
    if (errno != ENOMEM && !has_descriptor())
        errno = EMFILE;
    if (errno == ENOMEM || errno == EMFILE) /* dlerror() may blame the file */
        return lw__fail_system(errno, "the compiled kernels cannot be loaded");
    const char *why = dlerror();
    return lw__fail(LW_E_IO, "the compiled kernels cannot be loaded: %s", why ? why : path);
}

lw_status lw__code_bitcode(void *object, const char *name, const void **bitcode, size_t *bytes)
{
    char length_name[32];

    snprintf(length_name, sizeof length_name, "%s.bytes", name);
    void *data;
    LW_TRY(lw__code_symbol(object, "lw", name, &data));
    void *length;
    LW_TRY(lw__code_symbol(object, "lw", length_name, &length));
    uint64_t count;
    memcpy(&count, length, sizeof count);
    *bitcode = data;
    *bytes = count;
    return LW_OK;
}

bool lw__code_look(void *object, const char *prefix, const char *name, void **address)
{
    struct lw__text symbol = {0};

    lw__text_add(&symbol, "%s.%s", prefix, name);
    bool failed = symbol.failed;
    *address = failed ? NULL : dlsym(object, symbol.data);
    lw__text_free(&symbol);
    return !failed;
}

lw_status lw__code_symbol(void *object, const char *prefix, const char *name, void **address)
{
    if (!lw__code_look(object, prefix, name, address))
        return lw__fail(LW_E_MEMORY, "no memory to find %s.%s", prefix, name);
    if (!*address)
        return lw__fail(LW_E_INTERNAL, "the compiled kernels lack %s.%s", prefix, name);
    return LW_OK;
}

/* ---- the whole ---- */

lw_status lw__code_build(const struct lw__device_ops *ops, void *state,
                         const struct lw__compile *request, struct lw__code *code)
{
    struct build b = {
        .ops = ops, .state = state, .compile = request, .cache.folder = -1, .code = code};
    char before[LW_MESSAGE_MAX + 1];
    lw_status status;

    lw__error_keep(before); /* what the cache lacks, and a first try of the compiler, are no news */
    *code = (struct lw__code){.payload_file = -1};
    status = compile(&b);
    if (!status)
        status = load(&b);
    if (!status)
        status = lw__code_read_sites(code, request->name);
    lw__cache_close(&b.cache);
    free(b.result.bytes);
    if (!status)
        lw__error_restore(before);
    return status;
}

void lw__code_free(const struct lw__device_ops *ops, void *state, struct lw__code *code)
{
    if (code->loaded)
        ops->unload(state, code->loaded);
    if (code->payload_file >= 0)
        close(code->payload_file);
    lw__manifest_free(&code->manifest);
    lw__lines_free(&code->lines);
    free(code->sites);
    free(code->first.bytes);
    *code = (struct lw__code){.payload_file = -1};
}
