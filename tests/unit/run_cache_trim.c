/* The cache's limit: the least recently used entries go, foreign files stay, what is left over goes
 * when it is old; many processes build and trim at once.
 */
#include "run_test.h"
#include "lanewise/cache.h"
#include <dirent.h>
#include <fcntl.h>
#include <sys/stat.h>
#include <sys/wait.h>

#define TWICE                                                                                      \
    "kernel\ttwice\tvoid twice(float *out, const float *a, int n)\t1\t0\t0\t0\t0\t0\t20\n"         \
    "param\tout\tfloat *\tp(f32)\t0\t8\t1\nparam\ta\tconst float *\tpc(f32)\t8\t8\t1\n"            \
    "param\tn\tint\ti32\t16\t4\t0\n"

static char folder[] = "/tmp/lanewise-trim-XXXXXX", logged[64];
/* How often the compiler ran since the last question. */
static size_t runs(void)
{
    struct stat s;
    size_t count = stat(logged, &s) ? 0 : (size_t)s.st_size;

    unlink(logged);
    return count;
}

static void build(lw_device *device, int which)
{
    char define[20];
    const char *const defines = define;
    lw_build_options options = {.source = TWICE, .defines = &defines, .define_count = 1};

    snprintf(define, sizeof define, "N=%d", which);
    lw_program *p;
    WORKS(lw_program_build(device, "k.c", &options, &p));
    CHECK(lw_program_kernel_count(p) == 1);
    lw_program_destroy(p);
}

static lw_cache_info info(void)
{
    lw_cache_info is;

    WORKS(lw_cache_get_info(&is));
    return is;
}

static size_t trim(uint64_t bytes)
{
    lw_cache_info left;

    WORKS(lw_cache_trim(bytes, &left));
    CHECK(left.bytes <= bytes);
    return left.entries;
}

/* Let all entries seem used that much longer ago. */
static void grow_older(int seconds)
{
    DIR *d = opendir(folder);
    struct dirent *e;

    while ((e = readdir(d))) {
        struct timespec times[2];

        struct stat s;
        if (fstatat(dirfd(d), e->d_name, &s, 0) || !S_ISREG(s.st_mode))
            continue;
        times[0] = times[1] = (struct timespec){s.st_mtim.tv_sec - seconds, s.st_mtim.tv_nsec};
        CHECK(utimensat(dirfd(d), e->d_name, times, 0) == 0);
    }
    closedir(d);
}

static void put(const char *name, size_t bytes)
{
    char path[200];

    snprintf(path, sizeof path, "%s/%s", folder, name);
    FILE *f = fopen(path, "w");
    for (size_t i = 0; i < bytes; i++)
        fputc('x', f);
    CHECK(fclose(f) == 0);
}

static bool is_there(const char *name)
{
    char path[200];

    snprintf(path, sizeof path, "%s/%s", folder, name);
    return access(path, F_OK) == 0;
}

static void remove_here(const char *name)
{
    char path[200];

    snprintf(path, sizeof path, "%s/%s", folder, name);
    CHECK(unlink(path) == 0);
}

/* Four entries; using the oldest saves it, and the next oldest goes. */
static void least_recently_used(lw_device *ref)
{
    build(ref, 0);
    uint64_t one = info().bytes;
    for (int i = 1; i < 4; i++) {
        grow_older(100);
        build(ref, i);
    }
    CHECK(info().entries == 4 && info().bytes >= 4 * one - 64);
    runs();
    build(ref, 0);
    CHECK(runs() == 0 && trim(4 * one + 64) == 4 && trim(3 * one + 64) == 3);
    build(ref, 0);
    build(ref, 2);
    build(ref, 3);
    CHECK(runs() == 0);
    build(ref, 1);
    CHECK(runs() == 1);
    CHECK(trim(0) == 0 && info().bytes == 0 && !is_there(".written"));
    build(ref, 0);
    CHECK(runs() == 1);
    trim(0);
}

/* Nobody asks for it: storing keeps to the limit. */
static void limits(lw_device *ref)
{
    char limit[30];

    build(ref, 0);
    uint64_t one = info().bytes;
    snprintf(limit, sizeof limit, "%llu", (unsigned long long)(4 * one));
    setenv("LANEWISE_CACHE_LIMIT", limit, 1);
    CHECK(info().limit == 4 * one);
    for (int i = 1; i < 20; i++) {
        grow_older(1);
        build(ref, i);
        CHECK(info().bytes <= 4 * one);
    }
    CHECK(info().entries == 3);
    runs();
    build(ref, 19);
    build(ref, 18);
    CHECK(runs() == 0);
    /* One that is larger than the limit stays away. */
    trim(0);
    snprintf(limit, sizeof limit, "%llu", (unsigned long long)one);
    setenv("LANEWISE_CACHE_LIMIT", limit, 1);
    build(ref, 0);
    CHECK(info().entries == 0);
    setenv("LANEWISE_CACHE_LIMIT", "0", 1);
    CHECK(!info().is_used);
    build(ref, 0);
    CHECK(info().entries == 0);
    unsetenv("LANEWISE_CACHE_LIMIT");
    CHECK(info().limit == 1 << 30 && info().is_used);
}

/* A sweep does not come with each entry: there is room for many under a limit that is far. */
static void rarely(lw_device *ref)
{
    char path[200];

    snprintf(path, sizeof path, "%s/.written", folder);
    build(ref, 0);
    struct stat before;
    CHECK(stat(path, &before) == 0);
    build(ref, 1);
    struct stat after;
    CHECK(stat(path, &after) == 0 && after.st_size > before.st_size &&
          after.st_ino == before.st_ino);
    trim(0);
}

static void sizes(void)
{
    static const char *const wrong[] = {
        "", "1.5G", "-1", "1g", "G", "1GB", " 1", "16777216T", "99999999999999999999"};
    static const struct {
        const char *text;
        uint64_t bytes;
    } right[] = {{"0", 0},           {"12", 12},
                 {"7K", 7 << 10},    {"500M", 500 << 20},
                 {"3G", 3ull << 30}, {"16777215T", 16777215ull << 40}};
    lw_cache_info is;
    char text[200];

    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
        setenv("LANEWISE_CACHE_LIMIT", wrong[i], 1);
        snprintf(text, sizeof text,
                 "LANEWISE_CACHE_LIMIT is '%s'; need bytes, a whole number, or one with K, M, G or "
                 "T, as 500M; 0: no cache",
                 wrong[i]);
        FAILS(lw_cache_get_info(&is), LW_E_ARG, text);
    }
    for (size_t i = 0; i < sizeof right / sizeof *right; i++) {
        setenv("LANEWISE_CACHE_LIMIT", right[i].text, 1);
        CHECK(info().limit == right[i].bytes);
    }
    unsetenv("LANEWISE_CACHE_LIMIT");
    FAILS(lw_cache_get_info(NULL), LW_E_ARG, "info is NULL; need a place for what the cache holds");
}

/* Names that are not the cache's are never removed; what is left of ended processes is, when it is
 * old, and code that no entry names. */
static void foreign(lw_device *ref)
{
    static const char *const others[] = {"notes.txt",
                                         "0123456789abcdef",
                                         "0123456789abcdef.text",
                                         "0123456789abcdeg.txt",
                                         "0123456789ABCDEF.txt",
                                         "0123456789abcdef.txt.backup",
                                         "0123456789abcdef-0123456789abcdef.so.1",
                                         "0123456789abcdef-0123456789abcdef.txt",
                                         "0123456789abcdef0.txt"};
    static const char *const left[] = {"0123456789abcdef.txt.new-aB3xYz",
                                       "0123456789abcdef-0123456789abcdef.so.new-aB3xYz",
                                       "0123456789abcdef-0123456789abcdef.so"};
    enum { OTHERS = sizeof others / sizeof *others, LEFT = sizeof left / sizeof *left };
    uint64_t all;

    for (int i = 0; i < OTHERS; i++)
        put(others[i], 1000);
    CHECK(info().bytes == 0 && info().entries == 0 && trim(0) == 0);
    for (int i = 0; i < LEFT; i++)
        put(left[i], 10);
    build(ref, 0);
    all = info().bytes;
    CHECK(info().entries == 1 && trim(all) == 1);
    for (int i = 0; i < LEFT; i++)
        CHECK(is_there(left[i]));
    grow_older(3700);
    CHECK(trim(all) == 1);
    for (int i = 0; i < LEFT; i++)
        CHECK(!is_there(left[i]));
    CHECK(info().bytes == all - 10 * LEFT);
    for (int i = 0; i < LEFT; i++)
        put(left[i], 10);
    CHECK(trim(0) == 0);
    for (int i = 0; i < LEFT; i++)
        CHECK(!is_there(left[i]));
    for (int i = 0; i < OTHERS; i++) {
        CHECK(is_there(others[i]));
        remove_here(others[i]);
    }
}

/* A folder that is not there is not made; one that others may enter is not touched. */
static void folders(void)
{
    char path[200], text[400];

    snprintf(path, sizeof path, "%s/none", folder);
    setenv("LANEWISE_CACHE_DIR", path, 1);
    CHECK(info().entries == 0 && !strcmp(info().path, path) && trim(0) == 0 && !is_there("none"));
    setenv("LANEWISE_CACHE_DIR", folder, 1);
    put("0123456789abcdef.txt", 10);
    chmod(folder, 0755);
    snprintf(text, sizeof text,
             "the cache's folder is '%s'; need a folder of this user, no link, that others may not "
             "enter (chmod 700)",
             folder);
    lw_cache_info is;
    FAILS(lw_cache_trim(0, &is), LW_E_IO, text);
    chmod(folder, 0500);
    CHECK(is_there("0123456789abcdef.txt"));
    if (geteuid())
        FAILS(lw_cache_trim(0, &is), LW_E_IO,
              "the cache's file 0123456789abcdef.txt cannot be removed: Permission denied");
    chmod(folder, 0700);
    trim(0);
}

/* Another clang-19 on PATH, or another one at the same path, is another key. */
static void front_ends(lw_device *ref)
{
    const struct timespec then[2] = {{1000, 0}, {1000, 0}};
    char path[300], *old = lw__copy_string(getenv("PATH"));

    build(ref, 0);
    runs();
    snprintf(path, sizeof path, "/nonexistent:%s/bin:%s", folder, old);
    setenv("PATH", path, 1);
    build(ref, 0);
    CHECK(runs() == 0);
    snprintf(path, sizeof path, "%s/bin", folder);
    CHECK(mkdir(path, 0700) == 0);
    snprintf(path, sizeof path, "%s/bin/clang-19", folder);
    for (int version = 0; version < 2; version++) {
        FILE *f = fopen(path, "w");
        fprintf(f, "build ID %d", version); /* same size, same time */
        fclose(f);
        chmod(path, 0700);
        CHECK(utimensat(AT_FDCWD, path, then, 0) == 0);
        build(ref, 0);
        CHECK(runs() == 1);
        build(ref, 0);
        CHECK(runs() == 0);
    }
    unlink(path);
    setenv("PATH", old, 1);
    free(old);
    build(ref, 0);
    CHECK(runs() == 0);
    snprintf(path, sizeof path, "%s/bin", folder);
    CHECK(rmdir(path) == 0);
    trim(0);
}

/* Eight processes build ten programs and trim and clear all the time: none sees an error. */
static void together(void)
{
    enum { PROCESSES = 8, ROUNDS = 40, PROGRAMS = 10 };

    fflush(stdout);
    setenv("LANEWISE_CACHE_LIMIT", "200K", 1);
    for (int i = 0; i < PROCESSES; i++)
        if (fork() == 0) {
            lw_device *ref = open_device("ref");
            unsigned seed = (unsigned)i;

            for (int round = 0; round < ROUNDS; round++) {
                build(ref, (int)(rand_r(&seed) % PROGRAMS));
                if (rand_r(&seed) % 4 == 0)
                    WORKS(lw_cache_trim(rand_r(&seed) % 100000, NULL));
                if (rand_r(&seed) % 16 == 0)
                    WORKS(lw_cache_trim(0, NULL));
            }
            lw_device_close(ref);
            fflush(stdout);
            _exit(failures != 0);
        }
    for (int i = 0; i < PROCESSES; i++) {
        int status;

        CHECK(wait(&status) > 0 && WIFEXITED(status) && WEXITSTATUS(status) == 0);
    }
    unsetenv("LANEWISE_CACHE_LIMIT");
    trim(0);
}

int main(void)
{
    lw_device *ref = open_device("ref");

    CHECK(mkdtemp(folder) != NULL);
    snprintf(logged, sizeof logged, "%s.log", folder);
    setenv("LW_FAKE_LOG", logged, 1);
    setenv("LW_FAKE_PAYLOAD", getenv("LW_UNIT_PAYLOAD"), 1);
    setenv("LANEWISE_CACHE_DIR", folder, 1);
    unsetenv("LANEWISE_CACHE");
    least_recently_used(ref);
    limits(ref);
    rarely(ref);
    sizes();
    foreign(ref);
    folders();
    front_ends(ref);
    together();
    CHECK(trim(0) == 0 && rmdir(folder) == 0);
    unlink(logged);
    lw_device_close(ref);
    return failures != 0;
}
