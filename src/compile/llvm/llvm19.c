/* llvm19.c - what depends on LLVM's version, beside the tables: its options, target machines.
 *
 * lw__llvm_start tries each intrinsic once, so that a wrong libLLVM is one clear message and not a
 * miscompilation.
 */
#include "compile/llvm/llvm.h"
#include <llvm-c/Support.h>
#include <llvm-c/Target.h>
#include <stdio.h>
#include <string.h>

bool lw__llvm_machine(struct lw__unit *unit, const char *triple, const char *cpu,
                      const char *features, LLVMCodeGenOptLevel effort)
{
    char *why = NULL;
    LLVMTargetRef target;
    if (LLVMGetTargetFromTriple(triple, &target, &why)) {
        lw__defect("LLVM has no target %s: %s", triple, why);
        LLVMDisposeMessage(why);
        return false;
    }
    if (unit->machine)
        LLVMDisposeTargetMachine(unit->machine);
    unit->machine = LLVMCreateTargetMachine(target, triple, cpu, features, effort, LLVMRelocPIC,
                                            LLVMCodeModelDefault);
    if (!unit->machine)
        return lw__defect("LLVM has no processor %s with '%s'", cpu, features);
    if (unit->module) {
        LLVMTargetDataRef data = LLVMCreateTargetDataLayout(unit->machine);
        LLVMSetTarget(unit->module, triple);
        LLVMSetModuleDataLayout(unit->module, data);
        LLVMDisposeTargetData(data);
    }
    return true;
}

bool lw__llvm_load(void)
{
    unsigned major, minor, patch;
    LLVMGetVersion(&major, &minor, &patch);
    if (major != 19)
        return lw__defect("built for LLVM 19, running with %u.%u.%u", major, minor, patch);
    if (!lw__llvm_find_intrinsics())
        return false;
    LLVMInitializeX86TargetInfo();
    LLVMInitializeX86Target();
    LLVMInitializeX86TargetMC();
    LLVMInitializeX86AsmPrinter();
    LLVMInitializeAArch64TargetInfo();
    LLVMInitializeAArch64Target();
    LLVMInitializeAArch64TargetMC();
    LLVMInitializeAArch64AsmPrinter();
    return true;
}

bool lw__llvm_start(struct lw__unit *unit)
{
    if (!lw__llvm_load())
        return false;
    lw__context_open(unit);
    /* for ref, whose kernels are small: building them takes longer than running them */
    return lw__llvm_machine(unit, LW_X86_64, "x86-64", "", LLVMCodeGenLevelNone);
}

static uint32_t within(uint32_t low, uint32_t x, uint32_t high)
{
    return x < low ? low : x > high ? high : x;
}

void lw__llvm_scalarize_memory(void)
{
    static bool done;
    const char *const words[] = {"lanewise-compile", "-scalarize-load-store"};
    if (!done)
        LLVMParseCommandLineOptions(sizeof words / sizeof *words, words, NULL);
    done = true;
}

enum { UNROLL_WORK = 1 << 23 };

void lw__llvm_cpu_options(const struct lw__unit *unit, uint32_t pieces, uint64_t work,
                          uint32_t percent)
{
    /* Pass strings have no words for these. Sizes up to which loops are unrolled, in LLVM's units
     * of about one instruction: those that are marked, and others. */
    char most[48], few[48];
    snprintf(most, sizeof most, "-pragma-unroll-threshold=%u",
             within(64, (uint32_t)(UNROLL_WORK / (work * pieces + 1)), 2048) * percent / 100);
    snprintf(few, sizeof few, "-unroll-threshold=%u",
             within(40, 2400 / pieces, 150) * percent / 100);
    /* The machine scheduler puts instructions last that no other of the block waits for. Such are
     * the additions to the pieces' sums, and all their terms are then live at once. The widening
     * has put the instructions in an order in which few values are live.
     *
     * The pass that avoids loads across several earlier stores asks each access for its size. A
     * masked access with all lanes active has none in LLVM 19, and the pass ends the process. It
     * changes nothing in bench/. */
    const char *const words[] = {"lanewise-compile",
                                 most,
                                 few,
                                 "-unroll-max-percent-threshold-boost=100",
                                 "-experimental-debug-variable-locations=false",
                                 "-enable-misched=false",
                                 lw__works_around(unit, LW_AROUND_blocked_stores)
                                     ? "-x86-disable-avoid-SFB"
                                     : "-x86-disable-avoid-SFB=false"};
    LLVMParseCommandLineOptions(sizeof words / sizeof *words, words, NULL);
    lw__llvm_scalarize_memory();
}

void lw__llvm_skip_combiner(void)
{
    const char *const words[] = {"lanewise-compile", "-aarch64-enable-mcr=false"};
    LLVMParseCommandLineOptions(sizeof words / sizeof *words, words, NULL);
}

void lw__llvm_no_name_index(void)
{
    const char *const words[] = {"lanewise-compile", "-accel-tables=Disable"};
    LLVMParseCommandLineOptions(sizeof words / sizeof *words, words, NULL);
}

void lw__llvm_time_passes(int file)
{
    char report[64];
    snprintf(report, sizeof report, "-info-output-file=/proc/self/fd/%d", file);
    /* -track-memory would measure the heap at each split of a live range, which takes longer than
     * all other work of the register allocator. */
    const char *const words[] = {"lanewise-compile", "-time-passes", report};
    LLVMParseCommandLineOptions(sizeof words / sizeof *words, words, NULL);
}

void lw__llvm_disable_sinking(void)
{
    const char *const words[] = {"lanewise-compile", "-disable-machine-sink"};
    LLVMParseCommandLineOptions(sizeof words / sizeof *words, words, NULL);
}

bool lw__llvm_shadow(struct lw__unit *unit)
{
    static bool done;
    const char *const words[] = {"lanewise-compile", "-msan-track-origins=1",
                                 "-msan-handle-icmp-exact", "-msan-check-access-address=false"};
    if (!done)
        LLVMParseCommandLineOptions(sizeof words / sizeof *words, words, NULL);
    done = true;
    return lw__llvm_passes(unit, LW_PASSES_shadow);
}

LLVMValueRef lw__llvm_asm(LLVMBuilderRef b, LLVMTypeRef type, const char *text,
                          const char *constraints, bool has_effects, LLVMValueRef *args,
                          unsigned count)
{
    LLVMValueRef code = LLVMGetInlineAsm(type, text, strlen(text), constraints, strlen(constraints),
                                         has_effects, 0, LLVMInlineAsmDialectATT, 0);
    return LLVMBuildCall2(b, type, code, args, count, "");
}

LLVMValueRef lw__llvm_slots(LLVMBuilderRef b, LLVMValueRef call, unsigned room)
{
    LLVMContextRef context = LLVMGetTypeContext(LLVMTypeOf(call));
    LLVMTypeRef i64 = LLVMInt64TypeInContext(context);
    LLVMValueRef function = LLVMGetBasicBlockParent(LLVMGetInstructionParent(call));
    LLVMBuilderRef early = LLVMCreateBuilderInContext(context);
    LLVMPositionBuilderBefore(early, LLVMGetFirstInstruction(LLVMGetEntryBasicBlock(function)));
    LLVMValueRef all = LLVMBuildAlloca(early, LLVMArrayType2(i64, room ? room : 1), "");
    LLVMDisposeBuilder(early);
    for (unsigned k = 0; k < room; k++) {
        const bool is_there = k + 1 < LLVMGetNumArgOperands(call);
        LLVMValueRef v = is_there ? LLVMGetOperand(call, k + 1) : LLVMConstInt(i64, 0, 0),
                     index = LLVMConstInt(i64, k, 0);
        const LLVMTypeKind kind = LLVMGetTypeKind(LLVMTypeOf(v));
        v = kind == LLVMIntegerTypeKind   ? LLVMBuildSExt(b, v, i64, "")
            : kind == LLVMPointerTypeKind ? LLVMBuildPtrToInt(b, v, i64, "")
                                          : LLVMBuildBitCast(b, v, i64, "");
        LLVMBuildStore(b, v, LLVMBuildGEP2(b, i64, all, &index, 1, ""));
    }
    return all;
}

void lw__llvm_prefetch(LLVMBuilderRef b, LLVMModuleRef module, LLVMValueRef address,
                       enum lw__cache cache)
{
    enum { TO_READ = 0, DATA = 1 };
    LLVMTypeRef pointer = LLVMTypeOf(address),
                i32 = LLVMInt32TypeInContext(LLVMGetTypeContext(pointer));
    LLVMValueRef args[4] = {address, LLVMConstInt(i32, TO_READ, 0), LLVMConstInt(i32, cache, 0),
                            LLVMConstInt(i32, DATA, 0)};
    lw__llvm_intrinsic(b, module, LW_LLVM_prefetch, &pointer, args, 4);
}

void lw__llvm_attribute(LLVMValueRef function, const char *name, bool set)
{
    LLVMContextRef context = LLVMGetModuleContext(LLVMGetGlobalParent(function));
    unsigned kind = LLVMGetEnumAttributeKindForName(name, strlen(name));
    LLVMRemoveEnumAttributeAtIndex(function, LLVMAttributeFunctionIndex, kind);
    if (set)
        LLVMAddAttributeAtIndex(function, LLVMAttributeFunctionIndex,
                                LLVMCreateEnumAttribute(context, kind, 0));
}

char *lw__llvm_word_of(struct lw__arena *arena, LLVMValueRef function, const char *name)
{
    LLVMAttributeRef word = LLVMGetStringAttributeAtIndex(function, LLVMAttributeFunctionIndex,
                                                          name, (unsigned)strlen(name));
    unsigned length = 0;
    const char *text = word ? LLVMGetStringAttributeValue(word, &length) : NULL;
    return text ? lw__copy_bytes(arena, text, length) : NULL;
}

void lw__llvm_word(LLVMValueRef function, const char *name, const char *value)
{
    LLVMContextRef context = LLVMGetModuleContext(LLVMGetGlobalParent(function));
    LLVMAddAttributeAtIndex(function, LLVMAttributeFunctionIndex,
                            LLVMCreateStringAttribute(context, name, (unsigned)strlen(name), value,
                                                      (unsigned)strlen(value)));
}
