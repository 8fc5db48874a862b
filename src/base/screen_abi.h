/* screen_abi.h - what the screen of a kernel and the device `check` agree on.
 *
 * A screen is a kernel for `cpu` (base/cpu_abi.h) with checks in its code: compile/check makes it,
 * run/check/screen.c runs it. It has one parameter more, the record of the thread that runs the
 * block. Where a check fails, the launch stops: something may be wrong, and the exact check says
 * what. A program for `check` has lw.common, of the kernels that can be screened, and of each
 * `const struct lw_screen_kernel lw.screen.K`.
 *
 * Of each granule of memory that a row has, cells tell who wrote it last, who read it, and who
 * changed it by an atomic: 0 is nobody, else serial << LW_SCREEN_SERIAL_SHIFT | thread. A serial is
 * a number of a block and of what lies between two of its barriers; it grows with each. So what is
 * below the serial of now, and not below the block's first, is ordered before all that follows.
 */
#ifndef LW_SCREEN_ABI_H
#define LW_SCREEN_ABI_H
#include <stdint.h>

enum {
    LW_SCREEN_SERIAL_SHIFT = 11,
    LW_SCREEN_MANY = 2047, /* for the thread: several read it, or changed it by atomics */
};
#define LW_SCREEN_FOREIGN UINT32_MAX    /* blocks did: several, or an earlier one */
#define LW_SCREEN_LAST_SERIAL 0x1ffffeu /* none is larger */

enum lw_screen_use {
    LW_SCREEN_READS = 1,
    LW_SCREEN_WRITES = 2,
    LW_SCREEN_UPDATES = 4, /* by atomics whose result is not used */
    LW_SCREEN_CHANGES = LW_SCREEN_WRITES | LW_SCREEN_UPDATES,
};

/* What a kernel may access: its parameters in their order, then variables of block memory. */
struct lw_screen_row {
    uint32_t granule; /* bytes; 0: it accesses nothing there */
    uint32_t uses;    /* enum lw_screen_use, or'ed */
    uint64_t bytes;   /* of a variable; 0: of a parameter, or of dynamic memory */
};
struct lw_screen_kernel {
    uint64_t args_bytes; /* with the record's address, in the last eight */
    uint64_t param_count, row_count;
    const struct lw_screen_row *rows;
};

/* Two names of the same cells, so that the compiler looks again after a store. */
struct lw_screen_cells {
    uint32_t *cells, *again;
};
struct lw_screen_object {
    struct lw_screen_cells written, read, updated;
    uint64_t granules; /* in the object */
};
struct lw_screen_record {
    uint32_t first; /* serial of the block, shifted */
    uint32_t last;  /* written by the code: the largest, shifted */
    uint64_t accesses;
    struct lw_screen_object objects[];
};
#endif
