/* signature.c - each kernel's real C signature, from its debug info.
 *
 * ms_abi gives a kernel one IR parameter for each C parameter. At -O1 clang keeps a DILocalVariable
 * for each of them, in order, in the subprogram's retainedNodes. The packed arguments hold them one
 * after another, each at its type's alignment.
 */
#include "base/manifest.h"
#include "compile/front/front.h"
#include "compile/llvm/llvm.h"
#include <assert.h>
#include <string.h>

enum { ANNOTATED_VALUE, ANNOTATION, ANNOTATION_FILE, ANNOTATION_LINE, ANNOTATION_ARGS };
enum { BLOCK_MAX = 1024, BLOCK_Z_MAX = 64 };

struct reader {
    struct lw__arena *arena;
    LLVMModuleRef module;
    LLVMContextRef context;
    const char *ast_text;
    struct lw__diags *diags;
    struct lw__kernels *kernels;
};

/* ---- helpers --------------------------------------------------------------------------------- */

unsigned lw__param_dims(const struct lw__param *param)
{
    return param->brackets.open ? 0 : param->brackets.count;
}

unsigned lw__kernel_dims(const struct lw__kernel *kernel)
{
    unsigned dims = 0;
    for (unsigned i = 0; i < kernel->param_count; i++)
        dims += lw__param_dims(&kernel->params[i]);
    return dims;
}

/* ---- annotations ---- */

static bool text_is(LLVMValueRef global, const char *text)
{
    LLVMValueRef bytes = LLVMGetInitializer(global);
    size_t length;
    const char *own = LLVMIsConstantString(bytes) ? LLVMGetAsString(bytes, &length) : NULL;
    return own && length == strlen(text) + 1 && memcmp(own, text, length) == 0;
}

static struct lw__kernel *find_kernel(struct lw__kernels *kernels, LLVMValueRef function)
{
    for (size_t i = 0; i < kernels->count; i++)
        if (kernels->rows[i].function == function)
            return &kernels->rows[i];
    return NULL;
}

/* Its place has the word that the source has there. LLVM's name of the function may go before. */
static void name_place(struct lw__kernel *kernel)
{
    const char *word = kernel->name;
    const size_t length = strcspn(word, "<(");
    for (const char *c = word; c < kernel->name + length; c++)
        if (*c == ':')
            word = c + 1;
    kernel->loc.name = word;
    kernel->loc.name_length = (size_t)(kernel->name + length - word);
}

static void add_kernel(struct reader *r, LLVMValueRef function)
{
    if (find_kernel(r->kernels, function))
        return;
    size_t length;
    struct lw__kernel *kernel =
        lw__kernels_add(r->arena, r->kernels, LLVMGetValueName2(function, &length));
    kernel->function = function;
    kernel->loc = lw__loc_of(function);
    name_place(kernel);
    kernel->alias = lw__llvm_word_of(r->arena, function, LW_ALIAS);
}

/* BLOCK(x, y, z): within the limits, and the same at each declaration. */
static void read_block(struct reader *r, struct lw__kernel *kernel, LLVMValueRef arguments)
{
    int64_t size[3] = {1, 1, 1};
    LLVMValueRef values = LLVMGetInitializer(arguments);
    const unsigned count = LLVMCountStructElementTypes(LLVMTypeOf(values));
    if (count > 3) {
        lw__diags_error(r->diags, kernel->loc,
                        "BLOCK of kernel '%s' has %u sizes, 1 to 3 are possible", kernel->name,
                        count);
        return;
    }
    for (unsigned i = 0; i < count; i++) {
        LLVMValueRef value = LLVMGetAggregateElement(values, i);
        size[i] = LLVMIsAConstantInt(value) ? (int64_t)LLVMConstIntGetSExtValue(value) : 0;
    }
    const bool small = size[0] >= 1 && size[1] >= 1 && size[2] >= 1 && size[0] <= BLOCK_MAX &&
                       size[1] <= BLOCK_MAX && size[2] <= BLOCK_Z_MAX;
    if (!small || size[0] * size[1] * size[2] > BLOCK_MAX) {
        lw__diags_error(r->diags, kernel->loc,
                        "BLOCK(%lld, %lld, %lld) of kernel '%s': a block has 1 to %d threads, "
                        "z at most %d",
                        (long long)size[0], (long long)size[1], (long long)size[2], kernel->name,
                        BLOCK_MAX, BLOCK_Z_MAX);
        return;
    }
    for (int i = 0; i < 3; i++) {
        if (kernel->block[i] && kernel->block[i] != size[i]) {
            lw__diags_error(r->diags, kernel->loc, "kernel '%s' has two different BLOCK sizes",
                            kernel->name);
            return;
        }
        kernel->block[i] = (uint32_t)size[i];
    }
}

/* First the kernels, in source order, then their other annotations. */
static void read_annotations(struct reader *r)
{
    /* The rows of llvm.global.annotations: an array; NULL: there is none. */
    LLVMValueRef global = LLVMGetNamedGlobal(r->module, "llvm.global.annotations");
    LLVMValueRef rows = global ? LLVMGetInitializer(global) : NULL;
    const unsigned count = rows ? (unsigned)LLVMGetNumOperands(rows) : 0;
    for (unsigned i = 0; i < count; i++) {
        LLVMValueRef row = LLVMGetOperand(rows, i), value = LLVMGetOperand(row, ANNOTATED_VALUE);
        if (text_is(LLVMGetOperand(row, ANNOTATION), "lw.kernel") && LLVMIsAFunction(value))
            add_kernel(r, value);
    }
    for (unsigned i = 0; i < count; i++) {
        LLVMValueRef row = LLVMGetOperand(rows, i), value = LLVMGetOperand(row, ANNOTATED_VALUE);
        if (!text_is(LLVMGetOperand(row, ANNOTATION), "lw.block"))
            continue;
        struct lw__kernel *kernel = find_kernel(r->kernels, value);
        if (kernel)
            read_block(r, kernel, LLVMGetOperand(row, ANNOTATION_ARGS));
        else
            lw__diags_error(r->diags, lw__loc_of(value), "BLOCK(...) belongs to a KERNEL");
    }
}

/* ---- parameters ---- */

/* Report a type that the host cannot pass. restrictions.c reports types that are refused
 * everywhere. */
static void check_param(struct reader *r, const struct lw__kernel *kernel, LLVMMetadataRef variable,
                        LLVMMetadataRef type, const struct lw__param *param)
{
    LLVMMetadataRef bare = lw__type_strip(r->context, type);
    const unsigned tag = lw__di_tag(bare);
    const char *why = NULL;
    if (lw__type_refused(r->context, bare))
        return;
    if (tag == LW_TAG_POINTER) {
        LLVMMetadataRef pointee = lw__di_operand(r->context, bare, LW_DI_TYPE_BASE);
        LLVMMetadataRef target = lw__type_strip(r->context, lw__type_element(r->context, pointee));
        if (lw__di_tag(target) == LW_TAG_SUBROUTINE)
            why = "function pointers are not in the kernel language";
        else if (lw__di_tag(target) == LW_TAG_POINTER && !lw__ir_is_cuda(r->module))
            why = "a pointer to pointers cannot be passed; pass one buffer";
    } else if (tag == LW_TAG_REFERENCE || tag == LW_TAG_RVALUE_REFERENCE) {
        why = "a reference is to the host's memory; pass a pointer, or the value";
    } else if (lw__type_size(r->context, bare) == 0) {
        why = "it has no size";
    }
    if (!why && param->brackets.too_many)
        why = "it has more than 12 declared sizes";
    if (!why && !*param->layout)
        why = "it is not in the kernel language";
    if (why) {
        struct lw__loc loc = lw__loc_of_variable(kernel->function, variable);
        lw__diags_error(r->diags, loc, "parameter '%s' of kernel '%s' has type '%s': %s",
                        param->name, kernel->name, param->type, why);
    }
}

/* `float [rows][16]` for an array parameter, else the type from the debug info. */
static void spell_param(struct reader *r, LLVMMetadataRef type, const struct lw__brackets *brackets,
                        const char *name, struct lw__text *out)
{
    if (!brackets->text) {
        lw__type_spell(r->context, type, out);
        const bool star = out->length && out->data[out->length - 1] == '*';
        lw__text_add(out, "%s%s", *name && !star ? " " : "", name);
        return;
    }
    LLVMMetadataRef pointer = lw__type_strip(r->context, type);
    LLVMMetadataRef pointee = lw__di_operand(r->context, pointer, LW_DI_TYPE_BASE);
    lw__type_spell(r->context, lw__type_element(r->context, pointee), out);
    const bool star = out->length && out->data[out->length - 1] == '*';
    lw__text_add(out, brackets->pointer ? "%s(*%s)%s" : "%s%s%s", star ? "" : " ", name,
                 brackets->text);
}

static void read_param(struct reader *r, struct lw__kernel *kernel, LLVMMetadataRef variable,
                       struct lw__param *param)
{
    struct lw__text type_text = lw__text_in(r->arena), layout = type_text;
    LLVMMetadataRef type = lw__di_operand(r->context, variable, LW_DI_VARIABLE_TYPE);
    LLVMMetadataRef name_node = lw__di_operand(r->context, variable, LW_DI_VARIABLE_NAME);
    unsigned length = 0;
    const char *name =
        name_node ? LLVMGetMDString(LLVMMetadataAsValue(r->context, name_node), &length) : NULL;
    spell_param(r, type, &param->brackets, "", &type_text);
    lw__type_layout(r->context, type, &layout);
    param->name = lw__copy_bytes(r->arena, name, length);
    param->type = type_text.data;
    param->layout = layout.data;
    const unsigned tag = lw__di_tag(lw__type_strip(r->context, type));
    param->by_value = tag == LW_TAG_STRUCTURE || tag == LW_TAG_UNION || tag == LW_TAG_CLASS;
    param->size = lw__type_size(r->context, type);
    param->align = lw__type_align(r->context, type);
    assert(param->align && !(param->align & (param->align - 1)));
    param->offset = (kernel->arg_bytes + param->align - 1) / param->align * param->align;
    kernel->arg_bytes = param->offset + param->size;
    check_param(r, kernel, variable, type, param);
}

/* Check the kernel as a whole; if true, its parameters can be read. */
static bool check_kernel(struct reader *r, const struct lw__kernel *kernel, LLVMMetadataRef types)
{
    const unsigned count = LLVMCountParams(kernel->function);
    if (lw__di_operand(r->context, types, 0)) {
        lw__diags_error(r->diags, kernel->loc, "kernel '%s' must return void", kernel->name);
        return false;
    }
    if (count > LW_PARAMS_MAX) {
        lw__diags_error(r->diags, kernel->loc,
                        "kernel '%s' has %u parameters, at most %d are possible", kernel->name,
                        count, LW_PARAMS_MAX);
        return false;
    }
    return true;
}

/* False if an attribute keeps clang from describing the function or its parameters. */
static bool is_described(struct reader *r, struct lw__kernel *kernel)
{
    LLVMMetadataRef subprogram = LLVMGetSubprogram(kernel->function);
    LLVMMetadataRef variables =
        subprogram ? lw__di_operand(r->context, subprogram, LW_DI_SUBPROGRAM_RETAINED) : NULL;
    const unsigned count =
        variables ? LLVMGetMDNodeNumOperands(LLVMMetadataAsValue(r->context, variables)) : 0;
    if (subprogram && count >= LLVMCountParams(kernel->function))
        return true;
    lw__diags_error(r->diags,
                    kernel->loc.line ? kernel->loc : lw__front_find(r->diags, kernel->name),
                    "kernel '%s' has an attribute such as naked or nodebug, which kernels cannot "
                    "have",
                    kernel->name);
    return false;
}

static void read_kernel(struct reader *r, struct lw__kernel *kernel)
{
    if (!is_described(r, kernel))
        return;
    LLVMMetadataRef subprogram = LLVMGetSubprogram(kernel->function);
    LLVMMetadataRef variables = lw__di_operand(r->context, subprogram, LW_DI_SUBPROGRAM_RETAINED);
    LLVMMetadataRef type = lw__di_operand(r->context, subprogram, LW_DI_SUBPROGRAM_TYPE);
    if (!check_kernel(r, kernel, lw__di_operand(r->context, type, LW_DI_SUBROUTINE_TYPES)))
        return;
    kernel->param_count = LLVMCountParams(kernel->function);
    assert(!kernel->params && !kernel->arg_bytes);
    kernel->params = lw__new(r->arena, kernel->param_count + 1, sizeof *kernel->params);
    struct lw__brackets *brackets = lw__new(r->arena, kernel->param_count + 1, sizeof *brackets);
    lw__front_prototype(r->arena, r->ast_text, kernel->name, kernel->param_count, brackets);
    for (unsigned i = 0; i < kernel->param_count; i++)
        kernel->params[i].brackets = brackets[i];
    for (unsigned i = 0; i < kernel->param_count; i++)
        read_param(r, kernel, lw__di_operand(r->context, variables, i), &kernel->params[i]);
    const unsigned most = lw__ir_is_cuda(r->module) ? LW_ARG_BYTES_MAX_CUDA : LW_ARG_BYTES_MAX_C;
    if (kernel->arg_bytes > most)
        lw__diags_error(r->diags, kernel->loc,
                        "the parameters of kernel '%s' take %llu bytes, at most %u are possible",
                        kernel->name, (unsigned long long)kernel->arg_bytes, most);
    struct lw__text out = lw__text_in(r->arena);
    const size_t length = strlen(kernel->name); /* the name of an overload has the types */
    const char *types =
        length && kernel->name[length - 1] == ')' ? strrchr(kernel->name, '(') : NULL;
    lw__text_add(&out, "void %.*s(%s", types ? (int)(types - kernel->name) : (int)length,
                 kernel->name, kernel->param_count ? "" : "void");
    for (unsigned i = 0; i < kernel->param_count; i++) {
        struct lw__text one = lw__text_in(r->arena);
        LLVMMetadataRef variable = lw__di_operand(r->context, variables, i);
        spell_param(r, lw__di_operand(r->context, variable, LW_DI_VARIABLE_TYPE),
                    &kernel->params[i].brackets, kernel->params[i].name, &one);
        lw__text_add(&out, "%s%s", i ? ", " : "", one.data);
    }
    lw__text_add(&out, ")");
    kernel->signature = out.data;
}

/* lw__front_signature - fill in *kernels, all zero before, from clang's module. ast_text is the
 * output of clang -ast-print for the same text.
 * owns     the arena has what the rows point to
 */
void lw__front_signature(struct lw__arena *arena, LLVMModuleRef module, const char *ast_text,
                         struct lw__diags *diags, struct lw__kernels *kernels)
{
    struct reader r = {arena, module, LLVMGetModuleContext(module), ast_text, diags, kernels};
    read_annotations(&r);
    size_t kept = 0;
    for (size_t i = 0; i < kernels->count; i++) {
        struct lw__kernel *k = &kernels->rows[i];
        struct lw__kernel_errors errors;
        if (!lw__ir_is_cuda(module)) {
            read_kernel(&r, k);
            kept++;
            continue;
        }
        lw__kernel_errors_begin(diags, &errors);
        read_kernel(&r, k);
        if (lw__kernel_errors_end(diags, &errors, k->name, k->alias))
            lw__ir_remove(k->function);
        else
            kernels->rows[kept++] = *k;
    }
    kernels->count = kept;
}

/* ---- the manifest; the arguments ---- */

static void add_field(struct lw__text *row, const char *text)
{
    lw__row_field(row, text, strlen(text));
    lw__text_add(row, "\t");
}

void lw__front_manifest(const struct lw__kernel *kernel, uint64_t shared_bytes, bool uses_dynamic,
                        uint64_t shared_align, struct lw__text *manifest)
{
    lw__text_add(manifest, "kernel\t");
    add_field(manifest, kernel->name);
    add_field(manifest, kernel->signature);
    lw__text_add(manifest, "%u\t%u\t%u\t%u\t%llu\t%d\t%llu\n", lw__row_line(kernel->loc.line),
                 kernel->block[0], kernel->block[1], kernel->block[2],
                 (unsigned long long)shared_bytes, uses_dynamic,
                 (unsigned long long)kernel->arg_bytes);
    if (shared_align > LW_SHARED_ALIGN_MIN && shared_align <= LW_SHARED_ALIGN)
        lw__text_add(manifest, "align\t%llu\n", (unsigned long long)shared_align);
    if (kernel->follows_addresses)
        lw__text_add(manifest, "addresses\t1\n");
    if (kernel->alias) {
        lw__text_add(manifest, "alias\t");
        lw__row_field(manifest, kernel->alias, strlen(kernel->alias));
        lw__text_add(manifest, "\n");
    }
    for (unsigned i = 0; i < kernel->param_count; i++) {
        const struct lw__param *param = &kernel->params[i];
        lw__text_add(manifest, "param\t");
        add_field(manifest, param->name);
        add_field(manifest, param->type);
        add_field(manifest, param->layout);
        lw__text_add(manifest, "%llu\t%llu\t%u\n", (unsigned long long)param->offset,
                     (unsigned long long)param->size, lw__param_dims(param));
        if (param->is_symbol)
            lw__text_add(manifest, "symbol\t%llu\n", (unsigned long long)param->symbol_bytes);
    }
}

LLVMValueRef lw__front_load_argument(LLVMBuilderRef builder, const struct lw__kernel *kernel,
                                     unsigned index, LLVMValueRef packed)
{
    const struct lw__param *param = &kernel->params[index];
    LLVMTypeRef type = LLVMTypeOf(LLVMGetParam(kernel->function, index));
    LLVMContextRef context = LLVMGetTypeContext(type);
    LLVMTypeRef byte = LLVMInt8TypeInContext(context), word = LLVMInt64TypeInContext(context);
    LLVMValueRef offset = LLVMConstInt(word, param->offset, false);
    LLVMValueRef place = LLVMBuildInBoundsGEP2(builder, byte, packed, &offset, 1, "");
    const unsigned align = (unsigned)param->align;
    if (param->in_place)
        return place;
    if (param->by_value && LLVMGetTypeKind(type) == LLVMPointerTypeKind) {
        LLVMTypeRef bytes = LLVMArrayType2(byte, param->size);
        LLVMValueRef copy = LLVMBuildAlloca(builder, bytes, "");
        LLVMSetAlignment(copy, align);
        LLVMBuildMemCpy(builder, copy, align, place, align, LLVMConstInt(word, param->size, false));
        return copy;
    }
    const bool is_bool =
        LLVMGetTypeKind(type) == LLVMIntegerTypeKind && LLVMGetIntTypeWidth(type) == 1;
    LLVMValueRef value = LLVMBuildLoad2(builder, is_bool ? byte : type, place, "");
    LLVMSetAlignment(value, align);
    if (is_bool) { /* without this LLVM assumes that the host stores 0 or 1 */
        lw__ir_set_range(value, 0, 1);
        value = LLVMBuildICmp(builder, LLVMIntNE, value, LLVMConstNull(byte), "");
    }
    return value;
}
