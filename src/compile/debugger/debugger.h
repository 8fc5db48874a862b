/* debugger.h - what a debugger needs of the reference form (ref/ref.h), with -O0: threads with
 * stacks of their own, whose variables have addresses.
 */
#ifndef LW_COMPILE_DEBUGGER_H
#define LW_COMPILE_DEBUGGER_H
#include "compile/ref/ref.h"

#define LW_HERE "lw.here" /* of a thread that resumes: void (ptr thread) */

bool lw__pass_debug(struct lw__unit *unit); /* variables.c */
bool lw__pass_watch(struct lw__unit *unit); /* unit.c */
#endif
