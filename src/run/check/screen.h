/* screen.h - screens: a launch as SIMD code that stops where something may be wrong.
 *
 *     screens     of a program: code that is built when it is asked for
 *     screen      runs a launch as a screen
 */
#ifndef LW_RUN_SCREEN_H
#define LW_RUN_SCREEN_H

#include "base/screen_abi.h"
#include "run/check/check.h"
#include "run/cpu/cpu.h"

/* A kernel that has a screen. */
struct lw__screened {
    struct lw__screened *next;
    const struct lw_screen_kernel *says;
    struct lw__manifest_kernel row; /* its name alone */
    lw_kernel kernel;               /* of a device `cpu` */
    _Atomic uint64_t spent;         /* nanoseconds of exact checks */
};

/* ---- screens.c ------------------------------------------------------------------------------- */

struct lw__screens;
lw_status lw__screens_open(const char *path, struct lw__screens **screens);
void lw__screens_close(struct lw__screens *screens);
/* NULL: it cannot be screened. name: lives as long as the screens. */
struct lw__screened *lw__screens_find(struct lw__screens *screens, const char *name);

/* ---- screen.c -------------------------------------------------------------------------------- */

/* lw__screen_is_worth_it - by the size of the launch, by what exact checks of the kernel took, and
 * by what LANEWISE_SCREEN says; kernel NULL: never. LW_E_ARG: it is wrong.
 * lw__screen_run - true: the launch is done, nothing is wrong; *accesses: of all threads. False:
 * memory is as it was before. */
lw_status lw__screen_is_worth_it(struct lw__screened *kernel, const struct lw__launch *launch,
                                 bool *is_worth_it);
bool lw__screen_run(struct lw__screened *kernel, const struct lw__launch *launch,
                    uint64_t *accesses);
#endif
