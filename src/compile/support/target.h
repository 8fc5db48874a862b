/* target.h - what code is made for: one row of llvm/targets.def, which says all that the compiler
 * knows of a device and of its vector level. Code asks for capabilities, never for a name.
 */
#ifndef LW_COMPILE_TARGET_H
#define LW_COMPILE_TARGET_H
#include <stdint.h>

enum lw__capability {
    /* How its code comes to the library. */
    LW_HAS_BLOCKS = 1 << 0,    /* made of one kernel for one size of block (base/cpu_abi.h) */
    LW_HAS_GANGS = 1 << 1,     /* /N after the name: in gangs of N threads, in less time */
    LW_IS_TEXT = 1 << 2,       /* not an object that the host links */
    LW_IN_IMAGES = 1 << 3,     /* `lanewise cc` may make it, */
    LW_IN_ALL_IMAGES = 1 << 4, /* and does where nothing else is asked for */

    /* What happens beside the kernel's own work. */
    LW_IS_CHECKED = 1 << 5,  /* each access is checked */
    LW_IS_OBSERVED = 1 << 6, /* the device is told of each access to memory that threads share */
    LW_IS_RECORDED = 1 << 7, /* and of what each thread does, for `lanewise picture` */
    LW_HAS_DEBUG = 1 << 8,   /* -O0: every variable has its value at each line */

    /* The processor. */
    LW_HAS_THREADS = 1 << 9,        /* a lane has its own control flow: nothing is widened */
    LW_HAS_SHORT_VECTORS = 1 << 10, /* loads and stores of a thread's float4 */
    LW_HAS_FOLLOWING = 1 << 11,     /* a launch may begin before the one ahead has ended */
    LW_IS_LATE = 1 << 12,    /* LLVM's passes count as for the baseline up to the pass optimise */
    LW_HAS_MAXPS = 1 << 13,  /* x86's larger or smaller: the second unless the first is beyond it */
    LW_HAS_RANGE = 1 << 14,  /* larger or smaller as IEEE 754 has them, in one instruction */
    LW_HAS_SCALEF = 1 << 15, /* times a power of two */
    LW_HAS_FMA = 1 << 16,
    LW_HAS_SATURATION = 1 << 17,     /* float to integer within the integer's bounds */
    LW_HAS_PERMD = 1 << 18,          /* lanes of 32 bits by an index, of one vector of 8 */
    LW_HAS_PERMI2 = 1 << 19,         /* lanes by an index, of two vectors */
    LW_HAS_MASKED_WORDS = 1 << 20,   /* masked loads and stores of 4 and 8 bytes a lane */
    LW_HAS_MASK_REGISTERS = 1 << 21, /* masks have registers, and all accesses take one */
    LW_HAS_SHORT_INDICES = 1 << 22,  /* gathers take a vector's width of 32-bit indices */
    LW_HAS_COMPRESS = 1 << 23,       /* active lanes move together */
    LW_MAY_HAVE_AMX = 1 << 24,       /* some processors do; who launches asks for it */
};

struct lw__target {
    const char *name;  /* in --device */
    const char *route; /* driver/pipeline.c */
    const char *triple, *processor, *features;
    uint32_t lanes;     /* of a piece: 32 bits each; 1: nothing is widened */
    uint32_t registers; /* for vectors */
    unsigned has;       /* enum lw__capability */
};
#endif
