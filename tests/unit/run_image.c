/* Programs of images, as `lanewise cc` writes them, here by hand; no compiler is asked unless a
 * size of block is not there.
 */
#include "base/bounds_abi.h"
#include "base/cpu_abi.h"
#include "base/proof_abi.h"
#include "run_test.h"
#include <pthread.h>

#if defined(__aarch64__)
#define LEAST "cpu:aarch64"
#else
#define LEAST "cpu:baseline"
#endif

#define HEAD "lanewise-manifest\t1\n"
#define END "end\t0\n"
static const char kernels[] =
    HEAD "kernel\tadd\tvoid add(unsigned long *out, long n)\t1\t0\t0\t0\t0\t0\t16\n"
         "param\tout\tunsigned long *\tp(u64)\t0\t8\t1\nparam\tn\tlong\ti64\t8\t8\t0\n"
         "kernel\twho\tvoid who(unsigned long *out, long n)\t2\t16\t1\t1\t0\t0\t16\n"
         "param\tout\tunsigned long *\tp(u64)\t0\t8\t0\nparam\tn\tlong\ti64\t8\t8\t0\n" END;
static const char in_any_block[] =
    HEAD "kernel\tadd\tvoid add(unsigned long *out, long n)\t0\t0\t0\t0\t0\t0\t16\n"
         "param\tout\tunsigned long *\tp(u64)\t0\t8\t0\nparam\tn\tlong\ti64\t8\t8\t0\n" END;
static const char sites[] = HEAD "site\t../src/k.c\t7\t3\tassert\n" END;

struct args {
    uint64_t *out;
    int64_t n;
};

/* Machine code for `cpu`: out[0] += n for each block, times what tells the codes apart. */
static uint32_t add(const struct lw_cpu_launch *launch, uint64_t count, uint64_t factor)
{
    struct args a;

    memcpy(&a, launch->args, sizeof a);
    __atomic_fetch_add(a.out, (uint64_t)a.n * count * factor, __ATOMIC_RELAXED);
    return 0;
}

static uint32_t add_32(const struct lw_cpu_launch *l, struct lw_cpu_worker *w, uint64_t first,
                       uint64_t count)
{
    (void)w, (void)first;
    return add(l, count, 1);
}

static uint32_t add_64(const struct lw_cpu_launch *l, struct lw_cpu_worker *w, uint64_t first,
                       uint64_t count)
{
    (void)w, (void)first;
    return add(l, count, 100);
}

static uint32_t fails(const struct lw_cpu_launch *l, struct lw_cpu_worker *w, uint64_t first,
                      uint64_t count)
{
    (void)l, (void)count;
    w->calls->assert_fail(w, first, 3, "i < n", 0);
    return 1;
}

static void add_sizes(const char *args, int64_t *sizes)
{
    struct args a;

    memcpy(&a, args, sizeof a);
    sizes[0] = a.n;
}

#define CODE(target, kernel, x, entry) FORM(target, kernel, x, false, entry)
#define FORM(target, kernel, x, is_guarded, entry)                                                 \
    {target, kernel, {x, 1, 1}, is_guarded,      (lw_image_function *)(entry), NULL, NULL,         \
     0,      0,      sites,     sizeof sites - 1}
static const lw_image_code codes[] = {
    CODE("cpu:future", "add", 32, fails), CODE(LEAST, "add", 32, add_32),
    CODE("cuda:sm_70", "add", 32, fails), CODE(LEAST, "add", 64, add_64),
    CODE(LEAST, "who", 16, fails),
};
static lw_image_function *const sizes[] = {(lw_image_function *)add_sizes, NULL};

static const lw_image image = {
    .version = LW_IMAGE_VERSION,
    .bytes = sizeof image,
    .code_bytes = sizeof codes[0],
    .id = 7,
    .name = "k.c",
    .manifest = kernels,
    .manifest_bytes = sizeof kernels - 1,
    .sizes = sizes,
    .codes = codes,
    .code_count = sizeof codes / sizeof codes[0],
};

static lw_status launch(lw_stream *s, const lw_image *of, size_t kernel, uint32_t block,
                        lw_buffer *out, int64_t n)
{
    const lw_arg args[] = {lw_arg_buffer(out), lw_arg_int(n)};

    return lw_image_launch(of, kernel, s, lw_dim_1(10), lw_dim_1(block), NULL, args, 2);
}

static uint64_t first_of(lw_buffer *b)
{
    uint64_t value;

    WORKS(lw_buffer_read(b, 0, 1, &value));
    return value;
}

static void test_launch(void)
{
    lw_device *device = open_device("cpu");
    lw_stream *s;

    WORKS(lw_stream_create(device, &s));
    lw_buffer *out;
    WORKS(lw_buffer_create(device, LW_U64, 8, &out));
    WORKS(launch(s, &image, 0, 32, out, 3));
    WORKS(launch(s, &image, 0, 64, out, 3));
    WORKS(launch(s, &image, 0, 64, out, 3));
    WORKS(lw_stream_wait(s));
    CHECK(first_of(out) == 30 + 2 * 3000);
    FAILS(launch(s, &image, 0, 32, out, 9), LW_E_SHAPE,
          "add: parameter 1 'out' (unsigned long *) is declared out[9], which needs 72 bytes; the "
          "buffer has 64 (8 x u64)");
    FAILS(launch(s, &image, 1, 32, out, 3), LW_E_SHAPE,
          "who: block 32 x 1 x 1, but BLOCK fixes 16 x 1 x 1");
    FAILS(launch(s, &image, 2, 32, out, 3), LW_E_ARG,
          "there is no kernel 2; 'k.c' has 2, counted from 0");
    WORKS(launch(s, &image, 1, 16, out, 3));
    FAILS(lw_stream_wait(s), LW_E_LAUNCH,
          "kernel 'who': k.c:7: assertion 'i < n' failed, block (0,0,0) thread (3,0,0)");
    lw_stream_destroy(s);
    lw_buffer_destroy(out);
    lw_device_close(device);
}

/* The program is the same each time, and holds its device. */
static void test_resident(void)
{
    lw_device *device = open_device("cpu"), *other = open_device("cpu");
    lw_image second = image, unloaded = image;
    lw_program *a;

    WORKS(lw_program_load(device, &image, &a));
    lw_program *b;
    WORKS(lw_program_load(device, &image, &b));
    CHECK(a == b);
    lw_program *c;
    WORKS(lw_program_load(other, &image, &c));
    CHECK(a != c);
    lw_program *d;
    WORKS(lw_program_load(device, &second, &d));
    CHECK(a != d);
    lw_program *e;
    WORKS(lw_program_load(device, &unloaded, &e));
    lw_program_destroy(e);
    unloaded.id = 8; /* another one where that was */
    WORKS(lw_program_load(device, &unloaded, &b));
    CHECK(e != b);
    lw_kernel *k;
    WORKS(lw_program_kernel(a, "add", &k));
    lw_dim3 grid, block;
    WORKS(lw_kernel_suggest(k, NULL, &grid, &block));
    CHECK(block.x == 32 && block.y == 1 && block.z == 1);
    lw_program_destroy(b);
    lw_program_destroy(d);
    lw_device_close(device);
    lw_device_close(other);
    CHECK(!strcmp(lw_kernel_signature(k), "void add(unsigned long *out, long n)"));
    lw_program_destroy(a);
    lw_program_destroy(a);
    CHECK(lw_program_kernel_count(c) == 2);
    lw_program_destroy(c);
}

static void test_refused(void)
{
    lw_device *cpu = open_device("cpu"), *ref = open_device("ref"), *null = open_device("null");
    lw_image old = image;
    lw_program *p = (lw_program *)&old;

    old.version--;
    FAILS(lw_program_load(cpu, &old, &p), LW_E_UNSUPPORTED,
          "the image is of another version of Lanewise (6, need 7); make it anew with lanewise cc");
    CHECK(!p);
    FAILS(lw_program_load(ref, &image, &p), LW_E_UNSUPPORTED,
          "'k.c' has no code for device 'ref'; lanewise cc makes it with the target ref");
    FAILS(lw_program_load(NULL, &image, &p), LW_E_ARG, "the device is NULL");
    FAILS(lw_program_load(cpu, NULL, &p), LW_E_ARG, "the image is NULL");
    FAILS(lw_program_load(cpu, &image, NULL), LW_E_ARG, "the place for the program is NULL");
    FAILS(launch(NULL, &image, 0, 32, NULL, 0), LW_E_ARG, "the stream is NULL");
    lw_stream *s;
    WORKS(lw_stream_create(null, &s));
    FAILS(launch(s, NULL, 0, 32, NULL, 0), LW_E_ARG, "the image is NULL");
    WORKS(lw_program_load(null, &image, &p));
    lw_program_destroy(p);
    lw_stream_destroy(s);
    lw_device_close(cpu);
    lw_device_close(ref);
    lw_device_close(null);
}

/* PTX that cannot be unpacked. */
static void test_damaged(void)
{
    lw_device *device = open_device("cuda");
    const lw_image_code text = {.target = "cuda:sm_70",
                                .kernel = "add",
                                .block = {32, 1, 1},
                                .packed = "\x40PTX",
                                .packed_bytes = 4,
                                .payload_bytes = 4,
                                .manifest = sites,
                                .manifest_bytes = sizeof sites - 1};
    lw_image damaged = image;
    lw_buffer *out;
    lw_stream *s;

    damaged.codes = &text;
    damaged.code_count = 1;
    WORKS(lw_stream_create(device, &s));
    WORKS(lw_buffer_create(device, LW_U64, 3, &out));
    FAILS(launch(s, &damaged, 0, 32, out, 3), LW_E_INTERNAL,
          "the code of 'add' for cuda:sm_70 is damaged");
    lw_buffer_destroy(out);
    lw_stream_destroy(s);
    lw_device_close(device);
}

/* A size that is not there: without bitcode, without a compiler, of bitcode that cannot be
 * unpacked. */
static void test_no_size(void)
{
    lw_device *device = open_device("cpu");
    const char *const compiler = getenv("LANEWISE_COMPILE");
    char target[64], text[512];
    lw_image with_common = image;

    snprintf(target, sizeof target, "%s", lw__device_target(device));
    lw_stream *s;
    WORKS(lw_stream_create(device, &s));
    lw_buffer *out;
    WORKS(lw_buffer_create(device, LW_U64, 8, &out));
    snprintf(text, sizeof text,
             "add: 'k.c' has no code for blocks of 33 x 1 x 1 on %s, but for 32 x 1 x 1, 64 x 1 x "
             "1; it was made without bitcode for other sizes",
             target);
    FAILS(launch(s, &image, 0, 33, out, 3), LW_E_UNSUPPORTED, text);
    with_common.bitcode = "\x40PTX";
    with_common.bitcode_bytes = 4;
    with_common.common_bytes = 4;
    setenv("LANEWISE_COMPILE", "/nonexistent", 1);
    snprintf(text, sizeof text,
             "add: 'k.c' has no code for blocks of 33 x 1 x 1 on %s, but for 32 x 1 x 1, 64 x 1 x "
             "1; LANEWISE_COMPILE names '/nonexistent', which cannot be run: No such file or "
             "directory; need the path of lanewise-compile",
             target);
    FAILS(launch(s, &with_common, 0, 33, out, 3), LW_E_UNSUPPORTED, text);
    setenv("LANEWISE_COMPILE", compiler, 1);
    FAILS(launch(s, &with_common, 0, 33, out, 3), LW_E_INTERNAL, "the bitcode of 'k.c' is damaged");
    lw_stream_destroy(s);
    lw_buffer_destroy(out);
    lw_device_close(device);
}

/* ---- two forms ---- */

/* Proofs of `add`: that out[n - 1] is in bounds. */
static struct {
    uint32_t count, term_count, is_partial, padding; /* struct lw_proofs */
    struct lw_proof row;
    struct lw_term terms[4];
} proofs = {
    .count = 1,
    .term_count = 4,
    .row = {.at = 0, .bytes = 2, .size = 3, .param = 0},
    .terms = {{LW_TERM_CONSTANT, 64, 0, 0, 0, 0},
              {LW_TERM_ARGUMENT, 64, 0, 0, 0, 8},
              {LW_TERM_ADD, 64, 1, 1, 0, 0},
              {LW_TERM_SIZE, 64, 0, 0, 0, 0}},
};
static const void *const all_proofs[] = {&proofs, &proofs};
static const lw_image_code forms[] = {
    CODE(LEAST, "add", 32, add_32),
    FORM(LEAST, "add", 32, true, add_64),
    CODE(LEAST, "add", 64, add_32),
};

/* What the launch adds for each of ten blocks; the guarded code of 32 adds 100 n, the plain n. */
static uint64_t adds(const lw_image *of, int64_t n)
{
    lw_device *device = open_device("cpu");
    lw_stream *s;

    WORKS(lw_stream_create(device, &s));
    lw_buffer *out;
    WORKS(lw_buffer_create(device, LW_U64, 8, &out));
    WORKS(launch(s, of, 0, 32, out, n));
    WORKS(lw_stream_wait(s));
    uint64_t sum = first_of(out);
    lw_stream_destroy(s);
    lw_buffer_destroy(out);
    lw_device_close(device);
    return sum / 10;
}

/* A launch runs the form that its proofs and LANEWISE_BOUNDS tell. 2 n bytes are needed of 64. */
static void test_forms(void)
{
    static lw_image_function *const no_sizes[] = {NULL, NULL};
    lw_image two = image;
    const char *const compiler = getenv("LANEWISE_COMPILE");
    lw_device *device = open_device("cpu");
    char text[512];

    two.proofs = all_proofs;
    two.codes = forms;
    two.code_count = sizeof forms / sizeof forms[0];
    two.manifest = in_any_block;
    two.manifest_bytes = sizeof in_any_block - 1;
    two.sizes = no_sizes;
    CHECK(adds(&two, 32) == 32);
    CHECK(adds(&two, 33) == 3300);
    setenv("LANEWISE_BOUNDS", "1", 1);
    CHECK(adds(&two, 32) == 3200);
    setenv("LANEWISE_BOUNDS", "0", 1);
    CHECK(adds(&two, 33) == 33);
    proofs.is_partial = 1; /* then there is no plain code */
    CHECK(adds(&two, 32) == 3200);
    unsetenv("LANEWISE_BOUNDS");
    CHECK(adds(&two, 32) == 3200);
    proofs.is_partial = 0;
    two.proofs = NULL;
    CHECK(adds(&two, 33) == 33);

    /* guarded code for a size that has plain code alone */
    two.proofs = all_proofs;
    lw_stream *s;
    WORKS(lw_stream_create(device, &s));
    lw_buffer *out;
    WORKS(lw_buffer_create(device, LW_U64, 8, &out));
    WORKS(launch(s, &two, 0, 64, out, 32));
    snprintf(text, sizeof text,
             "add: 'k.c' has no guarded code for blocks of 64 x 1 x 1 on %s, but for 32 x 1 x 1; "
             "it was made without bitcode for other sizes",
             lw__device_target(device));
    FAILS(launch(s, &two, 0, 64, out, 33), LW_E_UNSUPPORTED, text);
    two.id++;
    two.bitcode = "\x40PTX"; /* plain bitcode is no help */
    two.bitcode_bytes = 4;
    two.common_bytes = 4;
    FAILS(launch(s, &two, 0, 64, out, 33), LW_E_UNSUPPORTED, text);
    two.id++;
    two.common_bytes = 0;
    two.guarded_bytes = 4;
    setenv("LANEWISE_COMPILE", "/nonexistent", 1);
    CHECK(launch(s, &two, 0, 64, out, 33) == LW_E_UNSUPPORTED &&
          strstr(lw_last_error(), "LANEWISE_COMPILE names '/nonexistent'"));
    setenv("LANEWISE_COMPILE", compiler, 1);
    lw_stream_destroy(s);
    lw_buffer_destroy(out);
    lw_device_close(device);
}

/* ---- many threads make the first call ---- */

enum { THREADS = 8, ROUNDS = 200 };

static lw_device *shared;
static pthread_barrier_t gate;

static void *first_calls(void *out)
{
    lw_stream *s;

    WORKS(lw_stream_create(shared, &s));
    pthread_barrier_wait(&gate);
    WORKS(launch(s, &image, 0, 32, out, 1));
    WORKS(launch(s, &image, 0, 64, out, 1));
    WORKS(lw_stream_wait(s));
    lw_stream_destroy(s);
    return NULL;
}

static void test_threads(void)
{
    pthread_t threads[THREADS];
    lw_buffer *out;

    for (int round = 0; round < ROUNDS; round++) {
        shared = open_device("cpu");
        WORKS(lw_buffer_create(shared, LW_U64, 1, &out));
        pthread_barrier_init(&gate, NULL, THREADS);
        for (int i = 0; i < THREADS; i++)
            CHECK(!pthread_create(&threads[i], NULL, first_calls, out));
        for (int i = 0; i < THREADS; i++)
            pthread_join(threads[i], NULL);
        CHECK(first_of(out) == THREADS * (10 + 1000));
        pthread_barrier_destroy(&gate);
        lw_buffer_destroy(out);
        lw_device_close(shared);
    }
}

int main(void)
{
    test_launch();
    test_resident();
    test_refused();
    test_damaged();
    test_no_size();
    test_forms();
    test_threads();
    return failures != 0;
}
