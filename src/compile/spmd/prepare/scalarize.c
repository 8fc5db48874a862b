/* scalarize.c - values that widening has no form for are split: pairs, integers of odd sizes in
 * memory, scalars that are bit casts of short vectors.
 *
 * cmpxchg makes a pair: the old value, and whether it has exchanged. LLVM takes pairs through phis,
 * selects and freezes, and extracts the used member at the end. Here those become phis, selects and
 * freezes of the members. Widening knows pairs only where they are made.
 *
 * If SROA takes a field out of a struct in memory, the rest may be an integer of 7 bytes. It is
 * loaded and stored as integers of 4, 2 and 1.
 *
 * A struct { _Float16 x; float y; } is passed to a helper as <4 x half>, by the host's ABI: y is
 * the bits of two halves. The scalarizer leaves that. Here the halves' bits are joined in an
 * integer, or cut out of one.
 */
#include "compile/spmd/prepare/prepare.h"
#include "compile/llvm/llvm.h"

/* Call `part` for each instruction; it may erase it. */
static void each(LLVMValueRef function, void (*part)(LLVMBuilderRef b, LLVMValueRef i))
{
    LLVMBuilderRef b =
        LLVMCreateBuilderInContext(LLVMGetModuleContext(LLVMGetGlobalParent(function)));
    EACH_INSTRUCTION_OF_SAFE(i, function)
        part(b, i);
    LLVMDisposeBuilder(b);
}

/* ---- pairs ----------------------------------------------------------------------------------- */

static void stand_before(LLVMBuilderRef b, LLVMValueRef i, LLVMValueRef where)
{
    LLVMPositionBuilderBefore(b, where);
    LLVMSetCurrentDebugLocation2(b, LLVMInstructionGetDebugLoc(i));
}

/* Member k of a select or freeze. */
static LLVMValueRef make_member(LLVMBuilderRef b, LLVMValueRef i, unsigned k)
{
    if (LLVMIsAFreezeInst(i))
        return LLVMBuildFreeze(b, LLVMBuildExtractValue(b, LLVMGetOperand(i, 0), k, ""), "");
    LLVMValueRef yes = LLVMBuildExtractValue(b, LLVMGetOperand(i, 1), k, ""),
                 no = LLVMBuildExtractValue(b, LLVMGetOperand(i, 2), k, "");
    return LLVMBuildSelect(b, LLVMGetOperand(i, 0), yes, no, "");
}

/* The incoming values of member k's phi, each at the end of its incoming block. */
static void fill_phi(LLVMBuilderRef b, LLVMValueRef phi, LLVMValueRef part, unsigned k)
{
    for (unsigned n = 0; n < LLVMCountIncoming(phi); n++) {
        LLVMBasicBlockRef from = LLVMGetIncomingBlock(phi, n);
        stand_before(b, phi, LLVMGetBasicBlockTerminator(from));
        LLVMValueRef v = LLVMBuildExtractValue(b, LLVMGetIncomingValue(phi, n), k, "");
        LLVMAddIncoming(part, &v, &from, 1);
    }
}

/* Split a pair in its members; for users of the whole, a pair is built of them. */
static void split_pair(LLVMBuilderRef b, LLVMValueRef i)
{
    LLVMTypeRef type = LLVMTypeOf(i);
    LLVMValueRef pair = LLVMGetPoison(type);
    if (LLVMGetTypeKind(type) != LLVMStructTypeKind ||
        !(LLVMIsAPHINode(i) || LLVMIsASelectInst(i) || LLVMIsAFreezeInst(i)))
        return;
    for (unsigned k = 0; k < LLVMCountStructElementTypes(type); k++) {
        stand_before(b, i, i);
        LLVMValueRef v;
        if (LLVMIsAPHINode(i)) {
            v = LLVMBuildPhi(b, LLVMStructGetTypeAtIndex(type, k), "");
            fill_phi(b, i, v, k);
            stand_before(b, i, lw__ir_first_after_phis(LLVMGetInstructionParent(i)));
        } else {
            v = make_member(b, i, k);
        }
        pair = LLVMBuildInsertValue(b, pair, v, k, "");
    }
    LLVMReplaceAllUsesWith(i, pair);
    LLVMInstructionEraseFromParent(i);
}

/* Replace an extracted member by the value that was inserted. */
static void take_member(LLVMBuilderRef b, LLVMValueRef i)
{
    (void)b;
    if (!LLVMIsAExtractValueInst(i))
        return;
    const unsigned k = *LLVMGetIndices(i);
    LLVMValueRef v = LLVMGetOperand(i, 0);
    while (LLVMIsAInsertValueInst(v) && *LLVMGetIndices(v) != k)
        v = LLVMGetOperand(v, 0);
    if (LLVMIsAInsertValueInst(v))
        LLVMReplaceAllUsesWith(i, LLVMGetOperand(v, 1));
    else
        LLVMSetOperand(i, 0, v);
}

static void drop_left_over(LLVMValueRef function)
{
    for (bool again = true; again;) {
        again = false;
        EACH_INSTRUCTION_OF_SAFE(i, function)
            if (!LLVMGetFirstUse(i) && (LLVMIsAInsertValueInst(i) || LLVMIsAExtractValueInst(i) ||
                                        LLVMIsAInsertElementInst(i) ||
                                        LLVMIsAExtractElementInst(i) || LLVMIsABitCastInst(i))) {
                LLVMInstructionEraseFromParent(i);
                again = true;
            }
    }
}

void lw__prepare_split_pairs(LLVMValueRef function)
{
    each(function, split_pair);
    each(function, take_member);
    drop_left_over(function);
}

/* ---- integers of odd sizes ------------------------------------------------------------------- */

/* The size of an integer that no instruction loads or stores, in bytes; 0 for any other. */
static unsigned odd_size(LLVMValueRef i)
{
    if (!LLVMIsALoadInst(i) && !LLVMIsAStoreInst(i))
        return 0;
    LLVMTypeRef type = LLVMTypeOf(LLVMIsAStoreInst(i) ? LLVMGetOperand(i, 0) : i);
    if (LLVMGetTypeKind(type) != LLVMIntegerTypeKind)
        return 0;
    unsigned bits = LLVMGetIntTypeWidth(type);
    bool is_odd = bits > 64 || (bits & (bits - 1));
    return is_odd && bits % 8 == 0 ? bits / 8 : 0;
}

static LLVMValueRef load_bytes(LLVMBuilderRef b, LLVMValueRef load, LLVMValueRef all, unsigned at,
                               LLVMValueRef address, LLVMTypeRef type, LLVMValueRef *access)
{
    LLVMTypeRef whole = LLVMTypeOf(load);
    *access = LLVMBuildLoad2(b, type, address, "");
    LLVMValueRef bytes = LLVMBuildZExt(b, *access, whole, "");
    if (at == 0)
        return bytes;
    bytes = LLVMBuildShl(b, bytes, LLVMConstInt(whole, 8 * at, 0), "");
    return LLVMBuildOr(b, all, bytes, "");
}

/* Little-endian, as all targets are; the largest parts first, as they are best aligned. */
static void split_integer(LLVMBuilderRef b, LLVMValueRef i)
{
    const unsigned bytes = odd_size(i);
    if (!bytes)
        return;
    LLVMContextRef context = LLVMGetTypeContext(LLVMTypeOf(i));
    LLVMTypeRef i8 = LLVMInt8TypeInContext(context), i64 = LLVMInt64TypeInContext(context);
    bool is_store = LLVMIsAStoreInst(i) != NULL;
    LLVMValueRef from = LLVMGetOperand(i, is_store), all = NULL, access;
    stand_before(b, i, i);
    for (unsigned at = 0, size = 8; at < bytes; at += size) {
        while (size > bytes - at)
            size /= 2;
        LLVMValueRef offset = LLVMConstInt(i64, at, 0);
        LLVMValueRef address = at ? LLVMBuildGEP2(b, i8, from, &offset, 1, "") : from;
        LLVMTypeRef type = LLVMIntTypeInContext(context, 8 * size);
        if (is_store) {
            LLVMValueRef v = LLVMGetOperand(i, 0);
            if (at > 0)
                v = LLVMBuildLShr(b, v, LLVMConstInt(LLVMTypeOf(v), 8 * at, 0), "");
            access = LLVMBuildStore(b, LLVMBuildTrunc(b, v, type, ""), address);
        } else {
            all = load_bytes(b, i, all, at, address, type, &access);
        }
        unsigned align = LLVMGetAlignment(i), here = at ? at & -at : align;
        LLVMSetAlignment(access, here < align ? here : align);
        LLVMSetVolatile(access, LLVMGetVolatile(i));
    }
    if (!is_store)
        LLVMReplaceAllUsesWith(i, all);
    LLVMInstructionEraseFromParent(i);
}

void lw__prepare_split_integers(LLVMValueRef function)
{
    each(function, split_integer);
}

/* ---- bit casts of vectors -------------------------------------------------------------------- */

static bool is_vector(LLVMValueRef v)
{
    return LLVMGetTypeKind(LLVMTypeOf(v)) == LLVMVectorTypeKind;
}

/* An integer type as large as all of the value, at most 64 bits; NULL: it is larger. */
static LLVMTypeRef bits_of(LLVMTargetDataRef data, LLVMTypeRef type)
{
    unsigned long long bits = LLVMSizeOfTypeInBits(data, type);
    return bits <= 64 ? LLVMIntTypeInContext(LLVMGetTypeContext(type), (unsigned)bits) : NULL;
}

/* Element k, from where it was inserted. */
static LLVMValueRef element(LLVMBuilderRef b, LLVMValueRef v, unsigned k)
{
    LLVMValueRef number =
        LLVMConstInt(LLVMInt64TypeInContext(LLVMGetTypeContext(LLVMTypeOf(v))), k, 0);
    while (LLVMIsAInsertElementInst(v)) {
        LLVMValueRef at = LLVMGetOperand(v, 2);
        if (!LLVMIsAConstantInt(at))
            break;
        if (LLVMConstIntGetZExtValue(at) == k)
            return LLVMGetOperand(v, 1);
        v = LLVMGetOperand(v, 0);
    }
    return LLVMBuildExtractElement(b, v, number, "");
}

/* A scalar that is a vector's bits. */
static LLVMValueRef join_bits(LLVMBuilderRef b, LLVMTargetDataRef data, LLVMValueRef cast)
{
    LLVMValueRef v = LLVMGetOperand(cast, 0), all = NULL;
    LLVMTypeRef whole = bits_of(data, LLVMTypeOf(cast));
    LLVMTypeRef part = bits_of(data, LLVMGetElementType(LLVMTypeOf(v)));
    for (unsigned k = 0; k < LLVMGetVectorSize(LLVMTypeOf(v)); k++) {
        LLVMValueRef bits = LLVMBuildBitCast(b, element(b, v, k), part, "");
        LLVMValueRef by = LLVMConstInt(whole, k * LLVMGetIntTypeWidth(part), 0);
        bits = LLVMBuildShl(b, LLVMBuildZExt(b, bits, whole, ""), by, "");
        all = all ? LLVMBuildOr(b, all, bits, "") : bits;
    }
    return LLVMBuildBitCast(b, all, LLVMTypeOf(cast), "");
}

/* An element of a vector that is a scalar's bits. */
static LLVMValueRef cut_bits(LLVMBuilderRef b, LLVMTargetDataRef data, LLVMValueRef extract)
{
    LLVMValueRef from = LLVMGetOperand(LLVMGetOperand(extract, 0), 0);
    LLVMTypeRef whole = bits_of(data, LLVMTypeOf(from)), part = bits_of(data, LLVMTypeOf(extract));
    uint64_t k = LLVMConstIntGetZExtValue(LLVMGetOperand(extract, 1));
    LLVMValueRef bits = LLVMBuildBitCast(b, from, whole, "");
    bits = LLVMBuildLShr(b, bits, LLVMConstInt(whole, k * LLVMGetIntTypeWidth(part), 0), "");
    return LLVMBuildBitCast(b, LLVMBuildTrunc(b, bits, part, ""), LLVMTypeOf(extract), "");
}

static bool joins_bits(LLVMTargetDataRef data, LLVMValueRef i)
{
    return LLVMIsABitCastInst(i) && is_vector(LLVMGetOperand(i, 0)) && !is_vector(i) &&
           bits_of(data, LLVMTypeOf(i));
}

static bool cuts_bits(LLVMTargetDataRef data, LLVMValueRef i)
{
    if (!LLVMIsAExtractElementInst(i) || !LLVMIsABitCastInst(LLVMGetOperand(i, 0)) ||
        !LLVMIsAConstantInt(LLVMGetOperand(i, 1)))
        return false;
    LLVMValueRef from = LLVMGetOperand(LLVMGetOperand(i, 0), 0);
    return !is_vector(from) && bits_of(data, LLVMTypeOf(from));
}

static void split_vector(LLVMBuilderRef b, LLVMValueRef i)
{
    LLVMValueRef function = LLVMGetBasicBlockParent(LLVMGetInstructionParent(i));
    LLVMTargetDataRef data = LLVMGetModuleDataLayout(LLVMGetGlobalParent(function));
    stand_before(b, i, i);
    if (joins_bits(data, i))
        LLVMReplaceAllUsesWith(i, join_bits(b, data, i));
    else if (cuts_bits(data, i))
        LLVMReplaceAllUsesWith(i, cut_bits(b, data, i));
}

void lw__prepare_split_vectors(LLVMValueRef function)
{
    each(function, split_vector);
    drop_left_over(function);
}
