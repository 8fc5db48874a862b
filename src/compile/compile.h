/* compile.h - types and prototypes of lanewise-compile, in the order in which a kernel flows.
 *
 * One struct lw__unit is one compilation. Passes (passes.def) take it from text to payload; each
 * either computes facts or makes new code, and says through its return value whether the
 * compilation can go on. Errors in the kernels are diag rows of unit->manifest; defects of ours and
 * of the machine go through lw__defect().
 */
#ifndef LW_COMPILE_H
#define LW_COMPILE_H

#include "base/base.h"
#include "base/ref_abi.h"
#include "compile/front.h"
#include <llvm-c/Core.h>
#include <llvm-c/TargetMachine.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

/* What is known or true of a unit's module; see passes.def. */
enum {
    FACT_RAW = 1 << 0,       /* module is clang's output */
    FACT_SIGNATURE = 1 << 1, /* kernels[] is filled in */
    FACT_ALLOWED = 1 << 2,   /* nothing that the language refuses */
    FACT_SIZES = 1 << 3,     /* lw.sizes.K exist; no vla checks are left */
    FACT_LINKED = 1 << 4,    /* lw.* maths, conversions and atomics have bodies */
    FACT_HALF = 1 << 5, /* half and bfloat are only stored, loaded and moved; no division traps */
    FACT_INLINED = 1 << 6,    /* kernels call nothing but lw.* operations and llvm.* */
    FACT_INSTANCE = 1 << 7,   /* each collective carries an "lw.instance" bundle */
    FACT_COMMON = 1 << 8,     /* cleaned up: what all targets start from */
    FACT_DESCRIBED = 1 << 12, /* the manifest has the kernels' rows */
    FACT_THREADS = 1 << 9,    /* lw.ref.K exist */
    FACT_OBJECT = 1 << 10,    /* unit->payload is an object file */
    FACT_PAYLOAD = 1 << 11,   /* unit->payload is what the library gets */
    FACT_BLOCKS = 1 << 13,    /* kernels[] are those to build now, each for its block */
    FACT_PREPARED = 1 << 14,  /* kernels know their block; scalars only, short loops unrolled */
    FACT_WIDENED = 1 << 15,   /* lw.cpu.K exist */
    FACT_FINAL = 1 << 16,     /* optimised: left to the code generator */
    FACT_ENTERED = 1 << 17,   /* each loop has one way in */
    FACT_MET = 1 << 18,       /* collectives are calls of devlib's, each with who takes part */
    FACT_LOWERED = 1 << 19,   /* entries as cuda_abi.h has them; no lw.* is left */
    FACT_BUILTIN = 1 << 20,   /* intrinsics that all targets compute exactly, and those refused */
};

enum lw__shape { LW_ARGS_N, LW_ARGS_P, LW_ARGS_V, LW_ARGS_VI, LW_ARGS_VVI };

struct lw__op_info {
    const char *name; /* as users write it */
    bool block;       /* scope: the block, not the warp */
    enum lw__shape args;
};
extern const struct lw__op_info lw__op_table[LW_OP_COUNT];

/* Options of one run, as main.c read them. */
struct lw__options {
    const char *device; /* ref, null, cuda:sm_80, cpu:avx2 ... */
    const char *path;   /* kernel file; NULL: source_fd, or common_fd */
    const char *name;   /* the text's name in messages */
    int source_fd, out_fd;
    int common_fd;      /* instead of a text: common bitcode, see base/cpu_abi.h; -1 */
    const char *kernel; /* the only one to build, or NULL */
    uint32_t block[3];  /* threads of a block; 0, 0, 0: what BLOCK(...) says */
    char **clang_args;  /* -D and -I, in order, each with its value; owned */
    size_t clang_arg_count;
    bool debug;            /* -O0: every variable has its value at each line; for ref */
    const char *show;      /* stage to print instead of building, or NULL */
    const char *only_pass; /* --pass: run this one on an IR file, or NULL */
    bool image_ref;        /* with image: ref's job, which begins with the text, for its checks */
    struct lw__image_options *image; /* --image: what lanewise cc makes (image.h), or NULL; owned */
};

/* A child process; its output goes to memory files. */
struct lw__process {
    int pid, out, err;
};

/* The linker, waiting for the object: target_object.c. */
struct lw__link {
    struct lw__process lld;
    int object; /* where to write it */
    bool running;
};

struct lw__unit {
    const struct lw__options *options;
    unsigned facts;
    LLVMContextRef context;
    struct lw__text llvm_said; /* errors that LLVM told of, see context.c */
    LLVMModuleRef module;
    LLVMTargetMachineRef machine; /* x86-64 baseline, made by llvm19; then that of the device */
    struct lw__kernels kernels;   /* front.h */
    struct lw__diags diags;       /* diag rows go to manifest */
    struct lw__text ast_print;    /* clang -ast-print of the text; for sizes */
    struct lw__text manifest;     /* diag, dep, then kernel, param and site rows */
    struct lw__text sites;        /* site rows, numbered by site_count */
    size_t site_count;
    bool has_rare; /* code that lanes rarely need is jumped over: lw.rarely */
    bool misused;  /* no way leads to what the command line asks for */
    struct lw__text payload;
    struct lw__link link;
};

/* main.c: print why and what to standard error, for the library to pass on; always false. A defect
 * of ours or of the machine, not of the kernels. */
bool lw__defect(const char *format, ...) __attribute__((format(printf, 1, 2)));
bool lw__print(const char *text); /* to standard output; false: it could not be written */

/* main.c: manifest and payload to options->out_fd. */
bool lw__write_result(struct lw__unit *unit);

/* where.c: what this program is at. If it ends by a signal, or LLVM ends it, its last line on
 * standard error says pass, kernel and line; lw__where_tell writes that line at other ends. */
enum { LW_EXIT_DEFECT = 3 };
void lw__where_start(void);
void lw__where_pass(const struct lw__unit *unit, const char *pass);
void lw__where_kernel(const struct lw__unit *unit, const struct lw__kernel *kernel);
void lw__where_at(const struct lw__unit *unit, LLVMValueRef instruction);
void lw__where_tell(void);
void lw__where_done(void); /* the result is written, or the end is told of */

/* pipeline.c: run the passes of unit->options->device up to the stage asked for. */
bool lw__pipeline_run(struct lw__unit *unit);

#define LW_PASS(name, needs, makes, breaks) bool lw__pass_##name(struct lw__unit *unit);
#include "passes.def"
#undef LW_PASS

/* process.c: limit this program, and with it its children, to LW_COMPILE_SECONDS of processor time
 * each; give them the stack that deeply nested texts need. */
enum { LW_COMPILE_SECONDS = 60 };
void lw__process_limits(void);

/* process.c: start a program without a shell, its output going to memory files.
 * in is its standard input (-1: none); out, err get memory files, released by the caller with
 * close. Descriptors in keep[] stay open in it under numbers from 3 on. */
bool lw__process_start(const char *const *argv, int in, const int *keep, size_t keep_count,
                       struct lw__process *process);
/* Wait for it; *exit_code is its status, or 128 + signal. out and err are rewound to be read. */
bool lw__process_wait(struct lw__process *process, int *exit_code);
bool lw__read_all(int fd, struct lw__text *text); /* from the start to the end */
int lw__memory_file(const char *name);            /* -1: none could be made */

/* front.c: the folder that holds lanewise/kernel.h; false: there is none, which has been said. */
enum { LW_PATH_MAX = 4096 };
bool lw__header_folder(char folder[LW_PATH_MAX]);

/* front_own.c: names of our header that the kernel file defines itself, each "NAME=NAME" and a
 * NUL. suspect: those that stand where clang tells of errors; acquit: those whose functions clang
 * misses without the header's go, true: there were such. */
struct lw__own {
    struct lw__text names;
    size_t count;
};
bool lw__own_suspect(struct lw__own *own, const char *said);
bool lw__own_acquit(struct lw__own *own, const char *said);

/* common.c: the module as it is, with what only clang's text had of its kernels.
 * owns     release with LLVMDisposeMemoryBuffer */
LLVMMemoryBufferRef lw__common_bitcode(struct lw__unit *unit);

/* context.c: the unit's context, empty; the end of it and of the unit's module. */
void lw__context_open(struct lw__unit *unit);
void lw__context_close(struct lw__unit *unit);
bool lw__context_is_well(struct lw__unit *unit); /* false: LLVM has told of an error */

/* front_mixed.c: the module as text, with conversions between _Float16 and __bf16 by way of float.
 */
bool lw__front_unmix(const char *module, struct lw__text *out);

/* front.c: a dep row for the file; none where it cannot be read. */
void lw__dependency_add(struct lw__text *manifest, const char *path);

/* llvm19.c: everything that depends on LLVM's version. */
bool lw__llvm_start(struct lw__unit *unit); /* context, target machine, self-test */
bool lw__llvm_passes(LLVMModuleRef module, LLVMTargetMachineRef machine, const char *passes);
/* For the cpu's passes and code generator, once a process: the most pieces that a block has; how
 * many loops are marked to be unrolled, times the instructions of the kernels. */
void lw__llvm_cpu_options(uint32_t pieces, uint64_t work);
/* Scalarizer takes loads and stores of short vectors apart, too. */
void lw__llvm_scalarize_memory(void);
/* No index of the names in debug information: gdb takes it for one of all units, though clang's
 * units are not to be in one. Once. */
void lw__llvm_no_name_index(void);
/* The code generator leaves instructions in their blocks. Once. */
void lw__llvm_keep_places(void);
/* The code generator for AArch64 leaves products and sums apart. Once. */
void lw__llvm_skip_combiner(void);
LLVMValueRef lw__llvm_intrinsic(LLVMBuilderRef b, LLVMModuleRef module, const char *name,
                                LLVMTypeRef *types, unsigned type_count, LLVMValueRef *args,
                                unsigned arg_count);
/* A call of inline assembly, at the builder. */
LLVMValueRef lw__llvm_asm(LLVMBuilderRef b, LLVMTypeRef type, const char *text,
                          const char *constraints, bool has_effects, LLVMValueRef *args,
                          unsigned count);
/* What lies there will be read, soon: data into this cache of the processor. LLVM's numbers. */
enum lw__cache { LW_SECOND_CACHE = 2, LW_FIRST_CACHE };
void lw__llvm_prefetch(LLVMBuilderRef b, LLVMModuleRef module, LLVMValueRef address,
                       enum lw__cache cache);
void lw__llvm_attribute(LLVMValueRef function, const char *name, bool set);
/* unit->machine becomes this one, the module, if there is one, code for it. */
#define LW_X86_64 "x86_64-unknown-linux-gnu"
#define LW_AARCH64 "aarch64-unknown-linux-gnu"
bool lw__llvm_machine(struct lw__unit *unit, const char *triple, const char *cpu,
                      const char *features, LLVMCodeGenOptLevel effort);

/* target_object.c: the module as the machine's code, or text, in unit->payload. */
bool lw__emit(struct lw__unit *unit, LLVMCodeGenFileType kind);
/* target_object.c: start the linker ahead of its pass; end one that is not needed. */
bool lw__link_start(struct lw__unit *unit);
void lw__link_drop(struct lw__unit *unit);

/* target_cpu.c: of cpu:LEVEL or cpu:LEVEL/N, the level as an enum lw__level (spmd.h), -1 where it
 * is neither; N, 0 where it is not said. */
int lw__cpu_level(const char *device);
uint32_t lw__cpu_gang(const char *device);
bool lw__is_for_aarch64(const struct lw__unit *unit); /* cpu:aarch64, ref:aarch64 */
bool lw__is_for_cuda(
    const struct lw__unit *unit);              /* target_ptx.c: cuda:sm_NN, or its stages shown */
bool lw__ptx_check_device(const char *device); /* "cuda:soup": says why and gives false */
bool lw__cpu_machine(struct lw__unit *unit); /* for cpu: unit->machine becomes that of its level */
void lw__cpu_hide_comparisons(LLVMValueRef function); /* target_cpu_quirks.c: for AArch64 */

/* ref_access.c: the checks of devices that look at each access, until ref_bounds.c makes code of
 * them. lw.access: a pointer, how many bytes, what is done there. lw.index: is the index within,
 * the index, of how many, a pointer into what is indexed, the tensor's axis or -1, may it be the
 * place behind the last. */
enum lw__access_kind { LW_ACCESS_READ, LW_ACCESS_WRITE, LW_ACCESS_ATOMIC };
enum { LW_ACCESS_ENDED = 4 }; /* added to the kind: the variable is of a helper that has returned */
enum { LW_ACCESS_ARGS = 3 };
enum {
    LW_INDEX_OK,
    LW_INDEX_NUMBER,
    LW_INDEX_COUNT,
    LW_INDEX_POINTER,
    LW_INDEX_AXIS,
    LW_INDEX_BEHIND,
    LW_INDEX_ARGS,
};
/* True if all `bytes` from the pointer on, at a constant place behind all its GEPs, are within an
 * object of `size`. */
bool lw__is_within(LLVMTargetDataRef data, LLVMValueRef pointer, uint64_t bytes, uint64_t size);
void lw__check_index(LLVMBuilderRef b, LLVMModuleRef module, LLVMValueRef args[LW_INDEX_ARGS]);

/* True if the device checks each access; front.c asks clang for more then. */
static inline bool lw__is_checked(const struct lw__unit *unit)
{
    const struct lw__options *o = unit->options;
    const char *device = o->device;
    return device && (!o->image || o->image_ref) && !strncmp(device, "ref", 3) &&
           (!device[3] || device[3] == ':');
}

/* ir_link.c: devlib's bitcode into the module; take from a function what clang says of the host. */
bool lw__link_bitcode(struct lw__unit *unit, const char *begin, const char *end);
void lw__link_no_target(LLVMValueRef function);

/* ir.c: small questions about a module. */
enum lw__op lw__ir_collective(LLVMValueRef instruction, const char **type);
/* Its "lw.instance"; NULL: it has none. owns: release with LLVMDisposeOperandBundle() */
LLVMOperandBundleRef lw__ir_instance(LLVMValueRef collective);
LLVMValueRef lw__ir_collective_in(LLVMBasicBlockRef block); /* the first; NULL: there is none */
const char *lw__ir_callee(LLVMValueRef instruction);        /* name of the function called, or "" */
LLVMAtomicOrdering lw__ir_fence_order(const char *callee);  /* of lw.fence_* */
bool lw__ir_is_place(const char *callee);                   /* lw.thread_idx.x and its like */
LLVMValueRef lw__ir_object(LLVMValueRef pointer); /* what it points into: behind all GEPs */
bool lw__ir_is_private(LLVMValueRef pointer);     /* into a variable of the thread's own */
bool lw__ir_is_kernel(struct lw__unit *unit, LLVMValueRef function);
bool lw__ir_is_arith(LLVMValueRef i); /* a value of its operands and nothing else; no call, GEP */
bool lw__ir_is_speculatable(LLVMValueRef call);            /* of a function that says so */
bool lw__ir_saturates(LLVMValueRef call, bool *is_signed); /* fptosi.sat, fptoui.sat */
LLVMTypeRef lw__ir_scalar(LLVMTypeRef type); /* a vector's element; else the type itself */
/* Where shape is a vector, one of so many; else the scalar itself. */
LLVMTypeRef lw__ir_shaped_like(LLVMTypeRef scalar, LLVMTypeRef shape);
LLVMIntPredicate lw__ir_swapped(LLVMIntPredicate p);                    /* for operands in turn */
LLVMValueRef lw__ir_incoming(LLVMValueRef phi, LLVMBasicBlockRef from); /* NULL: it is none */
void lw__ir_set_rare(LLVMValueRef branch); /* its first way is taken rarely */
size_t lw__ir_site(struct lw__unit *unit, LLVMValueRef instruction, const char *what);
void lw__ir_move(LLVMValueRef instruction, LLVMBuilderRef to);   /* its location stays */
LLVMBasicBlockRef lw__ir_split_before(LLVMValueRef instruction); /* the new block in front */
/* The block's ways to `from` lead to `to`; phis stay as they are. */
void lw__ir_redirect(LLVMBasicBlockRef block, LLVMBasicBlockRef from, LLVMBasicBlockRef to);
LLVMValueRef lw__ir_first_after_phis(LLVMBasicBlockRef block);
/* May the thread write memory by it? Of calls that are no collectives all may but intrinsics. */
bool lw__ir_may_write(LLVMValueRef instruction);
/* Does it compare, or join what others say or choose among it? Is it the constant with that value?
 * The two that c joins by ||, or by &&, as an operation or a select; what !c is of, NULL: c is no
 * such condition. */
bool lw__ir_is_logic(LLVMValueRef v);
bool lw__ir_is_truth(LLVMValueRef v, bool value);
bool lw__ir_joined(LLVMValueRef c, bool by_or, LLVMValueRef of[2]);
LLVMValueRef lw__ir_negated(LLVMValueRef c);
bool lw__ir_divides(LLVMValueRef instruction);  /* integers: quotient or remainder */
bool lw__ir_divides_all(LLVMValueRef divisor);  /* a constant that no number traps by */
bool lw__ir_may_trap(LLVMValueRef instruction); /* a division by anything else: not for lanes that
                                                   the program keeps from it */
/* What a load or call gives is one of first ... last. */
void lw__ir_say_range(LLVMValueRef value, uint64_t first, uint64_t last);
bool lw__ir_is_libcall(const char *name); /* devlib's functions that LLVM's x86 code may call */
/* ir_copy.c: llvm.memcpy, memmove and memset of few bytes become loads and stores: those that touch
 * private memory, or the others. */
void lw__ir_expand_copies(LLVMValueRef function, bool of_private);
bool lw__ir_in_section(LLVMValueRef global, const char *section);

/* ir_access.c: where the instruction is a fence, an atomic or volatile access as only C has it,
 * what all targets have takes its place. The builder stands in front of it. */
bool lw__ir_rewrite_access(LLVMModuleRef module, LLVMBuilderRef b, LLVMValueRef instruction);
/* Atomic accesses of a thread's own variables as plain ones, for targets whose atomics reach none.
 */
void lw__ir_plain_private(LLVMValueRef function);

/* ir_verify.c: does the module keep the rules of its facts? */
bool lw__ir_verify(const struct lw__unit *unit, const char *after);

/* ir_cfg.c, ir_loop.c: a function's control flow graph, dominators and loops. Blocks are numbered
 * in reverse postorder, then-arms first; blocks that cannot be reached have no number. */
struct lw__cfg {
    LLVMValueRef function;
    size_t count;
    LLVMBasicBlockRef *blocks;   /* count, in reverse postorder */
    uint32_t *succ_start, *succ; /* successors of b: succ[succ_start[b] .. succ_start[b+1]) */
    uint32_t *pred_start, *pred;
    uint32_t *idom;            /* immediate dominator; the entry's is itself */
    uint32_t *layout;          /* position in the function's list: the order of the text */
    struct lw__block_map *map; /* block -> number */
};
bool lw__cfg_build(LLVMValueRef function, struct lw__cfg *cfg); /* false: out of memory */
void lw__cfg_free(struct lw__cfg *cfg);
uint32_t lw__cfg_index(const struct lw__cfg *cfg, LLVMBasicBlockRef block); /* UINT32_MAX: none */
bool lw__cfg_dominates(const struct lw__cfg *cfg, uint32_t a, uint32_t b);
/* ir_postdom.c: per block the immediate post-dominator, UINT32_MAX where there is none; NULL: out
 * of memory. owns: release with free() */
uint32_t *lw__cfg_post_dominators(const struct lw__cfg *cfg);
/* Set for all blocks that one that is set leads to; that lead to one that is set. */
void lw__cfg_flow_on(const struct lw__cfg *cfg, bool *set);
void lw__cfg_flow_back(const struct lw__cfg *cfg, bool *set);
/* The same, but no way leads along edges that are shut. */
void lw__cfg_flow_back_past(const struct lw__cfg *cfg, bool *set, const bool *shut);
/* What the block branches on; NULL: on nothing. */
LLVMValueRef lw__cfg_condition(const struct lw__cfg *cfg, uint32_t block);

/* A loop: header, and body[b] true for every block in it. */
struct lw__loop {
    uint32_t header;
    bool *body;    /* cfg->count */
    bool *back;    /* those that lead back to the header: all but what lw__loops_grow took in */
    uint32_t size; /* blocks in body */
    int parent;    /* the next larger loop around, -1: none */
    bool
        holds_returns; /* spmd_hold.c: ways to the return are in it, though they do not lead back */
};
struct lw__loops {
    size_t count;
    struct lw__loop *loops;
};
bool lw__loops_build(const struct lw__cfg *cfg, struct lw__loops *loops);
/* A statement that is only jumped into is a loop with its header all the same: while blocks have
 * the names that clang gave them. */
bool lw__loops_build_by_text(const struct lw__cfg *cfg, struct lw__loops *loops);
/* Is the loop entered at block b, and is that not its header? The outermost loop where that is so
 * of some block; NULL: none. */
bool lw__loops_is_side_entry(const struct lw__cfg *cfg, const struct lw__loop *loop, uint32_t b);
const struct lw__loop *lw__loops_jumped_into(const struct lw__cfg *cfg,
                                             const struct lw__loops *loops);
bool lw__loops_grow(const struct lw__cfg *cfg, struct lw__loop *loop, uint32_t block);
void lw__loops_nest(struct lw__loops *loops);
int lw__loops_innermost(const struct lw__loops *loops, uint32_t block); /* that holds it; -1 */
void lw__loops_free(struct lw__loops *loops);
/* Does a loop's metadata, on a branch back to its header, have a word that begins like this? Let it
 * have this word alone; count: what comes with it, 0 nothing. */
bool lw__loop_has_word(LLVMValueRef back, const char *begin);
void lw__loop_say(LLVMValueRef back, const char *word, uint32_t count);

/* ir_around.c: who goes around a loop in the text does so in a loop of the graph. */
bool lw__around_loops(LLVMValueRef function);

/* ir_text.c: is it where clang lets a `for`, `while` or `do` begin? */
bool lw__text_begins_loop(LLVMBasicBlockRef block);
/* The loops with the arms that leave them, as far as they lead to wanted blocks. */
bool lw__text_loops(const struct lw__cfg *cfg, const bool *wanted, struct lw__loops *loops);

/* ir_shared.c: the places of SHARED and DYNAMIC_SHARED variables in block memory. */
bool lw__ir_is_shared(LLVMValueRef v); /* such a variable, of either kind */
struct lw__shared_layout {
    size_t count;
    LLVMValueRef *globals;
    uint64_t *offsets;
    LLVMValueRef *places; /* where the variables are, if not at base + offset; NULL: all are */
    uint64_t bytes;       /* of the static part */
    uint64_t align;       /* the most that a variable asks for, of either part */
    bool dynamic;         /* some DYNAMIC_SHARED name is used */
};
bool lw__shared_layout(struct lw__unit *unit, LLVMValueRef function, struct lw__shared_layout *l);
void lw__shared_layout_free(struct lw__shared_layout *layout);
bool lw__shared_replace(struct lw__unit *unit, LLVMValueRef function,
                        const struct lw__shared_layout *layout, LLVMValueRef base,
                        LLVMBuilderRef early, LLVMBasicBlockRef entry);

/* suspend.c: coroutines behind one small interface; see its head. */
struct lw__coroutine {
    LLVMModuleRef module;
    LLVMBuilderRef builder;
    LLVMValueRef function, id, handle;
    LLVMBasicBlockRef entry; /* allocas belong here */
    LLVMBasicBlockRef body;  /* runs first once there is memory; no terminator yet */
    LLVMBasicBlockRef final; /* branch here to finish for good */
    LLVMBasicBlockRef cleanup, end;
};
/* Asks for a frame: emits code that gives its address or null. */
typedef LLVMValueRef lw__frame_fn(LLVMBuilderRef b, LLVMValueRef bytes, LLVMValueRef align,
                                  void *user);
void lw__coroutine_open(LLVMModuleRef module, LLVMValueRef function, lw__frame_fn *frame,
                        void *user, struct lw__coroutine *c);
/* End `block` by suspending, to go on in `next`. */
void lw__coroutine_suspend(struct lw__coroutine *c, LLVMBasicBlockRef block,
                           LLVMBasicBlockRef next);
void lw__coroutine_close(struct lw__coroutine *c);
/* void NAME(ptr handle): resume. */
void lw__coroutine_resumer(LLVMModuleRef module, const char *name);
/* Split all coroutines of the module; nothing else may run before. */
bool lw__coroutine_split(struct lw__unit *unit);
#endif
