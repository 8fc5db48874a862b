/* turns.c - where a thread lets others run: yields of loops, and turns of a warp's lanes.
 *
 * Loops that may wait on memory (with an atomic or volatile load) suspend at every iteration, other
 * loops every ITERATIONS_PER_YIELD. So the scheduler can run others, stop a launch, and detect that
 * nothing changes any more.
 *
 * Lanes of a warp have no progress of their own: while lanes are in a loop that waits, those that
 * have left it, or go another way, wait for them. So a kernel with such a loop has turns: at the
 * loop's header, at its exits, where ways round it join it again (the iterated dominance frontier),
 * and at the arms beside it. At a turn a thread suspends with its place, and so it does at a
 * collective. Of a warp the scheduler resumes the lanes at the earliest place (run/ref/turns.c).
 *
 * A place is a path in the nest of loops: the number of each loop's header with its iteration, and
 * that of the block. Blocks are numbered in topological order, those that lead to a loop that waits
 * first: an arm that waits comes before the other, whichever is the first in the text.
 */
#include "compile/ref/ref.h"
#include "compile/llvm/llvm.h"
#include <assert.h>

enum { ITERATIONS_PER_YIELD = 65536 };

struct turns {
    struct lw__ref *r;
    struct lw__cfg g;
    struct lw__loops loops;
    struct lw__spin *spin; /* per loop */
    uint32_t *number;      /* per block, in the order of places */
    bool *is_turn;         /* per block */
    bool *counts;          /* per loop: it holds a turn or a collective */
};

static bool reads_what_others_write(LLVMValueRef i)
{
    return LLVMIsAAtomicRMWInst(i) || LLVMIsAAtomicCmpXchgInst(i) ||
           (LLVMIsALoadInst(i) &&
            (LLVMGetVolatile(i) || LLVMGetOrdering(i) != LLVMAtomicOrderingNotAtomic));
}

/* True if a block for which `in` is true, or any where it is NULL, has such an instruction. */
static bool has_any(const struct lw__cfg *g, const bool *in, bool (*is)(LLVMValueRef))
{
    for (uint32_t b = 0; b < g->count; b++)
        EACH_INSTRUCTION(i, g->blocks[b])
            if ((!in || in[b]) && is(i))
                return true;
    return false;
}

static bool is_collective(LLVMValueRef i)
{
    return lw__ir_collective(i, NULL) != LW_OP_NONE;
}

/* An edge that does not begin another iteration. */
static bool leads_on(const struct lw__cfg *g, uint32_t from, uint32_t to)
{
    return from < to && !lw__cfg_dominates(g, to, from);
}

/* ---- which blocks ---------------------------------------------------------------------------- */

/* Blocks from which a loop that waits is reached in the same iteration of the loops around. */
static bool *find_leading(const struct turns *t)
{
    const struct lw__cfg *g = &t->g;
    bool *leads = lw__new(g->arena, g->count, sizeof *leads);
    for (size_t k = 0; k < t->loops.count; k++)
        if (t->spin[k].access)
            leads[t->loops.loops[k].header] = true;
    for (uint32_t b = (uint32_t)g->count; b-- > 0;)
        EACH_SUCCESSOR(to, g, b)
            leads[b] |= leads_on(g, b, to) && leads[to];
    return leads;
}

/* A topological order, by the number in reverse postorder where it leaves a choice. */
static void number_blocks(struct turns *t, const bool *leads)
{
    const struct lw__cfg *g = &t->g;
    const uint32_t n = (uint32_t)g->count;
    uint32_t *before = lw__new(g->arena, n, sizeof *before);
    bool *done = lw__new(g->arena, n, sizeof *done);
    for (uint32_t b = 0; b < n; b++)
        EACH_SUCCESSOR(to, g, b)
            before[to] += leads_on(g, b, to);
    for (uint32_t count = 0; count < n; count++) {
        uint32_t next = UINT32_MAX;
        for (uint32_t b = 0; b < n; b++)
            if (!done[b] && !before[b] && (next == UINT32_MAX || leads[b] > leads[next]))
                next = b;
        done[next] = true;
        t->number[next] = count;
        EACH_SUCCESSOR(to, g, next)
            before[to] -= leads_on(g, next, to);
    }
}

/* The dominance frontier of block x, but for blocks of the loop. */
static bool add_frontier(struct turns *t, const bool *body, uint32_t x)
{
    const struct lw__cfg *g = &t->g;
    bool added = false;
    for (uint32_t b = 0; b < g->count; b++)
        EACH_SUCCESSOR(y, g, b) {
            if (t->is_turn[y] || body[y] || !lw__cfg_dominates(g, x, b) ||
                (x != y && lw__cfg_dominates(g, x, y)))
                continue;
            t->is_turn[y] = added = true;
        }
    return added;
}

/* The turns of a loop that waits. */
static void add_turns(struct turns *t, const struct lw__loop *l, const bool *leads)
{
    const struct lw__cfg *g = &t->g;
    for (uint32_t b = 0; b < g->count; b++)
        EACH_SUCCESSOR(y, g, b) {
            const bool exits = l->body[b] && !l->body[y];
            const bool is_beside = leads[b] && !leads[y] && !l->body[b];
            t->is_turn[y] |= exits || is_beside;
        }
    add_frontier(t, l->body, l->header);
    for (bool more = true; more;) {
        more = false;
        for (uint32_t b = 0; b < g->count; b++)
            more |= t->is_turn[b] && add_frontier(t, l->body, b);
    }
}

/* Turns are only where a thread still does what others notice. A collective is one by itself. */
static void drop_turns(struct turns *t)
{
    const struct lw__cfg *g = &t->g;
    bool *matters = lw__new(g->arena, g->count, sizeof *matters);
    for (uint32_t b = 0; b < g->count; b++) {
        LLVMValueRef i = LLVMGetFirstInstruction(g->blocks[b]);
        while (i && !(lw__ref_may_write(i) || is_collective(i)))
            i = LLVMGetNextInstruction(i);
        matters[b] = i;
        t->is_turn[b] &= !i || !is_collective(i);
    }
    lw__cfg_flow_back(g, matters);
    for (uint32_t b = 0; b < g->count; b++)
        t->is_turn[b] &= matters[b];
}

static void find_turns(struct turns *t)
{
    const bool *leads = find_leading(t);
    number_blocks(t, leads);
    for (size_t k = 0; k < t->loops.count; k++)
        if (t->spin[k].access)
            add_turns(t, &t->loops.loops[k], leads);
    drop_turns(t);
    for (size_t k = 0; k < t->loops.count; k++)
        if (t->spin[k].access)
            t->is_turn[t->loops.loops[k].header] = true;
    for (size_t k = 0; k < t->loops.count; k++) {
        const struct lw__loop *l = &t->loops.loops[k];
        t->counts[k] = has_any(&t->g, l->body, is_collective);
        for (uint32_t b = 0; b < t->g.count; b++)
            t->counts[k] |= l->body[b] && t->is_turn[b];
    }
}

/* ---- places ---------------------------------------------------------------------------------- */

/* The counted loops around a block, the innermost first; how many. */
static uint32_t loops_around(const struct turns *t, uint32_t b, int *around)
{
    uint32_t n = 0;
    for (int k = lw__loops_innermost(&t->loops, b); k >= 0; k = t->loops.loops[k].parent)
        if (t->counts[k])
            around[n++] = k;
    assert(n <= t->loops.count);
    return n;
}

static LLVMValueRef place_of(struct turns *t, uint32_t b)
{
    struct lw__ref *r = t->r;
    int *around = lw__new(t->g.arena, t->loops.count + 1, sizeof *around);
    const uint32_t n = loops_around(t, b, around);
    const uint32_t kept = n < LW_REF_LOOPS_MAX ? n : LW_REF_LOOPS_MAX;
    LLVMValueRef *numbers = lw__new(t->g.arena, kept + 2, sizeof(LLVMValueRef));
    numbers[0] = LLVMConstInt(r->i32, kept + 1, 0);
    for (uint32_t i = 0; i < kept; i++)
        numbers[i + 1] =
            LLVMConstInt(r->i32, t->number[t->loops.loops[around[n - 1 - i]].header], 0);
    numbers[kept + 1] = LLVMConstInt(r->i32, t->number[b], 0);
    return lw__ref_constant(r, LLVMConstArray2(r->i32, numbers, kept + 2), "");
}

/* ---- the list -------------------------------------------------------------------------------- */

static void add_collectives(struct turns *t)
{
    struct lw__ref *r = t->r;
    for (uint32_t b = 0; b < t->g.count; b++)
        EACH_INSTRUCTION(i, t->g.blocks[b]) {
            if (!is_collective(i))
                continue;
            r->placed = lw__one_more(t->g.arena, r->placed, r->placed_count, sizeof *r->placed);
            r->placed[r->placed_count].call = i;
            r->placed[r->placed_count++].place = place_of(t, b);
        }
}

static bool leaves_steady(const struct turns *t, uint32_t b)
{
    const struct lw__cfg *g = &t->g;
    for (size_t k = 0; k < t->loops.count; k++)
        EACH_PREDECESSOR(from, g, b)
            if (t->spin[k].is_steady && t->loops.loops[k].body[from] && !t->loops.loops[k].body[b])
                return true;
    return false;
}

static int loop_at(const struct turns *t, uint32_t b)
{
    for (size_t k = 0; k < t->loops.count; k++)
        if (t->loops.loops[k].header == b)
            return (int)k;
    return -1;
}

static void add_yield(struct turns *t, uint32_t b, bool has_turns)
{
    struct lw__ref *r = t->r;
    const int k = loop_at(t, b);
    const bool leaves = has_turns && leaves_steady(t, b);
    if (k < 0 && !t->is_turn[b] && !leaves)
        return;
    r->yields = lw__one_more(t->g.arena, r->yields, r->yield_count, sizeof *r->yields);
    struct lw__ref_yield *y = &r->yields[r->yield_count++];
    *y = (struct lw__ref_yield){.block = t->g.blocks[b], .is_loop = k >= 0, .leaves = leaves};
    if (k >= 0) {
        y->every_trip = has_any(&t->g, t->loops.loops[k].body, reads_what_others_write);
        y->waits = t->spin[k].access != NULL;
        y->is_steady = t->spin[k].is_steady;
        if (y->waits) /* now: its line may get lost */
            y->site = lw__ir_site(r->unit, t->spin[k].access, "loop");
    }
    if (t->is_turn[b])
        y->place = place_of(t, b);
    if (k >= 0 && t->counts[k]) {
        int *around = lw__new(t->g.arena, t->loops.count + 1, sizeof *around);
        y->depth = loops_around(t, b, around) - 1;
        /* True, in the loop's header, where the thread comes from the loop. */
        const struct lw__cfg *g = &t->g;
        LLVMTypeRef i1 = LLVMInt1TypeInContext(t->r->unit->context);
        LLVMPositionBuilderBefore(t->r->b,
                                  LLVMGetFirstInstruction(g->blocks[t->loops.loops[k].header]));
        LLVMSetCurrentDebugLocation2(t->r->b, NULL);
        LLVMValueRef again = LLVMBuildPhi(t->r->b, i1, "");
        EACH_PREDECESSOR(p, g, t->loops.loops[k].header) {
            LLVMBasicBlockRef from = g->blocks[p];
            LLVMValueRef is = LLVMConstInt(i1, t->loops.loops[k].body[p], 0);
            LLVMAddIncoming(again, &is, &from, 1);
        }
        y->again = again;
    }
}

void lw__ref_find_yields(struct lw__ref *r, LLVMValueRef function)
{
    struct turns t = {.r = r};
    bool has_turns = false;
    lw__cfg_build(&r->unit->scratch, function, &t.g);
    lw__loops_build(&t.g, &t.loops);
    r->has_loops = t.loops.count > 0;
    t.spin = lw__new(t.g.arena, t.loops.count, sizeof *t.spin);
    t.counts = lw__new(t.g.arena, t.loops.count, sizeof *t.counts);
    t.is_turn = lw__new(t.g.arena, t.g.count, sizeof *t.is_turn);
    t.number = lw__new(t.g.arena, t.g.count, sizeof *t.number);
    for (size_t k = 0; k < t.loops.count; k++) {
        const struct lw__loop *l = &t.loops.loops[k];
        t.spin[k] = lw__spin_of(&t.g, l);
        /* For a debugger variables are in memory, so the exit's condition does not tell. */
        if (r->unit->options->debug && has_any(&t.g, l->body, reads_what_others_write))
            t.spin[k] =
                (struct lw__spin){.access = LLVMGetBasicBlockTerminator(t.g.blocks[l->header])};
        has_turns |= t.spin[k].access != NULL;
    }
    if (has_turns)
        find_turns(&t);
    for (uint32_t b = 0; b < t.g.count; b++)
        add_yield(&t, b, has_turns);
    if (has_turns)
        add_collectives(&t);
}

/* ---- code ------------------------------------------------------------------------------------ */

void lw__ref_yield(struct lw__ref *r, const struct lw__ref_yield *y)
{
    LLVMValueRef at = lw__ir_first_after_phis(y->block);
    LLVMBasicBlockRef head = lw__ir_split_before(at), tail = LLVMGetInstructionParent(at);
    const bool is_turn = y->place, is_in_loop = y->is_loop && y->waits;
    LLVMPositionBuilderAtEnd(r->b, head);
    LLVMSetCurrentDebugLocation2(r->b, LLVMInstructionGetDebugLoc(at));
    if (y->leaves) {
        /* At the builder: the thread is past a steady loop. */
        LLVMValueRef before = lw__ref_load(r, r->i32, FIELD(departures));
        lw__ref_store(r, LLVMBuildAdd(r->b, before, LLVMConstInt(r->i32, 1, 0), ""),
                      FIELD(departures));
        lw__ref_store32(r, 0, FIELD(is_steady));
    }
    if (y->again && y->depth < LW_REF_LOOPS_MAX) {
        /* At the builder: another iteration of the loop. */
        const size_t at = FIELD(iteration) + y->depth * sizeof(uint64_t);
        LLVMValueRef more =
            LLVMBuildAdd(r->b, lw__ref_load(r, r->i64, at), LLVMConstInt(r->i64, 1, 0), "");
        lw__ref_store(r, LLVMBuildSelect(r->b, y->again, more, LLVMConstInt(r->i64, 0, 0), ""), at);
    }
    if (!is_turn && !y->is_loop) {
        LLVMBuildBr(r->b, tail);
        return;
    }
    if (!is_turn && !y->every_trip) {
        /* The block that suspends, when the budget is spent. */
        LLVMValueRef budget = lw__ref_load(r, r->i32, FIELD(budget));
        LLVMValueRef left = LLVMBuildSub(r->b, budget, LLVMConstInt(r->i32, 1, 0), "");
        lw__ref_store(r, left, FIELD(budget));
        LLVMValueRef spent = LLVMBuildICmp(r->b, LLVMIntSLE, left, LLVMConstInt(r->i32, 0, 0), "");
        LLVMBasicBlockRef rest = LLVMInsertBasicBlockInContext(r->unit->context, tail, "");
        LLVMBuildCondBr(r->b, spent, rest, tail);
        LLVMPositionBuilderAtEnd(r->b, rest);
        lw__ref_store32(r, ITERATIONS_PER_YIELD, FIELD(budget));
        head = rest;
    }
    lw__ref_store32(r, is_turn ? LW_REF_TURN : LW_REF_YIELD, FIELD(state));
    lw__ref_store32(r, is_in_loop ? y->site : lw__ir_site(r->unit, at, is_turn ? "code" : "loop"),
                    FIELD(site));
    if (is_turn) {
        lw__ref_store(r, y->place, FIELD(place));
        lw__ref_store32(r, !is_in_loop, FIELD(is_behind));
        if (is_in_loop)
            lw__ref_store32(r, y->is_steady, FIELD(is_steady));
    }
    LLVMSetCurrentDebugLocation2(r->co.builder, NULL);
    lw__ref_suspend(r, head, tail);
}

void lw__ref_store_place(struct lw__ref *r, LLVMValueRef call)
{
    for (size_t i = 0; i < r->placed_count; i++)
        if (r->placed[i].call == call)
            lw__ref_store(r, r->placed[i].place, FIELD(place));
}
