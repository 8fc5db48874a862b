/* The device `cuda` on a double of the driver: memory, code, launches, prints, asserts. */
#include "run_cuda.h"

static lw_device *device;
static lw_program *program;
static lw_stream *stream;
static lw_buffer *out;
enum { COUNT = 64 };

static void set_up(void)
{
    device = open_device("cuda");
    program = build_rows(device, CUDA_ROW("fill", "100") CUDA_ROW("prints", "0") CUDA_ROW(
                                     "asserts", "0") CUDA_ROW("waits", "0") CUDA_ROW("many", "0"));
    WORKS(lw_stream_create(device, &stream));
    WORKS(lw_buffer_create(device, LW_I32, COUNT, &out));
}

static void tear_down(void)
{
    lw_stream_destroy(stream);
    lw_buffer_destroy(out);
    lw_program_destroy(program);
    lw_device_close(device);
    check_empty();
}

/* ---- devices ---- */

static void devices(void)
{
    fake->gpus = 2;
    lw_device *d = open_device("cuda:1");
    lw_device_info info;
    WORKS(lw_device_get_info(d, &info));
    CHECK(!strcmp(info.name, "cuda") && info.available);
    CHECK(!strcmp(info.description,
                  "Fake GPU 1, 0.2 GiB, 10 processors, sm_90, driver for CUDA 12.4"));
    CHECK(info.max_dynamic_bytes == 160 << 10 && info.max_shared_bytes == 48 << 10);
    CHECK(!strcmp(lw__device_target(d), "cuda:sm_90"));
    CHECK(lw_device_is_gpu(d) && lw_device_vector_bits(d) == 0 && !lw_device_has_findings(d));
    lw_device_close(d);
    FAILS(lw_device_open("cuda:2", &d), LW_E_DEVICE,
          "there is no device 'cuda:2'; GPUs here: 2, cuda:0 to cuda:1");
    FAILS(lw_device_open("cuda:", &d), LW_E_DEVICE,
          "there is no device 'cuda:'; need cuda or cuda:N");
    FAILS(lw_device_open("cuda:1x", &d), LW_E_DEVICE,
          "there is no device 'cuda:1x'; need cuda or cuda:N");
    FAILS(lw_device_open("cuda:99999999999999999999", &d), LW_E_DEVICE,
          "there is no device 'cuda:99999999999999999999'; GPUs here: 2, cuda:0 to cuda:1");
    fake->gpus = 1;
    fake->major = 12;
    d = open_device("cuda");
    CHECK(!strcmp(lw__device_target(d), "cuda:sm_90"));
    lw_device_close(d);
    fake->major = 6;
    FAILS(lw_device_open("cuda", &d), LW_E_DEVICE,
          "device 'cuda:0' has compute capability 6.0; need 7.0 or newer");
    fake->major = 9;
    check_empty();
}

/* ---- memory ---- */

static void *at(lw_buffer *b, size_t bytes)
{
    return (char *)b->memory + bytes;
}

static int released;

static void release(void *address, void *user)
{
    (void)address;
    ++*(int *)user;
}

/* The GPU's memory, for which another buffer stands. */
static void wrapped(void)
{
    int x[4] = {1, 2, 3, 4};
    char text[300];

    lw_buffer *b;
    WORKS(lw_buffer_wrap(device, LW_I32, COUNT, at(out, 0), false, release, &released, &b));
    WORKS(lw_buffer_write(b, 60, 4, x));
    WORKS(lw_buffer_read(out, 61, 3, x));
    CHECK(x[0] == 2 && x[2] == 4 && !released);
    lw_buffer_destroy(b);
    CHECK(released == 1);
    WORKS(lw_buffer_wrap(device, LW_I32, 0, x, true, NULL, NULL, &b));
    lw_buffer_destroy(b);
    snprintf(text, sizeof text,
             "16 bytes at %p are not memory that device 'cuda:0' can access: "
             "CUDA_ERROR_INVALID_VALUE (as told)",
             (void *)x);
    FAILS(lw_buffer_wrap(device, LW_I32, 4, x, false, release, &released, &b), LW_E_ARG, text);
    CHECK(lw_buffer_wrap(device, LW_I32, 4, at(out, 1 << 20), false, release, &released, &b) ==
          LW_E_ARG);
    CHECK(!b && released == 1);
}

static void memory(void)
{
    int x[COUNT], y[COUNT], *mapped;

    for (int i = 0; i < COUNT; i++)
        x[i] = i;
    lw_buffer *b;
    WORKS(lw_buffer_create(device, LW_I32, COUNT, &b));
    WORKS(lw_buffer_read(b, 0, COUNT, y));
    for (int i = 0; i < COUNT; i++)
        CHECK(y[i] == 0);
    WORKS(lw_buffer_write(b, 0, COUNT, x));
    WORKS(lw_buffer_read(b, 3, 2, y));
    CHECK(y[0] == 3 && y[1] == 4);
    WORKS(lw_buffer_map(b, (void **)&mapped));
    CHECK(mapped[5] == 5);
    mapped[5] = -5;
    WORKS(lw_buffer_unmap(b));
    WORKS(lw_buffer_read(b, 5, 1, y));
    CHECK(y[0] == -5);
    WORKS(lw_buffer_fill(b, &(int){7}));
    WORKS(lw_buffer_read(b, COUNT - 1, 1, y));
    CHECK(y[0] == 7);
    lw_buffer *empty;
    WORKS(lw_buffer_create(device, LW_I32, 0, &empty));
    WORKS(lw_buffer_read(empty, 0, 0, NULL));
    lw_buffer_destroy(empty);
    lw_buffer_destroy(b);
    FAILS(lw_buffer_create(device, LW_U8, 1 << 30, &b), LW_E_MEMORY,
          "out of memory: a buffer of 1073741824 bytes; device 'cuda:0' has 268435200 of "
          "268435456 bytes left");
}

/* ---- launches ---- */

static struct fake_launch seen;

static int fill(const struct fake_launch *l, int *to, int n)
{
    seen = *l;
    for (int i = 0; i < COUNT; i++)
        to[i] = n + i;
    return 0;
}
static const struct kernel fills = {"fill", 0, fill};

static void launches(void)
{
    const lw_launch_options options = {.shared_bytes = 100000}, most = {.shared_bytes = 160 << 10};
    lw_arg args[] = {lw_arg_buffer(out), lw_arg_int(40)};
    int x[COUNT];

    WORKS(launch(stream, program, &fills, lw_dim_3(5, 4, 3), 64, out, 40));
    WORKS(lw_stream_wait(stream));
    WORKS(lw_buffer_read(out, 0, COUNT, x));
    CHECK(x[0] == 40 && x[COUNT - 1] == 40 + COUNT - 1);
    CHECK(seen.grid[0] == 5 && seen.grid[1] == 4 && seen.grid[2] == 3 && seen.block[0] == 64);
    CHECK(seen.block[1] == 1 && seen.block[2] == 1 && seen.dynamic_bytes == 128 && !seen.record);
    CHECK(fake->max_dynamic == 160 << 10);
    WORKS(lw_stream_launch(stream, find_kernel(program, "fill"), lw_dim_1(1), lw_dim_1(64),
                           &options, args, 2));
    WORKS(lw_stream_wait(stream));
    CHECK(seen.dynamic_bytes == 100128);
    FAILS(lw_stream_launch(stream, find_kernel(program, "fill"), lw_dim_1(1), lw_dim_1(64), &most,
                           args, 2),
          LW_E_SHAPE,
          "fill: 163968 bytes of block memory, 163840 of them dynamic; device 'cuda:0' has 163840");
    fake->threads = 128;
    FAILS(launch(stream, program, &fills, lw_dim_1(1), 512, out, 1), LW_E_SHAPE,
          "fill: device 'cuda:0' has registers for blocks of 128 threads, not 512");
    fake->threads = 1024;
}

static void suggesting(void)
{
    const lw_launch_options options = {.shared_bytes = 100000}, most = {.shared_bytes = 163840};
    lw_kernel *k = find_kernel(program, "fill");
    lw_dim3 grid, block;

    WORKS(lw_kernel_suggest(k, NULL, &grid, &block));
    CHECK(block.x == 256 && block.y == 1 && block.z == 1);
    CHECK(grid.x == 4 * 10 && grid.y == 1 && grid.z == 1); /* see fake_cuda.c */
    WORKS(lw_kernel_suggest(k, &options, &grid, &block));
    CHECK(block.x == 256 && grid.x == 10);
    CHECK(lw_kernel_suggest(k, &most, &grid, &block) == LW_E_SHAPE && !grid.x && !block.x);
    FAILS(lw_kernel_suggest(NULL, NULL, &grid, &block), LW_E_ARG, "the kernel is NULL");
    FAILS(lw_kernel_suggest(k, NULL, NULL, &block), LW_E_ARG, "the place for the grid is NULL");
    FAILS(lw_kernel_suggest(k, NULL, &grid, NULL), LW_E_ARG, "the place for the block is NULL");
}

static void refused(void)
{
    fake->log = "ptxas line 3: fatal\nmore";
    fake->refusal = 218;
    FAILS(launch(stream, program, &fills, lw_dim_1(1), 32, out, 1), LW_E_INTERNAL,
          "the NVIDIA driver refuses the compiled kernel: ptxas line 3: fatal more");
    fake->log = "";
    fake->refusal = 222;
    FAILS(launch(stream, program, &fills, lw_dim_1(1), 32, out, 1), LW_E_DEVICE,
          "the NVIDIA driver is too old for the code of lanewise-compile; need 535 or newer: ");
    fake->log = NULL;
    WORKS(launch(stream, program, &fills, lw_dim_1(1), 32, out, 1));
    WORKS(lw_stream_wait(stream));
}

/* ---- prints ---- */

static char printed[4096];
static size_t lost;

static void keep_line(const lw_output *line, void *user)
{
    char text[256] = "";

    (void)user;
    if (line->text)
        snprintf(text, sizeof text, "%u/%u:%s|", line->block.x, line->thread.x, line->text);
    if (strlen(printed) + strlen(text) < sizeof printed)
        strcat(printed, text);
    lost += line->lost;
}

/* As the device's code does it. */
static void add_print(const struct fake_launch *l, uint64_t block, uint32_t thread, uint64_t format,
                      uint32_t count, const uint64_t *args)
{
    struct lw_cuda_launch *r = l->record;
    const struct lw_cuda_print head = {block, thread, count, format};
    const size_t bytes = sizeof head + 8 * count;
    const uint64_t at = r->printed;

    r->printed += bytes;
    if (r->printed > r->print_capacity) {
        r->lost++;
        r->print_end = at < r->print_end ? at : r->print_end;
        return;
    }
    memcpy((char *)(uintptr_t)r->prints + at, &head, sizeof head);
    if (count)
        memcpy((char *)(uintptr_t)r->prints + at + sizeof head, args, 8 * count);
}

static int print(const struct fake_launch *l, int *to, int n)
{
    const uint64_t text = l->text_address;
    const uint64_t args[] = {(uint64_t)n, text + 20, 0};

    (void)to;
    CHECK(l->record && l->record->ticket == 0 && !l->record->stop);
    add_print(l, 1, 3, text, 3, args);
    add_print(l, 0, 5, text + 30, 0, NULL);
    add_print(l, 0, 5, text + 34, 0, NULL);
    if (n == 2)
        add_print(l, 2, 0, 12345, 0, NULL);
    return 0;
}
static const struct kernel prints = {"prints", LW_CUDA_PRINTS, print};

static int print_much(const struct fake_launch *l, int *to, int n)
{
    (void)to;
    for (int i = 0; i < n; i++)
        add_print(l, 0, 0, l->text_address + 34, 0, NULL);
    return 0;
}
static const struct kernel prints_much = {"many", LW_CUDA_PRINTS, print_much};

static void printing(void)
{
    strcpy(fake->text, "n=%d %s %s\n");
    strcpy(fake->text + 20, "word");
    strcpy(fake->text + 30, "ab");
    strcpy(fake->text + 34, "cd\n");
    lw_stream_on_output(stream, keep_line, NULL);
    for (int n = 1; n <= 2; n++) {
        printed[0] = '\0';
        lost = 0;
        WORKS(launch(stream, program, &prints, lw_dim_1(3), 32, out, n));
        WORKS(lw_stream_wait(stream));
        CHECK(!strcmp(printed,
                      n == 1 ? "0/5:abcd|1/3:n=1 word (null)|" : "0/5:abcd|1/3:n=2 word (null)|"));
        CHECK(lost == (n == 2));
    }
    lw_stream_on_output(stream, NULL, NULL);
    WORKS(launch(stream, program, &prints_much, lw_dim_1(1), 32, out, 1 << 20));
    lw_stream_on_output(stream, keep_line, NULL);
    lost = 0;
    WORKS(lw_stream_wait(stream));
    CHECK(lost > 0 && lost == (1 << 20) - (1 << 20) / 3);
    lw_stream_on_output(stream, NULL, NULL);
}

/* ---- asserts ---- */

static int fail_asserts(const struct fake_launch *l, int *to, int n)
{
    struct lw_cuda_launch *r = l->record;

    (void)to;
    CHECK(r->failure_count == 0);
    for (int i = 0; i < n; i++) {
        uint64_t at = r->failure_count++;

        if (at < LW_CUDA_FAILURES)
            r->failures[at] = (struct lw_cuda_failure){(uint64_t)(i + 5) % 7, (uint32_t)(n - i), 0,
                                                       l->text_address + 1};
    }
    return 0;
}
static const struct kernel asserts = {"asserts", LW_CUDA_ASSERTS, fail_asserts};

static void asserting(void)
{
    strcpy(fake->text + 1, "i < n");
    lw_stream *s;
    for (int i = 0; i < 3; i++) {
        WORKS(lw_stream_create(device, &s));
        WORKS(launch(s, program, &asserts, lw_dim_2(4, 2), 64, out, 0));
        WORKS(launch(s, program, &asserts, lw_dim_2(4, 2), 64, out, i == 2 ? 60 : 5));
        FAILS(lw_stream_wait(s), LW_E_LAUNCH,
              i < 2 ? "kernel 'asserts': k.c:7: assertion 'i < n' failed, block (0,0,0) thread "
                      "(3,0,0)"
                    : "kernel 'asserts': k.c:7: assertion 'i < n' failed, block (0,0,0) thread "
                      "(30,0,0)");
        lw_stream_destroy(s);
    }
}

/* ---- refused accesses ---- */

static const struct kernel refuses = {"asserts", LW_CUDA_REFUSES, refuse};

static void bounds(void)
{
    static const char *const messages[] = {
        "kernel 'asserts': k.c:7:3: write of 4 bytes outside: index 65 of 'out', which has 64 "
        "elements of 4 bytes, block (2,0,0) thread (3,0,0)",
        "kernel 'asserts': k.c:7:3: write of 4 bytes outside: index 65 of 'out', which has 64 "
        "elements of 4 bytes, block (2,0,0) thread (3,0,0)",
        "kernel 'asserts': k.c:7:3: write of 4 bytes outside: byte 260 of a NULL pointer, block "
        "(2,0,0) thread (3,0,0)"};
    lw_program *guarded, *not_guarded;
    lw_stream *s;

    set_guarded(true);
    guarded = build_rows(device, CUDA_ROW("asserts", "0"));
    for (int n = 0; n < 3; n++) {
        WORKS(lw_stream_create(device, &s));
        WORKS(launch(s, guarded, &refuses, lw_dim_1(4), 32, out, n));
        FAILS(lw_stream_wait(s), LW_E_LAUNCH, messages[n]);
        lw_stream_destroy(s);
    }
    lw_program_destroy(guarded);
    setenv("LANEWISE_BOUNDS", "yes", 1);
    FAILS(lw_program_build(device, NULL, &(lw_build_options){.source = "k"}, &not_guarded),
          LW_E_ARG, "LANEWISE_BOUNDS is 'yes'; need 0, accesses are not checked, or 1, all are");
    set_guarded(false);
}

/* ---- waiting ---- */

static int wait_for_stop(const struct fake_launch *l, int *to, int n)
{
    const uint32_t *stop = (const uint32_t *)(uintptr_t)l->record->stop;

    (void)n;
    while (!__atomic_load_n(stop, __ATOMIC_ACQUIRE))
        nanosleep(&(struct timespec){.tv_nsec = 100000}, NULL);
    to[0] = 99;
    return 0;
}
static const struct kernel waits = {"waits", LW_CUDA_STOPS | LW_CUDA_TICKETS, wait_for_stop};

static void cancelling(void)
{
    lw_stream *s;

    for (int i = 0; i < 2; i++) {
        WORKS(lw_stream_create(device, &s));
        WORKS(launch(s, program, &waits, lw_dim_1(1), 32, out, 0));
        if (i)
            FAILS(lw_stream_wait_for(s, 5000000), LW_E_TIMEOUT,
                  "the work of the stream is not done in time; it goes on");
        lw_stream_cancel(s);
        CHECK(lw_stream_wait(s) == LW_E_LAUNCH);
        lw_stream_destroy(s);
    }
    int x;
    WORKS(lw_buffer_read(out, 0, 1, &x));
    CHECK(x == 99);
}

int main(void)
{
    if (!fake_set_up())
        return 1;
    devices();
    set_up();
    memory();
    wrapped();
    refused();
    launches();
    suggesting();
    printing();
    asserting();
    bounds();
    cancelling();
    tear_down();
    fake_tear_down();
    return failures != 0;
}
