/* show.c - `lanewise show`: start lanewise-compile, report its diagnostics, print its payload.
 * That is the text of the stage.
 */
#include "cli/make/make.h"
#include "base/levels.h"
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

enum whose { ANY, CPU, CUDA };

/* The stages in flow order; those of a device are about one kind of block, or one kernel. */
static const struct stage {
    const char *name;
    enum whose whose;
} stages[] = {{"instances", ANY}, {"ir", ANY},  {"uniform", CPU},
              {"widened", CPU},   {"asm", CPU}, {"ptx", CUDA}};
enum { STAGE_COUNT = sizeof stages / sizeof stages[0] };

static const struct stage *find_stage(const char *name)
{
    for (size_t i = 0; i < STAGE_COUNT; i++)
        if (strcmp(name, stages[i].name) == 0)
            return &stages[i];
    return NULL;
}

static int check_stage(const struct cli_options *options)
{
    static const char known[] = "instances, ir, uniform, widened, asm and ptx";
    if (!options->stage)
        return cli_fail(CLI_USAGE, "show needs --stage; there are %s", known);
    const struct stage *stage = find_stage(options->stage);
    if (!stage)
        return cli_fail(CLI_USAGE, "there is no stage '%s'; there are %s", options->stage, known);
    const bool is_one = options->kernel && !strpbrk(options->kernel, "<("); /* no instance */
    if (stage->whose == ANY && (is_one || options->has_block))
        return cli_fail(CLI_USAGE,
                        "-k and -b go with the stages uniform, widened, asm and ptx, not %s",
                        stage->name);
    return CLI_DONE;
}

/* names_kind - true if name is "cpu" or "cpu:avx2" for the kind "cpu". */
static bool names_kind(const char *name, const char *kind)
{
    size_t length = strlen(kind);
    return strncmp(name, kind, length) == 0 && (!name[length] || name[length] == ':');
}

/* list_levels - "baseline, avx2, avx512 or aarch64". */
static const char *list_levels(char *text, size_t size)
{
    size_t used = 0;
    for (size_t i = 0; i < LW_LEVEL_COUNT && used < size; i++) {
        const char *joint = i == 0 ? "" : i + 1 < LW_LEVEL_COUNT ? ", " : " or ";
        used += (size_t)snprintf(text + used, size - used, "%s%s", joint, lw__levels[i].word);
    }
    return text;
}

/* check_device - a device of that name can be compiled for, and passes through the stage. */
static int check_device(const struct cli_options *options)
{
    const char *name = options->device;
    const struct stage *stage = find_stage(options->stage);
    const char *kind = stage->whose == CPU ? "cpu" : "cuda";
    char levels[128];
    if (!name)
        return CLI_DONE;
    if (!cli_is_target(name))
        return cli_fail(CLI_USAGE,
                        "there is no device '%s' to compile for; `lanewise devices` shows them, "
                        "and there are cuda:sm_NN and cpu:LEVEL, with %s for LEVEL",
                        name, list_levels(levels, sizeof levels));
    if (stage->whose == ANY || names_kind(name, kind))
        return CLI_DONE;
    return cli_fail(CLI_USAGE, "the stage %s is on the way to device %s, not to '%s'", stage->name,
                    kind, name);
}

/* is_level - true if LANEWISE_CPU may be this word: of any processor, since show runs nothing. */
static bool is_level(const char *word)
{
    for (size_t i = 0; i < LW_LEVEL_COUNT; i++)
        if (strcmp(word, lw__levels[i].word) == 0)
            return true;
    return false;
}

static int refuse_level(const char *word)
{
    char known[128];
    return cli_fail(CLI_USAGE, "LANEWISE_CPU is '%s'; need %s", word,
                    list_levels(known, sizeof known));
}

/* check_variables - LANEWISE_CPU and LANEWISE_GANG, of which the compiler does not hear by name. */
static int check_variables(void)
{
    const char *level = getenv("LANEWISE_CPU"), *gang = getenv("LANEWISE_GANG");
    uint32_t threads = 0;
    bool is_number = !gang || lw__number_read(LW_U32, gang, &threads) == LW_NUMBER_OK;
    if (level && !is_level(level))
        return refuse_level(level);
    if (!is_number || (gang && (threads == 0 || threads > 1024 || threads % 32 != 0)))
        return cli_fail(CLI_USAGE, "LANEWISE_GANG is '%s'; need a multiple of 32, at most 1024",
                        gang);
    return CLI_DONE;
}

/* show_device - whose code: what -d says; else the cpu at the level that kernels get here. */
static const char *show_device(const struct cli_options *options, char *word, size_t size)
{
    const char *level = getenv("LANEWISE_CPU"), *gang = getenv("LANEWISE_GANG");
    const bool is_plain = options->device && strcmp(options->device, "cpu") == 0;
    if (options->device && !is_plain)
        return options->device;
    if (find_stage(options->stage)->whose == CUDA)
        return "cuda";
    if (find_stage(options->stage)->whose == ANY)
        return "ref"; /* the same for all */
    level = level ? level : lw__levels[lw__level_best()].word;
    snprintf(word, size, gang ? "cpu:%s/%s" : "cpu:%s", level, gang);
    return word;
}

static int check_file(const char *path)
{
    int file = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
    if (file < 0)
        return cli_fail_file(errno, path);
    struct stat about;
    bool is_known = fstat(file, &about) == 0, is_directory = is_known && S_ISDIR(about.st_mode);
    close(file);
    if (is_known && S_ISFIFO(about.st_mode) && strncmp(path, "/dev/", 5) != 0)
        return cli_fail(CLI_USAGE, "%s is a named pipe; need a regular file", path);
    return is_directory ? cli_fail(CLI_USAGE, "%s: a directory", path) : CLI_DONE;
}

/* word_room - the most words of its command line, and the NULL. */
static size_t word_room(const struct cli_options *options)
{
    return 17 + CLI_LANGUAGE_WORDS + 2 * (options->define_count + options->include_dir_count);
}

/* make_words - the compiler's command line; release the array and the names only. */
static int make_words(const struct cli_options *options, const char *compiler, const char *device,
                      const char *block, const char *file, const char ***made, char **names)
{
    size_t count = word_room(options), n = 0;
    const char **words = *made = calloc(count, sizeof *words);
    if (!words)
        return cli_fail_memory(count * sizeof *words);
    const char *fixed[] = {compiler,   "--show", options->stage,
                           "--device", device,   "--out",
                           "3",        "--name", cli_input_name(options->file)};
    for (size_t i = 0; i < sizeof fixed / sizeof fixed[0]; i++)
        words[n++] = fixed[i];
    if (options->kernel && find_stage(options->stage)->whose != ANY) {
        words[n++] = "--kernel";
        words[n++] = options->kernel;
    }
    if (options->has_block) {
        words[n++] = "--block";
        words[n++] = block;
    }
    for (size_t i = 0; i < options->define_count; i++) {
        words[n++] = "-D";
        words[n++] = options->defines[i];
    }
    for (size_t i = 0; i < options->include_dir_count; i++) {
        words[n++] = "-I";
        words[n++] = options->include_dirs[i];
    }
    int failed = cli_compiler_language(options, words, &n, names);
    if (cli_is_input(options->file))
        words[n++] = "--source";
    words[n] = file;
    return failed;
}

/* run_compiler - to its end; *is_refused: the kernels do not compile. */
static int run_compiler(const struct cli_options *options, const int *files, bool *is_refused)
{
    char compiler[PATH_MAX], file[PATH_MAX], device[64], block[64];
    int failed = cli_compiler_find(compiler);
    if (failed)
        return failed;
    bool is_like_option = options->file[0] == '-';
    bool is_input = cli_is_input(options->file);
    snprintf(file, sizeof file, "%s%s", is_like_option && !is_input ? "./" : "",
             is_input ? "4" : options->file);
    snprintf(block, sizeof block, "%u,%u,%u", options->block.x, options->block.y, options->block.z);
    const char **words;
    char *names = NULL;
    failed = make_words(options, compiler, show_device(options, device, sizeof device), block, file,
                        &words, &names);
    if (!failed)
        failed = cli_compiler_run(options, words, files, is_input ? 2 : 1, is_refused);
    free(words);
    free(names);
    return failed;
}

static void write_json(const struct cli_options *options, const char *text)
{
    cli_report_begin();
    lw__json_member(stdout, "{", "file", cli_input_name(options->file));
    printf(", \"stage\": \"%s\"", options->stage);
    cli_report_diagnostics(stdout);
    lw__json_member(stdout, ",\n ", "text", text);
    fputs("}\n", stdout);
}

/* compile - what the compiler makes of the file, its messages told; release *text with free. input:
 * the text of FILE where that has been read, or NULL. *is_refused: the kernels do not compile. */
static int compile(const struct cli_options *options, const char *input, enum cli_remarks remarks,
                   char **text, const char **payload, size_t *payload_size, bool *is_refused)
{
    struct cli_messages messages = {.color = cli_wants_color(options->color), .remarks = remarks};
    int failed = CLI_DONE, files[] = {memfd_create("lanewise-show", MFD_CLOEXEC), -1};
    *text = NULL;
    if (files[0] < 0)
        return cli_fail(CLI_LAUNCH, "no memory file can be made: %s", strerror(errno));
    if (cli_is_input(options->file))
        failed = input ? cli_input_store(input, &files[1]) : cli_input_file(&files[1]);
    if (!failed)
        failed = run_compiler(options, files, is_refused);
    size_t size;
    if (!failed)
        failed = cli_text_read(files[0], text, &size);
    if (!failed)
        failed = cli_compiler_result(options, *text, size, &messages, payload, payload_size);
    close(files[0]);
    if (files[1] >= 0)
        close(files[1]);
    return failed;
}

int cli_show(const struct cli_options *options)
{
    char *text = NULL;
    int failed = check_stage(options);
    if (!failed)
        failed = check_device(options);
    if (!failed)
        failed = check_variables();
    if (!failed && options->arg_count > 0)
        failed = cli_fail(CLI_USAGE, "show takes one FILE, not also '%s'", options->args[0]);
    if (!failed && !cli_is_input(options->file))
        failed = check_file(options->file);
    const char *payload;
    size_t size;
    bool is_refused;
    if (!failed)
        failed = compile(options, NULL, CLI_WITH_REMARKS, &text, &payload, &size, &is_refused);
    if (!failed && is_refused)
        failed = CLI_COMPILE;
    else if (!failed && options->json)
        write_json(options, payload);
    else if (!failed)
        fwrite(payload, 1, size, stdout);
    free(text);
    return failed;
}

int cli_show_remarks(const struct cli_options *options, const char *input)
{
    const bool is_cuda = options->device && names_kind(options->device, "cuda");
    struct cli_options asked = *options;
    char *text = NULL;
    asked.stage = is_cuda ? "ptx" : "widened";
    asked.device = is_cuda ? "cuda" : NULL; /* else what is slow on cpu, whatever runs it */
    int failed = check_variables();
    const char *payload;
    size_t size;
    bool is_refused;
    if (!failed)
        failed = compile(&asked, input, CLI_REMARKS_ALONE, &text, &payload, &size, &is_refused);
    free(text);
    return failed;
}
