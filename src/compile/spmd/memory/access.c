/* access.c - loads and stores of the lanes of a piece.
 *
 * The lanes' addresses decide the code:
 *     all the same                 one scalar access; under a mask that may be empty, to s->dummy
 *                                  if it is
 *     interleaved fields           whole vectors, deinterleaved (interleave.c)
 *     constant distances, close    vectors, permuted (strided.c)
 *     adjacent columns             several pieces together, transposed (transpose.c)
 *     rows, clamped at an edge     compared with a row (clamped.c)
 *     anything else                gather or scatter, with a remark
 *     atomic                       one lane after the other (lane_loop.c)
 *     volatile                     the same, unless it is one access a lane
 * Only memory that active lanes address is accessed, and bytes between that a permuted load skips.
 * Lanes that are masked off load zeros, never poison: masks are made of them.
 */
#include "compile/spmd/memory/memory.h"
#include "compile/spmd/analysis/analysis.h"
#include "compile/spmd/emit/emit.h"
#include <assert.h>
#include <stdio.h>
#include <string.h>

/* ---- the lanes' accesses --------------------------------------------------------------------- */

/* A constant mask tells the active lanes. Any other mask tells lanes that may be; the rest is
 * decided at run time. */
static void note_active(struct lw__spmd *s, LLVMValueRef mask, struct lw__access *a)
{
    const uint64_t may = lw__mask_may(s, mask);
    assert(!a->count);
    a->mask = mask && !LLVMIsConstant(mask) ? mask : NULL;
    for (uint32_t l = 0; l < s->width; l++) {
        a->active[l] = a->piece * s->width + l < s->threads && may >> l & 1;
        if (!a->active[l])
            continue;
        if (!a->count++)
            a->first = l;
        a->last = l;
    }
}

void lw__access_lanes(struct lw__spmd *s, LLVMValueRef address, uint32_t p, LLVMValueRef mask,
                      struct lw__access *a)
{
    assert(s->width <= LW_LANES_MAX);
    assert(p < s->pieces && a->instruction);
    a->address = address;
    a->piece = p;
    note_active(s, mask, a);
    struct lw__value_shape shape = lw__shape_of(s->facts, a->address);
    int64_t stride = 0;
    a->constant = shape.kind == LW_SHAPE_OFFSET || shape.kind == LW_SHAPE_PIECE;
    if (shape.kind == LW_SHAPE_PIECE)
        stride = shape.stride;
    const int64_t *lanes = shape.kind == LW_SHAPE_OFFSET ? shape.lanes : NULL;
    for (uint32_t l = 0; l < s->width; l++) {
        uint32_t first = a->piece * s->width, thread = first + l;
        a->distance[l] = (int64_t)(l * (uint64_t)stride);
        if (lanes && thread < s->threads)
            a->distance[l] = (int64_t)((uint64_t)lanes[thread] - (uint64_t)lanes[first]);
    }
}

static bool is_half(LLVMTypeRef type)
{
    LLVMTypeKind kind = LLVMGetTypeKind(type);
    return kind == LLVMHalfTypeKind || kind == LLVMBFloatTypeKind;
}

static bool is_movable(LLVMTypeRef type, unsigned size)
{
    LLVMTypeKind kind = LLVMGetTypeKind(type);
    if (size != 1 && size != 2 && size != 4 && size != 8)
        return false;
    if (kind == LLVMIntegerTypeKind)
        return LLVMGetIntTypeWidth(type) == 8 * size;
    return is_half(type) || kind == LLVMFloatTypeKind || kind == LLVMDoubleTypeKind ||
           kind == LLVMPointerTypeKind;
}

bool lw__access_describe(struct lw__spmd *s, LLVMValueRef i, struct lw__access *a)
{
    memset(a, 0, sizeof *a);
    bool store = LLVMIsAStoreInst(i);
    a->instruction = i;
    a->address = LLVMGetOperand(i, store);
    a->type = store ? LLVMTypeOf(LLVMGetOperand(i, 0)) : LLVMTypeOf(i);
    a->moved = is_half(a->type) ? s->i16 : a->type;
    a->size = (unsigned)LLVMABISizeOfType(s->data, a->type);
    a->align = LLVMGetAlignment(i);
    assert(a->align);
    if (a->align > a->size && lw__private_scale(s->facts, a->address) > 1)
        a->align = a->size; /* the array is; its elements are not adjacent */
    a->is_volatile = LLVMGetVolatile(i);
    a->ordering = LLVMGetOrdering(i);
    return is_movable(a->type, a->size) ||
           lw__spmd_refuse(s, i, "a load or store of a type that is no scalar of 1 to 8 bytes");
}

/* ---- values ---------------------------------------------------------------------------------- */

static LLVMValueRef cast_like(struct lw__spmd *s, LLVMValueRef v, LLVMTypeRef element)
{
    bool vector = LLVMGetTypeKind(LLVMTypeOf(v)) == LLVMVectorTypeKind;
    LLVMTypeRef to = vector ? LLVMVectorType(element, LLVMGetVectorSize(LLVMTypeOf(v))) : element;
    return LLVMTypeOf(v) == to ? v : LLVMBuildBitCast(s->builder, v, to, "");
}

/* The type of such values in the emitted code. */
static LLVMTypeRef kept_as(struct lw__spmd *s, LLVMTypeRef type)
{
    return LLVMGetElementType(lw__spmd_vector_type(s, type));
}

LLVMValueRef lw__access_moved(struct lw__spmd *s, const struct lw__access *a, LLVMValueRef v)
{
    return cast_like(s, v, a->moved);
}

LLVMValueRef lw__access_load(struct lw__spmd *s, const struct lw__access *a, LLVMValueRef address)
{
    LLVMValueRef load = LLVMBuildLoad2(s->builder, a->moved, address, "");
    LLVMSetAlignment(load, a->align);
    LLVMSetVolatile(load, a->is_volatile);
    LLVMSetOrdering(load, a->ordering);
    return load;
}

void lw__access_store(struct lw__spmd *s, const struct lw__access *a, LLVMValueRef value,
                      LLVMValueRef address)
{
    LLVMValueRef store = LLVMBuildStore(s->builder, lw__access_moved(s, a, value), address);
    LLVMSetAlignment(store, a->align);
    LLVMSetVolatile(store, a->is_volatile);
    LLVMSetOrdering(store, a->ordering);
}

LLVMValueRef lw__spmd_bytes_on(struct lw__spmd *s, LLVMValueRef base, LLVMValueRef bytes)
{
    return LLVMBuildGEP2(s->builder, s->i8, base, &bytes, 1, "");
}

LLVMValueRef lw__access_mask(struct lw__spmd *s, const struct lw__access *a)
{
    int64_t lanes[LW_LANES_MAX];
    if (a->mask)
        return a->mask;
    for (uint32_t l = 0; l < s->width; l++)
        lanes[l] = a->active[l];
    return lw__spmd_const_lanes(s, s->i1, lanes);
}

/* ---- one address ----------------------------------------------------------------------------- */

LLVMValueRef lw__access_single(struct lw__spmd *s, const struct lw__access *a)
{
    assert(a->count && a->active[a->first] && a->active[a->last]);
    for (uint32_t l = a->first; l <= a->last; l++)
        if (a->active[l] && a->count > 1 &&
            (!a->constant || a->distance[l] != a->distance[a->first]))
            return NULL;
    LLVMValueRef address;
    if (a->constant) {
        address = lw__spmd_base(s, a->address, a->piece);
        if (a->distance[a->first])
            address = lw__spmd_bytes_on(s, address, lw__spmd_const64(s, a->distance[a->first]));
    } else {
        address = LLVMBuildExtractElement(s->builder, lw__spmd_vector(s, a->address, a->piece),
                                          lw__spmd_const32(s, a->first), "");
    }
    if (!a->mask)
        return address;
    LLVMValueRef any = lw__mask_piece_any(s, a->mask);
    return LLVMBuildSelect(s->builder, any, address, s->dummy, "");
}

LLVMValueRef lw__access_last(struct lw__spmd *s, const struct lw__access *a, LLVMValueRef v)
{
    if (lw__is_same_in_piece(s->facts, v, a->piece))
        return lw__access_moved(s, a, lw__spmd_base(s, v, a->piece));
    LLVMValueRef vector = lw__access_moved(s, a, lw__spmd_vector(s, v, a->piece));
    LLVMValueRef lane = lw__spmd_const32(s, a->last);
    assert(a->count);
    if (a->mask && a->count > 1) {
        /* set bit 0 for an empty mask: any lane will do */
        LLVMValueRef bits = LLVMBuildZExt(s->builder, lw__mask_bits(s, a->mask), s->i64, "");
        bits = LLVMBuildOr(s->builder, bits, lw__spmd_const64(s, 1), "");
        LLVMValueRef args[2] = {bits, LLVMConstInt(s->i1, 1, false)};
        LLVMValueRef zeros =
            lw__llvm_intrinsic(s->builder, s->module, LW_LLVM_ctlz, &s->i64, args, 2);
        lane = LLVMBuildSub(s->builder, lw__spmd_const64(s, 63), zeros, "");
    }
    return LLVMBuildExtractElement(s->builder, vector, lane, "");
}

/* ---- gather and scatter ---------------------------------------------------------------------- */

static LLVMValueRef pointers(struct lw__spmd *s, const struct lw__access *a)
{
    if (!a->constant)
        return lw__spmd_vector(s, a->address, a->piece);
    return lw__spmd_bytes_on(s, lw__spmd_base(s, a->address, a->piece),
                             lw__spmd_const_lanes(s, s->i64, a->distance));
}

/* The pointers and the mask of a gather or scatter. On a machine without them, LLVM makes a branch
 * per lane of a mask. An unmasked one in which masked-off lanes use s->dummy has no branches. */
static void many_addresses(struct lw__spmd *s, const struct lw__access *a, LLVMValueRef *where,
                           LLVMValueRef *mask)
{
    *where = pointers(s, a);
    *mask = lw__access_mask(s, a);
    if (a->mask && a->count < s->width) { /* see lw__cpu_hide_half_masks */
        int64_t there[LW_LANES_MAX];
        for (uint32_t l = 0; l < s->width; l++)
            there[l] = a->active[l];
        *where = LLVMBuildSelect(s->builder, lw__spmd_const_lanes(s, s->i1, there), *where,
                                 lw__spmd_splat(s, s->dummy), "");
    }
    if (!a->mask || (lw__has(s->unit, LW_HAS_MASK_REGISTERS) && a->size >= 4))
        return;
    *where = LLVMBuildSelect(s->builder, a->mask, *where, lw__spmd_splat(s, s->dummy), "");
    *mask = LLVMConstAllOnes(lw__spmd_vector_type(s, s->i1));
}

/* The factor of all lanes, as an integer type of that many bytes; NULL: an access has no such
 * scale. */
static LLVMTypeRef scale_of(struct lw__spmd *s, LLVMValueRef factors)
{
    LLVMValueRef first = LLVMIsConstant(factors) ? LLVMGetAggregateElement(factors, 0) : NULL;
    if (!first || !LLVMIsAConstantInt(first) || factors != lw__spmd_splat(s, first))
        return NULL;
    switch (LLVMConstIntGetZExtValue(first)) {
    case 1: return s->i8;
    case 2: return s->i16;
    case 4: return s->i32;
    case 8: return s->i64;
    default: return NULL;
    }
}

/* The same addresses with signed 32-bit indices, if they are of elements with such ones or with
 * unsigned ones: an instruction takes sixteen of these, but eight of 64 bits. Unsigned ones become
 * signed by a base 2^31 elements further. Constant offsets go to the base. Built where the access
 * is, since the code generator sees no other block. */
static LLVMValueRef by_short_numbers(struct lw__spmd *s, LLVMValueRef where)
{
    LLVMValueRef from = where, number = NULL;
    int64_t offset = 0;
    while (LLVMIsAGetElementPtrInst(from) && LLVMGetGEPSourceElementType(from) == s->i8 &&
           LLVMTypeOf(LLVMGetOperand(from, 0)) != s->ptr) {
        LLVMValueRef more = LLVMGetOperand(from, 1);
        if (LLVMIsConstant(more) && LLVMGetTypeKind(LLVMTypeOf(more)) == LLVMVectorTypeKind)
            more = LLVMGetAggregateElement(more, 0);
        if (!LLVMIsAConstantInt(more) || (LLVMTypeOf(LLVMGetOperand(from, 1)) != LLVMTypeOf(more) &&
                                          LLVMGetOperand(from, 1) != lw__spmd_splat(s, more)))
            return where;
        offset += LLVMConstIntGetSExtValue(more);
        from = LLVMGetOperand(from, 0);
    }
    if (!lw__has(s->unit, LW_HAS_SHORT_INDICES) || !LLVMIsAGetElementPtrInst(from) ||
        LLVMGetGEPSourceElementType(from) != s->i8)
        return where;
    LLVMValueRef base = LLVMGetOperand(from, 0), wide = LLVMGetOperand(from, 1);
    LLVMTypeRef scale = s->i8, type = LLVMTypeOf(wide);
    if (LLVMIsAInstruction(wide) && LLVMGetInstructionOpcode(wide) == LLVMMul) {
        scale = scale_of(s, LLVMGetOperand(wide, 1));
        wide = LLVMGetOperand(wide, 0);
    }
    if (scale && (LLVMIsAZExtInst(wide) || LLVMIsASExtInst(wide)))
        number = LLVMGetOperand(wide, 0);
    if (!number || LLVMTypeOf(number) != lw__spmd_vector_type(s, s->i32))
        return where;
    if (offset)
        base = lw__spmd_bytes_on(s, base, lw__spmd_const64(s, offset));
    if (LLVMIsAZExtInst(wide)) {
        LLVMValueRef half = lw__spmd_const64(s, INT64_C(1) << 31),
                     sign = lw__spmd_splat(s, lw__spmd_const32(s, INT32_MIN));
        base = LLVMBuildGEP2(s->builder, scale, base, &half, 1, "");
        number = LLVMBuildXor(s->builder, number, sign, "");
    }
    number = LLVMBuildSExt(s->builder, number, type, "");
    return LLVMBuildGEP2(s->builder, scale, base, &number, 1, "");
}

static void remark_distance(struct lw__spmd *s, const struct lw__access *a)
{
    struct lw__value_shape shape = lw__shape_of(s->facts, a->address);
    char why[96] = "the lanes' addresses are constants apart that form no row";
    if (a->constant && lw__access_has_windows(s, a))
        return; /* only since this level has no masked vectors */
    int64_t stride;
    if (!a->constant)
        snprintf(why, sizeof why, "the index differs from lane to lane by no constant");
    else if (lw__shape_piece_stride(s->facts, shape, a->piece, &stride))
        snprintf(why, sizeof why, "lanes are %lld bytes apart", (long long)stride);
    const bool loads = LLVMIsALoadInst(a->instruction);
    lw__spmd_remark(s, a->instruction,
                    a->constant ? loads ? LW_REMARK_GATHER_BY_STRIDE : LW_REMARK_SCATTER_BY_STRIDE
                    : loads     ? LW_REMARK_GATHER_BY_DATA
                                : LW_REMARK_SCATTER_BY_DATA,
                    why);
}

/* A gather or scatter is slow even if no lane runs it: then a branch skips it. */
struct skip {
    LLVMBasicBlockRef from, behind; /* NULL: some lane always runs it */
};

static struct skip skip_open(struct lw__spmd *s, const struct lw__access *a)
{
    struct skip k = {NULL, NULL};
    if (!a->mask || LLVMIsConstant(a->mask))
        return k;
    LLVMBasicBlockRef some = lw__builder_new_block(s, "some");
    k.from = LLVMGetInsertBlock(s->builder);
    k.behind = lw__builder_new_block(s, "");
    LLVMBuildCondBr(s->builder, lw__mask_piece_any(s, a->mask), some, k.behind);
    LLVMPositionBuilderAtEnd(s->builder, some);
    return k;
}

/* The loaded value, or anything; loaded: NULL if nothing was loaded. */
static LLVMValueRef skip_close(struct lw__spmd *s, struct skip k, LLVMValueRef loaded)
{
    if (!k.behind)
        return loaded;
    LLVMBasicBlockRef some = LLVMGetInsertBlock(s->builder);
    LLVMBuildBr(s->builder, k.behind);
    LLVMPositionBuilderAtEnd(s->builder, k.behind);
    if (!loaded)
        return NULL;
    LLVMValueRef values[2] = {LLVMConstNull(LLVMTypeOf(loaded)), loaded};
    LLVMValueRef phi = LLVMBuildPhi(s->builder, LLVMTypeOf(loaded), "");
    LLVMAddIncoming(phi, values, (LLVMBasicBlockRef[]){k.from, some}, 2);
    return phi;
}

static LLVMValueRef gather(struct lw__spmd *s, const struct lw__access *a)
{
    LLVMValueRef where, mask;
    many_addresses(s, a, &where, &mask);
    LLVMTypeRef vector = lw__spmd_vector_type(s, a->moved);
    LLVMTypeRef types[2] = {vector, LLVMTypeOf(where)};
    LLVMValueRef args[4] = {where, lw__spmd_const32(s, a->align), mask, LLVMConstNull(vector)};
    remark_distance(s, a);
    struct skip skip = skip_open(s, a);
    args[0] = by_short_numbers(s, where);
    return skip_close(
        s, skip, lw__llvm_intrinsic(s->builder, s->module, LW_LLVM_masked_gather, types, args, 4));
}

/* For lanes at one address, the scatter writes from the first to the last. */
static void scatter(struct lw__spmd *s, const struct lw__access *a, LLVMValueRef value)
{
    LLVMValueRef where, mask;
    many_addresses(s, a, &where, &mask);
    LLVMTypeRef types[2] = {LLVMTypeOf(value), LLVMTypeOf(where)};
    LLVMValueRef args[4] = {value, where, lw__spmd_const32(s, a->align), mask};
    struct lw__pack pack;
    const bool packs = lw__pack_open(s, a, value, &pack);
    if (!packs)
        remark_distance(s, a);
    struct skip skip = skip_open(s, a);
    args[1] = by_short_numbers(s, where);
    lw__llvm_intrinsic(s->builder, s->module, LW_LLVM_masked_scatter, types, args, 4);
    skip_close(s, skip, NULL);
    if (packs)
        lw__pack_close(s, &pack);
}

/* ---- private memory -------------------------------------------------------------------------- */

/* True if the lanes access one element of a private array, lane l at l elements. Some lane of the
 * gang is active. So this row of all threads' copies exists, and no other thread accesses it. Then
 * the whole row is loaded and stored. On most levels masked accesses of small elements are a branch
 * per lane. A masked store does not forward to the next load. */
static bool is_own_row(const struct lw__spmd *s, const struct lw__access *a)
{
    const struct lw__value_shape shape = lw__shape_of(s->facts, a->address);
    if (shape.kind != LW_SHAPE_OFFSET || !shape.lanes || a->is_volatile)
        return false;
    for (uint32_t t = 0; t < s->threads; t++)
        if (shape.lanes[t] != (int64_t)t * (int64_t)a->size)
            return false;
    return lw__private_scale(s->facts, a->address) > 1;
}

static LLVMValueRef load_row(struct lw__spmd *s, const struct lw__access *a, LLVMValueRef *address)
{
    *address = lw__spmd_base(s, a->address, a->piece);
    LLVMValueRef row = LLVMBuildLoad2(s->builder, LLVMVectorType(a->moved, s->width), *address, "");
    LLVMSetAlignment(row, a->size);
    return row;
}

/* ---- a piece --------------------------------------------------------------------------------- */

/* Set the result, in the form that its shape requires, from the loaded value. scalar: all lanes
 * have the same. */
static void set_result(struct lw__spmd *s, const struct lw__access *a, LLVMValueRef moved,
                       bool scalar)
{
    bool varying = lw__shape_of(s->facts, a->instruction).kind == LW_SHAPE_VARYING;
    LLVMValueRef value = scalar && varying ? lw__spmd_splat(s, moved) : moved;
    value = cast_like(s, value, kept_as(s, a->type));
    if (varying)
        lw__spmd_set_vector(s, a->instruction, a->piece, value);
    else
        lw__spmd_set_base(s, a->instruction, a->piece, value);
}

void lw__access_set(struct lw__spmd *s, const struct lw__access *a, LLVMValueRef moved)
{
    set_result(s, a, moved, false);
}

static LLVMValueRef load_vector(struct lw__spmd *s, const struct lw__access *a)
{
    LLVMValueRef value = NULL;
    if (a->ordering != LLVMAtomicOrderingNotAtomic)
        return lw__serial_load(s, a);
    if (a->mask && is_own_row(s, a)) {
        LLVMValueRef address, row = load_row(s, a, &address);
        return LLVMBuildSelect(s->builder, a->mask, row, LLVMConstNull(LLVMTypeOf(row)), "");
    }
    if (a->constant)
        value = lw__access_load_windows(s, a);
    if (!value && a->is_volatile)
        return lw__serial_load(s, a);
    if (value)
        return value;
    return lw__access_is_clamped(s, a) ? lw__clamped_load(s, a, lw__access_mask(s, a))
                                       : gather(s, a);
}

bool lw__spmd_load(struct lw__spmd *s, LLVMValueRef i, uint32_t p, LLVMValueRef mask)
{
    struct lw__access a;
    if (!lw__access_describe(s, i, &a))
        return false;
    lw__access_lanes(s, a.address, p, mask, &a);
    if (lw__access_interleaved(s, &a, mask))
        return true;
    LLVMValueRef single = a.count ? lw__access_single(s, &a) : NULL;
    if (!a.count)
        set_result(s, &a, LLVMConstNull(a.moved), true);
    else if (single)
        set_result(s, &a, lw__access_load(s, &a, single), true);
    else
        set_result(s, &a, load_vector(s, &a), false);
    return true;
}

static void store_vector(struct lw__spmd *s, const struct lw__access *a, LLVMValueRef v)
{
    if (a->ordering != LLVMAtomicOrderingNotAtomic) {
        lw__serial_store(s, a, v);
        return;
    }
    LLVMValueRef value = lw__access_moved(s, a, lw__spmd_vector(s, v, a->piece));
    if (a->mask && is_own_row(s, a)) {
        LLVMValueRef address, row = load_row(s, a, &address);
        row = LLVMBuildSelect(s->builder, a->mask, value, row, "");
        LLVMSetAlignment(LLVMBuildStore(s->builder, row, address), a->size);
    } else if (!a->constant || !lw__access_store_windows(s, a, value)) {
        if (a->is_volatile)
            lw__serial_store(s, a, v);
        else
            scatter(s, a, value);
    }
}

bool lw__spmd_store(struct lw__spmd *s, LLVMValueRef i, uint32_t p, LLVMValueRef mask)
{
    LLVMValueRef v = LLVMGetOperand(i, 0);
    struct lw__access a;
    if (!lw__access_describe(s, i, &a))
        return false;
    lw__access_lanes(s, a.address, p, mask, &a);
    if (!a.count || lw__access_interleaved(s, &a, mask))
        return true;
    LLVMValueRef single = lw__access_single(s, &a);
    if (single)
        lw__access_store(s, &a, lw__access_last(s, &a, v), single);
    else
        store_vector(s, &a, v);
    return true;
}

/* ---- the whole gang at one address ----------------------------------------------------------- */

/* Emitted where at least one lane is active, as the store is. */
bool lw__spmd_load_uniform(struct lw__spmd *s, LLVMValueRef i)
{
    struct lw__access a;
    if (!lw__access_describe(s, i, &a))
        return false;
    LLVMValueRef moved = lw__access_load(s, &a, lw__spmd_uniform(s, a.address));
    const unsigned invariant = LLVMGetMDKindIDInContext(s->context, "invariant.load", 14);
    LLVMSetMetadata(moved, invariant, LLVMGetMetadata(i, invariant));
    lw__spmd_set_uniform(s, i, cast_like(s, moved, kept_as(s, a.type)));
    return true;
}

/* The value of the last active lane of all: it is in the last piece with one. */
static LLVMValueRef last_of_gang(struct lw__spmd *s, const struct lw__access *whole, LLVMValueRef v,
                                 lw__mask mask)
{
    LLVMValueRef last[LW_SPMD_PIECES_MAX], any[LW_SPMD_PIECES_MAX];
    uint32_t p = s->pieces;
    while (p-- > 0) { /* up to a piece that surely has an active lane */
        struct lw__access a = *whole;
        a.piece = p;
        last[p] = any[p] = NULL;
        note_active(s, mask[p], &a);
        if (!a.count)
            continue;
        last[p] = lw__access_last(s, &a, v);
        if (!a.mask)
            break;
        any[p] = lw__mask_piece_any(s, a.mask);
    }
    LLVMValueRef value = NULL;
    for (p = p == UINT32_MAX ? 0 : p; p < s->pieces; p++) {
        if (!last[p])
            continue;
        value = value ? LLVMBuildSelect(s->builder, any[p], last[p], value, "") : last[p];
    }
    return value;
}

bool lw__spmd_store_uniform(struct lw__spmd *s, LLVMValueRef i, lw__mask mask)
{
    LLVMValueRef v = LLVMGetOperand(i, 0);
    struct lw__access a;
    if (!lw__access_describe(s, i, &a))
        return false;
    bool same = lw__is_uniform(s->facts, v);
    LLVMValueRef value = same ? lw__spmd_uniform(s, v) : last_of_gang(s, &a, v, mask);
    if (value) /* else no lane is active */
        lw__access_store(s, &a, value, lw__spmd_uniform(s, a.address));
    return true;
}
