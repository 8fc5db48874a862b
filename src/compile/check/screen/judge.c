/* judge.c - which kernels can be screened: those of which the screen finds all that the exact check
 * would find.
 *
 * Each access is to a parameter's memory, to block memory, to a constant or to a variable of the
 * thread, known when it is compiled. No variable is used before it has a value. Barriers alone
 * order threads: there are no fences, no warp_sync. No lane reads another's register, and none
 * learns of others by an atomic: what atomics of integers leave does not depend on their order.
 */
#include "compile/check/screen/screen.h"
#include "compile/check/check.h"
#include "compile/llvm/llvm.h"
#include <assert.h>
#include <string.h>

bool lw__screen_is_undefined(LLVMValueRef v)
{
    LLVMValueRef from = LLVMIsALoadInst(v) ? LLVMGetOperand(v, 0) : NULL;
    size_t length;
    return from && LLVMIsAGlobalVariable(from) &&
           !strncmp(LLVMGetValueName2(from, &length), LW_UNDEFINED, sizeof LW_UNDEFINED - 1);
}

/* True if it is only put into variables that private.c follows. */
static bool stays_in_variables(LLVMValueRef undefined)
{
    EACH_USE(u, undefined) {
        LLVMValueRef user = LLVMGetUser(u);
        if (!LLVMIsAStoreInst(user) || LLVMGetOperand(user, 0) != undefined ||
            !lw__ir_is_private(LLVMGetOperand(user, 1)))
            return false;
    }
    return true;
}

/* ---- accesses -------------------------------------------------------------------------------- */

static bool is_constant(LLVMValueRef object)
{
    return LLVMIsAGlobalVariable(object) && LLVMIsGlobalConstant(object) &&
           LLVMGetInitializer(object) && !lw__ir_is_shared(object);
}

static bool is_known(const struct lw__screen *s, LLVMValueRef pointer)
{
    LLVMValueRef object = lw__ir_object(pointer);
    return LLVMIsAAllocaInst(object) || is_constant(object) || lw__screen_row_of(s, object);
}

static bool is_power_of_two(uint64_t n)
{
    return n && !(n & (n - 1));
}

/* The atomics of an object are of one kind and one width. */
static bool allows_update(const struct lw__screen_row *row, const struct lw__screen_access *a)
{
    return is_power_of_two(row->operations) && a->bytes == row->says.granule;
}

/* The host sees to it that objects begin at multiples of 16. */
static bool allows_access(const struct lw__screen *s, LLVMValueRef i,
                          const struct lw__screen_access *a)
{
    enum { BYTES_MAX = 64, GRANULES_MAX = 16, ALIGN_MAX = 16 };
    const struct lw__screen_row *row = lw__screen_row_of(s, a->object);
    if (LLVMIsAInstruction(i) && (LLVMIsALoadInst(i) || LLVMIsAStoreInst(i)) && LLVMGetVolatile(i))
        return false;
    if (!row)
        return is_known(s, a->pointer) && !a->operation &&
               (a->use == LW_SCREEN_READS || !is_constant(a->object));
    if (a->operation && !allows_update(row, a))
        return false;
    const uint64_t granule = row->says.granule;
    const size_t number = (size_t)(row - s->rows);
    assert(number < s->row_count);
    if (number < s->kernel->param_count && s->kernel->params[number].by_value)
        return false;
    return is_power_of_two(a->bytes) && a->bytes <= BYTES_MAX &&
           a->bytes <= GRANULES_MAX * granule && a->align <= ALIGN_MAX &&
           lw__ir_is_multiple(s->data, a->pointer, granule) &&
           lw__ir_is_multiple(s->data, a->pointer, a->align);
}

static bool allows_store(LLVMValueRef store)
{
    LLVMValueRef v = LLVMGetOperand(store, 0);
    return LLVMGetTypeKind(LLVMTypeOf(v)) != LLVMPointerTypeKind ||
           lw__ir_is_private(LLVMGetOperand(store, 1));
}

/* ---- calls ----------------------------------------------------------------------------------- */

static bool allows_collective(enum lw__op op)
{
    switch (op) {
    case LW_OP_barrier:
    case LW_OP_block_sum:
    case LW_OP_block_max:
    case LW_OP_block_min:
    case LW_OP_block_prod:
    case LW_OP_block_inclusive_sum:
    case LW_OP_block_exclusive_sum:
    case LW_OP_block_any:
    case LW_OP_block_all:
    case LW_OP_block_count:
    case LW_OP_ballot:
    case LW_OP_warp_any:
    case LW_OP_warp_all:
    case LW_OP_warp_sum:
    case LW_OP_warp_max:
    case LW_OP_warp_min:
    case LW_OP_warp_prod:
    case LW_OP_warp_inclusive_sum:
    case LW_OP_warp_exclusive_sum: return true;
    default: return false;
    }
}

static bool allows_check(const struct lw__screen *s, LLVMValueRef call)
{
    LLVMValueRef pointer = LLVMGetOperand(call, 0), bytes = LLVMGetOperand(call, 1);
    return is_known(s, pointer) && LLVMIsAConstantInt(bytes) &&
           !(LLVMConstIntGetZExtValue(LLVMGetOperand(call, 2)) & LW_ACCESS_ENDED);
}

static bool allows_copy(LLVMValueRef call, const char *name)
{
    if (!LLVMIsAConstantInt(LLVMGetOperand(call, 2)) || !lw__ir_is_private(LLVMGetOperand(call, 0)))
        return false;
    LLVMValueRef from = lw__ir_object(LLVMGetOperand(call, 1));
    return !strncmp(name, "llvm.memset.", 12) || LLVMIsAAllocaInst(from) || is_constant(from);
}

static bool allows_call(const struct lw__screen *s, LLVMValueRef call)
{
    static const char *const allowed[] = {"lw.index", LW_OVERFLOW, LW_PROMISE, LW_DECLARED,
                                          "lw.assert_fail"};
    const char *name = lw__ir_callee(call);
    const enum lw__op op = lw__ir_collective(call, NULL);
    if (op)
        return allows_collective(op);
    if (lw__is_access_check(call))
        return allows_check(s, call);
    if (!strncmp(name, "llvm.mem", 8))
        return allows_copy(call, name);
    if (strstr(name, ".with.overflow."))
        return lw__screen_can_overflow(call);
    for (size_t i = 0; i < sizeof allowed / sizeof *allowed; i++)
        if (!strcmp(name, allowed[i]))
            return true;
    return !strncmp(name, "llvm.", 5) || lw__ir_thread_index(name, NULL) || lw__ir_is_libcall(name);
}

/* ---- the kernel ------------------------------------------------------------------------------ */

/* An operand without a value is a use of it, but where a vector or struct is put together. */
static bool has_values(LLVMValueRef i)
{
    if (LLVMIsAInsertElementInst(i) || LLVMIsAInsertValueInst(i) || LLVMIsAShuffleVectorInst(i))
        return true;
    for (int k = 0; k < LLVMGetNumOperands(i); k++) {
        LLVMValueRef operand = LLVMGetOperand(i, (unsigned)k);
        if (LLVMIsUndef(operand) || LLVMIsPoison(operand) || lw__screen_is_undefined(operand))
            return LLVMIsAStoreInst(i) && lw__screen_is_undefined(operand);
    }
    return true;
}

/* Computes from its operands, or branches. */
static bool is_plain(LLVMValueRef i)
{
    switch (LLVMGetInstructionOpcode(i)) {
    case LLVMRet:
    case LLVMBr:
    case LLVMSwitch:
    case LLVMUnreachable:
    case LLVMPHI:
    case LLVMAlloca:
    case LLVMGetElementPtr:
    case LLVMICmp:
    case LLVMFCmp:
    case LLVMSelect:
    case LLVMFreeze:
    case LLVMFNeg:
    case LLVMExtractElement:
    case LLVMInsertElement:
    case LLVMShuffleVector:
    case LLVMExtractValue:
    case LLVMInsertValue: return true;
    case LLVMIntToPtr: return false;
    default: return LLVMIsABinaryOperator(i) || LLVMIsACastInst(i);
    }
}

static bool allows(const struct lw__screen *s, LLVMValueRef i)
{
    if (!has_values(i))
        return false;
    if (lw__screen_is_undefined(i))
        return stays_in_variables(i);
    if (LLVMIsACallInst(i))
        return allows_call(s, i);
    if (LLVMIsAStoreInst(i) && !allows_store(i))
        return false;
    struct lw__screen_access access;
    if (lw__screen_access_of(s, i, &access))
        return allows_access(s, i, &access);
    return is_plain(i);
}

/* Names of dynamic memory are of the same bytes. */
static bool has_one_dynamic(const struct lw__screen *s)
{
    int count = 0;
    for (size_t i = 0; i < s->row_count; i++)
        count += LLVMIsAGlobalVariable(s->rows[i].value) &&
                 lw__ir_in_section(s->rows[i].value, "lw.dynshared");
    return count <= 1;
}

bool lw__screen_is_possible(const struct lw__screen *s)
{
    if (!has_one_dynamic(s))
        return false;
    EACH_INSTRUCTION_OF(i, s->function)
        if (!allows(s, i))
            return false;
    return true;
}
