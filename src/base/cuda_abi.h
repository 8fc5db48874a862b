/* cuda_abi.h - what kernels compiled for `cuda` and the device in src/run/cuda agree on.
 *
 * A program is built in two steps, as for `cpu` (cpu_abi.h), since the block's dimensions are
 * constants of the code:
 *
 *   1. `lanewise-compile --device cuda:sm_NN ... PATH` makes a shared object for the host with
 *          lw.common, lw.common.bytes     the common bitcode, and how many bytes (uint64_t)
 *          lw.sizes.K                     see manifest.h
 *   2. `lanewise-compile --device cuda:sm_NN --common FD --kernel K --block X,Y,Z --name N --out
 *      FD` makes, from those bytes in descriptor FD, PTX text for blocks of X x Y x Z threads. Its
 *      manifest has diag rows and the site rows that its code counts from 0.
 *
 * The text has one entry, LW_CUDA_ENTRY, launched with blocks of exactly that size and with two
 * parameters: the packed arguments as an array of bytes, LW_CUDA_ALIGN aligned, as many as the
 * kernel's args_bytes (8 where it has none); and the address, in the device's memory, of a struct
 * lw_cuda_launch. The launch's dynamic block memory is the kernel's static SHARED, rounded up to
 * LW_CUDA_SHARED_ALIGN, and behind it what DYNAMIC_SHARED names are given; what the compiler needs
 * for itself is static there.
 *
 * The text's global LW_CUDA_USES, a uint32_t, says what of struct lw_cuda_launch the code touches;
 * where that is nothing, the address may be 0. Its upper half is how many bytes of dynamic block
 * memory the launch needs beyond that, for variables that ask for a larger alignment. Where it
 * prints or asserts, the global LW_CUDA_TEXT holds all texts that its records point to, each with
 * its final 0.
 */
#ifndef LW_CUDA_ABI_H
#define LW_CUDA_ABI_H
#include <stdint.h>

#define LW_CUDA_ENTRY "lw_kernel"
#define LW_CUDA_USES "lw_uses"
#define LW_CUDA_TEXT "lw_text"

enum { LW_CUDA_ALIGN = 16, LW_CUDA_SHARED_ALIGN = 128 };

enum { LW_CUDA_SLACK_SHIFT = 16 }; /* to the upper half of LW_CUDA_USES */

enum lw_cuda_uses {
    LW_CUDA_TICKETS = 1, /* blocks take their index from `ticket` as they start */
    LW_CUDA_PRINTS = 2,
    LW_CUDA_ASSERTS = 4,
    LW_CUDA_STOPS = 8, /* threads that wait for others look at `stop` */
    /* nothing of the struct: all threads begin with a wait for the launches in front, so that it
     * may be launched before those have ended */
    LW_CUDA_FOLLOWS = 16,
};

enum { LW_CUDA_FAILURES = 32 };

/* A failed assert of one thread; the thread has then returned. */
struct lw_cuda_failure {
    uint64_t block;        /* linear index in the grid, x fastest */
    uint32_t thread, site; /* linear index in the block; row of the manifest */
    uint64_t expression;   /* address in LW_CUDA_TEXT */
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
     * threads in a loop that waits return. 0: there is none */
    uint64_t stop;
    /* failed asserts; the first LW_CUDA_FAILURES of them are in failures[]. 0 before */
    uint64_t failure_count;
    struct lw_cuda_failure failures[LW_CUDA_FAILURES];
    /* prints: records one after the other from address `prints` on. printed counts the bytes asked
     * for; what does not fit is counted in lost, and lowers print_end to where it would have begun:
     * records are whole below the smaller of printed and print_end. */
    uint64_t prints, print_capacity; /* set before */
    uint64_t printed, lost;          /* 0 before */
    uint64_t print_end;              /* UINT64_MAX before */
};
#endif
