/* program.h - assert, printf, time, traps: what a kernel does besides computing. */
#ifndef LANEWISE_CUDA_PROGRAM_H
#define LANEWISE_CUDA_PROGRAM_H

#include "operations.h"

/* glibc's <assert.h> calls this; its file and line are those of the call, which Lanewise knows. */
LW_DEVICE __attribute__((noreturn)) void __assert_fail(const char *condition, const char *,
                                                       unsigned, const char *)
{
    lw_assert_fail(condition);
}
extern "C" __device__ __attribute__((format(printf, 1, 2), nothrow)) int printf(const char *, ...)
    __asm__("lw.printf");

LW_DEVICE clock_t clock() { return (clock_t)lw_clock(); }
LW_DEVICE long long clock64() { return lw_clock(); }
LW_DEVICE unsigned long long __globaltimer() { return lw_global_timer(); }
LW_DEVICE unsigned long long globaltimer() { return lw_global_timer(); }
LW_DEVICE void __nanosleep(unsigned) {}
LW_DEVICE void __prof_trigger(int) {}
LW_DEVICE void __brkpt() {}
LW_DEVICE void __trap() { lw_assert_fail("__trap()"); }

#endif
