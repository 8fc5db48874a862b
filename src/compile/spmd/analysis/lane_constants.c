/* lane_constants.c - values that are constants of each thread.
 *
 * thread_idx, lane_id and warp_id are known when the block's dimensions are. So is what is computed
 * from them and constants only: an integer instruction with known operands is evaluated here for
 * every thread of the block. What C leaves undefined becomes 0.
 */
#include "compile/spmd/analysis/analysis.h"
#include <assert.h>
#include <string.h>

int64_t *lw__lanes_new(const struct lw__facts *facts)
{
    return lw__new(&facts->config.unit->scratch, facts->config.threads, sizeof(int64_t));
}

int64_t lw__lanes_wrap(int64_t value, unsigned bits)
{
    if (bits == 1)
        return value & 1;
    if (bits >= 64)
        return value;
    unsigned shift = 64 - bits;
    return (int64_t)((uint64_t)value << shift) >> shift;
}

/* One operand: its value for thread t. */
struct operand {
    const int64_t *lanes; /* NULL: the constant */
    int64_t constant;
    unsigned bits;
};

static int64_t at(const struct operand *o, uint32_t t)
{
    return o->lanes ? o->lanes[t] : o->constant;
}

static uint64_t unsigned_of(int64_t v, unsigned bits)
{
    return bits >= 64 ? (uint64_t)v : (uint64_t)v & ((UINT64_C(1) << bits) - 1);
}

static bool integer_bits(LLVMTypeRef type, unsigned *bits)
{
    if (LLVMGetTypeKind(type) != LLVMIntegerTypeKind)
        return false;
    *bits = LLVMGetIntTypeWidth(type);
    return *bits <= 64;
}

static bool known_operand(struct lw__facts *facts, LLVMValueRef v, struct operand *o)
{
    if (!integer_bits(LLVMTypeOf(v), &o->bits))
        return false;
    o->lanes = NULL;
    if (LLVMIsAConstantInt(v)) {
        o->constant = lw__lanes_wrap((int64_t)LLVMConstIntGetZExtValue(v), o->bits);
        return true;
    }
    struct lw__value_shape shape = lw__shape_of(facts, v);
    o->lanes = shape.lanes;
    return shape.kind == LW_SHAPE_OFFSET && shape.known && shape.lanes;
}

static int64_t divide(LLVMOpcode op, int64_t a, int64_t b, unsigned bits)
{
    uint64_t ua = unsigned_of(a, bits), ub = unsigned_of(b, bits);
    if (!ub)
        return 0;
    if (op == LLVMUDiv)
        return (int64_t)(ua / ub);
    if (op == LLVMURem)
        return (int64_t)(ua % ub);
    if (b == -1)
        return op == LLVMSDiv ? (int64_t)-(uint64_t)a : 0;
    return op == LLVMSDiv ? a / b : a % b;
}

static int64_t shift(LLVMOpcode op, int64_t a, int64_t b, unsigned bits)
{
    uint64_t n = unsigned_of(b, bits);
    if (n >= bits)
        return 0;
    if (op == LLVMShl)
        return (int64_t)((uint64_t)a << n);
    return op == LLVMLShr ? (int64_t)(unsigned_of(a, bits) >> n) : a >> n;
}

static bool binary(LLVMOpcode op, int64_t a, int64_t b, unsigned bits, int64_t *r)
{
    switch (op) {
    case LLVMAdd: *r = (int64_t)((uint64_t)a + (uint64_t)b); return true;
    case LLVMSub: *r = (int64_t)((uint64_t)a - (uint64_t)b); return true;
    case LLVMMul: *r = (int64_t)((uint64_t)a * (uint64_t)b); return true;
    case LLVMAnd: *r = a & b; return true;
    case LLVMOr: *r = a | b; return true;
    case LLVMXor: *r = a ^ b; return true;
    case LLVMShl:
    case LLVMLShr:
    case LLVMAShr: *r = shift(op, a, b, bits); return true;
    case LLVMUDiv:
    case LLVMURem:
    case LLVMSDiv:
    case LLVMSRem: *r = divide(op, a, b, bits); return true;
    default: return false;
    }
}

static bool compare(LLVMIntPredicate p, int64_t a, int64_t b, unsigned bits)
{
    uint64_t ua = unsigned_of(a, bits), ub = unsigned_of(b, bits);
    if (bits == 1) /* as a signed number, true is -1 */
        a = -a, b = -b;
    switch (p) {
    case LLVMIntEQ: return ua == ub;
    case LLVMIntNE: return ua != ub;
    case LLVMIntUGT: return ua > ub;
    case LLVMIntUGE: return ua >= ub;
    case LLVMIntULT: return ua < ub;
    case LLVMIntULE: return ua <= ub;
    case LLVMIntSGT: return a > b;
    case LLVMIntSGE: return a >= b;
    case LLVMIntSLT: return a < b;
    case LLVMIntSLE: return a <= b;
    }
    return false;
}

static bool evaluate(LLVMValueRef i, const struct operand *o, uint32_t t, unsigned bits, int64_t *r)
{
    LLVMOpcode op = LLVMGetInstructionOpcode(i);
    switch (op) {
    case LLVMICmp:
        *r = compare(LLVMGetICmpPredicate(i), at(&o[0], t), at(&o[1], t), o->bits);
        break;
    case LLVMSelect: *r = at(&o[0], t) ? at(&o[1], t) : at(&o[2], t); break;
    case LLVMTrunc:
    case LLVMFreeze: *r = at(&o[0], t); break;
    case LLVMZExt: *r = (int64_t)unsigned_of(at(&o[0], t), o->bits); break;
    case LLVMSExt: *r = o->bits == 1 ? -at(&o[0], t) : at(&o[0], t); break;
    default:
        if (!LLVMIsABinaryOperator(i) || !binary(op, at(&o[0], t), at(&o[1], t), bits, r))
            return false;
    }
    *r = lw__lanes_wrap(*r, bits);
    return true;
}

bool lw__lanes_evaluate(struct lw__facts *facts, LLVMValueRef i, struct lw__value_shape *shape)
{
    struct operand o[3];
    int n = LLVMGetNumOperands(i);
    unsigned bits;
    if (n < 1 || n > 3 || LLVMIsACallInst(i) || LLVMIsAPHINode(i) ||
        !integer_bits(LLVMTypeOf(i), &bits))
        return false;
    for (int k = 0; k < n; k++)
        if (!known_operand(facts, LLVMGetOperand(i, (unsigned)k), &o[k]))
            return false;
    int64_t first;
    if (!evaluate(i, o, 0, bits, &first))
        return false;
    int64_t *lanes = lw__lanes_new(facts);
    *shape = (struct lw__value_shape){
        .kind = LW_SHAPE_OFFSET, .known = true, .nsw = true, .nuw = true, .lanes = lanes};
    for (uint32_t t = 0; t < facts->config.threads; t++) {
        evaluate(i, o, t, bits, &lanes[t]);
        shape->nuw &= (lanes[t] < 0) == (lanes[0] < 0); /* else they are far apart as unsigned
                                                         * numbers */
    }
    *shape = lw__shape_with_low(*shape, (uint64_t)lanes[0], bits);
    return true;
}

/* An index that varies within the block. */
struct index {
    enum lw__thread_index kind;
    unsigned axis;
};

/* The value that thread t of the block has. */
static int64_t value_of(const struct lw__facts *facts, struct index index, uint32_t t)
{
    const uint32_t row = t / facts->config.dim[0];
    assert(row < facts->config.dim[1] * facts->config.dim[2]);
    if (index.kind != LW_INDEX_thread_idx)
        return index.kind == LW_INDEX_lane_id ? t % 32 : t / 32;
    switch (index.axis) {
    case 0: return t % facts->config.dim[0];
    case 1: return row % facts->config.dim[1];
    default: return row / facts->config.dim[1];
    }
}

/* True if in every gang that runs this code the lanes have the same distances from its first. */
static bool is_regular(const struct lw__facts *facts, struct index index, const int64_t *lanes)
{
    for (uint32_t g = facts->config.first_gang + 1; g < facts->config.end_gang; g++)
        for (uint32_t t = 0; t < facts->config.threads; t++)
            if (value_of(facts, index, g * facts->config.gang_threads + t) -
                    value_of(facts, index, g * facts->config.gang_threads) !=
                lanes[t] - lanes[0])
                return false;
    return true;
}

/* How many low bits the first threads of all gangs that run this code have in common. */
static unsigned common_bits(const struct lw__facts *facts, struct index index)
{
    const uint64_t first =
        (uint64_t)value_of(facts, index, facts->config.first_gang * facts->config.gang_threads);
    uint64_t differ = 0;
    for (uint32_t g = facts->config.first_gang + 1; g < facts->config.end_gang; g++)
        differ |= first ^ (uint64_t)value_of(facts, index, g * facts->config.gang_threads);
    return differ ? (unsigned)__builtin_ctzll(differ) : 32;
}

/* lw__lanes_thread_index - the value of lw.thread_idx.* and its like, for each thread. It is known
 * if the gang's position is. */
bool lw__lanes_thread_index(struct lw__facts *facts, const char *name,
                            struct lw__value_shape *shape)
{
    struct index index;
    index.kind = lw__ir_thread_index(name, &index.axis);
    if (!lw__ir_index_varies(index.kind))
        return false;
    int64_t *lanes = lw__lanes_new(facts);
    for (uint32_t t = 0; t < facts->config.threads; t++)
        lanes[t] =
            value_of(facts, index, facts->config.first_gang * facts->config.gang_threads + t);
    *shape = (struct lw__value_shape){
        .kind = LW_SHAPE_OFFSET, .known = true, .nsw = true, .nuw = true, .lanes = lanes};
    *shape = lw__shape_with_low(*shape, (uint64_t)lanes[0], common_bits(facts, index));
    if (facts->config.end_gang - facts->config.first_gang == 1 ||
        (index.kind == LW_INDEX_lane_id && facts->config.gang_threads % 32 == 0))
        return true;
    shape->known = false;
    if (!is_regular(facts, index, lanes))
        *shape = (struct lw__value_shape){.kind = LW_SHAPE_VARYING};
    for (uint32_t t = facts->config.threads; shape->lanes && t-- > 0;) {
        lanes[t] -= lanes[0];
        shape->nuw &= lanes[t] >= 0;
    }
    return true;
}
