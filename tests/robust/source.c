/* source.c - any bytes as a kernel file: it is built or refused with an error, the compiler never
 * crashes, and no text keeps it busy without end.
 *
 *     robust_source FOLDER COUNT
 *
 * First the nasty texts, each made to break one thing; then COUNT mutants of the kernel files in
 * FOLDER, always the same ones. A second of processor time stands for the limit that a user has.
 * A text that breaks the promise is kept in /tmp and named.
 */
#include "robust.h"
#include <dirent.h>
#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <sys/resource.h>

enum { TEXT_MAX = 4 << 20, WORKERS = 2 };

struct text {
    char *bytes; /* room for TEXT_MAX */
    size_t length;
};

static char folder[] = "/tmp/lanewise-robust-XXXXXX";
static size_t built, refused;

/* ---- the promise ---- */

static void write_file(const char *path, const struct text *text)
{
    int file = open(path, O_WRONLY | O_CREAT | O_TRUNC, 0600);
    CHECK(file >= 0 && write(file, text->bytes, text->length) == (ssize_t)text->length);
    close(file);
}

static bool is_promise_kept(lw_status status)
{
    static const char *const words[] = {"ended with exit status", "ended by signal", "defect",
                                        "wrong module"};
    for (size_t i = 0; i < sizeof words / sizeof words[0]; i++)
        if (status && strstr(lw_last_error(), words[i]))
            return false;
    return status == LW_OK || (status == LW_E_COMPILE && lw_last_error()[0]);
}

static void try_text(lw_device *device, const char *name, const struct text *text)
{
    char path[128];
    snprintf(path, sizeof path, "%s/%s.c", folder, name);
    write_file(path, text);
    lw_program *program;
    lw_status status = lw_program_build(device, path, NULL, &program);
    __atomic_fetch_add(status ? &refused : &built, 1, __ATOMIC_RELAXED);
    if (is_promise_kept(status)) {
        unlink(path);
    } else {
        __atomic_fetch_add(&failures, 1, __ATOMIC_RELAXED);
        printf("%s: status %d, %s\n", path, status, lw_last_error());
    }
    lw_program_destroy(program);
}

/* ---- nasty texts ---- */

#define HEAD "#include <lanewise/kernel.h>\nKERNEL void k(int *out)\n{\n"
#define TAIL "\n}\n"

/* before, then `repeated` so many times, then middle, then `closing` as often, then after. */
struct nasty {
    const char *name, *before, *repeated;
    int times;
    const char *middle, *closing, *after;
};

static const struct nasty nasties[] = {
    {"empty", "", "", 0, "", "", ""},
    {"parentheses", HEAD "out[0] = ", "(", 100000, "1", ")", ";" TAIL},
    {"braces", HEAD, "{", 100000, "", "}", TAIL},
    {"ifs", HEAD, "if (out[0]) ", 20000, "out[0] = 1;", "", TAIL},
    {"sums", HEAD "out[0] = ", "out[1] + ", 20000, "1;", "", TAIL},
    {"nots", HEAD "out[0] = ", "!", 200000, "1;", "", TAIL},
    {"minuses", HEAD "out[0] = ", "- ", 100000, "out[1];", "", TAIL},
    {"casts", HEAD "out[0] = ", "(int)", 100000, "1;", "", TAIL},
    {"assignments", HEAD, "out[0] = ", 100000, "1;", "", TAIL},
    {"conditionals", HEAD "out[0] = ", "out[0] ? 1 : ", 20000, "1;", "", TAIL},
    {"stars", "#include <lanewise/kernel.h>\nKERNEL void k(int ", "*", 100000, "out) {}", "", "\n"},
    {"dimensions", HEAD "int a", "[1]", 50000, ";", "", TAIL},
    {"statements", HEAD, "out[0] = 1;", 50000, "", "", TAIL},
    {"barriers", HEAD, "barrier();", 300, "", "", TAIL},
    {"collectives", HEAD, "out[0] = warp_sum(out[0]);", 100, "", "", TAIL},
    {"long-name", HEAD "int ", "a", 1000000, " = 1;", "", TAIL},
    {"long-string", HEAD "printf(\"", "a", 1000000, "\");", "", TAIL},
    {"statement-expressions", HEAD "out[0] = ", "({", 250, "1;", "});", TAIL},
    {"line-number", "#line 4294967295\nint x = y;\n", "", 0, "", "", ""},
    {"itself", "#include __FILE__\n#include __FILE__\n", "", 0, "", "", ""},
    {"zeros", "#include \"/dev/zero\"\n", "", 0, "", "", ""},
    {"random", "#include \"/dev/urandom\"\n", "", 0, "", "", ""},
    {"input", "#include \"/dev/stdin\"\n#include \"/dev/fd/3\"\n#include \"/\"\n", "", 0, "", "",
     ""},
    {"embed", HEAD "static const unsigned char z[] = {\n#embed \"/dev/zero\"\n};", "", 0, "", "",
     TAIL},
    {"error", "#error \x01\t\\n\\\\ \r\n", "", 0, "", "", ""},
    {"marker", "\n# 1 \"x\\ty\\n\" 1 3\nint x = y;\n", "", 0, "", "", ""},
    {"crash", "#pragma clang __debug crash\n", "", 0, "", "", ""},
    {"fatal", "#pragma clang __debug llvm_fatal_error\n", "", 0, "", "", ""},
    {"unroll",
     HEAD "_Pragma(\"unroll 1000000\") for (int i = 0; i < 1000000; i++) out[i & 3] += i;", "", 0,
     "", "", TAIL},
    {"large-local", HEAD "int a[1000000000]; a[out[0]] = 1, out[0] = a[1];", "", 0, "", "", TAIL},
    {"naked", "#include <lanewise/kernel.h>\n__attribute__((naked)) KERNEL void k(int *out) {}", "",
     0, "", "", ""},
    {"nodebug", "#include <lanewise/kernel.h>\n__attribute__((nodebug)) KERNEL void k(int *out) {}",
     "", 0, "", "", ""},
    {"alias", HEAD TAIL "void other(int *) __attribute__((alias(\"k\")));\n", "", 0, "", "", ""},
    {"ifunc",
     HEAD TAIL "static void *f(void) { return 0; }\nvoid g(void) "
               "__attribute__((ifunc(\"f\")));\n",
     "", 0, "", "", ""},
    {"constructor", HEAD TAIL "__attribute__((constructor)) void c(void) { for (;;); }\n", "", 0,
     "", "", ""},
};

static void add(struct text *text, const char *part)
{
    size_t length = strlen(part);
    if (length <= TEXT_MAX - text->length) {
        memcpy(text->bytes + text->length, part, length);
        text->length += length;
    }
}

static void make_nasty(const struct nasty *nasty, struct text *text)
{
    text->length = 0;
    add(text, nasty->before);
    for (int i = 0; i < nasty->times; i++)
        add(text, nasty->repeated);
    add(text, nasty->middle);
    for (int i = 0; i < nasty->times; i++)
        add(text, nasty->closing);
    add(text, nasty->after);
}

/* 2^40 words from 40 lines. */
static void make_doubling(const char *line, struct text *text)
{
    char define[100];
    text->length = 0;
    add(text, "#define A0 1 +\n");
    for (int i = 1; i <= 40; i++) {
        snprintf(define, sizeof define, "#define A%d A%d A%d\n", i, i - 1, i - 1);
        add(text, define);
    }
    add(text, line);
}

static void make_bytes(struct text *text)
{
    text->length = 0;
    for (int i = 0; i < 256 * 64; i++)
        text->bytes[text->length++] = (char)(i * 167);
}

/* One of the texts that are no mutants; false: there is no index-th. */
static bool try_nasty(lw_device *device, size_t index, struct text *text)
{
    enum { TABLE = sizeof nasties / sizeof nasties[0] };
    if (index < TABLE)
        make_nasty(&nasties[index], text);
    else if (index == TABLE)
        make_doubling("int x = A40 1;\n", text);
    else if (index == TABLE + 1)
        make_doubling("#if A40 1\n#endif\n", text);
    else if (index == TABLE + 2)
        make_bytes(text);
    else
        return false;
    try_text(device,
             index < TABLE        ? nasties[index].name
             : index == TABLE     ? "doubling"
             : index == TABLE + 1 ? "doubling-condition"
                                  : "bytes",
             text);
    return true;
}

/* ---- mutants ---- */

static char *seeds[512];
static size_t seed_count, mutants, next_mutant, next_nasty;

static uint64_t draw(uint64_t *state, size_t below)
{
    *state ^= *state << 13; /* Marsaglia, "Xorshift RNGs", 2003 */
    *state ^= *state >> 7;
    *state ^= *state << 17;
    return below ? *state % below : 0;
}

/* replace - the `length` bytes from `at` on become these. */
static void replace(struct text *text, size_t at, size_t length, const char *by, size_t by_length)
{
    if (text->length - length + by_length > TEXT_MAX)
        return;
    memmove(text->bytes + at + by_length, text->bytes + at + length, text->length - at - length);
    memcpy(text->bytes + at, by, by_length);
    text->length += by_length - length;
}

static bool is_word(char c)
{
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_';
}

/* A word or a single other byte, somewhere. */
static size_t find_token(const struct text *text, uint64_t *state, size_t *at)
{
    *at = draw(state, text->length);
    size_t end = *at + 1;
    if (is_word(text->bytes[*at])) {
        while (*at > 0 && is_word(text->bytes[*at - 1]))
            --*at;
        while (end < text->length && is_word(text->bytes[end]))
            end++;
    }
    return end - *at;
}

static void put_word(struct text *text, uint64_t *state)
{
    static const char *const words[] = {"(",
                                        ")",
                                        "{",
                                        "}",
                                        "*",
                                        "&",
                                        "[",
                                        "]",
                                        ";",
                                        ",",
                                        "\n#",
                                        "\\\n",
                                        "\"",
                                        "/*",
                                        "KERNEL",
                                        "SHARED",
                                        "BLOCK(8)",
                                        "TENSOR(float, 2)",
                                        "barrier()",
                                        "return;",
                                        "while (1)",
                                        "for (;;)",
                                        "goto x; x:",
                                        "switch (out[0])",
                                        "case 1:",
                                        "break;",
                                        "warp_sum(1)",
                                        "block_sum(1)",
                                        "float4",
                                        "_Float16",
                                        "0x1p9999",
                                        "1e99999",
                                        "-1",
                                        "2147483648",
                                        "void",
                                        "static",
                                        "const",
                                        "volatile",
                                        "struct s",
                                        "union {int a; float b;}",
                                        "double",
                                        "long double",
                                        "thread_idx",
                                        "sizeof",
                                        "?",
                                        ":",
                                        "__attribute__((noinline))",
                                        "__attribute__((packed))",
                                        "__attribute__((aligned(4096)))",
                                        "_Alignas(64)",
                                        "\xff",
                                        "~"};
    const char *word = words[draw(state, sizeof words / sizeof words[0])];
    size_t at, length = find_token(text, state, &at);
    replace(text, at, draw(state, 2) ? length : 0, word, strlen(word));
}

static void mutate(struct text *text, uint64_t *state)
{
    static char line[70000];
    static const char zeros[8];
    size_t at, length = find_token(text, state, &at);
    char copy[256];
    switch (draw(state, 10)) {
    case 0: text->bytes[at] = (char)(text->bytes[at] ^ 1 << draw(state, 8)); break;
    case 1:
    case 2: replace(text, at, length, "", 0); break;
    case 3: /* twice, or elsewhere */
    case 4:
        length = length < sizeof copy ? length : sizeof copy;
        memcpy(copy, text->bytes + at, length);
        replace(text, draw(state, 2) ? at : draw(state, text->length), 0, copy, length);
        break;
    case 5: replace(text, at, 0, zeros, draw(state, sizeof zeros)); break;
    case 6: /* a stretch gone */
        length = draw(state, text->length - at < 200 ? text->length - at : 200);
        replace(text, at, length, "", 0);
        break;
    case 7:
        if (draw(state, 20) == 0) {
            memset(line, 'x', sizeof line);
            replace(text, at, 0, line, sizeof line);
        }
        break;
    default: put_word(text, state);
    }
    if (text->length == 0)
        add(text, " ");
}

static void read_seed(const char *path, struct text *text)
{
    int file = open(path, O_RDONLY);
    ssize_t got = file < 0 ? -1 : read(file, text->bytes, TEXT_MAX / 2);
    CHECK(got > 0);
    text->length = got > 0 ? (size_t)got : 0;
    close(file);
}

static void try_mutant(lw_device *device, size_t number, struct text *text)
{
    uint64_t state = 0x9E3779B97F4A7C15u * (number + 1);
    char name[32];
    read_seed(seeds[draw(&state, seed_count)], text);
    for (size_t i = 1 + draw(&state, 4); i > 0 && text->length > 0; i--)
        mutate(text, &state);
    snprintf(name, sizeof name, "mutant-%zu", number);
    try_text(device, name, text);
}

static void *work(void *device)
{
    struct text text = {malloc(TEXT_MAX), 0};
    while (try_nasty(device, __atomic_fetch_add(&next_nasty, 1, __ATOMIC_RELAXED), &text))
        ;
    size_t number;
    while ((number = __atomic_fetch_add(&next_mutant, 1, __ATOMIC_RELAXED)) < mutants)
        try_mutant(device, number, &text);
    free(text.bytes);
    return NULL;
}

static int is_kernel_file(const struct dirent *entry)
{
    size_t length = strlen(entry->d_name);
    return length > 2 && strcmp(entry->d_name + length - 2, ".c") == 0;
}

static void find_seeds(const char *from)
{
    struct dirent **entries;
    int count = scandir(from, &entries, is_kernel_file, alphasort);
    for (int i = 0; i < count; i++) {
        if (seed_count < sizeof seeds / sizeof seeds[0] &&
            asprintf(&seeds[seed_count], "%s/%s", from, entries[i]->d_name) > 0)
            seed_count++;
        free(entries[i]);
    }
    if (count > 0)
        free(entries);
}

/* The children's processor time; this process ignores what it gets itself. */
static void limit_time(rlim_t seconds)
{
    signal(SIGXCPU, SIG_IGN);
    struct rlimit limit;
    CHECK(getrlimit(RLIMIT_CPU, &limit) == 0);
    limit.rlim_cur = seconds;
    CHECK(setrlimit(RLIMIT_CPU, &limit) == 0);
}

int main(int count, char **words)
{
    pthread_t threads[WORKERS];
    if (count != 3 || !mkdtemp(folder))
        return 2;
    setenv("LANEWISE_CACHE", "0", 1);
    lw_device *device = open_ref();
    limit_time(1);
    find_seeds(words[1]);
    mutants = seed_count ? (size_t)atol(words[2]) : 0;
    for (int i = 0; i < WORKERS; i++)
        CHECK(pthread_create(&threads[i], NULL, work, device) == 0);
    for (int i = 0; i < WORKERS; i++)
        pthread_join(threads[i], NULL);
    printf("%zu built, %zu refused, %d broke it\n", built, refused, failures);
    for (size_t i = 0; i < seed_count; i++)
        free(seeds[i]);
    lw_device_close(device);
    rmdir(folder);
    return failures != 0;
}
