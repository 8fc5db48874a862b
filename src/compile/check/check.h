/* check.h - what the device `check` adds to the reference form (ref/ref.h), and `lanewise picture`.
 *
 * observe.c tells the device of each access to memory that threads share, shadow.h which bits are
 * undefined. quick.c and prove.c go round what it need not be told or asked. For a picture marks.c
 * tells of lines and loops. check.c hands all of it to ref/.
 */
#ifndef LW_COMPILE_CHECK_H
#define LW_COMPILE_CHECK_H
#include "compile/ref/ref.h"

#define LW_UNDEFINED "lw.undefined." /* a global, and the site: what a variable has at first */
#define LW_DECLARED "lw.declared"    /* the same of an array, as a call with its address */

/* ---- check.c --------------------------------------------------------------------------------- */

bool lw__pass_check(struct lw__unit *unit);

/* ---- declare.c, shadow.c --------------------------------------------------------------------- */

bool lw__pass_declare(struct lw__unit *unit);
bool lw__pass_shadow(struct lw__unit *unit);
/* shadow_calls.c: as lw__ref_extension.lower */
bool lw__check_lower_shadow(struct lw__ref *r, LLVMValueRef call);

/* ---- observe.c ------------------------------------------------------------------------------- */

bool lw__pass_observe(struct lw__unit *unit);
/* As lw__ref_extension.lower: lw.observe; of a fence the device is told besides. */
bool lw__check_lower_observe(struct lw__ref *r, LLVMValueRef call);

/* ---- marks.c: for a picture ------------------------------------------------------------------ */

bool lw__pass_marks(struct lw__unit *unit);
/* As lw__ref_extension.lower: lw.line, lw.iteration and lw.trace.* */
bool lw__check_lower_mark(struct lw__ref *r, LLVMValueRef call);
/* The type of a SHARED variable as docs/layout.md writes it; "": clang says nothing of it. */
char *lw__check_layout_of(struct lw__ref *r, LLVMValueRef global);

/* ---- quick.c --------------------------------------------------------------------------------- */

/* As lw__ref_extension.survey: which arguments the kernel may write to. */
void lw__check_find_written(struct lw__ref *r, LLVMValueRef *calls, size_t count);
/* For the call of lw.observe, or of lw.shadow, which the builder stands at and will replace: where
 * the device need not be asked, control goes round what is built next, until lw__check_quick_end.
 */
struct lw__check_quick {
    LLVMBasicBlockRef from, join; /* from NULL: the device is asked always */
    LLVMValueRef result;          /* without it */
};
struct lw__check_quick lw__check_quick_observe(struct lw__ref *r, LLVMValueRef call, uint32_t site);
struct lw__check_quick lw__check_quick_shadow(struct lw__ref *r, LLVMValueRef call);
/* At the builder; of the device's answer, or NULL, and the one without it. */
LLVMValueRef lw__check_quick_end(struct lw__ref *r, const struct lw__check_quick *quick,
                                 LLVMValueRef call, LLVMValueRef answer);

/* ---- prove.c: as lw__ref_extension.open, .enter and .skip ------------------------------------ */

void lw__check_prove(struct lw__ref *r, const struct lw__kernel *kernel);
void lw__check_load_proved(struct lw__ref *r);
void lw__check_go_round_proved(struct lw__ref *r, LLVMValueRef check, LLVMBasicBlockRef tail);
#endif
