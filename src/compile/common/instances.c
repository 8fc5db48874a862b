/* instances.c - the instance of each collective: which threads converge there.
 *
 * An instance is a collective's place in the program and the iteration number of each loop around
 * it. It is marked while the control flow graph is still clang's own, before any pass joins or
 * splits blocks. The mark is an operand bundle on the call:
 *
 *     call float @lw.warp_sum.f32(float %v)
 *         [ "lw.instance"(i64 place, i64 iteration, ... i64 place) ]
 *
 * The operands, compared as a sequence, order the instances as the program reaches them. A place
 * counts the collectives, calls and loops of one loop body in topological order. After a loop's
 * place comes its iteration number. After a call's place comes a 0. Then follows the place inside.
 * Iteration numbers are counters in memory here; SROA makes them phis. The loops are those of the
 * source: ir/source_loops.c.
 *
 * Inlining joins blocks, so each function is marked by itself, callees first. Then the calls of
 * helpers with collectives are inlined one by one; where they would be too many, join_collectives.c
 * has made them fewer. Each collective that comes with one gets the
 * call's sequence as a prefix.
 */
#include "compile/common/common.h"
#include "compile/common/helpers.h"
#include "compile/llvm/llvm.h"
#include "compile/ir/ir.h"
#include <llvm-c/DebugInfo.h>
#include <stdlib.h>
#include <string.h>

enum { KEY_MAX = LW_REF_KEY_MAX, DEPTH_MAX = KEY_MAX / 2 };

/* A place in a function, as a sequence of places from the outermost loop inwards. */
struct key {
    uint64_t place[DEPTH_MAX + 1];
    LLVMValueRef iteration[DEPTH_MAX]; /* each loop's counter in memory */
    unsigned depth;                    /* loops around */
};

/* A call of a helper that holds collectives. */
struct helper_call {
    LLVMValueRef call;
    struct key key;
};

struct work {
    struct lw__unit *unit;
    struct lw__cfg cfg;
    struct lw__loops loops;
    bool *has_collective;    /* per block: has a collective or such a call */
    LLVMValueRef *iteration; /* per loop: its counter; NULL if it is not used */
    uint64_t *place;         /* per loop: its place in the loop around it */
    uint64_t *next_place;    /* per loop, and [0] for none, counted from 1: the next free one */
    struct helper_call *calls;
    size_t call_count;
    LLVMBuilderRef builder;
    LLVMTypeRef i64;
};

/* ---- which functions hold collectives, callees first --- */

struct helpers {
    struct {
        LLVMValueRef function;
        bool done, has_collective;
    } *row;
    size_t count;
};

static long helper_index(const struct helpers *h, LLVMValueRef function)
{
    for (size_t i = 0; i < h->count; i++)
        if (h->row[i].function == function)
            return (long)i;
    return -1;
}

/* True if an instruction is a collective, or calls a helper that holds one. */
static bool has_collective(const struct helpers *h, LLVMValueRef instruction)
{
    if (!LLVMIsACallInst(instruction))
        return false;
    if (lw__ir_collective(instruction, NULL))
        return true;
    long callee = helper_index(h, LLVMGetCalledValue(instruction));
    return callee >= 0 && h->row[callee].has_collective;
}

/* ---- places: number the collectives, calls and loops of each region in topological order ----- */

struct order {
    uint32_t *blocks; /* all blocks of the function, each loop's together, in program order */
    size_t count;     /* how many have no place yet: filled in from the back */
    bool *seen;
};

/* Depth-first search over a region, each inner loop as one node, in postorder from the back. */
static void visit(const struct work *w, struct order *o, int around, uint32_t b)
{
    if (o->seen[b] || (around >= 0 && !w->loops.loops[around].body[b]))
        return;
    /* The loop directly in region `around` that holds the block, or -1 when the block itself is
     * directly there. */
    int child = -1;
    for (int l = lw__loops_innermost(&w->loops, b); l != around && l >= 0;
         l = w->loops.loops[l].parent)
        child = l;
    if (child < 0) {
        o->seen[b] = true;
        for (uint32_t e = w->cfg.succ_start[b + 1]; e-- > w->cfg.succ_start[b];)
            visit(w, o, around, w->cfg.succ[e]);
        o->blocks[--o->count] = b;
        return;
    }
    uint32_t header = w->loops.loops[child].header;
    if (o->seen[header])
        return;
    const struct lw__loop *l = &w->loops.loops[child];
    for (uint32_t i = (uint32_t)w->cfg.count; i-- > 0;) {
        if (!l->body[i])
            continue;
        for (uint32_t e = w->cfg.succ_start[i + 1]; e-- > w->cfg.succ_start[i];)
            if (!l->body[w->cfg.succ[e]])
                visit(w, o, around, w->cfg.succ[e]);
    }
    visit(w, o, child, header);
}

/* ---- iterations ------------------------------------------------------------------------------ */

/* The loop's counter: 0 on every edge into the loop, one more on every edge back to its header. */
static void count_iterations(struct work *w, int loop)
{
    const struct lw__loop *l = &w->loops.loops[loop];
    const struct lw__cfg *g = &w->cfg;
    if (w->iteration[loop])
        return;
    LLVMPositionBuilderBefore(w->builder, LLVMGetFirstInstruction(g->blocks[0]));
    w->iteration[loop] = LLVMBuildAlloca(w->builder, w->i64, "trip");
    for (uint32_t t = 0; t < g->count; t++)
        EACH_PREDECESSOR(p, g, t) {
            if (!l->body[t]) {
                continue;
            } else if (!l->body[p]) {
                /* A store on the edge from p to t. One of the two has no other edge: critical
                 * edges were split. */
                LLVMValueRef end = LLVMGetBasicBlockTerminator(w->cfg.blocks[p]);
                LLVMPositionBuilderBefore(w->builder,
                                          LLVMGetNumSuccessors(end) == 1
                                              ? end
                                              : lw__ir_first_after_phis(w->cfg.blocks[t]));
                LLVMBuildStore(w->builder, LLVMConstInt(w->i64, 0, 0), w->iteration[loop]);
            } else if (t == l->header) {
                LLVMPositionBuilderBefore(w->builder, LLVMGetBasicBlockTerminator(g->blocks[p]));
                LLVMValueRef iteration = LLVMBuildLoad2(w->builder, w->i64, w->iteration[loop], "");
                LLVMValueRef next =
                    LLVMBuildAdd(w->builder, iteration, LLVMConstInt(w->i64, 1, 0), "");
                LLVMBuildStore(w->builder, next, w->iteration[loop]);
            }
        }
}

/* ---- marks --- */

static bool too_deep(struct work *w, LLVMValueRef call)
{
    lw__diags_error(&w->unit->diags, lw__loc_of(call),
                    "more than %d loops and calls stand around this operation", DEPTH_MAX);
    return false;
}

static bool key_of(struct work *w, LLVMValueRef call, int loop, struct key *key)
{
    unsigned depth = 0;
    for (int l = loop; l >= 0; l = w->loops.loops[l].parent)
        depth++;
    if (depth > DEPTH_MAX)
        return too_deep(w, call);
    *key = (struct key){.depth = depth};
    key->place[depth] = w->next_place[loop + 1]++;
    for (int l = loop; l >= 0; l = w->loops.loops[l].parent) {
        count_iterations(w, l);
        key->place[--depth] = w->place[l];
        key->iteration[depth] = w->iteration[l];
    }
    return true;
}

/* Rebuild a collective's call with a bundle: `key`, followed by the bundle that it brought from a
 * helper, if any. */
static bool mark(struct work *w, LLVMValueRef call, const struct key *key)
{
    LLVMValueRef sequence[KEY_MAX], args[4];
    LLVMOperandBundleRef inner = lw__ir_instance(call);
    unsigned inner_count = inner ? LLVMGetNumOperandBundleArgs(inner) : 0, n = 0;
    bool fits = 2 * key->depth + 1 + (inner ? 1 + inner_count : 0) <= KEY_MAX;
    LLVMPositionBuilderBefore(w->builder, call);
    for (unsigned d = 0; d <= key->depth && fits; d++) {
        sequence[n++] = LLVMConstInt(w->i64, key->place[d], 0);
        if (d < key->depth)
            sequence[n++] = LLVMBuildLoad2(w->builder, w->i64, key->iteration[d], "");
        else if (inner) /* the place is a call's */
            sequence[n++] = LLVMConstInt(w->i64, 0, 0);
    }
    for (unsigned i = 0; i < inner_count && fits; i++)
        sequence[n++] = LLVMGetOperandBundleArgAtIndex(inner, i);
    if (inner)
        LLVMDisposeOperandBundle(inner);
    if (!fits)
        return too_deep(w, call);

    LLVMValueRef callee = LLVMGetCalledValue(call);
    int arg_count = LLVMGetNumArgOperands(call);
    for (int i = 0; i < arg_count; i++)
        args[i] = LLVMGetOperand(call, (unsigned)i);
    LLVMOperandBundleRef bundle = LLVMCreateOperandBundle("lw.instance", 11, sequence, n);
    LLVMValueRef marked =
        LLVMBuildCallWithOperandBundles(w->builder, LLVMGlobalGetValueType(callee), callee, args,
                                        (unsigned)arg_count, &bundle, 1, "");
    LLVMDisposeOperandBundle(bundle);
    LLVMInstructionSetDebugLoc(marked, LLVMInstructionGetDebugLoc(call));
    LLVMReplaceAllUsesWith(call, marked);
    LLVMInstructionEraseFromParent(call);
    return true;
}

/* Walk the blocks in program order. Each region counts for itself. */
static bool number_places(struct work *w, const struct helpers *h, const struct order *o)
{
    for (size_t i = 0; i < w->cfg.count; i++) {
        uint32_t b = o->blocks[i];
        int loop = lw__loops_innermost(&w->loops, b);
        for (int l = loop; l >= 0 && w->loops.loops[l].header == b; l = w->loops.loops[l].parent)
            w->place[l] = w->next_place[w->loops.loops[l].parent + 1]++;
        EACH_INSTRUCTION_SAFE(at, w->cfg.blocks[b]) {
            if (!has_collective(h, at))
                continue;
            struct key key;
            if (!key_of(w, at, loop, &key))
                return false;
            if (lw__ir_collective(at, NULL) == LW_OP_NONE) {
                w->calls =
                    lw__one_more(&w->unit->scratch, w->calls, w->call_count, sizeof *w->calls);
                w->calls[w->call_count++] = (struct helper_call){at, key};
            } else if (!mark(w, at, &key))
                return false;
        }
    }
    return true;
}

/* ---- inlining --- */

static bool is_collective(LLVMValueRef i)
{
    return lw__ir_collective(i, NULL);
}

static int by_address(const void *a, const void *b)
{
    const LLVMValueRef *x = a, *y = b;
    return *x < *y ? -1 : *x > *y;
}

/* True if it is one of the list, which is sorted by address. */
static bool is_in(LLVMValueRef i, const LLVMValueRef *list, size_t count)
{
    return count && bsearch(&i, list, count, sizeof *list, by_address);
}

/* Inline one call. Its collectives get the call's sequence as a prefix. */
static bool inline_call(struct work *w, LLVMValueRef f, const struct helper_call *c)
{
    struct lw__arena *arena = &w->unit->scratch;
    const struct lw__arena_mark start = lw__arena_mark(arena);
    size_t count;
    LLVMValueRef *before = lw__ir_list(arena, f, is_collective, &count);
    if (count)
        qsort(before, count, sizeof *before, by_address);
    lw__helpers_inline_call(w->unit, c->call);
    bool ok = lw__llvm_passes(w->unit, LW_PASSES_inline_calls);
    size_t after_count;
    LLVMValueRef *after = lw__ir_list(arena, f, is_collective, &after_count);
    for (size_t i = 0; ok && i < after_count; i++)
        if (!is_in(after[i], before, count))
            ok = mark(w, after[i], &c->key);
    lw__arena_release(arena, start);
    return ok;
}

/* ---- the pass --- */

static bool find_collectives(struct work *w, const struct helpers *h)
{
    bool any = false;
    w->has_collective = lw__new(&w->unit->scratch, w->cfg.count + 1, sizeof *w->has_collective);
    for (uint32_t b = 0; b < w->cfg.count; b++)
        EACH_INSTRUCTION(i, w->cfg.blocks[b])
            if (has_collective(h, i))
                any = w->has_collective[b] = true;
    return any;
}

static bool mark_with_loops(struct work *w, const struct helpers *h)
{
    struct lw__arena *arena = &w->unit->scratch;
    lw__text_loops(&w->cfg, w->has_collective, &w->loops);
    w->iteration = lw__new(arena, w->loops.count + 1, sizeof *w->iteration);
    w->place = lw__new(arena, w->loops.count + 1, sizeof *w->place);
    w->next_place = lw__new(arena, w->loops.count + 1, sizeof *w->next_place);
    size_t blocks = w->cfg.count;
    struct order o = {lw__new(&w->unit->scratch, blocks, sizeof *o.blocks), blocks,
                      lw__new(&w->unit->scratch, blocks, sizeof *o.seen)};
    visit(w, &o, -1, 0);
    return o.count == 0 ? number_places(w, h, &o)
                        : lw__defect("instance: %zu blocks were not ordered", o.count);
}

/* Callees first; there is no recursion. */
static bool mark_from(struct lw__unit *unit, struct helpers *h, size_t index)
{
    LLVMValueRef f = h->row[index].function;
    if (h->row[index].done)
        return true;
    h->row[index].done = true;
    EACH_INSTRUCTION_OF(i, f) {
        long callee = LLVMIsACallInst(i) ? helper_index(h, LLVMGetCalledValue(i)) : -1;
        if (callee >= 0 && !mark_from(unit, h, (size_t)callee))
            return false;
    }
    /* Mark the collectives of f itself, then inline the helpers that hold some. */
    bool *any = &h->row[index].has_collective;
    const struct lw__arena_mark start = lw__arena_mark(&unit->scratch);
    struct work w = {.unit = unit, .i64 = LLVMInt64TypeInContext(unit->context)};
    lw__phantom_backedges(&unit->scratch, f);
    lw__cfg_build(&unit->scratch, f, &w.cfg);
    w.builder = LLVMCreateBuilderInContext(unit->context);
    /* Unreachable code has no instance. */
    EACH_BLOCK(b, w.cfg.function) {
        if (lw__cfg_index(&w.cfg, b) != UINT32_MAX)
            continue;
        EACH_INSTRUCTION_SAFE(i, b) {
            if (!has_collective(h, i))
                continue;
            if (LLVMGetTypeKind(LLVMTypeOf(i)) != LLVMVoidTypeKind)
                LLVMReplaceAllUsesWith(i, LLVMGetUndef(LLVMTypeOf(i)));
            LLVMInstructionEraseFromParent(i);
        }
    }
    *any = find_collectives(&w, h);
    bool ok = !*any || mark_with_loops(&w, h);
    for (size_t i = 0; ok && i < w.call_count; i++)
        ok = inline_call(&w, f, &w.calls[i]);
    LLVMDisposeBuilder(w.builder);
    lw__arena_release(&unit->scratch, start);
    return ok;
}

/* lw__pass_instance - give each collective of each kernel its "lw.instance" bundle; helpers that
 * hold collectives are inlined.
 * needs HALF   makes INSTANCE   cost O(blocks * loops) a function, a pass of LLVM's a helper call
 */
bool lw__pass_instance(struct lw__unit *unit)
{
    struct helpers h = {0};
    bool ok = lw__llvm_passes(unit, LW_PASSES_split_edges) && lw__join_collectives(unit);
    if (ok) {
        size_t count = 0;
        EACH_FUNCTION(f, unit->module)
            count++;
        h.row = lw__new(&unit->scratch, count + 1, sizeof *h.row);
        EACH_FUNCTION(f, unit->module)
            if (LLVMCountBasicBlocks(f))
                h.row[h.count++].function = f;
    }
    for (size_t i = 0; ok && i < h.count; i++)
        ok = mark_from(unit, &h, i);
    return ok || unit->diags.errors; /* too deep nesting is an error of the kernel */
}
