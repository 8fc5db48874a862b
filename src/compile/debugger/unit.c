/* unit.c - symbols for a debugger besides the kernels' own variables (-O0).
 *
 *     thread_idx block_idx block_dim grid_dim     variables, of the current thread: gdb would have
 *     global_idx lane_id warp_id                  to call functions
 *     lanewise_runs                               called whenever a thread resumes, for breakpoints
 *     lanewise_thread                             (gdb/lanewise.py); its record of base/ref_abi.h
 *     lw.frame                                    base/ref_abi.h
 *
 * They are in a compilation unit of their own. variables.c makes a thread call lw.here,
 * which sets the variables.
 */
#include "compile/debugger/debugger.h"
#include "compile/llvm/llvm.h"
#include <stdio.h>
#include <string.h>

enum { ENCODING_SIGNED = 5, ENCODING_UNSIGNED = 7 }; /* source: DWARF 5, section 7.8 */

struct watch {
    struct lw__unit *unit;
    LLVMModuleRef module;
    LLVMBuilderRef b;
    LLVMDIBuilderRef di;
    LLVMMetadataRef file, int_type, size_type, int3, size3;
    LLVMTypeRef i8, i32, i64, ptr;
    LLVMValueRef thread; /* of lw.here */
};

static LLVMMetadataRef member(struct watch *w, const char *name, LLVMMetadataRef type,
                              unsigned bits, size_t offset)
{
    return LLVMDIBuilderCreateMemberType(w->di, w->file, name, strlen(name), w->file, 0, bits, bits,
                                         8 * offset, LLVMDIFlagZero, type);
}

static LLVMMetadataRef enumeration(struct watch *w, const char *name, const char *const *words,
                                   unsigned count)
{
    LLVMMetadataRef rows[LW_OP_COUNT];
    for (unsigned i = 0; i < count; i++)
        rows[i] = LLVMDIBuilderCreateEnumerator(w->di, words[i], strlen(words[i]), i, 1);
    return LLVMDIBuilderCreateEnumerationType(w->di, w->file, name, strlen(name), w->file, 0, 32,
                                              32, rows, count, w->int_type);
}

static LLVMMetadataRef vector_type(struct watch *w, const char *name, LLVMMetadataRef element,
                                   unsigned bits)
{
    static const char *const axes[] = {"x", "y", "z"};
    LLVMMetadataRef members[3];
    for (unsigned i = 0; i < 3; i++)
        members[i] = member(w, axes[i], element, bits, i * bits / 8);
    return LLVMDIBuilderCreateStructType(w->di, w->file, name, strlen(name), w->file, 0, 3 * bits,
                                         bits, LLVMDIFlagZero, NULL, members, 3, 0, NULL, "", 0);
}

/* ---- variables ------------------------------------------------------------------------------- */

static LLVMValueRef variable(struct watch *w, const char *name, LLVMMetadataRef described,
                             LLVMTypeRef type)
{
    const unsigned kind = LLVMGetMDKindIDInContext(w->unit->context, "dbg", 3);
    char symbol[48];
    snprintf(symbol, sizeof symbol, "lw.%s", name);
    LLVMValueRef g = LLVMAddGlobal(w->module, type, symbol);
    LLVMSetInitializer(g, LLVMConstNull(type));
    LLVMSetLinkage(g, LLVMInternalLinkage);
    LLVMGlobalSetMetadata(g, kind,
                          LLVMDIBuilderCreateGlobalVariableExpression(
                              w->di, w->file, name, strlen(name), "", 0, w->file, 0, described, 0,
                              LLVMDIBuilderCreateExpression(w->di, NULL, 0), NULL, 0));
    return g;
}

static LLVMValueRef element(struct watch *w, LLVMTypeRef type, LLVMValueRef base, uint64_t index)
{
    LLVMValueRef at = LLVMConstInt(w->i64, index, 0);
    return LLVMBuildGEP2(w->b, type, base, &at, 1, "");
}

static LLVMValueRef field(struct watch *w, size_t offset)
{
    return LLVMBuildLoad2(w->b, w->i32, element(w, w->i8, w->thread, offset), "");
}

/* A vector of the record, as a variable. */
static void set_vector(struct watch *w, const char *name, size_t offset)
{
    LLVMValueRef g = variable(w, name, w->int3, LLVMArrayType2(w->i32, 3));
    for (uint64_t i = 0; i < 3; i++)
        LLVMBuildStore(w->b, field(w, offset + i * sizeof(int32_t)), element(w, w->i32, g, i));
}

/* The type of the record, for gdb/lanewise.py. */
static LLVMMetadataRef record_type(struct watch *w)
{
    static const char *const states[] = {
        [LW_REF_FRESH] = "begins", [LW_REF_RETURNED] = "returned", [LW_REF_COLLECTIVE] = "waits",
        [LW_REF_YIELD] = "yields", [LW_REF_FAILED] = "failed",     [LW_REF_TURN] = "yields"};
    enum { STATES = sizeof states / sizeof *states };
    const char *ops[LW_OP_COUNT] = {"none"};
    for (int op = 1; op < LW_OP_COUNT; op++)
        ops[op] = lw__op_table[op].name;
    LLVMMetadataRef members[] = {
        member(w, "state", enumeration(w, "lanewise_state", states, STATES), 32, FIELD(state)),
        member(w, "op", enumeration(w, "lanewise_op", ops, LW_OP_COUNT), 32, FIELD(op)),
        member(w, "linear", w->int_type, 32, FIELD(linear)),
        member(w, "line", w->int_type, 32, FIELD(line)),
        member(w, "record_bytes", w->size_type, 64, FIELD(record_bytes))};
    return LLVMDIBuilderCreateStructType(w->di, w->file, "lanewise_record", 15, w->file, 0,
                                         8 * sizeof(struct lw_ref_thread), 64, LLVMDIFlagZero, NULL,
                                         members, sizeof members / sizeof *members, 0, NULL, "", 0);
}

/* ---- functions ------------------------------------------------------------------------------- */

static void begin(struct watch *w, LLVMValueRef f)
{
    lw__llvm_attribute(f, "noinline", true);
    LLVMPositionBuilderAtEnd(w->b, LLVMAppendBasicBlockInContext(w->unit->context, f, ""));
}

/* lanewise_runs: it does nothing. */
static LLVMValueRef build_runs(struct watch *w, LLVMTypeRef type)
{
    static const char name[] = "lanewise_runs";
    LLVMMetadataRef none = NULL,
                    signature =
                        LLVMDIBuilderCreateSubroutineType(w->di, w->file, &none, 1, LLVMDIFlagZero);
    LLVMValueRef f = LLVMAddFunction(w->module, name, type);
    LLVMSetSubprogram(f, LLVMDIBuilderCreateFunction(w->di, w->file, name, strlen(name), "", 0,
                                                     w->file, 0, signature, 0, 1, 0, LLVMDIFlagZero,
                                                     0));
    begin(w, f);
    LLVMBuildRetVoid(w->b);
    return f;
}

/* lw.here(thread): no debug information, so that a debugger steps over it. */
static void build_here(struct watch *w)
{
    LLVMTypeRef none = LLVMFunctionType(LLVMVoidTypeInContext(w->unit->context), NULL, 0, 0);
    LLVMValueRef runs = build_runs(w, none), f = LLVMGetNamedFunction(w->module, LW_HERE);
    if (!f)
        return; /* there is no kernel */
    w->thread = LLVMGetParam(f, 0);
    LLVMSetLinkage(f, LLVMInternalLinkage);
    begin(w, f);
    set_vector(w, "thread_idx", FIELD(thread_idx));
    set_vector(w, "block_idx", FIELD(block_idx));
    set_vector(w, "block_dim", FIELD(block_dim));
    set_vector(w, "grid_dim", FIELD(grid_dim));
    LLVMValueRef g = variable(w, "global_idx", w->size3, LLVMArrayType2(w->i64, 3));
    for (uint64_t i = 0; i < 3; i++) {
        const size_t axis = i * sizeof(int32_t);
        LLVMValueRef block = LLVMBuildZExt(w->b, field(w, FIELD(block_idx) + axis), w->i64, "");
        LLVMValueRef dim = LLVMBuildZExt(w->b, field(w, FIELD(block_dim) + axis), w->i64, "");
        LLVMValueRef thread = LLVMBuildZExt(w->b, field(w, FIELD(thread_idx) + axis), w->i64, "");
        LLVMBuildStore(w->b, LLVMBuildAdd(w->b, LLVMBuildMul(w->b, block, dim, ""), thread, ""),
                       element(w, w->i64, g, i));
    }
    /* Set lane_id and warp_id, from the index in the block; and the record. */
    LLVMBuildStore(w->b, w->thread,
                   variable(w, "lanewise_thread",
                            LLVMDIBuilderCreatePointerType(w->di, record_type(w), 64, 0, 0, "", 0),
                            w->ptr));
    LLVMValueRef linear = field(w, FIELD(linear));
    LLVMBuildStore(w->b, LLVMBuildAnd(w->b, linear, LLVMConstInt(w->i32, 31, 0), ""),
                   variable(w, "lane_id", w->int_type, w->i32));
    LLVMBuildStore(w->b, LLVMBuildLShr(w->b, linear, LLVMConstInt(w->i32, 5, 0), ""),
                   variable(w, "warp_id", w->int_type, w->i32));
    LLVMBuildCall2(w->b, none, runs, NULL, 0, "");
    LLVMBuildRetVoid(w->b);
}

/* ---- frames ---------------------------------------------------------------------------------- */

/* The size of a value in memory; at most all values are in memory at once. */
static uint64_t bytes_of(LLVMTargetDataRef data, LLVMTypeRef type)
{
    enum { LEAST = 16 };
    if (!LLVMTypeIsSized(type))
        return LEAST;
    return 2 * LLVMABISizeOfType(data, type) + LEAST;
}

/* lw__pass_watch - symbols for a debugger, and the size of a thread's frame.
 * needs THREADS   makes FINAL   breaks THREADS
 */
bool lw__pass_watch(struct lw__unit *unit)
{
    LLVMContextRef c = unit->context;
    struct watch w = {.unit = unit,
                      .module = unit->module,
                      .b = LLVMCreateBuilderInContext(c),
                      .di = LLVMCreateDIBuilder(unit->module),
                      .i8 = LLVMInt8TypeInContext(c),
                      .i32 = LLVMInt32TypeInContext(c),
                      .i64 = LLVMInt64TypeInContext(c),
                      .ptr = LLVMPointerTypeInContext(c, 0)};
    lw__llvm_no_name_index();
    /* lw.frame: of the kernel that needs most. */
    enum { SOME = 1024 };
    LLVMTargetDataRef data = LLVMGetModuleDataLayout(w.module);
    uint64_t most = 0;
    EACH_FUNCTION(f, w.module) {
        uint64_t bytes = 0;
        EACH_INSTRUCTION_OF(i, f) {
            bytes += bytes_of(data, LLVMTypeOf(i));
            if (LLVMIsAAllocaInst(i))
                bytes += LLVMABISizeOfType(data, LLVMGetAllocatedType(i)) + LLVMGetAlignment(i);
        }
        most = bytes > most ? bytes : most;
    }
    LLVMValueRef g = LLVMAddGlobal(w.module, w.i64, "lw.frame");
    LLVMSetInitializer(g, LLVMConstInt(w.i64, most + SOME, 0));
    LLVMSetGlobalConstant(g, 1);
    static const char name[] = "lanewise", producer[] = "Lanewise " LW_VERSION;
    w.file = LLVMDIBuilderCreateFile(w.di, name, strlen(name), "", 0);
    LLVMDIBuilderCreateCompileUnit(w.di, LLVMDWARFSourceLanguageC11, w.file, producer,
                                   strlen(producer), 0, "", 0, 0, "", 0, LLVMDWARFEmissionFull, 0,
                                   0, 0, "", 0, "", 0);
    w.int_type = LLVMDIBuilderCreateBasicType(w.di, "int", 3, 32, ENCODING_SIGNED, LLVMDIFlagZero);
    w.size_type =
        LLVMDIBuilderCreateBasicType(w.di, "size_t", 6, 64, ENCODING_UNSIGNED, LLVMDIFlagZero);
    w.int3 = vector_type(&w, "int3", w.int_type, 32);
    w.size3 = vector_type(&w, "size3", w.size_type, 64);
    build_here(&w);
    LLVMDIBuilderFinalize(w.di);
    LLVMDisposeDIBuilder(w.di);
    LLVMDisposeBuilder(w.b);
    return true;
}
