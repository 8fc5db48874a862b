/* operations.h - the compiler's operations, `lw.NAME`, declared for C++.
 *
 * These are the only functions without a body; all others here are inline and end in these. The
 * names and meanings are those of lanewise/kernel.h, which is C and cannot be included.
 */
#ifndef LANEWISE_CUDA_OPERATIONS_H
#define LANEWISE_CUDA_OPERATIONS_H

#include "keywords.h"

#define LW_PLACE __device__ __attribute__((const, nothrow))
#define LW_TOGETHER __device__ __attribute__((convergent, nothrow))
#define LW_PLAIN __device__ __attribute__((nothrow))

/* ---- Places -------------------------------------------------------------------------------- */

#define LW_PLACES(name)                                                                            \
    LW_PLACE int lw_##name##_x() __asm__("lw." #name ".x");                                        \
    LW_PLACE int lw_##name##_y() __asm__("lw." #name ".y");                                        \
    LW_PLACE int lw_##name##_z() __asm__("lw." #name ".z");
LW_PLACES(thread_idx)
LW_PLACES(block_idx)
LW_PLACES(block_dim)
LW_PLACES(grid_dim)
#undef LW_PLACES
LW_PLACE int lw_lane_id() __asm__("lw.lane_id");
LW_PLACE int lw_warp_id() __asm__("lw.warp_id");

/* ---- Together ------------------------------------------------------------------------------ */

#define LW_ROW_VI(op, T, name) LW_TOGETHER T lw_##op(T, int) __asm__("lw." #op "." #name);
#define LW_ROW_V(op, T, name) LW_TOGETHER T lw_##op(T) __asm__("lw." #op "." #name);
#define LW_INTEGERS(X, op)                                                                         \
    X(op, int, i32) X(op, unsigned, u32) X(op, long, i64) X(op, unsigned long, u64)                \
    X(op, long long, i64) X(op, unsigned long long, u64)
#define LW_NUMBERS(X, op) LW_INTEGERS(X, op) X(op, float, f32) X(op, double, f64)
#define LW_HALVES(X, op) X(op, _Float16, f16) X(op, __bf16, bf16)
LW_NUMBERS(LW_ROW_VI, shuffle) LW_HALVES(LW_ROW_VI, shuffle)
LW_NUMBERS(LW_ROW_VI, shuffle_up) LW_HALVES(LW_ROW_VI, shuffle_up)
LW_NUMBERS(LW_ROW_VI, shuffle_down) LW_HALVES(LW_ROW_VI, shuffle_down)
LW_NUMBERS(LW_ROW_VI, shuffle_xor) LW_HALVES(LW_ROW_VI, shuffle_xor)
LW_NUMBERS(LW_ROW_V, warp_sum)
LW_NUMBERS(LW_ROW_V, warp_max)
LW_NUMBERS(LW_ROW_V, warp_min)
LW_NUMBERS(LW_ROW_V, warp_inclusive_sum)
LW_NUMBERS(LW_ROW_V, warp_exclusive_sum)
#undef LW_ROW_VI
#undef LW_ROW_V

LW_TOGETHER unsigned lw_ballot(bool) __asm__("lw.ballot");
LW_TOGETHER int lw_warp_any(bool) __asm__("lw.warp_any");
LW_TOGETHER int lw_warp_all(bool) __asm__("lw.warp_all");
LW_TOGETHER void lw_warp_sync() __asm__("lw.warp_sync");
LW_TOGETHER void lw_barrier() __asm__("lw.barrier");
LW_TOGETHER int lw_block_any(bool) __asm__("lw.block_any");
LW_TOGETHER int lw_block_all(bool) __asm__("lw.block_all");
LW_TOGETHER int lw_block_count(bool) __asm__("lw.block_count");

/* ---- Memory -------------------------------------------------------------------------------- */

#define LW_ATOMIC(op, T, name)                                                                     \
    LW_PLAIN T lw_##op(volatile T *, T) __asm__("lw." #op "." #name);
#define LW_ATOMIC_CAS(op, T, name)                                                                 \
    LW_PLAIN T lw_##op(volatile T *, T, T) __asm__("lw." #op "." #name);
#define LW_ATOMIC_LOAD(op, T, name)                                                                \
    LW_PLAIN T lw_##op(const volatile T *) __asm__("lw." #op "." #name);
#define LW_ATOMIC_STORE(op, T, name)                                                               \
    LW_PLAIN void lw_##op(volatile T *, T) __asm__("lw." #op "." #name);
#define LW_SMALL_INTEGERS(X, op)                                                                   \
    X(op, char, i8) X(op, signed char, i8) X(op, unsigned char, u8) X(op, short, i16)              \
    X(op, unsigned short, u16)
#define LW_SMALL(X, op) LW_SMALL_INTEGERS(X, op) X(op, bool, bool)
LW_NUMBERS(LW_ATOMIC, atomic_add) LW_SMALL_INTEGERS(LW_ATOMIC, atomic_add)
LW_HALVES(LW_ATOMIC, atomic_add)
LW_NUMBERS(LW_ATOMIC, atomic_sub) LW_SMALL_INTEGERS(LW_ATOMIC, atomic_sub)
LW_NUMBERS(LW_ATOMIC, atomic_min) LW_SMALL_INTEGERS(LW_ATOMIC, atomic_min)
LW_NUMBERS(LW_ATOMIC, atomic_max) LW_SMALL_INTEGERS(LW_ATOMIC, atomic_max)
LW_INTEGERS(LW_ATOMIC, atomic_and) LW_SMALL_INTEGERS(LW_ATOMIC, atomic_and)
LW_INTEGERS(LW_ATOMIC, atomic_or) LW_SMALL_INTEGERS(LW_ATOMIC, atomic_or)
LW_INTEGERS(LW_ATOMIC, atomic_xor) LW_SMALL_INTEGERS(LW_ATOMIC, atomic_xor)
LW_NUMBERS(LW_ATOMIC, atomic_exchange) LW_SMALL(LW_ATOMIC, atomic_exchange)
LW_NUMBERS(LW_ATOMIC_CAS, atomic_cas) LW_SMALL(LW_ATOMIC_CAS, atomic_cas)
LW_NUMBERS(LW_ATOMIC_LOAD, atomic_load) LW_SMALL(LW_ATOMIC_LOAD, atomic_load)
LW_NUMBERS(LW_ATOMIC_STORE, atomic_store) LW_SMALL(LW_ATOMIC_STORE, atomic_store)
#undef LW_ATOMIC
#undef LW_ATOMIC_CAS
#undef LW_ATOMIC_LOAD
#undef LW_ATOMIC_STORE

LW_PLAIN void lw_fence_block() __asm__("lw.fence_block");
LW_PLAIN void lw_fence_device() __asm__("lw.fence_device");

/* ---- Maths --------------------------------------------------------------------------------- */

#define LW_MATHS_1(name)                                                                           \
    LW_PLACE float lw_##name(float) __asm__("lw." #name ".f32");                                   \
    LW_PLACE double lw_##name(double) __asm__("lw." #name ".f64");
#define LW_MATHS_2(name)                                                                           \
    LW_PLACE float lw_##name(float, float) __asm__("lw." #name ".f32");                            \
    LW_PLACE double lw_##name(double, double) __asm__("lw." #name ".f64");
LW_MATHS_1(exp) LW_MATHS_1(exp2) LW_MATHS_1(exp10) LW_MATHS_1(expm1)
LW_MATHS_1(log) LW_MATHS_1(log2) LW_MATHS_1(log10) LW_MATHS_1(log1p) LW_MATHS_1(logb)
LW_MATHS_1(sin) LW_MATHS_1(cos) LW_MATHS_1(tan)
LW_MATHS_1(asin) LW_MATHS_1(acos) LW_MATHS_1(atan)
LW_MATHS_1(sinh) LW_MATHS_1(cosh) LW_MATHS_1(tanh)
LW_MATHS_1(asinh) LW_MATHS_1(acosh) LW_MATHS_1(atanh)
LW_MATHS_1(erf) LW_MATHS_1(erfc) LW_MATHS_1(sqrt) LW_MATHS_1(rsqrt) LW_MATHS_1(cbrt)
LW_MATHS_1(fabs) LW_MATHS_1(floor) LW_MATHS_1(ceil) LW_MATHS_1(trunc) LW_MATHS_1(round)
LW_MATHS_1(rint)
LW_MATHS_2(pow) LW_MATHS_2(fmod) LW_MATHS_2(fmin) LW_MATHS_2(fmax) LW_MATHS_2(copysign)
LW_MATHS_2(fdim) LW_MATHS_2(remainder) LW_MATHS_2(hypot) LW_MATHS_2(atan2)
LW_PLACE float lw_fma(float, float, float) __asm__("lw.fma.f32");
LW_PLACE double lw_fma(double, double, double) __asm__("lw.fma.f64");
LW_PLACE float lw_ldexp(float, int) __asm__("lw.ldexp.f32");
LW_PLACE double lw_ldexp(double, int) __asm__("lw.ldexp.f64");
#undef LW_MATHS_1
#undef LW_MATHS_2

/* ---- Messages and time --------------------------------------------------------------------- */

__device__ __attribute__((noreturn, nothrow)) void lw_assert_fail(const char *)
    __asm__("lw.assert_fail");

#endif
