/* atomics.c - atomicrmw and cmpxchg.
 *
 * Each active lane executes its own, from the first to the last. One operation is enough at a
 * uniform address, if the old values are unused and the order does not matter: the lanes' operands
 * are combined first. One is enough for a sum whose old values are used, too. A lane's old value is
 * that of memory and the operands of the active lanes below.
 *
 * Only one thread of the machine touches a block's shared memory. There an atomic operation is a
 * load, the operation and a store.
 */
#include "compile/spmd/memory/memory.h"
#include "compile/spmd/analysis/analysis.h"
#include "compile/spmd/emit/emit.h"

struct combining {
    LLVMAtomicRMWBinOp op;
    enum lw__intrinsic reduce; /* of the lanes' operands */
    LLVMOpcode opcode;         /* the same of two; 0: compare by `keep` and select */
    LLVMIntPredicate keep;
    int64_t neutral; /* sign-extended, MIN_SIGNED or MAX_SIGNED */
    bool idempotent; /* x op x is x */
};

#define MIN_SIGNED INT64_MIN
#define MAX_SIGNED INT64_MAX

static const struct combining combinings[] = {
    {LLVMAtomicRMWBinOpAdd, LW_LLVM_reduce_add, LLVMAdd, 0, 0, false},
    {LLVMAtomicRMWBinOpSub, LW_LLVM_reduce_add, LLVMAdd, 0, 0, false},
    {LLVMAtomicRMWBinOpAnd, LW_LLVM_reduce_and, LLVMAnd, 0, -1, true},
    {LLVMAtomicRMWBinOpOr, LW_LLVM_reduce_or, LLVMOr, 0, 0, true},
    {LLVMAtomicRMWBinOpXor, LW_LLVM_reduce_xor, LLVMXor, 0, 0, false},
    {LLVMAtomicRMWBinOpMax, LW_LLVM_reduce_smax, 0, LLVMIntSGT, MIN_SIGNED, true},
    {LLVMAtomicRMWBinOpMin, LW_LLVM_reduce_smin, 0, LLVMIntSLT, MAX_SIGNED, true},
    {LLVMAtomicRMWBinOpUMax, LW_LLVM_reduce_umax, 0, LLVMIntUGT, 0, true},
    {LLVMAtomicRMWBinOpUMin, LW_LLVM_reduce_umin, 0, LLVMIntULT, -1, true},
};

static const struct combining *combining_of(LLVMValueRef i)
{
    if (!LLVMIsAAtomicRMWInst(i) || LLVMGetFirstUse(i) ||
        LLVMGetTypeKind(LLVMTypeOf(i)) != LLVMIntegerTypeKind)
        return NULL;
    for (size_t n = 0; n < sizeof combinings / sizeof *combinings; n++)
        if (combinings[n].op == LLVMGetAtomicRMWBinOp(i))
            return &combinings[n];
    return NULL;
}

bool lw__spmd_combines(const struct lw__facts *facts, LLVMValueRef i)
{
    return combining_of(i) && lw__is_uniform(facts, LLVMGetOperand(i, 0));
}

/* ---- one operation --------------------------------------------------------------------------- */

static LLVMValueRef choose(struct lw__spmd *s, LLVMIntPredicate keep, LLVMValueRef a,
                           LLVMValueRef b)
{
    return LLVMBuildSelect(s->builder, LLVMBuildICmp(s->builder, keep, a, b, ""), a, b, "");
}

/* The new value of an operation, from the old; NULL: it has no such form. */
static LLVMValueRef new_value(struct lw__spmd *s, LLVMAtomicRMWBinOp op, LLVMValueRef old,
                              LLVMValueRef v)
{
    switch (op) {
    case LLVMAtomicRMWBinOpXchg: return v;
    case LLVMAtomicRMWBinOpAdd: return LLVMBuildAdd(s->builder, old, v, "");
    case LLVMAtomicRMWBinOpSub: return LLVMBuildSub(s->builder, old, v, "");
    case LLVMAtomicRMWBinOpAnd: return LLVMBuildAnd(s->builder, old, v, "");
    case LLVMAtomicRMWBinOpOr: return LLVMBuildOr(s->builder, old, v, "");
    case LLVMAtomicRMWBinOpXor: return LLVMBuildXor(s->builder, old, v, "");
    case LLVMAtomicRMWBinOpMax: return choose(s, LLVMIntSGT, old, v);
    case LLVMAtomicRMWBinOpMin: return choose(s, LLVMIntSLT, old, v);
    case LLVMAtomicRMWBinOpUMax: return choose(s, LLVMIntUGT, old, v);
    case LLVMAtomicRMWBinOpUMin: return choose(s, LLVMIntULT, old, v);
    case LLVMAtomicRMWBinOpFAdd: return LLVMBuildFAdd(s->builder, old, v, "");
    case LLVMAtomicRMWBinOpFSub: return LLVMBuildFSub(s->builder, old, v, "");
    default: return NULL;
    }
}

/* True if it is in shared memory, and new_value has a form for it. */
static bool has_plain_form(LLVMValueRef i)
{
    const LLVMAtomicRMWBinOp op = LLVMGetAtomicRMWBinOp(i);
    return lw__ir_is_shared(lw__ir_object(LLVMGetOperand(i, 0))) && op != LLVMAtomicRMWBinOpNand &&
           op <= LLVMAtomicRMWBinOpFSub;
}

static LLVMValueRef build_rmw(struct lw__spmd *s, LLVMValueRef i, LLVMValueRef address,
                              LLVMValueRef value)
{
    if (has_plain_form(i)) {
        LLVMValueRef old = LLVMBuildLoad2(s->builder, LLVMTypeOf(value), address, "");
        LLVMValueRef stored =
            LLVMBuildStore(s->builder, new_value(s, LLVMGetAtomicRMWBinOp(i), old, value), address);
        LLVMSetAlignment(old, LLVMGetAlignment(i));
        LLVMSetAlignment(stored, LLVMGetAlignment(i));
        LLVMSetVolatile(old, LLVMGetVolatile(i));
        LLVMSetVolatile(stored, LLVMGetVolatile(i));
        return old;
    }
    LLVMValueRef done = LLVMBuildAtomicRMW(s->builder, LLVMGetAtomicRMWBinOp(i), address, value,
                                           LLVMGetOrdering(i), LLVMIsAtomicSingleThread(i));
    LLVMSetAlignment(done, LLVMGetAlignment(i));
    LLVMSetVolatile(done, LLVMGetVolatile(i));
    return done;
}

static LLVMValueRef build_cmpxchg(struct lw__spmd *s, LLVMValueRef i, LLVMValueRef address,
                                  LLVMValueRef expected, LLVMValueRef value)
{
    LLVMValueRef done = LLVMBuildAtomicCmpXchg(
        s->builder, address, expected, value, LLVMGetCmpXchgSuccessOrdering(i),
        LLVMGetCmpXchgFailureOrdering(i), LLVMIsAtomicSingleThread(i));
    LLVMSetAlignment(done, LLVMGetAlignment(i));
    LLVMSetVolatile(done, LLVMGetVolatile(i));
    LLVMSetWeak(done, LLVMGetWeak(i));
    return done;
}

/* ---- lane after lane ------------------------------------------------------------------------- */

/* Vectors of one piece whose lanes are used one by one. They go through the stack. Lanes extracted
 * from a register one after the other come late. A processor then loads some old values before it
 * knows the addresses of earlier stores. It has to restart, and is 20 times as slow. */
enum { PARTS_MAX = 8, OPERANDS_MAX = 4, DEPTH_MAX = 6 };
struct lanes {
    struct lw__spmd *s;
    LLVMValueRef operation; /* that uses them, in the kernel */
    LLVMBasicBlockRef home; /* its block */
    uint32_t piece;
    unsigned count;
    LLVMValueRef of[PARTS_MAX], memory[PARTS_MAX];
};

static LLVMValueRef from_stack(struct lanes *n, LLVMValueRef v, uint32_t lane)
{
    struct lw__spmd *s = n->s;
    LLVMTypeRef type = LLVMTypeOf(v);
    unsigned k = 0;
    while (k < n->count && n->of[k] != v)
        k++;
    if (k == PARTS_MAX || type == s->i1) /* bits have no addresses */
        return LLVMBuildExtractElement(s->builder, lw__spmd_vector(s, v, n->piece),
                                       lw__spmd_const32(s, lane), "");
    if (k == n->count) {
        n->of[n->count++] = v;
        n->memory[k] = LLVMBuildAlloca(s->alloca_builder, lw__spmd_vector_type(s, type), "");
        LLVMSetVolatile(LLVMBuildStore(s->builder, lw__spmd_vector(s, v, n->piece), n->memory[k]),
                        true);
    }
    LLVMValueRef index = lw__spmd_const64(s, lane);
    LLVMValueRef one = LLVMBuildLoad2(
        s->builder, type, LLVMBuildGEP2(s->builder, type, n->memory[k], &index, 1, ""), "");
    LLVMSetVolatile(one, true); /* else LLVM takes it from the register */
    return one;
}

/* True if v is loaded from adjacent memory of the caller just before an operation on shared memory.
 * Then each lane loads its own element: memory is sooner available than a value through the stack
 * (a histogram of bytes: 3 times as fast on one processor). */
static bool is_at_hand(const struct lanes *n, LLVMValueRef v, int64_t *stride)
{
    struct lw__spmd *s = n->s;
    if (!LLVMIsALoadInst(v) || LLVMGetInstructionParent(v) != n->home || LLVMGetVolatile(v) ||
        LLVMGetOrdering(v) != LLVMAtomicOrderingNotAtomic || LLVMTypeOf(v) == s->i1)
        return false;
    LLVMValueRef from = LLVMGetOperand(v, 0), i = LLVMGetNextInstruction(v);
    while (i && i != n->operation && !lw__ir_may_write(i) && !LLVMIsAFenceInst(i) &&
           !lw__ir_collective(i, NULL))
        i = LLVMGetNextInstruction(i);
    return i == n->operation && LLVMIsAArgument(lw__ir_object(from)) &&
           lw__shape_piece_stride(s->facts, lw__shape_of(s->facts, from), n->piece, stride);
}

static LLVMValueRef lane_of(struct lanes *n, LLVMValueRef v, uint32_t lane, unsigned depth);

/* True for an address or a conversion whose operands each lane can compute. */
static bool is_made_here(const struct lanes *n, LLVMValueRef v)
{
    return (LLVMIsAGetElementPtrInst(v) || LLVMIsACastInst(v)) &&
           LLVMGetInstructionParent(v) == n->home && LLVMGetNumOperands(v) <= OPERANDS_MAX;
}

/* Compute v again for one lane, from the lane's operands. */
static LLVMValueRef remade(struct lanes *n, LLVMValueRef v, uint32_t lane, unsigned depth)
{
    LLVMBuilderRef b = n->s->builder;
    LLVMValueRef parts[OPERANDS_MAX];
    const unsigned count = (unsigned)LLVMGetNumOperands(v);
    for (unsigned k = 0; k < count; k++)
        parts[k] = lane_of(n, LLVMGetOperand(v, k), lane, depth + 1);
    if (LLVMIsACastInst(v))
        return LLVMBuildCast(b, LLVMGetInstructionOpcode(v), parts[0], LLVMTypeOf(v), "");
    return LLVMBuildGEP2(b, LLVMGetGEPSourceElementType(v), parts[0], parts + 1, count - 1, "");
}

static LLVMValueRef lane_of(struct lanes *n, LLVMValueRef v, uint32_t lane, unsigned depth)
{
    struct lw__spmd *s = n->s;
    if (LLVMIsConstant(v))
        return v;
    if (lw__is_uniform(s->facts, v))
        return lw__spmd_uniform(s, v);
    int64_t stride;
    if (LLVMGetTypeKind(LLVMTypeOf(v)) == LLVMIntegerTypeKind &&
        lw__shape_piece_stride(s->facts, lw__shape_of(s->facts, v), n->piece, &stride)) {
        LLVMValueRef step = LLVMConstInt(LLVMTypeOf(v), (uint64_t)(stride * lane), 1);
        return LLVMBuildAdd(s->builder, lw__spmd_base(s, v, n->piece), step, "");
    }
    if (is_at_hand(n, v, &stride)) {
        LLVMValueRef first = lw__spmd_base(s, LLVMGetOperand(v, 0), n->piece);
        LLVMValueRef at = lw__spmd_bytes_on(s, first, lw__spmd_const64(s, stride * lane));
        LLVMValueRef one = LLVMBuildLoad2(s->builder, LLVMTypeOf(v), at, "");
        LLVMSetAlignment(one, LLVMGetAlignment(v));
        return one;
    }
    return is_made_here(n, v) && depth < DEPTH_MAX ? remade(n, v, lane, depth)
                                                   : from_stack(n, v, lane);
}

/* For the only lane that runs it. */
static void lone_rmw(struct lw__spmd *s, LLVMValueRef i, const struct lw__access *a)
{
    LLVMValueRef lane = lw__spmd_const32(s, a->first), address = lw__access_single(s, a);
    LLVMValueRef value = lw__spmd_vector(s, LLVMGetOperand(i, 1), a->piece);
    value = LLVMBuildExtractElement(s->builder, value, lane, "");
    LLVMValueRef old = build_rmw(s, i, address, value),
                 none = LLVMConstNull(lw__spmd_vector_type(s, LLVMTypeOf(i)));
    lw__spmd_set_vector(s, i, a->piece, LLVMBuildInsertElement(s->builder, none, old, lane, ""));
}

static void serial_rmw(struct lw__spmd *s, LLVMValueRef i, const struct lw__access *a)
{
    struct lw__lane_operand address = lw__lane_operand(s, a->address, a->piece);
    struct lw__lane_operand value = lw__lane_operand(s, LLVMGetOperand(i, 1), a->piece);
    bool used = LLVMGetFirstUse(i);
    LLVMValueRef old = used ? LLVMConstNull(lw__spmd_vector_type(s, LLVMTypeOf(i))) : NULL;
    struct lw__lane_loop loop;
    lw__lane_keep(s, &address, 0);
    lw__lane_keep(s, &value, 1);
    lw__lane_loop_open(s, lw__access_mask(s, a), old, NULL, &loop);
    old = build_rmw(s, i, lw__lane_pick(s, address, &loop), lw__lane_pick(s, value, &loop));
    if (used)
        old = LLVMBuildInsertElement(s->builder, loop.carry[0], old, loop.lane, "");
    lw__lane_loop_close(s, &loop, used ? old : NULL, NULL);
    if (used)
        lw__spmd_set_vector(s, i, a->piece, loop.carry[0]);
}

static void serial_cmpxchg(struct lw__spmd *s, LLVMValueRef i, const struct lw__access *a)
{
    struct lw__lane_operand address = lw__lane_operand(s, a->address, a->piece);
    struct lw__lane_operand expected = lw__lane_operand(s, LLVMGetOperand(i, 1), a->piece);
    struct lw__lane_operand value = lw__lane_operand(s, LLVMGetOperand(i, 2), a->piece);
    LLVMTypeRef old_type = lw__spmd_vector_type(s, LLVMTypeOf(LLVMGetOperand(i, 1)));
    struct lw__lane_loop loop;
    lw__lane_keep(s, &address, 0);
    lw__lane_keep(s, &expected, 1);
    lw__lane_keep(s, &value, 2);
    lw__lane_loop_open(s, lw__access_mask(s, a), LLVMConstNull(old_type), lw__spmd_const64(s, 0),
                       &loop);
    LLVMValueRef done =
        build_cmpxchg(s, i, lw__lane_pick(s, address, &loop), lw__lane_pick(s, expected, &loop),
                      lw__lane_pick(s, value, &loop));
    LLVMValueRef old = LLVMBuildExtractValue(s->builder, done, 0, "");
    LLVMValueRef success = LLVMBuildExtractValue(s->builder, done, 1, "");
    old = LLVMBuildInsertElement(s->builder, loop.carry[0], old, loop.lane, "");
    /* A bit of an integer is set in one step, a lane of a mask in several. */
    success = LLVMBuildShl(s->builder, LLVMBuildZExt(s->builder, success, s->i64, ""),
                           LLVMBuildZExt(s->builder, loop.lane, s->i64, ""), "");
    success = LLVMBuildOr(s->builder, loop.carry[1], success, "");
    lw__lane_loop_close(s, &loop, old, success);
    success =
        LLVMBuildTrunc(s->builder, loop.carry[1], LLVMIntTypeInContext(s->context, s->width), "");
    success = LLVMBuildBitCast(s->builder, success, lw__spmd_vector_type(s, s->i1), "");
    lw__spmd_set_member(s, i, a->piece, 0, loop.carry[0]);
    lw__spmd_set_member(s, i, a->piece, 1, success);
}

/* No lane runs it. */
static void set_nothing(struct lw__spmd *s, LLVMValueRef i, uint32_t p)
{
    LLVMTypeRef type = LLVMTypeOf(LLVMGetOperand(i, 1));
    LLVMValueRef old = LLVMConstNull(lw__spmd_vector_type(s, type));
    if (LLVMIsAAtomicRMWInst(i)) {
        lw__spmd_set_vector(s, i, p, old);
        return;
    }
    lw__spmd_set_member(s, i, p, 0, old);
    lw__spmd_set_member(s, i, p, 1, LLVMConstNull(lw__spmd_vector_type(s, s->i1)));
}

/* ---- combined -------------------------------------------------------------------------------- */

static LLVMValueRef neutral(struct lw__spmd *s, const struct combining *c, LLVMTypeRef type)
{
    unsigned bits = LLVMGetIntTypeWidth(type);
    int64_t value = c->neutral == MIN_SIGNED   ? INT64_MIN >> (64 - bits)
                    : c->neutral == MAX_SIGNED ? INT64_MAX >> (64 - bits)
                                               : c->neutral;
    return lw__spmd_splat(s, LLVMConstInt(type, (uint64_t)value, true));
}

static LLVMValueRef combine_two(struct lw__spmd *s, const struct combining *c, LLVMValueRef x,
                                LLVMValueRef y)
{
    if (c->opcode)
        return LLVMBuildBinOp(s->builder, c->opcode, x, y, "");
    return LLVMBuildSelect(s->builder, LLVMBuildICmp(s->builder, c->keep, x, y, ""), x, y, "");
}

/* The operands of a piece's lanes; neutral for inactive lanes. */
static LLVMValueRef operands(struct lw__spmd *s, const struct combining *c, LLVMValueRef i,
                             const struct lw__access *a)
{
    LLVMValueRef v = LLVMGetOperand(i, 1), vector = lw__spmd_vector(s, v, a->piece);
    if (!a->mask && a->count == s->width)
        return vector;
    return LLVMBuildSelect(s->builder, lw__access_mask(s, a), vector, neutral(s, c, LLVMTypeOf(v)),
                           "");
}

static LLVMValueRef reduce(struct lw__spmd *s, const struct combining *c, LLVMValueRef vector)
{
    LLVMTypeRef type = LLVMTypeOf(vector);
    return lw__llvm_intrinsic(s->builder, s->module, c->reduce, &type, &vector, 1);
}

/* ---- old values of sums ---------------------------------------------------------------------- */

/* What a piece adds to a sum. */
struct addend {
    LLVMValueRef total; /* of all active lanes, a scalar; NULL: there are none */
    LLVMValueRef below; /* per lane: of the active lanes below it, a vector */
};

static bool is_sum(LLVMValueRef i)
{
    return LLVMIsAAtomicRMWInst(i) && LLVMGetFirstUse(i) &&
           LLVMGetTypeKind(LLVMTypeOf(i)) == LLVMIntegerTypeKind &&
           (LLVMGetAtomicRMWBinOp(i) == LLVMAtomicRMWBinOpAdd ||
            LLVMGetAtomicRMWBinOp(i) == LLVMAtomicRMWBinOpSub);
}

/* The sums of the lanes below each. source: Kogge & Stone, see collective/scan.c */
static LLVMValueRef sums_below(struct lw__spmd *s, LLVMValueRef v, LLVMValueRef *sums)
{
    LLVMValueRef none = LLVMConstNull(LLVMTypeOf(v)), x = v;
    for (uint32_t distance = 1; distance < s->width; distance *= 2) {
        int from[LW_LANES_MAX];
        for (uint32_t l = 0; l < s->width; l++)
            from[l] = (int)(s->width - distance + l);
        x = LLVMBuildAdd(s->builder, x, lw__spmd_shuffle(s, none, x, from, s->width), "");
    }
    *sums = x;
    return LLVMBuildSub(s->builder, x, v, "");
}

/* A uniform operand: the lanes are counted, as bytes. */
static struct addend of_uniform(struct lw__spmd *s, LLVMValueRef v, const struct lw__access *a)
{
    LLVMValueRef mask = lw__access_mask(s, a), bits = lw__mask_bits(s, mask), sums;
    LLVMTypeRef vector = lw__spmd_vector_type(s, LLVMTypeOf(v)), type = LLVMTypeOf(bits);
    struct addend made = {lw__llvm_intrinsic(s->builder, s->module, LW_LLVM_ctpop, &type, &bits, 1),
                          LLVMBuildZExt(s->builder, mask, lw__spmd_vector_type(s, s->i8), "")};
    made.total = LLVMBuildIntCast2(s->builder, made.total, LLVMTypeOf(v), false, "");
    made.total = LLVMBuildMul(s->builder, made.total, v, "");
    made.below = sums_below(s, made.below, &sums);
    made.below = LLVMBuildIntCast2(s->builder, made.below, vector, false, "");
    made.below = LLVMBuildMul(s->builder, made.below, lw__spmd_splat(s, v), "");
    return made;
}

static struct addend addend(struct lw__spmd *s, LLVMValueRef i, const struct lw__access *a)
{
    struct addend made = {NULL, NULL};
    LLVMValueRef v = LLVMGetOperand(i, 1), sums;
    if (!a->count)
        return made;
    if (lw__is_uniform(s->facts, v))
        return of_uniform(s, lw__spmd_uniform(s, v), a);
    made.below = sums_below(s, operands(s, &combinings[0], i, a), &sums);
    made.total = LLVMBuildExtractElement(s->builder, sums, lw__spmd_const32(s, s->width - 1), "");
    return made;
}

/* One operation at this address for some pieces; mask[0] is that of the first. */
static void sum_of_pieces(struct lw__spmd *s, LLVMValueRef i, LLVMValueRef address,
                          const LLVMValueRef *mask, uint32_t first, uint32_t end)
{
    const struct lw__arena_mark mark = lw__arena_mark(&s->unit->scratch);
    struct addend *of = lw__new(&s->unit->scratch, end - first, sizeof *of);
    LLVMValueRef total = NULL;
    for (uint32_t p = first; p < end; p++) {
        struct lw__access a = {.instruction = i};
        lw__access_lanes(s, LLVMGetOperand(i, 0), p, mask[p - first], &a);
        struct addend *own = &of[p - first];
        *own = addend(s, i, &a);
        if (own->total && total)
            own->below = LLVMBuildAdd(s->builder, own->below, lw__spmd_splat(s, total), "");
        if (own->total)
            total = total ? LLVMBuildAdd(s->builder, total, own->total, "") : own->total;
    }
    LLVMValueRef old = total ? lw__spmd_splat(s, build_rmw(s, i, address, total)) : NULL;
    const LLVMOpcode op = LLVMGetAtomicRMWBinOp(i) == LLVMAtomicRMWBinOpAdd ? LLVMAdd : LLVMSub;
    for (uint32_t p = first; p < end; p++)
        if (of[p - first].total)
            lw__spmd_set_vector(s, i, p,
                                LLVMBuildBinOp(s->builder, op, old, of[p - first].below, ""));
        else
            set_nothing(s, i, p);
    lw__arena_release(&s->unit->scratch, mark);
}

/* True if constants leave more than one lane of the gang that may execute it. */
static bool by_several(struct lw__spmd *s, LLVMValueRef i, lw__mask mask)
{
    uint32_t lanes = 0;
    for (uint32_t p = 0; p < s->pieces; p++) {
        struct lw__access a = {.instruction = i};
        lw__access_lanes(s, LLVMGetOperand(i, 0), p, mask[p], &a);
        lanes += a.count;
    }
    return lanes > 1;
}

/* ---- a piece; the gang ----------------------------------------------------------------------- */

/* lw__spmd_atomic - the atomicrmw or cmpxchg of one piece. */
bool lw__spmd_atomic(struct lw__spmd *s, LLVMValueRef i, uint32_t p, LLVMValueRef mask)
{
    struct lw__access a = {.instruction = i};
    lw__access_lanes(s, LLVMGetOperand(i, 0), p, mask, &a);
    if (!a.count) {
        set_nothing(s, i, p);
        return true;
    }
    const struct combining *c = combining_of(i);
    LLVMValueRef single = c ? lw__access_single(s, &a) : NULL;
    if (single) {
        build_rmw(s, i, single, reduce(s, c, operands(s, c, i, &a)));
        return true;
    }
    if (LLVMIsAAtomicRMWInst(i) && !a.mask && a.count == 1) {
        lone_rmw(s, i, &a);
        return true;
    }
    single = a.count > 1 && is_sum(i) ? lw__access_single(s, &a) : NULL;
    if (single) {
        sum_of_pieces(s, i, single, &mask, p, p + 1);
        return true;
    }
    if (a.count > 1 && !lw__spmd_is_by_one_lane(s->facts, i))
        lw__spmd_remark(s, i, LW_REMARK_SERIAL_ATOMIC,
                        "an atomic operation, one lane after the other");
    if (LLVMIsAAtomicRMWInst(i) && !a.mask && a.count == s->width && has_plain_form(i)) {
        /* Each lane of a piece, without a loop. */
        struct lanes lanes = {
            .s = s, .operation = i, .home = LLVMGetInstructionParent(i), .piece = a.piece};
        bool used = LLVMGetFirstUse(i);
        LLVMValueRef all = used ? LLVMGetPoison(lw__spmd_vector_type(s, LLVMTypeOf(i))) : NULL;
        for (uint32_t l = 0; l < s->width; l++) {
            LLVMValueRef address = lane_of(&lanes, a.address, l, 0);
            LLVMValueRef old =
                build_rmw(s, i, address, lane_of(&lanes, LLVMGetOperand(i, 1), l, 0));
            if (used)
                all = LLVMBuildInsertElement(s->builder, all, old, lw__spmd_const32(s, l), "");
        }
        if (used)
            lw__spmd_set_vector(s, i, a.piece, all);
    } else if (LLVMIsAAtomicRMWInst(i))
        serial_rmw(s, i, &a);
    else
        serial_cmpxchg(s, i, &a);
    return true;
}

/* The combined operand of all lanes of all pieces; NULL: no lane is active. */
static LLVMValueRef combined(struct lw__spmd *s, const struct combining *c, LLVMValueRef i,
                             lw__mask mask)
{
    LLVMValueRef all = NULL, v = LLVMGetOperand(i, 1);
    if (c->idempotent && lw__is_uniform(s->facts, v))
        return lw__spmd_uniform(s, v);
    for (uint32_t p = 0; p < s->pieces; p++) {
        struct lw__access a = {.instruction = i};
        lw__access_lanes(s, LLVMGetOperand(i, 0), p, mask[p], &a);
        if (!a.count)
            continue;
        LLVMValueRef vector = operands(s, c, i, &a);
        all = all ? combine_two(s, c, all, vector) : vector;
    }
    return all ? reduce(s, c, all) : NULL;
}

/* lw__spmd_atomic_uniform - the atomicrmw or cmpxchg of all pieces at a uniform address. Emitted
 * where at least one lane is active. */
bool lw__spmd_atomic_uniform(struct lw__spmd *s, LLVMValueRef i, lw__mask mask)
{
    const struct combining *c = combining_of(i);
    if (is_sum(i) && by_several(s, i, mask)) {
        sum_of_pieces(s, i, lw__spmd_uniform(s, LLVMGetOperand(i, 0)), mask, 0, s->pieces);
        return true;
    }
    if (!c) {
        for (uint32_t p = 0; p < s->pieces; p++)
            if (!lw__spmd_atomic(s, i, p, mask[p]))
                return false;
        return true;
    }
    LLVMValueRef value = combined(s, c, i, mask);
    if (value)
        build_rmw(s, i, lw__spmd_uniform(s, LLVMGetOperand(i, 0)), value);
    return true;
}
