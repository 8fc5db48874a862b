/* screen.c - the screens of a program, beside the exact form of its kernels.
 *
 * The pass `screen` works on a copy of the module as it is before `declare`. It keeps the kernels
 * that can be screened, and makes common bitcode of them, as a program for `cpu` has it. The device
 * has that compiled for a block's size when a launch is large enough to be worth it.
 *
 * A screen K has the parameters of K, and the record of base/screen_abi.h.
 */
#include "compile/check/screen/screen.h"
#include "compile/check/check.h"
#include "compile/common/common.h"
#include "compile/llvm/llvm.h"
#include <assert.h>
#include <llvm-c/BitWriter.h>
#include <stddef.h>
#include <string.h>

void lw__screen_set_at(struct lw__screen *s, LLVMValueRef at)
{
    s->at = at;
    LLVMPositionBuilderBefore(s->b, at);
}

/* ---- stopping -------------------------------------------------------------------------------- */

void lw__screen_require(struct lw__screen *s, LLVMValueRef ok)
{
    if (lw__ir_is_truth(ok, true))
        return;
    LLVMBasicBlockRef head = lw__ir_split_before(s->at), tail = LLVMGetInstructionParent(s->at);
    LLVMBasicBlockRef bad = LLVMInsertBasicBlockInContext(s->unit->context, tail, "");
    LLVMPositionBuilderAtEnd(s->b, head);
    lw__ir_set_rare(LLVMBuildCondBr(s->b, LLVMBuildNot(s->b, ok, ""), bad, tail));
    LLVMPositionBuilderAtEnd(s->b, bad);
    LLVMValueRef call = lw__ir_call(s->b, s->unit->module, LW_SUSPECT,
                                    LLVMVoidTypeInContext(s->unit->context), NULL, 0);
    lw__llvm_attribute(LLVMGetCalledValue(call), "nounwind", true);
    lw__llvm_attribute(LLVMGetCalledValue(call), "noreturn", true);
    LLVMBuildUnreachable(s->b);
    LLVMPositionBuilderBefore(s->b, s->at);
}

/* ---- rows ------------------------------------------------------------------------------------ */

static void note_use(struct lw__screen *s, LLVMValueRef i)
{
    struct lw__screen_access a;
    struct lw__screen_row *row =
        lw__screen_access_of(s, i, &a) ? lw__screen_row_of(s, a.object) : NULL;
    if (!row)
        return;
    row->says.uses |= a.use;
    row->operations |= a.operation;
    if (!row->says.granule || a.bytes < row->says.granule)
        row->says.granule = (uint32_t)a.bytes;
}

static void find_rows(struct lw__screen *s)
{
    const unsigned params = s->kernel->param_count;
    struct lw__shared_layout shared;
    lw__shared_layout(s->unit, s->function, &shared);
    s->row_count = params + shared.count;
    s->rows = lw__new(&s->unit->scratch, s->row_count + 1, sizeof *s->rows);
    for (unsigned i = 0; i < params; i++)
        s->rows[i].value = LLVMGetParam(s->function, i);
    for (size_t i = 0; i < shared.count; i++) {
        struct lw__screen_row *row = &s->rows[params + i];
        row->value = shared.globals[i];
        row->says.bytes = LLVMABISizeOfType(s->data, LLVMGlobalGetValueType(row->value));
    }
    EACH_INSTRUCTION_OF(i, s->function)
        note_use(s, i);
    for (size_t i = 0; i < s->row_count; i++) /* only checked, never accessed */
        if (!s->rows[i].says.granule)
            s->rows[i].says.granule = 1;
}

/* ---- the record ------------------------------------------------------------------------------ */

static LLVMValueRef field(struct lw__screen *s, LLVMTypeRef type, size_t offset)
{
    LLVMValueRef at = LLVMConstInt(s->i64, offset, 0);
    return LLVMBuildLoad2(s->b, type, LLVMBuildGEP2(s->b, s->i8, s->record, &at, 1, ""), "");
}

static void load_cells(struct lw__screen *s, size_t at, LLVMValueRef cells[2])
{
    cells[0] = field(s, s->ptr, at);
    cells[1] = field(s, s->ptr, at + offsetof(struct lw_screen_cells, again));
}

static LLVMValueRef index_of(struct lw__screen *s, const char *name)
{
    LLVMValueRef call = lw__ir_call(s->b, s->unit->module, name, s->i32, NULL, 0);
    LLVMAttributeRef memory =
        LLVMCreateEnumAttribute(s->unit->context, LLVMGetEnumAttributeKindForName("memory", 6), 0);
    lw__llvm_attribute(LLVMGetCalledValue(call), "nounwind", true);
    LLVMAddAttributeAtIndex(LLVMGetCalledValue(call), LLVMAttributeFunctionIndex, memory);
    return call;
}

static void open_record(struct lw__screen *s)
{
    LLVMValueRef at = LLVMGetFirstInstruction(LLVMGetEntryBasicBlock(s->function));
    while (LLVMIsAAllocaInst(at))
        at = LLVMGetNextInstruction(at);
    lw__screen_set_at(s, at);
    s->record = LLVMGetParam(s->function, s->kernel->param_count - 1);
    assert(s->kernel->param_count == LLVMCountParams(s->function)); /* the record is the last */
    s->now = LLVMBuildAlloca(s->b, s->i32, "");
    s->count = LLVMBuildAlloca(s->b, s->i64, "");
    s->first = field(s, s->i32, offsetof(struct lw_screen_record, first));
    /* x fastest. */
    LLVMValueRef x = index_of(s, "lw.thread_idx.x"), y = index_of(s, "lw.thread_idx.y");
    LLVMValueRef z = index_of(s, "lw.thread_idx.z");
    LLVMValueRef rows = LLVMBuildMul(s->b, z, index_of(s, "lw.block_dim.y"), "");
    rows = LLVMBuildAdd(s->b, rows, y, "");
    rows = LLVMBuildMul(s->b, rows, index_of(s, "lw.block_dim.x"), "");
    s->thread = LLVMBuildAdd(s->b, rows, x, "");
    for (size_t i = 0; i < s->row_count; i++) {
        const size_t at =
            offsetof(struct lw_screen_record, objects) + i * sizeof(struct lw_screen_object);
        struct lw__screen_row *row = &s->rows[i];
        load_cells(s, at + offsetof(struct lw_screen_object, written), row->written);
        load_cells(s, at + offsetof(struct lw_screen_object, read), row->read);
        load_cells(s, at + offsetof(struct lw_screen_object, updated), row->updated);
        row->granules = LLVMIsAGlobalVariable(row->value) && row->says.bytes
                            ? LLVMConstInt(s->i64, row->says.bytes / row->says.granule, 0)
                            : field(s, s->i64, at + offsetof(struct lw_screen_object, granules));
    }
    LLVMBuildStore(s->b, s->first, s->now);
    LLVMBuildStore(s->b, LLVMConstNull(s->i64), s->count);
}

/* ---- the code -------------------------------------------------------------------------------- */

static void check(struct lw__screen *s, LLVMValueRef i)
{
    const char *name = lw__ir_callee(i);
    const enum lw__op op = lw__ir_collective(i, NULL);
    if (lw__is_access_check(i)) {
        lw__screen_check_bounds(s, i);
    } else if (lw__is_index_check(i) || lw__is_promise(i) || !strcmp(name, LW_OVERFLOW)) {
        lw__screen_set_at(s, i);
        lw__screen_require(s, LLVMGetOperand(i, 0));
        LLVMInstructionEraseFromParent(i);
    } else if (op && lw__op_table[op].block) {
        lw__screen_set_at(s, LLVMGetNextInstruction(i));
        lw__screen_advance(s);
    } else if (LLVMIsAReturnInst(i)) {
        /* The thread's accesses are counted in the record. */
        lw__screen_set_at(s, i);
        LLVMValueRef at = LLVMConstInt(s->i64, offsetof(struct lw_screen_record, accesses), 0);
        LLVMValueRef count = LLVMBuildLoad2(s->b, s->i64, s->count, "");
        LLVMBuildAtomicRMW(s->b, LLVMAtomicRMWBinOpAdd,
                           LLVMBuildGEP2(s->b, s->i8, s->record, &at, 1, ""), count,
                           LLVMAtomicOrderingMonotonic, 0);
    } else {
        lw__screen_check_access(s, i);
    }
}

/* ---- what the program has -------------------------------------------------------------------- */

/* The exact form takes what is in other sections for constants of a kernel. */
static LLVMValueRef constant(LLVMModuleRef module, LLVMValueRef value, const char *name)
{
    enum { ALIGN = 16 };
    LLVMValueRef g = LLVMAddGlobal(module, LLVMTypeOf(value), name);
    LLVMSetInitializer(g, value);
    LLVMSetGlobalConstant(g, 1);
    LLVMSetSection(g, ".data.rel.ro");
    LLVMSetAlignment(g, ALIGN);
    if (!*name)
        LLVMSetLinkage(g, LLVMInternalLinkage);
    return g;
}

/* struct lw_screen_kernel, in the module of the exact form. */
static void describe(const struct lw__screen *s, LLVMModuleRef module)
{
    LLVMContextRef c = s->unit->context;
    LLVMTypeRef parts[] = {s->i32, s->i32, s->i64}, row = LLVMStructTypeInContext(c, parts, 3, 0);
    LLVMValueRef *rows = lw__new(&s->unit->scratch, s->row_count + 1, sizeof(LLVMValueRef));
    for (size_t i = 0; i < s->row_count; i++) {
        const struct lw_screen_row *says = &s->rows[i].says;
        LLVMValueRef fields[] = {LLVMConstInt(s->i32, says->granule, 0),
                                 LLVMConstInt(s->i32, says->uses, 0),
                                 LLVMConstInt(s->i64, says->bytes, 0)};
        rows[i] = LLVMConstStructInContext(c, fields, 3, 0);
    }
    LLVMValueRef all = constant(module, LLVMConstArray2(row, rows, s->row_count), "");
    LLVMValueRef fields[] = {LLVMConstInt(s->i64, s->kernel->arg_bytes, 0),
                             LLVMConstInt(s->i64, s->kernel->param_count - 1, 0),
                             LLVMConstInt(s->i64, s->row_count, 0), all};
    constant(module, LLVMConstStructInContext(c, fields, 4, 0),
             lw__format(&s->unit->scratch, "lw.screen.%s", s->kernel->name));
}

/* ---- the pass -------------------------------------------------------------------------------- */

/* False: the kernel cannot be screened. */
static bool screen_kernel(struct lw__unit *unit, struct lw__kernel *kernel, LLVMModuleRef exact)
{
    LLVMContextRef c = unit->context;
    struct lw__screen s = {.unit = unit,
                           .kernel = kernel,
                           .function = kernel->function,
                           .b = LLVMCreateBuilderInContext(c),
                           .data = LLVMGetModuleDataLayout(unit->module),
                           .i1 = LLVMInt1TypeInContext(c),
                           .i8 = LLVMInt8TypeInContext(c),
                           .i32 = LLVMInt32TypeInContext(c),
                           .i64 = LLVMInt64TypeInContext(c),
                           .ptr = LLVMPointerTypeInContext(c, 0)};
    lw__where_kernel(unit, kernel);
    find_rows(&s);
    const bool is_possible = lw__screen_is_possible(&s);
    if (is_possible) {
        /* The same function with one parameter more. */
        s.function = lw__add_record(s.unit, &s.unit->scratch, s.kernel, 0);
        for (unsigned i = 0; i + 1 < s.kernel->param_count; i++)
            s.rows[i].value = LLVMGetParam(s.function, i);
        size_t count;
        lw__screen_plain_overflows(&s);
        lw__screen_end_loops(&s);
        open_record(&s);
        lw__screen_follow_private(&s);
        LLVMValueRef *list = lw__ir_list(&s.unit->scratch, s.function, NULL, &count);
        for (size_t i = 0; i < count; i++)
            check(&s, list[i]);
        describe(&s, exact);
    }
    LLVMDisposeBuilder(s.b);
    return is_possible;
}

/* What a screen needs of a kernel. */
static void copy_kernels(struct lw__unit *unit, LLVMModuleRef module, struct lw__kernels *to)
{
    for (size_t i = 0; i < unit->kernels.count; i++) {
        const struct lw__kernel *k = &unit->kernels.rows[i];
        struct lw__kernel *copy = lw__kernels_add(&unit->scratch, to, k->name);
        copy->params = lw__new(&unit->scratch, k->param_count + 1, sizeof *copy->params);
        copy->function = LLVMGetNamedFunction(module, k->name);
        copy->loc = k->loc;
        copy->arg_bytes = k->arg_bytes;
        memcpy(copy->block, k->block, sizeof copy->block);
        for (; copy->param_count < k->param_count; copy->param_count++) {
            const struct lw__param *p = &k->params[copy->param_count];
            copy->params[copy->param_count] =
                (struct lw__param){.name = lw__copy(&unit->scratch, p->name ? p->name : ""),
                                   .offset = p->offset,
                                   .size = p->size,
                                   .align = p->align,
                                   .by_value = p->by_value};
        }
    }
}

/* In the copy, which is unit's module for now. */
static bool run_passes(struct lw__unit *unit, LLVMModuleRef exact)
{
    if (!lw__pass_declare(unit) || !lw__pass_access(unit))
        return false;
    /* The copy's kernels, as far as they can be screened. */
    struct lw__kernels *kernels = &unit->kernels;
    size_t kept = 0;
    for (size_t i = 0; i < kernels->count; i++) {
        struct lw__kernel *k = &kernels->rows[i];
        if (screen_kernel(unit, k, exact))
            kernels->rows[kept++] = *k;
        else
            LLVMDeleteFunction(k->function);
    }
    kernels->count = kept;
    if (!unit->kernels.count)
        return true;
    if (!lw__pass_clean(unit))
        return false;
    LLVMMemoryBufferRef bitcode = lw__common_bitcode(unit);
    const size_t bytes = LLVMGetBufferSize(bitcode);
    constant(exact, LLVMConstStringInContext2(unit->context, LLVMGetBufferStart(bitcode), bytes, 1),
             "lw.common");
    constant(exact, LLVMConstInt(LLVMInt64TypeInContext(unit->context), bytes, 0),
             "lw.common.bytes");
    LLVMDisposeMemoryBuffer(bitcode);
    return true;
}

/* lw__pass_screen - screens of the kernels, as constants of the module. Not where a stage is shown.
 * needs ENTERED
 */
bool lw__pass_screen(struct lw__unit *unit)
{
    LLVMModuleRef exact = unit->module;
    struct lw__kernels kernels = unit->kernels, copies = {0};
    if (unit->options->show)
        return true;
    LLVMModuleRef copy = LLVMCloneModule(exact);
    copy_kernels(unit, copy, &copies);
    unit->module = copy;
    unit->kernels = copies;
    const bool ok = run_passes(unit, exact);
    unit->module = exact;
    unit->kernels = kernels;
    LLVMDisposeModule(copy);
    return ok;
}
