/* bitcode.c - the common bitcode out and in again: what a cpu program is built from at a launch.
 *
 * Kernels are compiled for the cpu once their block is known (base/cpu_abi.h). The shared object of
 * a program holds the bitcode of all of them; with it go, as metadata, the facts that only clang's
 * module and text had:
 *
 *     !lw.kernels = !{!0, ...}      one node a kernel
 *     !0 = !{ptr @K, !"K", block x, y, z, bytes of the arguments,
 *            name, offset, size, align, by value,  ... of each parameter}
 *
 * Types, layouts and declared sizes have done their duty by then (describe, sizes).
 */
#include "base/nearest.h"
#include "base/manifest.h"
#include "compile/common/common.h"
#include "compile/llvm/llvm.h"
#include <assert.h>
#include <llvm-c/BitReader.h>
#include <llvm-c/BitWriter.h>
#include <string.h>

enum {
    KERNEL_FIELDS = 6,
    PARAM_FIELDS = 5,
    FIELDS_MAX = KERNEL_FIELDS + PARAM_FIELDS * (LW_PARAMS_MAX + 1), /* and a record */
    SHOWN_BLOCK = 256
};
static const char list_name[] = "lw.kernels";

/* ---- out ------------------------------------------------------------------------------------- */

static LLVMValueRef number(struct lw__unit *unit, uint64_t n)
{
    return LLVMConstInt(LLVMInt64TypeInContext(unit->context), n, 0);
}

static LLVMMetadataRef number_field(struct lw__unit *unit, uint64_t n)
{
    return LLVMValueAsMetadata(number(unit, n));
}

static LLVMMetadataRef string_field(struct lw__unit *unit, const char *text)
{
    return LLVMMDStringInContext2(unit->context, text, strlen(text));
}

static void add_kernel(struct lw__unit *unit, const struct lw__kernel *k)
{
    LLVMMetadataRef fields[FIELDS_MAX];
    size_t n = 0;
    fields[n++] = LLVMValueAsMetadata(k->function);
    fields[n++] = string_field(unit, k->name);
    for (int i = 0; i < 3; i++)
        fields[n++] = number_field(unit, k->block[i]);
    fields[n++] = number_field(unit, k->arg_bytes);
    for (unsigned i = 0; i < k->param_count; i++) {
        const struct lw__param *p = &k->params[i];
        fields[n++] = string_field(unit, p->name);
        fields[n++] = number_field(unit, p->offset);
        fields[n++] = number_field(unit, p->size);
        fields[n++] = number_field(unit, p->align);
        fields[n++] = number_field(unit, p->by_value);
    }
    LLVMMetadataRef node = LLVMMDNodeInContext2(unit->context, fields, n);
    LLVMAddNamedMetadataOperand(unit->module, list_name, LLVMMetadataAsValue(unit->context, node));
}

static void add_constant(struct lw__unit *unit, const char *name, LLVMValueRef value,
                         unsigned align)
{
    LLVMValueRef g = LLVMAddGlobal(unit->module, LLVMTypeOf(value), name);
    LLVMSetInitializer(g, value);
    LLVMSetGlobalConstant(g, 1);
    LLVMSetAlignment(g, align);
}

LLVMMemoryBufferRef lw__common_bitcode(struct lw__unit *unit)
{
    for (size_t i = 0; i < unit->kernels.count; i++)
        add_kernel(unit, &unit->kernels.rows[i]);
    return LLVMWriteBitcodeToMemoryBuffer(unit->module);
}

/* True if `name` is the kernel's, or what --instantiate called it. */
static bool is_named(const struct lw__kernel *k, const char *name)
{
    return lw__same_name(k->name, name) || (k->alias && lw__same_name(k->alias, name));
}

/* The kernel whose code the first launch will ask for; NULL: none. In a file with a kernel that
 * BLOCK fixes, code is made in this step, which may set options of LLVM. They hold for the process,
 * and would change the code of the next one. */
static const struct lw__kernel *first_kernel(const struct lw__unit *unit)
{
    const struct lw__first *first = &unit->options->first;
    const struct lw__kernels *kernels = &unit->kernels;
    const struct lw__kernel *found = NULL;
    for (size_t i = 0; i < kernels->count; i++) {
        if (kernels->rows[i].block[0])
            return NULL;
        if (first->kernel ? is_named(&kernels->rows[i], first->kernel) : kernels->count == 1)
            found = &kernels->rows[i];
    }
    return first->fd < 0 ? NULL : found;
}

/* A launch that cannot be proved is guarded. */
static void keep_for_first(struct lw__unit *unit, const char *bitcode, size_t bytes)
{
    const struct lw__kernel *kernel = first_kernel(unit);
    if (!kernel)
        return;
    unit->first_is_guarded = unit->guarded && kernel->is_partial;
    lw__text_add_bytes(&unit->common, unit->first_is_guarded ? unit->guarded : bitcode,
                       unit->first_is_guarded ? unit->guarded_bytes : bytes);
    unit->first = lw__copy(&unit->arena, kernel->name);
}

static void add_bytes(struct lw__unit *unit, const char *name, const char *bytes, size_t count)
{
    add_constant(unit, name, LLVMConstStringInContext2(unit->context, bytes, count, 1), 16);
}

/* A bitcode: NAME and NAME.bytes. */
static void add_bitcode(struct lw__unit *unit, const char *name, const char *bytes, size_t count)
{
    add_bytes(unit, name, bytes, count);
    add_constant(unit, lw__format(&unit->scratch, "%s.bytes", name), number(unit, count), 8);
}

/* lw__pass_common - the module as it is becomes a constant in it: lw.common, lw.common.bytes; so do
 * the guarded form, lw.guarded, and the proofs, lw.proofs.K. Not where a stage is shown, of which
 * they are no part.
 * needs COMMON DESCRIBED
 */
bool lw__pass_common(struct lw__unit *unit)
{
    if (unit->options->show)
        return true;
    LLVMMemoryBufferRef bitcode = lw__common_bitcode(unit);
    size_t bytes = LLVMGetBufferSize(bitcode);
    const char *data = LLVMGetBufferStart(bitcode);
    add_bitcode(unit, "lw.common", data, bytes);
    if (unit->guarded) {
        add_bitcode(unit, "lw.guarded", unit->guarded, unit->guarded_bytes);
        for (size_t i = 0; i < unit->kernels.count; i++) {
            const struct lw__kernel *k = &unit->kernels.rows[i];
            assert(k->proofs && k->proof_bytes);
            add_bytes(unit, lw__format(&unit->scratch, "lw.proofs.%s", k->name), k->proofs,
                      k->proof_bytes);
        }
    }
    keep_for_first(unit, data, bytes);
    LLVMDisposeMemoryBuffer(bitcode);
    return true;
}

/* ---- in -------------------------------------------------------------------------------------- */

static char *take_string(struct lw__arena *arena, LLVMValueRef v)
{
    unsigned length = 0;
    const char *text = LLVMGetMDString(v, &length);
    return lw__copy_bytes(arena, text, length);
}

static uint64_t take_number(LLVMValueRef v)
{
    return v && LLVMIsAConstantInt(v) ? LLVMConstIntGetZExtValue(v) : 0;
}

static bool take_kernel(struct lw__arena *arena, LLVMValueRef node, struct lw__kernel *k)
{
    LLVMValueRef fields[FIELDS_MAX];
    const unsigned count = LLVMGetMDNodeNumOperands(node);
    if (count < KERNEL_FIELDS || count > sizeof fields / sizeof *fields)
        return lw__defect("the common bitcode has a kernel of %u facts", count);
    LLVMGetMDNodeOperands(node, fields);
    k->function = fields[0] ? LLVMIsAFunction(fields[0]) : NULL;
    if (!k->function || count != KERNEL_FIELDS + PARAM_FIELDS * LLVMCountParams(k->function))
        return lw__defect("the common bitcode's kernels are not those that it describes");
    k->name = take_string(arena, fields[1]);
    for (int i = 0; i < 3; i++)
        k->block[i] = (uint32_t)take_number(fields[2 + i]);
    k->arg_bytes = take_number(fields[5]);
    k->loc = lw__loc_of(k->function);
    k->param_count = LLVMCountParams(k->function);
    const LLVMValueRef *row = fields + KERNEL_FIELDS;
    k->params = lw__new(arena, k->param_count + 1, sizeof *k->params);
    for (unsigned i = 0; i < k->param_count; i++, row += PARAM_FIELDS) {
        struct lw__param *p = &k->params[i];
        *p = (struct lw__param){.name = take_string(arena, row[0]),
                                .offset = take_number(row[1]),
                                .size = take_number(row[2]),
                                .align = take_number(row[3]),
                                .by_value = take_number(row[4])};
    }
    return true;
}

static bool take_kernels(struct lw__unit *unit)
{
    struct lw__kernels *kernels = &unit->kernels;
    const unsigned count = LLVMGetNamedMetadataNumOperands(unit->module, list_name);
    LLVMValueRef *nodes = lw__new(&unit->scratch, count, sizeof(LLVMValueRef));
    LLVMGetNamedMetadataOperands(unit->module, list_name, nodes);
    for (unsigned i = 0; i < count; i++)
        if (!take_kernel(&unit->arena, nodes[i], lw__kernels_add(&unit->arena, kernels, "")))
            return false;
    return true;
}

/* lw__pass_load - the module and the kernels from what lw__pass_common wrote.
 * makes COMMON
 */
bool lw__pass_load(struct lw__unit *unit)
{
    struct lw__text bitcode = lw__text_in(&unit->scratch);
    if (!lw__read_all(unit->options->common_fd, &bitcode))
        return lw__defect("the common bitcode cannot be read");
    LLVMMemoryBufferRef buffer =
        LLVMCreateMemoryBufferWithMemoryRange(bitcode.data, bitcode.length, "common", 0);
    const bool ok = !LLVMParseBitcodeInContext2(unit->context, buffer, &unit->module) ||
                    lw__defect("descriptor %d is no common bitcode", unit->options->common_fd);
    LLVMDisposeMemoryBuffer(buffer);
    if (!ok || !take_kernels(unit))
        return false;
    lw__diags_module(&unit->diags, unit->module);
    /* What the first step has made already. */
    EACH_FUNCTION_SAFE(f, unit->module) {
        size_t length;
        if (!strncmp(LLVMGetValueName2(f, &length), "lw.sizes.", 9) && !LLVMGetFirstUse(f))
            LLVMDeleteFunction(f);
    }
    EACH_GLOBAL_SAFE(g, unit->module) {
        size_t length;
        if (!strncmp(LLVMGetValueName2(g, &length), LW_SYMBOL_PREFIX ".",
                     sizeof LW_SYMBOL_PREFIX) &&
            !LLVMGetFirstUse(g))
            LLVMDeleteGlobal(g);
    }
    return true;
}

/* ---- which kernels --------------------------------------------------------------------------- */

/* The block that a kernel is built for now; all zero: it waits for a launch. */
static bool choose_block(struct lw__unit *unit, struct lw__kernel *k)
{
    const struct lw__options *o = unit->options;
    if (k->block[0] && o->block[0] && memcmp(k->block, o->block, sizeof k->block)) {
        lw__diags_error(
            &unit->diags, k->loc, "kernel '%s' is for blocks of %u x %u x %u, not %u x %u x %u",
            k->name, k->block[0], k->block[1], k->block[2], o->block[0], o->block[1], o->block[2]);
        return true;
    }
    if (!k->block[0] && o->block[0])
        memcpy(k->block, o->block, sizeof k->block);
    else if (!k->block[0] && (o->show || o->time_passes))
        memcpy(k->block, (const uint32_t[3]){SHOWN_BLOCK, 1, 1}, sizeof k->block);
    return k->block[0] != 0;
}

/* True if there is a kernel of that name; otherwise says so. */
static bool has_kernel(struct lw__arena *arena, const struct lw__kernels *kernels, const char *name)
{
    struct lw__nearest nearest = {.typed = name, .length = strlen(name)};
    struct lw__text known = lw__text_in(arena);
    for (size_t i = 0; i < kernels->count; i++) {
        if (is_named(&kernels->rows[i], name))
            return true;
        lw__nearest_try(&nearest, kernels->rows[i].name);
        lw__text_add(&known, i ? ", %s" : "; there is %s", kernels->rows[i].name);
    }
    return lw__defect("there is no kernel '%s'%s%s", name, known.length ? known.data : "",
                      lw__nearest_text(&nearest));
}

/* lw__pass_blocks - keep the kernels to build now, each with the block that it is for.
 * needs COMMON   makes BLOCKS
 */
bool lw__pass_blocks(struct lw__unit *unit)
{
    struct lw__kernels *kernels = &unit->kernels;
    const char *only = unit->options->kernel;
    size_t kept = 0, count = kernels->count;
    const bool is_refused = (only || !count) && lw__kernel_errors_tell(&unit->diags, only);
    if (only && !is_refused && !has_kernel(&unit->scratch, kernels, only))
        return unit->misused = true, false;
    for (size_t i = 0; i < count; i++) {
        struct lw__kernel *k = &kernels->rows[i];
        if ((!only || is_named(k, only)) && choose_block(unit, k)) {
            kernels->rows[kept++] = *k;
            continue;
        }
        LLVMDeleteFunction(k->function);
    }
    kernels->count = kept;
    return true;
}
