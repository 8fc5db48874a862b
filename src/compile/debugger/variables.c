/* variables.c - kernels for a debugger (-O0): a thread has a stack, and variables have
 * addresses.
 *
 * A kernel stays a plain function. At a suspension it calls the scheduler, and continues when that
 * returns (run/ref/stack.c). So all of clang's debug information stays true, except for two kinds,
 * which are corrected here:
 *
 *     pointers       carry a tag (base/ref_abi.h), which no debugger could follow: their locations
 *                    become expressions that remove it, also for pointers within structs
 *     SHARED         variables are in the memory of the current block: lw.at.NAME holds the
 *                    address, and gets their debug information
 *
 * Whenever a thread resumes it calls lw.here, which unit.c makes.
 */
#include "compile/debugger/debugger.h"
#include "compile/front/front.h"
#include "compile/llvm/llvm.h"
#include <assert.h>
#include <string.h>

/* source: DWARF 5, section 7.7.1; LLVM_FRAGMENT is LLVM's own */
enum {
    OP_DEREF = 0x06,
    OP_CONSTU = 0x10,
    OP_AND = 0x1a,
    OP_PLUS_UCONST = 0x23,
    OP_STACK_VALUE = 0x9f,
    OP_LLVM_FRAGMENT = 0x1000,
};

/* A SHARED variable: the global that holds its address. */
struct lw__debug_shown {
    LLVMValueRef at;
    uint64_t offset;
};

/* ---- suspensions ----------------------------------------------------------------------------- */

/* Tell a debugger the current thread. */
static void here(struct lw__ref *r)
{
    for (size_t i = 0; i < r->shown_count; i++) {
        LLVMValueRef offset = LLVMConstInt(r->i64, r->shown[i].offset, 0);
        LLVMBuildStore(r->b, LLVMBuildGEP2(r->b, r->i8, r->shared, &offset, 1, ""), r->shown[i].at);
    }
    lw__ir_call(r->b, r->unit->module, LW_HERE, r->none, &r->thread, 1);
}

static void open_stack(struct lw__ref *r, const struct lw__kernel *kernel)
{
    LLVMValueRef function = r->co.function;
    (void)kernel;
    LLVMContextRef c = r->unit->context;
    r->co = (struct lw__coroutine){.module = r->unit->module, .function = function};
    r->co.builder = LLVMCreateBuilderInContext(c);
    r->co.entry = LLVMAppendBasicBlockInContext(c, function, "entry");
    r->co.body = LLVMAppendBasicBlockInContext(c, function, "begin");
    r->co.final = LLVMAppendBasicBlockInContext(c, function, "final");
    LLVMPositionBuilderAtEnd(r->b, r->co.entry);
    LLVMBuildBr(r->b, r->co.body);
    LLVMPositionBuilderAtEnd(r->b, r->co.final);
    LLVMBuildRet(r->b, LLVMConstNull(r->ptr));
}

static void suspend(struct lw__ref *r, LLVMBasicBlockRef at, LLVMBasicBlockRef next)
{
    LLVMPositionBuilderAtEnd(r->b, at);
    const struct lw__loc loc = lw__loc_of(LLVMGetFirstInstruction(next));
    lw__ref_store32(r, loc.line, FIELD(line));
    lw__ref_call(r, CALL(suspend), r->none, NULL, 0);
    here(r);
    LLVMBuildBr(r->b, next);
}

/* ---- metadata -------------------------------------------------------------------------------- */

static LLVMMetadataRef expression(struct lw__ref *r, uint64_t *words, size_t count)
{
    LLVMDIBuilderRef di = LLVMCreateDIBuilder(r->unit->module);
    LLVMMetadataRef e = LLVMDIBuilderCreateExpression(di, words, count);
    LLVMDisposeDIBuilder(di);
    return e;
}

/* ---- pointers -------------------------------------------------------------------------------- */

/* The positions of a variable's pointers, in bits. */
enum { POINTERS_MAX = 32 };
struct pointers {
    uint64_t at[POINTERS_MAX];
    size_t count; /* POINTERS_MAX + 1: there are more */
};

static void find_pointers(struct lw__ref *r, LLVMMetadataRef type, uint64_t at,
                          struct pointers *found);

static void find_in_array(struct lw__ref *r, LLVMMetadataRef type, uint64_t at,
                          struct pointers *found)
{
    LLVMMetadataRef element =
        lw__type_strip(r->unit->context, lw__di_operand(r->unit->context, type, LW_DI_TYPE_BASE));
    const uint64_t bits = element ? LLVMDITypeGetSizeInBits(element) : 0;
    struct pointers one = {0};
    find_pointers(r, element, 0, &one);
    if (!one.count || !bits)
        return;
    for (uint64_t i = 0; i < LLVMDITypeGetSizeInBits(type) / bits; i++) {
        find_pointers(r, element, at + i * bits, found);
        if (found->count > POINTERS_MAX)
            return;
    }
}

static void find_pointers(struct lw__ref *r, LLVMMetadataRef type, uint64_t at,
                          struct pointers *found)
{
    type = lw__type_strip(r->unit->context, type);
    const unsigned tag = lw__di_tag(type);
    if (tag == LW_TAG_POINTER && found->count < POINTERS_MAX)
        found->at[found->count++] = at;
    else if (tag == LW_TAG_POINTER)
        found->count = POINTERS_MAX + 1;
    else if (tag == LW_TAG_ARRAY)
        find_in_array(r, type, at, found);
    if (tag != LW_TAG_STRUCTURE)
        return;
    LLVMMetadataRef elements = lw__di_operand(r->unit->context, type, LW_DI_TYPE_ELEMENTS);
    for (unsigned i = 0; i < lw__di_operand_count(r->unit->context, elements); i++) {
        LLVMMetadataRef member = lw__di_operand(r->unit->context, elements, i);
        if (lw__di_tag(member) == LW_TAG_MEMBER)
            find_pointers(r, lw__di_operand(r->unit->context, member, LW_DI_TYPE_BASE),
                          at + LLVMDITypeGetOffsetInBits(member), found);
    }
}

/* Describe one more part of the variable that `declare` describes. */
static void declare_part(struct lw__ref *r, LLVMValueRef declare, uint64_t *words, size_t count)
{
    LLVMValueRef copy = LLVMInstructionClone(declare);
    LLVMPositionBuilderBefore(r->b, declare);
    LLVMInsertIntoBuilder(r->b, copy);
    LLVMInstructionSetDebugLoc(copy, LLVMInstructionGetDebugLoc(declare));
    LLVMSetOperand(copy, 2, LLVMMetadataAsValue(r->unit->context, expression(r, words, count)));
}

static void declare_memory(struct lw__ref *r, LLVMValueRef declare, uint64_t from, uint64_t to)
{
    if (from < to)
        declare_part(r, declare,
                     (uint64_t[]){OP_PLUS_UCONST, from / 8, OP_LLVM_FRAGMENT, from, to - from}, 5);
}

static void declare_pointer(struct lw__ref *r, LLVMValueRef declare, uint64_t at, uint64_t bits)
{
    const uint64_t address = (UINT64_C(1) << LW_REF_ADDRESS_BITS) - 1;
    uint64_t words[] = {OP_PLUS_UCONST, at / 8,         OP_DEREF,         OP_CONSTU, address,
                        OP_AND,         OP_STACK_VALUE, OP_LLVM_FRAGMENT, at,        64};
    const size_t count = sizeof words / sizeof *words;
    declare_part(r, declare, words, bits == 64 ? count - 3 : count);
}

/* True if the variable is at the address itself, by LLVM's text of the expression. */
static bool is_direct(LLVMValueRef declare)
{
    char *text = LLVMPrintValueToString(LLVMGetOperand(declare, 2));
    const bool direct = strstr(text, "!DIExpression()");
    LLVMDisposeMessage(text);
    return direct;
}

static LLVMValueRef place_of(LLVMValueRef declare)
{
    LLVMValueRef place = LLVMGetOperand(declare, 0), v = NULL;
    if (LLVMGetMDNodeNumOperands(place) == 1)
        LLVMGetMDNodeOperands(place, &v);
    return v;
}

static void show_local(struct lw__ref *r, LLVMValueRef declare)
{
    LLVMValueRef place = place_of(declare);
    LLVMMetadataRef variable = LLVMValueAsMetadata(LLVMGetOperand(declare, 1));
    LLVMMetadataRef type = lw__type_strip(
        r->unit->context, lw__di_operand(r->unit->context, variable, LW_DI_VARIABLE_TYPE));
    struct pointers found = {0};
    uint64_t done = 0;
    if (!place || !LLVMIsAAllocaInst(place) || !type || !is_direct(declare))
        return;
    const uint64_t bits = LLVMDITypeGetSizeInBits(type);
    find_pointers(r, type, 0, &found);
    if (!found.count || found.count > POINTERS_MAX)
        return;
    for (size_t i = 0; i < found.count; i++) {
        assert(done <= found.at[i]); /* they rise */
        declare_memory(r, declare, done, found.at[i]);
        declare_pointer(r, declare, found.at[i], bits);
        done = found.at[i] + 64;
    }
    declare_memory(r, declare, done, bits);
    LLVMInstructionEraseFromParent(declare);
}

static bool is_declare(LLVMValueRef i)
{
    return lw__ir_calls(i, LW_LLVM_dbg_declare);
}

static void show_locals(struct lw__ref *r)
{
    EACH_INSTRUCTION_OF_SAFE(i, r->co.function) {
        if (is_declare(i))
            show_local(r, i);
    }
}

/* The store by which clang keeps a struct's address only for debuggers; NULL: none. */
static LLVMValueRef kept_address(LLVMValueRef param, LLVMValueRef place)
{
    LLVMUseRef use = place && LLVMIsAAllocaInst(place) ? LLVMGetFirstUse(place) : NULL;
    LLVMValueRef store = use ? LLVMGetUser(use) : NULL;
    return store && LLVMIsAStoreInst(store) && !LLVMGetNextUse(use) &&
                   LLVMGetOperand(store, 0) == param
               ? store
               : NULL;
}

/* The parameter is of the original kernel; LLVM drops its description when another function gets
 * its uses. A struct is described by its copy, not by its address, which has a tag. */
static void show_argument(struct lw__ref *r, LLVMValueRef param, LLVMValueRef value)
{
    LLVMContextRef c = r->unit->context;
    LLVMBasicBlockRef b = LLVMGetFirstBasicBlock(r->co.function);
    for (; LLVMIsAAllocaInst(value) && b; b = LLVMGetNextBasicBlock(b))
        EACH_INSTRUCTION(i, b) {
            LLVMValueRef place = is_declare(i) ? place_of(i) : NULL;
            LLVMValueRef store = place && place != param ? kept_address(param, place) : NULL;
            if (!place || (place != param && !store))
                continue;
            LLVMSetOperand(i, 0, LLVMMetadataAsValue(c, LLVMValueAsMetadata(value)));
            LLVMSetOperand(i, 2, LLVMMetadataAsValue(c, expression(r, NULL, 0)));
            if (store)
                LLVMInstructionEraseFromParent(store);
        }
}

/* ---- SHARED ---------------------------------------------------------------------------------- */

/* Move clang's description of the variable to the memory that its address points to. */
static void move_description(struct lw__ref *r, LLVMValueRef variable, LLVMValueRef at)
{
    const unsigned kind = LLVMGetMDKindIDInContext(r->unit->context, "dbg", 3);
    size_t count;
    LLVMValueMetadataEntry *entries = LLVMGlobalCopyAllMetadata(variable, &count);
    for (unsigned i = 0; i < count; i++) {
        if (LLVMValueMetadataEntriesGetKind(entries, i) != kind)
            continue;
        LLVMMetadataRef said = LLVMValueMetadataEntriesGetMetadata(entries, i);
        LLVMReplaceMDNodeOperandWith(LLVMMetadataAsValue(r->unit->context, said), 1,
                                     expression(r, (uint64_t[]){OP_DEREF}, 1));
        LLVMGlobalSetMetadata(at, kind, said);
        break;
    }
    LLVMDisposeValueMetadataEntries(entries);
    LLVMGlobalEraseMetadata(variable, kind);
}

static LLVMValueRef address_global(struct lw__ref *r, LLVMValueRef variable)
{
    size_t length;
    const char *name =
        lw__format(&r->unit->scratch, "lw.at.%s", LLVMGetValueName2(variable, &length));
    LLVMValueRef at = LLVMGetNamedGlobal(r->unit->module, name);
    if (!at) {
        at = LLVMAddGlobal(r->unit->module, r->ptr, name);
        LLVMSetInitializer(at, LLVMConstNull(r->ptr));
        LLVMSetLinkage(at, LLVMInternalLinkage);
        move_description(r, variable, at);
    }
    return at;
}

static void show_shared(struct lw__ref *r, const struct lw__shared_layout *layout)
{
    r->shown = lw__new(&r->unit->scratch, layout->count, sizeof *r->shown);
    for (size_t i = 0; i < layout->count; i++)
        r->shown[r->shown_count++] =
            (struct lw__debug_shown){address_global(r, layout->globals[i]), layout->offsets[i]};
    here(r);
}

/* lw__pass_debug - each kernel K as the plain function lw.ref.K.
 * needs COMMON   makes THREADS   breaks COMMON
 */
bool lw__pass_debug(struct lw__unit *unit)
{
    static const struct lw__ref_extension extension = {.open = open_stack,
                                                       .suspend = suspend,
                                                       .argument = show_argument,
                                                       .shared = show_shared,
                                                       .leave = show_locals};
    LLVMSetIsNewDbgInfoFormat(unit->module, 0); /* descriptions as calls, which can be edited */
    return lw__ref_lower(unit, &extension);
}
