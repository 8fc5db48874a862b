/* private_layout.c - the layout of the threads' copies of a private array. Elements with the same
 * index are adjacent if all accesses have one size.
 */
#include "compile/spmd/analysis/analysis.h"
#include <assert.h>
#include <string.h>

static uint64_t padded(const struct lw__facts *facts)
{
    return (uint64_t)facts->config.pieces * facts->config.width;
}

static uint64_t access_bytes(const struct lw__facts *facts, LLVMValueRef user, LLVMValueRef pointer)
{
    if (LLVMIsALoadInst(user))
        return LLVMABISizeOfType(facts->config.data, LLVMTypeOf(user));
    if (LLVMIsAStoreInst(user) && LLVMGetOperand(user, 0) != pointer)
        return LLVMABISizeOfType(facts->config.data, LLVMTypeOf(LLVMGetOperand(user, 0)));
    return 0;
}

/* True if every step of the address is a multiple of e. */
static bool steps_by(const struct lw__facts *facts, LLVMValueRef gep, uint64_t e)
{
    LLVMTypeRef type = LLVMGetGEPSourceElementType(gep);
    for (unsigned k = 1; k < (unsigned)LLVMGetNumOperands(gep); k++) {
        LLVMValueRef index = LLVMGetOperand(gep, k);
        if (k > 1 && LLVMGetTypeKind(type) == LLVMStructTypeKind) {
            unsigned field = (unsigned)LLVMConstIntGetZExtValue(index);
            if (LLVMOffsetOfElement(facts->config.data, type, field) % e)
                return false;
            type = LLVMStructGetTypeAtIndex(type, field);
            continue;
        }
        if (k > 1)
            type = LLVMGetElementType(type);
        uint64_t size = LLVMABISizeOfType(facts->config.data, type);
        uint64_t step =
            LLVMIsAConstantInt(index) ? size * (uint64_t)LLVMConstIntGetSExtValue(index) : size;
        if (step % e)
            return false;
    }
    return true;
}

/* True if all uses of the pointer access *e bytes (0: not known yet), or step to such accesses. */
static bool is_of_elements(const struct lw__facts *facts, LLVMValueRef pointer, uint64_t *e,
                           unsigned depth)
{
    EACH_USE(u, pointer) {
        LLVMValueRef user = LLVMGetUser(u);
        uint64_t bytes = access_bytes(facts, user, pointer);
        if (bytes && (!*e || *e == bytes)) {
            *e = bytes;
            continue;
        }
        const bool ignored = lw__ir_calls(user, LW_LLVM_prefetch) ||
                             !strncmp(lw__ir_callee(user), "llvm.lifetime", 13);
        if (!ignored &&
            (!LLVMIsAGetElementPtrInst(user) || depth > 8 || LLVMGetOperand(user, 0) != pointer ||
             !is_of_elements(facts, user, e, depth + 1)))
            return false;
    }
    return true;
}

static bool all_step_by(const struct lw__facts *facts, LLVMValueRef pointer, uint64_t e)
{
    EACH_USE(u, pointer) {
        LLVMValueRef user = LLVMGetUser(u);
        if (LLVMIsAGetElementPtrInst(user) &&
            (!steps_by(facts, user, e) || !all_step_by(facts, user, e)))
            return false;
    }
    return true;
}

/* The element size of an alloca whose elements are adjacent by lane; 0: each copy is contiguous. */
static uint64_t element_of(const struct lw__facts *facts, LLVMValueRef variable)
{
    uint64_t e = 0;
    return is_of_elements(facts, variable, &e, 0) && e && all_step_by(facts, variable, e) ? e : 0;
}

static uint64_t bytes_of(const struct lw__facts *facts, LLVMValueRef variable)
{
    uint64_t bytes = LLVMABISizeOfType(facts->config.data, LLVMGetAllocatedType(variable));
    uint64_t align = LLVMGetAlignment(variable);
    assert(align && !(align & (align - 1)));
    return (bytes + align - 1) / align * align;
}

struct lw__private_layout lw__private_layout(const struct lw__facts *facts, LLVMValueRef variable)
{
    assert(LLVMIsAAllocaInst(variable));
    const uint64_t e = element_of(facts, variable);
    const uint64_t size = LLVMABISizeOfType(facts->config.data, LLVMGetAllocatedType(variable));
    return (struct lw__private_layout){e, (e ? (size + e - 1) / e * e : bytes_of(facts, variable)) *
                                              padded(facts)};
}

uint64_t lw__private_scale(const struct lw__facts *facts, LLVMValueRef pointer)
{
    LLVMValueRef object = lw__ir_object(pointer);
    return LLVMIsAAllocaInst(object) && element_of(facts, object) ? padded(facts) : 1;
}

struct lw__value_shape lw__private_shape(struct lw__facts *facts, LLVMValueRef variable)
{
    uint64_t e = element_of(facts, variable), step = e ? e : bytes_of(facts, variable);
    int64_t *lanes = lw__lanes_new(facts);
    for (uint32_t t = 0; t < facts->config.threads; t++)
        lanes[t] = (int64_t)(t * step);
    return (struct lw__value_shape){.kind = LW_SHAPE_OFFSET, .lanes = lanes};
}
