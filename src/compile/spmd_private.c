/* spmd_private.c - memory of a thread that does not fit into registers: an alloca with a variable
 * index or an address that is kept.
 *
 * Every thread's copy lies in one array of the worker's stack, or of its frame (base/cpu_abi.h).
 * Where all accesses are of one size e, element k of thread t is at (k * padded threads + t) * e,
 * so that lanes with the same index touch neighbours; offsets of addresses into it grow by that
 * factor. Otherwise the copies lie one after the other.
 */
#include "base/cpu_abi.h"
#include "compile/spmd_copy.h"
#include "compile/spmd_gang.h"
#include "compile/spmd_memory.h"
#include <string.h>

/* Bytes of a block, and what they are aligned to; what does not fit there is in the frame. */
enum { STACK_MAX = 1 << 18, STACK_ALIGN = 64 };

static uint64_t padded(const struct lw__spmd *s)
{
    return (uint64_t)s->pieces * s->width;
}

static uint64_t access_bytes(const struct lw__spmd *s, LLVMValueRef user, LLVMValueRef pointer)
{
    if (LLVMIsALoadInst(user))
        return LLVMABISizeOfType(s->data, LLVMTypeOf(user));
    if (LLVMIsAStoreInst(user) && LLVMGetOperand(user, 0) != pointer)
        return LLVMABISizeOfType(s->data, LLVMTypeOf(LLVMGetOperand(user, 0)));
    return 0;
}

/* Is every step of the address a multiple of e? */
static bool steps_by(const struct lw__spmd *s, LLVMValueRef gep, uint64_t e)
{
    LLVMTypeRef type = LLVMGetGEPSourceElementType(gep);
    for (unsigned k = 1; k < (unsigned)LLVMGetNumOperands(gep); k++) {
        LLVMValueRef index = LLVMGetOperand(gep, k);
        if (k > 1 && LLVMGetTypeKind(type) == LLVMStructTypeKind) {
            unsigned field = (unsigned)LLVMConstIntGetZExtValue(index);
            if (LLVMOffsetOfElement(s->data, type, field) % e)
                return false;
            type = LLVMStructGetTypeAtIndex(type, field);
            continue;
        }
        if (k > 1)
            type = LLVMGetElementType(type);
        uint64_t size = LLVMABISizeOfType(s->data, type);
        uint64_t step =
            LLVMIsAConstantInt(index) ? size * (uint64_t)LLVMConstIntGetSExtValue(index) : size;
        if (step % e)
            return false;
    }
    return true;
}

/* All uses of the pointer are accesses of *e bytes (0: not known yet), or steps to such. */
static bool is_of_elements(const struct lw__spmd *s, LLVMValueRef pointer, uint64_t *e,
                           unsigned depth)
{
    for (LLVMUseRef u = LLVMGetFirstUse(pointer); u; u = LLVMGetNextUse(u)) {
        LLVMValueRef user = LLVMGetUser(u);
        uint64_t bytes = access_bytes(s, user, pointer);
        if (bytes && (!*e || *e == bytes)) {
            *e = bytes;
            continue;
        }
        bool ignored = LLVMIsACallInst(user) && !strncmp(lw__ir_callee(user), "llvm.lifetime", 13);
        if (!ignored &&
            (!LLVMIsAGetElementPtrInst(user) || depth > 8 || LLVMGetOperand(user, 0) != pointer ||
             !is_of_elements(s, user, e, depth + 1)))
            return false;
    }
    return true;
}

static bool all_step_by(const struct lw__spmd *s, LLVMValueRef pointer, uint64_t e)
{
    for (LLVMUseRef u = LLVMGetFirstUse(pointer); u; u = LLVMGetNextUse(u)) {
        LLVMValueRef user = LLVMGetUser(u);
        if (LLVMIsAGetElementPtrInst(user) && (!steps_by(s, user, e) || !all_step_by(s, user, e)))
            return false;
    }
    return true;
}

/* The element size of an alloca whose elements lie together by lane; 0: its copies do not. */
static uint64_t element_of(const struct lw__spmd *s, LLVMValueRef variable)
{
    uint64_t e = 0;
    return is_of_elements(s, variable, &e, 0) && e && all_step_by(s, variable, e) ? e : 0;
}

static uint64_t bytes_of(const struct lw__spmd *s, LLVMValueRef variable)
{
    uint64_t bytes = LLVMABISizeOfType(s->data, LLVMGetAllocatedType(variable));
    uint64_t align = LLVMGetAlignment(variable);
    return (bytes + align - 1) / align * align;
}

uint64_t lw__private_scale(const struct lw__spmd *s, LLVMValueRef pointer)
{
    LLVMValueRef object = lw__ir_object(pointer);
    return LLVMIsAAllocaInst(object) && element_of(s, object) ? padded(s) : 1;
}

struct lw__value_shape lw__private_shape(struct lw__spmd *s, LLVMValueRef variable)
{
    uint64_t e = element_of(s, variable), step = e ? e : bytes_of(s, variable);
    int64_t *lanes = lw__lanes_new(s);
    for (uint32_t t = 0; lanes && t < s->threads; t++)
        lanes[t] = (int64_t)(t * step);
    return (struct lw__value_shape){.kind = LW_SHAPE_OFFSET, .lanes = lanes};
}

/* The next address from `at` on that is so aligned. */
static LLVMValueRef round_up(struct lw__spmd *s, LLVMValueRef at, uint64_t align)
{
    LLVMValueRef number = LLVMBuildPtrToInt(s->b, at, s->i64, "");
    LLVMValueRef low = lw__spmd_const64(s, (int64_t)(align - 1));
    return lw__spmd_bytes_on(s, at, LLVMBuildAnd(s->b, LLVMBuildNeg(s->b, number, ""), low, ""));
}

/* So many bytes of the frame, which is asked for at the start of the function. */
LLVMValueRef lw__spmd_in_frame(struct lw__spmd *s, uint64_t bytes, uint64_t align)
{
    LLVMBuilderRef here = s->b;
    LLVMValueRef at = lw__spmd_const64(s, (int64_t)s->frame_bytes);
    s->b = s->entry;
    if (!s->frame)
        s->frame = lw__spmd_frame(s);
    LLVMValueRef place = lw__spmd_bytes_on(s, s->frame, at);
    if (align > LW_CPU_ALIGN) {
        place = round_up(s, place, align);
        bytes += align - LW_CPU_ALIGN;
    }
    s->b = here;
    s->frame_bytes += (bytes + LW_CPU_ALIGN - 1) / LW_CPU_ALIGN * LW_CPU_ALIGN;
    if (!s->gang || !s->gang->record) /* a coroutine's call is another, of spmd_gang.c */
        LLVMSetOperand(s->frame, 1, lw__spmd_const64(s, (int64_t)s->frame_bytes));
    return place;
}

bool lw__spmd_private(struct lw__spmd *s, LLVMValueRef variable)
{
    uint64_t bytes = bytes_of(s, variable) * padded(s), e = element_of(s, variable);
    if (e)
        bytes = (LLVMABISizeOfType(s->data, LLVMGetAllocatedType(variable)) + e - 1) / e * e *
                padded(s);
    uint64_t align = e ? e : LLVMGetAlignment(variable); /* of elements, nobody sees more */
    if (align > STACK_ALIGN || s->private_bytes + bytes > STACK_MAX) {
        lw__spmd_set_uniform(s, variable, lw__spmd_in_frame(s, bytes, align));
        return true;
    }
    s->private_bytes += bytes;
    LLVMTypeRef type = LLVMArrayType2(s->i8, bytes);
    LLVMValueRef memory = LLVMBuildAlloca(s->entry, type, "private");
    LLVMSetAlignment(memory, STACK_ALIGN);
    lw__spmd_set_uniform(s, variable, memory);
    return true;
}
