/* object.c - from the module to a shared object: LLVM's code generator, then lld. */
#include "compile/cpu/cpu.h"
#include "compile/llvm/llvm.h"
#include "compile/ir/ir.h"
#include <dlfcn.h>
#include <elf.h>
#include <limits.h>
#include <link.h>
#include <stdio.h>
#include <string.h>

bool lw__emit(struct lw__unit *unit, LLVMCodeGenFileType kind)
{
    char *why = NULL;
    LLVMMemoryBufferRef code;
    if (LLVMTargetMachineEmitToMemoryBuffer(unit->machine, unit->module, kind, &why, &code)) {
        lw__defect("LLVM made no code: %s", why);
        LLVMDisposeMessage(why);
        return false;
    }
    lw__text_add_bytes(&unit->payload, LLVMGetBufferStart(code), LLVMGetBufferSize(code));
    LLVMDisposeMemoryBuffer(code);
    return true;
}

/* Twice what the largest kernel of the benchmark has; whole files of operations have ten times as
 * many, and would take twice as long to compile. */
enum { MANY_INSTRUCTIONS = 8000 };

static bool is_large(LLVMModuleRef module)
{
    size_t count = 0;
    EACH_FUNCTION(f, module)
        EACH_INSTRUCTION_OF(i, f)
            count++;
    return count > MANY_INSTRUCTIONS;
}

/* For `check`, whose code does much at each access: better code, unless there is much of it. */
static bool choose_machine(struct lw__unit *unit)
{
    if (is_large(unit->module))
        return true;
    return lw__target_machine(unit, LLVMCodeGenLevelLess);
}

/* lw__pass_split - split the coroutines of ref, and clean up a little. ref runs small inputs: more
 * passes take longer than they save.
 * needs THREADS   makes FINAL   breaks THREADS
 */
bool lw__pass_split(struct lw__unit *unit)
{
    return lw__coroutine_split(unit) && lw__llvm_passes(unit, LW_PASSES_after_split) &&
           (!lw__has(unit, LW_IS_OBSERVED) || choose_machine(unit));
}

/* lw__pass_object - an object file, or assembly text to show.
 * needs FINAL   makes OBJECT   breaks FINAL
 */
bool lw__pass_object(struct lw__unit *unit)
{
    bool text = unit->options->show && !strcmp(unit->options->show, "asm");
    EACH_FUNCTION(f, unit->module)
        if (lw__is_for_aarch64(unit))
            lw__cpu_hide_comparisons(unit, f);
    return lw__emit(unit, text ? LLVMAssemblyFile : LLVMObjectFile);
}

/* The path of a library of this process; false: not found. */
static bool find_library(const char *name, char path[PATH_MAX])
{
    void *library = dlopen(name, RTLD_NOW);
    struct link_map *map;
    bool found = library && !dlinfo(library, RTLD_DI_LINKMAP, &map);
    if (found)
        snprintf(path, PATH_MAX, "%s", map->l_name);
    if (library)
        dlclose(library);
    return found || lw__defect("%s is not found", name);
}

/* ---- the linker ------------------------------------------------------------------------------ */

/* True if the code is for another kind of processor than this program's. */
static bool is_foreign(const struct lw__unit *unit)
{
#if defined(__aarch64__)
    return !lw__is_for_aarch64(unit);
#else
    return lw__is_for_aarch64(unit);
#endif
}

/* True if the object uses functions or variables that it does not have. */
static bool needs_libraries(const struct lw__text *object)
{
    const Elf64_Ehdr *head = (const void *)object->data;
    const Elf64_Shdr *section = (const void *)(object->data + head->e_shoff);
    for (const Elf64_Shdr *end = section + head->e_shnum; section < end; section++) {
        const Elf64_Sym *symbol = (const void *)(object->data + section->sh_offset);
        size_t count = section->sh_type == SHT_SYMTAB ? section->sh_size / sizeof *symbol : 0;
        for (; count; count--, symbol++)
            if (symbol->st_name && symbol->st_shndx == SHN_UNDEF)
                return true;
    }
    return false;
}

/* lw__pass_linked - the object file as a shared object.
 *
 * fma is a function of libm if the processor may lack the instruction, and memcpy one of libc. The
 * kernels link to these libraries themselves, since the host program may have loaded its own with
 * symbols hidden. A symbol that is then undefined (-z defs) is an error here and not at the launch.
 * For another kind of processor the libraries are not available: the host program must export
 * them. Most objects use neither, and lld would take longer to read these than for all else.
 * needs OBJECT   makes PAYLOAD
 */
bool lw__pass_linked(struct lw__unit *unit)
{
    char libm[PATH_MAX], libc[PATH_MAX];
    const bool foreign = is_foreign(unit);
    const char *const options[] = {
        "-shared", "-Bsymbolic", "--eh-frame-hdr", "-z", foreign ? "undefs" : "defs", NULL};
    const bool alone = foreign || !needs_libraries(&unit->payload);
    const char *const libraries[] = {"--as-needed", alone ? NULL : libm, libc, NULL};
    if (!alone && (!find_library("libm.so.6", libm) || !find_library("libc.so.6", libc)))
        return false;
    return lw__link(options, libraries, &unit->payload, &unit->payload);
}
