/* The compiler that stays: the second build starts no program, and whatever happens to the server,
 * or to the process it serves, a build gives what it gave before. */
#include "robust.h"
#include <dirent.h>
#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

static lw_device *ref;
static char folder[] = "/tmp/lanewise-server-XXXXXX", starts_file[64], program[64];

/* How often the program was started, by whom ever: it is a script that keeps count. */
static int starts(void)
{
    struct stat s;
    return stat(starts_file, &s) ? 0 : (int)s.st_size;
}

static void write_file(const char *path, const char *text, mode_t mode)
{
    FILE *file = fopen(path, "w");
    CHECK(file && fputs(text, file) >= 0 && !fclose(file) && !chmod(path, mode));
}

static lw_status build_text(const char *text)
{
    const lw_build_options options = {.source = text};
    lw_program *built = NULL;
    const lw_status status = lw_program_build(ref, folder, &options, &built);
    lw_program_destroy(built);
    return status;
}

/* A kernel that no build has had. */
static lw_status build(void)
{
    static atomic_int number;
    char text[160];
    snprintf(text, sizeof text,
             "#include <lanewise/kernel.h>\nKERNEL void k(int *a) { a[0] = %d; }\n", ++number);
    return build_text(text);
}

/* Has the process the words of a build here that left a server behind? *parent is its parent. */
static bool has_words(pid_t pid, pid_t *parent)
{
    char path[64], words[4096];
    size_t bytes = 0;
    snprintf(path, sizeof path, "/proc/%d/cmdline", pid);
    FILE *file = fopen(path, "r");
    if (file) {
        bytes = fread(words, 1, sizeof words, file);
        fclose(file);
    }
    snprintf(path, sizeof path, "/proc/%d/stat", pid);
    file = fopen(path, "r");
    if (file && fscanf(file, "%*d (%*[^)]) %*c %d", parent) != 1)
        bytes = 0;
    if (file)
        fclose(file);
    return file && memmem(words, bytes, "--serve", 7) &&
           memmem(words, bytes, folder, sizeof folder);
}

/* It has these words, and is neither a child of this process, which did that build, nor of another
 * that has them: its own children do. 0: there is none. */
static pid_t server(void)
{
    DIR *all = opendir("/proc");
    pid_t found = 0, parent, unused;
    for (struct dirent *entry; all && !found && (entry = readdir(all));) {
        const pid_t pid = atoi(entry->d_name);
        if (pid > 0 && has_words(pid, &parent) && parent != getpid() && !has_words(parent, &unused))
            found = pid;
    }
    if (all)
        closedir(all);
    return found;
}

static bool is_gone(pid_t pid)
{
    for (int i = 0; i < 12000; i++) {
        if (!pid || server() != pid)
            return true;
        usleep(5000);
    }
    return false;
}

static void stays(void)
{
    CHECK(starts() == 0);
    WORKS(build());
    CHECK(starts() == 1 && server() > 0);
    for (int i = 0; i < 5; i++)
        WORKS(build());
    CHECK(build_text("#include <lanewise/kernel.h>\nKERNEL void k(int *a) { a[0] = b; }\n") ==
          LW_E_COMPILE);
    CHECK(strstr(lw_last_error(), "undeclared identifier 'b'"));
    CHECK(starts() == 1);
}

static void *many(void *unused)
{
    for (int i = 0; i < 4; i++)
        WORKS(build());
    return unused;
}

static void builds_at_once(void)
{
    pthread_t threads[4];
    for (size_t i = 0; i < 4; i++)
        CHECK(!pthread_create(&threads[i], NULL, many, NULL));
    for (size_t i = 0; i < 4; i++)
        pthread_join(threads[i], NULL);
}

/* Between builds, and while some are running. */
static void killed(void)
{
    const int before = starts();
    kill(server(), SIGKILL);
    WORKS(build());
    WORKS(build());
    CHECK(starts() == before + 1 && server() > 0);
    pthread_t threads[4];
    for (size_t i = 0; i < 4; i++)
        CHECK(!pthread_create(&threads[i], NULL, many, NULL));
    for (int i = 0; i < 10; i++) {
        const pid_t pid = server();
        if (pid)
            kill(pid, SIGKILL);
        usleep(20000);
    }
    for (size_t i = 0; i < 4; i++)
        pthread_join(threads[i], NULL);
    WORKS(build());
}

/* What a process that is started would take over from this one, as it is at the time of a build. */
static void as_if_started(void)
{
    WORKS(build());
    const int before = starts();
    char real[4096];
    CHECK(getcwd(real, sizeof real) && !chdir(folder));
    write_file("mine.h", "enum { MINE = 7 };\n", 0644);
    CHECK(build_text("#include <lanewise/kernel.h>\n#include \"./mine.h\"\n"
                     "KERNEL void k(int *a) { a[0] = MINE; }\n") == LW_OK);
    CHECK(!chdir(real));

    setenv("LANEWISE_INCLUDE", "/nowhere", 1);
    CHECK(build() != LW_OK);
    CHECK(strstr(lw_last_error(), "LANEWISE_INCLUDE is '/nowhere'"));
    unsetenv("LANEWISE_INCLUDE");

#if !defined(__SANITIZE_ADDRESS__) && !defined(__SANITIZE_THREAD__)
    struct rlimit memory, little = {64 << 20, RLIM_INFINITY};
    CHECK(!getrlimit(RLIMIT_AS, &memory));
    little.rlim_max = memory.rlim_max;
    CHECK(!setrlimit(RLIMIT_AS, &little));
    CHECK(build() == LW_E_MEMORY);
    CHECK(!setrlimit(RLIMIT_AS, &memory));
#endif
    WORKS(build());
    CHECK(starts() <= before + 1);
}

/* A process that closes what is not its own, and has other things at these numbers. */
static void closed(void)
{
    WORKS(build());
    const pid_t old = server();
    closefrom(3);
    int pair[64];
    for (size_t i = 0; i < 64; i += 2)
        CHECK(!socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_NONBLOCK, 0, pair + i));
    CHECK(is_gone(old));
    WORKS(build());
    char byte;
    for (size_t i = 0; i < 64; i++)
        CHECK(recv(pair[i], &byte, 1, 0) < 0); /* open, and nothing in it */
    for (size_t i = 0; i < 64; i++)
        close(pair[i]);
    WORKS(build());
}

/* The child has a server of its own; each goes with its process. */
static void forked(void)
{
    WORKS(build());
    const int before = starts();
    const pid_t of_parent = server(), child = fork();
    if (child == 0) {
        WORKS(build());
        WORKS(build());
        CHECK(starts() == before + 1);
        _exit(failures != 0);
    }
    int status;
    CHECK(waitpid(child, &status, 0) == child && status == 0);
    WORKS(build());
    CHECK(starts() == before + 1 && server() == of_parent);
}

/* A server with more rights than its process has by now builds nothing for it. */
static void gives_up(void)
{
    const int before = starts();
    const pid_t child = fork();
    if (child == 0) {
        WORKS(build());
        CHECK(!prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0));
        WORKS(build());
        WORKS(build());
        CHECK(starts() == before + 2);
        _exit(failures != 0);
    }
    int status;
    CHECK(waitpid(child, &status, 0) == child && status == 0);
}

/* A program that is not the one it was loaded from. */
static void replaced(void)
{
    const int before = starts();
    char copy[128], command[8300];
    snprintf(copy, sizeof copy, "%s/copy", folder);
    snprintf(command, sizeof command, "#!/bin/sh\nprintf x >>%s\nexec %s \"$@\"\n", starts_file,
             copy);
    char install[8300];
    snprintf(install, sizeof install, "cp '%s' %s.new && mv %s.new %s", getenv("REAL"), copy, copy,
             copy);
    CHECK(!system(install));
    setenv("LANEWISE_INCLUDE", getenv("INCLUDE"), 1);
    write_file(program, command, 0755);
    kill(server(), SIGKILL);
    WORKS(build());
    WORKS(build());
    CHECK(starts() == before + 1);
    CHECK(!system(install));
    WORKS(build());
    WORKS(build());
    CHECK(starts() == before + 2);
}

int main(void)
{
    CHECK(mkdtemp(folder) != NULL);
    snprintf(starts_file, sizeof starts_file, "%s/starts", folder);
    snprintf(program, sizeof program, "%s/program", folder);
    char script[4200];
    setenv("REAL", getenv("LANEWISE_COMPILE"), 1);
    snprintf(script, sizeof script, "#!/bin/sh\nprintf x >>%s\nexec '%s' \"$@\"\n", starts_file,
             getenv("REAL"));
    write_file(program, script, 0755);
    setenv("LANEWISE_COMPILE", program, 1);
    setenv("LANEWISE_CACHE", "0", 1);
    const pid_t child = fork();
    if (child == 0) {
        ref = open_ref();
        stays();
        builds_at_once();
        killed();
        as_if_started();
        closed();
        forked();
        gives_up();
        replaced();
        lw_device_close(ref);
        CHECK(server() > 0);
        exit(failures != 0);
    }
    int status;
    CHECK(waitpid(child, &status, 0) == child && status == 0);
    CHECK(is_gone(server())); /* it ends with its process */
    char remove[128];
    snprintf(remove, sizeof remove, "rm -r %s", folder);
    CHECK(!system(remove));
    return failures != 0;
}
