/* run.h - a kernel or an operation on what the command line gives it: ARGs by the parameters, a
 * session on a device, the launches, then results as files, text or JSON.
 */
#ifndef LW_CLI_RUN_H
#define LW_CLI_RUN_H

#include "cli/core/cli.h"
#include "text/fill.h"
#include "text/layout.h"

/* ---- bits.c: bit-fields ---------------------------------------------------------------------- */

/* cli_bits_get - the value of a bit-field whose struct has it at `from`, as one of its dtype.
 * cli_bits_put - and back; false: it has more bits, and nothing is changed. */
void cli_bits_get(const struct lw__type *type, const char *from, void *value);
bool cli_bits_put(const struct lw__type *type, const void *value, char *to);

/* ---- value.c --------------------------------------------------------------------------------- */

/* cli_value_read - read one value of type from *text into to, which has type->bytes. *text is then
 * after the value, at ',' or '}' or the end. label says for messages whose value it is. */
int cli_value_read(const struct lw__type *type, const char *label, const char **text, void *to);

/* ---- npy.c: NumPy's file format -------------------------------------------------------------- */

struct cli_npy {
    lw_dtype dtype; /* never BF16: NumPy has none */
    int rank;
    size_t extent[CLI_MAX_RANK];
    size_t count;
    void *data; /* C order, this machine's byte order; owned by the caller */
};

/* cli_npy_read - versions 1 to 3, C and Fortran order, both byte orders.
 * cli_npy_read_stream - the same from an open file of size bytes; path is only its name. */
int cli_npy_read(const char *path, struct cli_npy *array);
int cli_npy_read_stream(const char *path, FILE *file, size_t size, struct cli_npy *array);

/* cli_npy_write - by cli_save. */
int cli_npy_write(const char *path, const struct cli_npy *array);

/* ---- arg.c, buffer.c: one ARG for each parameter --------------------------------------------- */

struct cli_arg {
    lw_param param;
    char *label;           /* "argument 2 (const float *a)" */
    struct lw__type *type; /* the parameter's */
    void *value;           /* by value: type->bytes; ZEROS, CONST, DATA: the elements given */

    bool is_null;   /* a pointer to nothing */
    bool is_buffer; /* all below is of buffers */
    bool has_dtype; /* false: made of structs */
    lw_dtype dtype; /* U8 for structs */
    size_t element_bytes;
    int rank;
    size_t extent[CLI_MAX_RANK]; /* in elements, C order */
    size_t count;
    enum lw__fill fill;
    uint64_t seed;
    char *out;         /* the file to write afterwards; NULL: none */
    lw_buffer *buffer; /* made by cli_arg_create, where there is none yet */
    bool is_borrowed;  /* the buffer is another ARG's, or a program's */
    bool is_kept;      /* cli_arg_refill leaves it as it is */
};

/* cli_arg_read - understand text, the index-th ARG, by param. Release with cli_arg_free.
 * cli_symbol_read - likewise a word of --symbol; it takes the buffer of the program's variable. */
enum { CLI_SYMBOL = INT32_MAX }; /* an index: a word of --symbol */
int cli_arg_read(size_t index, const lw_param *param, const char *text, struct cli_arg *arg);
int cli_symbol_read(lw_program *program, const char *word, struct cli_arg *arg);
int cli_arg_create(lw_device *device, struct cli_arg *arg);

/* cli_arg_refill - set the buffer to what the ARG says; before every launch. */
int cli_arg_refill(struct cli_arg *arg);

/* cli_arg_pack - as lw_stream_launch takes it; borrows from arg. */
lw_arg cli_arg_pack(const struct cli_arg *arg);
int cli_arg_write_file(const struct cli_arg *arg);
void cli_arg_free(struct cli_arg *arg);

/* ---- run.c, print.c, json.c ------------------------------------------------------------------ */

struct cli_line {
    lw_dim3 block, thread;
    char *text;
};

/* All that a run found out. */
struct cli_result {
    const char *kernel, *device;
    lw_dim3 grid, block;
    struct cli_arg *args; /* of the kernel's parameters */
    size_t arg_count;
    struct cli_line *lines; /* JSON only: what the kernel printed; otherwise printed at once */
    size_t line_count;
    size_t lost;     /* lines that did not fit */
    uint64_t *times; /* ns, ascending, time_count of them */
    size_t time_count;
    int failed;                                     /* exit status; 0: the launch went well */
    bool quiet;                                     /* no buffers */
    void (*write_more)(FILE *to, const void *more); /* JSON: ",\n" and members, or NULL */
    const void *more;
    const char *findings; /* JSON: members of the device `check`, or NULL */
};

/* cli_is_output - is this a buffer that the kernel could write? */
bool cli_is_output(const struct cli_arg *arg);

/* cli_print_result - buffers and times as text. */
int cli_print_result(FILE *to, const struct cli_result *result);

/* cli_next_shown - the index of an axis after `at`: at + 1 but where a long one is cut short.
 * cli_print_matrix - a buffer of two or more axes; indent: the columns before its first bracket. */
size_t cli_next_shown(const struct cli_arg *arg, int axis, size_t at);
int cli_print_matrix(FILE *to, const struct cli_arg *arg, const struct lw__type *element,
                     const char *data, int indent);
int cli_json_result(FILE *to, const struct cli_result *result);

/* How a value is written: as the command reads it, or as JSON. */
enum cli_notation { CLI_TEXT, CLI_JSON };
void cli_print_value(FILE *to, enum cli_notation notation, const struct lw__type *type,
                     const char *value);

/* cli_arg_element - the type of one element of a buffer. scratch: room for a type made up here. */
const struct lw__type *cli_arg_element(const struct cli_arg *arg, struct lw__type *scratch);

/* ---- session.c: a device, and work on it ----------------------------------------------------- */

struct cli_session {
    const struct cli_options *options;
    lw_device *device;
    lw_device_info info;
    lw_stream *stream;
    lw_event *begin, *end;
    bool was_queued; /* the work of the last cli_session_time: what failed, failed later */
    size_t runs;     /* that were before the one under way in cli_session_run */
    struct cli_progress *progress; /* of cli_session_run; NULL: none */
    const char *running;           /* its kernel or operation */
    bool has_found;                /* a wait told of findings */
};

/* cli_session_open - the device of the options, a stream and marks. Release it with
 * cli_session_close, also after a failure, and before the buffers: it waits for what uses them. */
int cli_session_open(struct cli_session *session, const struct cli_options *options);
void cli_session_close(struct cli_session *session);

/* cli_trap_faults - a kernel that leaves its buffers, of whatever size, fails its launch only. */
int cli_trap_faults(void);

typedef lw_status cli_queue(void *job, lw_stream *stream);

/* cli_session_time - queue the job `calls` times, wait; *time: ns from the first to the end of the
 * last. Waits no longer than the options' timeout. */
lw_status cli_session_time(struct cli_session *session, cli_queue *queue, void *job, uint64_t calls,
                           uint64_t *time);

/* Work whose results are shown. */
struct cli_task {
    const char *what;     /* "kernel", for messages */
    struct cli_arg *args; /* set to what they say before every run */
    size_t arg_count;
    cli_queue *queue;
    bool (*is_limit)(const void *job); /* was it refused for a limit, not a wrong ARG? or NULL */
    void *job;
    struct cli_result *result; /* its times are filled in; release them with free */
};

/* cli_session_run - as often as the options say. */
int cli_session_run(struct cli_session *session, const struct cli_task *task);

/* cli_session_deliver - files, then text or JSON. */
int cli_session_deliver(const struct cli_session *session, struct cli_result *result);

/* ---- check.c: the device `check` ------------------------------------------------------------- */

/* cli_configure_check - set what the options say.
 * cli_has_findings - true if the launches so far have some that are no warnings.
 * cli_print_findings - as text: of `lanewise check` to standard output, else to standard error.
 * cli_json_findings - as members of an object, NULL on other devices; release with free.
 * cli_json_stream - the same of a stream of `check`, from the member that begins with `first`. */
lw_status cli_configure_check(lw_device *device, const struct cli_options *options);
bool cli_has_findings(const struct cli_session *session);
int cli_print_findings(const struct cli_session *session);
int cli_json_findings(const struct cli_session *session, char **members);
int cli_json_stream(lw_stream *stream, const char *first, char **members);

/* cli_sarif_begin - the file of --sarif can be written; what is left of an earlier run is gone.
 * cli_sarif_write - a log of the session's findings, of a launch that failed too. */
int cli_sarif_begin(const struct cli_options *options);
int cli_sarif_write(const struct cli_session *session);

/* ---- picture.c: what launches did ------------------------------------------------------------ */

/* cli_picture_begin - before a launch, where the options ask for a picture or counts. source: the
 * text of FILE if that is `-`, or NULL.
 * cli_picture_save - the picture, after the launch, also one that failed.
 * cli_picture_print_counts - as text, with --count. */
int cli_picture_begin(const struct cli_session *session, const char *source);
int cli_picture_save(const struct cli_session *session);
int cli_picture_print_counts(FILE *to, const struct cli_session *session);

/* ---- counts.c: an lw_picture_counts by names ------------------------------------------------- */

/* cli_count_read - the name of the index-th count, and its number; NULL: there is none.
 * cli_json_counts - all as the member "counts" of an object, with a comma before it.
 * cli_json_counts_as - as a member of another name.
 * cli_share - part of whole, 0 where there is nothing. */
const char *cli_count_read(const void *counts, size_t index, uint64_t *number);
void cli_json_counts(FILE *to, const void *counts);
void cli_json_counts_as(FILE *to, const char *member, const void *counts);
double cli_share(uint64_t part, uint64_t whole);

/* ---- commands -------------------------------------------------------------------------------- */

int cli_run(const struct cli_options *options);
int cli_check(const struct cli_options *options);
int cli_picture(const struct cli_options *options);
int cli_devices(const struct cli_options *options);
int cli_op(const struct cli_options *options);
int cli_graph(const struct cli_options *options);

#endif
