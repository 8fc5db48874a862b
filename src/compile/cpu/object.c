/* object.c - from the module to a shared object: LLVM's code generator, then lld. */
#include "compile/cpu/cpu.h"
#include "compile/llvm/llvm.h"
#include "compile/ir/ir.h"
#include "base/manifest.h"
#include <errno.h>
#include <dlfcn.h>
#include <fcntl.h>
#include <limits.h>
#include <link.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

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
    for (LLVMValueRef f = LLVMGetFirstFunction(module); f; f = LLVMGetNextFunction(f))
        for (LLVMBasicBlockRef b = LLVMGetFirstBasicBlock(f); b; b = LLVMGetNextBasicBlock(b))
            for (LLVMValueRef i = LLVMGetFirstInstruction(b); i; i = LLVMGetNextInstruction(i))
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
    LLVMValueRef f = lw__is_for_aarch64(unit) ? LLVMGetFirstFunction(unit->module) : NULL;
    for (; f; f = LLVMGetNextFunction(f))
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

/* Loading lld takes longer than its work here. So it is started first, loads while clang and the
 * passes run, and reads the object from a pipe.
 *
 * fma is a function of libm if the processor may lack the instruction, and memcpy one of libc. The
 * kernels link to these libraries themselves, since the host program may have loaded its own with
 * symbols hidden. A symbol that is then undefined (-z defs) is an error here and not at the launch.
 * For another kind of processor the libraries are not available: the host program must export
 * them. */
bool lw__link_start(struct lw__unit *unit)
{
    char libm[PATH_MAX], libc[PATH_MAX];
    const bool foreign = is_foreign(unit);
    const char *const argv[] = {LW_LINKER,
                                "-shared",
                                "-Bsymbolic",
                                "--eh-frame-hdr",
                                "--threads=1",
                                "-z",
                                foreign ? "undefs" : "defs",
                                "-o",
                                "-",
                                "/proc/self/fd/3",
                                "--as-needed",
                                foreign ? NULL : libm,
                                libc,
                                NULL};
    struct lw__link *link = &unit->link;
    int ends[2];
    if (!foreign && (!find_library("libm.so.6", libm) || !find_library("libc.so.6", libc)))
        return false;
    if (pipe2(ends, O_CLOEXEC))
        return lw__defect("no pipe to the linker: %s", strerror(errno));
    signal(SIGPIPE, SIG_IGN); /* if lld ends early, its message tells why */
    link->object = ends[1];
    link->running = lw__process_start(&unit->scratch, argv, -1, &ends[0], 1, &link->lld);
    close(ends[0]);
    if (!link->running)
        close(ends[1]);
    return link->running;
}

static bool send_object(struct lw__unit *unit)
{
    const char *data = unit->payload.data;
    size_t left = unit->payload.length;
    while (left) {
        ssize_t n = write(unit->link.object, data, left);
        if (n < 0 && errno == EPIPE)
            return true;
        if (n < 0 && errno != EINTR)
            return lw__defect("the object cannot be written: %s", strerror(errno));
        data += n < 0 ? 0 : n;
        left -= n < 0 ? 0 : (size_t)n;
    }
    return true;
}

static bool end_link(struct lw__link *link, int *status)
{
    close(link->object);
    link->running = false;
    return lw__process_wait(&link->lld, status);
}

static void close_output(struct lw__link *link)
{
    close(link->lld.out);
    close(link->lld.err);
}

void lw__link_drop(struct lw__unit *unit)
{
    int status;
    if (!unit->link.running)
        return;
    kill(unit->link.lld.pid, SIGKILL);
    end_link(&unit->link, &status);
    close_output(&unit->link);
}

/* lw__pass_linked - the object file as a shared object.
 * needs OBJECT   makes PAYLOAD
 */
bool lw__pass_linked(struct lw__unit *unit)
{
    struct lw__link *link = &unit->link;
    struct lw__text said = {0};
    int status = 0;
    if (!link->running && !lw__link_start(unit))
        return false;
    bool ok = send_object(unit);
    unit->payload.length = 0;
    ok = end_link(link, &status) && ok;
    ok = ok && lw__read_all(link->lld.err, &said) && lw__read_all(link->lld.out, &unit->payload);
    if (ok && (status || !unit->payload.length))
        ok = lw__defect("ld.lld-19 failed (status %d): %s", status, said.data ? said.data : "");
    lw__text_free(&said);
    close_output(link);
    return ok;
}
