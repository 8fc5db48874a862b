/* gpu.h - one thread's code for a GPU, whose threads run in warps of 32 that it may split as it
 * likes. What is the same for any GPU is here; a struct lw__gpu_target has what is not.
 *
 *     converge   convergence.c, rendezvous.c, reconverge.c: which lanes take part in a collective
 *                collectives.c: that as a call of devlib
 *     lower      lower.c, guards.c, rare_branch.c: entries of the GPU's program; module.c: the rest
 *     later      unroll_loads.c, address_spaces.c: what the folder of the target runs
 *
 * A barrier that not all threads reach is lowered in rendezvous.c. For the cpu that is
 * spmd/runtime/.
 */
#ifndef LW_COMPILE_GPU_H
#define LW_COMPILE_GPU_H
#include "compile/ir/ir.h"
#include "compile/llvm/llvm.h"

enum { LW_GPU_WARP = 32 };

struct lw__gpu;

/* A kind of GPU: unit->gpu. The functions build at x->b, and move it only within its block. */
struct lw__gpu_target {
    const char *device;              /* that runs its code, for messages, */
    uint32_t arg_bytes;              /* and how large a launch's packed arguments may be */
    unsigned global, shared;         /* LLVM's address spaces: of buffers, of a block's memory */
    uint64_t shared_align;           /* that the hardware gives the latter */
    uint32_t registers;              /* of 32 bits, that the threads of a block share */
    const char *devlib, *devlib_end; /* bitcode of the collectives, */
    const char *prefix;              /* and what the names of its functions begin with */
    const char *texts;               /* the name of the array of all texts that the host reads */
    /* lower.c: the entry of a kernel, without code. Parameters: the packed arguments, and as an i64
     * the address of the launch's record. The kernel gives up its name. */
    LLVMValueRef (*open)(struct lw__gpu *x);
    void (*close)(struct lw__gpu *x, LLVMValueRef entry); /* its code is complete */
    LLVMValueRef (*index)(struct lw__gpu *x, enum lw__thread_index index, unsigned axis);
    void (*fence)(struct lw__gpu *x, bool is_of_block); /* sequentially consistent */
    void (*exit)(struct lw__gpu *x);                    /* the thread ends: no other waits for it */
    /* The value, of 32 or 64 bits, of which LLVM knows nothing. */
    LLVMValueRef (*hide)(LLVMBuilderRef b, LLVMValueRef value);
    /* reconverge.c: there is no instruction for the atomic, and lanes may yield in its loop */
    bool (*becomes_loop)(LLVMValueRef atomic);
};

/* One kernel on its way to code for a GPU. */
struct lw__gpu {
    struct lw__unit *unit;
    const struct lw__gpu_target *target; /* the unit's */
    const struct lw__kernel *kernel;
    LLVMContextRef context;
    LLVMModuleRef module;
    LLVMBuilderRef b;
    LLVMTypeRef i1, i8, i32, i64, ptr, none;
    uint32_t threads, warps; /* of a block */
    LLVMValueRef parity;     /* where each thread counts the block operations */
    bool opens;              /* some block op is not sure to be reached by all warps */
    uint64_t slack;          /* bytes of a block's memory besides, for its alignment */
};

/* ---- collectives.c --------------------------------------------------------------------------- */

bool lw__pass_converge(struct lw__unit *unit);
struct lw__gpu lw__gpu_open(struct lw__unit *unit, const struct lw__kernel *kernel);
/* The calls are made at x->b.
 *   thread_index   a call of the language, lowered later: "lw.warp_id" or its like
 *   call           a function of the target's devlib, without its prefix */
LLVMValueRef lw__gpu_thread_index(struct lw__gpu *x, const char *name);
LLVMValueRef lw__gpu_call(struct lw__gpu *x, const char *name, LLVMValueRef *args, unsigned count);
/* Replace a collective by its code for the lanes in mask. All lanes of the warp execute it. sure:
 * all warps of the block execute it, too. */
void lw__gpu_collective(struct lw__gpu *x, LLVMValueRef call, LLVMValueRef mask, bool sure);
#define LW_GPU_WAITS "lw.waits" /* attribute of a kernel with a spin loop */

/* ---- convergence.c --------------------------------------------------------------------------- */

/* Replace all collectives of the kernel by calls of devlib. *waits: it has a spin loop. */
bool lw__gpu_find_lanes(struct lw__gpu *x, bool *waits);

/* ---- lower.c --------------------------------------------------------------------------------- */

bool lw__pass_lower(struct lw__unit *unit);

/* ---- rare_branch.c --------------------------------------------------------------------------- */

/* Replace the call of lw.rarely by a branch; its block is split. */
void lw__gpu_rarely(struct lw__gpu *x, LLVMValueRef call);

/* ---- guards.c -------------------------------------------------------------------------------- */

/* Adds a branch before the call of lw.guard, which is taken if the access is outside. Leaves the
 * builder in the block that is then executed. words: the LW_REFUSED_WORDS (base/bounds_abi.h) that
 * the refusal tells. */
void lw__gpu_guard(struct lw__gpu *x, LLVMValueRef call, LLVMValueRef *words);

/* ---- module.c -------------------------------------------------------------------------------- */

bool lw__pass_host(struct lw__unit *unit);
/* What else the module holds:
 *   keep_entries     all other functions become internal, or are deleted
 *   gather_texts     the string literals become one array
 *   place_scratch    devlib's block memory becomes shared memory */
void lw__gpu_keep_entries(struct lw__unit *unit);
void lw__gpu_gather_texts(struct lw__unit *unit);
void lw__gpu_place_scratch(struct lw__unit *unit);

/* ---- address_spaces.c ------------------------------------------------------------------------ */

/* Memory accesses:
 *   drop_volatile     atomics are not volatile
 *   note_restrict     `argument` of the entry is the kernel's IR parameter `index`
 *   mark_read_only    loads from memory that the kernel only reads
 *   remark_generic    a remark for each access of unknown address space */
void lw__gpu_drop_volatile(LLVMValueRef function);
void lw__gpu_note_restrict(LLVMValueRef function, unsigned index, LLVMValueRef argument);
void lw__gpu_mark_read_only(const struct lw__kernel *kernel);
void lw__gpu_remark_generic(struct lw__unit *unit, const struct lw__kernel *kernel);

/* ---- unroll_loads.c -------------------------------------------------------------------------- */

/* Loops of the entry that read memory make several iterations under one test. *some is set if there
 * are any. */
void lw__gpu_unroll_loads(struct lw__unit *unit, const struct lw__kernel *kernel, bool *some);
#endif
