/* gang.h - the function around the blocks: a whole block, rounds of its threads, or gangs that
 * yield to each other.
 */
#ifndef LW_COMPILE_SPMD_GANG_H
#define LW_COMPILE_SPMD_GANG_H
#include "compile/spmd/spmd.h"

/* ---- whole_block.c --------------------------------------------------------------------------- */

bool lw__pass_spmd(struct lw__unit *unit);
/* open_launch: the values that the launch gives, at s->builder. open_exited: no thread has exited.
 * place_shared: the addresses of SHARED variables. They are parts of lw.cpu.K. */
void lw__spmd_open_launch(struct lw__spmd *s);
void lw__spmd_open_exited(struct lw__spmd *s);
bool lw__spmd_place_shared(struct lw__spmd *s, LLVMBasicBlockRef known);

/* ---- gangs.c --------------------------------------------------------------------------------- */

/* round: the best number of threads of a round. choose: of a gang, by the facts of s, for which the
 * block is one gang; 0: the block. The last builds the kernel in gangs of so many. */
uint32_t lw__gang_round(const struct lw__spmd *s);
uint32_t lw__gang_choose(const struct lw__spmd *s);
bool lw__gang_widen(struct lw__unit *unit, const struct lw__kernel *kernel, uint32_t threads);
#endif
