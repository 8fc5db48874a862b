/* server.c - the lanewise-compile that stays with this process (base/serve.h).
 *
 * The process's first build leaves it behind, and the system ends it with the process.
 */
#include "base/serve.h"
#include "run/build/build.h"
#include <assert.h>
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

/* A process that closes descriptors which are not its own, and has others at their numbers, must
 * not find a request in these: so a socket is known by its number in the file system, too. */
struct server {
    int socket;
    ino_t inode;
};

/* What a process may have given up since it began its server, which then must not build for it: a
 * text can include any file that the server may read. */
struct rights {
    ino_t root, mounts; /* of chroot, and the namespace */
    dev_t of_root;
    uid_t user;
    gid_t group;
    int no_more; /* PR_SET_NO_NEW_PRIVS, which filters of system calls and of files need */
};

static struct {
    pthread_mutex_t lock; /* tried only: after fork() another thread may hold it for ever */
    struct server server;
    pid_t process;       /* whose it is: not the child's after fork() */
    struct stat program; /* the file that it was loaded from */
    struct rights rights;
} own = {.lock = PTHREAD_MUTEX_INITIALIZER, .server.socket = -1};

static bool is_same(const struct stat *a, const char *path)
{
    struct stat b;
    return !stat(path, &b) && a->st_dev == b.st_dev && a->st_ino == b.st_ino;
}

static struct rights rights_now(void)
{
    struct rights r;
    struct stat s;
    memset(&r, 0, sizeof r);
    if (!stat("/", &s)) {
        r.root = s.st_ino;
        r.of_root = s.st_dev;
    }
    if (!stat("/proc/self/ns/mnt", &s))
        r.mounts = s.st_ino;
    r.user = geteuid();
    r.group = getegid();
    r.no_more = prctl(PR_GET_NO_NEW_PRIVS, 0, 0, 0, 0);
    return r;
}

/* Is it this process's, for this program, and with no more rights? */
static bool is_own(const char *compiler)
{
    const struct rights now = rights_now();
    return own.process == getpid() && is_same(&own.program, compiler) &&
           !memcmp(&own.rights, &now, sizeof now);
}

static bool is_there(const struct server *server)
{
    struct stat s;
    return server->socket >= 0 && !fstat(server->socket, &s) && S_ISSOCK(s.st_mode) &&
           s.st_ino == server->inode;
}

/* With the lock. */
static void forget(void)
{
    if (is_there(&own.server))
        close(own.server.socket);
    own.server.socket = -1;
}

__attribute__((destructor)) static void end(void)
{
    if (pthread_mutex_trylock(&own.lock))
        return;
    forget();
    pthread_mutex_unlock(&own.lock);
}

/* ---- a request ---- */

int lw__memory_file(const char *name, const void *bytes, size_t count)
{
    int low = memfd_create(name, MFD_CLOEXEC), high, error;

    if (low < 0)
        return -1;
    high = fcntl(low, F_DUPFD_CLOEXEC, LW_FILE_MIN);
    error = errno == EINVAL ? EMFILE : errno; /* a limit that is below LW_FILE_MIN */
    close(low);
    errno = error;
    if (high >= 0 && !lw__write_all(high, bytes, count)) {
        close(high);
        return -1;
    }
    return high;
}

static int texts_file(char *const *words, struct lw__serve_request *request)
{
    char *const *lists[] = {words, environ};
    uint32_t *const counts[] = {&request->word_count, &request->variable_count};
    struct lw__text texts = {0};
    for (size_t i = 0; i < 2; i++)
        for (*counts[i] = 0; lists[i] && lists[i][*counts[i]]; ++*counts[i]) {
            const char *text = lists[i][*counts[i]];
            lw__text_add_bytes(&texts, text, strlen(text) + 1);
        }
    const int file =
        texts.failed ? -1 : lw__memory_file("lanewise-words", texts.data, texts.length);
    lw__text_free(&texts);
    return file;
}

/* Sends it. The host's end for the answer; -1: it cannot be sent. */
static int ask(int socket, char *const *words, const int *files, size_t count, int printed)
{
    assert(count <= LW_SERVE_FILES_MAX);
    struct lw__serve_request request = {0};
    int answer[2] = {-1, -1}, sent[LW_SERVE_FILES + LW_SERVE_FILES_MAX];
    size_t sent_count = LW_SERVE_FILES;
    if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, answer))
        return -1;
    sent[LW_SERVE_ANSWER] = answer[1];
    sent[LW_SERVE_FOLDER] = open(".", O_PATH | O_DIRECTORY | O_CLOEXEC);
    sent[LW_SERVE_TEXTS] = texts_file(words, &request);
    sent[LW_SERVE_PRINTED] = printed;
    for (size_t i = 0; i < count; i++)
        if (files[i] >= 0) {
            request.is_open |= 1U << i;
            sent[sent_count++] = files[i];
        }
    bool ok = sent[LW_SERVE_FOLDER] >= 0 && sent[LW_SERVE_TEXTS] >= 0;
    for (int i = 0; i < RLIM_NLIMITS; i++)
        ok = ok && !getrlimit(i, &request.limits[i]);

    union {
        struct cmsghdr header;
        char bytes[CMSG_SPACE(sizeof sent)];
    } control = {0};
    struct iovec part = {&request, sizeof request};
    const struct msghdr message = {.msg_iov = &part,
                                   .msg_iovlen = 1,
                                   .msg_control = &control,
                                   .msg_controllen = CMSG_SPACE(sent_count * sizeof *sent)};
    control.header.cmsg_level = SOL_SOCKET;
    control.header.cmsg_type = SCM_RIGHTS;
    control.header.cmsg_len = CMSG_LEN(sent_count * sizeof *sent);
    memcpy(CMSG_DATA(&control.header), sent, sent_count * sizeof *sent);
    ok = ok && sendmsg(socket, &message, MSG_NOSIGNAL) == sizeof request;

    close(answer[1]);
    if (sent[LW_SERVE_FOLDER] >= 0)
        close(sent[LW_SERVE_FOLDER]);
    if (sent[LW_SERVE_TEXTS] >= 0)
        close(sent[LW_SERVE_TEXTS]);
    if (!ok)
        close(answer[0]);
    return ok ? answer[0] : -1;
}

/* What it answers when the build has ended; false: it is gone, or cannot do this one. */
static bool hear(int answer, int *wait_status)
{
    ssize_t got;
    do
        got = read(answer, wait_status, sizeof *wait_status);
    while (got < 0 && errno == EINTR);
    close(answer);
    return got == sizeof *wait_status &&
           !(WIFEXITED(*wait_status) && WEXITSTATUS(*wait_status) == LW_SERVE_CANNOT);
}

enum lw__served lw__server_run(const char *compiler, char *const *words, const int *files,
                               size_t count, int printed, int *wait_status)
{
    ino_t asked = 0;
    int answer = -1;
    if (!pthread_mutex_trylock(&own.lock)) {
        if (own.server.socket >= 0 && !is_own(compiler))
            forget();
        if (is_there(&own.server))
            answer = ask(own.server.socket, words, files, count, printed);
        asked = own.server.inode;
        if (answer < 0)
            forget();
        pthread_mutex_unlock(&own.lock);
    }
    if (answer < 0)
        return LW_SERVER_NONE;
    if (hear(answer, wait_status))
        return LW_SERVED;
    if (!pthread_mutex_trylock(&own.lock)) {
        if (own.server.inode == asked)
            forget();
        pthread_mutex_unlock(&own.lock);
    }
    return LW_SERVER_LOST;
}

int lw__server_begin(const char *compiler)
{
    int ends[2], end = -1;
    struct stat s;
    if (pthread_mutex_trylock(&own.lock))
        return -1;
    if (own.server.socket < 0 && !stat(compiler, &own.program) &&
        !socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, ends)) {
        end = fcntl(ends[1], F_DUPFD_CLOEXEC, LW_FILE_MIN);
        if (end >= 0 && !fstat(ends[0], &s))
            own.server = (struct server){fcntl(ends[0], F_DUPFD_CLOEXEC, LW_FILE_MIN), s.st_ino};
        own.process = getpid();
        own.rights = rights_now();
        close(ends[0]);
        close(ends[1]);
    }
    pthread_mutex_unlock(&own.lock);
    return end;
}
