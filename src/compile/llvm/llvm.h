/* llvm.h - the rest of the compiler's view of LLVM: queries about IR, source locations, the target,
 * and everything that depends on LLVM's version.
 */
#ifndef LW_COMPILE_LLVM_H
#define LW_COMPILE_LLVM_H
#include "compile/support/unit.h"

/* Functions of devlib that stay calls until they are widened, for levels that have instructions. */
enum lw__native {
    LW_NATIVE_NONE,
    LW_NATIVE_FMAX,
    LW_NATIVE_FMIN,
    LW_NATIVE_SCALE,
    LW_NATIVE_RARELY,
};

/* Soon to be read: prefetch data to this cache of the processor. LLVM's numbers. */
enum lw__cache { LW_SECOND_CACHE = 2, LW_FIRST_CACHE };

#define LW_X86_64 "x86_64-unknown-linux-gnu"
#define LW_AARCH64 "aarch64-unknown-linux-gnu"
#define LW_NVPTX "nvptx64-nvidia-cuda"

/* Tags of debug info nodes: DWARF 5, table 7.3. */
enum lw__di_tag {
    LW_TAG_ARRAY = 0x01,
    LW_TAG_CLASS = 0x02,
    LW_TAG_ENUMERATION = 0x04,
    LW_TAG_MEMBER = 0x0d,
    LW_TAG_POINTER = 0x0f,
    LW_TAG_REFERENCE = 0x10,
    LW_TAG_STRUCTURE = 0x13,
    LW_TAG_SUBROUTINE = 0x15,
    LW_TAG_TYPEDEF = 0x16,
    LW_TAG_UNION = 0x17,
    LW_TAG_INHERITANCE = 0x1c,
    LW_TAG_BASE = 0x24,
    LW_TAG_CONST = 0x26,
    LW_TAG_VOLATILE = 0x35,
    LW_TAG_RESTRICT = 0x37,
    LW_TAG_RVALUE_REFERENCE = 0x42,
    LW_TAG_ATOMIC = 0x47,
};

/* The operands of LLVM 19's debug info nodes, by index: LLVM's DebugInfoMetadata.h. */
enum lw__di_operand {
    LW_DI_SCOPE = 1,      /* of subprograms, namespaces and types */
    LW_DI_SCOPE_NAME = 2, /* of namespaces and types */
    LW_DI_SUBPROGRAM_NAME = 2,
    LW_DI_TYPE_BASE = 3,        /* derived types; element of arrays, integer of enums */
    LW_DI_TYPE_ELEMENTS = 4,    /* members, dimensions */
    LW_DI_TYPE_IDENTIFIER = 7,  /* the linker's name of a type in C++ */
    LW_DI_SUBROUTINE_TYPES = 3, /* result, parameters */
    LW_DI_SUBPROGRAM_TYPE = 4,
    LW_DI_SUBPROGRAM_RETAINED = 7, /* variables: the parameters first */
    LW_DI_VARIABLE_SCOPE = 0,
    LW_DI_VARIABLE_NAME = 1,
    LW_DI_VARIABLE_TYPE = 3,
};

/* Defects of LLVM and of NVIDIA's assembler that the compiler avoids. */
enum lw__workaround {
#define LW_WORKAROUND(name, whose, upstream, found, test) LW_AROUND_##name,
#include "compile/llvm/workarounds.def"
#undef LW_WORKAROUND
    LW_AROUND_COUNT
};

/* LLVM's intrinsics that the compiler names. */
enum lw__intrinsic {
#define LW_INTRINSIC(row, name, types) LW_LLVM_##row,
#include "compile/llvm/intrinsics.def"
};

/* The kernel language's names for where a thread is. */
enum lw__thread_index {
    LW_INDEX_none,
#define LW_INDEX(name, axes, place, field, hardware) LW_INDEX_##name,
#include "compile/llvm/thread_indices.def"
};

/* Lists of LLVM's passes. */
enum lw__pipeline {
#define LW_PIPELINE(name, passes) LW_PASSES_##name,
#include "compile/llvm/pipelines.def"
};

/* A flag of modules that were made of CUDA files. */
#define LW_CUDA_FLAG "lw.cuda"

/* A call that a block makes once, with uniform operands (cpu/amx.c). */
#define LW_AMX_PRODUCTS "lw.amx_products"

/* A call of guarded code (guard/guard.h): an access that is outside ends the launch. That is if
 * START + SCALE * NUMBER, its bytes after where its object begins, is not below LIMIT. It need be
 * looked at only where FAILS. NUMBER is an i32 or i64, of which the function's name has the type,
 * FAILS and SIGNED are i1, the rest i64. */
#define LW_GUARD "lw.guard"
enum lw__guard_operand {
    LW_GUARD_FAILS,
    LW_GUARD_NUMBER,
    LW_GUARD_SIGNED, /* a constant: NUMBER is extended so */
    LW_GUARD_SCALE,
    LW_GUARD_START,
    LW_GUARD_LIMIT,
    LW_GUARD_KIND, /* this and what follows is told of the access: enum of base/bounds_abi.h */
    LW_GUARD_OBJECT,
    LW_GUARD_BYTES,
    LW_GUARD_SIZE,
    LW_GUARD_BASE,
    LW_GUARD_OPERANDS
};

/* Loops over what LLVM lists. A _SAFE one has taken the next before the body, which may delete the
 * one at hand. */
#define LW_EACH_(type, x, first, next) for (type x = first; x; x = next(x))
#define LW_EACH_SAFE_(type, x, first, next)                                                        \
    for (type x = first, x##_next; x && (x##_next = next(x), true); x = x##_next)
#define EACH_FUNCTION(f, module)                                                                   \
    LW_EACH_(LLVMValueRef, f, LLVMGetFirstFunction(module), LLVMGetNextFunction)
#define EACH_FUNCTION_SAFE(f, module)                                                              \
    LW_EACH_SAFE_(LLVMValueRef, f, LLVMGetFirstFunction(module), LLVMGetNextFunction)
#define EACH_GLOBAL(g, module)                                                                     \
    LW_EACH_(LLVMValueRef, g, LLVMGetFirstGlobal(module), LLVMGetNextGlobal)
#define EACH_GLOBAL_SAFE(g, module)                                                                \
    LW_EACH_SAFE_(LLVMValueRef, g, LLVMGetFirstGlobal(module), LLVMGetNextGlobal)
#define EACH_BLOCK(b, function)                                                                    \
    LW_EACH_(LLVMBasicBlockRef, b, LLVMGetFirstBasicBlock(function), LLVMGetNextBasicBlock)
#define EACH_BLOCK_SAFE(b, function)                                                               \
    LW_EACH_SAFE_(LLVMBasicBlockRef, b, LLVMGetFirstBasicBlock(function), LLVMGetNextBasicBlock)
#define EACH_INSTRUCTION(i, block)                                                                 \
    LW_EACH_(LLVMValueRef, i, LLVMGetFirstInstruction(block), LLVMGetNextInstruction)
#define EACH_INSTRUCTION_SAFE(i, block)                                                            \
    LW_EACH_SAFE_(LLVMValueRef, i, LLVMGetFirstInstruction(block), LLVMGetNextInstruction)
#define EACH_PHI(phi, block)                                                                       \
    for (LLVMValueRef phi = LLVMGetFirstInstruction(block); LLVMIsAPHINode(phi);                   \
         phi = LLVMGetNextInstruction(phi))
#define EACH_PHI_SAFE(phi, block)                                                                  \
    for (LLVMValueRef phi = LLVMGetFirstInstruction(block), phi##_next;                            \
         LLVMIsAPHINode(phi) && (phi##_next = LLVMGetNextInstruction(phi), true);                  \
         phi = phi##_next)
#define EACH_INSTRUCTION_OF(i, function)                                                           \
    LW_EACH_(LLVMValueRef, i, lw__ir_first(function), lw__ir_next)
#define EACH_INSTRUCTION_OF_SAFE(i, function)                                                      \
    LW_EACH_SAFE_(LLVMValueRef, i, lw__ir_first(function), lw__ir_next)
#define EACH_USE(use, value) LW_EACH_(LLVMUseRef, use, LLVMGetFirstUse(value), LLVMGetNextUse)
#define EACH_USE_SAFE(use, value)                                                                  \
    LW_EACH_SAFE_(LLVMUseRef, use, LLVMGetFirstUse(value), LLVMGetNextUse)
/* The calls of a function that the module may lack, NULL; the body deletes or redirects each. */
#define EACH_CALL(call, f) for (LLVMValueRef call; (call = lw__ir_user_left(f));)

/* ---- query.c --------------------------------------------------------------------------------- */

/* The function's first instruction; the one that follows, if need be in the next block. NULL: there
 * is none. */
LLVMValueRef lw__ir_first(LLVMValueRef function);
LLVMValueRef lw__ir_next(LLVMValueRef instruction);
LLVMValueRef lw__ir_user_left(LLVMValueRef function); /* of NULL, too; NULL: it has none */
enum lw__op lw__ir_collective(LLVMValueRef instruction, const char **type);
/* Its "lw.instance"; NULL: it has none. owns: release with LLVMDisposeOperandBundle() */
LLVMOperandBundleRef lw__ir_instance(LLVMValueRef collective);
LLVMValueRef lw__ir_collective_in(LLVMBasicBlockRef block); /* the first; NULL: there is none */
const char *lw__ir_callee(LLVMValueRef instruction);        /* name of the function called, or "" */
LLVMAtomicOrdering lw__ir_fence_order(const char *callee);  /* of lw.fence_* */
/* lw.thread_idx.x and its like: which one, and of which axis (x: 0; NULL: not asked). */
enum lw__thread_index lw__ir_thread_index(const char *callee, unsigned *axis);
/* True if it differs between the threads of a block. */
bool lw__ir_index_varies(enum lw__thread_index index);
/* Of a load, a store or an atomic: the address, NULL for others; the type of what is there. */
LLVMValueRef lw__ir_address(LLVMValueRef i);
LLVMTypeRef lw__ir_accessed(LLVMValueRef i);
LLVMValueRef lw__ir_object(LLVMValueRef pointer); /* what it points into: through all GEPs */
bool lw__ir_is_written(LLVMValueRef pointer);     /* may something be stored through it? */
/* The text of a constant that ends in a NUL, from the pointer to it; NULL: it points to none. */
const char *lw__ir_literal(LLVMValueRef pointer);
bool lw__ir_guards(LLVMValueRef instruction); /* a call of LW_GUARD */
bool lw__ir_prints(LLVMValueRef instruction); /* a printf or assert_that */
bool lw__ir_fails(LLVMValueRef instruction);  /* an assert that has failed */
bool lw__ir_is_private(LLVMValueRef pointer); /* into a variable of the thread's own */
/* True if the user only accesses the target of p, or compares p: p itself is stored nowhere. */
bool lw__ir_only_accesses(LLVMValueRef user, LLVMValueRef p);
bool lw__ir_is_kernel(struct lw__unit *unit, LLVMValueRef function);
bool lw__ir_is_arith(LLVMValueRef i); /* a value of its operands and nothing else; no call, GEP */
bool lw__ir_is_speculatable(LLVMValueRef call);            /* of a function that says so */
bool lw__ir_saturates(LLVMValueRef call, bool *is_signed); /* fptosi.sat, fptoui.sat */
LLVMTypeRef lw__ir_scalar(LLVMTypeRef type); /* a vector's element; else the type itself */
/* If shape is a vector, one of as many elements; else the scalar itself. */
LLVMTypeRef lw__ir_shaped_like(LLVMTypeRef scalar, LLVMTypeRef shape);
bool lw__ir_is_order(LLVMIntPredicate p);            /* less, or greater, with or without equal */
LLVMIntPredicate lw__ir_swapped(LLVMIntPredicate p); /* for operands in turn */
LLVMIntPredicate lw__ir_inverse(LLVMIntPredicate p); /* true where p is not */
LLVMValueRef lw__ir_incoming(LLVMValueRef phi, LLVMBasicBlockRef from); /* NULL: it is none */
/* Metadata of this kind, without content: to set, to ask for. */
void lw__ir_mark(LLVMValueRef i, const char *kind);
bool lw__ir_is_marked(LLVMValueRef i, const char *kind);
void lw__ir_set_rare(LLVMValueRef branch); /* its first successor is rarely taken */
size_t lw__ir_site(struct lw__unit *unit, LLVMValueRef instruction, const char *what);
size_t lw__ir_site_at(struct lw__unit *unit, struct lw__loc loc, const char *what);
void lw__ir_move(LLVMValueRef instruction, LLVMBuilderRef to);   /* its location stays */
LLVMBasicBlockRef lw__ir_split_before(LLVMValueRef instruction); /* the new block in front */
/* Redirect the block's edges from `from` to `to`; phis stay as they are. */
void lw__ir_redirect(LLVMBasicBlockRef block, LLVMBasicBlockRef from, LLVMBasicBlockRef to);
/* The function's instructions that `wants` takes, in order; NULL: all. */
LLVMValueRef *lw__ir_list(struct lw__arena *arena, LLVMValueRef function,
                          bool (*wants)(LLVMValueRef i), size_t *count);
/* At the builder, a call of the function of this name, which is declared by what it is called with
 * if there is none. */
LLVMValueRef lw__ir_call(LLVMBuilderRef b, LLVMModuleRef module, const char *name,
                         LLVMTypeRef result, LLVMValueRef *args, unsigned count);
LLVMValueRef lw__ir_first_after_phis(LLVMBasicBlockRef block);
/* True if the thread may write memory by it. All calls may, except collectives and intrinsics. */
bool lw__ir_may_write(LLVMValueRef instruction);
/* is_logic: true if v compares, or joins conditions, or selects one. is_truth: true if it is the
 * constant with that value. joined: the two conditions that c joins by || (or &&), as an operation
 * or a select. The last: the operand of !c; NULL: c is none. */
bool lw__ir_is_logic(LLVMValueRef v);
bool lw__ir_is_truth(LLVMValueRef v, bool value);
bool lw__ir_joined(LLVMValueRef c, bool by_or, LLVMValueRef of[2]);
LLVMValueRef lw__ir_negated(LLVMValueRef c);
bool lw__ir_divides(LLVMValueRef instruction);  /* integers: quotient or remainder */
bool lw__ir_divides_all(LLVMValueRef divisor);  /* a constant that no number traps by */
bool lw__ir_may_trap(LLVMValueRef instruction); /* a division by anything else: not for lanes
                                                 * that the program guards against it */
/* The result of a load or call is in first ... last. */
void lw__ir_set_range(LLVMValueRef value, uint64_t first, uint64_t last);
bool lw__ir_is_libcall(const char *name); /* devlib's functions that LLVM's x86 code may call */
bool lw__ir_in_section(LLVMValueRef global, const char *section);
void lw__ir_remove(LLVMValueRef function); /* whatever uses it */
bool lw__ir_is_cuda(LLVMModuleRef module); /* the text was CUDA: front/cuda_module.c */
enum lw__native lw__native_of(const char *callee);
bool lw__spmd_is_native(LLVMValueRef i); /* a call of any of these */
bool lw__spmd_is_rarely(LLVMValueRef i); /* a call of lw.rarely */

/* ---- crash_context.c ------------------------------------------------------------------------- */

void lw__where_start(void);
void lw__where_pass(const struct lw__unit *unit, const char *pass);
void lw__where_kernel(const struct lw__unit *unit, const struct lw__kernel *kernel);
void lw__where_at(const struct lw__unit *unit, LLVMValueRef instruction);
void lw__where_tell(void);
void lw__where_done(void);  /* the result is written, or the end is told of */
void lw__where_leave(void); /* this is a copy of the process, whose end says nothing */

/* ---- context.c ------------------------------------------------------------------------------- */

/* The unit's context, empty; the end of it and of the unit's module. */
void lw__context_open(struct lw__unit *unit);
void lw__context_close(struct lw__unit *unit);
bool lw__context_is_well(struct lw__unit *unit); /* false: LLVM has told of an error */

/* ---- workarounds.c --------------------------------------------------------------------------- */

bool lw__works_around(const struct lw__unit *unit, enum lw__workaround row);
/* Leave out the row of this name; false: there is none. */
bool lw__workaround_leave(struct lw__options *options, const char *name);

/* ---- intrinsics.c ---------------------------------------------------------------------------- */

/* Comes before the other two. False: this LLVM lacks one, or it is another. */
bool lw__llvm_find_intrinsics(void);
/* A call of it, at the builder. types: as many as its row says; NULL for none. */
LLVMValueRef lw__llvm_intrinsic(LLVMBuilderRef b, LLVMModuleRef module, enum lw__intrinsic row,
                                LLVMTypeRef *types, LLVMValueRef *args, unsigned arg_count);
bool lw__ir_calls(LLVMValueRef i, enum lw__intrinsic row); /* for any types */

/* ---- pipelines.c ----------------------------------------------------------------------------- */

/* Run these passes on the unit's module. */
bool lw__llvm_passes(struct lw__unit *unit, enum lw__pipeline row);

/* ---- llvm19.c -------------------------------------------------------------------------------- */

/* Everything that depends on LLVM's version. */
bool lw__llvm_load(void); /* targets, self-test: what is the same for every unit */
bool lw__llvm_start(struct lw__unit *unit); /* that, context, target machine */
/* MemorySanitizer, with origins, on functions with the attribute sanitize_memory. */
bool lw__llvm_shadow(struct lw__unit *unit);
/* For the cpu's passes and code generator, once per process. pieces: the most of any block; work:
 * loops marked to be unrolled, times the instructions of the kernels. */
void lw__llvm_cpu_options(const struct lw__unit *unit, uint32_t pieces, uint64_t work,
                          uint32_t percent);
/* Scalarizer splits loads and stores of short vectors, too. */
void lw__llvm_scalarize_memory(void);
/* No index of the names in debug information: gdb assumes that it covers all units, which it does
 * not. Once. */
void lw__llvm_no_name_index(void);
/* LLVM appends the time and memory of its passes to this file. Once. */
void lw__llvm_time_passes(int file);
/* The code generator does not sink instructions to other blocks. Once. */
void lw__llvm_disable_sinking(void);
/* The code generator for AArch64 does not combine products and sums. Once. */
void lw__llvm_skip_combiner(void);
/* A call of inline assembly, at the builder. */
LLVMValueRef lw__llvm_asm(LLVMBuilderRef b, LLVMTypeRef type, const char *text,
                          const char *constraints, bool has_effects, LLVMValueRef *args,
                          unsigned count);
/* The arguments after a format, as `room` words of 64 bits on the function's stack; 0 after them.
 * C has promoted them to int, a wider integer, or double. */
LLVMValueRef lw__llvm_slots(LLVMBuilderRef b, LLVMValueRef call, unsigned room);
void lw__llvm_prefetch(LLVMBuilderRef b, LLVMModuleRef module, LLVMValueRef address,
                       enum lw__cache cache);
void lw__llvm_attribute(LLVMValueRef function, const char *name, bool set);
/* An attribute with a text, as "target-cpu"; "": without. */
void lw__llvm_word(LLVMValueRef function, const char *name, const char *value);
/* Its text, a copy; NULL: the function has no such. */
char *lw__llvm_word_of(struct lw__arena *arena, LLVMValueRef function, const char *name);
/* unit->machine becomes this one, and the module, if any, code for it. */
bool lw__llvm_machine(struct lw__unit *unit, const char *triple, const char *cpu,
                      const char *features, LLVMCodeGenOptLevel effort);

/* ---- link.c ---------------------------------------------------------------------------------- */

/* lld with these options, on an object or an archive of them, then these libraries. Both lists end
 * in NULL. linked may be the object. */
bool lw__link(const char *const *options, const char *const *libraries,
              const struct lw__text *object, struct lw__text *linked);

/* ---- target.c -------------------------------------------------------------------------------- */

/* The target of a device, and N where its name ends in /N, else 0; NULL: there is none. */
const struct lw__target *lw__target_find(const char *device, uint32_t *gang);
/* That of the unit's device, or of null where the options name none; false: there is no such. */
bool lw__target_choose(struct lw__unit *unit);
/* The one that follows and has these capabilities, of NULL the first; NULL: it was the last. */
const struct lw__target *lw__target_next(const struct lw__target *target, unsigned has);
/* "cpu:avx2, cpu:avx512 or ref": those that have the capabilities; of the same kind of device as
 * the name `of`, if that is not empty. */
void lw__target_names(struct lw__text *text, const char *of, unsigned has);
bool lw__is_for_aarch64(const struct lw__unit *unit);
/* unit->machine becomes that of the target. */
bool lw__target_machine(struct lw__unit *unit, LLVMCodeGenOptLevel effort);
uint32_t lw__spmd_pieces(const struct lw__unit *unit, const struct lw__kernel *kernel); /* of its
                                                                                         * block */
/* True if the target has an instruction for this function of devlib. */
bool lw__spmd_has_native(const struct lw__unit *unit, const char *name);

/* ---- debug_info.c ---------------------------------------------------------------------------- */

/* A node's tag, 0 for NULL, which is void; its operand `index`, NULL if it has none. */
unsigned lw__di_tag(LLVMMetadataRef node);
unsigned lw__di_operand_count(LLVMContextRef context, LLVMMetadataRef node);
LLVMMetadataRef lw__di_operand(LLVMContextRef context, LLVMMetadataRef node, unsigned index);
/* Adds the scope's namespaces and types to the text, the outermost first, each followed by "::", as
 * C++ has them before a name. */
void lw__di_scopes(LLVMContextRef context, LLVMMetadataRef scope, struct lw__text *out);
/* The variable of a global's debug info; NULL: it has none. */
LLVMMetadataRef lw__di_of_global(LLVMValueRef global);
/* The name of a variable's node; NULL: it has none. */
const char *lw__di_variable_name(LLVMContextRef context, LLVMMetadataRef variable, size_t *length);

/* ---- location.c ------------------------------------------------------------------------------ */

/* The location of an instruction (the innermost inlined one that has a line), global variable or
 * function. */
struct lw__loc lw__loc_of(LLVMValueRef value);
/* The calls of helpers that led there, the innermost first; their number, at most `most`. */
size_t lw__loc_callers(LLVMValueRef instruction, struct lw__loc *callers, size_t most);
/* Of a variable of the function, by its debug info. */
struct lw__loc lw__loc_of_variable(LLVMValueRef function, LLVMMetadataRef variable);
/* A global's name in the source: clang's own name also has the function's, and a number. */
const char *lw__source_name(LLVMValueRef global);
/* For a global without debug info: the location of its first use by an instruction. */
struct lw__loc lw__loc_of_use(LLVMValueRef global);
#endif
