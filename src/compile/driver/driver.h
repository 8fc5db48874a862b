/* driver.h - the program: its command line, and the passes in order. */
#ifndef LW_COMPILE_DRIVER_H
#define LW_COMPILE_DRIVER_H
#include "compile/support/unit.h"

/* ---- pipeline.c ------------------------------------------------------------------------------ */

/* Run the passes of unit->options->device up to the stage asked for. */
bool lw__pipeline_run(struct lw__unit *unit);

/* Release all that the passes have made. */
void lw__pipeline_release(struct lw__unit *unit);

/* ---- serve.c --------------------------------------------------------------------------------- */

/* Where the words begin with --serve FD: leave the server behind that base/serve.h describes, and
 * take these two away. Also comes back in each child of the server, with the words of its build. */
void lw__serve(int *argc, char ***argv);

/* ---- first_launch.c -------------------------------------------------------------------------- */

/* After the first step, whose result is written: the result of the second one for the kernel and
 * block of the first launch. Errors in it are rows of that result. */
bool lw__first_launch(const struct lw__unit *unit);

/* ---- time_passes.c --------------------------------------------------------------------------- */

/* Before the first pass; NULL: there is no memory file. It lives until lw__times_print. */
struct lw__times *lw__times_open(struct lw__arena *arena);
void lw__times_begin(struct lw__times *times, const char *pass);
void lw__times_end(struct lw__times *times);
/* The table to standard output. Nothing of LLVM's may be used any more. */
bool lw__times_print(struct lw__times *times);
#endif
