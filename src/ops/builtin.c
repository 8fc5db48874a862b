/* builtin.c - the table of the ready-made operations, from ops.def. */
#include "ops/registry.h"

/* Columns field and rule of the parameters. */
#define LW_FIELD_none 0
#define LW_FIELD_in(options, name)                                                                 \
    offsetof(lw_##options##_options, name) + 1 + FITS(lw_##options##_options)
#define FITS(type) 0 * sizeof(char[sizeof(type) <= LW_OPTIONS_BYTES ? 1 : -1])
#define LW_RULE_any .kind = LW_KIND_ANY
#define LW_RULE_axis .kind = LW_KIND_AXIS
#define LW_RULE_from(number) .kind = LW_KIND_FROM, .least = (number)
#define LW_RULE_one_of(list) .kind = LW_KIND_ONE_OF, .words = (list)
#define LW_RULE_two_from(number) .kind = LW_KIND_TWO_FROM, .least = (number)
#define LW_PARAM(name, type, default, field, rule) {LW_FIELD_##field, LW_RULE_##rule},
#define LW_OPERATION(name, family, form, least, most, outputs, parameters, bound, text)            \
    static const struct lw__param_rule rules_of_##name[] = {parameters{0}};
#include "ops/ops.def"
#undef LW_OPERATION
#undef LW_PARAM

/* Column form. */
#define LW_RUN_unary(name) lw_##name(c->stream, c->outputs[0], c->inputs[0], c->options)
#define LW_RUN_binary(name)                                                                        \
    lw_##name(c->stream, c->outputs[0], c->inputs[0], c->inputs[1], c->options)
#define LW_RUN_own(name) lw__run_##name(c)
#define LW_OPERATION(name, family, form, least, most, outputs, parameters, bound, text)            \
    static lw_status run_##name(const struct lw__named_call *c)                                    \
    {                                                                                              \
        return LW_RUN_##form(name);                                                                \
    }
#include "ops/ops.def"
#undef LW_OPERATION

const struct lw__builtin lw__builtins[] = {
/* A blank stands before each parameter. */
#define LW_PARAM(name, type, default, field, rule) " " #name ":" #type default
#define LW_OPERATION(name, family, form, least, most, outputs, parameters, bound, text)            \
    {#name,     least,           most,                                                             \
     outputs,   "" parameters,   bound,                                                            \
     text,      rules_of_##name, lw__infer_##family,                                               \
     run_##name},
#include "ops/ops.def"
#undef LW_OPERATION
#undef LW_PARAM
};
const size_t lw__builtin_count = sizeof lw__builtins / sizeof *lw__builtins;
