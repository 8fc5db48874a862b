/* proof.h - which accesses of a launch are in bounds, whatever its threads do.
 *
 *     prove      the rows of lw.proofs.K (base/proof_abi.h)
 *     wrapped    arithmetic of sets of integers that wrap
 */
#ifndef LW_RUN_PROOF_H
#define LW_RUN_PROOF_H
#include "base/proof_abi.h"
#include "run/device_ops.h"

/* A verdict depends on the launch's grid, block, dynamic_bytes and args, and on each object: is
 * there memory, its bytes, and how far after its start the argument points. So launches are alike
 * whose scalars are the same, but not those whose pointers alone differ.
 *
 * lw__prove - sets the bits of the rows that hold in each thread of the launch; the others stay.
 * False: memory is short.
 * lw__prove_all - do all accesses of the kernel stay in bounds? It stops at the first row that does
 * not hold, and where it has computed LW_PROVE_WORK terms. */
enum { LW_PROVE_WORK = 4096 };
bool lw__prove(const struct lw__launch *launch, const struct lw_proofs *proofs,
               uint64_t proved[LW_PROOF_WORDS]);
bool lw__prove_all(const struct lw__launch *launch, const struct lw_proofs *proofs);
#endif
