/* options.c - the words after the command's name: FILE, options, ARGs.
 *
 * One row an option: its name, its value, the commands that take it, what it sets and its line of
 * help. A word that begins with '-' and a digit (or is -inf, -nan, -.5) is an ARG.
 */
#include "cli.h"
#include <math.h>
#include <stdlib.h>
#include <string.h>

enum takes { NO_VALUE, A_VALUE, MAYBE_A_VALUE, MAYBE_A_JSON_FILE };

enum { DEFAULT_LAUNCHES = 10 };

typedef int set_option(struct cli_options *options, const char *name, const char *value);

struct option {
    const char *name; /* "-k", "--shared" */
    enum takes takes;
    unsigned commands; /* bits of cli_command */
    set_option *set;
    const char *help;
};

/* ---- values of options ----------------------------------------------------------------------- */

/* read_size - digits, or 0x and hexadecimal digits, up to limit. A larger number is a limit of the
 * launch, not a mistake in writing. */
static int read_size(const char *name, const char *value, uint64_t limit, uint64_t *size)
{
    switch (cli_number_read(LW_U64, value, size)) {
    case CLI_NUMBER_OK:
        if (*size <= limit)
            return CLI_DONE;
        break;
    case CLI_OUT_OF_RANGE:
        if (value[0] != '-')
            break;
        /* fall through */
    default:
        return cli_fail(CLI_USAGE, "%s: '%s' is not a whole number of at least 0", name, value);
    }
    return cli_fail(CLI_LAUNCH, "%s: %s is too large, at most %llu", name, value,
                    (unsigned long long)limit);
}

/* read_dim3 - X[,Y[,Z]], or with x between; axes that are not given are 1. 0x10 is one number. */
static int read_dim3(const char *name, const char *value, lw_dim3 *dim)
{
    uint32_t axis[3] = {1, 1, 1};
    const char *rest = value;
    for (int i = 0; i < 3; i++) {
        char word[32];
        uint64_t size;
        size_t hexadecimal = strncmp(rest, "0x", 2) == 0 ? 2 : 0;
        size_t length = hexadecimal + strcspn(rest + hexadecimal, ",x");
        if (length == 0 || length >= sizeof word)
            break;
        memcpy(word, rest, length);
        word[length] = '\0';
        int failed = read_size(name, word, UINT32_MAX, &size);
        if (failed)
            return failed;
        axis[i] = (uint32_t)size;
        rest += length;
        if (*rest == '\0') {
            *dim = (lw_dim3){axis[0], axis[1], axis[2]};
            return CLI_DONE;
        }
        rest++;
    }
    return cli_fail(CLI_USAGE, "%s: '%s' is not X, X,Y or X,Y,Z", name, value);
}

static int set_kernel(struct cli_options *options, const char *name, const char *value)
{
    (void)name;
    options->kernel = value;
    return CLI_DONE;
}

static int set_device(struct cli_options *options, const char *name, const char *value)
{
    (void)name;
    options->device = value;
    return CLI_DONE;
}

static int set_out(struct cli_options *options, const char *name, const char *value)
{
    (void)name;
    options->out = value;
    return CLI_DONE;
}

static int set_header(struct cli_options *options, const char *name, const char *value)
{
    (void)name;
    options->header = value;
    return CLI_DONE;
}

static int set_depfile(struct cli_options *options, const char *name, const char *value)
{
    (void)name;
    options->depfile = value;
    return CLI_DONE;
}

static int set_targets(struct cli_options *options, const char *name, const char *value)
{
    (void)name;
    options->targets = value;
    return CLI_DONE;
}

static int set_no_debug(struct cli_options *options, const char *name, const char *value)
{
    (void)name, (void)value;
    options->no_debug = true;
    return CLI_DONE;
}

static int set_no_bitcode(struct cli_options *options, const char *name, const char *value)
{
    (void)name, (void)value;
    options->no_bitcode = true;
    return CLI_DONE;
}

static int set_grid(struct cli_options *options, const char *name, const char *value)
{
    return read_dim3(name, value, &options->grid);
}

static int set_block(struct cli_options *options, const char *name, const char *value)
{
    options->has_block = true;
    return read_dim3(name, value, &options->block);
}

/* add_block - of cc; lanewise-compile knows targets and limits. */
static int add_block(struct cli_options *options, const char *name, const char *value)
{
    char full[128];
    lw_dim3 dim;
    const char *equals = strchr(value, '=');
    int failed = read_dim3(name, equals ? equals + 1 : value, &dim);
    if (failed)
        return failed;
    int length = snprintf(full, sizeof full, "%.*s%u,%u,%u", equals ? (int)(equals + 1 - value) : 0,
                          value, dim.x, dim.y, dim.z);
    if (length < 0 || (size_t)length >= sizeof full)
        return cli_fail(CLI_USAGE, "%s: '%s' is not [TARGET=]X,Y,Z", name, value);
    options->blocks[options->block_count] = strdup(full);
    return options->blocks[options->block_count++] ? CLI_DONE : cli_fail_memory(sizeof full);
}

/* read_seconds - a finite number above 0. */
static int read_seconds(const char *name, const char *value, double *seconds)
{
    enum cli_number read = cli_number_read(LW_F64, value, seconds);
    if (read != CLI_NUMBER_OK || !(*seconds > 0) || isinf(*seconds))
        return cli_fail(CLI_USAGE, "%s: '%s' is not a number of seconds above 0", name, value);
    return CLI_DONE;
}

static int set_timeout(struct cli_options *options, const char *name, const char *value)
{
    double seconds;
    int failed = read_seconds(name, value, &seconds);
    if (failed)
        return failed;
    double nanoseconds = ceil(seconds * 1e9);
    options->timeout = nanoseconds < 0x1p63 ? (uint64_t)nanoseconds : UINT64_C(1) << 63;
    return CLI_DONE;
}

static int set_time(struct cli_options *options, const char *name, const char *value)
{
    options->time_launches = DEFAULT_LAUNCHES;
    if (!value)
        return CLI_DONE;
    int failed = read_size(name, value, 1000000000, &options->time_launches);
    if (!failed && options->time_launches == 0)
        failed = cli_fail(CLI_USAGE, "%s: at least 1 launch is needed", name);
    return failed;
}

static int set_shared(struct cli_options *options, const char *name, const char *value)
{
    uint64_t size;
    int failed = read_size(name, value, SIZE_MAX, &size);
    if (!failed)
        options->shared_bytes = size;
    return failed;
}

static int set_stage(struct cli_options *options, const char *name, const char *value)
{
    (void)name;
    options->stage = value;
    return CLI_DONE;
}

static int set_json(struct cli_options *options, const char *name, const char *value)
{
    (void)name, (void)value;
    options->json = true;
    return CLI_DONE;
}

static int set_json_file(struct cli_options *options, const char *name, const char *value)
{
    (void)name;
    options->json_file = value ? value : "-";
    return CLI_DONE;
}

static int set_svg(struct cli_options *options, const char *name, const char *value)
{
    (void)name;
    options->svg = value;
    return CLI_DONE;
}

static int set_threads(struct cli_options *options, const char *name, const char *value)
{
    (void)name;
    options->threads = value;
    return CLI_DONE;
}

static int set_filter(struct cli_options *options, const char *name, const char *value)
{
    (void)name;
    options->filter = value;
    return CLI_DONE;
}

static int set_seconds(struct cli_options *options, const char *name, const char *value)
{
    return read_seconds(name, value, &options->seconds);
}

static int set_small(struct cli_options *options, const char *name, const char *value)
{
    (void)name, (void)value;
    options->small = true;
    return CLI_DONE;
}

static int set_elements(struct cli_options *options, const char *name, const char *value)
{
    int failed = read_size(name, value, INT64_MAX, &options->elements);
    if (!failed && options->elements == 0)
        failed = cli_fail(CLI_USAGE, "%s: at least 1 element is needed", name);
    return failed;
}

static int set_quiet(struct cli_options *options, const char *name, const char *value)
{
    (void)name, (void)value;
    options->quiet = true;
    return CLI_DONE;
}

static int set_list(struct cli_options *options, const char *name, const char *value)
{
    (void)name, (void)value;
    options->list = true;
    return CLI_DONE;
}

static int set_plan(struct cli_options *options, const char *name, const char *value)
{
    (void)name, (void)value;
    options->plan = true;
    return CLI_DONE;
}

static int set_draw(struct cli_options *options, const char *name, const char *value)
{
    (void)name;
    options->draw = value;
    return CLI_DONE;
}

static int set_markdown(struct cli_options *options, const char *name, const char *value)
{
    (void)name, (void)value;
    options->markdown = true;
    return CLI_DONE;
}

static int set_clear(struct cli_options *options, const char *name, const char *value)
{
    (void)name, (void)value;
    options->clear = true;
    return CLI_DONE;
}

/* set_trim - SIZE as LANEWISE_CACHE_LIMIT has it: bytes, or with K, M, G or T. */
static int set_trim(struct cli_options *options, const char *name, const char *value)
{
    static const char letters[] = "KMGT";
    char digits[CLI_NUMBER_SIZE];
    options->trim = true;
    if (!value)
        return CLI_DONE;
    size_t length = strlen(value);
    const char *letter = length ? strchr(letters, value[length - 1]) : NULL;
    int shift = letter ? 10 * (int)(letter - letters + 1) : 0;
    snprintf(digits, sizeof digits, "%.*s", (int)(letter ? length - 1 : length), value);
    if (length >= sizeof digits || strspn(digits, "0123456789") != strlen(digits) ||
        cli_number_read(LW_U64, digits, &options->trim_size) != CLI_NUMBER_OK ||
        options->trim_size > UINT64_MAX >> shift)
        return cli_fail(CLI_USAGE,
                        "%s: '%s' is not a size; need bytes, a whole number, or one with K, M, G "
                        "or T, as 500M",
                        name, value);
    options->trim_size <<= shift;
    options->has_trim_size = true;
    return CLI_DONE;
}

static int set_color(struct cli_options *options, const char *name, const char *value)
{
    static const char *const words[] = {"auto", "always", "never"};
    options->color = CLI_COLOR_ALWAYS;
    for (size_t i = 0; value && i < sizeof words / sizeof words[0]; i++)
        if (strcmp(value, words[i]) == 0) {
            options->color = (enum cli_color)i;
            return CLI_DONE;
        }
    return value ? cli_fail(CLI_USAGE, "%s: '%s' is not auto, always or never", name, value)
                 : CLI_DONE;
}

static int set_help(struct cli_options *options, const char *name, const char *value)
{
    (void)name, (void)value;
    options->help = true;
    return CLI_DONE;
}

static int add_define(struct cli_options *options, const char *name, const char *value)
{
    if (*value == '\0' || *value == '=')
        return cli_fail(CLI_USAGE, "%s: '%s' is not NAME or NAME=VALUE", name, value);
    options->defines[options->define_count++] = value;
    return CLI_DONE;
}

static int add_include_dir(struct cli_options *options, const char *name, const char *value)
{
    (void)name;
    options->include_dirs[options->include_dir_count++] = value;
    return CLI_DONE;
}

/* ---- the table ------------------------------------------------------------------------------- */

#define CLI_FORMS (CLI_BENCH_OP | CLI_BENCH_OPERATIONS | CLI_BENCH_DOT)

enum {
    CLI_ALL = CLI_RUN | CLI_SHOW | CLI_DEVICES | CLI_CC | CLI_OP | CLI_GRAPH | CLI_CACHE |
              CLI_INIT | CLI_FORMS
};

static const struct option table[] = {
    {"-k", A_VALUE, CLI_RUN | CLI_SHOW, set_kernel,
     "-k NAME            the kernel (default: the only one; show: all)"},
    {"-g", A_VALUE, CLI_RUN, set_grid, "-g X[,Y[,Z]]       blocks (default 1); also 4x4"},
    {"-b", A_VALUE, CLI_RUN | CLI_SHOW, set_block,
     "-b X[,Y[,Z]]       threads per block (default: what BLOCK fixes, or 256); also 16x16"},
    {"-d", A_VALUE, CLI_RUN | CLI_SHOW | CLI_OP | CLI_GRAPH | CLI_FORMS, set_device,
     "-d DEVICE          see `lanewise devices`; show: also cpu:avx512, cpu:avx2, cpu:baseline,\n"
     "                     cpu:aarch64"},
    {"-D", A_VALUE, CLI_RUN | CLI_SHOW | CLI_CC, add_define, "-D NAME[=VALUE]    define a macro"},
    {"-I", A_VALUE, CLI_RUN | CLI_SHOW | CLI_CC, add_include_dir,
     "-I DIR             look for headers in DIR"},
    {"--shared", A_VALUE, CLI_RUN, set_shared, "--shared BYTES     dynamic block memory"},
    {"--timeout", A_VALUE, CLI_RUN | CLI_OP | CLI_GRAPH, set_timeout,
     "--timeout SECONDS  give up a launch after that long"},
    {"--time", MAYBE_A_VALUE, CLI_RUN | CLI_OP | CLI_GRAPH, set_time,
     "--time[=N]         launch N times (default 10), print min, median, max"},
    {"--json", NO_VALUE, CLI_RUN | CLI_OP | CLI_GRAPH | CLI_SHOW | CLI_CC | CLI_DEVICES | CLI_CACHE,
     set_json, "--json             results as one JSON object"},
    {"--quiet", NO_VALUE, CLI_RUN | CLI_OP | CLI_GRAPH, set_quiet,
     "--quiet            print no buffers"},
    {"--stage", A_VALUE, CLI_SHOW, set_stage,
     "--stage STAGE      (show) instances, ir, uniform, widened, asm, ptx"},
    {"-o", A_VALUE, CLI_CC, set_out, "-o OUT.o           (cc) the object"},
    {"--header", A_VALUE, CLI_CC, set_header,
     "--header OUT.h     (cc) the header with its functions"},
    {"-b", A_VALUE, CLI_CC, add_block,
     "-b [TARGET=]X,Y,Z  (cc) a size of block to make code for, several times; for that target"},
    {"--targets", A_VALUE, CLI_CC, set_targets,
     "--targets T,T...   (cc) cpu:baseline, cpu:avx2, cpu:avx512, cpu:aarch64, cuda:sm_NN, ref"},
    {"--depfile", A_VALUE, CLI_CC, set_depfile,
     "--depfile FILE     (cc) the files that were read, as a rule for make and ninja"},
    {"-g0", NO_VALUE, CLI_CC, set_no_debug, "-g0                (cc) no line tables"},
    {"--no-bitcode", NO_VALUE, CLI_CC, set_no_bitcode,
     "--no-bitcode       (cc) nothing to compile other sizes of block from"},
    {"--list", NO_VALUE, CLI_OP | CLI_GRAPH, set_list,
     "--list             (op, graph) the operations and their parameters"},
    {"--plan", NO_VALUE, CLI_GRAPH, set_plan,
     "--plan             (graph) launches, temporaries and their memory"},
    {"--draw", A_VALUE, CLI_GRAPH, set_draw, "--draw FILE        (graph) a drawing, .svg or .dot"},
    {"--clear", NO_VALUE, CLI_CACHE, set_clear, "--clear            (cache) remove all"},
    {"--trim", MAYBE_A_VALUE, CLI_CACHE, set_trim,
     "--trim[=SIZE]      (cache) remove what was used least recently, down to SIZE or the limit"},
    {"--markdown", NO_VALUE, CLI_OP, set_markdown,
     "--markdown         (op) with --list: as rows of a Markdown table"},
    {"--threads", A_VALUE, CLI_BENCH_OP | CLI_BENCH_OPERATIONS, set_threads,
     "--threads N[,N]    (bench op, operations) threads of cpu, a measurement for each"},
    {"--seconds", A_VALUE, CLI_FORMS, set_seconds,
     "--seconds S        (bench op, operations, dot) how long to measure"},
    {"--filter", A_VALUE, CLI_BENCH_OPERATIONS, set_filter,
     "--filter TEXT      (bench operations) those with TEXT in their name"},
    {"--small", NO_VALUE, CLI_BENCH_OPERATIONS, set_small,
     "--small            (bench operations) small shapes: says nothing about speed"},
    {"-n", A_VALUE, CLI_BENCH_DOT, set_elements, "-n N               (bench dot) elements"},
    {"--json", MAYBE_A_JSON_FILE, CLI_FORMS, set_json_file,
     "--json [F.json]    (bench) results as JSON, to standard output without a file"},
    {"--svg", A_VALUE, CLI_FORMS, set_svg, "--svg FILE         (bench) a drawing"},
    {"--color", MAYBE_A_VALUE, CLI_ALL, set_color,
     "--color=WHEN       colours in messages: auto (on a terminal, without NO_COLOR), always, "
     "never"},
    {"--help", NO_VALUE, CLI_ALL, set_help, "--help, -h         this text"},
    {"-h", NO_VALUE, CLI_ALL, set_help, NULL},
};

void cli_options_help(FILE *to)
{
    for (size_t i = 0; i < sizeof table / sizeof table[0]; i++)
        if (table[i].help)
            fprintf(to, "  %s\n", table[i].help);
    fprintf(to, "  --                 ends the options\n");
}

/* find_option - the row of the commands that word ("-x...", "--xyz...") begins with; NULL: none.
 * *rest is what follows the name. */
static const struct option *find_option(unsigned commands, const char *word, const char **rest)
{
    for (size_t i = 0; i < sizeof table / sizeof table[0]; i++) {
        size_t length = strlen(table[i].name);
        bool is_long = word[1] == '-';
        if (!(table[i].commands & commands) || strncmp(word, table[i].name, length) != 0)
            continue;
        if (!is_long || word[length] == '\0' || word[length] == '=') {
            *rest = word + length;
            return &table[i];
        }
    }
    return NULL;
}

/* ---- the words ------------------------------------------------------------------------------- */

static bool is_option(const char *word)
{
    if (word[0] != '-' || word[1] == '\0' || strcmp(word, "-inf") == 0 || strcmp(word, "-nan") == 0)
        return false;
    return !((word[1] >= '0' && word[1] <= '9') || word[1] == '.');
}

bool cli_is_json_file(const char *word)
{
    size_t length = strlen(word);
    return length > 5 && strcmp(word + length - 5, ".json") == 0;
}

/* take_option - the option words[*at] with its value, which may be the next word. */
static int take_option(enum cli_command command, char **words, size_t count, size_t *at,
                       struct cli_options *options)
{
    const char *rest, *word = words[*at], *value = NULL;
    const struct option *option = find_option(command, word, &rest);
    bool is_long = word[1] == '-';
    if (!option && (option = find_option(~0u, word, &rest)))
        return cli_fail(CLI_USAGE, "the option %s is not for this command", option->name);
    if (!option)
        return cli_fail(CLI_USAGE, "there is no option '%s' (an ARG can follow --)", word);
    const char *name = option->name;
    if (*rest != '\0')
        value = rest + is_long;
    else if (option->takes == A_VALUE && *at + 1 < count)
        value = words[++*at];
    else if (option->takes == MAYBE_A_JSON_FILE && *at + 1 < count &&
             cli_is_json_file(words[*at + 1]))
        value = words[++*at];
    if (option->takes == A_VALUE && !value)
        return cli_fail(CLI_USAGE, "%s needs a value", name);
    if (option->takes == NO_VALUE && value)
        return cli_fail(CLI_USAGE, "%s takes no value", name);
    return option->set(options, name, value);
}

static void take_word(const char *word, struct cli_options *options)
{
    if (!options->file)
        options->file = word;
    else
        options->args[options->arg_count++] = word;
}

int cli_options_read(enum cli_command command, char **words, size_t count,
                     struct cli_options *options)
{
    *options = (struct cli_options){.grid = {1, 1, 1}, .block = {256, 1, 1}};
    options->words = calloc(4 * count + 1, sizeof *options->words);
    if (!options->words)
        return cli_fail_memory((4 * count + 1) * sizeof *options->words);
    options->args = options->words;
    options->defines = options->words + count;
    options->include_dirs = options->words + 2 * count;
    options->blocks = options->words + 3 * count;

    bool has_ended = false;
    for (size_t i = 0; i < count; i++) {
        if (!has_ended && strcmp(words[i], "--") == 0) {
            has_ended = true;
        } else if (!has_ended && is_option(words[i])) {
            int failed = take_option(command, words, count, &i, options);
            if (failed)
                return failed;
        } else {
            take_word(words[i], options);
        }
    }
    return CLI_DONE;
}

void cli_options_free(struct cli_options *options)
{
    for (size_t i = 0; i < options->block_count; i++)
        free((char *)options->blocks[i]);
    free(options->words);
}
