/* array_sizes.c - the declared sizes of array parameters, as functions that the host can call.
 *
 * With -fsanitize=vla-bound clang checks each size that is not constant where it computes it. For a
 * kernel's parameters that is the prologue, outer sizes first, in parameter order.
 *
 *         %ok = icmp sgt i32 %n, 0                     the blocks up to the last parameter's check,
 *         br i1 %ok, label %go, label %bad             with `store %n` in place of each check, are
 *     bad:                                             void lw.sizes.K(ptr arguments, ptr sizes)
 *         call void @__ubsan_handle_vla_bound_not_positive(ptr @place, i64 %n)
 *
 * Then all checks are deleted. Sizes are recorded unchanged: the library reports one that is not
 * positive.
 */
#include "compile/front/front.h"
#include "compile/llvm/llvm.h"
#include <assert.h>
#include <string.h>

static const char handler_name[] = "__ubsan_handle_vla_bound_not_positive";

/* One check: the branch of `block` leads to `go`, or to `bad`, which calls the handler. */
struct check {
    LLVMBasicBlockRef block, bad, go;
    LLVMValueRef call;
};

struct pair { /* a value or block of the kernel and its copy */
    void *from, *to;
};

/* The construction of one lw.sizes.K. */
struct slice {
    LLVMModuleRef module;
    LLVMContextRef context;
    LLVMBuilderRef builder;
    const struct lw__kernel *kernel;
    struct lw__diags *diags;
    LLVMValueRef function;
    LLVMBasicBlockRef done;
    struct check *checks; /* those of the parameters, in order */
    size_t check_count;
    struct pair *pairs;
    size_t pair_count;
    struct lw__arena *arena;
};

/* ---- the shape of a check ---- */

static bool is_handler(LLVMValueRef instruction)
{
    size_t length;
    return LLVMIsACallInst(instruction) &&
           strcmp(LLVMGetValueName2(LLVMGetCalledValue(instruction), &length), handler_name) == 0;
}

/* The check whose handler is called in block `bad`; false: there is none. */
static bool read_check(LLVMBasicBlockRef bad, struct check *check)
{
    check->call = LLVMGetFirstInstruction(bad);
    while (check->call && !is_handler(check->call))
        check->call = LLVMGetNextInstruction(check->call);
    LLVMUseRef use = check->call ? LLVMGetFirstUse(LLVMBasicBlockAsValue(bad)) : NULL;
    if (!use)
        return false;
    check->bad = bad;
    check->block = LLVMGetInstructionParent(LLVMGetUser(use));
    check->go = LLVMGetSuccessor(LLVMGetBasicBlockTerminator(bad), 0);
    return true;
}

/* A check of ref/; the host computes without it. */
static bool is_index_check(LLVMValueRef instruction)
{
    const char *name = lw__ir_callee(instruction);
    return !strcmp(name, "lw.index") || !strcmp(name, "lw.overflow");
}

/* ---- the copy ---- */

static void *find(const struct slice *s, void *from)
{
    for (size_t i = s->pair_count; i-- > 0;)
        if (s->pairs[i].from == from)
            return s->pairs[i].to;
    return NULL;
}

static void pair(struct slice *s, void *from, void *to)
{
    assert(to);
    s->pairs = lw__one_more(s->arena, s->pairs, s->pair_count, sizeof *s->pairs);
    s->pairs[s->pair_count++] = (struct pair){from, to};
}

static LLVMValueRef copy_of(const struct slice *s, LLVMValueRef value)
{
    LLVMValueRef copy = find(s, value);
    return copy ? copy : value;
}

/* Blocks after the last check are not copied: the function ends there. */
static LLVMBasicBlockRef block_copy(const struct slice *s, LLVMBasicBlockRef block)
{
    LLVMBasicBlockRef copy = find(s, block);
    return copy ? copy : s->done;
}

static const struct check *check_at(const struct slice *s, LLVMBasicBlockRef block)
{
    for (size_t i = 0; i < s->check_count; i++)
        if (s->checks[i].block == block)
            return &s->checks[i];
    return NULL;
}

static bool is_bad(const struct slice *s, LLVMBasicBlockRef block)
{
    for (size_t i = 0; i < s->check_count; i++)
        if (s->checks[i].bad == block)
            return true;
    return false;
}

/* The index in sizes[] of check number `number`; -1: it is not recorded. Constants are declared
 * sizes, too; the sizes after an open one are checked but not declared. */
static int size_index(const struct lw__kernel *kernel, size_t number)
{
    int index = 0;
    for (unsigned p = 0; p < kernel->param_count; p++) {
        const struct lw__brackets *brackets = &kernel->params[p].brackets;
        for (unsigned i = 0; i < brackets->count; i++) {
            if (brackets->size[i] == LW_SIZE_VARIABLE && number-- == 0)
                return brackets->open ? -1 : index;
            index += !brackets->open;
        }
    }
    return -1;
}

static void store_size(struct slice *s, LLVMValueRef size, int index)
{
    LLVMTypeRef word = LLVMInt64TypeInContext(s->context);
    LLVMValueRef offset = LLVMConstInt(word, (unsigned)index, false);
    LLVMValueRef place =
        LLVMBuildInBoundsGEP2(s->builder, word, LLVMGetParam(s->function, 1), &offset, 1, "");
    LLVMSetAlignment(LLVMBuildStore(s->builder, size, place), 8);
}

/* In place of a check: record its size. */
static void copy_check(struct slice *s, const struct check *check)
{
    LLVMTypeRef word = LLVMInt64TypeInContext(s->context);
    LLVMValueRef size = LLVMGetOperand(check->call, 1);
    /* The handler's second argument is zero-extended in any case. Its first points to {{file, line,
     * column}, type}, and type is {kind, log2(bits) << 1 | signed, name}. */
    LLVMValueRef place = LLVMGetInitializer(LLVMGetOperand(check->call, 0));
    LLVMValueRef type = LLVMGetInitializer(LLVMGetOperand(place, 1));
    const unsigned info = (unsigned)LLVMConstIntGetZExtValue(LLVMGetOperand(type, 1));
    const unsigned bits = 1u << (info >> 1);
    if (LLVMIsAInstruction(size) && LLVMGetInstructionParent(size) == check->bad)
        size = LLVMGetOperand(size, 0); /* without the zero-extension */
    size = copy_of(s, size);
    if (info & 1 && bits < 64) {
        size = LLVMBuildTrunc(s->builder, size, LLVMIntTypeInContext(s->context, bits), "");
        size = LLVMBuildSExt(s->builder, size, word, "");
    } else {
        size = LLVMBuildZExt(s->builder, size, word, "");
    }
    const int index = size_index(s->kernel, (size_t)(check - s->checks));
    assert(index < (int)lw__kernel_dims(s->kernel)); /* sizes[] has so many */
    if (index >= 0)
        store_size(s, size, index);
    LLVMBuildBr(s->builder, block_copy(s, check->go));
}

static void copy_instruction(struct slice *s, LLVMValueRef instruction)
{
    if (LLVMIsAPHINode(instruction)) { /* its operands follow after all blocks */
        pair(s, instruction, LLVMBuildPhi(s->builder, LLVMTypeOf(instruction), ""));
        return;
    }
    LLVMValueRef copy = LLVMInstructionClone(instruction);
    LLVMInsertIntoBuilder(s->builder, copy);
    LLVMInstructionSetDebugLoc(copy, NULL);
    for (int i = 0; i < LLVMGetNumOperands(copy); i++) {
        LLVMValueRef operand = LLVMGetOperand(copy, (unsigned)i);
        if (!LLVMValueIsBasicBlock(operand))
            LLVMSetOperand(copy, (unsigned)i, copy_of(s, operand));
    }
    if (LLVMIsATerminatorInst(copy))
        for (unsigned i = 0; i < LLVMGetNumSuccessors(copy); i++)
            LLVMSetSuccessor(copy, i, block_copy(s, LLVMGetSuccessor(copy, i)));
    pair(s, instruction, copy);
}

static void copy_block(struct slice *s, LLVMBasicBlockRef block)
{
    const struct check *check = check_at(s, block);
    LLVMPositionBuilderAtEnd(s->builder, block_copy(s, block));
    EACH_INSTRUCTION(i, block) {
        if (check && LLVMIsATerminatorInst(i))
            copy_check(s, check);
        else if (!is_index_check(i))
            copy_instruction(s, i);
    }
}

/* Copy the prologue: all blocks before the one after the last check, in order. */
static void copy_prologue(struct slice *s, LLVMBasicBlockRef entry)
{
    LLVMBasicBlockRef first = LLVMGetEntryBasicBlock(s->kernel->function);
    LLVMBasicBlockRef end = s->checks[s->check_count - 1].go;
    pair(s, first, entry);
    for (LLVMBasicBlockRef b = LLVMGetNextBasicBlock(first); b != end; b = LLVMGetNextBasicBlock(b))
        if (!is_bad(s, b))
            pair(s, b, LLVMInsertBasicBlockInContext(s->context, s->done, ""));
    for (LLVMBasicBlockRef b = first; b != end; b = LLVMGetNextBasicBlock(b))
        if (!is_bad(s, b))
            copy_block(s, b);
    for (LLVMBasicBlockRef b = first; b != end; b = LLVMGetNextBasicBlock(b))
        if (!is_bad(s, b)) {
            EACH_PHI(phi, b)
                for (unsigned i = 0; i < LLVMCountIncoming(phi); i++) {
                    LLVMValueRef value = copy_of(s, LLVMGetIncomingValue(phi, i));
                    LLVMBasicBlockRef from = block_copy(s, LLVMGetIncomingBlock(phi, i));
                    LLVMAddIncoming(find(s, phi), &value, &from, 1);
                }
        }
}

/* ---- what a size may depend on --------------------------------------------------------------- */

/* Maths functions access no memory and have arguments; thread indices have none. */
static bool is_maths(LLVMValueRef function)
{
    const unsigned memory = LLVMGetEnumAttributeKindForName("memory", 6);
    LLVMAttributeRef effects =
        LLVMGetEnumAttributeAtIndex(function, LLVMAttributeFunctionIndex, memory);
    return LLVMCountParams(function) != 0 && effects && LLVMGetEnumAttributeValue(effects) == 0;
}

/* The name of a lw.* operation that the function calls, directly or not, or NULL. Recursion was
 * refused. */
static const char *reaches_operation(LLVMValueRef function)
{
    size_t length;
    const char *name = LLVMGetValueName2(function, &length);
    if (LLVMIsDeclaration(function))
        return strncmp(name, "lw.", 3) == 0 && !is_maths(function) ? name + 3 : NULL;
    name = NULL;
    EACH_INSTRUCTION_OF(i, function)
        if (LLVMIsACallInst(i) && (name = reaches_operation(LLVMGetCalledValue(i))))
            return name;
    return NULL;
}

/* True if the address comes from a pointer argument, or is shared memory. In raw IR a pointer that
 * was passed has been loaded from its variable; variables are allocas and arguments. */
static bool is_device_memory(LLVMValueRef address)
{
    while (LLVMIsAGetElementPtrInst(address) || LLVMIsAConstantExpr(address))
        address = LLVMGetOperand(address, 0);
    if (LLVMIsAGlobalVariable(address))
        return LLVMGetSection(address) != NULL;
    return LLVMIsALoadInst(address) != NULL;
}

/* The reason why the host cannot compute a size with the instruction, or NULL. */
static const char *forbidden(LLVMValueRef instruction, const char **operation)
{
    *operation = NULL;
    if (LLVMIsALoadInst(instruction) && is_device_memory(LLVMGetOperand(instruction, 0)))
        return "memory";
    if (LLVMIsAStoreInst(instruction) && is_device_memory(LLVMGetOperand(instruction, 1)))
        return "memory";
    if (!LLVMIsACallInst(instruction) || is_index_check(instruction))
        return NULL;
    for (unsigned i = 0; i < LLVMGetNumArgOperands(instruction); i++) {
        LLVMValueRef argument = LLVMGetOperand(instruction, i);
        if (LLVMGetTypeKind(LLVMTypeOf(argument)) == LLVMPointerTypeKind &&
            is_device_memory(argument))
            return "memory";
    }
    *operation = reaches_operation(LLVMGetCalledValue(instruction));
    return *operation;
}

/* Report a size that needs more than the earlier parameters. */
static bool check_prologue(struct slice *s)
{
    LLVMBasicBlockRef end = s->checks[s->check_count - 1].go;
    const char *operation;
    for (LLVMBasicBlockRef b = LLVMGetEntryBasicBlock(s->kernel->function); b != end;
         b = LLVMGetNextBasicBlock(b)) {
        if (is_bad(s, b))
            continue;
        EACH_INSTRUCTION(i, b)
            if (forbidden(i, &operation)) {
                lw__diags_error(s->diags, lw__loc_of(i),
                                "the declared sizes of kernel '%s' depend on "
                                "%s: only earlier parameters are known before the launch",
                                s->kernel->name, operation ? operation : "memory");
                return false;
            }
    }
    return true;
}

/* ---- one kernel ---- */

static size_t variable_sizes(const struct lw__kernel *kernel)
{
    size_t count = 0;
    for (unsigned p = 0; p < kernel->param_count; p++)
        count += kernel->params[p].brackets.variable;
    return count;
}

/* True if a size holds another, as a[sizeof(int[n])] does. Its check would come in between. */
static bool has_inner_array(const char *brackets)
{
    const char *inner = brackets ? strstr(brackets, "sizeof") : NULL;
    return inner && strchr(inner, '[') && strchr(inner, '[') < strchr(inner, ')');
}

/* Find the first `want` checks of the kernel, its parameters'; those in the body follow. */
static bool find_checks(struct slice *s, size_t want)
{
    s->checks = lw__new(s->arena, want + 1, sizeof *s->checks);
    for (LLVMBasicBlockRef b = LLVMGetFirstBasicBlock(s->kernel->function);
         b && s->check_count < want; b = LLVMGetNextBasicBlock(b))
        s->check_count += read_check(b, &s->checks[s->check_count]);
    bool involved = s->check_count != want;
    for (unsigned p = 0; p < s->kernel->param_count; p++)
        involved |= has_inner_array(s->kernel->params[p].brackets.text);
    if (involved)
        lw__diags_error(s->diags, s->kernel->loc,
                        "the declared sizes of kernel '%s' are too involved: "
                        "a size may not hold the sizeof of an array",
                        s->kernel->name);
    return !involved;
}

static void make_function(struct slice *s)
{
    if (s->check_count && !check_prologue(s))
        return;
    LLVMTypeRef pointer = LLVMPointerTypeInContext(s->context, 0), params[2] = {pointer, pointer};
    LLVMTypeRef type = LLVMFunctionType(LLVMVoidTypeInContext(s->context), params, 2, false);
    s->function =
        LLVMAddFunction(s->module, lw__format(s->arena, "lw.sizes.%s", s->kernel->name), type);
    LLVMBasicBlockRef entry = LLVMAppendBasicBlockInContext(s->context, s->function, "");
    s->done = LLVMAppendBasicBlockInContext(s->context, s->function, "");
    LLVMPositionBuilderAtEnd(s->builder, s->done);
    LLVMBuildRetVoid(s->builder);
    LLVMPositionBuilderAtEnd(s->builder, entry);
    int index = 0;
    LLVMTypeRef word = LLVMInt64TypeInContext(s->context);
    for (unsigned p = 0; p < s->kernel->param_count; p++) {
        const struct lw__param *param = &s->kernel->params[p];
        for (unsigned i = 0; i < lw__param_dims(param); i++, index++)
            if (param->brackets.size[i] != LW_SIZE_VARIABLE)
                store_size(s, LLVMConstInt(word, (uint64_t)param->brackets.size[i], true), index);
    }
    assert(index == (int)lw__kernel_dims(s->kernel));
    if (!s->check_count) {
        LLVMBuildBr(s->builder, s->done);
        return;
    }
    for (unsigned i = 0; i < s->kernel->param_count; i++)
        pair(s, LLVMGetParam(s->kernel->function, i),
             lw__front_load_argument(s->builder, s->kernel, i, LLVMGetParam(s->function, 0)));
    copy_prologue(s, entry);
    lw__front_test_sizes(s->arena, s->function);
}

static void sizes_of(struct lw__arena *arena, LLVMModuleRef module, const struct lw__kernel *kernel,
                     struct lw__diags *diags)
{
    struct slice s = {.module = module,
                      .context = LLVMGetModuleContext(module),
                      .kernel = kernel,
                      .diags = diags,
                      .arena = arena};
    s.builder = LLVMCreateBuilderInContext(s.context);
    if (find_checks(&s, variable_sizes(kernel)))
        make_function(&s);
    LLVMDisposeBuilder(s.builder);
}

/* ---- deleting all checks --------------------------------------------------------------------- */

static void remove_check(const struct check *check, LLVMBuilderRef builder)
{
    LLVMValueRef branch = LLVMGetBasicBlockTerminator(check->block);
    LLVMValueRef place = LLVMGetOperand(check->call, 0);
    LLVMPositionBuilderBefore(builder, branch);
    LLVMBuildBr(builder, check->go);
    LLVMInstructionEraseFromParent(branch);
    LLVMDeleteBasicBlock(check->bad);
    if (!LLVMGetFirstUse(place))
        LLVMDeleteGlobal(place);
}

/* lw__front_sizes - add void lw.sizes.K(ptr arguments, ptr sizes) for every kernel with declared
 * sizes, and delete clang's size checks.
 * needs    a raw module in which restrictions.c found nothing; the kernels of signature.c
 */
void lw__front_sizes(struct lw__arena *arena, LLVMModuleRef module,
                     const struct lw__kernels *kernels, struct lw__diags *diags)
{
    for (size_t i = 0; i < kernels->count; i++)
        if (lw__kernel_dims(&kernels->rows[i]))
            sizes_of(arena, module, &kernels->rows[i], diags);
    LLVMValueRef handler = LLVMGetNamedFunction(module, handler_name);
    LLVMBuilderRef builder = LLVMCreateBuilderInContext(LLVMGetModuleContext(module));
    EACH_CALL(call, handler) {
        struct check check = {0};
        LLVMBasicBlockRef bad = LLVMGetInstructionParent(call);
        if (read_check(bad, &check))
            remove_check(&check, builder);
        else
            LLVMInstructionEraseFromParent(call); /* in an unreachable block */
    }
    if (handler)
        LLVMDeleteFunction(handler);
    LLVMDisposeBuilder(builder);
}
