/* ptx.h - code for NVIDIA's GPUs, as PTX: what gpu/ leaves to its target (entry.c), LLVM's passes
 * and the text (target.c), and what LLVM or the driver's assembler get wrong (workarounds.c).
 */
#ifndef LW_COMPILE_PTX_H
#define LW_COMPILE_PTX_H
#include "compile/gpu/gpu.h"

enum { LW_PTX_GLOBAL = 1, LW_PTX_SHARED = 3 }; /* address spaces: LLVM's NVPTX usage guide */

/* ---- entry.c --------------------------------------------------------------------------------- */

extern const struct lw__gpu_target lw__ptx_gpu;

/* ---- target.c -------------------------------------------------------------------------------- */

bool lw__pass_ptx(struct lw__unit *unit);

/* ---- scopes.c -------------------------------------------------------------------------------- */

void lw__ptx_relax(LLVMValueRef function); /* atomic loads and stores have the scope of the GPU */

/* ---- dependent_launch.c ---------------------------------------------------------------------- */

void lw__ptx_follow(LLVMContextRef context, LLVMValueRef entry);

/* ---- workarounds.c --------------------------------------------------------------------------- */

/* Rewrite in all functions what LLVM or the driver's assembler would get wrong. */
void lw__ptx_work_around(struct lw__unit *unit);
#endif
