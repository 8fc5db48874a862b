/* Statuses and messages: every status has a text of its own; messages are one line, cut, and of the
 * thread that failed. Types, text and hashes besides. */
#include "run_test.h"
#include <errno.h>
#include <pthread.h>
#include <signal.h>
#include <sys/resource.h>
#include <unistd.h>

static void statuses(void)
{
    static const lw_status all[] = {
#define VALUE(name, value, text) LW_##name,
        LW_STATUS_MAP(VALUE)
#undef VALUE
    };
    size_t count = sizeof all / sizeof all[0];

    CHECK(count == 13);
    for (size_t i = 0; i < count; i++) {
        CHECK((int)all[i] == -(int)i);
        CHECK(strlen(lw_status_text(all[i])) > 3);
        for (size_t j = 0; j < i; j++)
            CHECK(strcmp(lw_status_text(all[i]), lw_status_text(all[j])));
    }
    CHECK(!strcmp(lw_status_text((lw_status)1), "unknown status"));
    CHECK(!strcmp(lw_status_text((lw_status)-13), "unknown status"));
    CHECK(!strcmp(lw_version(), LW_VERSION));
    CHECK(lw_warp_size() == 32);
}

static void *other_thread(void *unused)
{
    (void)unused;
    CHECK(!strcmp(lw_last_error(), ""));
    FAILS(lw__fail(LW_E_IO, "elsewhere"), LW_E_IO, "elsewhere");
    return NULL;
}

static void messages(void)
{
    char long_text[2 * LW_MESSAGE_MAX];

    CHECK(!strcmp(lw_last_error(), ""));
    FAILS(lw__fail(LW_E_ARG, "%d of\n%s", 3, "four"), LW_E_ARG, "3 of four");
    FAILS(lw__fail(LW_E_IO, "again: %s", lw_last_error()), LW_E_IO, "again: 3 of four");
    pthread_t thread;
    pthread_create(&thread, NULL, other_thread, NULL);
    pthread_join(thread, NULL);
    CHECK(!strcmp(lw_last_error(), "again: 3 of four"));
    memset(long_text, 'x', sizeof long_text);
    long_text[sizeof long_text - 1] = '\0';
    CHECK(lw__fail(LW_E_ARG, "%s", long_text) == LW_E_ARG);
    CHECK(strlen(lw_last_error()) == LW_MESSAGE_MAX);
    FAILS(lw_fail(LW_E_DTYPE, "%s\nof %d", "public", 2), LW_E_DTYPE, "public of 2");
    FAILS(lw_fail(LW_E_DTYPE, "again: %s", lw_last_error()), LW_E_DTYPE, "again: public of 2");
    FAILS(lw_fail_lines(LW_E_ARG, "1 |\n2 |", "at\n%d", 7), LW_E_ARG, "at 7\n1 |\n2 |");
    FAILS(lw_fail_lines(LW_E_ARG, long_text, "at %d", 7), LW_E_ARG, "at 7");
}

static void types(void)
{
    CHECK(lw_dtype_size(LW_I8) == 1 && lw_dtype_size(LW_BF16) == 2 && lw_dtype_size(LW_F64) == 8);
    CHECK(lw_dtype_size((lw_dtype)13) == 0 && lw_dtype_size((lw_dtype)-1) == 0);
    CHECK(!strcmp(lw_dtype_name(LW_F16), "f16") && !strcmp(lw_dtype_name(LW_BOOL), "bool"));
    CHECK(!strcmp(lw_dtype_name((lw_dtype)13), "?"));
    CHECK(lw__dtypes[LW_I64].kind == 'i' && lw__dtypes[LW_BOOL].kind == 'b');
    CHECK(!lw__dtype_is_float((lw_dtype)99) && !lw__dtype_is_float((lw_dtype)-1));
}

static void texts(void)
{
    struct lw__text text = {0};

    for (int i = 0; i < 1000; i++)
        lw__text_add(&text, "%d,", i);
    CHECK(text.length == 10 * 2 + 90 * 3 + 900 * 4 && strlen(text.data) == text.length);
    CHECK(!strcmp(text.data + text.length - 4, "999,"));
    lw__text_add_bytes(&text, "a\0b", 3);
    lw__text_add_bytes(&text, NULL, 0);
    CHECK(!memcmp(text.data + text.length - 3, "a\0b", 4));
    lw__text_add_bytes(&text, "", SIZE_MAX);
    CHECK(text.failed && text.data[0] == '0');
    lw__text_free(&text);
    CHECK(!text.data && !text.failed);
    void *block;
    CHECK((uintptr_t)lw__alloc_aligned(1, &block) % 64 == 0);
    free(block);
    CHECK(!lw__alloc_aligned(SIZE_MAX, &block) && !block);
}

/* Known answers of the hash's own page. */
static void hashes(void)
{
    CHECK(lw__hash(LW_HASH_START, "", 0) == 0xcbf29ce484222325u);
    CHECK(lw__hash(LW_HASH_START, "a", 1) == 0xaf63dc4c8601ec8cu);
    CHECK(lw__hash(LW_HASH_START, "foobar", 6) == 0x85944171f73967e8u);
    CHECK(lw__hash(lw__hash(LW_HASH_START, "foo", 3), "bar", 3) == 0x85944171f73967e8u);
}

static void files(void)
{
    int ends[2];

    struct lw__bytes bytes;
    FAILS(lw__read_file("/no/such/file", &bytes), LW_E_IO,
          "/no/such/file: No such file or directory");
    FAILS(lw__read_file("/", &bytes), LW_E_IO, "/: Is a directory");
    CHECK(pipe(ends) == 0 && lw__write_all(ends[1], "text", 4) && close(ends[1]) == 0);
    WORKS(lw__read_descriptor(ends[0], "pipe", &bytes));
    CHECK(bytes.length == 4 && !strcmp(bytes.bytes, "text"));
    free(bytes.bytes);
    close(ends[0]);
    CHECK(!lw__write_all(-1, "x", 1));
}

/* A disk on which files have 10 bytes at most. */
static void full_disk(void)
{
    char path[] = "/tmp/lanewise-status-XXXXXX", link[64];

    close(mkstemp(path));
    CHECK(lw__write_file(path, "whole", 5) == LW_OK && access(path, F_OK) == 0);
    struct rlimit before;
    getrlimit(RLIMIT_FSIZE, &before);
    struct rlimit full = before;
    full.rlim_cur = 10;
    signal(SIGXFSZ, SIG_IGN);
    setrlimit(RLIMIT_FSIZE, &full);
    CHECK(lw__write_file(path, "more than ten bytes", 19) == LW_E_IO &&
          strstr(lw_last_error(), ": File too large"));
    setrlimit(RLIMIT_FSIZE, &before);
    CHECK(access(path, F_OK) && errno == ENOENT);
    if (access("/dev/full", W_OK))
        return;
    snprintf(link, sizeof link, "%s.link", path);
    CHECK(symlink("/dev/full", link) == 0);
    CHECK(lw__write_file(link, "whole", 5) == LW_E_IO &&
          strstr(lw_last_error(), ": No space left on device"));
    CHECK(unlink(link) == 0 && access("/dev/full", W_OK) == 0);
}

int main(void)
{
    messages();
    statuses();
    types();
    texts();
    hashes();
    files();
    full_disk();
    return failures != 0;
}
