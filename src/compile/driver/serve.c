/* serve.c - the server of src/base/serve.h.
 */
#include "base/serve.h"
#include "compile/driver/driver.h"
#include "compile/llvm/llvm.h"
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/signalfd.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

/* Builds at a time; further requests wait in the socket. Descriptors below FREE are taken, so that
 * none that arrives has the number that it shall have in the child. */
enum { BUILDS_MAX = 64, FREE = 16 };
_Static_assert(FREE >= 3 + LW_SERVE_FILES_MAX, "descriptors of a child");

struct build {
    pid_t pid;
    int answer;
};

struct server {
    int socket, ended; /* ended: a signalfd of SIGCHLD */
    struct build builds[BUILDS_MAX];
    size_t build_count;
};

/* What a message brought. */
struct request {
    struct lw__serve_request header;
    int files[LW_SERVE_FILES + LW_SERVE_FILES_MAX];
    size_t file_count;
};

static void close_files(const struct request *request)
{
    for (size_t i = 0; i < request->file_count; i++)
        close(request->files[i]);
}

/* False: nobody is there any more. A message that is not whole is answered by its end. */
static bool receive(int socket, struct request *request)
{
    union {
        struct cmsghdr header;
        char bytes[CMSG_SPACE(sizeof request->files)];
    } control;
    struct iovec part = {&request->header, sizeof request->header};
    struct msghdr message = {.msg_iov = &part,
                             .msg_iovlen = 1,
                             .msg_control = &control,
                             .msg_controllen = sizeof control};
    const ssize_t got = recvmsg(socket, &message, MSG_CMSG_CLOEXEC);
    request->file_count = 0;
    if (got <= 0)
        return got < 0 && errno == EINTR;
    const struct cmsghdr *sent = CMSG_FIRSTHDR(&message);
    if (sent && sent->cmsg_type == SCM_RIGHTS) {
        request->file_count = (sent->cmsg_len - CMSG_LEN(0)) / sizeof(int);
        memcpy(request->files, CMSG_DATA(sent), request->file_count * sizeof(int));
    }
    const size_t needed = LW_SERVE_FILES + (size_t)__builtin_popcount(request->header.is_open);
    if (got != sizeof request->header || message.msg_flags & (MSG_CTRUNC | MSG_TRUNC) ||
        request->file_count != needed) {
        close_files(request);
        request->file_count = 0;
    }
    return true;
}

static struct lw__arena of_child; /* until it ends */

/* count texts of a memory file, each with its NUL, and a NULL. NULL: it has others. */
static char **read_texts(int file, size_t count)
{
    struct stat s;
    if (fstat(file, &s) || !s.st_size)
        return NULL;
    char *text = mmap(NULL, (size_t)s.st_size, PROT_READ | PROT_WRITE, MAP_PRIVATE, file, 0);
    char **texts = text == MAP_FAILED ? NULL : lw__new(&of_child, count + 1, sizeof *texts);
    const char *const end = texts ? text + s.st_size : NULL;
    for (size_t i = 0; texts && i < count; i++) {
        texts[i] = text;
        text = memchr(text, 0, (size_t)(end - text));
        if (!text++)
            return NULL;
    }
    return texts;
}

/* In the child: all that makes it one of who asks. False: it cannot be. */
static bool become(const struct request *request, int *argc, char ***argv)
{
    const struct lw__serve_request *r = &request->header;
    char **texts =
        read_texts(request->files[LW_SERVE_TEXTS], (size_t)r->word_count + r->variable_count);
    if (!texts || fchdir(request->files[LW_SERVE_FOLDER]))
        return false;
    *argc = (int)r->word_count;
    *argv = lw__new(&of_child, (size_t)r->word_count + 1, sizeof **argv);
    memcpy(*argv, texts, r->word_count * sizeof **argv);
    environ = texts + r->word_count;

    const int printed = request->files[LW_SERVE_PRINTED];
    const int *next = request->files + LW_SERVE_FILES;
    bool ok = dup2(printed, STDOUT_FILENO) >= 0 && dup2(printed, STDERR_FILENO) >= 0;
    for (int i = 0; i < FREE - 3; i++) {
        if (i < LW_SERVE_FILES_MAX && r->is_open >> i & 1)
            ok = ok && dup2(*next++, 3 + i) >= 0;
        else
            close(3 + i);
    }
    close_range(FREE, ~0U, 0);
    for (int i = 0; i < RLIM_NLIMITS; i++)
        setrlimit(i, &r->limits[i]);
    sigset_t none;
    sigemptyset(&none);
    signal(SIGINT, SIG_DFL);
    signal(SIGPIPE, SIG_DFL);
    sigprocmask(SIG_SETMASK, &none, NULL);
    return ok;
}

/* Takes a request. True in the child. */
static bool begin(struct server *server, const struct request *request, int *argc, char ***argv)
{
    const pid_t pid = fork();
    if (pid == 0) {
        if (!become(request, argc, argv))
            _exit(LW_SERVE_CANNOT);
        return true;
    }
    if (pid > 0)
        server->builds[server->build_count++] =
            (struct build){pid, dup(request->files[LW_SERVE_ANSWER])};
    close_files(request);
    return false;
}

static void reap(struct server *server)
{
    struct signalfd_siginfo unused;
    int status;
    while (read(server->ended, &unused, sizeof unused) > 0)
        ;
    for (pid_t pid; (pid = waitpid(-1, &status, WNOHANG)) > 0;)
        for (size_t i = 0; i < server->build_count; i++)
            if (server->builds[i].pid == pid) {
                (void)!write(server->builds[i].answer, &status, sizeof status);
                close(server->builds[i].answer);
                server->builds[i] = server->builds[--server->build_count];
                break;
            }
}

/* Is another file now where the one was that this process was loaded from? */
static bool is_replaced(void)
{
    char path[4096];
    struct stat loaded, now;
    const ssize_t length = readlink("/proc/self/exe", path, sizeof path - 1);
    if (length < 0)
        return true;
    path[length] = 0;
    return stat(path, &now) || stat("/proc/self/exe", &loaded) || now.st_ino != loaded.st_ino ||
           now.st_dev != loaded.st_dev;
}

/* Everything of the host's is given back, and what its terminal sends is not for this process. */
static bool settle(struct server *server, int socket)
{
    const int null = open("/dev/null", O_RDWR | O_CLOEXEC);
    server->socket = fcntl(socket, F_DUPFD_CLOEXEC, FREE);
    if (null < 0 || server->socket < 0)
        return false;
    for (int i = 0; i < FREE; i++)
        if (i != null)
            dup3(null, i, i < 3 ? 0 : O_CLOEXEC);
    close_range((unsigned)server->socket + 1, ~0U, 0);
    sigset_t child;
    sigemptyset(&child);
    sigaddset(&child, SIGCHLD);
    sigprocmask(SIG_BLOCK, &child, NULL);
    signal(SIGINT, SIG_IGN);
    signal(SIGPIPE, SIG_IGN);
    server->ended = signalfd(-1, &child, SFD_CLOEXEC | SFD_NONBLOCK);
    return server->ended >= 0 && !chdir("/");
}

/* Comes back in children only. */
static void serve(struct server *server, int *argc, char ***argv)
{
    for (;;) {
        struct pollfd files[2 + BUILDS_MAX] = {{.fd = server->ended, .events = POLLIN},
                                               {.fd = server->socket, .events = POLLIN}};
        if (server->build_count == BUILDS_MAX)
            files[1].fd = -1;
        for (size_t i = 0; i < server->build_count; i++)
            files[2 + i].fd = server->builds[i].answer; /* for POLLHUP */
        const int idle = server->build_count ? -1 : 1000 * LW_SERVE_IDLE_SECONDS;
        const int ready = poll(files, 2 + server->build_count, idle);
        if (ready == 0)
            _exit(0);
        if (ready < 0)
            continue;
        for (size_t i = 0; i < server->build_count; i++)
            if (files[2 + i].revents)
                kill(server->builds[i].pid, SIGKILL); /* nobody waits for it */
        if (files[0].revents)
            reap(server);
        if (files[1].revents) {
            struct request request;
            if (!receive(server->socket, &request) || is_replaced())
                _exit(0); /* the children end with it */
            if (request.file_count && begin(server, &request, argc, argv))
                return;
        }
    }
}

void lw__serve(int *argc, char ***argv)
{
    if (*argc < 3 || strcmp((*argv)[1], "--serve") != 0)
        return;
    const int socket = atoi((*argv)[2]);
    (*argv)[2] = (*argv)[0];
    *argc -= 2;
    *argv += 2;
    if (fork() == 0) {
        struct server server = {0};
        if (!settle(&server, socket))
            _exit(LW_EXIT_DEFECT);
        lw__llvm_load();
        serve(&server, argc, argv);
    } else {
        close(socket);
        if (*argc == 1)
            exit(0);
    }
}
