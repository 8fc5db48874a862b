/* analyse.c - all facts of one kernel, in order of their dependencies. */
#include "compile/spmd/analysis/analysis.h"
#include <stdlib.h>
#include <string.h>

bool lw__spmd_analyse(struct lw__spmd *s)
{
    size_t n = 0;
    if (!lw__cfg_build(s->scalar, &s->cfg))
        return lw__defect("out of memory");
    n = s->cfg.count + 1;
    if (!lw__loops_build(&s->cfg, &s->loops))
        return false;
    s->ipdom = lw__cfg_post_dominators(&s->cfg);
    s->has_block_op = calloc(n, sizeof *s->has_block_op);
    s->divergence_of = calloc(n, sizeof *s->divergence_of);
    s->phi_divergence = calloc(n, sizeof *s->phi_divergence);
    s->exit_divergence = calloc(s->loops.count + 1, sizeof *s->exit_divergence);
    s->spin_access = calloc(n, sizeof *s->spin_access);
    s->region_of = calloc(3 * n, sizeof *s->region_of);
    s->entered_at = s->region_of + n;
    s->looped_at = s->entered_at + n;
    s->class_of = calloc(n, sizeof *s->class_of);
    s->reconverges_at = calloc(n, sizeof *s->reconverges_at);
    s->is_wait_point = calloc(n, sizeof *s->is_wait_point);
    s->reaches_block_op = calloc(s->cfg.count + 1, sizeof *s->reaches_block_op);
    s->may_exit = calloc(s->cfg.count + 1, sizeof *s->may_exit);
    if (!s->ipdom || !s->has_block_op || !s->divergence_of || !s->phi_divergence ||
        !s->exit_divergence || !s->spin_access || !s->region_of || !s->class_of ||
        !s->reconverges_at || !s->is_wait_point || !s->reaches_block_op || !s->may_exit)
        return lw__defect("out of memory");
    lw__spmd_find_block_ops(&s->cfg, s->has_block_op);
    if (!lw__spmd_values_build(s))
        return false;
    lw__spmd_keep_conditions(s);
    for (bool held = true; held;) /* each loop that keeps returns may make more values live
                                   * across its exit */
        if (!lw__spmd_shapes(s) || !lw__spmd_keep_returns(s, &held))
            return false;
    lw__loops_nest(&s->loops);
    if (!lw__spmd_find_spin_loops(s))
        return false;
    lw__spmd_defer_conditions(s);
    if (!lw__spmd_find_interleaved(s))
        return false;
    return lw__spmd_regions(s) && (lw__has(s->unit, LW_HAS_THREADS) || lw__spmd_find_exits(s));
}

void lw__spmd_close(struct lw__spmd *s)
{
    LLVMDisposeBuilder(s->builder);
    LLVMDisposeBuilder(s->alloca_builder);
    lw__spmd_values_free(s);
    lw__spmd_regions_free(s);
    lw__lanes_free(s);
    lw__loops_free(&s->loops);
    lw__cfg_free(&s->cfg);
    free(s->ipdom);
    free(s->has_block_op);
    free(s->divergence_of);
    free(s->phi_divergence);
    free(s->exit_divergence);
    free(s->spin_access);
    free(s->interleaved);
    free(s->region_of);
    free(s->class_of);
    free(s->reconverges_at);
    free(s->reaches_block_op);
    free(s->may_exit);
    free(s->arguments);
    free(s->exited_mask);
    free(s->waiting_mask);
    free(s->is_wait_point);
}

bool lw__spmd_open(struct lw__spmd *s, struct lw__unit *unit, const struct lw__kernel *kernel)
{
    LLVMContextRef c = unit->context;
    *s = (struct lw__spmd){.unit = unit,
                           .kernel = kernel,
                           .context = c,
                           .module = unit->module,
                           .data = LLVMGetModuleDataLayout(unit->module),
                           .scalar = kernel->function,
                           .dominance_scope = 1,
                           .builder = LLVMCreateBuilderInContext(c),
                           .alloca_builder = LLVMCreateBuilderInContext(c),
                           .i1 = LLVMInt1TypeInContext(c),
                           .i8 = LLVMInt8TypeInContext(c),
                           .i16 = LLVMInt16TypeInContext(c),
                           .i32 = LLVMInt32TypeInContext(c),
                           .i64 = LLVMInt64TypeInContext(c),
                           .f32 = LLVMFloatTypeInContext(c),
                           .f64 = LLVMDoubleTypeInContext(c),
                           .ptr = LLVMPointerTypeInContext(c, 0)};
    memcpy(s->dim, kernel->block, sizeof s->dim);
    s->threads = s->gang_threads = s->dim[0] * s->dim[1] * s->dim[2];
    s->end_gang = 1;
    s->width = unit->target->lanes;
    s->pieces = s->end_piece = lw__spmd_pieces(unit, kernel);
    s->arguments = calloc(kernel->param_count + 1, sizeof *s->arguments);
    return s->arguments || lw__defect("out of memory");
}
