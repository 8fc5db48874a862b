/* The scheduler of `ref`: who meets whom, progress, blocks, failures. */
#include "ref_machine.h"
#include <fenv.h>
#include <float.h>
#include <locale.h>

/* ---- places and order ------------------------------------------------------------------------ */

static int started;

static void indices(struct machine *m)
{
    const struct lw_ref_thread *t = m->t;
    int block = t->block_idx[0] + 2 * (t->block_idx[1] + 3 * t->block_idx[2]);
    int thread = t->thread_idx[0] + 8 * (t->thread_idx[1] + 8 * t->thread_idx[2]);
    CHECK(block == started / 256 && thread == started % 256 && thread == t->linear);
    CHECK(t->block_dim[0] == 8 && t->block_dim[1] == 8 && t->block_dim[2] == 4);
    CHECK(t->grid_dim[0] == 2 && t->grid_dim[1] == 3 && t->grid_dim[2] == 2);
    started++;
    m->t->state = LW_REF_RETURNED;
}

static void test_indices(void)
{
    struct run r = {.grid = {2, 3, 2}, .block = {8, 8, 4}};
    CHECK(run(&r, indices, NULL) == LW_OK);
    CHECK(started == 12 * 256);
}

/* for (i = 0;; i++) if (i == lane % 4) { v = warp_sum(lane); break; } - each trip sums alone;
 * the block has 33 threads, and the last is a warp of one. */
static void leave_in_trips(struct machine *m)
{
    int64_t *sums = data_of(m);
    int lane = m->t->linear % 32;
    BEGIN(m);
    for (m->i = 0; m->i != lane % 4; m->i++)
        YIELD(m, LINE_30);
    m->t->value = (uint64_t)lane;
    AT(m, LW_OP_warp_sum, LW_I32, LINE_20, KEY(5, (uint64_t)m->i, 2));
    sums[m->t->linear] = (int64_t)m->t->result;
    END(m);
}

static void test_trips(void)
{
    int64_t sums[33];
    CHECK(run_1d(1, 33, leave_in_trips, sums) == LW_OK);
    for (int i = 0; i < 32; i++)
        CHECK(sums[i] == 112 + 8 * (i % 4)); /* 0+4+...+28 = 112 */
    CHECK(sums[32] == 0);
}

/* The smallest instance runs first, a shorter key before its extensions, in any order of lanes. */
static void earliest_first(struct machine *m)
{
    int *order = data_of(m);
    BEGIN(m);
    if (m->t->linear == 0)
        AT(m, LW_OP_warp_sync, 0, LINE_20, KEY(7, 2, 1));
    else if (m->t->linear == 1)
        AT(m, LW_OP_warp_sync, 0, LINE_20, KEY(7, 1, 9));
    else if (m->t->linear == 2)
        AT(m, LW_OP_warp_sync, 0, LINE_20, KEY(7));
    else
        AT(m, LW_OP_warp_sync, 0, LINE_20, KEY(6, 9, 9, 9, 9));
    order[++order[0]] = m->t->linear;
    AT(m, LW_OP_barrier, 0, LINE_10, KEY(8));
    END(m);
}

static void test_earliest_first(void)
{
    int order[5] = {0};
    CHECK(run_1d(1, 4, earliest_first, order) == LW_OK);
    CHECK(order[1] == 3 && order[2] == 2 && order[3] == 1 && order[4] == 0);
}

/* ---- block memory and barriers --------------------------------------------------------------- */

/* A tree reduction through block memory: 0 + 1 + ... + n - 1 for any block size; every fifth thread
 * leaves before the second barrier. */
static void tree(struct machine *m)
{
    struct lw_ref_thread *t = m->t;
    int64_t *tile = (int64_t *)(void *)t->shared, *out = data_of(m);
    BEGIN(m);
    tile[t->linear] = t->linear;
    AT(m, LW_OP_barrier, 0, LINE_10, KEY(1));
    for (m->i = 512; m->i > 0; m->i /= 2) {
        if (t->linear < m->i && t->linear + m->i < t->block_dim[0])
            tile[t->linear] += tile[t->linear + m->i];
        AT(m, LW_OP_barrier, 0, LINE_10, KEY(2, (uint64_t)(512 - m->i), 1));
    }
    if (t->linear == 0)
        out[t->block_idx[0]] = tile[0];
    END(m);
}

static void test_tree(void)
{
    static const int counts[] = {1, 31, 32, 33, 64, 100, 256, 1000, 1024};
    for (int c = 0; c < 9; c++) {
        int64_t out[3] = {0}, n = counts[c];
        struct run r = {
            .grid = {3, 1, 1}, .block = {(uint32_t)n, 1, 1}, .shared_bytes = 8 * (size_t)n};
        CHECK(run(&r, tree, out) == LW_OK);
        for (int b = 0; b < 3; b++)
            CHECK(out[b] == n * (n - 1) / 2);
    }
}

/* Threads that return before a barrier are not waited for: n % 3 == 0 leaves after each barrier. */
static void leave_early(struct machine *m)
{
    int64_t *last = data_of(m);
    BEGIN(m);
    for (m->n = m->t->linear; m->n % 3 != 0; m->n /= 3) {
        m->t->value = 1;
        AT(m, LW_OP_block_count, 0, LINE_10, KEY(1, (uint64_t)m->i++, 1));
        last[m->t->linear] = (int64_t)m->t->result;
    }
    END(m);
}

static void test_leave_early(void)
{
    int64_t last[100] = {0};
    CHECK(run_1d(1, 100, leave_early, last) == LW_OK);
    CHECK(last[1] == 66 && last[3] == 0 && last[80] == 16);
}

static void memory_is_fresh(struct machine *m)
{
    const unsigned char *shared = (const unsigned char *)m->t->shared;
    CHECK((uintptr_t)shared % 128 == 0);
    for (int i = 0; i < 256 + 1000; i++)
        CHECK(shared[i] == (i % 2 ? 0x7f : 0xf4));
    memset(m->t->shared, 0, 256 + 1000);
    m->t->state = LW_REF_RETURNED;
}

static void test_memory(void)
{
    struct run r = {
        .grid = {4, 1, 1}, .block = {1, 1, 1}, .shared_bytes = 130, .dynamic_bytes = 1000};
    CHECK(run(&r, memory_is_fresh, NULL) == LW_OK);
}

/* ---- threads that cannot meet ---------------------------------------------------------------- */

static void divergent(struct machine *m)
{
    int i = m->t->linear;
    BEGIN(m);
    if (i < 16 || i == 20)
        AT(m, LW_OP_barrier, 0, LINE_10, KEY(1));
    else if (i < 40)
        AT(m, LW_OP_barrier, 0, LINE_50, KEY(4));
    else if (i < 60)
        AT(m, LW_OP_block_sum, LW_I32, LINE_50, KEY(3));
    END(m);
}

static void divergent_with_warp(struct machine *m)
{
    BEGIN(m);
    if (m->t->linear > 0)
        AT(m, LW_OP_barrier, 0, LINE_10, KEY(2, 3, 1));
    AT(m, LW_OP_warp_sum, LW_I32, LINE_20, KEY(9));
    END(m);
}

/* Thread 0 sums in so many trips while thread 1 waits at a barrier, which then comes to one. */
struct late {
    uint64_t trips, comes_to, place, sums;
};

static void comes_late(struct machine *m)
{
    struct late *late = data_of(m);
    BEGIN(m);
    if (m->t->linear == 0) {
        for (m->i = 0; (uint64_t)m->i < late->trips; m->i++) {
            AT(m, LW_OP_warp_sum, LW_I32, LINE_20, KEY(9, (uint64_t)m->i, 2));
            late->sums++;
            AT(m, LW_OP_warp_sync, 0, LINE_20, KEY(9, (uint64_t)m->i, 4));
        }
    } else {
        AT(m, LW_OP_barrier, 0, LINE_10, KEY(2));
        AT(m, LW_OP_warp_sum, LW_I32, LINE_20, KEY(9, late->comes_to, late->place));
        late->sums++;
    }
    END(m);
}

static void other_trips(struct machine *m)
{
    BEGIN(m);
    for (m->i = 0; m->i < m->t->linear; m->i++)
        AT(m, LW_OP_barrier, 0, LINE_10, KEY(2, (uint64_t)m->i, 1));
    m->t->value = 0;
    AT(m, LW_OP_barrier, 0, LINE_50, KEY(3));
    END(m);
}

static void all_apart(struct machine *m)
{
    BEGIN(m);
    AT(m, LW_OP_barrier, 0, LINE_10, KEY((uint64_t)m->t->linear));
    END(m);
}

static void test_divergence(void)
{
    struct run r = {.grid = {1, 1, 1}, .block = {32, 2, 1}};
    CHECK(run(&r, divergent, NULL) == LW_E_LAUNCH);
    CHECK_TEXT(lw_last_error(), "kernel 'k': barrier divergence in block (0,0,0): "
                                "k.c:10 barrier reached by 17 threads (first thread (0,0,0)), "
                                "k.c:50 barrier reached by 23 threads (first thread (16,0,0)), "
                                "k.c:50 barrier reached by 20 threads (first thread (8,1,0)); "
                                "missing at k.c:10: (16,0,0) to (19,0,0), (21,0,0) to (27,1,0); "
                                "4 threads have returned");
    CHECK(run_1d(1, 2, divergent_with_warp, NULL) == LW_E_LAUNCH);
    CHECK_TEXT(lw_last_error(),
               "kernel 'k': barrier divergence in block (0,0,0): "
               "k.c:10 barrier in iteration 3 reached by 1 thread (first thread (1,0,0)), "
               "k.c:20 warp_sum reached by 1 thread (first thread (0,0,0)); "
               "missing at k.c:10: (0,0,0)");
    static const struct late late[] = {{5, 0, 2, 0}, {5, 4, 2, 0}, {1, 0, 4, 0}, {9, 7, 4, 0}};
    for (int k = 0; k < 4; k++) {
        struct late l = late[k];
        CHECK(run_1d(1, 2, comes_late, &l) == LW_E_LAUNCH && l.sums == l.trips);
        CHECK_TEXT(lw_last_error(), "kernel 'k': barrier divergence in block (0,0,0): "
                                    "k.c:10 barrier reached by 1 thread (first thread (1,0,0)), "
                                    "k.c:20 warp_sum reached by 1 thread (first thread (0,0,0)); "
                                    "missing at k.c:10: (0,0,0)");
    }
    static const struct late alone[] = {{5, 5, 2, 0}, {5, 4, 3, 0}, {5, 0, 1, 0}, {0, 0, 2, 0}};
    for (int k = 0; k < 4; k++) {
        struct late l = alone[k];
        CHECK(run_1d(1, 2, comes_late, &l) == LW_OK && l.sums == l.trips + 1);
    }
    CHECK(run_1d(1, 2, other_trips, NULL) == LW_E_LAUNCH);
    CHECK(strstr(lw_last_error(), "k.c:10 barrier reached by 1 thread"));
    CHECK(run_1d(1, 1024, all_apart, NULL) == LW_E_LAUNCH);
    CHECK(
        strstr(lw_last_error(), ", other lines by 1016; missing at k.c:10: (1,0,0) to (1023,0,0)"));
}

/* Lanes of a warp that sum before the barrier are not divergent, and a warp waits at
 * its barrier until the others have summed. */
static void sums_then_barrier(struct machine *m)
{
    int64_t *out = data_of(m);
    BEGIN(m);
    for (m->i = 0; m->i < m->t->linear / 32; m->i++) {
        m->t->value = 1;
        AT(m, LW_OP_warp_sum, LW_I32, LINE_20, KEY(1, (uint64_t)m->i, 1));
        m->n += (int64_t)m->t->result;
    }
    AT(m, LW_OP_barrier, 0, LINE_10, KEY(2));
    out[m->t->linear] = m->n;
    END(m);
}

static void test_warps_apart(void)
{
    int64_t out[100];
    CHECK(run_1d(1, 100, sums_then_barrier, out) == LW_OK);
    for (int i = 0; i < 100; i++)
        CHECK(out[i] == i / 32 * (i < 96 ? 32 : 4));
}

/* ---- progress -------------------------------------------------------------------------------- */

enum spin { PLAIN, COUNTING, THROUGH_COLLECTIVE, WITH_ATOMICS };

struct chain {
    enum spin spin;
    int step; /* wait for block + step */
    int blocks;
    bool done[12];
};

/* Thread 0 of each block waits for the flag of another block, then sets its own. */
static void chain(struct machine *m)
{
    struct chain *c = data_of(m);
    int other = m->t->block_idx[0] + c->step;
    bool exists = other >= 0 && other < c->blocks;
    BEGIN(m);
    if (c->spin == THROUGH_COLLECTIVE) {
        for (m->t->result = 0; !m->t->result; m->i++) {
            m->t->value = !exists || c->done[other];
            m->t->number = 0;
            AT(m, LW_OP_block_broadcast, LW_I32, LINE_10, KEY(1, (uint64_t)m->i, 1));
        }
    } else {
        while (m->t->linear == 0 && exists && !c->done[other]) {
            m->i += c->spin == COUNTING;
            m->t->changed = c->spin == WITH_ATOMICS;
            YIELD(m, LINE_30);
        }
    }
    AT(m, LW_OP_barrier, 0, LINE_10, KEY(2));
    c->done[m->t->block_idx[0]] = true;
    m->t->changed = 1;
    END(m);
}

static void test_chains(void)
{
    for (int spin = PLAIN; spin <= WITH_ATOMICS; spin++)
        for (int step = -1; step <= 1; step += 2) {
            struct chain c = {.spin = (enum spin)spin, .step = step, .blocks = 12};
            CHECK(run_1d((uint32_t)c.blocks, 33, chain, &c) == LW_OK);
            for (int i = 0; i < c.blocks; i++)
                CHECK(c.done[i]);
        }
}

static void never(struct machine *m)
{
    int period = *(int *)data_of(m);
    BEGIN(m);
    for (;;) {
        if (m->t->linear % 2) {
            m->i = (m->i + 1) % period;
            YIELD(m, LINE_30);
        } else {
            AT(m, LW_OP_barrier, 0, LINE_10, KEY(1));
        }
    }
    END(m);
}

static void test_stuck(void)
{
    static const int periods[] = {1, 2, 3, 7, 100};
    for (int p = 0; p < 5; p++) {
        int period = periods[p];
        CHECK(run_1d(3, 4, never, &period) == LW_E_LAUNCH);
        CHECK_TEXT(lw_last_error(),
                   "kernel 'k': no thread can make progress: "
                   "k.c:10 barrier waits with 6 threads (first block (0,0,0) thread (0,0,0)), "
                   "k.c:30 loop waits with 6 threads (first block (0,0,0) thread (1,0,0))");
    }
}

/* A lane spins on what lane 0 writes after a sum that needs both. */
static void lane_waits_for_lane(struct machine *m)
{
    bool *flag = data_of(m);
    BEGIN(m);
    while (m->t->linear == 1 && !*flag)
        YIELD(m, LINE_30);
    AT(m, LW_OP_warp_sum, LW_I32, LINE_20, KEY(2));
    *flag = true;
    END(m);
}

static void test_lane_waits(void)
{
    bool flag = false;
    CHECK(run_1d(1, 2, lane_waits_for_lane, &flag) == LW_E_LAUNCH);
    CHECK(strstr(lw_last_error(), "k.c:20 warp_sum waits with 1 thread (first"));
    CHECK(strstr(lw_last_error(), "k.c:30 loop waits with 1 thread (first"));
    flag = true;
    CHECK(run_1d(1, 2, lane_waits_for_lane, &flag) == LW_OK);
}

/* Frames that change and change back only later are not taken for a hang. */
static void long_count(struct machine *m)
{
    BEGIN(m);
    for (m->i = 0; m->i < 100000; m->i++)
        YIELD(m, LINE_30);
    END(m);
}

struct crowd {
    int now, most;
};

static void crowd(struct machine *m)
{
    struct crowd *c = data_of(m);
    BEGIN(m);
    if (++c->now > c->most)
        c->most = c->now;
    for (m->i = 0; m->i < 200; m->i++)
        YIELD(m, LINE_30);
    c->now--;
    END(m);
}

static void crowd_with_barriers(struct machine *m)
{
    struct crowd *c = data_of(m);
    BEGIN(m);
    if (++c->now > c->most)
        c->most = c->now;
    for (m->i = 0; m->i < 60; m->i++)
        AT(m, LW_OP_barrier, 0, LINE_10, KEY(1, (uint64_t)m->i, 1));
    c->now--;
    END(m);
}

/* Only memory counts: the frames are the same after every round. */
static void count_in_memory(struct machine *m)
{
    int *count = data_of(m);
    BEGIN(m);
    while (--*count > 0) {
        m->t->changed = 1;
        YIELD(m, LINE_30);
    }
    END(m);
}

static void test_long_loops(void)
{
    struct crowd yielding = {0}, meeting = {0};
    int count = 1000;
    CHECK(run_1d(1, 1, long_count, NULL) == LW_OK);
    CHECK(run_1d(1, 1, count_in_memory, &count) == LW_OK);
    /* long loops make few blocks resident, and a few barriers none */
    CHECK(run_1d(2000, 1, crowd, &yielding) == LW_OK);
    CHECK(yielding.now == 0 && yielding.most < 40);
    CHECK(run_1d(100, 1, crowd_with_barriers, &meeting) == LW_OK);
    CHECK(meeting.now == 0 && meeting.most == 1);
}

/* ---- stopping -------------------------------------------------------------------------------- */

static void cancels_itself(struct machine *m)
{
    struct run *r = data_of(m);
    BEGIN(m);
    for (;;) {
        if (++m->i == 1000)
            atomic_store(&r->cancelled, true);
        YIELD(m, LINE_30);
    }
    END(m);
}

static void test_cancel(void)
{
    struct run r = {.grid = {5, 1, 1}, .block = {2, 1, 1}};
    CHECK(run(&r, cancels_itself, &r) == LW_E_LAUNCH);
    CHECK_TEXT(lw_last_error(), "kernel 'k': the launch was cancelled");
}

static void asserts(struct machine *m)
{
    struct lw_ref_thread *t = m->t;
    BEGIN(m);
    AT(m, LW_OP_barrier, 0, LINE_10, KEY(1));
    if (t->block_idx[0] == 5 && t->linear == 40) {
        t->calls->fail(t, "x < n && \"50%s\"", LINE_40);
        t->state = LW_REF_FAILED;
        return;
    }
    END(m);
}

/* The grid is the largest there is; block (5,0,0) ends it. */
static void test_assert(void)
{
    struct run r = {.grid = {INT32_MAX, 65535, 65535}, .block = {32, 2, 1}};
    CHECK(run(&r, asserts, NULL) == LW_E_LAUNCH);
    CHECK_TEXT(lw_last_error(), "kernel 'k': k.c:40: assertion 'x < n && \"50%s\"' failed, "
                                "block (5,0,0) thread (8,1,0)");
}

static void no_memory(struct machine *m)
{
    CHECK(!m->t->calls->frame(m->t, UINT64_MAX, 16));
    CHECK(!m->t->calls->frame(m->t, 16, UINT64_MAX / 2 + 1));
    CHECK(m->t->calls->frame(m->t, 100000, 4096));
    m->t->state = LW_REF_RETURNED;
}

static void *ramp_without_memory(struct lw_ref_thread *t)
{
    return t->linear == 3 ? NULL : machine_ramp(t);
}

static void test_no_memory(void)
{
    struct args args = {leave_early, (int64_t[100]){0}};
    struct lw__ref_code code = {.ramp = ramp_without_memory, .resume = machine_resume};
    atomic_bool cancelled = false;
    struct lw__launch launch = {.kernel = "k",
                                .grid = {1, 1, 1},
                                .block = {4, 1, 1},
                                .args = (const char *)&args,
                                .cancelled = &cancelled};
    CHECK(run_1d(1, 1, no_memory, NULL) == LW_OK);
    CHECK(lw__ref_run(&launch, &code, NULL, NULL, NULL) == LW_E_MEMORY);
    CHECK_TEXT(lw_last_error(), "kernel 'k': no memory for the threads of block (0,0,0)");
}

static void bad_state(struct machine *m)
{
    m->t->state = 77;
}

static void test_bad_state(void)
{
    CHECK(run_1d(1, 1, bad_state, NULL) == LW_E_INTERNAL);
}

/* ---- what the kernel sees of the host -------------------------------------------------------- */

static void environment(struct machine *m)
{
    volatile float tiny = FLT_MIN, half = 0.5f;
    CHECK(fegetround() == FE_TONEAREST);
    CHECK(tiny * half > 0);
    CHECK(strcmp(localeconv()->decimal_point, ".") == 0);
    fesetround(FE_DOWNWARD);
    m->t->state = LW_REF_RETURNED;
}

static void test_environment(void)
{
    fesetround(FE_UPWARD);
#ifdef __SSE2__
    unsigned before = __builtin_ia32_stmxcsr();
    __builtin_ia32_ldmxcsr(before | 0x8040); /* flush to zero, denormals are zero */
    unsigned flushing = __builtin_ia32_stmxcsr();
#endif
    CHECK(run_1d(1, 1, environment, NULL) == LW_OK);
    CHECK(fegetround() == FE_UPWARD);
#ifdef __SSE2__
    CHECK(__builtin_ia32_stmxcsr() == flushing);
    __builtin_ia32_ldmxcsr(before);
#endif
    fesetround(FE_TONEAREST);
}

int main(void)
{
    test_indices();
    test_trips();
    test_earliest_first();
    test_tree();
    test_leave_early();
    test_memory();
    test_divergence();
    test_warps_apart();
    test_chains();
    test_stuck();
    test_lane_waits();
    test_long_loops();
    test_cancel();
    test_assert();
    test_no_memory();
    test_bad_state();
    test_environment();
    return failures != 0;
}
