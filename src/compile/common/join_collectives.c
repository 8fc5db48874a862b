/* join_collectives.c - which calls of helpers that hold collectives are there once.
 *
 * Each way to a collective, call by call, is an instance of its own. Helpers that call the one
 * below twice have two to the power of their depth. Where a kernel becomes too long by that, calls
 * are joined before instances are marked:
 *
 *     x = g(a);                        for (site = 0; site < 2; site++) {
 *     between();         becomes           if (site == 1) { x = result; between(); }
 *     y = g(b);                            result = g(site == 0 ? a : b);
 *                                      }
 *                                      y = result;
 *
 * The calls are then iterations of a loop of the source, so each is still an instance of its own,
 * in the same order. That is right for calls such that a thread that makes one makes all, in each
 * iteration of the loops around: of the blocks the first dominates the others, they post-dominate
 * it, and they are in the same loop of the source. Then lanes that are together at the first call
 * are together at all. Calls of several helpers that are mixed share one loop.
 *
 * The length above which a helper's calls are joined is halved until the kernels are short enough,
 * as in join_helpers.c. Instances that cannot be joined, such as those in both arms of a branch,
 * stay. Beyond INSTANCES_MAX the kernel is refused.
 */
#include "compile/common/common.h"
#include "compile/common/helpers.h"
#include "compile/ir/ir.h"
#include "compile/llvm/llvm.h"

/* Lengths, as in helpers.h: the most of a kernel that is left as it is; what is aimed at beyond
 * that; of the longest helper that is copied, first and last; of a call that is one of a joined
 * one; of a collective of a warp and of a block; the most that join_helpers.c leaves of a helper
 * without collectives. */
enum {
    LENGTH_MAX = 16000,
    LENGTH_AIM = 4000,
    COPIED_FIRST = 2000,
    COPIED_LAST = 250,
    CALL_LENGTH = 8,
    WARP_LENGTH = 30,
    BLOCK_LENGTH = 120,
    PLAIN_MAX = 4000,
    INSTANCES_MAX = 4096
};

/* A call of a helper that holds collectives. */
struct call {
    LLVMValueRef call;
    struct function *callee;
    unsigned group; /* the first call that makes this one certain: an index of calls */
    bool again;     /* the group has an earlier call of this helper */
};

struct function {
    LLVMValueRef f;
    uint64_t own, own_instances; /* without the calls below */
    uint64_t length, instances;  /* with them */
    struct call *calls;
    unsigned call_count;
};

/* Helpers, callees first, then kernels. */
struct join {
    struct lw__helpers helpers;
    struct function *functions;
    size_t count;
};

static uint64_t sum(uint64_t a, uint64_t b)
{
    return a + b > LW_LENGTH_MANY ? LW_LENGTH_MANY : a + b;
}

/* ---- what a function holds ------------------------------------------------------------------- */

static struct function *callee_of(const struct join *j, LLVMValueRef i)
{
    const struct lw__helper *helper = lw__helpers_callee(&j->helpers, i);
    return helper ? &j->functions[helper - j->helpers.row] : NULL;
}

static void look(const struct join *j, struct function *f)
{
    f->calls = NULL;
    for (int pass = 0; pass < 2; pass++) {
        f->own = f->own_instances = f->call_count = 0;
        EACH_INSTRUCTION_OF(i, f->f) {
            struct function *callee = callee_of(j, i);
            const enum lw__op op = lw__ir_collective(i, NULL);
            if (op) {
                f->own = sum(f->own, lw__op_table[op].block ? BLOCK_LENGTH : WARP_LENGTH);
                f->own_instances++;
            } else if (callee && callee->instances) {
                if (f->calls)
                    f->calls[f->call_count] = (struct call){i, callee, f->call_count, false};
                f->call_count++;
            } else if (callee) {
                f->own = sum(f->own, callee->length < PLAIN_MAX ? callee->length : PLAIN_MAX);
            } else {
                f->own = sum(f->own, lw__helpers_weight(i));
            }
        }
        if (!pass)
            f->calls = lw__new(&j->helpers.unit->scratch, f->call_count + 1, sizeof *f->calls);
    }
}

/* The sums if helpers of more than `most` are joined where they can be. */
static void add_calls(struct function *f, uint64_t most)
{
    f->length = f->own;
    f->instances = f->own_instances;
    for (unsigned k = 0; k < f->call_count; k++) {
        const struct call *call = &f->calls[k];
        const bool joined = call->again && call->callee->length > most;
        f->length = sum(f->length, joined ? CALL_LENGTH : call->callee->length);
        f->instances = sum(f->instances, joined ? 0 : call->callee->instances);
    }
}

/* The length of the longest kernel. */
static uint64_t longest(struct join *j, uint64_t most)
{
    uint64_t length = 0;
    for (size_t i = 0; i < j->count; i++) {
        struct function *f = &j->functions[i];
        add_calls(f, most);
        if (i >= j->helpers.count && f->instances && f->length > length)
            length = f->length;
    }
    return length;
}

/* ---- groups: calls such that a thread that makes one makes all ------------------------------- */

struct graph {
    struct lw__cfg cfg;
    struct lw__loops loops;
    uint32_t *post;
};

static bool post_dominates(const struct graph *g, uint32_t a, uint32_t b)
{
    while (b != a && b != UINT32_MAX && g->post[b] != b)
        b = g->post[b];
    return a == b;
}

/* True if a thread makes the later call just when it makes the first. */
static bool go_together(const struct graph *g, const struct call *first, const struct call *later)
{
    const uint32_t a = lw__cfg_index(&g->cfg, LLVMGetInstructionParent(first->call));
    const uint32_t b = lw__cfg_index(&g->cfg, LLVMGetInstructionParent(later->call));
    return a != UINT32_MAX && b != UINT32_MAX && lw__cfg_dominates(&g->cfg, a, b) &&
           post_dominates(g, b, a) &&
           lw__loops_innermost(&g->loops, a) == lw__loops_innermost(&g->loops, b);
}

/* Calls are in the order of the text. A jump back may have them the other way around: then they
 * stay apart. */
static void group_calls(const struct join *j, struct function *f)
{
    struct lw__arena *arena = &j->helpers.unit->scratch;
    const struct lw__arena_mark mark = lw__arena_mark(arena);
    if (f->call_count < 2)
        return;
    struct graph g;
    lw__cfg_build(arena, f->f, &g.cfg);
    bool *wanted = lw__new(arena, g.cfg.count + 1, sizeof *wanted);
    for (uint32_t b = 0; b < g.cfg.count; b++)
        EACH_INSTRUCTION(i, g.cfg.blocks[b]) {
            const struct function *callee = callee_of(j, i);
            wanted[b] |= lw__ir_collective(i, NULL) || (callee && callee->instances);
        }
    g.post = lw__cfg_post_dominators(&g.cfg);
    lw__text_loops(&g.cfg, wanted, &g.loops);
    for (unsigned k = 1; k < f->call_count; k++) {
        struct call *call = &f->calls[k];
        unsigned first = 0;
        while (first < k &&
               !(f->calls[first].group == first && go_together(&g, &f->calls[first], call)))
            first++;
        call->group = first;
        for (unsigned e = first; e < k; e++)
            call->again |= f->calls[e].group == first && f->calls[e].callee == call->callee;
    }
    lw__arena_release(arena, mark);
}

/* ---- joining --------------------------------------------------------------------------------- */

/* The long helpers that a group calls more than once. */
static bool is_joined(const struct function *f, unsigned group, const struct call *call,
                      uint64_t most)
{
    unsigned same = 0;
    for (unsigned k = 0; k < f->call_count; k++)
        same += f->calls[k].group == group && f->calls[k].callee == call->callee;
    return call->group == group && same > 1 && call->callee->length > most;
}

/* Join the calls of one group; false: there are none to be joined. */
static bool join_one(const struct join *j, struct function *f, uint64_t most)
{
    LLVMValueRef *calls =
        lw__new(&j->helpers.unit->scratch, f->call_count + 1, sizeof(LLVMValueRef));
    unsigned count = 0;
    for (unsigned group = 0; group < f->call_count && !count; group++)
        for (unsigned k = group; k < f->call_count; k++)
            if (is_joined(f, group, &f->calls[k], most))
                calls[count++] = f->calls[k].call;
    if (count)
        lw__join_calls(j->helpers.unit, f->f, calls, count);
    return count;
}

/* ---- the pass -------------------------------------------------------------------------------- */

static void list_functions(struct join *j)
{
    struct lw__unit *unit = j->helpers.unit;
    lw__helpers_list(&j->helpers);
    j->functions =
        lw__new(&unit->scratch, j->helpers.count + unit->kernels.count, sizeof *j->functions);
    for (size_t i = 0; i < j->helpers.count; i++)
        j->functions[j->count++].f = j->helpers.row[i].function;
    for (size_t i = 0; i < unit->kernels.count; i++)
        j->functions[j->count++].f = unit->kernels.rows[i].function;
    for (size_t i = 0; i < j->count; i++) {
        look(j, &j->functions[i]);
        add_calls(&j->functions[i], UINT64_MAX);
    }
}

bool lw__join_collectives(struct lw__unit *unit)
{
    struct join j = {.helpers = {.unit = unit}};
    list_functions(&j);
    if (longest(&j, UINT64_MAX) > LENGTH_MAX) {
        uint64_t most = COPIED_FIRST;
        for (size_t i = 0; i < j.count; i++)
            group_calls(&j, &j.functions[i]);
        while (longest(&j, most) > LENGTH_AIM && most > COPIED_LAST)
            most /= 2;
        for (size_t i = 0; i < j.count; i++) {
            while (join_one(&j, &j.functions[i], most)) {
                look(&j, &j.functions[i]);
                group_calls(&j, &j.functions[i]);
            }
            add_calls(&j.functions[i], UINT64_MAX);
        }
    }
    bool ok = true;
    for (size_t i = j.helpers.count; ok && i < j.count; i++)
        if (j.functions[i].call_count && j.functions[i].instances > INSTANCES_MAX) {
            const struct call *worst = j.functions[i].calls;
            for (unsigned k = 1; k < j.functions[i].call_count; k++)
                if (j.functions[i].calls[k].callee->instances > worst->callee->instances)
                    worst = &j.functions[i].calls[k];
            size_t length;
            lw__diags_error(
                &j.helpers.unit->diags, lw__loc_of(worst->call),
                "this call of '%s' leads to %llu instances of barriers and collectives, each "
                "by another way through helpers; a kernel may have %d",
                LLVMGetValueName2(worst->callee->f, &length),
                (unsigned long long)worst->callee->instances, INSTANCES_MAX);
            ok = false;
        }
    return ok;
}
