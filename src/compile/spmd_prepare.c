/* spmd_prepare.c - kernels made ready for widening: the block's dimensions become constants, and
 * what then is known folds.
 *
 * This is still one thread's code under the rules of the common bitcode. So the passes are only
 * those that keep who meets whom: nothing threads jumps through a collective, merges two of them
 * or moves one. The instances on the calls make unrolling safe: a copy of a collective in each
 * trip has that trip's.
 *
 * Loops with a constant number of trips are unrolled where they are short, and up to a higher limit
 * where much is won: those that hold block operations, so that halving trees are straight code, and
 * those whose counters index private arrays, which lanes keep in registers only where all indices
 * are constants.
 */
#include "compile/compile.h"
#include <stdlib.h>
#include <string.h>

enum { WARP = 32, GRID_X_MAX = INT32_MAX, GRID_YZ_MAX = 65535 };

/* ---- where am I ------------------------------------------------------------------------------ */

/* The values that a lw.* place has: first ... last. */
struct range {
    uint64_t first, last;
};

static bool range_of(const char *name, const uint32_t block[3], struct range *r)
{
    static const char axes[] = "xyz";
    const uint64_t threads = (uint64_t)block[0] * block[1] * block[2];
    *r = (struct range){0, 0};
    if (strncmp(name, "lw.", 3))
        return false;
    name += 3;
    if (!strcmp(name, "lane_id")) {
        r->last = (threads < WARP ? threads : WARP) - 1;
        return true;
    }
    if (!strcmp(name, "warp_id")) {
        r->last = (threads - 1) / WARP;
        return true;
    }
    const char *dot = strchr(name, '.'), *axis = dot && dot[1] ? strchr(axes, dot[1]) : NULL;
    if (!axis || dot[2])
        return false;
    const size_t length = (size_t)(dot - name), i = (size_t)(axis - axes);
    const uint64_t grid = i ? GRID_YZ_MAX : GRID_X_MAX;
    if (length == 10 && !strncmp(name, "thread_idx", length))
        *r = (struct range){0, block[i] - 1};
    else if (length == 9 && !strncmp(name, "block_dim", length))
        *r = (struct range){block[i], block[i]};
    else if (length == 9 && !strncmp(name, "block_idx", length))
        *r = (struct range){0, grid - 1};
    else if (length == 8 && !strncmp(name, "grid_dim", length))
        *r = (struct range){1, grid};
    else
        return false;
    return true;
}

static void set_range(LLVMValueRef call, struct range r)
{
    LLVMTypeRef type = LLVMTypeOf(call);
    LLVMContextRef context = LLVMGetTypeContext(type);
    LLVMMetadataRef ends[] = {LLVMValueAsMetadata(LLVMConstInt(type, r.first, 0)),
                              LLVMValueAsMetadata(LLVMConstInt(type, r.last + 1, 0))};
    LLVMSetMetadata(call, LLVMGetMDKindIDInContext(context, "range", 5),
                    LLVMMetadataAsValue(context, LLVMMDNodeInContext2(context, ends, 2)));
}

/* Each place of one value becomes that value, others tell what they can be. */
static void fold_places(const struct lw__kernel *kernel)
{
    LLVMBasicBlockRef b = LLVMGetFirstBasicBlock(kernel->function);
    for (; b; b = LLVMGetNextBasicBlock(b))
        for (LLVMValueRef i = LLVMGetFirstInstruction(b), next; i; i = next) {
            struct range r;
            next = LLVMGetNextInstruction(i);
            if (!LLVMIsACallInst(i) || !range_of(lw__ir_callee(i), kernel->block, &r))
                continue;
            if (r.first < r.last) {
                set_range(i, r);
                continue;
            }
            LLVMReplaceAllUsesWith(i, LLVMConstInt(LLVMTypeOf(i), r.first, 0));
            LLVMInstructionEraseFromParent(i);
        }
}

/* ---- loops worth unrolling ------------------------------------------------------------------- */

struct marker {
    struct lw__cfg cfg;
    struct lw__loops loops;
    bool *unroll; /* per loop */
};

enum { MAX_DEPTH = 12 }; /* of an index's computation */

/* Loops whose counters the index is computed of. */
static void mark_counters(struct marker *m, LLVMValueRef index, int depth)
{
    if (!LLVMIsAInstruction(index) || depth > MAX_DEPTH)
        return;
    if (LLVMIsAPHINode(index)) {
        const uint32_t b = lw__cfg_index(&m->cfg, LLVMGetInstructionParent(index));
        for (size_t l = 0; l < m->loops.count; l++)
            if (m->loops.loops[l].header == b)
                m->unroll[l] = true;
        return;
    }
    if (LLVMIsACallInst(index) || LLVMIsALoadInst(index))
        return;
    for (int i = 0; i < LLVMGetNumOperands(index); i++)
        mark_counters(m, LLVMGetOperand(index, (unsigned)i), depth + 1);
}

static bool is_private(LLVMValueRef pointer)
{
    while (LLVMIsAGetElementPtrInst(pointer))
        pointer = LLVMGetOperand(pointer, 0);
    return LLVMIsAAllocaInst(pointer);
}

/* The innermost loop that holds the block. */
static void mark_holder(struct marker *m, uint32_t b)
{
    size_t best = SIZE_MAX;
    for (size_t l = 0; l < m->loops.count; l++)
        if (m->loops.loops[l].body[b] &&
            (best == SIZE_MAX || m->loops.loops[l].size < m->loops.loops[best].size))
            best = l;
    if (best != SIZE_MAX)
        m->unroll[best] = true;
}

static LLVMMetadataRef string_node(LLVMContextRef context, const char *text)
{
    LLVMMetadataRef string = LLVMMDStringInContext2(context, text, strlen(text));
    return LLVMMDNodeInContext2(context, &string, 1);
}

/* On the branches back to the header, unless the source already says how to unroll. */
static void ask_to_unroll(struct marker *m, const struct lw__loop *loop)
{
    LLVMContextRef context = LLVMGetModuleContext(LLVMGetGlobalParent(m->cfg.function));
    const unsigned kind = LLVMGetMDKindIDInContext(context, "llvm.loop", 9);
    LLVMMetadataRef self = LLVMTemporaryMDNode(context, NULL, 0);
    LLVMMetadataRef parts[] = {self, string_node(context, "llvm.loop.unroll.enable")};
    LLVMMetadataRef id = LLVMMDNodeInContext2(context, parts, 2);
    LLVMMetadataReplaceAllUsesWith(self, id);
    for (uint32_t p = m->cfg.pred_start[loop->header]; p < m->cfg.pred_start[loop->header + 1];
         p++) {
        LLVMBasicBlockRef latch = m->cfg.blocks[m->cfg.pred[p]];
        if (loop->body[m->cfg.pred[p]])
            LLVMSetMetadata(LLVMGetBasicBlockTerminator(latch), kind,
                            LLVMMetadataAsValue(context, id));
    }
}

static void mark_function(struct marker *m)
{
    for (uint32_t b = 0; b < m->cfg.count; b++)
        for (LLVMValueRef i = LLVMGetFirstInstruction(m->cfg.blocks[b]); i;
             i = LLVMGetNextInstruction(i)) {
            if (lw__op_table[lw__ir_collective(i, NULL)].block)
                mark_holder(m, b);
            for (int k = 1; LLVMIsAGetElementPtrInst(i) && k < LLVMGetNumOperands(i); k++)
                if (is_private(i))
                    mark_counters(m, LLVMGetOperand(i, (unsigned)k), 0);
        }
    for (size_t l = 0; l < m->loops.count; l++)
        if (m->unroll[l])
            ask_to_unroll(m, &m->loops.loops[l]);
}

static bool mark_loops(LLVMValueRef function, uint32_t *marked)
{
    struct marker m = {0};
    if (!lw__cfg_build(function, &m.cfg))
        return lw__defect("out of memory");
    bool ok = lw__loops_build(&m.cfg, &m.loops);
    m.unroll = calloc(m.loops.count + 1, sizeof *m.unroll);
    ok = ok && m.unroll;
    if (ok)
        mark_function(&m);
    for (size_t l = 0; ok && l < m.loops.count; l++)
        *marked += m.unroll[l];
    free(m.unroll);
    lw__loops_free(&m.loops);
    lw__cfg_free(&m.cfg);
    return ok || lw__defect("out of memory");
}

/* ---- the pass -------------------------------------------------------------------------------- */

/* simplifycfg may make a switch of comparisons, so lower-switch comes behind its last run. */
#define SIMPLIFY(more)                                                                             \
    "simplifycfg<bonus-inst-threshold=1;no-switch-to-lookup;no-switch-range-to-icmp;"              \
    "no-forward-switch-cond;keep-loops;no-hoist-common-insts;no-sink-common-insts;" more ">"

static const char before_unrolling[] =
    "function(sroa<modify-cfg>,early-cse<memssa>,instcombine<no-verify-fixpoint>," SIMPLIFY(
        "no-speculate-blocks") ",lower-switch,loop-simplify,lcssa,loop(indvars))";

static const char unrolling[] =
    "function(loop-simplify,lcssa,"
    "loop-unroll<O3;no-peeling;no-partial;no-runtime;no-upperbound;full-unroll-max=64>,"
    "early-cse,instcombine<no-verify-fixpoint>,sroa<modify-cfg>,early-cse<memssa>,instcombine<no-"
    "verify-fixpoint>," SIMPLIFY(
        "speculate-blocks") ",gvn<no-pre;no-load-pre>,loop-simplify,lcssa,loop-mssa(licm),"
                            "scalarizer,early-cse,instcombine<no-verify-fixpoint>,adce," SIMPLIFY(
                                "speculate-blocks") ",lower-switch,adce,mergereturn,fix-"
                                                    "irreducible,loop-simplify,"
                                                    "lcssa,verify)";

/* ---- dead ends ------------------------------------------------------------------------------- */

enum { DEAD_END_MAX = 16 }; /* instructions that are copied for each way to them */

static bool is_copied_freely(LLVMBasicBlockRef block)
{
    unsigned n = 0;
    for (LLVMValueRef i = LLVMGetFirstInstruction(block); i; i = LLVMGetNextInstruction(i))
        if (LLVMIsAPHINode(i) || lw__ir_collective(i, NULL) || ++n > DEAD_END_MAX)
            return false;
    return true;
}

static LLVMBasicBlockRef copy_block(LLVMBuilderRef b, LLVMBasicBlockRef block)
{
    LLVMValueRef from[DEAD_END_MAX], to[DEAD_END_MAX];
    unsigned n = 0;
    LLVMContextRef context = LLVMGetTypeContext(LLVMTypeOf(LLVMBasicBlockAsValue(block)));
    LLVMBasicBlockRef copy = LLVMInsertBasicBlockInContext(context, block, "");
    LLVMPositionBuilderAtEnd(b, copy);
    for (LLVMValueRef i = LLVMGetFirstInstruction(block); i; i = LLVMGetNextInstruction(i), n++) {
        from[n] = i;
        to[n] = LLVMInstructionClone(i);
        for (int k = 0; k < LLVMGetNumOperands(i); k++)
            for (unsigned m = 0; m < n; m++)
                if (LLVMGetOperand(i, (unsigned)k) == from[m])
                    LLVMSetOperand(to[n], (unsigned)k, to[m]);
        LLVMInsertIntoBuilder(b, to[n]);
        LLVMInstructionSetDebugLoc(to[n], LLVMInstructionGetDebugLoc(i));
    }
    return copy;
}

/* A failed assert of its own for each way to one: `assert(a && b)` is no place where the lanes that
 * fail a meet those that fail b. */
static void part_ways(LLVMBuilderRef b, LLVMBasicBlockRef dead)
{
    bool first = true;
    LLVMUseRef use = LLVMGetFirstUse(LLVMBasicBlockAsValue(dead)), next;
    for (; use; use = next) {
        LLVMValueRef branch = LLVMGetUser(use);
        next = LLVMGetNextUse(use);
        if (!first)
            for (unsigned k = 0; k < LLVMGetNumSuccessors(branch); k++)
                if (LLVMGetSuccessor(branch, k) == dead) {
                    LLVMSetSuccessor(branch, k, copy_block(b, dead));
                    break;
                }
        first = false;
    }
}

/* Each ends in a place of its own: mergereturn has made one of all, as if they met there. */
static void part_dead_ends(LLVMValueRef function)
{
    LLVMBuilderRef b =
        LLVMCreateBuilderInContext(LLVMGetModuleContext(LLVMGetGlobalParent(function)));
    LLVMBasicBlockRef k = LLVMGetFirstBasicBlock(function);
    for (; k; k = LLVMGetNextBasicBlock(k)) {
        LLVMValueRef end = LLVMGetBasicBlockTerminator(k);
        if (LLVMGetNumSuccessors(end) != 1 ||
            !LLVMIsAUnreachableInst(LLVMGetFirstInstruction(LLVMGetSuccessor(end, 0))))
            continue;
        LLVMPositionBuilderBefore(b, end);
        LLVMBuildUnreachable(b);
        LLVMInstructionEraseFromParent(end);
    }
    for (k = LLVMGetFirstBasicBlock(function); k; k = LLVMGetNextBasicBlock(k))
        if (LLVMIsAUnreachableInst(LLVMGetBasicBlockTerminator(k)) && is_copied_freely(k))
            part_ways(b, k);
    LLVMDisposeBuilder(b);
}

static uint64_t instructions(const struct lw__unit *unit)
{
    uint64_t n = 0;
    for (size_t i = 0; i < unit->kernels.count; i++)
        for (LLVMBasicBlockRef b = LLVMGetFirstBasicBlock(unit->kernels.rows[i].function); b;
             b = LLVMGetNextBasicBlock(b))
            for (LLVMValueRef k = LLVMGetFirstInstruction(b); k; k = LLVMGetNextInstruction(k))
                n++;
    return n;
}

/* Each instruction becomes one for every piece: the more, the less is unrolled. */
static uint32_t most_pieces(const struct lw__unit *unit)
{
    const int level = lw__cpu_level(unit->options->device);
    const uint32_t width = level < 0 ? 1 : UINT32_C(4) << level;
    uint32_t most = 1;
    for (size_t i = 0; i < unit->kernels.count; i++) {
        const uint32_t *block = unit->kernels.rows[i].block;
        const uint32_t pieces = (block[0] * block[1] * block[2] + width - 1) / width;
        most = pieces > most ? pieces : most;
    }
    return most;
}

/* lw__pass_prepare - the block's dimensions into the code, then scalar clean-up.
 * needs COMMON BLOCKS   makes PREPARED
 */
bool lw__pass_prepare(struct lw__unit *unit)
{
    uint32_t marked = 0;
    if (!lw__cpu_machine(unit))
        return false;
    for (size_t i = 0; i < unit->kernels.count; i++)
        fold_places(&unit->kernels.rows[i]);
    if (!lw__llvm_passes(unit->module, unit->machine, before_unrolling))
        return false;
    for (size_t i = 0; i < unit->kernels.count; i++) {
        lw__ir_expand_copies(unit->kernels.rows[i].function, false);
        if (!mark_loops(unit->kernels.rows[i].function, &marked))
            return false;
    }
    lw__llvm_scalar_options(most_pieces(unit), marked * instructions(unit));
    if (!lw__llvm_passes(unit->module, unit->machine, unrolling))
        return false;
    for (size_t i = 0; i < unit->kernels.count; i++) {
        lw__ir_expand_copies(unit->kernels.rows[i].function, true);
        part_dead_ends(unit->kernels.rows[i].function);
    }
    return true;
}
