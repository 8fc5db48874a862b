/* ptx.h - from prepared IR to PTX. convergence.c and rendezvous.c find and build who takes part in
 * each collective. lower.c lowers what the hardware has no instruction for. target.c writes the
 * text.
 *
 * A barrier that not all threads reach is lowered in rendezvous.c. For the cpu that is
 * spmd/runtime/.
 */
#ifndef LW_COMPILE_PTX_H
#define LW_COMPILE_PTX_H
#include "compile/support/unit.h"

enum { LW_PTX_WARP = 32 };

enum { LW_PTX_GLOBAL = 1, LW_PTX_SHARED = 3 }; /* address spaces: LLVM's NVPTX usage guide */

/* One kernel on its way to PTX. */
struct lw__ptx {
    struct lw__unit *unit;
    const struct lw__kernel *kernel;
    LLVMContextRef context;
    LLVMModuleRef module;
    LLVMBuilderRef b;
    LLVMTypeRef i1, i8, i32, i64, ptr, none;
    uint32_t threads, warps; /* of a block */
    LLVMValueRef parity;     /* where each thread counts the block operations */
    bool opens;              /* some block op is not sure to be reached by all warps */
};

/* ---- target.c -------------------------------------------------------------------------------- */

bool lw__pass_host(struct lw__unit *unit);
bool lw__pass_ptx(struct lw__unit *unit);

/* ---- lower.c --------------------------------------------------------------------------------- */

bool lw__pass_converge(struct lw__unit *unit);
bool lw__pass_lower(struct lw__unit *unit);
/* The calls are made at x->b. The first two are lowered later.
 *   thread_index   a call of the language: "lw.warp_id" or its like
 *   wait           count an iteration of a spin loop, and stop with the launch
 *   call           a function of src/devlib/ptx_collectives.c */
LLVMValueRef lw__ptx_thread_index(struct lw__ptx *x, const char *name);
void lw__ptx_wait(struct lw__ptx *x, LLVMValueRef iterations);
LLVMValueRef lw__ptx_call(struct lw__ptx *x, const char *name, LLVMValueRef *args, unsigned count);
/* Replace a collective by its code for the lanes in mask. All lanes of the warp execute it. sure:
 * all warps of the block execute it, too. */
void lw__ptx_collective(struct lw__ptx *x, LLVMValueRef call, LLVMValueRef mask, bool sure);

/* ---- rare_branch.c --------------------------------------------------------------------------- */

/* Replace the call of lw.rarely by a branch; its block is split. */
void lw__ptx_rarely(struct lw__ptx *x, LLVMValueRef call);

/* ---- guards.c -------------------------------------------------------------------------------- */

/* Adds a branch before the call of lw.guard, which is taken if the access is outside. Leaves the
 * builder in the block that is then executed. words: the LW_REFUSED_WORDS (base/bounds_abi.h) that
 * the refusal tells. */
void lw__ptx_guard(struct lw__ptx *x, LLVMValueRef call, LLVMValueRef *words);

/* ---- address_spaces.c ------------------------------------------------------------------------ */

/* Memory accesses:
 *   drop_volatile     atomics are not volatile
 *   note_restrict     `argument` of the entry is the kernel's IR parameter `index`
 *   mark_read_only    loads from memory that the kernel only reads
 *   remark_generic    a remark for each access of unknown address space
 *   relax             atomic loads and stores have the scope of the GPU */
void lw__ptx_drop_volatile(LLVMValueRef function);
void lw__ptx_note_restrict(LLVMContextRef context, LLVMValueRef function, unsigned index,
                           LLVMValueRef argument);
void lw__ptx_mark_read_only(LLVMContextRef context, const struct lw__kernel *kernel);
void lw__ptx_remark_generic(struct lw__unit *unit, const struct lw__kernel *kernel);
void lw__ptx_relax(LLVMValueRef function);

/* ---- dependent_launch.c ---------------------------------------------------------------------- */

void lw__ptx_follow(LLVMContextRef context, LLVMValueRef entry);

/* ---- workarounds.c --------------------------------------------------------------------------- */

/* Rewrite in all functions what LLVM or the driver's assembler would get wrong. */
void lw__ptx_work_around(struct lw__unit *unit);

/* ---- unroll_loads.c -------------------------------------------------------------------------- */

/* Loops of the entry that read memory make several iterations under one test. *some is set if there
 * are any. */
void lw__ptx_unroll_loads(struct lw__unit *unit, const struct lw__kernel *kernel, bool *some);

/* ---- unroll_emit.c --------------------------------------------------------------------------- */

/* At the builder: the value, of 32 or 64 bits, of which LLVM knows nothing. */
LLVMValueRef lw__ptx_hide(LLVMBuilderRef b, LLVMValueRef value);

/* ---- module.c -------------------------------------------------------------------------------- */

/* What else the module holds:
 *   keep_entries     all other functions become internal, or are deleted
 *   gather_texts     the string literals become one array, LW_CUDA_TEXT
 *   place_scratch    devlib's block memory becomes shared memory */
void lw__ptx_keep_entries(struct lw__unit *unit);
void lw__ptx_gather_texts(struct lw__unit *unit);
void lw__ptx_place_scratch(struct lw__unit *unit);

/* ---- convergence.c --------------------------------------------------------------------------- */

/* Replace all collectives of the kernel by calls of devlib. *waits: it has a spin loop. */
bool lw__ptx_converge(struct lw__ptx *x, bool *waits);
#endif
