/* image_object.c - the object file of `lanewise cc`: names, constants, the linker.
 *
 * Each piece of code is an object whose symbols are all local but one; the linker joins them (ld
 * -r). A program that links the result sees the header's functions.
 */
#include "compile/driver/image.h"
#include "compile/llvm/llvm.h"
#include "compile/front/front.h"
#include "compile/cpu/cpu.h"
#include "base/manifest.h"
#include <assert.h>
#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

/* ---- names ---- */

/* Functions that the code generator may call for 16-bit floats: devlib has them. */
static const char *const half_functions[] = {"__extendhfsf2", "__truncsfhf2", "__truncsfbf2"};

static bool is_half_function(const char *name)
{
    for (size_t i = 0; i < sizeof half_functions / sizeof *half_functions; i++)
        if (!strcmp(name, half_functions[i]))
            return true;
    return false;
}

static bool has_half_type(LLVMValueRef v)
{
    LLVMTypeRef type = LLVMTypeOf(v);
    if (LLVMGetTypeKind(type) == LLVMVectorTypeKind)
        type = LLVMGetElementType(type);
    return LLVMGetTypeKind(type) == LLVMHalfTypeKind || LLVMGetTypeKind(type) == LLVMBFloatTypeKind;
}

static bool uses_halves(LLVMValueRef function)
{
    EACH_INSTRUCTION_OF(i, function) {
        if (has_half_type(i))
            return true;
        for (int k = 0; k < LLVMGetNumOperands(i); k++)
            if (has_half_type(LLVMGetOperand(i, (unsigned)k)))
                return true;
    }
    return false;
}

static void drop_half_functions(LLVMModuleRef module)
{
    size_t length;
    EACH_FUNCTION(f, module)
        if (!is_half_function(LLVMGetValueName2(f, &length)) && uses_halves(f))
            return;
    EACH_FUNCTION_SAFE(f, module) {
        if (is_half_function(LLVMGetValueName2(f, &length)) && !LLVMGetFirstUse(f))
            LLVMDeleteFunction(f);
    }
}

/* lw.cpu.K -> lw.FILE.K.avx2.256x1x1, of guarded code with .guarded, lw.objects.K -> lw.FILE.K.ref,
 * lw.sizes.K -> lw.FILE.K.sizes, lw.resume -> lw.FILE.resume. NULL: the name stays local. */
static const char *outer_name(const struct lw__options *o, const char *name)
{
    struct lw__arena *arena = o->image->arena;
    const char *file = o->image->file, *colon = strchr(o->device, ':');
    if (!strncmp(name, "lw.cpu.", 7))
        return lw__format(arena, "lw.%s.%s.%.*s.%ux%ux%u%s", file, name + 7,
                          (int)strcspn(colon + 1, "/"), colon + 1, o->block[0], o->block[1],
                          o->block[2], o->bounds ? ".guarded" : "");
    if (!strncmp(name, "lw.objects.", 11))
        return lw__format(arena, "lw.%s.%s.ref", file, name + 11);
    if (!strncmp(name, "lw.sizes.", 9) && !o->image_ref)
        return lw__format(arena, "lw.%s.%s.sizes", file, name + 9);
    if (!strcmp(name, "lw.resume") && o->image_ref)
        return lw__format(arena, "lw.%s.resume", file);
    return NULL;
}

/* lw.cpu.K of code that is loaded: there the library looks it up. */
static bool is_looked_up(const struct lw__options *o, const char *name)
{
    return o->image_packed && !strncmp(name, "lw.cpu.", 7) && !strcmp(name + 7, o->kernel);
}

static void hide(const struct lw__options *o, LLVMValueRef v)
{
    size_t length;
    if (LLVMIsDeclaration(v) || LLVMGetLinkage(v) != LLVMExternalLinkage ||
        is_looked_up(o, LLVMGetValueName2(v, &length)))
        return;
    const char *name = outer_name(o, LLVMGetValueName2(v, &length));
    if (name) {
        LLVMSetValueName2(v, name, strlen(name));
        LLVMSetVisibility(v, LLVMHiddenVisibility);
    } else {
        LLVMSetLinkage(v, LLVMInternalLinkage);
    }
}

/* lw__pass_hide - the names of an object that is linked with others of its kind.
 * needs FINAL
 */
bool lw__pass_hide(struct lw__unit *unit)
{
    LLVMModuleRef module = unit->module;
    drop_half_functions(module);
    EACH_FUNCTION(f, module)
        hide(unit->options, f);
    EACH_GLOBAL(g, module)
        hide(unit->options, g);
    if (unit->options->image->no_debug || (unit->options->bounds && unit->gang))
        LLVMStripModuleDebugInfo(module);
    return true;
}

/* ---- constants ---- */

size_t lw__image_constant(struct lw__arena *arena, struct lw__image_constants *constants,
                          const char *data, size_t bytes)
{
    for (size_t i = 0; i < constants->count; i++)
        if (constants->rows[i].bytes == bytes && !memcmp(constants->rows[i].data, data, bytes))
            return i;
    constants->rows =
        lw__one_more(arena, constants->rows, constants->count, sizeof *constants->rows);
    constants->rows[constants->count] = (struct lw__constant){data, bytes};
    return constants->count++;
}

bool lw__image_emit_constants(struct lw__unit *unit, const struct lw__image_constants *constants,
                              struct lw__text *archive)
{
    LLVMModuleRef whole = unit->module;
    LLVMModuleRef module = LLVMModuleCreateWithNameInContext("constants", unit->context);
    LLVMSetTarget(module, unit->target->triple);
    for (size_t i = 0; i < constants->count; i++) {
        const struct lw__constant *c = &constants->rows[i];
        char name[512];
        snprintf(name, sizeof name, "lw.%s.b%zu", unit->options->image->file, i);
        LLVMValueRef text = LLVMConstStringInContext2(unit->context, c->data, c->bytes, 0);
        LLVMValueRef g = LLVMAddGlobal(module, LLVMTypeOf(text), name);
        LLVMSetInitializer(g, text);
        LLVMSetGlobalConstant(g, 1);
        LLVMSetVisibility(g, LLVMHiddenVisibility);
        LLVMSetAlignment(g, 16);
    }
    unit->module = module;
    unit->payload.length = 0;
    bool ok = lw__emit(unit, LLVMObjectFile);
    lw__archive_add(archive, unit->payload.data, unit->payload.length);
    unit->payload.length = 0;
    LLVMDisposeModule(unit->module);
    unit->module = whole;
    return ok;
}

/* ---- an archive ---- */

void lw__archive_begin(struct lw__text *archive)
{
    lw__text_add(archive, "!<arch>\n");
}

/* Members without an index: the linker is told to take them all. */
void lw__archive_add(struct lw__text *archive, const char *object, size_t bytes)
{
    assert(archive->failed || archive->length % 2 == 0);
    lw__text_add(archive, "%-16s%-12d%-6d%-6d%-8s%-10zu`\n", "code.o/", 0, 0, 0, "644", bytes);
    lw__text_add_bytes(archive, object, bytes);
    if (bytes % 2)
        lw__text_add_bytes(archive, "\n", 1);
}

/* ---- clang and the linker ---- */

static int file_of(const struct lw__text *text, const char *name)
{
    int file = lw__memory_file(name);
    if (file >= 0 && lw__write_all(file, text->data, text->length) && lseek(file, 0, SEEK_SET) == 0)
        return file;
    lw__defect("no memory file: %s", strerror(errno));
    if (file >= 0)
        close(file);
    return -1;
}

/* Run a program whose output is an object. */
static bool run(struct lw__unit *unit, const char *const *argv, int in, struct lw__text *object)
{
    struct lw__text said = lw__text_in(&unit->scratch);
    int status = 0;
    struct lw__process child;
    if (!lw__clang_start(&unit->scratch, argv, in, NULL, 0, &child))
        return false;
    bool ok = lw__process_wait(&child, &status) && lw__read_all(child.err, &said) &&
              lw__read_all(child.out, object);
    if (ok && (status || !object->length))
        ok = lw__defect("%s failed (status %d): %s", argv[0], status, said.data);
    close(child.out);
    close(child.err);
    return ok;
}

bool lw__image_compile(struct lw__unit *unit, const struct lw__text *source,
                       struct lw__text *archive)
{
    char folder[LW_PATH_MAX];
    const char *const argv[] = {LW_FRONT_END,
                                lw__is_for_aarch64(unit) ? "--target=" LW_AARCH64
                                                         : "--target=" LW_X86_64,
                                "-x",
                                "c",
                                "-std=c11",
                                "-O2",
                                "-g0",
                                "-fPIC",
                                "-ffreestanding",
                                "-nostdlibinc",
                                "-fvisibility=hidden",
                                "-fno-color-diagnostics",
                                "-Wall",
                                "-Wextra",
                                "-Wpedantic",
                                "-Werror",
                                "-I",
                                folder,
                                "-c",
                                "-o",
                                "-",
                                "-",
                                NULL};
    struct lw__text object = lw__text_in(&unit->scratch);
    if (!lw__header_folder(folder))
        return false;
    /* The headers that the C file includes are dependencies of the object. */
    static const char *const headers[] = {"lanewise/lanewise.h", "lanewise/image.h"};
    for (size_t i = 0; i < sizeof headers / sizeof *headers; i++)
        lw__dependency_add(unit, lw__format(&unit->scratch, "%s/%s", folder, headers[i]));
    int in = file_of(source, "lanewise-image");
    bool ok = in >= 0 && run(unit, argv, in, &object);
    if (in >= 0)
        close(in);
    if (ok)
        lw__archive_add(archive, object.data, object.length);
    return ok;
}

bool lw__image_link(struct lw__unit *unit, const struct lw__text *archive)
{
    static const char *const options[] = {"-r", "--whole-archive", NULL}, *const none[] = {NULL};
    return lw__link(options, none, archive, &unit->payload);
}
