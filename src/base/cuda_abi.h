/* cuda_abi.h - what kernels compiled for `cuda` and src/run/gpu agree on.
 *
 * A program is built in two steps, as for `cpu` (cpu_abi.h), since the block's dimensions are
 * constants of the code:
 *
 *   1. `lanewise-compile --device cuda:sm_NN ... PATH` makes a shared object for the host with
 *          lw.common, lw.common.bytes     the common bitcode, and how many bytes (uint64_t)
 *          lw.sizes.K                     see manifest.h
 *   2. The common bitcode in descriptor FD becomes PTX text for blocks of X x Y x Z threads, by
 *          lanewise-compile --device cuda:sm_NN --common FD --kernel K --block X,Y,Z --name N
 *              --out FD
 *      Its manifest has diag rows, and the site rows of its code, numbered from 0.
 *
 * The text has one entry, LW_CUDA_ENTRY, for blocks of exactly that size. It has two parameters:
 *   1. the packed arguments, args_bytes bytes aligned to LW_CUDA_ALIGN; 8 bytes if there are none
 *   2. the address of a struct lw_cuda_launch in the device's memory
 * The launch's dynamic shared memory begins with the kernel's static SHARED variables, rounded up
 * to LW_CUDA_SHARED_ALIGN; the DYNAMIC_SHARED ones follow. The compiler's own variables are static
 * shared memory of the text.
 *
 * The text's global LW_CUDA_USES, a uint32_t, has two halves:
 *   lower  the parts of struct lw_cuda_launch that the code uses; if 0, the address may be 0 too
 *   upper  bytes of dynamic shared memory that the launch needs in addition, for variables with a
 *          larger alignment
 * If the code prints or asserts, its records point to texts in the global LW_CUDA_TEXT. Each text
 * ends with a 0. Guarded code (bounds_abi.h) has its objects there; without any there may be no
 * such global.
 */
#ifndef LW_CUDA_ABI_H
#define LW_CUDA_ABI_H
#include "base/bounds_abi.h"
#include "base/manifest.h"
#include <stdint.h>

#define LW_CUDA_ENTRY "lw_kernel"
#define LW_CUDA_USES "lw_uses"
#define LW_CUDA_TEXT "lw_text"

enum { LW_CUDA_ALIGN = 16, LW_CUDA_SHARED_ALIGN = 128 };

/* Bytes of the first, in all code and from PTX ISA 8.1 on: its section "Kernel Function Parameter
 * Attributes". */
enum { LW_CUDA_ARGS_FEW = 4352 - 8, LW_CUDA_ARGS_MAX = 32764 - 8 };

enum { LW_CUDA_SLACK_SHIFT = 16 }; /* to the upper half of LW_CUDA_USES */

enum lw_cuda_uses {
    LW_CUDA_TICKETS = 1, /* blocks take their index from `ticket` as they start */
    LW_CUDA_PRINTS = 2,
    LW_CUDA_ASSERTS = 4,
    LW_CUDA_STOPS = 8, /* threads that wait for others look at `stop` */
    /* uses nothing of the struct: all threads first wait for the earlier launches. The launch may
     * begin before those have ended */
    LW_CUDA_FOLLOWS = 16,
    LW_CUDA_REFUSES = 32, /* accesses, whose failures may have no text in LW_CUDA_TEXT */
    LW_CUDA_FAILS = LW_CUDA_ASSERTS | LW_CUDA_REFUSES,
};

enum { LW_CUDA_FAILURES = 32 };

/* With a failure's site: of an assert_that; of a refused access, whose words are in said[]. */
#define LW_CUDA_SAYS 0x80000000u
#define LW_CUDA_REFUSED 0x40000000u

enum {
    LW_CUDA_SAID_MAX =
        (int)LW_REFUSED_WORDS > (int)LW_SAID_MAX ? (int)LW_REFUSED_WORDS : (int)LW_SAID_MAX
};

enum { LW_CUDA_NO_TEXT = 1 }; /* no address, and not 0, which is a failure not written yet */

/* A failed assert or refused access of one thread; the thread has then returned. */
struct lw_cuda_failure {
    uint64_t block;        /* linear index in the grid, x fastest */
    uint32_t thread, site; /* linear index in the block; row of the manifest */
    uint64_t expression;   /* or format: address in LW_CUDA_TEXT; refused: LW_CUDA_NO_TEXT */
};

/* One printf of one thread, of 24 + 8 * count bytes; records of a thread are in its order. */
struct lw_cuda_print {
    uint64_t block;
    uint32_t thread, count;
    uint64_t format; /* address in LW_CUDA_TEXT */
    uint64_t args[]; /* as in lw_ref_calls; a text's is an address in LW_CUDA_TEXT */
};

/* One launch, in the device's memory; the host writes it before and reads it after. */
struct lw_cuda_launch {
    uint64_t ticket; /* 0 before */
    /* address of a uint32_t that the host can write while the kernel runs; once it is not 0,
     * threads in a spin loop return. 0: there is none */
    uint64_t stop;
    /* failed asserts and refused accesses; the first LW_CUDA_FAILURES of them are in failures[].
     * 0 before */
    uint64_t failure_count;
    struct lw_cuda_failure failures[LW_CUDA_FAILURES];
    /* prints: records one after the other from address `prints` on. printed counts the bytes asked
     * for; what does not fit is counted in lost, and lowers print_end to where it would have begun:
     * records are whole below the smaller of printed and print_end. */
    uint64_t prints, print_capacity;                   /* set before */
    uint64_t printed, lost;                            /* 0 before */
    uint64_t print_end;                                /* UINT64_MAX before */
    uint64_t said[LW_CUDA_FAILURES][LW_CUDA_SAID_MAX]; /* of failures[i]; as the args of prints */
};
#endif
