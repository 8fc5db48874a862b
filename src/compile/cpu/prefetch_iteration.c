/* prefetch_iteration.c - the next iteration of a loop is prefetched, where a step that only the
 * launch knows leads to it.
 *
 *     for (int z = 1; z < nz - 1; z++) {      the planes of an array, of which a block has a tile
 *         at += plane;
 *         ... in[at], in[at - 1], in[at + plane] ...
 *
 * Such an iteration touches many short rows, which are far from those of the one before. Hardware
 * sees no streams in them. Of each buffer only the accesses that are furthest ahead are prefetched,
 * by how often the step is in their addresses: the others come to memory that these have touched
 * an iteration earlier. (A stencil of 128^3 takes four fifths of the time.)
 */
#include "compile/cpu/cpu.h"
#include "compile/ir/ir.h"
#include "compile/llvm/llvm.h"

enum { ROWS_MIN = 8, ROWS_MAX = 128, DEPTH_MAX = 6 };

struct row {
    LLVMValueRef access, address, object, phi;
    LLVMValueRef step; /* in elements of so many bytes */
    uint64_t bytes;
    unsigned ahead; /* how often the step is in the address */
};

struct finder {
    const struct lw__cfg *cfg;
    const struct lw__loop *loop;
    struct row rows[ROWS_MAX];
    size_t count;
};

static bool is_inside(const struct finder *f, LLVMValueRef v)
{
    if (!LLVMIsAInstruction(v))
        return false;
    const uint32_t at = lw__cfg_index(f->cfg, LLVMGetInstructionParent(v));
    return at != UINT32_MAX && f->loop->body[at];
}

/* What the phi of the loop's header grows by, which the loop does not change and is no constant;
 * NULL: nothing such. *next: what it becomes. */
static LLVMValueRef step_of(const struct finder *f, LLVMValueRef phi, LLVMValueRef *next)
{
    if (!LLVMIsAPHINode(phi) || LLVMGetInstructionParent(phi) != f->cfg->blocks[f->loop->header] ||
        LLVMGetTypeKind(LLVMTypeOf(phi)) != LLVMIntegerTypeKind ||
        LLVMGetIntTypeWidth(LLVMTypeOf(phi)) != 64)
        return NULL;
    LLVMValueRef step = NULL;
    for (unsigned k = 0; k < LLVMCountIncoming(phi); k++) {
        *next = LLVMGetIncomingValue(phi, k);
        if (is_inside(f, *next) && LLVMIsABinaryOperator(*next) &&
            LLVMGetInstructionOpcode(*next) == LLVMAdd && LLVMGetOperand(*next, 0) == phi) {
            step = LLVMGetOperand(*next, 1);
            break;
        }
    }
    return step && !LLVMIsConstant(step) && !is_inside(f, step) ? step : NULL;
}

/* True if the index is such a phi and invariants; adds how often its step is in it. */
static bool follow(const struct finder *f, LLVMValueRef index, struct row *row, unsigned depth)
{
    LLVMValueRef next, step = step_of(f, index, &next);
    if (step) {
        row->phi = index;
        row->step = step;
        return true;
    }
    if (!depth || !LLVMIsABinaryOperator(index))
        return false;
    const LLVMOpcode op = LLVMGetInstructionOpcode(index);
    LLVMValueRef by = LLVMGetOperand(index, 1);
    if ((op != LLVMAdd && op != LLVMSub) || is_inside(f, by) ||
        !follow(f, LLVMGetOperand(index, 0), row, depth - 1))
        return false;
    row->ahead += op == LLVMAdd && by == row->step;
    return true;
}

/* An address that moves by the step in each iteration. */
static bool find_row(const struct finder *f, LLVMValueRef address, struct row *row)
{
    LLVMValueRef more[DEPTH_MAX];
    unsigned count = 0;
    row->address = address;
    row->object = lw__ir_object(address);
    for (; LLVMIsAGetElementPtrInst(address); address = LLVMGetOperand(address, 0)) {
        if (LLVMGetNumOperands(address) != 2 || count == DEPTH_MAX)
            return false;
        LLVMValueRef index = LLVMGetOperand(address, 1);
        if (!row->step && follow(f, index, row, DEPTH_MAX)) {
            LLVMTypeRef type = LLVMGetGEPSourceElementType(address);
            row->bytes = LLVMABISizeOfType(
                LLVMGetModuleDataLayout(LLVMGetGlobalParent(f->cfg->function)), type);
        } else if (is_inside(f, index)) {
            return false;
        } else {
            more[count++] = index;
        }
    }
    for (unsigned k = 0; k < count; k++)
        row->ahead += more[k] == row->step;
    return row->step && !is_inside(f, address);
}

static void find_rows(struct finder *f)
{
    f->count = 0;
    for (uint32_t k = 0; k < f->cfg->count; k++) {
        if (!f->loop->body[k])
            continue;
        EACH_INSTRUCTION(i, f->cfg->blocks[k]) {
            const bool load = LLVMIsALoadInst(i);
            if ((!load && !LLVMIsAStoreInst(i)) || f->count == ROWS_MAX)
                continue;
            LLVMTypeRef type = load ? LLVMTypeOf(i) : LLVMTypeOf(LLVMGetOperand(i, 0));
            struct row row = {.access = i};
            if (LLVMGetTypeKind(type) == LLVMVectorTypeKind &&
                find_row(f, LLVMGetOperand(i, !load), &row))
                f->rows[f->count++] = row;
        }
    }
}

/* How many phis the rows have; each is of another piece. */
static unsigned count_phis(const struct finder *f)
{
    unsigned n = 0;
    for (size_t k = 0; k < f->count; k++) {
        size_t j = 0;
        while (j < k && f->rows[j].phi != f->rows[k].phi)
            j++;
        n += j == k;
    }
    return n;
}

static bool is_furthest(const struct finder *f, const struct row *row)
{
    for (size_t k = 0; k < f->count; k++)
        if (f->rows[k].object == row->object && f->rows[k].ahead > row->ahead)
            return false;
    return true;
}

static void fetch(LLVMBuilderRef b, LLVMModuleRef module, const struct row *row)
{
    LLVMTypeRef i64 = LLVMTypeOf(row->step);
    LLVMPositionBuilderBefore(b, LLVMGetNextInstruction(row->access));
    LLVMSetCurrentDebugLocation2(b, LLVMInstructionGetDebugLoc(row->access));
    LLVMValueRef by = LLVMBuildMul(b, row->step, LLVMConstInt(i64, row->bytes, false), "");
    LLVMTypeRef i8 = LLVMInt8TypeInContext(LLVMGetTypeContext(i64));
    LLVMValueRef later = LLVMBuildGEP2(b, i8, row->address, &by, 1, "");
    lw__llvm_prefetch(b, module, later, LW_FIRST_CACHE);
}

void lw__cpu_fetch_iterations(struct lw__arena *arena, LLVMValueRef function)
{
    const struct lw__arena_mark mark = lw__arena_mark(arena);
    LLVMModuleRef module = LLVMGetGlobalParent(function);
    LLVMBuilderRef b = LLVMCreateBuilderInContext(LLVMGetModuleContext(module));
    struct finder *f = lw__new(arena, 1, sizeof *f);
    struct lw__cfg cfg;
    struct lw__loops loops;
    lw__cfg_build(arena, function, &cfg);
    lw__loops_build(&cfg, &loops);
    f->cfg = &cfg;
    for (size_t n = 0; n < loops.count; n++) {
        bool is_inner = true;
        for (size_t k = 0; k < loops.count; k++)
            is_inner &= k == n || !loops.loops[n].body[loops.loops[k].header];
        f->loop = &loops.loops[n];
        if (!is_inner)
            continue;
        find_rows(f);
        if (count_phis(f) < ROWS_MIN)
            continue;
        for (size_t k = 0; k < f->count; k++)
            if (is_furthest(f, &f->rows[k]))
                fetch(b, module, &f->rows[k]);
    }
    LLVMDisposeBuilder(b);
    lw__arena_release(arena, mark);
}
