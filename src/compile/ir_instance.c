/* ir_instance.c - mark each collective with its instance: who meets there.
 *
 * An instance is a collective's place in the program and the trip number of every loop around it. It
 * is marked while the control flow graph is still clang's own, before any pass joins or splits
 * blocks, as an operand bundle on the call:
 *
 *     call float @lw.warp_sum.f32(float %v) [ "lw.instance"(i64 place, i64 %trip, i64 place ...) ]
 *
 * The operands, compared as a sequence, order the instances as the program reaches them: a place
 * counts the collectives and loops of one loop body in topological order, the trip of the loop
 * entered comes behind its place. Trips are counters in memory here; sroa makes them phis.
 *
 * An arm that leaves a loop (break, return, goto) belongs to the trip it leaves, though no edge goes
 * from it back to the header. It is known by its place in the text. clang lays blocks out in the
 * order of the text, and inlining keeps that order: a block with a collective that is laid out
 * between the loop's blocks, and reached only through the loop, is in the loop, and so is all that
 * leads there. Only the last arm of a `while` may be laid out behind the loop's own blocks: the
 * statement's source range (!llvm.loop) tells it from what follows the loop.
 */
#include "compile/compile.h"
#include <llvm-c/DebugInfo.h>
#include <stdlib.h>
#include <string.h>

struct range {
    LLVMMetadataRef frame;             /* the inlining that the loop is part of; NULL: none */
    unsigned first_line, first_column, last_line, last_column;
    bool known;
};

struct work {
    struct lw__unit *unit;
    struct lw__cfg cfg;
    struct lw__loops loops;
    bool *has_collective;              /* per block */
    LLVMValueRef *trip;                /* per loop: its counter, NULL where nobody asks */
    uint64_t *place;                   /* per loop: its place in the loop around it */
    LLVMBuilderRef builder;
    LLVMTypeRef i64;
};

static bool before(unsigned line, unsigned column, unsigned line2, unsigned column2)
{
    return line < line2 || (line == line2 && column < column2);
}

static void widen(struct range *r, LLVMMetadataRef loc)
{
    unsigned line = LLVMDILocationGetLine(loc), column = LLVMDILocationGetColumn(loc);
    if (!line || LLVMDILocationGetInlinedAt(loc) != r->frame)
        return;
    if (!r->known || before(line, column, r->first_line, r->first_column))
        r->first_line = line, r->first_column = column;
    if (!r->known || before(r->last_line, r->last_column, line, column))
        r->last_line = line, r->last_column = column;
    r->known = true;
}

/* The first two locations of a !llvm.loop node are the statement's begin and end. */
static void range_of_statement(struct work *w, LLVMValueRef branch, struct range *r)
{
    LLVMContextRef context = w->unit->context;
    LLVMValueRef node = LLVMGetMetadata(branch, LLVMGetMDKindIDInContext(context, "llvm.loop", 9));
    if (!node)
        return;
    unsigned n = LLVMGetMDNodeNumOperands(node);
    LLVMValueRef *operand = calloc(n + 1, sizeof *operand);
    if (!operand)
        return;
    LLVMGetMDNodeOperands(node, operand);
    for (unsigned i = 1; i < n && i < 3; i++) {
        LLVMMetadataRef m = operand[i] ? LLVMValueAsMetadata(operand[i]) : NULL;
        if (!m || LLVMGetMetadataKind(m) != LLVMDILocationMetadataKind)
            break;
        if (!r->known)
            r->frame = LLVMDILocationGetInlinedAt(m);
        widen(r, m);
    }
    free(operand);
}

static struct range range_of_loop(struct work *w, const struct lw__loop *l)
{
    struct range r = {0};
    const struct lw__cfg *g = &w->cfg;
    for (uint32_t e = g->pred_start[l->header]; e < g->pred_start[l->header + 1] && !r.known; e++)
        if (l->body[g->pred[e]])
            range_of_statement(w, LLVMGetBasicBlockTerminator(g->blocks[g->pred[e]]), &r);
    return r;
}

/* Is the call's line, seen from the loop's own function, within the loop's text? */
static bool stands_in(const struct range *r, LLVMValueRef call)
{
    LLVMMetadataRef loc = LLVMInstructionGetDebugLoc(call);
    while (loc && LLVMDILocationGetInlinedAt(loc) != r->frame)
        loc = LLVMDILocationGetInlinedAt(loc);
    if (!loc || !r->known)
        return false;
    unsigned line = LLVMDILocationGetLine(loc), column = LLVMDILocationGetColumn(loc);
    return !before(line, column, r->first_line, r->first_column) &&
           !before(r->last_line, r->last_column, line, column);
}

static bool named(LLVMBasicBlockRef block, const char *const *names)
{
    const char *name = LLVMGetBasicBlockName(block);
    for (; *names; names++) {
        size_t n = strlen(*names);
        if (!strncmp(name, *names, n) && strspn(name + n, "0123456789") == strlen(name + n))
            return true;
    }
    return false;
}

/* All text from a macro has one location. Between the loop's last block and block a, does the
 * loop's statement end? Statements that begin there end there as well. */
static bool statement_ends(const struct work *w, uint32_t last, uint32_t a)
{
    static const char *const begins[] = {"for.cond", "while.cond", "do.body", NULL};
    static const char *const ends[] = {"for.end", "while.end", "do.end", NULL};
    uint32_t position = 0, depth = 0;
    for (LLVMBasicBlockRef b = LLVMGetFirstBasicBlock(w->cfg.function); b && position <= a;
         b = LLVMGetNextBasicBlock(b), position++) {
        if (position <= last)
            continue;
        if (named(b, ends) && depth-- == 0)
            return true;
        depth += named(b, begins);
    }
    return false;
}

/* Does a collective of block b stand in the text of the loop? */
static bool is_in_text(struct work *w, const struct lw__loop *l, uint32_t b)
{
    const uint32_t *layout = w->cfg.layout;
    uint32_t first = UINT32_MAX, last = 0;
    for (uint32_t k = 0; k < w->cfg.count; k++) {
        if (!l->body[k])
            continue;
        first = layout[k] < first ? layout[k] : first;
        last = layout[k] > last ? layout[k] : last;
    }
    if (layout[b] < first || layout[b] <= last)
        return layout[b] > first;
    struct range r = range_of_loop(w, l);
    LLVMBasicBlockRef block = w->cfg.blocks[b];
    for (LLVMValueRef i = LLVMGetFirstInstruction(block); i; i = LLVMGetNextInstruction(i))
        if (lw__ir_collective(i, NULL) && stands_in(&r, i))
            return !statement_ends(w, last, layout[b]);
    return false;
}

/* Marks what can be reached without the loop. */
static bool reach_around(const struct work *w, const struct lw__loop *l, bool *reached)
{
    const struct lw__cfg *g = &w->cfg;
    uint32_t *todo = malloc((g->count + 1) * sizeof *todo), n = 0;
    if (!todo)
        return lw__defect("out of memory");
    reached[0] = !l->body[0];
    if (reached[0])
        todo[n++] = 0;
    while (n) {
        uint32_t b = todo[--n];
        for (uint32_t e = g->succ_start[b]; e < g->succ_start[b + 1]; e++) {
            uint32_t t = g->succ[e];
            if (!l->body[t] && !reached[t]) {
                reached[t] = true;
                todo[n++] = t;
            }
        }
    }
    free(todo);
    return true;
}

/* Take the arms that leave this loop with collectives in them into it. */
static bool take_arms(struct work *w, struct lw__loop *l)
{
    bool *around = calloc(w->cfg.count + 1, sizeof *around);
    bool ok = around ? reach_around(w, l, around) : lw__defect("out of memory");
    struct lw__loop own = *l;
    own.body = malloc(w->cfg.count + 1);
    ok = ok && (own.body || lw__defect("out of memory"));
    if (ok)
        memcpy(own.body, l->body, w->cfg.count);
    for (uint32_t b = 0; b < w->cfg.count && ok; b++)
        if (w->has_collective[b] && !l->body[b] && !around[b] && is_in_text(w, &own, b))
            ok = lw__loops_grow(&w->cfg, l, b);
    free(own.body);
    free(around);
    return ok;
}

/* What an inner loop took, the loops around it have too. */
static bool take_inner(struct work *w, struct lw__loop *outer)
{
    for (size_t k = 0; k < w->loops.count; k++) {
        const struct lw__loop *inner = &w->loops.loops[k];
        if (inner == outer || !outer->body[inner->header])
            continue;
        for (uint32_t b = 0; b < w->cfg.count; b++)
            if (inner->body[b] && !outer->body[b] && !lw__loops_grow(&w->cfg, outer, b))
                return false;
    }
    return true;
}

static bool settle_loops(struct work *w)
{
    for (size_t i = 0; i < w->loops.count; i++)
        if (!take_arms(w, &w->loops.loops[i]))
            return false;
    /* outer loops come before inner ones: from the back, an inner loop is settled first */
    for (size_t i = w->loops.count; i-- > 0;)
        if (!take_inner(w, &w->loops.loops[i]))
            return false;
    lw__loops_nest(&w->loops);
    return true;
}

/* The innermost loop with this block; -1: none. */
static int loop_of(const struct work *w, uint32_t b)
{
    int best = -1;
    for (size_t k = 0; k < w->loops.count; k++)
        if (w->loops.loops[k].body[b] &&
            (best < 0 || w->loops.loops[k].size < w->loops.loops[best].size))
            best = (int)k;
    return best;
}

/* The loop whose direct child in region `around` holds the block, or -1 when the block itself is
 * direct in `around`. */
static int child_towards(const struct work *w, int around, uint32_t b)
{
    int child = -1;
    for (int l = loop_of(w, b); l != around && l >= 0; l = w->loops.loops[l].parent)
        child = l;
    return child;
}

/* ---- places: number the collectives and loops of each region in topological order ----------- */

struct order {
    uint32_t *blocks; /* all blocks of the function, each loop's together, in program order */
    size_t count;
    bool *seen;
};

/* Depth first over a region with its inner loops drawn together; prepends in postorder. */
static void visit(struct work *w, struct order *o, int around, uint32_t b);

static void leave_child(struct work *w, struct order *o, int around, int child)
{
    const struct lw__loop *l = &w->loops.loops[child];
    for (uint32_t i = (uint32_t)w->cfg.count; i-- > 0;) {
        if (!l->body[i])
            continue;
        for (uint32_t e = w->cfg.succ_start[i + 1]; e-- > w->cfg.succ_start[i];)
            if (!l->body[w->cfg.succ[e]])
                visit(w, o, around, w->cfg.succ[e]);
    }
}

static void visit(struct work *w, struct order *o, int around, uint32_t b)
{
    if (o->seen[b] || (around >= 0 && !w->loops.loops[around].body[b]))
        return;
    int child = child_towards(w, around, b);
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
    leave_child(w, o, around, child);
    visit(w, o, child, header);
}

/* A store on the edge from p to t: one of the two has no other edge, critical ones were split. */
static void store_on_edge(struct work *w, uint32_t p, uint32_t t, LLVMValueRef value, int loop)
{
    LLVMValueRef end = LLVMGetBasicBlockTerminator(w->cfg.blocks[p]);
    LLVMPositionBuilderBefore(w->builder, LLVMGetNumSuccessors(end) == 1
                                              ? end
                                              : lw__ir_first_after_phis(w->cfg.blocks[t]));
    LLVMBuildStore(w->builder, value, w->trip[loop]);
}

/* The loop's counter: 0 on every edge into the loop, one more on every edge back to its header. */
static void count_trips(struct work *w, int loop)
{
    const struct lw__loop *l = &w->loops.loops[loop];
    const struct lw__cfg *g = &w->cfg;
    if (w->trip[loop])
        return;
    LLVMPositionBuilderBefore(w->builder, LLVMGetFirstInstruction(g->blocks[0]));
    w->trip[loop] = LLVMBuildAlloca(w->builder, w->i64, "trip");
    for (uint32_t t = 0; t < g->count; t++)
        for (uint32_t e = g->pred_start[t]; l->body[t] && e < g->pred_start[t + 1]; e++) {
            uint32_t p = g->pred[e];
            if (!l->body[p]) {
                store_on_edge(w, p, t, LLVMConstInt(w->i64, 0, 0), loop);
            } else if (t == l->header) {
                LLVMPositionBuilderBefore(w->builder, LLVMGetBasicBlockTerminator(g->blocks[p]));
                LLVMValueRef trip = LLVMBuildLoad2(w->builder, w->i64, w->trip[loop], "");
                LLVMValueRef next = LLVMBuildAdd(w->builder, trip, LLVMConstInt(w->i64, 1, 0), "");
                LLVMBuildStore(w->builder, next, w->trip[loop]);
            }
        }
}

enum { DEPTH_MAX = 31 }; /* loops around a collective: LW_REF_KEY_MAX = 2 * 31 + 1 */

static bool too_deep(struct work *w, LLVMValueRef call)
{
    lw__diags_error(&w->unit->diags, lw__loc_of(call),
                    "%s stands in more than %d loops, helpers' included",
                    lw__op_table[lw__ir_collective(call, NULL)].name, DEPTH_MAX);
    return true;
}

/* Rebuild the call with its bundle. */
static bool mark(struct work *w, LLVMValueRef call, int loop, uint64_t place)
{
    LLVMValueRef key[2 * DEPTH_MAX + 1];
    int around[DEPTH_MAX], depth = 0;
    for (int l = loop; l >= 0; l = w->loops.loops[l].parent) {
        if (depth == DEPTH_MAX)
            return too_deep(w, call);
        around[depth++] = l;
    }
    unsigned n = 0;
    LLVMPositionBuilderBefore(w->builder, call);
    for (int d = depth; d-- > 0;) {
        key[n++] = LLVMConstInt(w->i64, w->place[around[d]], 0);
        key[n++] = LLVMBuildLoad2(w->builder, w->i64, w->trip[around[d]], "");
    }
    key[n++] = LLVMConstInt(w->i64, place, 0);

    LLVMValueRef callee = LLVMGetCalledValue(call), args[4];
    int arg_count = LLVMGetNumArgOperands(call);
    for (int i = 0; i < arg_count; i++)
        args[i] = LLVMGetOperand(call, (unsigned)i);
    LLVMOperandBundleRef bundle = LLVMCreateOperandBundle("lw.instance", 11, key, n);
    LLVMValueRef marked = LLVMBuildCallWithOperandBundles(
        w->builder, LLVMGlobalGetValueType(callee), callee, args, (unsigned)arg_count, &bundle, 1,
        "");
    LLVMDisposeOperandBundle(bundle);
    LLVMInstructionSetDebugLoc(marked, LLVMInstructionGetDebugLoc(call));
    LLVMReplaceAllUsesWith(call, marked);
    LLVMInstructionEraseFromParent(call);
    return true;
}

/* Walk the blocks in program order; each region counts for itself. */
static bool number_places(struct work *w, const struct order *o, uint64_t *next_place)
{
    for (size_t i = 0; i < w->cfg.count; i++) {
        uint32_t b = o->blocks[i];
        int loop = loop_of(w, b);
        for (int l = loop; l >= 0 && w->loops.loops[l].header == b; l = w->loops.loops[l].parent)
            w->place[l] = next_place[w->loops.loops[l].parent + 1]++;
        LLVMValueRef instruction = LLVMGetFirstInstruction(w->cfg.blocks[b]), next;
        for (; instruction; instruction = next) {
            next = LLVMGetNextInstruction(instruction);
            if (!lw__ir_collective(instruction, NULL))
                continue;
            for (int l = loop; l >= 0; l = w->loops.loops[l].parent)
                count_trips(w, l);
            if (!mark(w, instruction, loop, next_place[loop + 1]++))
                return false;
        }
    }
    return true;
}

static bool order_and_mark(struct work *w)
{
    size_t blocks = w->cfg.count, loops = w->loops.count;
    struct order o = {calloc(blocks, sizeof *o.blocks), blocks, calloc(blocks, sizeof *o.seen)};
    uint64_t *next_place = calloc(loops + 1, sizeof *next_place);
    w->trip = calloc(loops + 1, sizeof *w->trip);
    w->place = calloc(loops + 1, sizeof *w->place);
    bool ok = o.blocks && o.seen && next_place && w->trip && w->place;
    if (ok) {
        visit(w, &o, -1, 0);
        ok = o.count == 0 ? number_places(w, &o, next_place)
                          : lw__defect("instance: %zu blocks were not ordered", o.count);
    } else {
        lw__defect("out of memory");
    }
    free(o.blocks);
    free(o.seen);
    free(next_place);
    free(w->trip);
    free(w->place);
    return ok;
}

static bool find_collectives(struct work *w, bool *any)
{
    w->has_collective = calloc(w->cfg.count + 1, sizeof *w->has_collective);
    if (!w->has_collective)
        return lw__defect("out of memory");
    for (uint32_t b = 0; b < w->cfg.count; b++)
        for (LLVMValueRef i = LLVMGetFirstInstruction(w->cfg.blocks[b]); i;
             i = LLVMGetNextInstruction(i))
            if (lw__ir_collective(i, NULL))
                *any = w->has_collective[b] = true;
    return true;
}

static bool mark_function(struct lw__unit *unit, LLVMValueRef function)
{
    struct work w = {.unit = unit, .i64 = LLVMInt64TypeInContext(unit->context)};
    bool any = false;
    if (!lw__cfg_build(function, &w.cfg))
        return false;
    w.builder = LLVMCreateBuilderInContext(unit->context);
    bool ok = find_collectives(&w, &any);
    if (ok && any)
        ok = lw__loops_build(&w.cfg, &w.loops) && settle_loops(&w) && order_and_mark(&w);
    LLVMDisposeBuilder(w.builder);
    free(w.has_collective);
    lw__loops_free(&w.loops);
    lw__cfg_free(&w.cfg);
    return ok;
}

/* lw__pass_instance - give each collective of each kernel its "lw.instance" bundle.
 * needs INLINED   makes INSTANCE   cost O(blocks * loops)
 */
bool lw__pass_instance(struct lw__unit *unit)
{
    if (!lw__llvm_passes(unit->module, unit->machine, "function(break-crit-edges)"))
        return false;
    LLVMValueRef f = LLVMGetFirstFunction(unit->module);
    for (; f; f = LLVMGetNextFunction(f))
        if (LLVMCountBasicBlocks(f) && !mark_function(unit, f))
            return false;
    return true;
}
