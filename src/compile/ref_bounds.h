/* ref_bounds.h - what ref.c asks of ref_bounds.c, in the order in which it does. */
#ifndef LW_COMPILE_REF_BOUNDS_H
#define LW_COMPILE_REF_BOUNDS_H
#include "compile/ref.h"

/* ref_prune.c: checks that others make superfluous go; of the kernel as it was. */
bool lw__ref_bounds_prune(struct lw__ref *r, LLVMValueRef function);

/* The table's rows before the arguments are loaded; which row an argument is; the SHARED variables,
 * as layout->places. The builder stands in the kernel's beginning. */
void lw__ref_bounds_open(struct lw__ref *r, const struct lw__kernel *kernel);
void lw__ref_bounds_argument(struct lw__ref *r, unsigned index, LLVMValueRef value);
bool lw__ref_bounds_shared(struct lw__ref *r, struct lw__shared_layout *layout);

/* With block memory replaced: private variables and constants; the builder stands as before. Then
 * the accesses use addresses without tags. */
bool lw__ref_bounds_variables(struct lw__ref *r);
void lw__ref_bounds_strip(struct lw__ref *r);

/* lw.access and lw.index; false: it is another call. */
bool lw__ref_lower_check(struct lw__ref *r, LLVMValueRef call);

bool lw__ref_bounds_describe(struct lw__ref *r, const struct lw__kernel *kernel);
void lw__ref_bounds_free(struct lw__ref *r);
#endif
