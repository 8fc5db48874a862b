/* compress_store.c - stream compaction: a lane's index counts the storing lanes below it.
 *
 *     unsigned kept = ballot(keep);
 *     if (keep)
 *         out[first + popcount(kept & ((1u << lane_id()) - 1))] = mine;
 *
 * That is a scatter by its form. But if the piece's bits of `kept` are exactly the lanes that
 * store, these write consecutive elements. The elements are packed in a register and stored at
 * once. The code tests at run time whether this holds, and whether the index wraps around in
 * between. The address of the first is computed as a scalar, and so is the one after the last.
 *
 * Where the next piece, or the next block, will store is known only when it gets there. Mostly it
 * is the next address. So memory some cache lines further is prefetched. (A compaction takes a
 * tenth less: its blocks order themselves by an atomic, which waits for what was stored.)
 */
#include "compile/spmd/memory/memory.h"
#include "compile/spmd/analysis/analysis.h"
#include "compile/spmd/emit/emit.h"
#include <string.h>

enum { DEPTH_MAX = 16, SLOPE_MAX = 1 << 16, FURTHER = 1024 /* bytes */ };

/* ---- recognizing the index ------------------------------------------------------------------- */

/* True if lane l's value has the lowest n + l bits set in the piece, and no others; *below: n.
 * False: some lane has not l more than lane 0. */
static bool masks_lanes_below(const struct lw__spmd *s, LLVMValueRef v, uint32_t p, uint32_t *below)
{
    struct lw__value_shape shape = lw__shape_of(s->facts, v);
    const uint32_t first = p * s->width, end = first + s->width;
    if (shape.kind != LW_SHAPE_OFFSET || !shape.known || !shape.lanes || end > s->threads)
        return false;
    uint64_t ones = (uint64_t)shape.lanes[first];
    for (*below = 0; ones & 1; ones >>= 1)
        ++*below;
    if (*below + s->width > LLVMGetIntTypeWidth(LLVMTypeOf(v)))
        return false;
    for (uint32_t l = 0; l < s->width; l++)
        if ((uint64_t)shape.lanes[first + l] != (UINT64_C(1) << (*below + l)) - 1)
            return false;
    return true;
}

/* True if v counts the set bits below the lane's own, in a value that is uniform for the piece. */
static bool counts_below(struct lw__spmd *s, LLVMValueRef v, struct lw__pack *k)
{
    if (!lw__ir_calls(v, LW_LLVM_ctpop) || LLVMGetTypeKind(LLVMTypeOf(v)) != LLVMIntegerTypeKind ||
        LLVMGetIntTypeWidth(LLVMTypeOf(v)) < 32 || (k->rank && k->rank != v))
        return false;
    LLVMValueRef both = LLVMGetOperand(v, 0);
    if (!LLVMIsAInstruction(both) || LLVMGetInstructionOpcode(both) != LLVMAnd)
        return false;
    for (unsigned side = 0; side < 2; side++) {
        k->bits = LLVMGetOperand(both, side);
        if (lw__is_same_in_piece(s->facts, k->bits, k->piece) &&
            masks_lanes_below(s, LLVMGetOperand(both, !side), k->piece, &k->below)) {
            k->rank = v;
            return true;
        }
    }
    return false;
}

/* The slope: how much v grows if the rank grows by one, where nothing wraps around. Only one
 * operand depends on the rank, and slopes are small. So a wrapping 32-bit index wraps once in a
 * piece at most. False: unknown. */
static bool slope_of(struct lw__spmd *s, LLVMValueRef v, struct lw__pack *k, unsigned depth,
                     int64_t *slope);

static bool slope_of_address(struct lw__spmd *s, LLVMValueRef v, struct lw__pack *k, unsigned depth,
                             int64_t *slope)
{
    const int64_t size = (int64_t)LLVMABISizeOfType(s->data, LLVMGetGEPSourceElementType(v));
    int64_t base, index;
    if (LLVMGetNumOperands(v) != 2 || lw__private_scale(s->facts, v) != 1 || size > SLOPE_MAX ||
        !slope_of(s, LLVMGetOperand(v, 0), k, depth, &base) ||
        !slope_of(s, LLVMGetOperand(v, 1), k, depth, &index))
        return false;
    *slope = base + index * size;
    return !base || !index;
}

static bool slope_of_binary(struct lw__spmd *s, LLVMValueRef v, struct lw__pack *k, unsigned depth,
                            int64_t *slope)
{
    LLVMValueRef by = LLVMGetOperand(v, 1);
    int64_t a, b, c = LLVMIsAConstantInt(by) ? LLVMConstIntGetSExtValue(by) : SLOPE_MAX;
    if (!slope_of(s, LLVMGetOperand(v, 0), k, depth, &a) || !slope_of(s, by, k, depth, &b))
        return false;
    switch (LLVMGetInstructionOpcode(v)) {
    case LLVMOr:
        if (!LLVMGetIsDisjoint(v))
            return false; /* else it is a sum */
        /* fallthrough */
    case LLVMAdd: *slope = a + b; return !a || !b;
    case LLVMSub: *slope = a - b; return !a || !b;
    case LLVMMul: *slope = a * c; return c > -SLOPE_MAX && c < SLOPE_MAX;
    case LLVMShl: *slope = c >= 0 && c < 16 ? a << c : 0; return c >= 0 && c < 16;
    default: return false;
    }
}

static bool slope_of(struct lw__spmd *s, LLVMValueRef v, struct lw__pack *k, unsigned depth,
                     int64_t *slope)
{
    bool found;
    *slope = 0;
    if (lw__is_same_in_piece(s->facts, v, k->piece))
        return true;
    if (!LLVMIsAInstruction(v) || depth > DEPTH_MAX)
        return false;
    if (counts_below(s, v, k)) {
        *slope = 1;
        return true;
    }
    switch (LLVMGetInstructionOpcode(v)) {
    case LLVMZExt:
    case LLVMSExt: return slope_of(s, LLVMGetOperand(v, 0), k, depth + 1, slope);
    case LLVMGetElementPtr: found = slope_of_address(s, v, k, depth + 1, slope); break;
    default: found = LLVMIsABinaryOperator(v) && slope_of_binary(s, v, k, depth + 1, slope);
    }
    return found && *slope > -SLOPE_MAX && *slope < SLOPE_MAX;
}

/* v for rank `rank`: the scalars that slope_of has followed, without overflow flags. */
static LLVMValueRef value_at(struct lw__spmd *s, LLVMValueRef v, const struct lw__pack *k,
                             LLVMValueRef rank)
{
    if (v == k->rank)
        return rank;
    if (lw__is_same_in_piece(s->facts, v, k->piece))
        return lw__spmd_base(s, v, k->piece);
    const LLVMOpcode op = LLVMGetInstructionOpcode(v);
    LLVMValueRef x = value_at(s, LLVMGetOperand(v, 0), k, rank);
    if (op == LLVMZExt || op == LLVMSExt)
        return LLVMBuildCast(s->builder, op, x, LLVMTypeOf(v), "");
    LLVMValueRef y = value_at(s, LLVMGetOperand(v, 1), k, rank);
    if (op == LLVMGetElementPtr)
        return LLVMBuildGEP2(s->builder, LLVMGetGEPSourceElementType(v), x, &y, 1, "");
    return LLVMBuildBinOp(s->builder, op == LLVMOr ? LLVMAdd : op, x, y, "");
}

/* ---- packing --------------------------------------------------------------------------------- */

/* The lowest n bits of `width`, as a mask. */
static LLVMValueRef lowest(struct lw__spmd *s, LLVMValueRef n, uint32_t width)
{
    LLVMValueRef ones = LLVMConstAllOnes(s->i32), above = LLVMBuildShl(s->builder, ones, n, "");
    LLVMValueRef bits = LLVMBuildTrunc(s->builder, LLVMBuildNot(s->builder, above, ""),
                                       LLVMIntTypeInContext(s->context, width), "");
    return LLVMBuildBitCast(s->builder, bits, LLVMVectorType(s->i1, width), "");
}

static LLVMValueRef count_of(struct lw__spmd *s, LLVMValueRef mask)
{
    LLVMTypeRef bits = LLVMIntTypeInContext(s->context, LLVMGetVectorSize(LLVMTypeOf(mask)));
    LLVMValueRef set = LLVMBuildBitCast(s->builder, mask, bits, "");
    set = LLVMBuildZExt(s->builder, set, s->i32, "");
    return lw__llvm_intrinsic(s->builder, s->module, LW_LLVM_ctpop, &s->i32, &set, 1);
}

/* x, a vector of 512 bits, without the lanes that are not in the mask. */
static LLVMValueRef packed_512(struct lw__spmd *s, LLVMValueRef x, LLVMValueRef mask)
{
    LLVMTypeRef type = LLVMTypeOf(x);
    LLVMValueRef args[] = {x, LLVMConstNull(type), mask};
    return lw__llvm_intrinsic(s->builder, s->module, LW_LLVM_compress, &type, args, 3);
}

/* For each mask of eight lanes: the packed order of the lanes, a byte each. */
static LLVMValueRef orders(struct lw__spmd *s)
{
    static const char name[] = "lw.pack.orders";
    LLVMTypeRef row = LLVMVectorType(s->i8, 8);
    LLVMValueRef table = LLVMGetNamedGlobal(s->module, name), rows[256];
    if (table)
        return table;
    for (unsigned mask = 0; mask < 256; mask++) {
        LLVMValueRef lanes[8];
        unsigned n = 0;
        for (unsigned l = 0; l < 8; l++)
            if (mask >> l & 1)
                lanes[n++] = LLVMConstInt(s->i8, l, false);
        while (n < 8)
            lanes[n++] = LLVMConstInt(s->i8, 0, false);
        rows[mask] = LLVMConstVector(lanes, 8);
    }
    LLVMValueRef all = LLVMConstArray2(row, rows, 256);
    table = LLVMAddGlobal(s->module, LLVMTypeOf(all), name);
    LLVMSetInitializer(table, all);
    LLVMSetGlobalConstant(table, true);
    LLVMSetLinkage(table, LLVMPrivateLinkage);
    return table;
}

static LLVMValueRef packed_256(struct lw__spmd *s, LLVMValueRef x, LLVMValueRef mask)
{
    LLVMTypeRef ints = LLVMVectorType(s->i32, 8), type = LLVMTypeOf(x);
    LLVMValueRef at =
        LLVMBuildZExt(s->builder, LLVMBuildBitCast(s->builder, mask, s->i8, ""), s->i64, "");
    at = LLVMBuildGEP2(s->builder, s->i64, orders(s), &at, 1, "");
    LLVMValueRef order = LLVMBuildLoad2(s->builder, LLVMVectorType(s->i8, 8), at, "");
    LLVMValueRef args[] = {LLVMBuildBitCast(s->builder, x, ints, ""),
                           LLVMBuildZExt(s->builder, order, ints, "")};
    LLVMValueRef v = lw__llvm_intrinsic(s->builder, s->module, LW_LLVM_permd, NULL, args, 2);
    return LLVMBuildBitCast(s->builder, v, type, "");
}

static void store_lowest(struct lw__spmd *s, const struct lw__access *a, LLVMValueRef v,
                         LLVMValueRef n, LLVMValueRef address)
{
    LLVMTypeRef types[2] = {LLVMTypeOf(v), s->ptr};
    LLVMValueRef mask = lowest(s, n, LLVMGetVectorSize(types[0]));
    LLVMValueRef args[4] = {v, address, lw__spmd_const32(s, a->align), mask};
    lw__llvm_intrinsic(s->builder, s->module, LW_LLVM_masked_store, types, args, 4);
}

/* The same without mask registers, where masked stores are slow. n is a sum of powers of two, and
 * each is stored at once. The elements come from memory by their number. */
static void store_powers(struct lw__spmd *s, const struct lw__access *a, LLVMValueRef v,
                         LLVMValueRef n, LLVMValueRef address)
{
    LLVMValueRef parts[8], places[8];
    unsigned count = 0;
    LLVMSetAlignment(LLVMBuildStore(s->builder, v, s->dummy), 64);
    for (uint32_t size = s->width; size; size /= 2, count++) {
        LLVMTypeRef type = LLVMVectorType(a->moved, size);
        LLVMValueRef before =
                         LLVMBuildAnd(s->builder, n, lw__spmd_const32(s, -2 * (int64_t)size), ""),
                     has = LLVMBuildAnd(s->builder, n, lw__spmd_const32(s, size), "");
        before = LLVMBuildZExt(s->builder, before, s->i64, "");
        has = LLVMBuildICmp(s->builder, LLVMIntNE, has, lw__spmd_const32(s, 0), "");
        parts[count] = v;
        if (size < s->width) {
            LLVMValueRef from = LLVMBuildGEP2(s->builder, a->moved, s->dummy, &before, 1, "");
            parts[count] = LLVMBuildLoad2(s->builder, type, from, "");
            LLVMSetAlignment(parts[count], a->size);
        }
        LLVMValueRef to = LLVMBuildGEP2(s->builder, a->moved, address, &before, 1, "");
        places[count] = LLVMBuildSelect(s->builder, has, to, s->dummy, "");
    }
    for (unsigned k = 0; k < count; k++)
        LLVMSetAlignment(LLVMBuildStore(s->builder, parts[k], places[k]), a->align);
}

/* Elements of up to 2 bytes are packed as 4. */
static void store_packed(struct lw__spmd *s, const struct lw__pack *k, const struct lw__access *a,
                         LLVMValueRef v)
{
    LLVMTypeRef type = LLVMTypeOf(v);
    LLVMValueRef mask = lw__access_mask(s, a);
    if (a->size == 8) {
        if (LLVMGetTypeKind(a->moved) == LLVMPointerTypeKind)
            v = LLVMBuildPtrToInt(s->builder, v, lw__spmd_vector_type(s, s->i64), "");
        /* Elements of 8 bytes: a piece is two vectors. */
        LLVMValueRef address = k->first;
        for (uint32_t h = 0; h < 2; h++) {
            int from[LW_LANES_MAX];
            for (uint32_t l = 0; l < s->width / 2; l++)
                from[l] = (int)(h * s->width / 2 + l);
            LLVMValueRef some = lw__spmd_shuffle(s, mask, mask, from, s->width / 2),
                         half = lw__spmd_shuffle(s, v, v, from, s->width / 2),
                         n = count_of(s, some);
            store_lowest(s, a, packed_512(s, half, some), n, address);
            address = LLVMBuildGEP2(s->builder, a->moved, address, &n, 1, "");
        }
        return;
    }
    if (a->size < 4)
        v = LLVMBuildZExt(s->builder, v, lw__spmd_vector_type(s, s->i32), "");
    if (!lw__has(s->unit, LW_HAS_COMPRESS)) {
        store_powers(s, a, packed_256(s, v, mask), k->count, k->first);
        return;
    }
    v = packed_512(s, v, mask);
    if (a->size < 4)
        v = LLVMBuildTrunc(s->builder, v, type, "");
    store_lowest(s, a, v, k->count, k->first);
}

static bool can_pack(const struct lw__spmd *s, const struct lw__access *a)
{
    return !a->is_volatile && a->ordering == LLVMAtomicOrderingNotAtomic &&
           (lw__has(s->unit, LW_HAS_COMPRESS) || (lw__has(s->unit, LW_HAS_PERMD) && a->size == 4));
}

/* I1: the value's bits of the piece are those of the storing lanes, and the index does not wrap.
 * The latter holds if the address after the last has the right distance from the first. */
static LLVMValueRef leaves_no_gap(struct lw__spmd *s, const struct lw__access *a,
                                  struct lw__pack *k)
{
    LLVMTypeRef type = LLVMTypeOf(k->rank), bits = LLVMIntTypeInContext(s->context, s->width);
    LLVMValueRef all = lw__spmd_base(s, k->bits, a->piece), mask = lw__access_mask(s, a);
    LLVMValueRef below = LLVMConstInt(type, (UINT64_C(1) << k->below) - 1, false);
    below = LLVMBuildAnd(s->builder, all, below, "");
    LLVMValueRef rank = lw__llvm_intrinsic(s->builder, s->module, LW_LLVM_ctpop, &type, &below, 1);
    k->count = count_of(s, mask);
    LLVMValueRef first = value_at(s, a->address, k, rank);
    LLVMValueRef behind = LLVMBuildZExt(s->builder, k->count, type, "");
    behind = value_at(s, a->address, k, LLVMBuildAdd(s->builder, rank, behind, ""));
    LLVMValueRef place = LLVMBuildLShr(s->builder, all, LLVMConstInt(type, k->below, false), "");
    LLVMValueRef same =
        LLVMBuildICmp(s->builder, LLVMIntEQ, LLVMBuildTrunc(s->builder, place, bits, ""),
                      LLVMBuildBitCast(s->builder, mask, bits, ""), "");
    LLVMValueRef row = LLVMBuildGEP2(s->builder, a->moved, first, &k->count, 1, "");
    LLVMValueRef some = LLVMBuildICmp(s->builder, LLVMIntNE, k->count, lw__spmd_const32(s, 0), "");
    k->first = a->mask ? LLVMBuildSelect(s->builder, some, first, s->dummy, "") : first;
    return LLVMBuildAnd(s->builder, same, LLVMBuildICmp(s->builder, LLVMIntEQ, row, behind, ""),
                        "");
}

bool lw__pack_open(struct lw__spmd *s, const struct lw__access *a, LLVMValueRef value,
                   struct lw__pack *k)
{
    *k = (struct lw__pack){.piece = a->piece};
    int64_t slope;
    if (!can_pack(s, a) || !slope_of(s, a->address, k, 0, &slope) || !k->rank ||
        slope != (int64_t)a->size)
        return false;
    LLVMBasicBlockRef packed = lw__builder_new_block(s, "packed"),
                      apart = lw__builder_new_block(s, "apart");
    k->behind = lw__builder_new_block(s, "");
    LLVMBuildCondBr(s->builder, leaves_no_gap(s, a, k), packed, apart);
    LLVMPositionBuilderAtEnd(s->builder, packed);
    LLVMValueRef further = lw__spmd_bytes_on(s, k->first, lw__spmd_const64(s, FURTHER));
    lw__llvm_prefetch(s->builder, s->module, further, LW_FIRST_CACHE);
    store_packed(s, k, a, value);
    LLVMBuildBr(s->builder, k->behind);
    LLVMPositionBuilderAtEnd(s->builder, apart);
    return true;
}

void lw__pack_close(struct lw__spmd *s, const struct lw__pack *k)
{
    LLVMBuildBr(s->builder, k->behind);
    LLVMPositionBuilderAtEnd(s->builder, k->behind);
}
