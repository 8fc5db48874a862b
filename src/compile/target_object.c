/* target_object.c - from the module to a shared object: LLVM's code generator, then lld. */
#include "compile/compile.h"
#include <errno.h>
#include <dlfcn.h>
#include <limits.h>
#include <link.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

static bool emit(struct lw__unit *unit, LLVMCodeGenFileType kind)
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

/* lw__pass_object - split the coroutines, optimise, and make an object file (or assembler text, to
 * be shown).
 * needs THREADS   makes OBJECT   breaks THREADS
 */
bool lw__pass_object(struct lw__unit *unit)
{
    bool text = unit->options->show && !strcmp(unit->options->show, "asm");
    return lw__coroutine_split(unit) &&
           lw__llvm_passes(unit->module, unit->machine, "default<O1>") &&
           emit(unit, text ? LLVMAssemblyFile : LLVMObjectFile);
}

/* Where a library of this process lies; false: it cannot be found. */
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

/* lw__pass_linked - the object file as a shared object, through memory files. fma is a function
 * of libm where the processor may lack it, and memcpy one of libc. The kernels name these
 * libraries themselves, since the host program may have loaded its own with symbols hidden; what
 * is undefined then (-z defs) is an error here and not at the launch.
 * needs OBJECT   makes PAYLOAD
 */
bool lw__pass_linked(struct lw__unit *unit)
{
    char libm[PATH_MAX], libc[PATH_MAX];
    const char *const argv[] = {
        "ld.lld-19", "-shared", "-Bsymbolic", "--eh-frame-hdr",  "-z",
        "defs",      "-o",      "-",          "/proc/self/fd/3", "--as-needed",
        libm,        libc,      NULL};
    if (!find_library("libm.so.6", libm) || !find_library("libc.so.6", libc))
        return false;
    struct lw__process lld;
    struct lw__text said = {0};
    int status, object = lw__memory_file("lanewise-object");
    if (object < 0)
        return lw__defect("no memory file for the object: %s", strerror(errno));
    bool ok =
        write(object, unit->payload.data, unit->payload.length) == (ssize_t)unit->payload.length ||
        lw__defect("the object cannot be written: %s", strerror(errno));
    unit->payload.length = 0;
    ok = ok && lw__process_start(argv, -1, &object, 1, &lld);
    close(object);
    if (!ok)
        return false;
    ok = lw__process_wait(&lld, &status) && lw__read_all(lld.err, &said) &&
         lw__read_all(lld.out, &unit->payload);
    if (ok && (status || !unit->payload.length))
        ok = lw__defect("ld.lld-19 failed (status %d): %s", status, said.data ? said.data : "");
    lw__text_free(&said);
    close(lld.out);
    close(lld.err);
    return ok;
}
