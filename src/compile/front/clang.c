/* clang.c - from kernel text to clang's module: run clang, and keep its messages as data.
 *
 * clang parses and checks C. Its own passes stay off and the target is always x86-64. So all
 * devices share one module and one meaning. The declarations are printed, too, with constants
 * evaluated: array sizes of parameters are nowhere in the module. A clang that is another program
 * needs a second run for that, in parallel (-ast-print).
 */
#include "compile/front/front.h"
#include "compile/llvm/llvm.h"
#include "base/limits.h"
#include "base/manifest.h"
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <llvm-c/BitReader.h>
#include <llvm-c/IRReader.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

static bool has_header(const char *folder)
{
    char header[PATH_MAX + 32];
    snprintf(header, sizeof header, "%s/lanewise/kernel.h", folder);
    return !access(header, R_OK);
}

bool lw__beside_program(char path[LW_PATH_MAX], const char *name)
{
    char exe[PATH_MAX];
    ssize_t n = readlink("/proc/self/exe", exe, sizeof exe - 1);
    if (n <= 0)
        return false;
    exe[n] = 0;
    *strrchr(exe, '/') = 0;
    snprintf(path, PATH_MAX, "%.*s/%s", PATH_MAX - 32, exe, name);
    return true;
}

/* True if the folder at `below` this program's own has the headers; it is then in folder. */
static bool is_below_program(char folder[LW_PATH_MAX], const char *below)
{
    return lw__beside_program(folder, below) && has_header(folder);
}

/* The folder that holds lanewise/kernel.h: LANEWISE_INCLUDE, next to an installed program, or in
 * the source tree. Next to the program is a folder with these headers alone. PREFIX/include may
 * hold the C library's, which are not for kernels. */
bool lw__header_folder(char folder[LW_PATH_MAX])
{
    const char *chosen = getenv("LANEWISE_INCLUDE");
    if (chosen) {
        snprintf(folder, PATH_MAX, "%s", chosen);
        return (*folder && has_header(folder)) ||
               lw__defect("LANEWISE_INCLUDE is '%s'; need a folder that holds lanewise/kernel.h",
                          folder);
    }
    if (is_below_program(folder, "include") || is_below_program(folder, "../../include"))
        return true;
    snprintf(folder, PATH_MAX, "%s", LW_KERNEL_INCLUDE);
    return has_header(folder) || lw__defect("lanewise/kernel.h is not in %s", folder);
}

/* Text from a descriptor is passed to clang under its name for the user. */
static int named_source(struct lw__unit *unit)
{
    struct lw__text text = lw__text_in(&unit->scratch);
    lw__text_add(&text, "#line 1 \"");
    for (const char *c = unit->options->name; *c; c++)
        lw__text_add(&text, *c == '"' || *c == '\\' ? "\\%c" : "%c", *c == '\n' ? ' ' : *c);
    lw__text_add(&text, "\"\n");
    int file = lw__memory_file("lanewise-source");
    const bool is_read = lw__read_all(unit->options->source_fd, &text);
    lw__clang_add_instances(unit->options, &text);
    if (file < 0 || !is_read || write(file, text.data, text.length) != (ssize_t)text.length) {
        lw__defect("the source cannot be copied");
        close(file);
        file = -1;
    }
    return file;
}

struct clang {
    struct lw__process process;
    int in, status; /* status: when it has ended */
    bool running;
};

/* A run's descriptors: the source that it reads, and its 3 and 4, where it writes the list of files
 * it read and where the clang in this program prints declarations. Those of -1 it does not have. */
enum { SOURCE, DEPENDS, DECLARATIONS, KEEP };

static bool start_clang(struct lw__unit *unit, struct clang *clang, enum lw__clang_job job,
                        const int *keep, const struct lw__how *how)
{
    const struct lw__options *o = unit->options;
    struct lw__arena *scratch = &unit->scratch;
    char folder[PATH_MAX];
    if (!lw__header_folder(folder))
        return false;
    const char **argv = lw__clang_words(unit, job, how, folder);
    if (!o->path) { /* reopened, so that both clangs read from the start */
        clang->in = open(lw__format(scratch, "/proc/self/fd/%d", *keep), O_RDONLY | O_CLOEXEC);
        if (clang->in < 0)
            return lw__defect("the source cannot be read: %s", strerror(errno));
    }
    const size_t keep_count = (keep[DEPENDS] >= 0) + (keep[DECLARATIONS] >= 0);
    return clang->running =
               lw__clang_start(scratch, argv, clang->in, keep + 1, keep_count, &clang->process);
}

/* C++'s library is many files, and is the compiler's own as its version is. */
static bool is_of_system(const char *path)
{
    static const char *const folders[] = {"/usr/include/", "/usr/lib/", "/../lib/"};
    for (size_t i = 0; i < sizeof folders / sizeof *folders; i++)
        if (!strncmp(path, folders[i], strlen(folders[i])))
            return true;
    return false;
}

/* The Makefile rule that -MD writes: names have blanks, $ and # escaped. */
static void add_dependencies(struct lw__unit *unit, const char *rule)
{
    const char *c = strchr(rule, ':');
    struct lw__text name = lw__text_in(&unit->scratch);
    for (c = c ? c + 1 : ""; *c;) {
        if (c[0] == '\\' && c[1] == '\n') {
            c += 2;
        } else if (*c != ' ' && *c != '\n') {
            if ((*c == '\\' && (c[1] == ' ' || c[1] == '#' || c[1] == '\\')) ||
                (*c == '$' && c[1] == '$'))
                c++;
            lw__text_add_bytes(&name, c++, 1);
            if (*c && *c != ' ' && *c != '\n' && !(*c == '\\' && c[1] == '\n'))
                continue;
            if (!unit->options->is_cuda || !is_of_system(name.data))
                lw__dependency_add(unit, name.data);
            name.length = 0;
        } else {
            c++;
        }
    }
}

void lw__dependency_add(struct lw__unit *unit, const char *path)
{
    struct lw__text *manifest = &unit->manifest, content = lw__text_in(&unit->scratch);
    int fd = open(path, O_RDONLY | O_CLOEXEC);
    struct stat info;
    if (fd >= 0 && !fstat(fd, &info) && S_ISREG(info.st_mode) && lw__read_all(fd, &content)) {
        lw__text_add(manifest, "dep\t");
        lw__row_field(manifest, path, strlen(path));
        lw__text_add(manifest, "\t%016llx\n",
                     (unsigned long long)lw__hash(LW_HASH_START, content.data, content.length));
    }
    if (fd >= 0)
        close(fd);
}

/* clang ended without a message. A text that nests too deeply, grows too large or keeps clang busy
 * for ever is the kernels' error. A clang that was killed is not. */
static bool tell_end(struct lw__unit *unit, int status)
{
    const struct lw__loc nowhere = {0};
    const int end = status > 128 ? status - 128 : 0;
    if (end == SIGXCPU)
        lw__diags_error(&unit->diags, nowhere, "clang needs more than its limit, %s",
                        lw__limit_of(end));
    else if (end == SIGSEGV || end == SIGBUS || end == SIGILL || end == SIGABRT || end == SIGTRAP)
        lw__diags_error(&unit->diags, nowhere,
                        "clang crashed on this file: it may nest too deeply or be too large");
    else if (end)
        return lw__defect("clang-19 was ended by signal %d", end);
    else if (!unit->diags.errors)
        return lw__clang_asked(unit) &&
               lw__defect("clang-19 ended with exit status %d and gave no reason", status);
    return true;
}

/* clang's output as one C string: it copies NUL bytes of the source. */
static bool read_messages(int file, struct lw__text *text)
{
    if (!lw__read_all(file, text))
        return false;
    for (size_t i = 0; i < text->length; i++)
        if (!text->data[i])
            text->data[i] = ' ';
    return true;
}

static bool wait_clang(struct clang *clang)
{
    return !clang->running || lw__process_wait(&clang->process, &clang->status);
}

/* clang has ended: its messages become rows. */
static bool take_messages(struct lw__unit *unit, struct clang *clang, struct lw__text *text)
{
    text->length = 0;
    bool ok = read_messages(clang->process.err, text);
    if (ok && clang->status == 128 + SIGXCPU) /* which LLVM reports as a crash */
        unit->diags.crashed = ok = tell_end(unit, clang->status);
    if (ok && clang->status && text->length && lw__lacked_memory(text->data)) {
        /* clang has met its own limit, which is the kernels' error, or that of this process. */
        struct rlimit most;
        if (!getrlimit(RLIMIT_AS, &most) && most.rlim_cur < LW_COMPILE_MEMORY)
            lw__out_of_memory();
        lw__diags_error(&unit->diags, (struct lw__loc){0},
                        "clang needs more than its limit, %d GiB of "
                        "memory",
                        (int)(LW_COMPILE_MEMORY >> 30));
        unit->diags.crashed = true;
    }
    if (ok && text->length)
        lw__front_diag(&unit->diags, text->data);
    if (ok && clang->status && !unit->diags.crashed)
        ok = tell_end(unit, clang->status);
    return ok;
}

/* Read a module from bitcode or text; false: LLVM refuses it. */
static bool parse(struct lw__unit *unit, const struct lw__text *module, bool is_text)
{
    LLVMMemoryBufferRef buffer =
        LLVMCreateMemoryBufferWithMemoryRangeCopy(module->data, module->length, "kernel");
    char *why = NULL;
    if (is_text) /* takes the buffer */
        return !LLVMParseIRInContext(unit->context, buffer, &unit->module, &why) ||
               lw__defect("clang-19's module cannot be read: %s", why);
    const bool ok = !LLVMParseBitcodeInContext2(unit->context, buffer, &unit->module);
    LLVMDisposeMemoryBuffer(buffer);
    return ok;
}

static void close_clang(struct clang *clang)
{
    if (clang->in >= 0)
        close(clang->in);
    if (clang->process.out > 0)
        close(clang->process.out);
    if (clang->process.err > 0)
        close(clang->process.err);
}

/* LLVM has refused clang's module: half_conversions.c. */
static bool take_unmixed(struct lw__unit *unit, const int *keep, const struct lw__how *how)
{
    struct clang clang = {.in = -1};
    struct lw__text written = lw__text_in(&unit->scratch), module = written;
    lw__context_close(unit);
    lw__context_open(unit);
    bool ok = start_clang(unit, &clang, LW_CLANG_TEXT, keep, how) && wait_clang(&clang) &&
              lw__read_all(clang.process.out, &written);
    if (ok && (clang.status || !written.length))
        ok = lw__clang_asked(unit) && lw__defect("clang-19's bitcode cannot be read");
    if (ok)
        lw__front_unmix(written.data, &module);
    ok = ok && parse(unit, &module, true);
    close_clang(&clang);
    return ok;
}

/* A module only when it compiled. */
static bool take_module(struct lw__unit *unit, struct clang *clang, const int *keep,
                        const struct lw__how *how, struct lw__text *said)
{
    struct lw__text bitcode = lw__text_in(&unit->scratch);
    if (!take_messages(unit, clang, said))
        return false;
    if (clang->status)
        return true;
    /* A function that an asm label gives an intrinsic's name: LLVM ends the process if its types
     * are not the intrinsic's. */
    static const char label[] = "asm(\"llvm.";
    for (const char *at = unit->ast_print.data; (at = strstr(at, label)); at++) {
        const char *begin = at + strlen("asm(\"");
        const char *name = lw__copy_bytes(&unit->scratch, begin, strcspn(begin, "\""));
        lw__diags_error(&unit->diags, lw__front_find(&unit->diags, name),
                        "'%s' is a name of the compiler's: call a builtin", name);
    }
    if (unit->diags.errors)
        return true;
    if (!lw__read_all(clang->process.out, &bitcode) ||
        !(parse(unit, &bitcode, false) || take_unmixed(unit, keep, how)) ||
        !lw__clang_made(unit->module))
        return false;
    /* clang marks a static loader_uninitialized variable at file scope constant, though it is
     * written: shared memory would fold to undef. */
    EACH_GLOBAL(g, unit->module)
        if (lw__ir_in_section(g, "lw.shared"))
            LLVMSetGlobalConstant(g, 0);
    return true;
}

static bool has_said(const struct clang *clang)
{
    if (!clang->running)
        return false;
    struct stat info;
    return clang->status || fstat(clang->process.err, &info) || info.st_size > 0;
}

/* said: clang's messages. With a module of the header there are none: what clang then says, of the
 * module too, it says again of the text. */
static bool run_clangs(struct lw__unit *unit, int source, const struct lw__how *how,
                       struct lw__text *said)
{
    struct clang build = {.in = -1}, print = {.in = -1};
    const int keep[] = {source, lw__memory_file("lanewise-depends"),
                        lw__memory_file("lanewise-declarations")},
              alone[KEEP] = {source, -1, -1};
    const bool prints_alone = !lw__clang_is_inside() && !unit->options->is_cuda;
    unit->ast_print.length = 0;
    bool ok = keep[DEPENDS] >= 0 && keep[DECLARATIONS] >= 0 &&
              start_clang(unit, &build, LW_CLANG_BUILD, keep, how);
    ok = ok && (!prints_alone || start_clang(unit, &print, LW_CLANG_PRINT, alone, how));
    ok = wait_clang(&build) && ok;
    ok = wait_clang(&print) && ok;
    const bool again = ok && how->module && (has_said(&build) || has_said(&print));
    if (ok && !again) {
        /* Both clangs have ended. */
        struct lw__text rule = lw__text_in(&unit->scratch);
        ok =
            lw__read_all(prints_alone ? print.process.out : keep[DECLARATIONS], &unit->ast_print) &&
            take_module(unit, &build, keep, how, said);
        if (ok && unit->module && print.status) /* without it, sizes would be missing */
            ok = tell_end(unit, print.status);
        if (ok && lw__read_all(keep[DEPENDS], &rule) && rule.length)
            add_dependencies(unit, rule.data);
    }
    close_clang(&build);
    close_clang(&print);
    for (int i = DEPENDS; i < KEEP; i++)
        if (keep[i] >= 0)
            close(keep[i]);
    return again ? run_clangs(unit, source, &(struct lw__how){.own = how->own}, said) : ok;
}

/* After errors: if the file defines names of the header itself, the errors of a second run count;
 * else the first stand. */
static bool run_with_own_names(struct lw__unit *unit, int source, size_t start,
                               struct lw__text *said)
{
    struct lw__own own = {.names = lw__text_in(&unit->scratch)};
    struct lw__text rows = lw__text_in(&unit->scratch);
    const struct lw__diags diags = unit->diags;
    bool ok = lw__own_suspect(&unit->scratch, &own, said->data), done = !own.count;
    lw__text_add_bytes(&rows, unit->manifest.data, unit->manifest.length);
    for (int round = 0; round < 2 && ok && own.count && !done; round++) {
        unit->manifest.length = start;
        unit->diags.errors = 0;
        ok = run_clangs(unit, source, &(struct lw__how){.own = &own}, said);
        done = ok && !lw__own_acquit(&own, said->data);
    }
    if (!done) {
        unit->diags = diags;
        unit->manifest.length = 0;
        lw__text_add_bytes(&unit->manifest, rows.data, rows.length);
    }
    return ok;
}

/* True if an error is of no line: it may be another compiler that does not take our flags. */
static bool is_strange(const struct lw__unit *unit)
{
    const char *rows = unit->manifest.data ? unit->manifest.data : "";
    return unit->diags.errors && !unit->diags.crashed && strstr(rows, "\t0\t0\t");
}

/* lw__pass_front - clang on the kernels' text.
 * makes RAW, or diag rows with errors
 */
bool lw__pass_front(struct lw__unit *unit)
{
    const struct lw__own none = {0};
    struct lw__how how = {.own = &none};
    struct lw__text said = lw__text_in(&unit->scratch);
    char module[LW_PATH_MAX];
    const size_t start = unit->manifest.length;
    int source = unit->options->path ? -1 : named_source(unit);
    bool ok = unit->options->path || source >= 0;
    if (ok)
        lw__front_regular(unit);
    if (unit->diags.errors) {
        if (source >= 0)
            close(source);
        return ok;
    }
    if (ok && lw__header_module(unit, source, module))
        how.module = module;
    ok = ok && run_clangs(unit, source, &how, &said);
    if (ok && is_strange(unit))
        ok = lw__clang_asked(unit);
    if (ok && unit->diags.errors && !unit->diags.crashed && said.length && !unit->options->is_cuda)
        ok = run_with_own_names(unit, source, start, &said);
    if (source >= 0)
        close(source);
    return ok && (!unit->options->is_cuda || unit->diags.errors || lw__cuda_module(unit));
}

bool lw__clang_make_header(struct lw__unit *unit, const char *folder, struct lw__text *module,
                           struct lw__text *rule)
{
    const struct lw__own none = {0};
    const char *header = lw__format(&unit->scratch, "%s/lanewise/%s", folder,
                                    unit->options->is_cuda ? "cuda/" LW_CUDA_HEADER : "kernel.h");
    struct clang clang = {.in = -1};
    const int keep[] = {-1, lw__memory_file("lanewise-depends"), -1};
    struct lw__options options = *unit->options;
    options.path = header;
    struct lw__unit of;
    lw__unit_begin(&of, &options);
    struct lw__text said = lw__text_in(&unit->scratch);
    bool ok = lw__target_choose(&of) && keep[DEPENDS] >= 0 &&
              start_clang(&of, &clang, LW_CLANG_HEADER, keep,
                          &(struct lw__how){.own = &none, .is_header = true});
    ok = ok && wait_clang(&clang) && read_messages(clang.process.err, &said);
    if (ok && (clang.status || said.length))
        ok = lw__defect("clang-19 on %s: %s", header, said.length ? said.data : "no message");
    ok = ok && lw__read_all(clang.process.out, module) && lw__read_all(keep[DEPENDS], rule);
    close_clang(&clang);
    lw__arena_free(&of.scratch);
    if (keep[DEPENDS] >= 0)
        close(keep[DEPENDS]);
    return ok;
}

bool lw__pass_signature(struct lw__unit *unit)
{
    lw__diags_module(&unit->diags, unit->module);
    lw__front_signature(&unit->arena, unit->module, unit->ast_print.data, &unit->diags,
                        &unit->kernels);
    return true;
}

bool lw__pass_refuse(struct lw__unit *unit)
{
    if (unit->options->is_cuda) {
        lw__front_refuse_kernels(&unit->scratch, unit->module, &unit->diags, &unit->kernels);
        if (!lw__llvm_passes(unit, LW_PASSES_drop_unused))
            return false;
    } else {
        lw__front_refuse(&unit->scratch, unit->module, &unit->diags);
    }
    if (!lw__has(unit, LW_IS_RECORDED))
        lw__front_drop_traces(unit->module);
    return true;
}

bool lw__pass_sizes(struct lw__unit *unit)
{
    lw__front_sizes(&unit->scratch, unit->module, &unit->kernels, &unit->diags);
    return true;
}
