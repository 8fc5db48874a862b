/* bounds.c - in the reference form, accesses stay within the object of their pointer.
 *
 * base/ref_abi.h defines how a pointer carries the tag of its object. Arguments come with theirs.
 * SHARED variables are taken from the thread's table with it. So are private ones whose address is
 * used by more than accesses. The other private ones and constants have no tag: pointers into them
 * are known here. A check compares, and calls the device if that does not suffice. Then the access
 * itself uses the address without the tag.
 */
#include "compile/ref/ref.h"
#include "compile/llvm/llvm.h"
#include <assert.h>
#include <string.h>

/* The linker's section for constants that hold addresses. Those of other kernels are no objects. */
static const char descriptions[] = ".data.rel.ro";

static LLVMValueRef number(struct lw__ref *r, uint64_t value)
{
    return LLVMConstInt(r->i64, value, 0);
}

/* ---- rows ------------------------------------------------------------------------------------ */

static struct lw__ref_object *add_row(struct lw__ref *r, struct lw__ref_object row)
{
    struct lw__ref_bounds *bounds = &r->bounds;
    bounds->rows =
        lw__one_more(&r->unit->scratch, bounds->rows, bounds->count, sizeof *bounds->rows);
    bounds->rows[bounds->count] = row;
    return &bounds->rows[bounds->count++];
}

static struct lw__ref_object *add_variable(struct lw__ref *r, LLVMValueRef v, uint64_t kind,
                                           LLVMTypeRef type)
{
    struct lw__ref_object row = {.value = v,
                                 .kind = kind,
                                 .name = lw__variable_name(&r->unit->scratch, v),
                                 .bytes = LLVMABISizeOfType(r->data, type),
                                 .element = lw__variable_element(r->data, type),
                                 .fixed = kind != LW_REF_DYNAMIC};
    if (r->extension->describe)
        r->extension->describe(r, v, &row);
    return add_row(r, row);
}

static bool is_check(LLVMValueRef user);

/* The value of a variable that is set once, and otherwise only read; NULL: it is none. */
static LLVMValueRef only_value(LLVMValueRef variable)
{
    LLVMValueRef value = NULL;
    LLVMUseRef u = LLVMIsAAllocaInst(variable) ? LLVMGetFirstUse(variable) : NULL;
    for (; u; u = LLVMGetNextUse(u)) {
        LLVMValueRef user = LLVMGetUser(u);
        const bool sets = LLVMIsAStoreInst(user) && LLVMGetOperand(user, 1) == variable;
        if ((sets && value) ||
            !(sets || LLVMIsALoadInst(user) || is_check(user) || lw__is_lifetime_marker(user)))
            return NULL;
        if (sets)
            value = LLVMGetOperand(user, 0);
    }
    return value;
}

/* The object that the pointer is into; NULL: unknown. For a debugger variables stay in memory; so
 * pointers in variables that are set once are followed, too. */
static const struct lw__ref_object *object_of(struct lw__ref *r, LLVMValueRef pointer)
{
    LLVMValueRef root = lw__ir_object(pointer), value;
    enum { STEPS = 16 }; /* a variable may be set to itself */
    for (int i = 0; i < STEPS && LLVMIsALoadInst(root); i++) {
        value = only_value(LLVMGetOperand(root, 0));
        if (!value)
            break;
        root = lw__ir_object(value);
    }
    for (size_t i = 1; i < r->bounds.count; i++)
        if (r->bounds.rows[i].value == root)
            return &r->bounds.rows[i];
    return NULL;
}

static uint64_t row_of(struct lw__ref *r, const struct lw__ref_object *object)
{
    assert(!object || (object > r->bounds.rows && object < r->bounds.rows + r->bounds.count));
    return object ? (uint64_t)(object - r->bounds.rows) : 0;
}

uint64_t lw__ref_row_of(struct lw__ref *r, LLVMValueRef pointer)
{
    return row_of(r, object_of(r, pointer));
}

/* ---- the thread's table ---------------------------------------------------------------------- */

/* At the builder: the address of a field of the table's row. */
static LLVMValueRef table_field(struct lw__ref *r, LLVMValueRef row, size_t offset)
{
    LLVMValueRef at = LLVMBuildMul(r->b, row, number(r, sizeof(struct lw_ref_object)), "");
    if (offset)
        at = LLVMBuildAdd(r->b, at, number(r, offset), "");
    return LLVMBuildGEP2(r->b, r->i8, r->bounds.table, &at, 1, "");
}

static LLVMValueRef table_base(struct lw__ref *r, LLVMValueRef row)
{
    return LLVMBuildLoad2(r->b, r->i64, table_field(r, row, offsetof(struct lw_ref_object, base)),
                          "");
}

void lw__ref_bounds_open(struct lw__ref *r, const struct lw__kernel *kernel)
{
    assert(!r->bounds.count); /* row 0 is that of nothing, row 1 + i of parameter i */
    add_row(r, (struct lw__ref_object){.kind = LW_REF_NOTHING});
    for (unsigned i = 0; i < kernel->param_count; i++) {
        struct lw__ref_object *row =
            add_row(r, (struct lw__ref_object){.kind = LW_REF_ARGUMENT, .place = i});
        const char *name = kernel->params[i].name;
        row->name = lw__copy(&r->unit->scratch, name ? name : "");
        row->origin = kernel->params[i].origin;
    }
    r->bounds.table = lw__ref_load(r, r->ptr, FIELD(objects));
}

void lw__ref_bounds_argument(struct lw__ref *r, unsigned index, LLVMValueRef value)
{
    struct lw__ref_object *row = &r->bounds.rows[1 + index];
    assert(1 + index < r->bounds.count && row->kind == LW_REF_ARGUMENT && row->place == index);
    if (LLVMIsAAllocaInst(value))
        LLVMSetValueName2(value, row->name, strlen(row->name));
    else if (LLVMGetTypeKind(LLVMTypeOf(value)) == LLVMPointerTypeKind)
        row->value = value;
}

void lw__ref_bounds_shared(struct lw__ref *r, struct lw__shared_layout *layout)
{
    layout->places = lw__new(&r->unit->scratch, layout->count + 1, sizeof *layout->places);
    for (size_t i = 0; i < layout->count; i++) {
        LLVMValueRef global = layout->globals[i];
        const bool dynamic = lw__ir_in_section(global, "lw.dynshared");
        struct lw__ref_object *row = add_variable(
            r, global, dynamic ? LW_REF_DYNAMIC : LW_REF_SHARED, LLVMGlobalGetValueType(global));
        row->place = layout->offsets[i];
        LLVMValueRef base = table_base(r, number(r, row_of(r, row)));
        row->value = layout->places[i] = LLVMBuildIntToPtr(r->b, base, r->ptr, "");
    }
}

/* ---- private variables ----------------------------------------------------------------------- */

static bool is_check(LLVMValueRef user)
{
    return lw__is_access_check(user) || lw__is_index_check(user);
}

/* Replace all uses of the variable by a pointer with its tag, and enter it in the thread's
 * table. */
static void give_tag(struct lw__ref *r, LLVMValueRef variable, struct lw__ref_object *row)
{
    bool has_end = false;
    LLVMValueRef at = number(r, row_of(r, row)), place = table_field(r, at, 0);
    LLVMValueRef address = LLVMBuildPtrToInt(r->b, variable, r->i64, "");
    LLVMValueRef base = LLVMBuildOr(r->b, address, LLVMBuildLoad2(r->b, r->i64, place, ""), "");
    LLVMBuildStore(r->b, base, place);
    row->value = LLVMBuildIntToPtr(r->b, base, r->ptr, "");
    for (LLVMUseRef u = LLVMGetFirstUse(variable), next; u; u = next) {
        LLVMValueRef user = LLVMGetUser(u);
        next = LLVMGetNextUse(u);
        if (user == address || LLVMGetInstructionParent(user) == r->co.body)
            continue; /* a use by the code above, which needs no tag */
        if (lw__is_lifetime_marker(user)) {
            while (next && LLVMGetUser(next) == user)
                next = LLVMGetNextUse(next);
            /* At the start and the end of a helper: set the row's size to the variable's, or to
             * none. */
            const bool starts = lw__ir_calls(user, LW_LLVM_lifetime_start);
            LLVMBasicBlockRef here = LLVMGetInsertBlock(r->b);
            LLVMPositionBuilderBefore(r->b, user);
            LLVMValueRef size =
                table_field(r, number(r, row_of(r, row)), offsetof(struct lw_ref_object, bytes));
            LLVMBuildStore(r->b, number(r, starts ? row->bytes : 0), size);
            LLVMPositionBuilderBefore(r->b, LLVMGetBasicBlockTerminator(here));
            LLVMInstructionEraseFromParent(user);
            has_end = true;
            continue;
        }
        for (int k = 0; k < LLVMGetNumOperands(user); k++)
            if (LLVMGetOperand(user, (unsigned)k) == variable) {
                LLVMSetOperand(user, (unsigned)k, row->value);
                next = LLVMGetFirstUse(variable);
            }
    }
    r->bounds.has_private = true;
    row->fixed = !has_end;
}

static void find_private(struct lw__ref *r, bool escaping)
{
    EACH_INSTRUCTION(i, r->co.entry) {
        bool checked = false;
        if (!LLVMIsAAllocaInst(i))
            continue;
        const bool does = lw__variable_escapes(i, &checked);
        if (escaping ? !does : does || !checked)
            continue;
        if (row_of(r, object_of(r, i)))
            continue;
        struct lw__ref_object *row = add_variable(r, i, LW_REF_PRIVATE, LLVMGetAllocatedType(i));
        if (does)
            give_tag(r, i, row);
    }
}

bool lw__ref_bounds_variables(struct lw__ref *r)
{
    find_private(r, true);
    r->bounds.objects = 1;
    while (r->bounds.objects < r->bounds.count)
        r->bounds.objects *= 2;
    if (r->bounds.objects > LW_REF_OBJECTS_MAX)
        return lw__defect("a kernel has %zu arrays that pointers point to, at most %d are possible",
                          r->bounds.count, LW_REF_OBJECTS_MAX);
    while (r->bounds.count < r->bounds.objects)
        add_row(r, (struct lw__ref_object){.kind = LW_REF_NOTHING});
    find_private(r, false);
    EACH_GLOBAL(g, r->unit->module)
        if (LLVMIsGlobalConstant(g) && LLVMGetInitializer(g) && !lw__ir_is_shared(g) &&
            !lw__ir_in_section(g, descriptions))
            add_variable(r, g, LW_REF_CONSTANT, LLVMGlobalGetValueType(g));
    return true;
}

/* ---- addresses without tags ------------------------------------------------------------------ */

static bool may_have_tag(LLVMValueRef pointer)
{
    LLVMValueRef root = lw__ir_object(pointer);
    return !LLVMIsAAllocaInst(root) && !LLVMIsAGlobalVariable(root) &&
           !LLVMIsAConstantPointerNull(root);
}

static LLVMValueRef address_bits(struct lw__ref *r, LLVMValueRef bits)
{
    return LLVMBuildAnd(r->b, bits, number(r, (UINT64_C(1) << LW_REF_ADDRESS_BITS) - 1), "");
}

static void strip(struct lw__ref *r, LLVMValueRef i, unsigned operand)
{
    LLVMValueRef p = LLVMGetOperand(i, operand);
    if (LLVMGetTypeKind(LLVMTypeOf(p)) != LLVMPointerTypeKind || !may_have_tag(p))
        return;
    LLVMPositionBuilderBefore(r->b, i);
    LLVMValueRef bits = address_bits(r, LLVMBuildPtrToInt(r->b, p, r->i64, ""));
    LLVMSetOperand(i, operand, LLVMBuildIntToPtr(r->b, bits, r->ptr, ""));
}

static void strip_instruction(struct lw__ref *r, LLVMValueRef i)
{
    const char *name = lw__ir_callee(i);
    if (LLVMIsALoadInst(i) || LLVMIsAAtomicRMWInst(i) || LLVMIsAAtomicCmpXchgInst(i))
        strip(r, i, 0);
    else if (LLVMIsAStoreInst(i))
        strip(r, i, 1);
    else if (LLVMIsAICmpInst(i) || !strncmp(name, "llvm.mem", 8))
        strip(r, i, 0), strip(r, i, 1);
    else if (lw__ir_prints(i))
        for (unsigned k = 0; k < LLVMGetNumArgOperands(i); k++)
            strip(r, i, k);
    else if (LLVMGetInstructionOpcode(i) == LLVMSub) {
        /* The difference of two pointers: they may be to one buffer by two arguments. */
        LLVMValueRef a = LLVMGetOperand(i, 0), b = LLVMGetOperand(i, 1);
        if (!LLVMIsAPtrToIntInst(a) || !LLVMIsAPtrToIntInst(b) || LLVMTypeOf(a) != r->i64)
            return;
        LLVMPositionBuilderBefore(r->b, i);
        LLVMSetOperand(i, 0, address_bits(r, a));
        LLVMSetOperand(i, 1, address_bits(r, b));
    }
}

void lw__ref_bounds_strip(struct lw__ref *r)
{
    LLVMBasicBlockRef block = LLVMGetNextBasicBlock(r->co.body);
    for (; block; block = LLVMGetNextBasicBlock(block))
        EACH_INSTRUCTION(i, block)
            strip_instruction(r, i);
}

/* ---- checks ---------------------------------------------------------------------------------- */

LLVMBasicBlockRef lw__ref_refused(struct lw__ref *r)
{
    if (r->bounds.refused)
        return r->bounds.refused;
    LLVMBasicBlockRef here = LLVMGetInsertBlock(r->b);
    r->bounds.refused = LLVMAppendBasicBlockInContext(r->unit->context, r->co.function, "refused");
    LLVMPositionBuilderAtEnd(r->b, r->bounds.refused);
    lw__ref_store32(r, LW_REF_FAILED, FIELD(state));
    LLVMBuildBr(r->b, r->co.final);
    LLVMPositionBuilderAtEnd(r->b, here);
    return r->bounds.refused;
}

/* The record for the device; the slot of the calls is given its address. */
static LLVMValueRef record(struct lw__ref *r)
{
    if (r->bounds.record)
        return r->bounds.record;
    LLVMBuilderRef entry = LLVMCreateBuilderInContext(r->unit->context);
    LLVMPositionBuilderBefore(entry, LLVMGetFirstInstruction(r->co.entry));
    enum { WORDS = (sizeof(struct lw_ref_index) + 7) / 8 };
    _Static_assert(sizeof(struct lw_ref_index) >= sizeof(struct lw_ref_access), "room for both");
    r->bounds.record = LLVMBuildAlloca(entry, LLVMArrayType2(r->i64, WORDS), "");
    LLVMDisposeBuilder(entry);
    return r->bounds.record;
}

static void put(struct lw__ref *r, LLVMValueRef value, size_t offset)
{
    LLVMValueRef index = number(r, offset);
    LLVMBuildStore(r->b, value, LLVMBuildGEP2(r->b, r->i8, record(r), &index, 1, ""));
}

static LLVMValueRef call_device(struct lw__ref *r, size_t slot, LLVMTypeRef result)
{
    return lw__ref_call(r, slot, result, (LLVMValueRef[]){record(r)}, 1);
}

static LLVMValueRef either(struct lw__ref *r, LLVMValueRef offset, LLVMValueRef size,
                           LLVMValueRef bytes)
{
    LLVMValueRef behind = LLVMBuildICmp(r->b, LLVMIntUGT, offset, size, "");
    LLVMValueRef left = LLVMBuildSub(r->b, size, offset, "");
    return LLVMBuildOr(r->b, behind, LLVMBuildICmp(r->b, LLVMIntULT, left, bytes, ""), "");
}

/* True if the access is out of bounds; *base is the start of the object that it should be in. */
static LLVMValueRef is_outside(struct lw__ref *r, const struct lw__ref_object *object,
                               LLVMValueRef pointer, LLVMValueRef bytes, LLVMValueRef *base)
{
    LLVMValueRef bits = LLVMBuildPtrToInt(r->b, pointer, r->i64, "");
    if (object && object->fixed) {
        *base = LLVMBuildPtrToInt(r->b, object->value, r->i64, "");
        LLVMValueRef offset = LLVMBuildSub(r->b, bits, *base, "");
        const uint64_t n = LLVMIsAConstantInt(bytes) ? LLVMConstIntGetZExtValue(bytes) : 0;
        if (n && n <= object->bytes)
            return LLVMBuildICmp(r->b, LLVMIntUGT, offset, number(r, object->bytes - n), "");
        return either(r, offset, number(r, object->bytes), bytes);
    }
    LLVMValueRef row = number(r, row_of(r, object));
    if (!object) {
        LLVMValueRef tag = LLVMBuildLShr(r->b, bits, number(r, LW_REF_ADDRESS_BITS), "");
        row = LLVMBuildAnd(r->b, tag, number(r, r->bounds.objects - 1), "");
    }
    *base = table_base(r, row);
    LLVMValueRef size = LLVMBuildLoad2(
        r->b, r->i64, table_field(r, row, offsetof(struct lw_ref_object, bytes)), "");
    return either(r, LLVMBuildSub(r->b, bits, *base, ""), size, bytes);
}

static LLVMBasicBlockRef block_before(struct lw__ref *r, LLVMBasicBlockRef tail)
{
    return LLVMInsertBasicBlockInContext(r->unit->context, tail, "");
}

const char *lw__ref_check_name(LLVMValueRef check)
{
    static const char *const names[] = {"read", "write", "atomic"};
    return lw__is_access_check(check)
               ? names[LLVMConstIntGetZExtValue(LLVMGetOperand(check, 2)) & 3]
               : "index";
}

static void lower_access(struct lw__ref *r, LLVMValueRef call)
{
    LLVMValueRef pointer = LLVMGetOperand(call, 0), bytes = LLVMGetOperand(call, 1), base;
    const uint64_t kind = LLVMConstIntGetZExtValue(LLVMGetOperand(call, 2));
    const bool ended = kind & LW_ACCESS_ENDED;
    if (LLVMIsUndef(pointer)) /* it was never set: report it always */
        pointer = LLVMConstNull(r->ptr);
    const struct lw__ref_object *object = object_of(r, pointer);
    if (object && object->fixed && !ended && LLVMIsAConstantInt(bytes) &&
        lw__ir_object(pointer) == object->value &&
        lw__is_within(r->data, pointer, LLVMConstIntGetZExtValue(bytes), object->bytes))
        return;
    LLVMBasicBlockRef head = lw__ir_split_before(call), tail = LLVMGetInstructionParent(call);
    LLVMPositionBuilderAtEnd(r->b, head);
    LLVMSetCurrentDebugLocation2(r->b, LLVMInstructionGetDebugLoc(call));
    if (r->extension->skip)
        r->extension->skip(r, call, tail);
    LLVMValueRef outside = is_outside(r, object, pointer, bytes, &base);
    if (ended)
        outside = LLVMConstInt(LLVMTypeOf(outside), 1, 0);
    LLVMBasicBlockRef ask = block_before(r, tail);
    lw__ir_set_rare(LLVMBuildCondBr(r->b, outside, ask, tail));
    LLVMPositionBuilderAtEnd(r->b, ask);
    put(r, LLVMBuildPtrToInt(r->b, pointer, r->i64, ""), offsetof(struct lw_ref_access, pointer));
    put(r, bytes, offsetof(struct lw_ref_access, bytes));
    put(r, number(r, row_of(r, object)), offsetof(struct lw_ref_access, row));
    put(r, base, offsetof(struct lw_ref_access, base));
    put(r, LLVMConstInt(r->i32, lw__ir_site(r->unit, call, lw__ref_check_name(call)), 0),
        offsetof(struct lw_ref_access, site));
    LLVMValueRef allowed = call_device(r, CALL(access), r->i32);
    LLVMValueRef no = LLVMBuildICmp(r->b, LLVMIntEQ, allowed, LLVMConstInt(r->i32, 0, 0), "");
    LLVMBuildCondBr(r->b, no, lw__ref_refused(r), tail);
}

static void lower_index(struct lw__ref *r, LLVMValueRef call)
{
    LLVMValueRef ok = LLVMGetOperand(call, LW_INDEX_OK),
                 pointer = LLVMGetOperand(call, LW_INDEX_POINTER);
    LLVMBasicBlockRef head = lw__ir_split_before(call), tail = LLVMGetInstructionParent(call);
    LLVMBasicBlockRef tell = block_before(r, tail);
    LLVMPositionBuilderAtEnd(r->b, head);
    LLVMSetCurrentDebugLocation2(r->b, LLVMInstructionGetDebugLoc(call));
    if (r->extension->skip)
        r->extension->skip(r, call, tail);
    LLVMBuildCondBr(r->b, ok, tail, tell);
    LLVMPositionBuilderAtEnd(r->b, tell);
    put(r, LLVMGetOperand(call, LW_INDEX_NUMBER), offsetof(struct lw_ref_index, index));
    put(r, LLVMGetOperand(call, LW_INDEX_COUNT), offsetof(struct lw_ref_index, count));
    put(r, LLVMBuildPtrToInt(r->b, pointer, r->i64, ""), offsetof(struct lw_ref_index, pointer));
    put(r, number(r, row_of(r, object_of(r, pointer))), offsetof(struct lw_ref_index, row));
    put(r, LLVMConstInt(r->i32, lw__ir_site(r->unit, call, lw__ref_check_name(call)), 0),
        offsetof(struct lw_ref_index, site));
    put(r, LLVMGetOperand(call, LW_INDEX_AXIS), offsetof(struct lw_ref_index, axis));
    call_device(r, CALL(index), r->none);
    LLVMBuildBr(r->b, lw__ref_refused(r));
}

bool lw__ref_lower_check(struct lw__ref *r, LLVMValueRef call)
{
    if (!is_check(call))
        return false;
    if (lw__is_access_check(call))
        lower_access(r, call);
    else
        lower_index(r, call);
    LLVMInstructionEraseFromParent(call);
    return true;
}

/* ---- tables for the device ------------------------------------------------------------------- */

LLVMValueRef lw__ref_constant(struct lw__ref *r, LLVMValueRef initial, const char *name)
{
    LLVMValueRef g = LLVMAddGlobal(r->unit->module, LLVMTypeOf(initial), name);
    LLVMSetInitializer(g, initial);
    LLVMSetGlobalConstant(g, 1);
    LLVMSetSection(g, descriptions);
    LLVMSetAlignment(g, sizeof(uint64_t));
    if (!*name)
        LLVMSetLinkage(g, LLVMPrivateLinkage);
    return g;
}

/* A name; in code for a picture the layout after its NUL. */
static LLVMValueRef text_of(struct lw__ref *r, const char *name, const char *layout)
{
    LLVMContextRef c = r->unit->context;
    struct lw__text text = lw__text_in(&r->unit->scratch);
    if (!lw__has(r->unit, LW_IS_RECORDED))
        return LLVMConstStringInContext2(c, name, strlen(name), 0);
    lw__text_add_bytes(&text, name, strlen(name) + 1);
    lw__text_add(&text, "%s", layout ? layout : "");
    return LLVMConstStringInContext2(c, text.data, text.length, 0);
}

static LLVMValueRef describe_row(struct lw__ref *r, const struct lw__ref_object *row)
{
    const char *name = row->name ? row->name : "";
    LLVMContextRef c = r->unit->context;
    LLVMValueRef text = lw__ref_constant(r, text_of(r, name, row->layout), "");
    LLVMValueRef place = row->kind == LW_REF_CONSTANT ? LLVMConstPtrToInt(row->value, r->i64)
                                                      : number(r, row->place);
    return LLVMConstStructInContext(
        c,
        (LLVMValueRef[]){text,
                         number(r, row->kind | (uint64_t)row->written << 16 | row->origin << 32),
                         place, number(r, row->bytes), number(r, row->element)},
        5, 0);
}

/* lw.objects.K, a struct lw_ref_kernel. */
void lw__ref_bounds_describe(struct lw__ref *r, const struct lw__kernel *kernel)
{
    _Static_assert(sizeof(struct lw_ref_row) == 40 && sizeof(struct lw_ref_kernel) == 40, "layout");
    LLVMContextRef c = r->unit->context;
    LLVMValueRef *rows = lw__new(&r->unit->scratch, r->bounds.count, sizeof(LLVMValueRef));
    for (size_t i = 0; i < r->bounds.count; i++)
        rows[i] = describe_row(r, &r->bounds.rows[i]);
    LLVMValueRef all = LLVMConstArray2(LLVMTypeOf(rows[0]), rows, r->bounds.count);
    LLVMValueRef fields[] = {r->co.function, number(r, r->bounds.objects),
                             number(r, r->bounds.count), lw__ref_constant(r, all, ""),
                             number(r, r->bounds.has_private)};
    lw__ref_constant(r, LLVMConstStructInContext(c, fields, 5, 0),
                     lw__format(&r->unit->scratch, "lw.objects.%s", kernel->name));
}
