/* gang.h - the function around the blocks: a whole block, rounds of its threads, or gangs that give
 * way to each other.
 */
#ifndef LW_COMPILE_SPMD_GANG_H
#define LW_COMPILE_SPMD_GANG_H
#include "compile/spmd/spmd.h"

/* ---- whole_block.c --------------------------------------------------------------------------- */

bool lw__pass_spmd(struct lw__unit *unit);
/* The parts of which lw.cpu.K is made: the function; places of SHARED variables; what the launch
 * gives, at s->builder. */
void lw__spmd_open_launch(struct lw__spmd *s);
void lw__spmd_open_exited(struct lw__spmd *s);
bool lw__spmd_place_shared(struct lw__spmd *s, LLVMBasicBlockRef known);

/* ---- gangs.c --------------------------------------------------------------------------------- */

/* How many threads of the kernel should be a round, and how many a gang, of which s
 * has the facts with the block as the gang (0: these); the kernel in gangs of so many. */
uint32_t lw__gang_round(const struct lw__spmd *s);
uint32_t lw__gang_choose(const struct lw__spmd *s);
bool lw__gang_widen(struct lw__unit *unit, const struct lw__kernel *kernel, uint32_t threads);
#endif
