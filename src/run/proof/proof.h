/* proof.h - which accesses of a launch are in bounds, whatever its threads do.
 *
 *     prove      the accesses of lw.proofs.K (base/proof_abi.h)
 *     wrapped    arithmetic of sets of integers that wrap
 */
#ifndef LW_RUN_PROOF_H
#define LW_RUN_PROOF_H
#include "base/proof_abi.h"
#include "run/device_ops.h"

/* lw__prove - sets the bits of the rows that are in bounds in each thread of the launch; the others
 * stay. False: memory is short. */
bool lw__prove(const struct lw__launch *launch, const struct lw_proofs *proofs,
               uint64_t proved[LW_PROOF_WORDS]);
#endif
