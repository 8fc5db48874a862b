/* compiler.c - start lanewise-compile, read what it gives back: show and cc. */
#include "base/child.h"
#include "base/limits.h"
#include "base/manifest.h"
#include "base/manifest_read.h"
#include "cli/make/make.h"
#include <errno.h>
#include <limits.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

enum { BUILT = 0, REFUSED = 1 }; /* exit statuses of the compiler; others are in manifest.h */

int cli_compiler_find(char *path)
{
    const char *given = getenv("LANEWISE_COMPILE");
    struct stat about;
    if (given) {
        snprintf(path, PATH_MAX, "%s", given);
        if (stat(path, &about) == 0 && S_ISREG(about.st_mode) && access(path, X_OK) == 0)
            return CLI_DONE;
        return cli_fail(CLI_BROKEN,
                        "LANEWISE_COMPILE is '%s'; need the path of lanewise-compile, a program",
                        given);
    }
    if (cli_find_program(path, "src/compile/lanewise-compile",
                         "../libexec/lanewise/lanewise-compile"))
        return CLI_DONE;
    return cli_fail(CLI_BROKEN, "lanewise-compile is not installed; LANEWISE_COMPILE can name it");
}

/* fail_told - the compiler does not take its words, or cannot write its files: what it said,
 * without its name and usage. */
static int fail_told(int status, char *text)
{
    static const char name[] = "lanewise-compile: ";
    char *usage = strstr(text, "; usage: ");
    text[strcspn(text, "\n")] = '\0';
    if (usage)
        *usage = '\0';
    text += strncmp(text, name, sizeof name - 1) == 0 ? sizeof name - 1 : 0;
    return cli_fail(status, "%s", *text ? text : "the compiler does not take these options");
}

/* fail_compiler - it ended in another way than with a result; text is what it said. */
static int fail_compiler(int ended, char *text)
{
    const int status = WIFEXITED(ended) ? WEXITSTATUS(ended) : -1;
    if (status == LW_EXIT_MISUSED || status == LW_EXIT_UNSAVED)
        return fail_told(status == LW_EXIT_MISUSED ? CLI_USAGE : CLI_LAUNCH, text);
    if (lw__compiler_lacked_memory(ended, text))
        return cli_fail(CLI_LAUNCH, "compiling takes more memory than there is");
    fputs(text, stderr);
    const char *limit = WIFSIGNALED(ended) ? lw__limit_of(WTERMSIG(ended)) : NULL;
    if (limit)
        return cli_fail(CLI_COMPILE, "compiling takes more than its limit, %s", limit);
    if (WIFSIGNALED(ended))
        return cli_fail(CLI_BROKEN, "the compiler was ended by signal %d (%s)", WTERMSIG(ended),
                        strsignal(WTERMSIG(ended)));
    return cli_fail(CLI_BROKEN, "the compiler gave up with exit status %d", status);
}

/* wait_for - the compiler's end; said is passed on, and explains a failure. */
static int wait_for(pid_t child, int said, struct cli_progress *progress, bool *is_refused)
{
    int ended;
    while (waitpid(child, &ended, 0) < 0)
        if (errno != EINTR)
            return cli_fail(CLI_BROKEN, "the compiler is gone: %s", strerror(errno));
    cli_progress_end(progress);
    int status = WIFEXITED(ended) ? WEXITSTATUS(ended) : -1;
    char *text;
    size_t size;
    int failed = cli_text_read(said, &text, &size);
    *is_refused = status == REFUSED;
    if (!failed && status != BUILT && status != REFUSED)
        failed = fail_compiler(ended, text);
    else if (!failed)
        fputs(text, stderr);
    free(text);
    return failed;
}

int cli_compiler_run(const struct cli_options *options, const char *const *words, const int *files,
                     size_t count, bool *is_refused)
{
    *is_refused = false;
    int said = memfd_create("lanewise-said", MFD_CLOEXEC);
    if (said < 0)
        return cli_fail(CLI_LAUNCH, "no memory file can be made: %s", strerror(errno));
    pid_t child;
    const int error = lw__child_start(words[0], (char *const *)words, files, count, said, &child);
    const bool is_short = error == ENOMEM || error == EAGAIN || error == EMFILE || error == ENFILE;
    int failed = !error ? CLI_DONE
                        : cli_fail(is_short ? CLI_LAUNCH : CLI_BROKEN, "%s cannot be started: %s",
                                   words[0], strerror(error));
    struct cli_progress progress;
    cli_progress_begin(&progress, options, "building", cli_input_name(options->file));
    if (!failed)
        failed = wait_for(child, said, &progress, is_refused);
    cli_progress_end(&progress);
    close(said);
    return failed;
}

/* ---- CUDA ------------------------------------------------------------------------------------ */

static bool is_cuda(const struct cli_options *options)
{
    const char *dot = strrchr(options->file, '.');
    return options->cuda || (dot && (strcmp(dot, ".cu") == 0 || strcmp(dot, ".cuh") == 0));
}

/* is_instance - a plain name is that of a kernel, which needs no instance of its own. */
static bool is_instance(const char *name)
{
    return strpbrk(name, "<(") != NULL;
}

int cli_compiler_language(const struct cli_options *options, const char **words, size_t *count,
                          char **names)
{
    static _Thread_local char arch[16];
    struct lw__text list = {0};
    *names = NULL;
    if (options->cuda) {
        snprintf(arch, sizeof arch, "sm_%d",
                 options->cuda_arch ? options->cuda_arch : LW_CUDA_ARCH);
        words[(*count)++] = "--cuda";
        words[(*count)++] = arch;
    }
    if (!is_cuda(options))
        return options->instance_count
                   ? cli_fail(CLI_USAGE, "-k of cc is for CUDA; of a C file all kernels are made")
                   : CLI_DONE;
    for (size_t i = 0; i < options->instance_count; i++)
        lw__text_add(&list, "%s%s", list.length ? ";" : "", options->instances[i]);
    if (options->kernel && is_instance(options->kernel))
        lw__text_add(&list, "%s", options->kernel);
    if (list.failed) {
        lw__text_free(&list);
        return cli_fail_memory(list.length);
    }
    *names = list.data;
    if (list.data) {
        words[(*count)++] = "--instantiate";
        words[(*count)++] = list.data;
    }
    return CLI_DONE;
}

/* tell_refused - kernels that the compiler refused; 3 where -k asked for one of them. After errors
 * they are no news. */
static int tell_refused(const struct cli_options *options, const struct lw__manifest *manifest,
                        struct cli_messages *messages)
{
    int failed = CLI_DONE;
    for (size_t i = 0; i < manifest->diag_count; i++)
        if (strcmp(manifest->diags[i].severity, "error") == 0)
            return CLI_DONE;
    for (size_t i = 0; i < manifest->refused_count; i++) {
        const struct lw__manifest_refused *row = &manifest->refused[i];
        const bool is_error = options->kernel && lw__same_name(options->kernel, row->name);
        char text[1024];
        snprintf(text, sizeof text, "kernel '%s': %s", row->name, row->text);
        const lw_diagnostic diagnostic = {.severity = is_error ? "error" : "warning",
                                          .file = row->file,
                                          .line = row->line,
                                          .column = row->column,
                                          .text = text,
                                          .picture = ""};
        if (is_error || !options->kernel)
            cli_print_diagnostic(&diagnostic, messages);
        failed = is_error ? CLI_COMPILE : failed;
    }
    return failed;
}

/* ---- the manifest ---------------------------------------------------------------------------- */

int cli_compiler_result(const struct cli_options *options, const char *text, size_t size,
                        struct cli_messages *messages, const char **payload, size_t *payload_size)
{
    char why[LW_MANIFEST_WHY];
    struct lw__manifest manifest;
    const lw_status status = lw__manifest_parse(text, size, &manifest, why);
    for (size_t i = 0; !status && i < manifest.diag_count; i++)
        cli_print_diagnostic(&manifest.diags[i], messages);
    *payload = text + manifest.text_bytes;
    *payload_size = manifest.payload_bytes;
    const int failed = status ? CLI_DONE : tell_refused(options, &manifest, messages);
    lw__manifest_free(&manifest);
    if (status == LW_E_MEMORY)
        return cli_fail(CLI_LAUNCH, "%s", why);
    return status ? cli_fail(CLI_BROKEN, "a defect in Lanewise: %s", why) : failed;
}
