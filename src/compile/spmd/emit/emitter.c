/* emitter.c - the state of a function under construction. */
#include "compile/spmd/emit/emit.h"
#include <assert.h>

void lw__spmd_open(struct lw__spmd *s, const struct lw__facts *facts)
{
    const struct lw__gang_config *config = &facts->config;
    LLVMContextRef c = config->unit->context;
    *s = (struct lw__spmd){.facts = facts,
                           .config = config,
                           .unit = config->unit,
                           .data = config->data,
                           .threads = config->threads,
                           .width = config->width,
                           .pieces = config->pieces,
                           .end_piece = config->pieces,
                           .context = c,
                           .module = config->unit->module,
                           .dominance_scope = 1,
                           .is_guarded =
                               LLVMGetNamedFunction(config->unit->module, LW_GUARD ".i32") ||
                               LLVMGetNamedFunction(config->unit->module, LW_GUARD ".i64"),
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
    assert(s->width <= 64 && s->pieces <= LW_SPMD_PIECES_MAX);
    assert(s->threads <= s->pieces * s->width && s->threads > (s->pieces - 1) * s->width);
    s->arguments = lw__new(&s->arena, config->kernel->param_count, sizeof *s->arguments);
    s->emitted = lw__new(&s->arena, facts->value_count, sizeof *s->emitted);
    if (facts->has_exits)
        s->exited_mask = lw__new(&s->arena, s->pieces, sizeof *s->exited_mask);
    if (facts->has_wait_points)
        s->waiting_mask = lw__new(&s->arena, s->pieces, sizeof *s->waiting_mask);
}

void lw__spmd_close(struct lw__spmd *s)
{
    LLVMDisposeBuilder(s->builder);
    LLVMDisposeBuilder(s->alloca_builder);
    lw__arena_free(&s->arena);
}
