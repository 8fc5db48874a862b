/* test_threads.c - threads that meet, blocks that wait for others, and what is refused. */
#include "test.h"
#include <stdlib.h>
#include <string.h>

/* %r1 is the thread, %d1 the place of its word. */
#define MY_WORD                                                                                    \
    "mov.u32 %r1, %tid.x; mul.wide.u32 %d1, %r1, 8; add.s64 %d1, %words, %d1;\n"                   \
    "mov.u32 %r2, %laneid;\n"
#define STORE "\nst.global.u32 [%d1], %r0;"

static void gives(const char *what, const char *text, unsigned threads,
                  uint32_t expected(uint32_t thread))
{
    uint64_t words[WORDS] = {0};
    const int result = run_ptx(text, 1, threads, words);

    check(!result, "%s: result %d", what, result);
    for (uint32_t k = 0; k < threads; k++)
        check(words[k] == expected(k), "%s: thread %u has 0x%llx, expected 0x%x", what, k,
              (unsigned long long)words[k], expected(k));
}

/* ---- a warp ---- */

static uint32_t lane_3(uint32_t k)
{
    return k / 32 * 32 + 3;
}

static uint32_t neighbour(uint32_t k)
{
    return k ^ 1;
}

static uint32_t two_up(uint32_t k)
{
    return k % 32 < 2 ? k : k - 2;
}

static uint32_t two_down(uint32_t k)
{
    return k % 32 > 29 ? k : k + 2;
}

static uint32_t two_up_of_8(uint32_t k)
{
    return k % 8 < 2 ? k : k - 2;
}

static uint32_t lane_3_of_8(uint32_t k)
{
    return k / 8 * 8 + 3;
}

/* Up to this one, and behind it, eight further on. */
static uint32_t lanes_around(uint32_t k)
{
    const uint64_t up_to = (UINT64_C(2) << k % 32) - 1;
    return (uint32_t)(up_to ^ ((uint64_t)UINT32_MAX & ~up_to) << 8);
}

static uint32_t odd_lanes(uint32_t k)
{
    return k < 32 ? 0xaaaaaaaa : 0xaa;
}

static uint32_t same_third(uint32_t k)
{
    uint32_t lanes = 0;

    for (uint32_t other = 0; other < 32; other++)
        lanes |= (uint32_t)(other % 3 == k % 3) << other;
    return lanes;
}

static uint32_t its_half(uint32_t k)
{
    return k % 32 < 16 ? 2 : 18;
}

static void warps(void)
{
    gives("masks of lanes",
          KERNEL_TEXT(MY_WORD "mov.u32 %r0, %lanemask_le; mov.u32 %r3, %lanemask_gt;\n"
                              "shl.b32 %r3, %r3, 8; xor.b32 %r0, %r0, %r3;" STORE),
          64, lanes_around);
    gives("shfl.idx", KERNEL_TEXT(MY_WORD "shfl.sync.idx.b32 %r0, %r1, 3, 31, -1;" STORE), 64,
          lane_3);
    gives("shfl.bfly", KERNEL_TEXT(MY_WORD "shfl.sync.bfly.b32 %r0, %r1, 1, 31, -1;" STORE), 64,
          neighbour);
    gives("shfl.up", KERNEL_TEXT(MY_WORD "shfl.sync.up.b32 %r0, %r1, 2, 0, -1;" STORE), 64, two_up);
    gives("shfl.down", KERNEL_TEXT(MY_WORD "shfl.sync.down.b32 %r0, %r1, 2, 31, -1;" STORE), 64,
          two_down);
    gives("shfl.up in segments",
          KERNEL_TEXT(MY_WORD "shfl.sync.up.b32 %r0, %r1, 2, 0x1800, -1;" STORE), 32, two_up_of_8);
    gives("shfl.idx in segments",
          KERNEL_TEXT(MY_WORD "shfl.sync.idx.b32 %r0, %r1, 3, 0x181f, -1;" STORE), 32, lane_3_of_8);
    gives("vote of a warp that lacks lanes",
          KERNEL_TEXT(MY_WORD "and.b32 %r3, %r1, 1; setp.eq.s32 %p1, %r3, 1;\n"
                              "vote.sync.ballot.b32 %r0, %p1, -1;" STORE),
          40, odd_lanes);
    gives("match",
          KERNEL_TEXT(MY_WORD "rem.u32 %r3, %r1, 3; cvt.u64.u32 %d2, %r3;\n"
                              "match.any.sync.b64 %r0, %d2, -1;" STORE),
          32, same_third);
    gives("halves by themselves",
          KERNEL_TEXT(MY_WORD "setp.lt.u32 %p1, %r2, 16; @%p1 bra low;\n"
                              "shfl.sync.idx.b32 %r0, %r1, 18, 31, 0xffff0000; bra done;\n"
                              "low: shfl.sync.idx.b32 %r0, %r1, 2, 31, 0xffff; done:" STORE),
          32, its_half);
    gives("lanes that have ended",
          KERNEL_TEXT(MY_WORD "setp.eq.s32 %p1, %r2, 31; st.global.u32 [%d1], 3; @%p1 exit;\n"
                              "shfl.sync.idx.b32 %r0, %r1, 3, 31, -1;" STORE),
          32, lane_3);
}

/* ---- a block ---- */

static uint32_t next_warp(uint32_t k)
{
    return (k + 32) % 96;
}

static uint32_t odd_of_70(uint32_t k)
{
    (void)k;
    return 35;
}

static uint32_t yes(uint32_t k)
{
    (void)k;
    return 1;
}

static uint32_t is_5(uint32_t k)
{
    return k == 5;
}

static uint32_t twice(uint32_t k)
{
    return 2 * k;
}

static void blocks(void)
{
    gives("bar.sync",
          KERNEL_TEXT(".shared .align 4 .b8 all[384]; mov.u64 %d2, all;\n" MY_WORD
                      "mul.wide.u32 %d3, %r1, 4; add.s64 %d3, %d2, %d3;\n"
                      "st.shared.u32 [%d3], %r1; bar.sync 0;\n"
                      "add.s32 %r3, %r1, 32; rem.u32 %r3, %r3, 96;\n"
                      "mul.wide.u32 %d3, %r3, 4; add.s64 %d3, %d2, %d3;\n"
                      "ld.shared.u32 %r0, [%d3];" STORE),
          96, next_warp);
    gives("bar.red.popc",
          KERNEL_TEXT(MY_WORD "and.b32 %r3, %r1, 1; setp.ne.s32 %p1, %r3, 0;\n"
                              "bar.red.popc.u32 %r0, 0, %p1;" STORE),
          70, odd_of_70);
    gives("bar.red.or and .and",
          KERNEL_TEXT(MY_WORD "setp.eq.s32 %p1, %r1, 5; bar.red.or.pred %p2, 0, %p1;\n"
                              "bar.red.and.pred %p3, 0, %p1; not.pred %p3, %p3;\n"
                              "and.pred %p2, %p2, %p3; selp.u32 %r0, 1, 0, %p2;" STORE),
          70, yes);
    gives("names in braces hide others",
          KERNEL_TEXT(MY_WORD "setp.eq.s32 %p1, %r1, 5;\n"
                              "{ .reg .pred %p1; setp.ne.s32 %p1, %r1, 5; }\n"
                              "selp.u32 %r0, 1, 0, %p1;" STORE),
          32, is_5);
    gives("a call",
          ".func (.param .b32 func_retval0) twice(.param .b32 twice_param_0)\n"
          "{ .reg .b32 %r<3>; ld.param.u32 %r1, [twice_param_0]; add.s32 %r2, %r1, %r1;\n"
          "st.param.b32 [func_retval0+0], %r2; ret; }\n" KERNEL_TEXT(
              MY_WORD "{ .param .b32 param0; st.param.b32 [param0+0], %r1;\n"
                      ".param .b32 retval0; call.uni (retval0), twice, (param0);\n"
                      "ld.param.b32 %r0, [retval0+0]; }" STORE),
          64, twice);
}

/* The first block waits for the last one; the lanes of a warp for each other. */
static void waiting(void)
{
    uint64_t words[WORDS] = {0};

    check(!run_ptx(KERNEL_TEXT("mov.u32 %r1, %ctaid.x; mov.u32 %r2, %nctaid.x;\n"
                               "sub.s32 %r2, %r2, %r1; setp.eq.s32 %p1, %r2, 1;\n"
                               "@%p1 st.volatile.global.u32 [%words], 1;\n"
                               "again: ld.volatile.global.u32 %r3, [%words];\n"
                               "setp.eq.s32 %p2, %r3, 0; @%p2 bra again;\n"
                               "atom.global.add.u64 %d1, [%words+8], 1;"),
                   500, 32, words),
          "blocks that wait");
    check(words[1] == 500 * 32, "%llu threads have waited", (unsigned long long)words[1]);
    words[0] = words[1] = 0;
    check(!run_ptx(KERNEL_TEXT("try: atom.global.cas.b32 %r1, [%words], 0, 1;\n"
                               "setp.ne.s32 %p1, %r1, 0; @%p1 bra try;\n"
                               "ld.global.u64 %d1, [%words+8]; add.s64 %d1, %d1, 1;\n"
                               "st.global.u64 [%words+8], %d1; st.global.u32 [%words], 0;"),
                   3, 100, words),
          "a lock");
    check(words[1] == 300, "%llu threads had the lock", (unsigned long long)words[1]);
}

/* Each thread's place in the order in which they ran. */
static void run_in_order(const char *seed, uint64_t *words)
{
    memset(words, 0, WORDS * sizeof *words);
    setenv("PTXSIM_SEED", seed, 1);
    check(!run_ptx(KERNEL_TEXT(MY_WORD "atom.global.add.u64 %d2, [%words], 1;\n"
                                       "st.global.u64 [%d1+8], %d2;"),
                   1, 100, words),
          "seed '%s'", seed);
    unsetenv("PTXSIM_SEED");
}

static void orders(void)
{
    uint64_t plain[WORDS], mixed[WORDS], again[WORDS];

    run_in_order("", plain);
    for (uint64_t k = 0; k < 100; k++)
        check(plain[k + 1] == k, "thread %llu is not in order", (unsigned long long)k);
    run_in_order("1", mixed);
    run_in_order("1", again);
    check(memcmp(plain, mixed, sizeof plain), "a seed changes nothing");
    check(!memcmp(mixed, again, sizeof mixed), "a seed is not the same again");
}

/* ---- streams ---- */

struct work {
    struct cu_module *module;
    struct gpu_function *function;
    struct gpu_stream *first, *second;
    struct gpu_event *begin, *end;
    volatile uint32_t *word;
    uint64_t address;
};

static void start_work(struct work *w)
{
    static const char waits[] = KERNEL_TEXT(
        "again: ld.volatile.global.u32 %r1, [%words]; setp.eq.s32 %p1, %r1, 0; @%p1 bra again;");
    void *memory = NULL;

    check(!driver->module_load(&w->module, waits, 0, NULL, NULL) &&
              !driver->module_function(&w->function, w->module, "t") &&
              !driver->calls.stream_create(&w->first, LW_GPU_STREAM_NON_BLOCKING) &&
              !driver->calls.stream_create(&w->second, LW_GPU_STREAM_NON_BLOCKING) &&
              !driver->calls.event_create(&w->begin, 0) &&
              !driver->calls.event_create(&w->end, 0) &&
              !driver->calls.host_create(&memory, 4, LW_GPU_HOST_MAPPED) &&
              !driver->calls.host_address(&w->address, memory, 0),
          "streams, events and memory of the host");
    w->word = memory;
    *w->word = 0;
}

static void end_work(const struct work *w)
{
    check(!driver->calls.host_destroy((void *)(uintptr_t)w->word) &&
              !driver->calls.event_destroy(w->begin) && !driver->calls.event_destroy(w->end) &&
              !driver->calls.stream_destroy(w->first) && !driver->calls.stream_destroy(w->second) &&
              !driver->module_unload(w->module),
          "all is destroyed");
}

/* A kernel waits for the host, a second stream for the kernel. */
static void streams(void)
{
    struct work w = {.word = NULL};
    float milliseconds = -1;
    void *parameters[] = {&w.address};

    start_work(&w);
    check(driver->calls.event_elapsed(&milliseconds, w.begin, w.end), "time without an event");
    check(!driver->calls.event_record(w.begin, w.first), "a record");
    check(!driver->launch(w.function, 1, 1, 1, 32, 1, 1, 0, w.first, parameters, NULL), "a launch");
    check(!driver->calls.event_record(w.end, w.first), "a record behind the launch");
    check(!driver->calls.stream_wait_event(w.second, w.end, 0), "a stream that waits");
    check(!driver->calls.event_wait(w.begin), "what is before the kernel has been");
    check(driver->calls.stream_query(w.first) == LW_CU_NOT_READY, "the kernel waits");
    check(driver->calls.stream_query(w.second) == LW_CU_NOT_READY, "the second stream waits");
    check(driver->calls.event_query(w.end) == LW_CU_NOT_READY, "the event is ahead");
    *w.word = 1;
    check(!driver->calls.stream_wait(w.second), "the second stream goes on");
    check(!driver->calls.event_query(w.end) && !driver->calls.stream_query(w.first),
          "the first is done");
    check(!driver->calls.event_elapsed(&milliseconds, w.begin, w.end) && milliseconds >= 0,
          "%g milliseconds", (double)milliseconds);
    end_work(&w);
}

/* ---- what goes wrong ---- */

static void refused(void)
{
    fails("an instruction", KERNEL_TEXT("add.s32 %r0, %r1, %r2;\nadd.s33 %r0, %r1, %r2;"), 1,
          LW_CU_INVALID_PTX, "line 10: 'add.s33' is not known");
    fails("a register", KERNEL_TEXT("add.s32 %r0, %r1, %r99;"), 1, LW_CU_INVALID_PTX, "'%r99'");
    fails("a modifier", KERNEL_TEXT("add.rn.ftz.f32 %f0, %f1, %f2;"), 1, LW_CU_INVALID_PTX,
          "'add.rn.ftz.f32'");
    fails("a label", KERNEL_TEXT("bra nowhere;"), 1, LW_CU_INVALID_PTX, "'nowhere'");
    fails("operands", KERNEL_TEXT("add.s32 %r0, %r1;"), 1, LW_CU_INVALID_PTX, "2 operands");
    fails("a function", KERNEL_TEXT("call.uni other, ();"), 1, LW_CU_INVALID_PTX, "'other'");
    fails("an end", KERNEL_HEAD, 1, LW_CU_INVALID_PTX, "the text ends");
}

static void wrong(void)
{
    enum { MISALIGNED = 716 };

    fails("an address", KERNEL_TEXT("ld.global.u32 %r0, [%words+8192];"), 1, LW_CU_ILLEGAL_ADDRESS,
          "t, block (0,0,0), thread (0,0,0), line 9: 4 bytes at global address");
    fails("a part of an address", KERNEL_TEXT("ld.global.v2.u64 {%d0, %d1}, [%words+8184];"), 1,
          MISALIGNED, "misaligned");
    fails("a null pointer", KERNEL_TEXT("mov.u64 %d1, 0; st.global.u32 [%d1], 1;"), 1,
          LW_CU_ILLEGAL_ADDRESS, "4 bytes at global address 0x0");
    fails("a shared address", KERNEL_TEXT(".shared .b8 one[4]; ld.shared.u32 %r0, [one+4];"), 1,
          LW_CU_ILLEGAL_ADDRESS, "shared address");
    fails("an undefined address", KERNEL_TEXT("st.global.u8 [%d5], 1;"), 1, LW_CU_ILLEGAL_ADDRESS,
          "0xdeadbeefdeadbeef");
    fails("its own lane", KERNEL_TEXT("bar.warp.sync 1;"), 32, LW_CU_LAUNCH_FAILED,
          "its own lane is not in the mask 0x1");
    fails("a lane of others",
          KERNEL_TEXT("mov.u32 %r1, %laneid; setp.gt.u32 %p1, %r1, 1;\n"
                      "@%p1 exit; shfl.sync.idx.b32 %r0, %r1, 2, 31, 3;"),
          32, LW_CU_LAUNCH_FAILED, "it reads lane 2, which is not in the mask 0x3");
    fails("other instructions",
          KERNEL_TEXT("mov.u32 %r1, %laneid; setp.gt.u32 %p1, %r1, 1;\n"
                      "@%p1 bra there; shfl.sync.idx.b32 %r0, %r1, 2, 31, -1; ret;\n"
                      "there:\nshfl.sync.idx.b32 %r0, %r1, 2, 31, -1;"),
          32, LW_CU_LAUNCH_FAILED, "line 10: lane 2 stands at line 12");
    fails("a barrier and a warp",
          KERNEL_TEXT("mov.u32 %r1, %laneid; setp.gt.u32 %p1, %r1, 1;\n"
                      "@%p1 bra there; bar.sync 0; ret;\nthere: bar.warp.sync -1;"),
          32, LW_CU_LAUNCH_FAILED, "it waits for ever");
    fails("two barriers of a warp",
          KERNEL_TEXT("mov.u32 %r1, %laneid; setp.gt.u32 %p1, %r1, 1;\n"
                      "@%p1 bra there; bar.sync 0; ret;\nthere: bar.sync 0;"),
          32, LW_CU_LAUNCH_FAILED, "threads of the warp stand at another barrier");
}

/* Memory of the device has an end. */
static void memory(void)
{
    size_t unused = 0, total = 0;
    uint64_t all = 0, more = 0;

    check(!driver->calls.memory_info(&unused, &total) && unused <= total, "memory is told");
    check(driver->calls.memory_create(&all, total + 1) == LW_CU_OUT_OF_MEMORY, "too much memory");
    check(!driver->calls.memory_create(&all, 1000), "some memory");
    check(!driver->calls.memory_info(&more, &total) && more + 1000 == unused, "what is left of it");
    check(!driver->calls.memory_destroy(all), "memory is given back");
    check(driver->calls.memory_destroy(all) == LW_CU_INVALID_VALUE, "and cannot be again");
}

int main(void)
{
    open_simulator();
    warps();
    blocks();
    waiting();
    orders();
    streams();
    refused();
    wrong();
    memory();
    close_simulator();
    return finish();
}
