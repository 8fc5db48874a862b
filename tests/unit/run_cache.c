/* The cache: hits, misses, every kind of damage, and folders that cannot be used. */
#include "run_test.h"
#include <dirent.h>
#include <fcntl.h>
#include <sys/stat.h>

static char folder[] = "/tmp/lanewise-cache-XXXXXX", work[64], logged[80];
static lw_device *null;

/* How often the compiler ran since the last question. */
static size_t runs(void)
{
    struct stat s;
    size_t count = stat(logged, &s) ? 0 : (size_t)s.st_size;

    unlink(logged);
    return count;
}

static void build(const char *source, const char *define)
{
    lw_build_options options = {
        .source = source, .defines = &define, .define_count = define ? 1 : 0};
    lw_program *p;

    WORKS(lw_program_build(null, "k.c", &options, &p));
    CHECK(lw_program_kernel_count(p) == 1);
    lw_program_destroy(p);
}

static void entry_path(char path[300], const char *ending)
{
    DIR *d = opendir(folder);

    path[0] = '\0';
    struct dirent *e;
    while (d && (e = readdir(d)))
        if (strstr(e->d_name, ending))
            snprintf(path, 300, "%s/%s", folder, e->d_name);
    if (d)
        closedir(d);
}

static void empty_folder(void)
{
    char path[300];

    for (;;) {
        entry_path(path, ".txt");
        if (!path[0])
            entry_path(path, ".so");
        if (!path[0] || unlink(path))
            return;
    }
}

static size_t file_count(void)
{
    DIR *d = opendir(folder);
    size_t count = 0;

    struct dirent *e;
    while (d && (e = readdir(d)))
        count += e->d_name[0] != '.';
    if (d)
        closedir(d);
    return count;
}

static void hits(void)
{
    build(ADD_ROWS, NULL);
    CHECK(runs() == 1 && file_count() == 1);
    build(ADD_ROWS, NULL);
    CHECK(runs() == 0);
    build(ADD_ROWS, "N=1");
    build(ADD_ROWS, "N=2");
    CHECK(runs() == 2);
    build(ADD_ROWS, "N=1");
    CHECK(runs() == 0 && file_count() == 3);
    build(ADD_ROWS "site\tk.c\t1\t1\tbarrier\n", NULL);
    CHECK(runs() == 1);
    setenv("LANEWISE_CACHE", "0", 1);
    build(ADD_ROWS, NULL);
    CHECK(runs() == 1);
    unsetenv("LANEWISE_CACHE");
    empty_folder();
}

static void put(const char *path, const char *text)
{
    FILE *f = fopen(path, "w");

    CHECK(f && fputs(text, f) >= 0 && fclose(f) == 0);
}

/* A header that the program included changes, then comes back, then is gone. */
static void dependencies(void)
{
    char header[80], rows[1024];

    snprintf(header, sizeof header, "%s/h.h", work);
    put(header, "a");
    snprintf(rows, sizeof rows, "dep\t%s\taf63dc4c8601ec8c\n" ADD_ROWS, header);
    build(rows, NULL);
    build(rows, NULL);
    CHECK(runs() == 1);
    put(header, "b");
    build(rows, NULL);
    CHECK(runs() == 1);
    put(header, "a");
    build(rows, NULL);
    CHECK(runs() == 0);
    unlink(header);
    build(rows, NULL);
    CHECK(runs() == 1);
    empty_folder();
}

#define SMALL_ROWS "kernel\tk\tvoid k()\t1\t0\t0\t0\t0\t0\t0\n"

/* Flip each byte, cut at each byte, add some: the damage is seen and the entry made anew. */
static void damage(const char *ending)
{
    char path[300];

    build(SMALL_ROWS, NULL);
    runs();
    entry_path(path, ending);
    struct lw__bytes good;
    WORKS(lw__read_file(path, &good));
    CHECK(good.length > 5);
    int file;
    for (size_t at = 0; at < 2 * good.length + 1; at++) {
        size_t length = at < good.length ? good.length : at - good.length;

        file = open(path, O_WRONLY | O_CREAT | O_TRUNC, 0600);
        if (at < good.length)
            good.bytes[at] ^= 0x20;
        CHECK(write(file, good.bytes, length) == (ssize_t)length);
        if (at == 2 * good.length)
            CHECK(write(file, "more", 4) == 4);
        if (at < good.length)
            good.bytes[at] ^= 0x20;
        close(file);
        build(SMALL_ROWS, NULL);
        if (runs() != 1) {
            failures++;
            printf("%s: damage %zu was not noticed\n", path, at);
        }
    }
    build(SMALL_ROWS, NULL);
    CHECK(runs() == 0);
    free(good.bytes);
    empty_folder();
}

/* New code under an old key takes a new name, and the old code goes. */
static void changed_payload(void)
{
    char code[80], before[300], after[300];

    snprintf(code, sizeof code, "%s/code", work);
    setenv("LW_FAKE_PAYLOAD", code, 1);
    put(code, "some code");
    damage(".so");
    damage(".txt");
    build(ADD_ROWS, NULL);
    entry_path(before, ".so");
    put(code, "other code");
    entry_path(after, ".txt");
    CHECK(file_count() == 2 && truncate(before, 3) == 0);
    build(ADD_ROWS, NULL);
    entry_path(after, ".so");
    CHECK(runs() == 2 && file_count() == 2 && strcmp(before, after));
    unsetenv("LW_FAKE_PAYLOAD");
    unlink(code);
    empty_folder();
}

static void build_fails(const char *text)
{
    lw_build_options options = {.source = ADD_ROWS};
    lw_program *program;

    FAILS(lw_program_build(null, "k.c", &options, &program), LW_E_ARG, text);
    CHECK(!program);
}

/* The user's folder is not his alone, or is none: an error. */
static void wrong_folders(void)
{
    char path[300], text[500];
    const struct {
        const char *path, *why;
    } folders[] = {{"/dev/null/x", "Not a directory"},
                   {"/proc/nothing/here", "No such file or directory"}};

    snprintf(path, sizeof path, "%s/link", work);
    CHECK(symlink(folder, path) == 0);
    for (int i = 0; i < 3; i++) {
        const char *named = i == 0 ? folder : i == 1 ? path : "/dev/null";

        chmod(folder, i == 0 ? 0750 : 0700);
        setenv("LANEWISE_CACHE_DIR", named, 1);
        snprintf(text, sizeof text,
                 "LANEWISE_CACHE_DIR is '%s'; need a folder of this user, no link, that others may "
                 "not enter (chmod 700)",
                 named);
        build_fails(text);
    }
    unlink(path);
    for (int i = 0; i < 2; i++) {
        setenv("LANEWISE_CACHE_DIR", folders[i].path, 1);
        snprintf(text, sizeof text,
                 "LANEWISE_CACHE_DIR is '%s', which cannot be made: %s; need the path of a folder",
                 folders[i].path, folders[i].why);
        build_fails(text);
    }
    setenv("LANEWISE_CACHE_DIR", "", 1);
    build_fails("LANEWISE_CACHE_DIR is ''; need the path of a folder");
    setenv("LANEWISE_CACHE_DIR", folder, 1);
    CHECK(runs() == 0 && file_count() == 0);
}

/* A folder that cannot be written, or one of the defaults that cannot be made: slower, never
 * wrong. */
static void unusable(void)
{
    chmod(folder, 0500);
    build(ADD_ROWS, NULL);
    if (geteuid())
        CHECK(file_count() == 0);
    CHECK(runs() == 1);
    chmod(folder, 0700);
    empty_folder();
    unsetenv("LANEWISE_CACHE_DIR");
    setenv("XDG_CACHE_HOME", "/dev/null/x", 1);
    build(ADD_ROWS, NULL);
    setenv("XDG_CACHE_HOME", "/proc/nothing/here", 1);
    build(ADD_ROWS, NULL);
    CHECK(runs() == 2);
}

/* $LANEWISE_CACHE_DIR, else $XDG_CACHE_HOME/lanewise, else $HOME/.cache/lanewise; made private. */
static void places(void)
{
    static const char *const below[] = {"/own/deep/er", "/xdg/lanewise", "/home/.cache/lanewise"};
    static const char *const unset[] = {"LANEWISE_CACHE_DIR", "XDG_CACHE_HOME", "HOME"};
    char path[300];

    snprintf(path, sizeof path, "%s/own/deep/er///", work);
    setenv("LANEWISE_CACHE_DIR", path, 1);
    snprintf(path, sizeof path, "%s/xdg", work);
    setenv("XDG_CACHE_HOME", path, 1);
    snprintf(path, sizeof path, "%s/home", work);
    setenv("HOME", path, 1);
    struct stat s;
    for (int i = 0; i < 3; i++) {
        build(ADD_ROWS, NULL);
        build(ADD_ROWS, NULL);
        snprintf(path, sizeof path, "%s%s", work, below[i]);
        CHECK(runs() == 1 && stat(path, &s) == 0 && (s.st_mode & 0777) == 0700);
        unsetenv(unset[i]);
    }
    build(ADD_ROWS, NULL);
    CHECK(runs() == 1);
}

int main(void)
{
    char command[300];

    null = open_device("null");
    CHECK(mkdtemp(folder) != NULL);
    snprintf(work, sizeof work, "%s-work", folder);
    mkdir(work, 0700);
    snprintf(logged, sizeof logged, "%s/log", work);
    setenv("LW_FAKE_LOG", logged, 1);
    setenv("LANEWISE_CACHE_DIR", folder, 1);
    unsetenv("LANEWISE_CACHE");
    hits();
    dependencies();
    changed_payload();
    damage(".txt");
    wrong_folders();
    unusable();
    places();
    snprintf(command, sizeof command, "rm -r %s %s", folder, work);
    CHECK(system(command) == 0);
    lw_device_close(null);
    return failures != 0;
}
