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

/* fma is a function of libm where the processor may lack it. The kernels name their libm themselves:
 * the host program may have loaded the library with its own symbols hidden. */
static bool find_libm(char path[PATH_MAX])
{
    void *libm = dlopen("libm.so.6", RTLD_NOW);
    struct link_map *map;
    bool found = libm && !dlinfo(libm, RTLD_DI_LINKMAP, &map);
    if (found)
        snprintf(path, PATH_MAX, "%s", map->l_name);
    if (libm)
        dlclose(libm);
    return found;
}

/* lw__pass_linked - the object file as a shared object, through memory files.
 * needs OBJECT   makes PAYLOAD
 */
bool lw__pass_linked(struct lw__unit *unit)
{
    char libm[PATH_MAX];
    const char *argv[] = {"ld.lld-19", "-shared", "-Bsymbolic", "--eh-frame-hdr", "-o", "-",
                          "/proc/self/fd/3", find_libm(libm) ? "--as-needed" : NULL, libm, NULL};
    struct lw__process lld;
    struct lw__text said = {0};
    int status, object = lw__memory_file("lanewise-object");
    if (object < 0)
        return lw__defect("no memory file for the object: %s", strerror(errno));
    bool ok = write(object, unit->payload.data, unit->payload.length) ==
                  (ssize_t)unit->payload.length ||
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
