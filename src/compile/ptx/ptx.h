/* ptx.h - from prepared IR to PTX: who takes part in each collective (convergence.c, rendezvous.c),
 * what of the language the hardware has no word for (lower.c), the text (target.c).
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
    bool opens;              /* one of those is not sure of all warps */
};

/* ---- target.c -------------------------------------------------------------------------------- */

bool lw__pass_host(struct lw__unit *unit);
bool lw__pass_ptx(struct lw__unit *unit);
bool lw__ptx_check_device(const char *device); /* "cuda:soup": says why and gives false */
/* Has its processor programmatic dependent launches? dependent_launch.c: an entry's
 * first instruction then. */
bool lw__is_processor(const char *device); /* cuda:sm_NN, of those that there are words for */
bool lw__ptx_follows(const struct lw__unit *unit);

/* ---- lower.c --------------------------------------------------------------------------------- */

bool lw__pass_converge(struct lw__unit *unit);
bool lw__pass_lower(struct lw__unit *unit);
/* At b, a call of the language's own that says where a thread is, "lw.warp_id"
 * or its like, lowered later; of what counts a trip that waits, likewise; of a function of
 * src/devlib/ptx_collectives.c. */
LLVMValueRef lw__ptx_thread_index(struct lw__ptx *x, const char *name);
void lw__ptx_wait(struct lw__ptx *x, LLVMValueRef trips);
LLVMValueRef lw__ptx_call(struct lw__ptx *x, const char *name, LLVMValueRef *args, unsigned count);
/* Put in place of a collective, in front of it, what does it for the lanes in mask, of which all of
 * the warp's come along. sure: all warps of the block come too. */
bool lw__ptx_collective(struct lw__ptx *x, LLVMValueRef call, LLVMValueRef mask, bool sure);

/* ---- rare_branch.c --------------------------------------------------------------------------- */

/* A branch in place of the call of lw.rarely, whose block is parted. */
void lw__ptx_rarely(struct lw__ptx *x, LLVMValueRef call);

/* ---- address_spaces.c ------------------------------------------------------------------------ */

/* Atomics are not volatile; the entry's `argument` is that of the kernel's IR
 * parameter `index`; which memory is only read, and where its kind is not known. */
void lw__ptx_drop_volatile(LLVMValueRef function);
void lw__ptx_note_restrict(LLVMContextRef context, LLVMValueRef function, unsigned index,
                           LLVMValueRef argument);
void lw__ptx_mark_read_only(LLVMContextRef context, const struct lw__kernel *kernel);
void lw__ptx_remark_generic(struct lw__unit *unit, const struct lw__kernel *kernel);
void lw__ptx_relax(LLVMValueRef function);

/* ---- dependent_launch.c ---------------------------------------------------------------------- */

void lw__ptx_follow(LLVMContextRef context, LLVMValueRef entry);

/* ---- workarounds.c --------------------------------------------------------------------------- */

/* What would come out wrong, written another way, in all functions. */
void lw__ptx_quirks(LLVMModuleRef module);

/* ---- unroll_loads.c -------------------------------------------------------------------------- */

/* Loops of the entry that read memory make several trips under one test.
 * *some is set where there are such. */
bool lw__ptx_unroll_loads(LLVMContextRef context, const struct lw__kernel *kernel, bool *some);

/* ---- module.c -------------------------------------------------------------------------------- */

/* Entries stay, all else is for them; the texts in one array, LW_CUDA_TEXT;
 * devlib's block memory. */
void lw__ptx_keep_entries(struct lw__unit *unit);
void lw__ptx_gather_texts(struct lw__unit *unit);
void lw__ptx_place_scratch(struct lw__unit *unit);

/* ---- convergence.c --------------------------------------------------------------------------- */

/* All collectives of the kernel become such calls. *waits: a loop waits for what
 * another thread writes. */
bool lw__ptx_converge(struct lw__ptx *x, bool *waits);
#endif
