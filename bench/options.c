/* options.c - the words of the command line.
 */
#include "bench.h"
#include <stdlib.h>
#include <string.h>

enum { BAD = 2 };

void options_help(FILE *to)
{
    fputs("lanewise help bench tells the options.\n\nrows\n", to);
    for (size_t i = 0; i < bench_row_count; i++)
        fprintf(to, "  %-12s %s\n", bench_rows[i].name, bench_rows[i].title);
}

bool list_has(const char *list, const char *name)
{
    size_t length = strlen(name);
    while (list) {
        if (strncmp(list, name, length) == 0 && (list[length] == ',' || !list[length]))
            return true;
        list = strchr(list, ',');
        list = list ? list + 1 : NULL;
    }
    return false;
}

/* Each name of the list must be known. */
static int check_list(const char *what, const char *list, bool (*known)(const char *name))
{
    char name[NAME_SIZE];
    while (list) {
        size_t length = strcspn(list, ",");
        snprintf(name, sizeof name, "%.*s", (int)length, list);
        if (length >= sizeof name || !known(name)) {
            bench_fail(BAD, "there is no %s '%.*s'; see lanewise bench --help", what, (int)length,
                       list);
            return BAD;
        }
        list = list[length] ? list + length + 1 : NULL;
    }
    return 0;
}

static bool is_row(const char *name)
{
    for (size_t i = 0; i < bench_row_count; i++)
        if (strcmp(bench_rows[i].name, name) == 0)
            return true;
    return false;
}

static bool is_level(const char *name)
{
    return hand_find(name) != NULL;
}

/* is_device - true if name is a device of the library's, or cuda:N. */
static bool is_device(const char *name)
{
    lw_device_info infos[16];
    size_t known = lw_device_list(infos, 16), length = strcspn(name, ":");
    const char *rest = name + length;
    bool has_number = rest[0] && rest[1] && !rest[1 + strspn(rest + 1, "0123456789")];
    for (size_t i = 0; i < known && i < 16; i++)
        if (strlen(infos[i].name) == length && memcmp(infos[i].name, name, length) == 0)
            return !*rest || (has_number && strcmp(infos[i].name, "cuda") == 0);
    return false;
}

/* join - add a row to the list of rows, of which a process has one. */
static int join(const char **list, const char *name)
{
    static char text[4096];
    size_t used = strlen(text);
    int n = snprintf(text + used, sizeof text - used, "%s%s", used ? "," : "", name);
    if (n < 0 || (size_t)n >= sizeof text - used) {
        bench_fail(BAD, "the names of the rows take more than %zu bytes", sizeof text);
        return BAD;
    }
    *list = text;
    return 0;
}

static bool ends_in(const char *word, const char *end)
{
    size_t length = strlen(word), tail = strlen(end);
    return length >= tail && strcmp(word + length - tail, end) == 0;
}

bool options_is_json_file(const char *word)
{
    return ends_in(word, ".json");
}

/* value_of - the value of option name at *at: after '=', or the next word. */
static const char *value_of(const char *name, int argc, char **argv, int *at)
{
    size_t length = strlen(name);
    if (strncmp(argv[*at], name, length) != 0)
        return NULL;
    if (argv[*at][length] == '=')
        return argv[*at] + length + 1;
    if (argv[*at][length] || *at + 1 >= argc)
        return NULL;
    return argv[++*at];
}

/* json_value - FILE is optional and ends in .json, so that it is no row. */
static bool json_value(int argc, char **argv, int *at, const char **json)
{
    if (strcmp(argv[*at], "--json") == 0 && (*at + 1 >= argc || !ends_in(argv[*at + 1], ".json"))) {
        *json = "-";
        return true;
    }
    const char *value = value_of("--json", argc, argv, at);
    *json = value ? value : *json;
    return value != NULL;
}

static int set_threads(const char *value, int *threads)
{
    char *end;
    long n = strtol(value, &end, 10);
    if (*end || n < 1 || n > HAND_THREADS_MAX) {
        bench_fail(BAD, "--threads: '%s' is not a number from 1 to %d", value, HAND_THREADS_MAX);
        return BAD;
    }
    *threads = (int)n;
    return 0;
}

static int set_flag(const char *word, struct options *o)
{
    if (strcmp(word, "--quick") == 0)
        o->quick = true;
    else if (strcmp(word, "--small") == 0)
        o->small = true;
    else if (strcmp(word, "--help") == 0 || strcmp(word, "-h") == 0 || strcmp(word, "--list") == 0)
        o->help = true;
    else
        return BAD;
    return 0;
}

static int read_word(int argc, char **argv, int *at, struct options *o)
{
    const struct {
        const char *name, **value;
    } texts[] = {{"--level", &o->levels},
                 {"--device", &o->device},
                 {"-d", &o->device},
                 {"--svg", &o->svg},
                 {"--commit", &o->commit}};
    const char *word = argv[*at], *value;
    if (word[0] != '-')
        return join(&o->rows, word);
    if (set_flag(word, o) == 0 || json_value(argc, argv, at, &o->json))
        return 0;
    for (size_t i = 0; i < sizeof texts / sizeof texts[0]; i++)
        if ((value = value_of(texts[i].name, argc, argv, at))) {
            *texts[i].value = value;
            return 0;
        }
    if ((value = value_of("--rows", argc, argv, at)))
        return join(&o->rows, value);
    if ((value = value_of("--threads", argc, argv, at)))
        return set_threads(value, &o->threads);
    bench_fail(BAD, "'%s' is no option, or lacks its value; see lanewise bench --help", word);
    return BAD;
}

static int check_cuda(const struct options *o)
{
    const char *word = o->levels ? "--level" : o->threads ? "--threads" : o->small ? "--small" : "";
    if (*word)
        bench_fail(BAD, "%s says nothing on a GPU", word);
    return *word ? BAD : 0;
}

int options_read(int argc, char **argv, struct options *o)
{
    *o = (struct options){.device = "cpu", .commit = "unknown"};
    for (int at = 1; at < argc; at++) {
        int failed = read_word(argc, argv, &at, o);
        if (failed)
            return failed;
    }
    if (strcmp(o->device, "ref") == 0)
        o->small = true;
    if (!is_device(o->device)) {
        bench_fail(BAD, "there is no device '%s'; lanewise devices shows them", o->device);
        return BAD;
    }
    if (cuda_is_meant(o)) /* it has rows of its own */
        return check_cuda(o);
    int failed = check_list("row", o->rows, is_row);
    return failed ? failed : check_list("level", o->levels, is_level);
}
