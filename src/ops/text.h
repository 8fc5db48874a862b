/* text.h - kernels whose text is made of an expression of the caller's. */
#ifndef LW_OPS_TEXT_H
#define LW_OPS_TEXT_H
#include "ops/op.h"

enum { LW_INPUTS_MAX = 8, LW_OUTPUTS_MAX = 4, LW_NUMBERS_MAX = 16 };
enum { LW_SOURCE_MAX = 32768 }; /* bytes of a text */

struct lw__source {
    char text[LW_SOURCE_MAX];
    size_t length;                               /* LW_SOURCE_MAX: it did not fit */
    const char *expressions[LW_OUTPUTS_MAX + 1]; /* as they stand in the text, then NULL */
};
/* lw__source_begin - the headers: the kernel language, and math.h with its constants.
 * lw__source_expression - the expression in parentheses; messages name it `name`. */
void lw__source_begin(struct lw__source *source);
void lw__source_expression(struct lw__source *source, const char *name, const char *expression);
void lw__source_add(struct lw__source *source, const char *format, ...)
    __attribute__((format(printf, 2, 3)));

/* lw__source_join - the texts one after the other: for each call, so it may be no printf. */
void lw__source_join(struct lw__source *source, const char *const *texts, size_t count);
#define LW_SOURCE_JOIN(source, ...)                                                                \
    lw__source_join(source, (const char *const[]){__VA_ARGS__},                                    \
                    sizeof((const char *const[]){__VA_ARGS__}) / sizeof(char *))

/* lw__source_launch - queue a launch of a kernel of the text, which the device keeps once built.
 * errors   LW_E_ARG the text is too long; LW_E_COMPILE "expression:line:column: text"; those of
 *          lw_stream_launch */
lw_status lw__source_launch(struct lw__call *call, const struct lw__source *source,
                            const char *kernel, lw_dim3 grid, lw_dim3 block, const lw_arg *args,
                            size_t count);

/* errors: LW_E_ARG the expression is NULL or blank; there are too many inputs, or none of them. */
lw_status lw__check_expression(const char *op, const char *what, const char *expression);
lw_status lw__check_inputs(const char *op, const lw_tensor *inputs, size_t count);

/* lw__after_literal - after a comment or a literal that begins at `at`; where none does, `at`. */
const char *lw__after_literal(const char *at);

/* lw__input_name - the caller's, or a to h.
 * lw__check_name - errors: LW_E_ARG it is no word of C that a caller may take. */
const char *lw__input_name(const lw_map_options *options, size_t k);
lw_status lw__check_name(const char *op, const char *name);

/* lw__number_type - C's type of a kernel's parameter.
 * lw__check_map_options - errors: LW_E_ARG too many numbers, a name or a number that is none. */
const char *lw__number_type(const lw_map_number *number);
lw_status lw__check_map_options(const char *op, const lw_map_options *options, size_t count);
#endif
