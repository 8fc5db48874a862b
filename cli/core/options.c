/* options.c - the words after the command's name: FILE, options, ARGs.
 *
 * One row of help.def is an option: its name, its value, the commands that take it, and the
 * function here that sets it. A word that begins with '-' and a digit (or is -inf, -nan, -.5) is an
 * ARG.
 */
#include "cli/core/cli.h"
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
    set_option *set;   /* NULL: lanewise-bench reads it */
};

/* ---- values of options ----------------------------------------------------------------------- */

/* read_size - digits, or 0x and hexadecimal digits, up to limit. A larger number is a limit of the
 * launch, not a mistake in writing. */
static int read_size(const char *name, const char *value, uint64_t limit, uint64_t *size)
{
    switch (lw__number_read(LW_U64, value, size)) {
    case LW_NUMBER_OK:
        if (*size <= limit)
            return CLI_DONE;
        break;
    case LW_OUT_OF_RANGE:
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
        size_t hexadecimal = strncmp(rest, "0x", 2) == 0 ? 2 : 0;
        size_t length = hexadecimal + strcspn(rest + hexadecimal, ",x");
        if (length == 0 || length >= sizeof word)
            break;
        memcpy(word, rest, length);
        word[length] = '\0';
        uint64_t size;
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

/* Most options are only kept: a word is what follows, a flag is there or not. */
#define WORD(field)                                                                                \
    static int set_##field(struct cli_options *options, const char *name, const char *value)       \
    {                                                                                              \
        (void)name;                                                                                \
        options->field = value;                                                                    \
        return CLI_DONE;                                                                           \
    }
#define FLAG(field)                                                                                \
    static int set_##field(struct cli_options *options, const char *name, const char *value)       \
    {                                                                                              \
        (void)name, (void)value;                                                                   \
        options->field = true;                                                                     \
        return CLI_DONE;                                                                           \
    }

/* clang-format off */
#define WORDS(X)                                                                                   \
    X(kernel) X(device) X(out) X(header) X(depfile) X(targets) X(suppress) X(sarif) X(stage)       \
    X(svg) X(threads) X(filter) X(draw)
#define FLAGS(X)                                                                                   \
    X(no_debug) X(no_bitcode) X(strict) X(verbose) X(json) X(small) X(debug) X(remarks) X(quiet)   \
    X(list) X(plan) X(markdown) X(clear) X(help) X(count) X(with_check) X(cuda)
/* clang-format on */
WORDS(WORD)
FLAGS(FLAG)

static int set_bounds(struct cli_options *options, const char *name, const char *value)
{
    options->no_bounds = !strcmp(value, "off");
    if (options->no_bounds || !strcmp(value, "on"))
        return CLI_DONE;
    return cli_fail(CLI_USAGE, "%s: '%s' is not on or off", name, value);
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
    const char *equals = strchr(value, '=');
    lw_dim3 dim;
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
    enum lw__number read = lw__number_read(LW_F64, value, seconds);
    if (read != LW_NUMBER_OK || !(*seconds > 0) || isinf(*seconds))
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

static int set_schedules(struct cli_options *options, const char *name, const char *value)
{
    enum { MOST = 1000 };
    uint64_t count;
    int failed = read_size(name, value, UINT64_MAX, &count);
    if (!failed && (count == 0 || count > MOST))
        failed = cli_fail(CLI_USAGE, "%s: '%s' is not a number from 1 to %d", name, value, MOST);
    options->schedules = failed ? 0 : (int)count;
    return failed;
}

static int set_seed(struct cli_options *options, const char *name, const char *value)
{
    int failed = read_size(name, value, UINT64_MAX, &options->seed);
    if (!failed && options->seed == 0)
        failed = cli_fail(CLI_USAGE, "%s: '%s' is not a number of at least 1", name, value);
    return failed;
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

static int set_json_file(struct cli_options *options, const char *name, const char *value)
{
    (void)name;
    options->json_file = value ? value : "-";
    return CLI_DONE;
}

static int set_seconds(struct cli_options *options, const char *name, const char *value)
{
    return read_seconds(name, value, &options->seconds);
}

static int set_elements(struct cli_options *options, const char *name, const char *value)
{
    int failed = read_size(name, value, INT64_MAX, &options->elements);
    if (!failed && options->elements == 0)
        failed = cli_fail(CLI_USAGE, "%s: at least 1 element is needed", name);
    return failed;
}

/* set_trim - SIZE as LANEWISE_CACHE_LIMIT has it: bytes, or with K, M, G or T. */
static int set_trim(struct cli_options *options, const char *name, const char *value)
{
    static const char letters[] = "KMGT";
    char digits[LW_NUMBER_SIZE];
    options->trim = true;
    if (!value)
        return CLI_DONE;
    size_t length = strlen(value);
    const char *letter = length ? strchr(letters, value[length - 1]) : NULL;
    int shift = letter ? 10 * (int)(letter - letters + 1) : 0;
    snprintf(digits, sizeof digits, "%.*s", (int)(letter ? length - 1 : length), value);
    if (length >= sizeof digits || strspn(digits, "0123456789") != strlen(digits) ||
        lw__number_read(LW_U64, digits, &options->trim_size) != LW_NUMBER_OK ||
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
    size_t i = 0;
    while (value && i < sizeof words / sizeof words[0] && strcmp(value, words[i]) != 0)
        i++;
    if (i == sizeof words / sizeof words[0])
        return cli_fail(CLI_USAGE, "%s: '%s' is not auto, always or never", name, value);
    options->color = value ? (enum cli_color)i : CLI_COLOR_ALWAYS;
    cli_choose_color(options->color);
    return CLI_DONE;
}

/* set_drawn - an index in the grid: axes that are not given are 0. */
static int set_drawn(struct cli_options *options, const char *name, const char *value)
{
    int failed = read_dim3(name, value, &options->drawn);
    size_t axes = 1;
    for (const char *c = value; *c; c++)
        axes += *c == ',' || (*c == 'x' && c != value + 1);
    if (axes < 2)
        options->drawn.y = 0;
    if (axes < 3)
        options->drawn.z = 0;
    return failed;
}

static int set_steps(struct cli_options *options, const char *name, const char *value)
{
    int failed = read_size(name, value, UINT32_MAX, &options->steps);
    if (!failed && options->steps == 0)
        failed = cli_fail(CLI_USAGE, "%s: at least 1 step is needed", name);
    return failed;
}

static int add_trace(struct cli_options *options, const char *name, const char *value)
{
    (void)name;
    options->traces[options->trace_count++] = value;
    return CLI_DONE;
}

/* set_ask - what is asked of learn; --seed and --timeout go with one of them. */
static int set_ask(struct cli_options *options, const char *name, const char *value)
{
    (void)value;
    if (options->ask && strcmp(options->ask, name) != 0)
        return cli_fail(CLI_USAGE, "%s and %s: one at a time", options->ask, name);
    options->ask = name;
    return CLI_DONE;
}

static int add_define(struct cli_options *options, const char *name, const char *value)
{
    if (*value == '\0' || *value == '=')
        return cli_fail(CLI_USAGE, "%s: '%s' is not NAME or NAME=VALUE", name, value);
    options->defines[options->define_count++] = value;
    return CLI_DONE;
}

/* set_arch - sm_NN; it says that the text is CUDA, too. */
static int set_arch(struct cli_options *options, const char *name, const char *value)
{
    uint32_t number = 0;
    if (strncmp(value, "sm_", 3) != 0 ||
        lw__number_read(LW_U32, value + 3, &number) != LW_NUMBER_OK || number < 20 || number > 999)
        return cli_fail(CLI_USAGE, "%s: '%s' is not sm_NN, as sm_80", name, value);
    options->cuda = true;
    options->cuda_arch = (int)number;
    return CLI_DONE;
}

static int add_instance(struct cli_options *options, const char *name, const char *value)
{
    (void)name;
    options->instances[options->instance_count++] = value;
    return CLI_DONE;
}

static int add_symbol(struct cli_options *options, const char *name, const char *value)
{
    if (*value == '\0' || *value == '=')
        return cli_fail(CLI_USAGE, "%s: '%s' is not NAME=ARG or NAME[:OUT.npy]", name, value);
    options->symbols[options->symbol_count++] = value;
    return CLI_DONE;
}

static int add_include_dir(struct cli_options *options, const char *name, const char *value)
{
    (void)name;
    options->include_dirs[options->include_dir_count++] = value;
    return CLI_DONE;
}

/* ---- the table ------------------------------------------------------------------------------- */

static const struct option table[] = {
#define OPTION(name, takes, commands, set, value, complete, help) {name, takes, commands, set},
#include "cli/core/help.def"
};

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

static int fail_option(enum cli_command command, const char *word)
{
    struct lw__nearest nearest = {.typed = word, .length = strcspn(word, "=")};
    for (size_t i = 0; i < sizeof table / sizeof table[0]; i++)
        if (table[i].commands & command)
            lw__nearest_try(&nearest, table[i].name);
    return cli_fail(CLI_USAGE, "there is no option '%s' (an ARG can follow --)%s", word,
                    lw__nearest_text(&nearest));
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
        return fail_option(command, word);
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
    options->words = calloc(7 * count + 1, sizeof *options->words);
    if (!options->words)
        return cli_fail_memory((7 * count + 1) * sizeof *options->words);
    options->args = options->words;
    options->defines = options->words + count;
    options->include_dirs = options->words + 2 * count;
    options->blocks = options->words + 3 * count;
    options->traces = options->words + 4 * count;
    options->instances = options->words + 5 * count;
    options->symbols = options->words + 6 * count;

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
