/* expand_memcpy.c - copies of structs become loads and stores.
 *
 * clang copies a struct with llvm.memcpy and clears one with llvm.memset. SROA resolves copies
 * between private variables; the rest of those are expanded after it. Copies to or from other
 * memory become one load and store per member here. The widening makes vectors of them as of any
 * other access.
 */
#include "compile/ir/ir.h"
#include "compile/llvm/llvm.h"
#include <string.h>

enum { PARTS_MAX = 32, PRIVATE_PARTS_MAX = 64, PART_BYTES_MAX = 8 };

/* The thread's private variable that the pointer is into, or NULL. */
static LLVMValueRef private_variable(LLVMValueRef pointer)
{
    while (pointer && LLVMIsAGetElementPtrInst(pointer))
        pointer = LLVMGetOperand(pointer, 0);
    return pointer && LLVMIsAAllocaInst(pointer) ? pointer : NULL;
}

/* Bytes of an element of an array of scalars; PART_BYTES_MAX for other variables. */
static uint64_t element_bytes(LLVMValueRef variable)
{
    LLVMTypeRef type = LLVMGetAllocatedType(variable);
    LLVMTargetDataRef data = LLVMGetModuleDataLayout(
        LLVMGetGlobalParent(LLVMGetBasicBlockParent(LLVMGetInstructionParent(variable))));
    while (LLVMGetTypeKind(type) == LLVMArrayTypeKind)
        type = LLVMGetElementType(type);
    uint64_t bytes = LLVMABISizeOfType(data, type);
    return LLVMGetTypeKind(type) == LLVMStructTypeKind || bytes > PART_BYTES_MAX ? PART_BYTES_MAX
                                                                                 : bytes;
}

static uint64_t align_of(LLVMValueRef call, unsigned argument)
{
    unsigned kind = LLVMGetEnumAttributeKindForName("align", 5);
    LLVMAttributeRef align = LLVMGetCallSiteEnumAttribute(call, argument + 1, kind);
    return align ? LLVMGetEnumAttributeValue(align) : 1;
}

struct copy {
    LLVMValueRef call, to, from; /* from NULL: memset */
    uint64_t bytes, part;        /* part: bytes per access; the last may be smaller */
    uint64_t fill;               /* memset: the byte, in all bytes */
    uint64_t parts;
};

/* True if it is a copy or fill of known, small size that touches private variables, or only
 * others. */
static bool read_copy(LLVMValueRef i, bool of_private, struct copy *c)
{
    const char *name = lw__ir_callee(i);
    const bool fills = !strncmp(name, "llvm.memset.", 12);
    if (!fills && strncmp(name, "llvm.memcpy.", 12) && strncmp(name, "llvm.memmove.", 13))
        return false;
    LLVMValueRef source = LLVMGetOperand(i, 1), bytes = LLVMGetOperand(i, 2);
    *c = (struct copy){.call = i, .to = LLVMGetOperand(i, 0), .from = fills ? NULL : source};
    if (!LLVMIsAConstantInt(bytes) || (fills && !LLVMIsAConstantInt(source)) ||
        LLVMConstIntGetZExtValue(LLVMGetOperand(i, 3)))
        return false;
    LLVMValueRef own = private_variable(c->to), from = private_variable(c->from);
    if ((own || from) != of_private)
        return false;
    c->bytes = LLVMConstIntGetZExtValue(bytes);
    c->part = align_of(i, 0);
    if (fills)
        c->fill = LLVMConstIntGetZExtValue(source) * UINT64_C(0x0101010101010101);
    else if (align_of(i, 1) < c->part)
        c->part = align_of(i, 1);
    if (c->part > PART_BYTES_MAX)
        c->part = PART_BYTES_MAX;
    if (own && element_bytes(own) < c->part)
        c->part = element_bytes(own);
    if (from && element_bytes(from) < c->part)
        c->part = element_bytes(from);
    c->parts = c->bytes / c->part + (uint64_t)__builtin_popcountll(c->bytes % c->part);
    return c->parts <= (of_private ? PRIVATE_PARTS_MAX : PARTS_MAX);
}

/* The start of the part at `offset`, and the part's size. */
static uint64_t part_at(const struct copy *c, uint64_t offset)
{
    uint64_t part = c->part;
    while (part > c->bytes - offset)
        part /= 2;
    return part;
}

static LLVMValueRef place(LLVMBuilderRef b, LLVMValueRef base, uint64_t offset)
{
    LLVMContextRef context = LLVMGetTypeContext(LLVMTypeOf(base));
    LLVMValueRef index = LLVMConstInt(LLVMInt64TypeInContext(context), offset, 0);
    return offset ? LLVMBuildInBoundsGEP2(b, LLVMInt8TypeInContext(context), base, &index, 1, "")
                  : base;
}

/* All loads precede all stores: source and destination may be the same. */
static void expand(LLVMBuilderRef b, const struct copy *c)
{
    LLVMContextRef context = LLVMGetTypeContext(LLVMTypeOf(c->to));
    LLVMValueRef values[PRIVATE_PARTS_MAX];
    size_t n = 0;
    LLVMPositionBuilderBefore(b, c->call);
    for (uint64_t at = 0; at < c->bytes; at += part_at(c, at)) {
        const uint64_t part = part_at(c, at);
        LLVMTypeRef type = LLVMIntTypeInContext(context, (unsigned)part * 8);
        if (!c->from) {
            values[n++] = LLVMConstInt(type, c->fill, 0);
            continue;
        }
        values[n] = LLVMBuildLoad2(b, type, place(b, c->from, at), "");
        LLVMSetAlignment(values[n++], (unsigned)part);
    }
    n = 0;
    for (uint64_t at = 0; at < c->bytes; at += part_at(c, at))
        LLVMSetAlignment(LLVMBuildStore(b, values[n++], place(b, c->to, at)),
                         (unsigned)part_at(c, at));
    LLVMInstructionEraseFromParent(c->call);
}

void lw__ir_expand_copies(LLVMValueRef function, bool of_private)
{
    LLVMContextRef context = LLVMGetModuleContext(LLVMGetGlobalParent(function));
    LLVMBuilderRef b = LLVMCreateBuilderInContext(context);
    EACH_INSTRUCTION_OF_SAFE(i, function) {
        struct copy c;
        if (LLVMIsACallInst(i) && read_copy(i, of_private, &c))
            expand(b, &c);
    }
    LLVMDisposeBuilder(b);
}
