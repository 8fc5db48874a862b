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

/* How the code runs a block: as one gang, in rounds, or in gangs; and how many threads each has. */
struct lw__division {
    enum { LW_DIVISION_NONE, LW_DIVISION_ROUNDS, LW_DIVISION_GANGS } kind;
    uint32_t threads;
    bool masked; /* lanes enter regions under masks only: masked_only of the config */
};

/* divide: the best division, by the facts of the block as one gang. further: the next one with less
 * code; false: there is none. */
struct lw__division lw__gang_divide(const struct lw__facts *facts);
bool lw__gang_divide_further(const struct lw__facts *facts, struct lw__division *division);
/* Build the kernel in gangs. *too_long: nothing is left of it, since it would
 * have more than length_max instructions (0: no limit). */
bool lw__gang_widen(const struct lw__facts *facts, struct lw__division division,
                    uint64_t length_max, bool *too_long);
#endif
