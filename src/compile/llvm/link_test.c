/* link_test.c - a test program: lld links again after an error, and what it would exit at is one.
 * The message says what was wrong. */
#include "compile/llvm/llvm.h"
#include <elf.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

static const char *const shared[] = {"-shared", NULL}, *const none[] = {NULL};

/* An object without code. */
static struct lw__text empty_object(struct lw__unit *unit)
{
    struct lw__text object = lw__text_in(&unit->arena);
    unit->module = LLVMModuleCreateWithNameInContext("empty", unit->context);
    LLVMMemoryBufferRef code;
    char *why;
    if (LLVMTargetMachineEmitToMemoryBuffer(unit->machine, unit->module, LLVMObjectFile, &why,
                                            &code)) {
        lw__defect("%s", why);
        return object;
    }
    lw__text_add_bytes(&object, LLVMGetBufferStart(code), LLVMGetBufferSize(code));
    LLVMDisposeMemoryBuffer(code);
    return object;
}

/* False if it links; else what standard error gets must contain `why`. */
static bool fails(struct lw__arena *arena, const char *bytes, size_t count, const char *why)
{
    const int before = dup(STDERR_FILENO), file = lw__memory_file("said");
    struct lw__text object = lw__text_in(arena), linked = object, said = object;
    lw__text_add_bytes(&object, bytes, count);
    dup2(file, STDERR_FILENO);
    const bool ok = lw__link(shared, none, &object, &linked);
    dup2(before, STDERR_FILENO);
    const bool told = lw__read_all(file, &said) && strstr(said.data, "lld failed (status 1): ") &&
                      strstr(said.data, why);
    if (ok || !told)
        fprintf(stderr, "'%s' is not in: %s\n", why, said.data);
    close(before);
    close(file);
    return !ok && told;
}

/* Where lld would exit, what it has allocated stays: in a child, which nobody asks for leaks. */
static bool fails_at_exit(struct lw__arena *arena, const struct lw__text *damaged)
{
    int status = -1;
    const pid_t child = fork();
    if (!child)
        _exit(!fails(arena, damaged->data, damaged->length, "section header"));
    return child > 0 && waitpid(child, &status, 0) == child && !status;
}

static bool links(struct lw__arena *arena, const struct lw__text *object)
{
    struct lw__text linked = lw__text_in(arena);
    return lw__link(shared, none, object, &linked) && linked.length > 500 &&
           !memcmp(linked.data, "\177ELF", 4);
}

int main(void)
{
    struct lw__options options = {.source_fd = -1};
    struct lw__unit unit;
    lw__unit_begin(&unit, &options);
    struct lw__arena *arena = &unit.arena;
    bool ok = lw__llvm_start(&unit);
    struct lw__text object = empty_object(&unit);
    ok = ok && links(arena, &object) && links(arena, &object);
    ok = fails(arena, "no object", 9, "unknown directive: no") && ok;
    ok = links(arena, &object) && ok;
    memset(object.data + offsetof(Elf64_Ehdr, e_shoff), 0x7f, sizeof(Elf64_Off));
    ok = fails_at_exit(arena, &object) && ok;
    lw__context_close(&unit);
    LLVMDisposeTargetMachine(unit.machine);
    lw__arena_free(&unit.arena);
    return !ok;
}
