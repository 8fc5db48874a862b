/* unroll.c - which loops of a kernel are unrolled, and how far.
 *
 * Loops with a constant trip count are unrolled if they are short. The limit is higher for two
 * kinds. The first hold block ops: halving trees become straight code. The counters of the others
 * index private arrays, which lanes keep in registers only if all indices are constants.
 *
 * A loop may carry more values than there are registers for all pieces: sixteen sums of a thread
 * are 256 vectors of a block of 256. It would load and store each of them in every iteration. If
 * those of one piece fit, some iterations are merged. The widening emits them for one piece after
 * the other. So a piece's values are loaded and stored once for all of these iterations. No more
 * are merged than make that cost small: the code for all pieces must stay in the first-level cache.
 *
 * Some loops with block ops are not unrolled. Threads leave them, converge with others that leave
 * in the same iteration, and return. The code on that path belongs to the iteration
 * (analysis/loop_exits.c), before the next block op. Unrolled, it would be one path after all
 * iterations.
 */
#include "compile/spmd/prepare/prepare.h"
#include "compile/spmd/analysis/analysis.h"
#include <string.h>

struct marker {
    struct lw__cfg cfg;
    struct lw__loops loops;
    bool *unroll;       /* per loop */
    uint32_t registers; /* for vectors */
    uint32_t pieces, marked;
};

/* ---- loops that stay ------------------------------------------------------------------------- */

/* Set metadata on the branches back to the header; always, or unless they have unroll metadata. */
static void say(struct marker *m, const struct lw__loop *loop, const char *word, uint32_t count,
                bool always)
{
    EACH_PREDECESSOR(from, &m->cfg, loop->header) {
        LLVMValueRef back = LLVMGetBasicBlockTerminator(m->cfg.blocks[from]);
        if (loop->body[from] && (always || !lw__loop_has_word(back, "llvm.loop.unroll.")))
            lw__loop_set_metadata(back, word, count);
    }
}

/* True if the block has a collective for those that leave the loop in the same iteration. */
static bool converges_by_iteration(const struct marker *m, const struct lw__loop *loop, uint32_t b)
{
    EACH_INSTRUCTION(i, m->cfg.blocks[b])
        if (lw__ir_collective(i, NULL) && lw__spmd_instance_has_iteration(&m->cfg, loop, i))
            return true;
    return false;
}

static void mark_kept(struct marker *m)
{
    const size_t n = m->cfg.count;
    bool *operations = lw__new(m->cfg.arena, 2 * n, 1), *later = operations + n;
    lw__spmd_find_block_ops(&m->cfg, operations);
    memcpy(later, operations, n);
    lw__cfg_flow_back(&m->cfg, later);
    for (size_t l = 0; l < m->loops.count; l++) {
        const struct lw__loop *loop = &m->loops.loops[l];
        bool arm = false;
        if (!lw__spmd_loop_has_block_op(&m->cfg, operations, loop))
            continue;
        for (uint32_t b = 0; !arm && b < n; b++)
            arm = !loop->body[b] && !later[b] && converges_by_iteration(m, loop, b);
        if (arm)
            say(m, loop, "llvm.loop.unroll.disable", 0, true);
    }
}

/* ---- loops that become straight code --------------------------------------------------------- */

enum {
    MAX_DEPTH = 12,   /* of an index's computation */
    STRAIGHT_MAX = 64 /* iterations: full-unroll-max of llvm/pipelines.def */
};

/* Mark the loops whose counters the index is computed from. */
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

/* True if the value is computed from constants only, and from counters of loops that are, too. A
 * counter is computed from itself; so at some depth it is true unless something before was not. */
static bool is_counted(const struct marker *m, LLVMValueRef v, int depth)
{
    if (LLVMIsAConstant(v) || depth > MAX_DEPTH)
        return true;
    if (!LLVMIsABinaryOperator(v) && !LLVMIsACastInst(v) && !LLVMIsAICmpInst(v) &&
        !LLVMIsASelectInst(v) && !LLVMIsAPHINode(v))
        return false;
    bool header = !LLVMIsAPHINode(v), counted = true;
    const uint32_t b = lw__cfg_index(&m->cfg, LLVMGetInstructionParent(v));
    for (size_t l = 0; !header && l < m->loops.count; l++)
        header = m->loops.loops[l].header == b;
    for (unsigned k = 0; header && counted && k < (unsigned)LLVMGetNumOperands(v); k++)
        counted = is_counted(m, LLVMGetOperand(v, k), depth + (LLVMIsAPHINode(v) ? 4 : 1));
    return header && counted;
}

/* True if the block leaves the loop after more iterations than LLVM makes straight code of. It
 * would copy as many as fit, and the code be too long for the first-level cache. */
static bool is_long(const struct marker *m, uint32_t b)
{
    LLVMValueRef test = LLVMGetCondition(LLVMGetBasicBlockTerminator(m->cfg.blocks[b]));
    LLVMValueRef end = LLVMIsAICmpInst(test) ? LLVMGetOperand(test, 1) : NULL, phi, next;
    if (!end || !LLVMIsAConstantInt(end))
        return false;
    phi = LLVMGetOperand(test, 0);
    if (LLVMIsABinaryOperator(phi))
        phi = LLVMGetOperand(phi, 0);
    if (!LLVMIsAPHINode(phi) || LLVMCountIncoming(phi) != 2)
        return false;
    const unsigned back = LLVMIsAConstantInt(LLVMGetIncomingValue(phi, 0)) ? 1 : 0;
    LLVMValueRef start = LLVMGetIncomingValue(phi, 1 - back);
    next = LLVMGetIncomingValue(phi, back);
    if (!LLVMIsAConstantInt(start) || !LLVMIsAInstruction(next) ||
        LLVMGetInstructionOpcode(next) != LLVMAdd || LLVMGetOperand(next, 0) != phi ||
        !LLVMIsAConstantInt(LLVMGetOperand(next, 1)))
        return false;
    const int64_t step = LLVMConstIntGetSExtValue(LLVMGetOperand(next, 1)),
                  way = LLVMConstIntGetSExtValue(end) / 2 - LLVMConstIntGetSExtValue(start) / 2;
    return step && way / step > STRAIGHT_MAX / 2;
}

static void mark_whole(struct marker *m)
{
    for (uint32_t b = 0; b < m->cfg.count; b++)
        EACH_INSTRUCTION(i, m->cfg.blocks[b]) {
            if (lw__op_table[lw__ir_collective(i, NULL)].block) {
                /* the innermost loop around it, if threads leave it by a counted condition: of
                 * another LLVM would make up to 8 copies, of whatever size */
                const int inner = lw__loops_innermost(&m->loops, b);
                const bool *body = inner < 0 ? NULL : m->loops.loops[inner].body;
                for (uint32_t k = 0; body && !m->unroll[inner] && k < m->cfg.count; k++) {
                    LLVMValueRef end = LLVMGetBasicBlockTerminator(m->cfg.blocks[k]);
                    const uint32_t *to = m->cfg.succ + m->cfg.succ_start[k];
                    m->unroll[inner] = body[k] &&
                                       m->cfg.succ_start[k + 1] - m->cfg.succ_start[k] == 2 &&
                                       !(body[to[0]] && body[to[1]]) &&
                                       is_counted(m, LLVMGetCondition(end), 0) && !is_long(m, k);
                }
            }
            for (int k = 1; LLVMIsAGetElementPtrInst(i) && k < LLVMGetNumOperands(i); k++)
                if (lw__ir_is_private(i) && is_counted(m, LLVMGetOperand(i, (unsigned)k), 0))
                    mark_counters(m, LLVMGetOperand(i, (unsigned)k), 0);
        }
    for (size_t l = 0; l < m->loops.count; l++)
        if (m->unroll[l]) {
            say(m, &m->loops.loops[l], "llvm.loop.unroll.enable", 0, false);
            m->marked++;
        }
}

/* ---- loops that carry many values ------------------------------------------------------------ */

enum {
    ITERATIONS = 8,
    WORK_MIN = 32,     /* enough instructions for each value that is loaded and stored */
    EMITTED_MAX = 8192 /* instructions of all pieces for these iterations */
};

/* True if v is phi, or phi plus a constant. */
static bool counts(LLVMValueRef v, LLVMValueRef phi)
{
    return v == phi || (LLVMIsAInstruction(v) && LLVMGetInstructionOpcode(v) == LLVMAdd &&
                        LLVMGetOperand(v, 0) == phi && LLVMIsAConstantInt(LLVMGetOperand(v, 1)));
}

/* True if the block ends where a counter of the loop reaches a constant. */
static bool ends_by_count(const struct marker *m, const struct lw__loop *loop, uint32_t b)
{
    LLVMValueRef end = LLVMGetBasicBlockTerminator(m->cfg.blocks[b]);
    if (LLVMGetNumSuccessors(end) != 2 || !LLVMIsAICmpInst(LLVMGetCondition(end)))
        return false;
    LLVMValueRef test = LLVMGetCondition(end);
    EACH_PHI(i, m->cfg.blocks[loop->header])
        if (counts(LLVMGetOperand(test, 0), i))
            return LLVMIsAConstantInt(LLVMGetOperand(test, 1));
    return false;
}

/* How many values the loop carries, without its counters. */
static uint32_t carried(const struct marker *m, const struct lw__loop *loop)
{
    uint32_t n = 0;
    EACH_PHI(i, m->cfg.blocks[loop->header]) {
        bool counter = false;
        for (unsigned k = 0; k < LLVMCountIncoming(i); k++)
            counter |= counts(LLVMGetIncomingValue(i, k), i);
        n += !counter;
    }
    return n;
}

/* Instructions of a loop that ends by count only, without convergent operations, calls and inner
 * loops, as if it had no checks; 0: it is none. */
static uint32_t plain_size(const struct marker *m, const struct lw__loop *loop)
{
    uint32_t n = 0, exits = 0, guards = 0;
    bool ends = false;
    for (size_t l = 0; l < m->loops.count; l++)
        if (m->loops.loops[l].parent >= 0 && &m->loops.loops[m->loops.loops[l].parent] == loop)
            return 0;
    for (uint32_t b = 0; b < m->cfg.count; b++) {
        if (!loop->body[b])
            continue;
        ends |= ends_by_count(m, loop, b);
        EACH_SUCCESSOR(to, &m->cfg, b)
            exits += !loop->body[to];
        LLVMValueRef i = LLVMGetFirstInstruction(m->cfg.blocks[b]);
        for (; i; i = LLVMGetNextInstruction(i), n++)
            if (lw__ir_guards(i))
                guards++;
            else if (!strncmp(lw__ir_callee(i), "lw.", 3) && !lw__spmd_is_native(i))
                return 0;
    }
    guards *= 1 + LW_GUARD_MORE;
    return ends && exits == 1 && n > guards ? n - guards : 0;
}

/* How many iterations are merged, of a loop of that size that carries n values. */
static uint32_t merged_iterations(const struct marker *m, uint32_t size, uint32_t n)
{
    uint32_t iterations = ITERATIONS;
    while (iterations > 1 &&
           (iterations * size * m->pieces > EMITTED_MAX || iterations / 2 * size >= WORK_MIN * n))
        iterations /= 2;
    return iterations;
}

static void mark_sums(struct marker *m)
{
    const uint32_t registers = m->registers;
    for (size_t l = 0; l < m->loops.count; l++) {
        const struct lw__loop *loop = &m->loops.loops[l];
        const uint32_t n = carried(m, loop), size = plain_size(m, loop),
                       iterations = merged_iterations(m, size, n);
        if (!size || iterations == 1 || n * m->pieces <= registers || n + n / 2 > registers)
            continue;
        say(m, loop, "llvm.loop.unroll.count", iterations, false);
        m->marked++;
    }
}

static void mark(struct lw__unit *unit, const struct lw__kernel *kernel,
                 void (*how)(struct marker *m), uint32_t *marked)
{
    const struct lw__arena_mark start = lw__arena_mark(&unit->scratch);
    struct marker m = {.registers = unit->target->registers,
                       .pieces = lw__spmd_pieces(unit, kernel)};
    lw__cfg_build(&unit->scratch, kernel->function, &m.cfg);
    lw__loops_build(&m.cfg, &m.loops);
    m.unroll = lw__new(&unit->scratch, m.loops.count + 1, sizeof *m.unroll);
    how(&m);
    *marked += m.marked;
    lw__arena_release(&unit->scratch, start);
}

void lw__spmd_mark_kept(struct lw__unit *unit, const struct lw__kernel *kernel)
{
    uint32_t marked = 0;
    mark(unit, kernel, mark_kept, &marked);
}

void lw__spmd_mark_whole(struct lw__unit *unit, const struct lw__kernel *kernel, uint32_t *marked)
{
    mark(unit, kernel, mark_whole, marked);
}

void lw__spmd_mark_sums(struct lw__unit *unit, const struct lw__kernel *kernel, uint32_t *marked)
{
    mark(unit, kernel, mark_sums, marked);
}

/* The sum of their depths changes when an outer loop has become straight code. */
static void count_nests(struct marker *m)
{
    lw__loops_nest(&m->loops);
    for (size_t l = 0; l < m->loops.count; l++) {
        const uint32_t header = m->loops.loops[l].header;
        EACH_PREDECESSOR(p, &m->cfg, header) {
            LLVMBasicBlockRef from = m->cfg.blocks[p];
            LLVMValueRef back = LLVMGetBasicBlockTerminator(from);
            if (m->loops.loops[l].body[p] && (lw__loop_has_word(back, "llvm.loop.unroll.enable") ||
                                              lw__loop_has_word(back, "llvm.loop.unroll.full"))) {
                uint32_t depth = 1;
                for (int p = m->loops.loops[l].parent; p >= 0; p = m->loops.loops[p].parent)
                    depth++;
                m->marked += depth;
            }
        }
    }
}

void lw__spmd_count_nests(struct lw__unit *unit, const struct lw__kernel *kernel, uint32_t *depths)
{
    mark(unit, kernel, count_nests, depths);
}
