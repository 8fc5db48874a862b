/* worker.c - a process for each device and number of threads, which a library reads once.
 *
 * A worker is forked when all rows are there, so that a request is only a number. What it says on
 * standard error goes to a file in memory and becomes the text of its reply. The parent never opens
 * a device; it waits for a reply or for SIGINT, whichever comes first, and can end a worker at any
 * time. A worker ends when its requests do, or with its parent.
 */
#include "cli/bench/bench.h"
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <sched.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/signalfd.h>
#include <sys/wait.h>
#include <unistd.h>

struct request {
    enum bench_request what;
    size_t row;
};

/* ---- pipes ----------------------------------------------------------------------------------- */

/* take_log - the first line that was written to the log, without our name; then it is empty. */
static void take_log(int log, char text[BENCH_TEXT])
{
    static const char ours[] = "lanewise: ";
    char line[BENCH_TEXT + sizeof ours];
    ssize_t length = pread(log, line, sizeof line - 1, 0);
    line[length > 0 ? length : 0] = '\0';
    line[strcspn(line, "\n")] = '\0';
    bool is_ours = strncmp(line, ours, sizeof ours - 1) == 0;
    snprintf(text, BENCH_TEXT, "%.*s", BENCH_TEXT - 1, line + (is_ours ? sizeof ours - 1 : 0));
    if (ftruncate(log, 0) != 0 || lseek(log, 0, SEEK_SET) != 0)
        return; /* the next text begins with this one */
}

/* ---- the worker ------------------------------------------------------------------------------ */

static int open_session(struct bench_worker *worker, struct cli_options *options,
                        struct cli_session *session)
{
    char threads[16];
    snprintf(threads, sizeof threads, "%d", worker->threads);
    if (worker->threads > 0 && setenv("LANEWISE_NUM_THREADS", threads, 1))
        return cli_fail_memory(sizeof threads);
    lw_status status = lw_trap_faults();
    if (status != LW_OK)
        return cli_fail_library(status);
    options->device = worker->device;
    options->timeout = 0;
    return cli_session_open(session, options);
}

/* close_group - a request names one of the group's rows. */
static void close_group(struct bench *bench, const struct bench_row *row)
{
    for (size_t i = 0; i < bench->row_count; i++)
        if (bench->rows[i].group == row->group && bench->rows[i].worker == row->worker)
            bench_close(&bench->rows[i]);
}

static int serve_one(struct bench *bench, const struct request *request,
                     struct cli_session *session, struct bench_reply *reply)
{
    struct bench_row *row = &bench->rows[request->row];
    int failed = CLI_DONE;
    switch (request->what) {
    case REQUEST_READY: break;
    case REQUEST_OPEN: failed = bench_open(bench, row, session, &reply->value); break;
    case REQUEST_SAMPLE: failed = bench_sample(row, session, &reply->seconds); break;
    case REQUEST_CLOSE: close_group(bench, row); break;
    }
    reply->calls = bench->row_count ? row->calls : 0;
    return failed;
}

static void serve(struct bench *bench, struct bench_worker *worker, int from, int to)
{
    struct cli_options options = *bench->options;
    struct cli_session session = {0};
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    dup2(worker->log, STDERR_FILENO);
    dup2(worker->log, STDOUT_FILENO);
    int failed = open_session(worker, &options, &session);
    struct request request;
    while (read_pipe(from, &request, sizeof request)) {
        struct bench_reply reply = {.status = failed};
        if (!failed)
            reply.status = serve_one(bench, &request, &session, &reply);
        if (request.what == REQUEST_READY)
            snprintf(reply.text, sizeof reply.text, "%s", failed ? "" : session.info.name);
        fflush(stderr);
        if (reply.status)
            take_log(worker->log, reply.text);
        if (write(to, &reply, sizeof reply) != sizeof reply)
            break;
    }
    /* Open objects end with the process. */
}

/* ---- the parent ------------------------------------------------------------------------------ */

int bench_all_threads(void)
{
    const char *said = getenv("LANEWISE_NUM_THREADS");
    int threads = said ? atoi(said) : 0;
    cpu_set_t set;
    if (threads < 1 && sched_getaffinity(0, sizeof set, &set) == 0)
        threads = CPU_COUNT(&set);
    return threads > 0 ? threads : 1;
}

int bench_add_worker(struct bench *bench, const char *device, int threads)
{
    if (bench->worker_count == BENCH_WORKERS) {
        cli_fail(CLI_USAGE, "at most %d pairs of device and threads", BENCH_WORKERS);
        return -1;
    }
    struct bench_worker *worker = &bench->workers[bench->worker_count];
    bool is_cpu = !device || strncmp(device, "cpu", 3) == 0;
    int shown = threads ? threads : bench_all_threads();
    *worker = (struct bench_worker){.device = device,
                                    .threads = threads,
                                    .to = -1,
                                    .from = -1,
                                    .log = -1,
                                    .has_limits = is_cpu || strncmp(device, "cuda", 4) == 0};
    snprintf(worker->label, sizeof worker->label, "%.32s", device ? device : "cpu");
    if (is_cpu)
        snprintf(worker->label, sizeof worker->label, "cpu, %d thread%s", shown,
                 shown > 1 ? "s" : "");
    return bench->worker_count++;
}

static int fail_start(const char *what)
{
    return cli_fail(CLI_LAUNCH, "no %s for a process that measures: %s", what, strerror(errno));
}

static int start_worker(struct bench *bench, struct bench_worker *worker)
{
    int request[2], reply[2];
    worker->log = memfd_create("lanewise-bench", MFD_CLOEXEC);
    if (worker->log < 0)
        return fail_start("memory file");
    if (pipe2(request, O_CLOEXEC) != 0)
        return fail_start("pipe");
    if (pipe2(reply, O_CLOEXEC) != 0) {
        close(request[0]), close(request[1]);
        return fail_start("pipe");
    }
    fflush(NULL);
    const pid_t parent = getpid();
    worker->pid = fork();
    if (worker->pid == 0) {
        prctl(PR_SET_PDEATHSIG, SIGKILL); /* a command that is killed leaves nobody measuring */
        if (getppid() != parent)
            _exit(0);
        close(request[1]), close(reply[0]);
        for (int i = 0; i < bench->worker_count; i++) /* else those before would never end */
            if (bench->workers[i].to >= 0)
                close(bench->workers[i].to);
        serve(bench, worker, request[0], reply[1]);
        _exit(0);
    }
    close(request[0]), close(reply[1]);
    worker->to = request[1];
    worker->from = reply[0];
    return worker->pid > 0 ? CLI_DONE : fail_start("room");
}

int bench_start(struct bench *bench)
{
    sigset_t interrupt;
    sigemptyset(&interrupt);
    sigaddset(&interrupt, SIGINT);
    sigprocmask(SIG_BLOCK, &interrupt, NULL); /* of the workers too: the parent ends them */
    bench->signals = signalfd(-1, &interrupt, SFD_CLOEXEC);
    if (bench->signals < 0)
        return fail_start("signals");
    for (int i = 0; i < bench->worker_count; i++) {
        int failed = start_worker(bench, &bench->workers[i]);
        if (failed)
            return failed;
    }
    for (int i = 0; i < bench->worker_count && !bench->is_interrupted; i++) {
        struct bench_worker *worker = &bench->workers[i];
        struct bench_reply reply;
        if (!bench_ask(bench, i, REQUEST_READY, 0, &reply))
            break;
        worker->status = reply.status;
        memcpy(reply.status ? worker->problem : worker->name, reply.text,
               reply.status ? sizeof worker->problem : sizeof worker->name - 1);
    }
    return CLI_DONE;
}

/* fail_gone - the worker is gone: why. */
static void fail_gone(struct bench_worker *worker, struct bench_reply *reply)
{
    int status = 0;
    waitpid(worker->pid, &status, 0);
    worker->pid = 0;
    take_log(worker->log, reply->text);
    if (WIFSIGNALED(status))
        snprintf(reply->text, sizeof reply->text, "the process ended by signal %d (%s)",
                 WTERMSIG(status), strsignal(WTERMSIG(status)));
    else if (!reply->text[0])
        snprintf(reply->text, sizeof reply->text, "the process ended with status %d",
                 WEXITSTATUS(status));
    reply->status = worker->status = CLI_LAUNCH;
    memcpy(worker->problem, reply->text, sizeof worker->problem);
}

bool bench_ask(struct bench *bench, int index, enum bench_request what, size_t row,
               struct bench_reply *reply)
{
    struct bench_worker *worker = &bench->workers[index];
    struct request request = {what, row};
    *reply = (struct bench_reply){.status = worker->status};
    memcpy(reply->text, worker->problem, sizeof reply->text);
    if (worker->status)
        return true;
    if (write(worker->to, &request, sizeof request) != sizeof request) {
        fail_gone(worker, reply);
        return true;
    }
    struct pollfd ends[] = {{.fd = worker->from, .events = POLLIN},
                            {.fd = bench->signals, .events = POLLIN}};
    while (poll(ends, 2, -1) < 0 && errno == EINTR)
        continue;
    if (ends[1].revents) {
        bench->is_interrupted = true;
        return false;
    }
    if (!read_pipe(worker->from, reply, sizeof *reply))
        fail_gone(worker, reply);
    return true;
}

void bench_stop(struct bench *bench)
{
    for (int i = 0; i < bench->worker_count; i++) {
        struct bench_worker *worker = &bench->workers[i];
        if (worker->to >= 0)
            close(worker->to);
        if (worker->pid > 0 && bench->is_interrupted)
            kill(worker->pid, SIGKILL);
        if (worker->from >= 0)
            close(worker->from);
        if (worker->pid > 0)
            waitpid(worker->pid, NULL, 0);
        if (worker->log >= 0)
            close(worker->log);
    }
    if (bench->signals >= 0)
        close(bench->signals);
}
