/* life.c - what happens to a process while it works: it is forked in the middle of launches, and
 * its compilers are killed under it.
 */
#include "robust.h"
#include <dirent.h>
#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <sys/wait.h>

/* ---- fork ---- */

/* Before GCC 14 a process that ASan watches may be forked while a thread of it holds a lock of
 * libasan's: the child then waits for ever, once in some dozens of times. */
#if defined(__SANITIZE_ADDRESS__) && !defined(__clang__) && __GNUC__ < 14
enum { IS_FORK_SAFE = false };
#else
enum { IS_FORK_SAFE = true };
#endif

enum { CHILD_SECONDS = 300 }; /* a busy machine is slow; one that waits for ever has failed */

#define SLOW_SOURCE                                                                                \
    "#include <lanewise/kernel.h>\n"                                                               \
    "KERNEL void slow(int *out, int n)\n"                                                          \
    "{\n"                                                                                          \
    "    for (int i = 0; i < n; i++)\n"                                                            \
    "        out[thread_idx.x] = warp_sum(out[thread_idx.x]) + i;\n"                               \
    "}\n"

static void in_child(lw_device *device, struct summer *idle, lw_stream *busy)
{
    sum_once(idle);
    build_and_sum(device);
    CHECK(lw_stream_wait(busy) == LW_E_LAUNCH && strstr(lw_last_error(), "forked"));
}

/* The launch in the middle of which it is forked takes `trips` trips, some seconds at most. */
static void forks(const char *name, int trips)
{
    lw_device *device = open_device(name);
    lw_program *program = build_sum(device), *slow;
    lw_build_options options = {.source = SLOW_SOURCE};
    struct summer idle = new_summer(device, program, 1000);
    sum_once(&idle);
    WORKS(lw_program_build(device, "slow.c", &options, &slow));
    lw_kernel *kernel;
    WORKS(lw_program_kernel(slow, "slow", &kernel));
    lw_stream *busy;
    WORKS(lw_stream_create(device, &busy));
    lw_buffer *out;
    WORKS(lw_buffer_create(device, LW_I32, 32, &out));
    WORKS(LW_LAUNCH(busy, kernel, 1, 32, out, trips));
    fflush(stdout);
    pid_t child = fork();
    if (child == 0) {
        alarm(CHILD_SECONDS);
        in_child(device, &idle, busy);
        fflush(stdout);
        _exit(failures != 0);
    }
    int status;
    CHECK(waitpid(child, &status, 0) == child && WIFEXITED(status) && WEXITSTATUS(status) == 0);
    WORKS(lw_stream_wait(busy));
    sum_once(&idle);
    free_summer(&idle);
    lw_stream_destroy(busy);
    lw_buffer_destroy(out);
    lw_program_destroy(slow);
    lw_program_destroy(program);
    lw_device_close(device);
}

/* ---- killed compilers ---- */

/* The process of that name whose parent is `parent`; 0: there is none now. */
static pid_t find_child(pid_t parent, const char *name)
{
    DIR *folder = opendir("/proc");
    pid_t found = 0;
    struct dirent *entry;
    while (folder && !found && (entry = readdir(folder))) {
        char path[64], is_name[64];
        int pid = atoi(entry->d_name), of = 0;
        snprintf(path, sizeof path, "/proc/%d/stat", pid);
        FILE *file = pid > 0 ? fopen(path, "r") : NULL;
        if (!file)
            continue;
        if (fscanf(file, "%*d (%63[^)]) %*c %d", is_name, &of) == 2 && of == parent &&
            strncmp(is_name, name, strlen(name)) == 0)
            found = pid;
        fclose(file);
    }
    if (folder)
        closedir(folder);
    return found;
}

struct kill {
    bool of_clang;
    atomic_bool is_done; /* the build */
    bool has_killed;
};

/* Kill lanewise-compile, or the clang that it started, as soon as it is seen at work. */
static void *killer(void *argument)
{
    struct kill *k = argument;
    while (!k->is_done && !k->has_killed) {
        pid_t pid = find_child(getpid(), "lanewise-compil"); /* names have 15 bytes */
        if (pid && k->of_clang)
            pid = find_child(pid, "clang-19");
        k->has_killed = pid && kill(pid, SIGKILL) == 0;
        usleep(500);
    }
    return NULL;
}

/* A text that takes clang long enough to be met. */
static char *long_source(void)
{
    enum { TERMS = 20000 };
    size_t size = sizeof SUM_SOURCE + 7 * TERMS + 100;
    char *text = malloc(size), *at = text;
    at += sprintf(at, "%sstatic int f(int *a)\n{\n    return 1", SUM_SOURCE);
    for (int i = 0; i < TERMS; i++)
        at += sprintf(at, " + a[1]");
    sprintf(at, ";\n}\nKERNEL void g(int *a)\n{\n    a[0] = f(a);\n}\n");
    return text;
}

static void killed(bool of_clang, const char *how)
{
    struct kill k = {.of_clang = of_clang};
    lw_device *device = open_ref();
    char *source = long_source();
    const char *include = "/"; /* else clang, killed, would be started again without its module */
    lw_build_options options = {.source = source, .include_dirs = &include, .include_dir_count = 1};
    closefrom(3); /* no compiler stays: this build starts one */
    lw_program *program;
    pthread_t thread;
    pthread_create(&thread, NULL, killer, &k);
    lw_status status = lw_program_build(device, "long.c", &options, &program);
    k.is_done = true;
    pthread_join(thread, NULL);
    CHECK(k.has_killed);
    CHECK(status == LW_E_INTERNAL && !program);
    CHECK(strstr(lw_last_error(), how) && strstr(lw_last_error(), "'long.c'"));
    build_and_sum(device);
    lw_device_close(device);
    free(source);
}

int main(void)
{
    setenv("LANEWISE_CACHE", "0", 1);
    if (IS_FORK_SAFE) {
        forks("ref", 200000);
        forks("cpu", 100000000);
    }
    killed(false, "lanewise-compile was ended by signal SIGKILL (9)");
    killed(true, "clang-19 was ended by signal 9");
    return failures != 0;
}
