/* cache.c - the cache with real entries: damage anywhere is seen, processes that build the same
 * kernel at once do not harm each other, a full or read-only disk only costs time.
 */
#include "base/base.h"
#include "robust.h"
#include "run/build/build.h"
#include <dirent.h>
#include <fcntl.h>
#include <sched.h>
#include <sys/mount.h>
#include <sys/wait.h>

enum { SAMPLES = 2000, REBUILDS = 6 };

static char folder[] = "/tmp/lanewise-robust-XXXXXX";

/* The path of the one file in the folder whose name has that ending; false: there is none. */
static bool find_file(const char *ending, char path[320])
{
    DIR *d = opendir(folder);
    path[0] = '\0';
    struct dirent *e;
    while (d && (e = readdir(d)))
        if (strlen(e->d_name) > strlen(ending) &&
            !strcmp(e->d_name + strlen(e->d_name) - strlen(ending), ending))
            snprintf(path, 320, "%s/%s", folder, e->d_name);
    if (d)
        closedir(d);
    return path[0] != '\0';
}

static void put(const char *path, const char *bytes, size_t count)
{
    int file = open(path, O_WRONLY | O_CREAT | O_TRUNC, 0600);
    CHECK(file >= 0 && write(file, bytes, count) == (ssize_t)count);
    close(file);
}

/* damaged - so many bytes of good with one of them changed; at == length: none. */
static void put_damaged(const char *path, struct lw__bytes *good, size_t length, size_t at,
                        unsigned bits)
{
    if (at < length)
        good->bytes[at] = (char)(good->bytes[at] ^ bits);
    put(path, good->bytes, length);
    if (at < length)
        good->bytes[at] = (char)(good->bytes[at] ^ bits);
}

static bool is_found(void)
{
    char path[320], *end;
    CHECK(find_file(".txt", path));
    struct lw__cache cache;
    lw__cache_open(&cache);
    struct lw__bytes found;
    CHECK(!lw__cache_find(&cache, strtoull(strrchr(path, '/') + 1, &end, 16), &found));
    CHECK(!strcmp(end, ".txt"));
    lw__cache_close(&cache);
    const bool is = found.bytes;
    free(found.bytes);
    return is;
}

/* Bytes all over the file, one bit of each in turn, and cuts; then the whole way through a build,
 * which makes the file what it was. */
static void damage(lw_device *device, const char *ending)
{
    char path[320];
    CHECK(find_file(ending, path));
    struct lw__bytes good;
    WORKS(lw__read_file(path, &good));
    CHECK(is_found());
    size_t step = good.length / SAMPLES + 1;
    for (size_t at = 0, i = 0; at < good.length; at += step, i++) {
        put_damaged(path, &good, good.length, at, 1u << i % 8);
        CHECK(!is_found());
        if (i % 8 == 0) {
            put(path, good.bytes, at);
            CHECK(!is_found());
        }
    }
    for (size_t i = 0; i < REBUILDS; i++) {
        size_t at = good.length * i / REBUILDS;
        put_damaged(path, &good, i % 2 ? at : good.length, at, 0x40);
        build_and_sum(device);
        CHECK(is_found());
    }
    CHECK(find_file(ending, path));
    struct lw__bytes again;
    WORKS(lw__read_file(path, &again));
    CHECK(again.length == good.length && !memcmp(again.bytes, good.bytes, good.length));
    free(again.bytes);
    free(good.bytes);
}

static void remove_entries(void)
{
    char path[320];
    while (find_file(".txt", path) || find_file(".so", path) || find_file("written", path))
        CHECK(unlink(path) == 0);
}

static void wait_all(int count)
{
    for (int i = 0; i < count; i++) {
        int status;
        CHECK(wait(&status) > 0 && WIFEXITED(status) && WEXITSTATUS(status) == 0);
    }
}

/* Processes that find nothing and build the same at once. */
static void together(void)
{
    enum { PROCESSES = 4, ROUNDS = 3 };
    fflush(stdout);
    for (int round = 0; round < ROUNDS; round++) {
        for (int i = 0; i < PROCESSES; i++)
            if (fork() == 0) {
                lw_device *device = open_ref();
                build_and_sum(device);
                build_and_sum(device);
                lw_device_close(device);
                fflush(stdout);
                _exit(failures != 0);
            }
        wait_all(PROCESSES);
        CHECK(is_found());
        remove_entries();
    }
}

/* Build on a file system of the test's own, mounted with these options: `size` makes it full. */
static int on_mount(unsigned long flags, const char *options)
{
    if (unshare(CLONE_NEWNS) && unshare(CLONE_NEWUSER | CLONE_NEWNS))
        return 77;
    if (mount("none", "/", NULL, MS_REC | MS_PRIVATE, NULL) ||
        mount("none", folder, "tmpfs", 0, options))
        return 77;
    if (flags && mount("none", folder, NULL, MS_REMOUNT | flags, options))
        return 77;
    lw_device *device = open_ref();
    build_and_sum(device);
    build_and_sum(device);
    lw_device_close(device);
    fflush(stdout);
    return failures != 0;
}

static void try_mount(const char *what, unsigned long flags, const char *options)
{
    fflush(stdout);
    pid_t child = fork();
    if (child == 0)
        _exit(on_mount(flags, options));
    int status;
    CHECK(waitpid(child, &status, 0) == child && WIFEXITED(status));
    if (WIFEXITED(status) && WEXITSTATUS(status) == 77)
        printf("not tried, no right to mount: %s\n", what);
    else
        CHECK(WEXITSTATUS(status) == 0);
}

int main(void)
{
    if (!mkdtemp(folder))
        return 2;
    setenv("LANEWISE_CACHE_DIR", folder, 1);
    unsetenv("LANEWISE_CACHE");
    together();
    try_mount("a full disk", 0, "size=4k,mode=700");
    try_mount("a disk that gets full", 0, "size=12k,mode=700");
    try_mount("a read-only disk", MS_RDONLY, "mode=700");
    lw_device *device = open_ref();
    build_and_sum(device);
    damage(device, ".txt");
    damage(device, ".so");
    lw_device_close(device);
    remove_entries();
    CHECK(rmdir(folder) == 0);
    return failures != 0;
}
