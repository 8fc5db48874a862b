/* compiler.c - runs lanewise-compile as a child process; base/manifest.h has their protocol.
 *
 * The child may crash, be killed or write rubbish: each becomes a message, and the host goes on.
 * The child's descriptors are
 *     /dev/null      its input
 *     memory files   one for what it prints, which the message quotes; one for its result, and one
 *                    for that of the first launch; one with the source
 *     a socket       where its copy serves that stays (server.c)
 * Every other descriptor of the host is closed in it.
 */
#include "base/child.h"
#include "base/limits.h"
#include "run/build/build.h"
#include <assert.h>
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

/* Descriptors in the child. */
enum { CHILD_OUT = 3, CHILD_SOURCE, CHILD_FIRST, CHILD_SERVE, CHILD_END };
enum { EXIT_BUILT = 0, EXIT_REFUSED = 1 };

/* ---- where it is ---- */

/* A plain file that may be run; else false, with errno saying why. */
static bool is_program(const char *path)
{
    struct stat s;

    if (stat(path, &s))
        return false;
    errno = EACCES;
    return S_ISREG(s.st_mode) && access(path, X_OK) == 0;
}

/* *path is set if it is a program. */
static lw_status try_path(char **path, const char *folder, int folder_length, const char *below)
{
    struct lw__text text = {0};
    lw_status status = LW_OK;

    lw__text_add(&text, "%.*s%s", folder_length, folder, below);
    if (text.failed)
        status = lw__fail(LW_E_MEMORY, "out of memory: the compiler's path");
    else if (is_program(text.data)) {
        *path = text.data;
        return LW_OK;
    }
    lw__text_free(&text);
    return status;
}

/* Places relative to the folder of the library: build/src/run and build in the build tree,
 * PREFIX/lib and PREFIX/lib/<triple> when installed. */
static lw_status try_beside_library(char **path)
{
    static const char *const below[] = {
        "/../compile/lanewise-compile",
        "/src/compile/lanewise-compile",
        "/../libexec/lanewise/lanewise-compile",
        "/../../libexec/lanewise/lanewise-compile",
    };
    static const char anchor;
    Dl_info info;
    const char *slash;

    if (!dladdr(&anchor, &info) || !info.dli_fname || !(slash = strrchr(info.dli_fname, '/')))
        return LW_OK;
    for (size_t i = 0; i < sizeof below / sizeof below[0] && !*path; i++)
        LW_TRY(try_path(path, info.dli_fname, (int)(slash - info.dli_fname), below[i]));
    return LW_OK;
}

lw_status lw__compiler_find(char **path)
{
    const char *named = secure_getenv("LANEWISE_COMPILE");

    *path = NULL;
    if (named) {
        if (!is_program(named))
            return lw__fail(LW_E_INTERNAL,
                            "LANEWISE_COMPILE names '%s', which cannot be run: %s; need the path "
                            "of lanewise-compile",
                            named, strerror(errno));
        *path = lw__copy_string(named);
        return *path ? LW_OK : lw__fail(LW_E_MEMORY, "out of memory: the compiler's path");
    }
    LW_TRY(try_beside_library(path));
    if (!*path)
        LW_TRY(try_path(path, LW_LIBEXECDIR, INT_MAX, "/lanewise-compile"));
    if (*path)
        return LW_OK;
    return lw__fail(LW_E_INTERNAL,
                    "lanewise-compile is neither beside the library nor in %s; "
                    "install it or set LANEWISE_COMPILE",
                    LW_LIBEXECDIR);
}

/* ---- its command line ---- */

/* "X,Y,Z", of three 32-bit numbers; "sm_NN". */
struct block_text {
    char text[40], arch[16];
};

/* The kernel, where one is named, and the block. */
static size_t add_block(const char **word, const char *kernel, lw_dim3 dims,
                        struct block_text *block)
{
    size_t n = 0;

    snprintf(block->text, sizeof block->text, "%u,%u,%u", dims.x, dims.y, dims.z);
    if (kernel) {
        word[n++] = "--kernel";
        word[n++] = kernel;
    }
    word[n++] = "--block";
    word[n++] = block->text;
    return n;
}

/* The words belong to compile, its options and block; only the list is ours. serves: it leaves a
 * server behind. */
static char **command_line(const struct lw__compile *c, bool with_first, bool serves,
                           struct block_text *block)
{
    static const char *const out_text = "3", *const source_text = "4", *const first_text = "5",
                             *const serve_text = "6";
    const lw_build_options *o = c->options;
    char *const arch = block->arch;
    const size_t room = 28 + 2 * o->define_count + 2 * o->include_dir_count;
    const char **word = calloc(room, sizeof *word);
    size_t n = 0;

    _Static_assert(CHILD_OUT == 3 && CHILD_SOURCE == 4 && CHILD_FIRST == 5 && CHILD_SERVE == 6,
                   "the texts above");
    if (!word)
        return NULL;
    word[n++] = "lanewise-compile";
    if (serves) {
        word[n++] = "--serve";
        word[n++] = serve_text;
    }
    word[n++] = "--device";
    word[n++] = c->target;
    word[n++] = "--name";
    word[n++] = c->name;
    word[n++] = "--out";
    word[n++] = out_text;
    if (!c->path) {
        word[n++] = c->kernel ? "--common" : "--source";
        word[n++] = source_text;
    }
    if (c->kernel)
        n += add_block(word + n, c->kernel, c->block, block);
    if (with_first) {
        word[n++] = "--first";
        word[n++] = first_text;
        n += add_block(word + n, o->first_kernel, o->first_block, block);
    }
    if (c->bounds) {
        word[n++] = "--bounds";
        word[n++] = "yes";
    }
    if (o->debug) {
        word[n++] = "--optimise";
        word[n++] = "no";
    }
    if (!c->kernel && (o->cuda || o->cuda_arch)) {
        snprintf(arch, sizeof block->arch, "sm_%d", o->cuda_arch ? o->cuda_arch : LW_CUDA_ARCH);
        word[n++] = "--cuda";
        word[n++] = arch;
    }
    if (!c->kernel && o->instantiate) {
        word[n++] = "--instantiate";
        word[n++] = o->instantiate;
    }
    for (size_t i = 0; i < o->define_count; i++) {
        word[n++] = "-D";
        word[n++] = o->defines[i];
    }
    for (size_t i = 0; i < o->include_dir_count; i++) {
        word[n++] = "-I";
        word[n++] = o->include_dirs[i];
    }
    if (c->path)
        word[n++] = c->path;
    assert(n < room);     /* a NULL is the last */
    return (char **)word; /* posix_spawn does not write to them */
}

/* ---- its descriptors ---- */

static void close_file(int file)
{
    if (file >= 0)
        close(file);
}

/* The files that one child works with; first and source may be -1. */
struct child {
    int out, first, source, printed;
};

/* ---- its end ---- */

/* A host that ignores SIGCHLD, or reaps every child itself, takes the exit status away (ECHILD).
 * The manifest then decides alone: it is whole only if the child got to its end. */
static bool wait_for(pid_t pid, int *wait_status)
{
    pid_t got;

    do
        got = waitpid(pid, wait_status, 0);
    while (got < 0 && errno == EINTR);
    return got == pid;
}

/* What the child printed, as it goes into a message: why it ended, its first line, and where it
 * was, the line that begins as below (src/compile/llvm/crash_context.c). */
struct said {
    struct lw__bytes bytes;
    const char *why, *where;
    int why_length, where_length;
};

static void read_said(int printed, struct said *said)
{
    static const char mark[] = "lanewise-compile: in pass ";

    *said = (struct said){0};
    if (lw__read_descriptor(printed, "its output", &said->bytes) != LW_OK)
        return;
    for (const char *line = said->bytes.bytes; *line;
         line += strcspn(line, "\n"), line += *line == '\n') {
        int length = (int)strcspn(line, "\n");

        if (!strncmp(line, mark, sizeof mark - 1)) {
            said->where = line + strlen("lanewise-compile: ");
            said->where_length = length - (int)strlen("lanewise-compile: ");
        } else if (!said->why && length) {
            said->why = line;
            said->why_length = length;
        }
    }
}

/* The child reached a limit: no fault of its own. */
static lw_status report_limit(const struct lw__compile *compile, const struct said *said,
                              lw_status status, const char *than, const char *limit)
{
    return lw__fail(status, "%s: compiling it takes more %s%s%s%.*s", compile->name, than, limit,
                    said->where ? ", " : "", said->where_length, said->where ? said->where : "");
}

/* How the child ended, when not well, and what it said of that. */
static lw_status report(const struct lw__compile *compile, int printed, int wait_status)
{
    const char *limit = WIFSIGNALED(wait_status) ? lw__limit_of(WTERMSIG(wait_status)) : NULL;
    char how[64];

    if (WIFSIGNALED(wait_status)) {
        const char *name = sigabbrev_np(WTERMSIG(wait_status));

        snprintf(how, sizeof how, "was ended by signal SIG%s (%d)", name ? name : "?",
                 WTERMSIG(wait_status));
    } else {
        snprintf(how, sizeof how, "ended with exit status %d", WEXITSTATUS(wait_status));
    }
    struct said said;
    read_said(printed, &said);
    lw_status status;
    if (limit) {
        status = report_limit(compile, &said, LW_E_COMPILE, "than its limit, ", limit);
    } else if (lw__compiler_lacked_memory(wait_status, said.bytes.bytes)) {
        char may[64] = "";

        struct rlimit most;
        if (!getrlimit(RLIMIT_AS, &most) && most.rlim_cur != RLIM_INFINITY)
            snprintf(may, sizeof may, "; a process may have %llu MiB (ulimit -v)",
                     (unsigned long long)most.rlim_cur >> 20);
        status = report_limit(compile, &said, LW_E_MEMORY, "memory than there is", may);
    } else {
        status =
            lw__fail(LW_E_INTERNAL, "lanewise-compile %s on '%s'%s%.*s%s%.*s", how, compile->name,
                     said.where ? ", " : "", said.where_length, said.where ? said.where : "",
                     said.why ? ": " : "", said.why_length, said.why ? said.why : "");
    }
    free(said.bytes.bytes);
    return status;
}

/* A shortage of the system's resources is no fault of the compiler. */
static lw_status fail_start(const struct lw__compile *compile, int error)
{
    struct lw__text what = {0};

    if (error != ENOMEM && error != EMFILE && error != ENFILE && error != EAGAIN)
        return lw__fail(LW_E_INTERNAL, "'%s' cannot be started: %s", compile->compiler,
                        strerror(error));
    lw__text_add(&what, "'%s' cannot be started", compile->compiler);
    lw_status status =
        lw__fail_system(error, what.failed ? "lanewise-compile cannot be started" : what.data);
    lw__text_free(&what);
    return status;
}

static void close_files(const struct child *child)
{
    close_file(child->out);
    close_file(child->first);
    close_file(child->printed);
    close_file(child->source);
}

static lw_status make_files(const struct lw__compile *compile, bool with_first, struct child *child)
{
    *child = (struct child){-1, -1, -1, -1};
    child->out = lw__memory_file("lanewise-result", NULL, 0);
    child->printed = lw__memory_file("lanewise-printed", NULL, 0);
    if (with_first)
        child->first = lw__memory_file("lanewise-first", NULL, 0);
    if (!compile->path)
        child->source = lw__memory_file("lanewise-source", compile->source, compile->source_bytes);
    if (child->out < 0 || child->printed < 0 || (with_first && child->first < 0) ||
        (!compile->path && child->source < 0))
        return lw__fail_system(errno, "memory files for lanewise-compile");
    return LW_OK;
}

/* The files that the child's descriptors are, but for that of a server to begin. */
static void list_files(const struct child *child, int *files)
{
    memset(files, -1, (CHILD_END - 3) * sizeof *files);
    files[CHILD_OUT - 3] = child->out;
    files[CHILD_SOURCE - 3] = child->source;
    files[CHILD_FIRST - 3] = child->first;
}

static lw_status no_words(void)
{
    return lw__fail(LW_E_MEMORY, "out of memory: the compiler's command line");
}

/* Have the server do it, if there is one. */
static lw_status ask(const struct lw__compile *compile, bool with_first, const struct child *child,
                     enum lw__served *served, int *ended)
{
    struct block_text block;
    char **words = command_line(compile, with_first, false, &block);
    if (!words)
        return no_words();
    int files[CHILD_END - 3];
    list_files(child, files);
    *served = lw__server_run(compile->compiler, words, files, CHILD_END - 3, child->printed, ended);
    free(words);
    return LW_OK;
}

/* *ended is what wait() says, or 0 where nobody knows. */
static lw_status start(const struct lw__compile *compile, bool with_first,
                       const struct child *child, int *ended)
{
    int files[CHILD_END - 3];
    list_files(child, files);
    files[CHILD_SERVE - 3] = lw__server_begin(compile->compiler);
    struct block_text block;
    char **words = command_line(compile, with_first, files[CHILD_SERVE - 3] >= 0, &block);
    pid_t pid;
    const int e = words ? lw__child_start(compile->compiler, words, files, CHILD_END - 3,
                                          child->printed, &pid)
                        : 0;
    close_file(files[CHILD_SERVE - 3]);
    if (!words)
        return no_words();
    free(words);
    if (e)
        return fail_start(compile, e);
    if (!wait_for(pid, ended))
        *ended = 0;
    return LW_OK;
}

/* A server may end at any time: then the program is started as if there had been none. */
static lw_status run(const struct lw__compile *compile, bool with_first, struct child *child,
                     bool *clean)
{
    enum lw__served served = LW_SERVER_NONE;
    int ended = 0;
    LW_TRY(make_files(compile, with_first, child));
    LW_TRY(ask(compile, with_first, child, &served, &ended));
    if (served == LW_SERVER_LOST) {
        close_files(child);
        LW_TRY(make_files(compile, with_first, child));
    }
    if (served != LW_SERVED)
        LW_TRY(start(compile, with_first, child, &ended));
    *clean = WIFEXITED(ended) && WEXITSTATUS(ended) == EXIT_BUILT;
    if (*clean || (WIFEXITED(ended) && WEXITSTATUS(ended) == EXIT_REFUSED))
        return LW_OK;
    return report(compile, child->printed, ended);
}

lw_status lw__compiler_run(const struct lw__compile *compile, struct lw__bytes *out,
                           struct lw__bytes *first, bool *clean)
{
    struct child child = {-1, -1, -1, -1};

    *out = (struct lw__bytes){0};
    if (first)
        *first = (struct lw__bytes){0};
    *clean = false;
    lw_status status = run(compile, first != NULL, &child, clean);
    if (!status)
        status = lw__read_descriptor(child.out, "the compiler's result", out);
    if (!status && first && lw__read_descriptor(child.first, "the compiler's result", first))
        *first = (struct lw__bytes){0}; /* the launch asks again */
    close_files(&child);
    return status;
}
