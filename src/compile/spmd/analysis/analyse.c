/* analyse.c - all facts of one kernel, in order of their dependencies. */
#include "compile/spmd/analysis/analysis.h"
#include <stdlib.h>
#include <string.h>

static bool analyse(struct lw__facts *facts)
{
    size_t n = 0;
    if (!lw__cfg_build(facts->scalar, &facts->cfg))
        return lw__defect("out of memory");
    n = facts->cfg.count + 1;
    if (!lw__loops_build(&facts->cfg, &facts->loops))
        return false;
    facts->ipdom = lw__cfg_post_dominators(&facts->cfg);
    facts->has_block_op = calloc(n, sizeof *facts->has_block_op);
    facts->divergence_of = calloc(n, sizeof *facts->divergence_of);
    facts->phi_divergence = calloc(n, sizeof *facts->phi_divergence);
    facts->exit_divergence = calloc(facts->loops.count + 1, sizeof *facts->exit_divergence);
    facts->spin_access = calloc(n, sizeof *facts->spin_access);
    facts->region_of = calloc(3 * n, sizeof *facts->region_of);
    facts->entered_at = facts->region_of + n;
    facts->looped_at = facts->entered_at + n;
    facts->class_of = calloc(n, sizeof *facts->class_of);
    facts->reconverges_at = calloc(n, sizeof *facts->reconverges_at);
    facts->is_wait_point = calloc(n, sizeof *facts->is_wait_point);
    facts->reaches_block_op = calloc(facts->cfg.count + 1, sizeof *facts->reaches_block_op);
    facts->may_exit = calloc(facts->cfg.count + 1, sizeof *facts->may_exit);
    if (!facts->ipdom || !facts->has_block_op || !facts->divergence_of || !facts->phi_divergence ||
        !facts->exit_divergence || !facts->spin_access || !facts->region_of || !facts->class_of ||
        !facts->reconverges_at || !facts->is_wait_point || !facts->reaches_block_op ||
        !facts->may_exit)
        return lw__defect("out of memory");
    lw__spmd_find_block_ops(&facts->cfg, facts->has_block_op);
    if (!lw__spmd_values_build(facts))
        return false;
    lw__spmd_keep_conditions(facts);
    for (bool held = true; held;) /* each loop that keeps returns may make more values live
                                   * across its exit */
        if (!lw__spmd_shapes(facts) || !lw__spmd_keep_returns(facts, &held))
            return false;
    lw__loops_nest(&facts->loops);
    if (!lw__spmd_find_spin_loops(facts))
        return false;
    lw__spmd_defer_conditions(facts);
    if (!lw__spmd_find_interleaved(facts))
        return false;
    return lw__spmd_regions(facts) &&
           (lw__has(facts->config.unit, LW_HAS_THREADS) || lw__spmd_find_exits(facts));
}

void lw__facts_close(struct lw__facts *facts)
{
    lw__spmd_values_free(facts);
    lw__spmd_regions_free(facts);
    lw__lanes_free(facts);
    lw__loops_free(&facts->loops);
    lw__cfg_free(&facts->cfg);
    free(facts->ipdom);
    free(facts->has_block_op);
    free(facts->divergence_of);
    free(facts->phi_divergence);
    free(facts->exit_divergence);
    free(facts->spin_access);
    free(facts->interleaved);
    free(facts->region_of);
    free(facts->class_of);
    free(facts->reconverges_at);
    free(facts->reaches_block_op);
    free(facts->may_exit);
    free(facts->is_wait_point);
}

struct lw__gang_config lw__gang_config(struct lw__unit *unit, const struct lw__kernel *kernel)
{
    const uint32_t *block = kernel->block, threads = block[0] * block[1] * block[2];
    return (struct lw__gang_config){.unit = unit,
                                    .kernel = kernel,
                                    .data = LLVMGetModuleDataLayout(unit->module),
                                    .dim = {block[0], block[1], block[2]},
                                    .threads = threads,
                                    .gang_threads = threads,
                                    .end_gang = 1,
                                    .width = unit->target->lanes,
                                    .pieces = lw__spmd_pieces(unit, kernel)};
}

bool lw__facts_analyse(struct lw__facts *facts, const struct lw__gang_config *config)
{
    *facts = (struct lw__facts){.config = *config, .scalar = config->kernel->function};
    return analyse(facts);
}
