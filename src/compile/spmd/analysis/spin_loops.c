/* spin_loops.c - the kernel's loops that wait for other threads (ir/spin_loops.c).
 *
 * Lanes that run together would wait for each other for ever. So kernels that wait run in gangs of
 * one warp, which suspend in each iteration of such a loop (gang/gangs.c). A loop that also writes
 * memory may end by that, so the gang counts the writes.
 */
#include "compile/spmd/analysis/analysis.h"
#include "base/cpu_abi.h"
#include <string.h>

static bool has_collective(const struct lw__facts *facts, const struct lw__loop *l)
{
    for (uint32_t b = 0; b < facts->cfg.count; b++)
        if (l->body[b] && lw__ir_collective_in(facts->cfg.blocks[b]))
            return true;
    return false;
}

/* common/single_entry.c fixes a loop with two entries that holds a collective. The collective's
 * iteration numbers keep LLVM from undoing that. If one were left, fix-irreducible would have made
 * its header. Then lanes of one iteration would reach the collective at different times. */
static bool is_guarded(const struct lw__facts *facts, const struct lw__loop *l)
{
    const char *name = LLVMGetBasicBlockName(facts->cfg.blocks[l->header]);
    return !strncmp(name, "irr.guard", 9) && has_collective(facts, l);
}

bool lw__spmd_find_spin_loops(struct lw__facts *facts)
{
    for (size_t k = 0; k < facts->loops.count; k++) {
        const struct lw__loop *l = &facts->loops.loops[k];
        if (is_guarded(facts, l))
            return lw__defect("kernel '%s': a loop with a collective has two entries",
                              facts->config.kernel->name);
        const struct lw__spin spin = lw__spin_of(&facts->cfg, l);
        if (!spin.access)
            continue;
        /* Where lanes do what may end the wait of others, or leave the loop. */
        const struct lw__cfg *g = &facts->cfg;
        for (uint32_t b = 0; b < g->count; b++) {
            if (!l->body[b])
                continue;
            facts->spins_and_writes[b] |= lw__spin_writes(g, l, b);
            EACH_SUCCESSOR(to, g, b)
                facts->leaves_steady[to] |= spin.is_steady && !l->body[to];
        }
        facts->has_spin_loops = true;
        facts->spin_access[l->header] = spin.access;
        facts->spin_state[l->header] = spin.is_steady ? LW_CPU_STEADY : LW_CPU_WAITS;
    }
    return true;
}
