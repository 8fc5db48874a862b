/* analyse.c - all facts of one kernel, in order of their dependencies. */
#include "compile/spmd/analysis/analysis.h"
#include <assert.h>
#include <string.h>

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
    assert(config->width <= 64 && config->pieces <= LW_SPMD_PIECES_MAX);
    assert(config->pieces == (config->threads + config->width - 1) / config->width);
    assert(config->first_gang < config->end_gang && config->threads <= config->gang_threads);
    struct lw__arena *arena = &facts->config.unit->scratch;
    lw__cfg_build(arena, facts->scalar, &facts->cfg);
    lw__loops_build(&facts->cfg, &facts->loops);
    const size_t n = facts->cfg.count + 1;
    facts->ipdom = lw__cfg_post_dominators(&facts->cfg);
    facts->has_block_op = lw__new(arena, n, sizeof *facts->has_block_op);
    facts->divergence_of = lw__new(arena, n, sizeof *facts->divergence_of);
    facts->phi_divergence = lw__new(arena, n, sizeof *facts->phi_divergence);
    facts->exit_divergence = lw__new(arena, facts->loops.count, sizeof *facts->exit_divergence);
    facts->spin_access = lw__new(arena, n, sizeof *facts->spin_access);
    facts->spin_state = lw__new(arena, n, sizeof *facts->spin_state);
    facts->spins_and_writes = lw__new(arena, n, sizeof *facts->spins_and_writes);
    facts->leaves_steady = lw__new(arena, n, sizeof *facts->leaves_steady);
    facts->region_of = lw__new(arena, 3 * n, sizeof *facts->region_of);
    facts->entered_at = facts->region_of + n;
    facts->looped_at = facts->entered_at + n;
    facts->class_of = lw__new(arena, n, sizeof *facts->class_of);
    facts->reconverges_at = lw__new(arena, n, sizeof *facts->reconverges_at);
    facts->is_wait_point = lw__new(arena, n, sizeof *facts->is_wait_point);
    facts->reaches_block_op = lw__new(arena, n, sizeof *facts->reaches_block_op);
    facts->may_exit = lw__new(arena, n, sizeof *facts->may_exit);
    lw__spmd_find_block_ops(&facts->cfg, facts->has_block_op);
    lw__spmd_values_build(facts);
    lw__spmd_keep_conditions(facts);
    do /* each loop that keeps returns may make more values live across its exit */
        lw__spmd_shapes(facts);
    while (lw__spmd_keep_returns(facts));
    lw__loops_nest(&facts->loops);
    if (!lw__spmd_find_spin_loops(facts))
        return false;
    lw__spmd_defer_conditions(facts);
    lw__spmd_find_interleaved(facts);
    lw__spmd_regions(facts);
    return lw__has(facts->config.unit, LW_HAS_THREADS) || lw__spmd_find_exits(facts);
}
