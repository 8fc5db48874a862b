/* cli.h - the command `lanewise`: what all commands use.
 *
 *     core    reports, options, help; text, numbers and files
 *     make    what lanewise-compile makes of a kernel file: show, cc; init, cache
 *     run     options -> device, program, kernel -> arguments by the kernel's parameters -> launch
 *                     -> files, then text or JSON
 *     learn, bench
 *
 * A folder uses core and those above it in this list; main.c has the table of commands.
 * The command uses include/lanewise and src/text. A function that can fail tells standard
 * error by cli_fail, and returns the exit status; 0 is none. Its caller returns the status too, and
 * prints nothing more.
 */
#ifndef LW_CLI_H
#define LW_CLI_H

#include "base/nearest.h"
#include "base/save.h"
#include "lanewise/lanewise.h"
#include "text/json.h"
#include "text/number.h"
#include <pthread.h>
#include <stdio.h>

_Static_assert(__BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__, "values are kept little-endian");

enum cli_exit {
    CLI_DONE = 0,
    CLI_FOUND = 1,   /* the checker found something */
    CLI_USAGE = 2,   /* the command line or a file it names is wrong */
    CLI_COMPILE = 3, /* the kernel does not compile */
    CLI_LAUNCH = 4,  /* the device or the launch failed, or a result could not be delivered */
    CLI_BROKEN = 5,  /* the check could not run, or the compiler is missing or broken */
};

enum {
    CLI_MAX_RANK = 32, /* of a buffer's shape; what NumPy 1 takes */
};

/* ---- report.c -------------------------------------------------------------------------------- */

/* cli_fail - write "lanewise: <text>" to standard error; returns status. The first failure is also
 * kept for cli_report_json. */
int cli_fail(enum cli_exit status, const char *format, ...) __attribute__((format(printf, 2, 3)));

/* cli_deliver - what is left for standard output; returns status, or 4 if a result or a finding
 * could not be delivered. The last thing that the command does. */
int cli_deliver(int status);

/* cli_exit_of - the exit status that stands for a status of the library.
 * cli_fail_library - report lw_last_error() and return that. */
int cli_exit_of(lw_status status);
int cli_fail_library(lw_status status);

/* cli_fail_file - report why a file cannot be opened: 2, or 4 where memory or descriptors lack. */
int cli_fail_file(int error, const char *path);

/* cli_fail_memory - report that bytes could not be had; returns CLI_LAUNCH. */
int cli_fail_memory(size_t bytes);

/* ---- message.c ------------------------------------------------------------------------------- */

enum cli_color { CLI_COLOR_AUTO, CLI_COLOR_ALWAYS, CLI_COLOR_NEVER };

/* cli_wants_color - true if standard error gets colours; AUTO: it is a terminal and NO_COLOR is not
 * set. */
bool cli_wants_color(enum cli_color color);

/* cli_choose_color - for messages of the command itself.
 * cli_message_begin - "lanewise: " on standard error. */
void cli_choose_color(enum cli_color color);
void cli_message_begin(void);

/* How messages of the compiler are printed, and how many were. A remark goes with its notes. */
enum cli_remarks { CLI_NO_REMARKS, CLI_WITH_REMARKS, CLI_REMARKS_ALONE };
struct cli_messages {
    bool color;
    enum cli_remarks remarks;
    bool is_of_remark; /* the last message was a remark, or a note of one */
    size_t count;
};

/* cli_print_diagnostic - one message of the compiler as "file:line:column: severity: text" and its
 * picture on standard error; user is a struct cli_messages. */
void cli_print_diagnostic(const lw_diagnostic *diagnostic, void *user);
/* cli_message_print - the line and the picture alone. */
void cli_message_print(const lw_diagnostic *diagnostic, bool color);

/* cli_report_keep - keep a failure that standard error is told in another way. */
void cli_report_keep(const char *format, ...) __attribute__((format(printf, 1, 2)));

/* cli_report_begin - an object of results is about to be written to standard output.
 * cli_report_json - the object of a failure, unless there is an object already.
 * cli_report_failure - its members "error" and "status", for an object that has more.
 * cli_report_diagnostics - its member "diagnostics", with a comma before it; nothing without any.
 * cli_report_end - forget all. */
void cli_report_begin(void);
void cli_report_json(FILE *to, int status);
void cli_report_failure(FILE *to, int status);
void cli_report_diagnostics(FILE *to);
void cli_report_end(void);

/* ---- program.c ------------------------------------------------------------------------------- */

/* cli_find_program - where a program of ours is, from the folder of this one: in the build tree, or
 * as installed. path has room for PATH_MAX bytes; false: in neither place. */
bool cli_find_program(char *path, const char *built, const char *installed);

/* ---- help.c ---------------------------------------------------------------------------------- */

/* cli_help - of the command as a whole.
 * cli_help_command - of one, "run" or "bench op"; false: there is none of that name. */
void cli_help(FILE *to);
bool cli_help_command(FILE *to, const char *name);
/* cli_write_words - length bytes of words from column `at` on, in lines of 79 columns at most that
 * begin at column `indent`. */
void cli_write_words(FILE *to, const char *words, size_t length, size_t at, size_t indent);

/* cli_commit - the commit of a build from a git tree; "": unknown. The build makes it. */
extern const char cli_commit[];

/* ---- device.c -------------------------------------------------------------------------------- */

/* cli_is_device - true if name is a word for a device, be it there or not: "cpu", "cuda:1".
 * cli_is_target - true if it may be what `show` compiles for: also "cpu:avx2", "cuda:sm_90". */
bool cli_is_device(const char *name);
bool cli_is_target(const char *name);

/* ---- options.c ------------------------------------------------------------------------------- */

/* Bits, see the option table; the words of bench are those of another program. */
enum cli_command {
    CLI_RUN = 1,
    CLI_SHOW = 2,
    CLI_DEVICES = 4,
    CLI_BENCH = 8,
    CLI_CC = 16,
    CLI_OP = 32,
    CLI_BENCH_OP = 64, /* forms of bench that are not */
    CLI_BENCH_OPERATIONS = 128,
    CLI_BENCH_DOT = 256,
    CLI_CACHE = 512,
    CLI_INIT = 1024,
    CLI_GRAPH = 2048,
    CLI_CHECK = 4096,
    CLI_PICTURE = 8192,
    CLI_LEARN = 16384,
    CLI_FORMS = CLI_BENCH_OP | CLI_BENCH_OPERATIONS | CLI_BENCH_DOT,
    CLI_ANY = CLI_RUN | CLI_SHOW | CLI_DEVICES | CLI_BENCH | CLI_CC | CLI_OP | CLI_GRAPH |
              CLI_CACHE | CLI_INIT | CLI_CHECK | CLI_PICTURE | CLI_LEARN
};

struct cli_options {
    const char *file;
    const char *kernel; /* NULL: the only one */
    const char *device; /* NULL: cli_default_device */
    const char *stage;  /* of show */
    lw_dim3 grid, block;
    bool has_block;         /* false: block is 256, or what BLOCK(...) fixed */
    uint64_t timeout;       /* nanoseconds; 0: none */
    uint64_t time_launches; /* 0: do not time */
    size_t shared_bytes;    /* dynamic block memory */
    bool json, quiet, help, remarks;
    bool debug;    /* -O0 */
    bool is_check; /* the command is `check`, as all up to sarif */
    int schedules; /* 0: the default, as of seed */
    uint64_t seed;
    bool strict, verbose;
    const char *suppress, *sarif; /* files, or NULL */
    bool count;                   /* of run and check */
    const char *ask;              /* of learn: "--check" or the like, or NULL */
    bool is_picture, with_check;  /* the command is `picture`, as all up to trace_count */
    lw_dim3 drawn;                /* the block */
    uint64_t steps;               /* 0: the default */
    const char **traces;          /* of words */
    size_t trace_count;
    enum cli_color color;
    bool list, markdown; /* of op; list of graph too */
    bool plan;           /* of graph, as draw, a file or NULL */
    const char *draw;
    const char *json_file, *svg;  /* of bench, as all up to elements; "-": stdout */
    const char *threads, *filter; /* words */
    double seconds;               /* 0: the form's own */
    bool small;
    uint64_t elements;                            /* 0: the form's own */
    const char *out, *header, *depfile, *targets; /* of cc; NULL: not given */
    bool no_debug, no_bitcode, no_bounds;         /* of cc */
    bool clear, trim, has_trim_size;              /* of cache */
    uint64_t trim_size;                           /* bytes */
    const char **blocks;                          /* of cc, of words: [TARGET=]X,Y,Z */
    size_t block_count;
    bool cuda;                         /* the text is CUDA, whatever FILE's name is */
    int cuda_arch;                     /* NN of sm_NN; 0: the default */
    const char **instances, **symbols; /* of words: -k of cc, NAME=ARG */
    size_t instance_count, symbol_count;
    const char **defines, **include_dirs, **args; /* of words */
    size_t define_count, include_dir_count, arg_count;
    const char **words;
};

/* cli_options_read - words[0..count) are what follows the command's name. Release options with
 * cli_options_free, also after a failure. */
int cli_options_read(enum cli_command command, char **words, size_t count,
                     struct cli_options *options);
void cli_options_free(struct cli_options *options);

/* cli_is_json_file - true if word names a file of JSON. */
bool cli_is_json_file(const char *word);

/* ---- input.c: FILE that is `-` --------------------------------------------------------------- */

/* cli_is_input - true if the file is standard input.
 * cli_input_name - what messages call the file.
 * cli_input_read - all of standard input as text; release with free, also after a failure.
 * cli_input_file - the same as a memory file, or -1.
 * cli_input_store - such a file of a text. */
bool cli_is_input(const char *file);
const char *cli_input_name(const char *file);
int cli_input_read(char **text);
int cli_input_file(int *file);
int cli_input_store(const char *text, int *file);

/* ---- progress.c ------------------------------------------------------------------------------ */

struct cli_progress {
    pthread_t thread;
    pthread_mutex_t lock;
    pthread_cond_t wake;
    bool is_on, is_ended, is_shown;
    char what[128];
    size_t done, total; /* total above 1: they are shown, with a rate */
    double since;       /* seconds, of what is under way */
};

/* cli_progress_begin - "<verb> <what> ..." on standard error if it takes longer than 0.3 s; only on
 * a terminal, and neither with --quiet nor with --json. To be ended.
 * cli_progress_count - what is under way now, and how much of it is done. p may be NULL.
 * cli_progress_erase - before something else is printed; the line comes back. p may be NULL.
 * cli_progress_end - nothing stays.
 * cli_progress_write - the line as such; "" erases it. */
void cli_progress_begin(struct cli_progress *p, const struct cli_options *options, const char *verb,
                        const char *what);
void cli_progress_count(struct cli_progress *p, const char *verb, const char *what, size_t done,
                        size_t total);
void cli_progress_erase(struct cli_progress *p);
void cli_progress_end(struct cli_progress *p);
void cli_progress_write(const char *text);

/* ---- save.c: files that the command writes --------------------------------------------------- */

/* cli_save - the parts one after the other as a file, whole or not at all: it is renamed into
 * place. Devices and pipes are written to. Status 2 if it cannot be opened, 4 on a full disk. */
int cli_save(const char *path, const struct lw__part *parts, size_t count);

/* ---- text.c: text in memory ------------------------------------------------------------------ */

/* cli_end_text - close the memory stream of a text, or NULL where none could be opened; status 4 if
 * the text is not whole for want of memory. */
int cli_end_text(FILE *memory, char *const *text);

/* cli_text_read - all that a memory file holds, and a NUL; release with free. */
int cli_text_read(int file, char **text, size_t *size);

/* cli_capture - the text that a function of the library writes to a path; release with free. */
typedef lw_status cli_writer(const void *of, const char *path);
int cli_capture(cli_writer *write, const void *of, char **text, size_t *size);

#endif
