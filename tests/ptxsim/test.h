/* test.h - run PTX on the simulator, by the functions of the driver. */
#ifndef PTXSIM_TEST_H
#define PTXSIM_TEST_H

#include "run/cuda/driver.h"
#include <stdint.h>

enum { WORDS = 1024 }; /* of memory that a kernel is given */

extern const struct lw__cuda_driver *driver;
extern int failures;

void open_simulator(void); /* ends the program where there is none; also after a context's end */
void close_simulator(void);

/* run_ptx - load the text, run its kernel `t` with the address of so many 64-bit words, which are
 * copied there and back. Returns the first result that is not 0. */
int run_ptx(const char *text, unsigned blocks, unsigned threads, uint64_t *words);

/* fails - the same fails with this result, and says this on standard error (of an invalid text: in
 * its log); the context is a new one then. */
void fails(const char *what, const char *text, unsigned threads, int result, const char *says);

void check(int works, const char *format, ...) __attribute__((format(printf, 2, 3)));
int finish(void); /* of main: the counts; the exit status */

/* The text of a kernel `t` around its body; %words is the address. */
#define KERNEL_HEAD                                                                                \
    ".version 7.8\n.target sm_90\n.address_size 64\n"                                              \
    ".visible .entry t(.param .u64 t_param_0)\n{\n"                                                \
    ".reg .pred %p<8>; .reg .b16 %h<8>; .reg .b32 %r<16>; .reg .b64 %d<8>, %words;\n"              \
    ".reg .f32 %f<8>; .reg .f64 %e<8>;\n"                                                          \
    "ld.param.u64 %words, [t_param_0];\n"
#define KERNEL_TAIL "\nret;\n}\n"
#define KERNEL_TEXT(body) KERNEL_HEAD body KERNEL_TAIL
#endif
