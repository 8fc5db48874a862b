/* emitter.c - the state of a function under construction. */
#include "compile/spmd/emit/emit.h"
#include <stdlib.h>

bool lw__spmd_open(struct lw__spmd *s, const struct lw__facts *facts)
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
    s->arguments = calloc(config->kernel->param_count + 1, sizeof *s->arguments);
    s->emitted = calloc(facts->value_count + 1, sizeof *s->emitted);
    if (facts->has_exits)
        s->exited_mask = calloc(s->pieces, sizeof *s->exited_mask);
    if (facts->has_wait_points)
        s->waiting_mask = calloc(s->pieces, sizeof *s->waiting_mask);
    return (s->arguments && s->emitted && (s->exited_mask || !facts->has_exits) &&
            (s->waiting_mask || !facts->has_wait_points)) ||
           lw__defect("out of memory");
}

void lw__spmd_close(struct lw__spmd *s)
{
    LLVMDisposeBuilder(s->builder);
    LLVMDisposeBuilder(s->alloca_builder);
    for (size_t k = 0; s->emitted && k < s->facts->value_count; k++) {
        free(s->emitted[k].form);
        free(s->emitted[k].slot);
    }
    free(s->emitted);
    free(s->arguments);
    free(s->exited_mask);
    free(s->waiting_mask);
}
