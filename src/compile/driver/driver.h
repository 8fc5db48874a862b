/* driver.h - the program: its command line, and the passes in order. */
#ifndef LW_COMPILE_DRIVER_H
#define LW_COMPILE_DRIVER_H
#include "compile/support/unit.h"

/* ---- pipeline.c ------------------------------------------------------------------------------ */

/* Run the passes of unit->options->device up to the stage asked for. */
bool lw__pipeline_run(struct lw__unit *unit);
#endif
