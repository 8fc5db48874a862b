/* picture_api - lanewise/picture.h with right and wrong arguments and at the wrong time, on real
 * launches; and no call leaves memory behind, also where the n-th allocation of it fails.
 */
#include "alloc.h"
#include "run_test.h"
#include <lanewise/picture.h>

static const char kernels[] = "#include <lanewise/kernel.h>\n"
                              "KERNEL void sum(float *x)\n"
                              "{\n"
                              "    SHARED float part[8];\n"
                              "    int t = thread_idx.x;\n"
                              "    part[t] = x[global_idx.x];\n"
                              "    barrier();\n"
                              "    trace(\"part\", part[t]);\n"
                              "    x[global_idx.x] = block_sum(part[t]);\n"
                              "}\n"
                              "KERNEL void beyond(float *x)\n"
                              "{\n"
                              "    x[thread_idx.x] = 1;\n"
                              "    barrier();\n"
                              "    x[16 + thread_idx.x] = 1;\n"
                              "}\n"
                              "KERNEL void endless(float *x)\n"
                              "{\n"
                              "    for (long i = 0; i < 1000000000000; i++)\n"
                              "        x[i % 8] += 1;\n"
                              "}\n";

struct place {
    lw_device *device;
    lw_program *program;
    lw_kernel *sum, *beyond, *endless;
    lw_buffer *x;
};

static void open_place(struct place *p, const char *name, bool picture)
{
    const lw_build_options build = {.source = kernels, .picture = picture};
    p->device = open_device(name);
    WORKS(lw_program_build(p->device, "kernels.c", &build, &p->program));
    WORKS(lw_program_kernel(p->program, "sum", &p->sum));
    WORKS(lw_program_kernel(p->program, "beyond", &p->beyond));
    WORKS(lw_program_kernel(p->program, "endless", &p->endless));
    WORKS(lw_buffer_create(p->device, LW_F32, 16, &p->x));
}

static void close_place(struct place *p)
{
    lw_buffer_destroy(p->x);
    lw_program_destroy(p->program);
    lw_device_close(p->device);
}

static lw_stream *stream_of(lw_device *device)
{
    lw_stream *stream;
    WORKS(lw_stream_create(device, &stream));
    return stream;
}

/* file - the whole text of the last file; "" where there is none. */
static const char *file(const char *path)
{
    static char text[1 << 20];
    FILE *f = fopen(path, "r");
    const size_t length = f ? fread(text, 1, sizeof text - 1, f) : 0;
    text[length] = '\0';
    if (f)
        fclose(f);
    return text;
}

static void launch(struct place *p, lw_stream *stream)
{
    WORKS(LAUNCH(stream, p->sum, 2, 8, p->x));
    WORKS(lw_stream_wait(stream));
}

/* ---- wrong arguments, wrong times ------------------------------------------------------------ */

static void test_begin(struct place *p)
{
    const char *const hole[] = {"part", NULL};
    lw_stream *s = stream_of(p->device);
    FAILS(lw_picture_begin(NULL, NULL), LW_E_ARG, "the stream is NULL");
    FAILS(lw_picture_begin(s, &(lw_picture_options){.trace_count = 2}), LW_E_ARG,
          "the list of traces is NULL, its count is 2");
    FAILS(lw_picture_begin(s, &(lw_picture_options){.traces = hole, .trace_count = 2}), LW_E_ARG,
          "traces[1] is NULL");
    FAILS(lw_picture_write(s, LW_PICTURE_JSON, "none"), LW_E_ARG, "no launch was recorded");
    WORKS(lw_picture_begin(s, &(lw_picture_options){.traces = hole, .trace_count = 1}));
    WORKS(lw_picture_begin(s, NULL)); /* what the first began is gone */
    lw_stream_destroy(s);
}

static void test_other_device(void)
{
    lw_device *cpu = open_device("cpu");
    lw_stream *s = stream_of(cpu);
    lw_picture_counts counts = {.threads = 7};
    FAILS(lw_picture_begin(s, NULL), LW_E_UNSUPPORTED,
          "pictures are of devices 'ref' and 'check', not of 'cpu'");
    FAILS(lw_picture_get_counts(s, &counts), LW_E_ARG, "no launch was recorded");
    CHECK(counts.threads == 0 && !lw_picture_why_cut(s));
    lw_stream_destroy(s);
    lw_device_close(cpu);
}

static void test_write(struct place *p)
{
    lw_stream *s = stream_of(p->device);
    FAILS(lw_picture_write(NULL, LW_PICTURE_JSON, "none"), LW_E_ARG, "the stream is NULL");
    FAILS(lw_picture_write(s, LW_PICTURE_JSON, NULL), LW_E_ARG, "the path is NULL");
    FAILS(lw_picture_write(s, (lw_picture_format)3, "none"), LW_E_ARG,
          "3 is no format; need LW_PICTURE_JSON, LW_PICTURE_HTML or LW_PICTURE_SVG");
    FAILS(lw_picture_write(s, LW_PICTURE_JSON, "none"), LW_E_ARG, "no launch was recorded");
    WORKS(lw_picture_begin(s, NULL));
    FAILS(lw_picture_write(s, LW_PICTURE_JSON, "none"), LW_E_ARG, "no launch was recorded");
    launch(p, s);
    CHECK(lw_picture_write(s, LW_PICTURE_JSON, "no/such/folder/file") == LW_E_IO);
    WORKS(lw_picture_write(s, LW_PICTURE_JSON, "picture"));
    CHECK(strstr(file("picture"), "\"kernel\": \"sum\"") || strstr(file("picture"), "\"sum\""));
    WORKS(lw_picture_write(s, LW_PICTURE_SVG, "picture")); /* again, in place of the other */
    CHECK(!strncmp(file("picture"), "<svg", 4));
    WORKS(lw_picture_write(s, LW_PICTURE_HTML, "picture"));
    CHECK(strstr(file("picture"), "</html>") != NULL);
    lw_stream_destroy(s);
}

static void test_blocks(struct place *p)
{
    lw_stream *s = stream_of(p->device);
    WORKS(lw_picture_begin(s, &(lw_picture_options){.block = {2, 0, 0}}));
    launch(p, s);
    FAILS(lw_picture_write(s, LW_PICTURE_JSON, "none"), LW_E_ARG,
          "the grid is (2,1,1): it has no block (2,0,0)");
    WORKS(lw_picture_begin(s, &(lw_picture_options){.block = {1, 0, 0}}));
    launch(p, s);
    WORKS(lw_picture_write(s, LW_PICTURE_JSON, "picture"));
    lw_stream_destroy(s);
}

static void test_counts(struct place *p)
{
    lw_stream *s = stream_of(p->device);
    WORKS(lw_picture_begin(s, &(lw_picture_options){.counts_only = true}));
    FAILS(lw_picture_get_counts(s, NULL), LW_E_ARG, "the place for the counts is NULL");
    lw_picture_counts counts;
    FAILS(lw_picture_get_counts(NULL, &counts), LW_E_ARG, "the stream is NULL");
    launch(p, s);
    WORKS(lw_picture_get_counts(s, &counts));
    CHECK(counts.threads == 16 && counts.warps == 2 && counts.barriers == 4);
    CHECK(counts.global_reads == 16 && counts.block_writes == 16);
    FAILS(lw_picture_write(s, LW_PICTURE_JSON, "none"), LW_E_ARG, "the launch was only counted");
    CHECK(!lw_picture_why_cut(s) && !lw_picture_why_cut(NULL));
    WORKS(lw_picture_begin(s, &(lw_picture_options){.steps = 1}));
    launch(p, s);
    WORKS(lw_picture_write(s, LW_PICTURE_JSON, "picture"));
    CHECK(lw_picture_why_cut(s) != NULL);
    lw_stream_destroy(s);
}

static void test_failed_launch(struct place *p)
{
    lw_stream *s = stream_of(p->device);
    WORKS(lw_picture_begin(s, NULL));
    WORKS(LAUNCH(s, p->beyond, 1, 8, p->x));
    CHECK(lw_stream_wait(s) != LW_OK);
    WORKS(lw_picture_write(s, LW_PICTURE_JSON, "picture")); /* drawn up to there */
    CHECK(strstr(file("picture"), "barrier") != NULL);
    lw_stream_destroy(s);
}

static void test_while_it_runs(struct place *p)
{
    lw_stream *s = stream_of(p->device);
    WORKS(lw_picture_begin(s, NULL));
    WORKS(LAUNCH(s, p->endless, 1, 1, p->x));
    FAILS(lw_picture_begin(s, NULL), LW_E_ARG, "launches of the stream still run");
    FAILS(lw_picture_write(s, LW_PICTURE_JSON, "none"), LW_E_ARG,
          "launches of the stream still run");
    lw_picture_counts counts;
    FAILS(lw_picture_get_counts(s, &counts), LW_E_ARG, "launches of the stream still run");
    lw_stream_cancel(s);
    CHECK(lw_stream_wait(s) != LW_OK);
    lw_stream_destroy(s);
}

/* A program that was not built for it: on "ref" accesses are not seen. */
static void test_plain_program(const char *device)
{
    struct place p;
    open_place(&p, device, false);
    lw_stream *s = stream_of(p.device);
    WORKS(lw_picture_begin(s, NULL));
    launch(&p, s);
    lw_picture_counts counts;
    WORKS(lw_picture_get_counts(s, &counts));
    CHECK(counts.barriers == 4);
    CHECK(counts.global_reads == (strcmp(device, "ref") == 0 ? 0 : 16)); /* "check" sees them */
    WORKS(lw_picture_write(s, LW_PICTURE_HTML, "picture"));
    lw_stream_destroy(s);
    close_place(&p);
}

/* ---- memory ---------------------------------------------------------------------------------- */

static lw_status record(struct place *p, lw_stream *s, lw_picture_format format, long nth)
{
    const char *const traces[] = {"part"};
    const lw_picture_options options = {.traces = traces, .trace_count = 1, .source = kernels};
    alloc_until_failure = nth;
    lw_status status = lw_picture_begin(s, &options);
    alloc_until_failure = alloc_failed ? 0 : alloc_until_failure;
    if (status)
        return status;
    const long left = alloc_until_failure;
    alloc_until_failure = 0; /* a launch has its own tests */
    launch(p, s);
    alloc_until_failure = left;
    status = lw_picture_write(s, format, "picture");
    alloc_until_failure = 0;
    return status;
}

static void test_short_of_memory(struct place *p, lw_picture_format format)
{
    lw_stream *s = stream_of(p->device);
    WORKS(record(p, s, format, 0));
    lw_stream_destroy(s);
    const long before = alloc_outstanding;
    long nth = 0;
    do {
        nth++;
        alloc_failed = false;
        s = stream_of(p->device);
        const lw_status status = record(p, s, format, nth);
        CHECK(status == (alloc_failed ? LW_E_MEMORY : LW_OK));
        lw_stream_destroy(s);
        if (alloc_outstanding != before)
            printf("%ld blocks are left where allocation %ld fails\n", alloc_outstanding - before,
                   nth);
        CHECK(alloc_outstanding == before);
    } while (alloc_failed && nth < 1000 && !failures);
    CHECK(nth > 5 && nth < 1000);
}

int main(void)
{
    static const char *const devices[] = {"ref", "check"};
    for (int i = 0; i < 2; i++) {
        struct place p;
        open_place(&p, devices[i], true);
        test_begin(&p);
        test_write(&p);
        test_blocks(&p);
        test_counts(&p);
        test_failed_launch(&p);
        test_while_it_runs(&p);
        for (int format = LW_PICTURE_JSON; format <= LW_PICTURE_SVG; format++)
            test_short_of_memory(&p, (lw_picture_format)format);
        close_place(&p);
        test_plain_program(devices[i]);
    }
    test_other_device();
    unlink("picture");
    return failures != 0;
}
