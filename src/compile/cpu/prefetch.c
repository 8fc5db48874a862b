/* prefetch.c - while a block runs, what the next block will read and write is prefetched.
 *
 * A block that moves a tile touches many short rows that are far apart, each once. Hardware sees no
 * streams in them, and a processor waits for a few dozen cache lines at a time. With the stores of
 * one block in its queue it does not reach the loads of the next. So if a block touches many rows,
 * each access is followed by a prefetch for the next block. How much its address changes from block
 * to block is found symbolically, as a difference. For block_idx.x it is 1, for a sum the sum; for
 * a product with an invariant, the product with that. If grid_dim.x is small, block_idx.x seldom
 * grows by 1. Then the difference is taken as 0, and the prefetch finds the line in the cache. At
 * the end of a row of blocks it is useless.
 *
 * A row whose beginning is loaded from memory, as those of a sparse matrix are, is read by a loop.
 * Each group of pieces has a copy of it: an instruction sees one row of many, and hardware sees no
 * stream either. The next row is mostly adjacent in memory, so the memory after a row is
 * prefetched.
 *
 * Lines go to the second-level cache: rows of a tile that are a power of two apart share a few sets
 * of the first. That is done for lines to be written, too: requesting ownership as well (prefetchw)
 * was measured to be slower.
 *
 * An atomic delays later loads until earlier stores are visible. So a block with one waits for its
 * rows, even if they are few and in the second-level cache. They are prefetched, too, and to the
 * first-level cache (a compaction with AVX-512 takes a tenth less).
 */
#include "compile/cpu/cpu.h"
#include "compile/llvm/llvm.h"
#include "compile/ir/ir.h"

enum {
    ROWS_MIN = 8, /* fewer are streams that hardware follows */
    ROWS_MAX = 512,
    LINE = 64,       /* bytes */
    FURTHER = 512,   /* bytes; 2048 is as good */
    GRID_MIN = 4,    /* blocks */
    VISITS_MAX = 256 /* instructions followed for one address */
};

/* Accesses at constant distances. */
struct row {
    LLVMValueRef base;
    LLVMValueRef change; /* bytes, i64 */
    int64_t next;        /* it is prefetched up to this offset from the base */
};

struct ahead {
    LLVMModuleRef module;
    LLVMTargetDataRef data;
    LLVMTypeRef i8, i64;
    struct lw__cfg cfg;
    struct lw__loops loops;
    const struct lw__loop *blocks; /* the loop over blocks */
    LLVMBuilderRef front;          /* before it */
    LLVMBuilderRef b;
    LLVMValueRef block_x; /* block_idx.x */
    LLVMValueRef step;    /* i64: how much that changes */
    unsigned visits;
    enum lw__cache cache; /* to which lines are prefetched */
    struct row rows[ROWS_MAX];
    size_t row_count;
};

/* ---- the loop over blocks -------------------------------------------------------------------- */

static bool is_inside(const struct ahead *a, LLVMValueRef v)
{
    if (!LLVMIsAInstruction(v))
        return false;
    uint32_t at = lw__cfg_index(&a->cfg, LLVMGetInstructionParent(v));
    return at != UINT32_MAX && a->blocks->body[at];
}

static bool is_number(LLVMValueRef v, uint64_t number)
{
    return LLVMIsAConstantInt(v) && LLVMConstIntGetZExtValue(v) == number;
}

static bool is_one_more(LLVMValueRef v, LLVMValueRef than)
{
    return LLVMIsAInstruction(v) && LLVMGetInstructionOpcode(v) == LLVMAdd &&
           LLVMGetOperand(v, 0) == than && is_number(LLVMGetOperand(v, 1), 1);
}

/* block_idx.x is the phi that becomes x + 1 == n ? 0 : x + 1; n is grid_dim.x. */
static LLVMValueRef grid_of(const struct ahead *a, LLVMValueRef phi)
{
    for (unsigned k = 0; k < LLVMCountIncoming(phi); k++) {
        LLVMValueRef v = LLVMGetIncomingValue(phi, k);
        if (!is_inside(a, v) || !LLVMIsASelectInst(v) || !is_number(LLVMGetOperand(v, 1), 0))
            continue;
        LLVMValueRef full = LLVMGetOperand(v, 0), next = LLVMGetOperand(v, 2);
        if (is_one_more(next, phi) && LLVMIsAICmpInst(full) &&
            LLVMGetICmpPredicate(full) == LLVMIntEQ && LLVMGetOperand(full, 0) == next &&
            !is_inside(a, LLVMGetOperand(full, 1)))
            return LLVMGetOperand(full, 1);
    }
    return NULL;
}

/* Find the loop, block_idx.x in it, and its step before it. */
static bool find_loop(struct ahead *a)
{
    LLVMValueRef grid = NULL;
    for (size_t k = 0; k < a->loops.count && !grid; k++) {
        a->blocks = &a->loops.loops[k];
        LLVMValueRef i = LLVMGetFirstInstruction(a->cfg.blocks[a->blocks->header]);
        for (; LLVMIsAPHINode(i) && !grid; i = LLVMGetNextInstruction(i)) {
            grid = a->blocks->parent < 0 ? grid_of(a, i) : NULL;
            a->block_x = i;
        }
    }
    if (!grid)
        return false;
    uint32_t front = a->cfg.idom[a->blocks->header];
    LLVMPositionBuilderBefore(a->front, LLVMGetBasicBlockTerminator(a->cfg.blocks[front]));
    LLVMValueRef wide =
        LLVMBuildICmp(a->front, LLVMIntUGE, grid, LLVMConstInt(LLVMTypeOf(grid), GRID_MIN, 0), "");
    a->step = LLVMBuildZExt(a->front, wide, a->i64, "");
    return true;
}

/* ---- differences ----------------------------------------------------------------------------- */

static LLVMValueRef sum(const struct ahead *a, LLVMValueRef x, LLVMValueRef y, bool minus)
{
    if (!y)
        return x;
    if (minus)
        return LLVMBuildSub(a->front, x ? x : LLVMConstNull(a->i64), y, "");
    return x ? LLVMBuildAdd(a->front, x, y, "") : y;
}

/* True for block_idx.y and .z, which change at the end of a row of blocks. */
static bool is_other_counter(const struct ahead *a, LLVMValueRef v)
{
    return LLVMIsAPHINode(v) && LLVMGetInstructionParent(v) == a->cfg.blocks[a->blocks->header];
}

static bool change_of(struct ahead *a, LLVMValueRef v, LLVMValueRef *change);

static bool change_of_product(struct ahead *a, LLVMValueRef i, LLVMOpcode op, LLVMValueRef x,
                              LLVMValueRef y, LLVMValueRef *change)
{
    LLVMValueRef by = !y ? LLVMGetOperand(i, 1) : !x && op == LLVMMul ? LLVMGetOperand(i, 0) : NULL;
    *change = NULL;
    if (!x && !y)
        return true;
    if (!by || is_inside(a, by))
        return false;
    /* An invariant, as an i64 before the loop. */
    by = LLVMBuildSExtOrBitCast(a->front, by, a->i64, "");
    *change = op == LLVMMul ? LLVMBuildMul(a->front, x ? x : y, by, "")
                            : LLVMBuildShl(a->front, x, by, "");
    return true;
}

static bool change_of_place(struct ahead *a, LLVMValueRef gep, LLVMValueRef *change)
{
    LLVMValueRef index;
    if (LLVMGetNumOperands(gep) != 2 || !change_of(a, LLVMGetOperand(gep, 0), change) ||
        !change_of(a, LLVMGetOperand(gep, 1), &index))
        return false;
    uint64_t size = LLVMABISizeOfType(a->data, LLVMGetGEPSourceElementType(gep));
    if (index)
        index = LLVMBuildMul(a->front, index, LLVMConstInt(a->i64, size, 0), "");
    *change = sum(a, *change, index, false);
    return true;
}

static bool change_of_two(struct ahead *a, LLVMValueRef i, LLVMOpcode op, LLVMValueRef *change)
{
    LLVMValueRef x, y;
    if (!change_of(a, LLVMGetOperand(i, 0), &x) || !change_of(a, LLVMGetOperand(i, 1), &y))
        return false;
    if (op == LLVMMul || op == LLVMShl)
        return change_of_product(a, i, op, x, y, change);
    if (op == LLVMAdd || op == LLVMSub || (op == LLVMOr && LLVMGetIsDisjoint(i))) {
        *change = sum(a, x, y, op == LLVMSub);
        return true;
    }
    *change = NULL;
    return !x && !y;
}

/* How much an integer or a pointer changes from one block to the next, i64; NULL: not at all. It is
 * wrong if v wraps around, which a prefetch may be. */
static bool change_of(struct ahead *a, LLVMValueRef v, LLVMValueRef *change)
{
    *change = v == a->block_x ? a->step : NULL;
    if (*change || !is_inside(a, v) || is_other_counter(a, v))
        return true;
    if (!a->visits)
        return false;
    a->visits--;
    const LLVMOpcode op = LLVMGetInstructionOpcode(v);
    switch (op) {
    case LLVMAdd:
    case LLVMSub:
    case LLVMMul:
    case LLVMShl:
    case LLVMOr:
    case LLVMAnd:
    case LLVMLShr:
    case LLVMAShr: return change_of_two(a, v, op, change);
    case LLVMSExt:
    case LLVMZExt:
    case LLVMTrunc:
    case LLVMFreeze: return change_of(a, LLVMGetOperand(v, 0), change);
    case LLVMGetElementPtr: return change_of_place(a, v, change);
    default: return false;
    }
}

/* ---- rows ------------------------------------------------------------------------------------ */

/* The address that a vector access loads or stores, executed once per block; else NULL. */
static LLVMValueRef address_of(LLVMValueRef i, LLVMTypeRef *type)
{
    const bool load = LLVMIsALoadInst(i);
    if (!load && !LLVMIsAStoreInst(i))
        return NULL;
    *type = load ? LLVMTypeOf(i) : LLVMTypeOf(LLVMGetOperand(i, 0));
    return LLVMGetTypeKind(*type) == LLVMVectorTypeKind ? LLVMGetOperand(i, !load) : NULL;
}

static LLVMValueRef base_of(const struct ahead *a, LLVMValueRef address, int64_t *offset)
{
    *offset = 0;
    while (LLVMIsAGetElementPtrInst(address) && LLVMGetNumOperands(address) == 2 &&
           LLVMIsAConstantInt(LLVMGetOperand(address, 1))) {
        LLVMTypeRef type = LLVMGetGEPSourceElementType(address);
        *offset += (int64_t)LLVMABISizeOfType(a->data, type) *
                   LLVMConstIntGetSExtValue(LLVMGetOperand(address, 1));
        address = LLVMGetOperand(address, 0);
    }
    return address;
}

static struct row *row_of(struct ahead *a, LLVMValueRef base)
{
    for (size_t k = a->row_count; k-- > 0;)
        if (a->rows[k].base == base)
            return &a->rows[k];
    return NULL;
}

/* Call `see` for each access of a block of the loop that is in no inner loop. */
static void each_access(struct ahead *a, void (*see)(struct ahead *a, LLVMValueRef i,
                                                     LLVMTypeRef type, LLVMValueRef address))
{
    for (uint32_t k = 0; k < a->cfg.count; k++) {
        bool once = a->blocks->body[k];
        for (size_t l = 0; l < a->loops.count; l++)
            once &= &a->loops.loops[l] == a->blocks || !a->loops.loops[l].body[k];
        LLVMValueRef i = once ? LLVMGetFirstInstruction(a->cfg.blocks[k]) : NULL, next;
        for (; i; i = next) {
            LLVMTypeRef type;
            LLVMValueRef address = address_of(i, &type);
            next = LLVMGetNextInstruction(i);
            if (address)
                see(a, i, type, address);
        }
    }
}

static bool has_atomic(const struct ahead *a)
{
    for (uint32_t k = 0; k < a->cfg.count; k++) {
        EACH_INSTRUCTION(i, a->cfg.blocks[k])
            if (a->blocks->body[k] && (LLVMIsAAtomicRMWInst(i) || LLVMIsAAtomicCmpXchgInst(i)))
                return true;
    }
    return false;
}

static void note_row(struct ahead *a, LLVMValueRef i, LLVMTypeRef type, LLVMValueRef address)
{
    int64_t offset;
    LLVMValueRef base = base_of(a, address, &offset), change;
    (void)i, (void)type;
    a->visits = VISITS_MAX;
    if (a->row_count == ROWS_MAX || row_of(a, base) || !change_of(a, base, &change) || !change)
        return;
    a->rows[a->row_count++] = (struct row){base, change, INT64_MIN};
}

static void fetch(struct ahead *a, LLVMValueRef i, LLVMTypeRef type, LLVMValueRef address)
{
    int64_t offset, size = (int64_t)LLVMABISizeOfType(a->data, type);
    struct row *row = row_of(a, base_of(a, address, &offset));
    if (!row || offset < row->next)
        return;
    LLVMPositionBuilderBefore(a->b, LLVMGetNextInstruction(i));
    LLVMSetCurrentDebugLocation2(a->b, LLVMInstructionGetDebugLoc(i));
    LLVMValueRef later = LLVMBuildGEP2(a->b, a->i8, address, &row->change, 1, "");
    lw__llvm_prefetch(a->b, a->module, later, a->cache);
    row->next = offset + (size > LINE ? size : LINE);
}

/* ---- rows that begin at a loaded address ----------------------------------------------------- */

static bool is_of(const struct ahead *a, const struct lw__loop *l, LLVMValueRef v)
{
    return is_inside(a, v) && l->body[lw__cfg_index(&a->cfg, LLVMGetInstructionParent(v))];
}

static bool is_sum(LLVMValueRef v)
{
    return LLVMIsABinaryOperator(v) || LLVMIsACastInst(v) || LLVMIsAFreezeInst(v) ||
           LLVMIsAGetElementPtrInst(v);
}

/* True if v is computed from something that the block has loaded. */
static bool is_loaded(struct ahead *a, LLVMValueRef v)
{
    if (!is_inside(a, v) || !a->visits)
        return false;
    a->visits--;
    if (LLVMIsALoadInst(v))
        return true;
    for (int k = 0; is_sum(v) && k < LLVMGetNumOperands(v); k++)
        if (is_loaded(a, LLVMGetOperand(v, (unsigned)k)))
            return true;
    return false;
}

/* The only phi of the loop that v is computed from; NULL: none, or several. */
static LLVMValueRef counter_of(struct ahead *a, const struct lw__loop *l, LLVMValueRef v)
{
    LLVMValueRef found = NULL;
    if (LLVMIsAPHINode(v))
        return LLVMGetInstructionParent(v) == a->cfg.blocks[l->header] ? v : NULL;
    for (int k = 0; is_sum(v) && k < LLVMGetNumOperands(v); k++)
        if (is_of(a, l, LLVMGetOperand(v, (unsigned)k))) {
            if (found || !(found = counter_of(a, l, LLVMGetOperand(v, (unsigned)k))))
                return NULL;
        }
    return found;
}

/* True if it begins with something loaded, and grows by a constant. */
static bool counts_from_loaded(struct ahead *a, const struct lw__loop *l, LLVMValueRef phi)
{
    bool grows = true, loaded = false;
    a->visits = VISITS_MAX;
    for (unsigned k = 0; k < LLVMCountIncoming(phi); k++) {
        LLVMValueRef v = LLVMGetIncomingValue(phi, k);
        if (is_of(a, l, v))
            grows &= is_sum(v) && LLVMGetNumOperands(v) == 2 && LLVMGetOperand(v, 0) == phi &&
                     LLVMIsAConstantInt(LLVMGetOperand(v, 1));
        else
            loaded |= is_loaded(a, v);
    }
    return grows && loaded;
}

/* Once for each line. */
static void fetch_further(struct ahead *a, LLVMBasicBlockRef block, const struct lw__loop *l)
{
    a->row_count = 0;
    EACH_INSTRUCTION(i, block) {
        LLVMTypeRef type;
        LLVMValueRef address = LLVMIsALoadInst(i) ? address_of(i, &type) : NULL;
        int64_t offset;
        LLVMValueRef base = address ? base_of(a, address, &offset) : NULL,
                     counter = base ? counter_of(a, l, base) : NULL;
        if (!counter || a->row_count == ROWS_MAX || !counts_from_loaded(a, l, counter))
            continue;
        if (!row_of(a, base))
            a->rows[a->row_count++] =
                (struct row){base, LLVMConstInt(a->i64, FURTHER, 0), INT64_MIN};
        fetch(a, i, type, address);
    }
}

void lw__cpu_fetch_ahead(struct lw__arena *arena, LLVMValueRef function)
{
    LLVMModuleRef module = LLVMGetGlobalParent(function);
    LLVMContextRef context = LLVMGetModuleContext(module);
    const struct lw__arena_mark mark = lw__arena_mark(arena);
    struct ahead *a = lw__new(arena, 1, sizeof *a);
    a->module = module;
    a->data = LLVMGetModuleDataLayout(module);
    a->i8 = LLVMInt8TypeInContext(context);
    a->i64 = LLVMInt64TypeInContext(context);
    a->front = LLVMCreateBuilderInContext(context);
    a->b = LLVMCreateBuilderInContext(context);
    lw__cfg_build(arena, function, &a->cfg);
    lw__loops_build(&a->cfg, &a->loops);
    if (find_loop(a)) {
        each_access(a, note_row);
        a->cache = a->row_count < ROWS_MIN ? LW_FIRST_CACHE : LW_SECOND_CACHE;
        if (a->row_count >= ROWS_MIN || has_atomic(a))
            each_access(a, fetch);
        a->cache = LW_SECOND_CACHE;
        for (uint32_t k = 0; k < a->cfg.count; k++) {
            const int inner = a->blocks->body[k] ? lw__loops_innermost(&a->loops, k) : -1;
            if (inner >= 0 && &a->loops.loops[inner] != a->blocks)
                fetch_further(a, a->cfg.blocks[k], &a->loops.loops[inner]);
        }
    }
    LLVMDisposeBuilder(a->front);
    LLVMDisposeBuilder(a->b);
    lw__arena_release(arena, mark);
}
