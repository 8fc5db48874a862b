/* devlib.h - what the device library gives to kernels: maths, 16-bit floats, atomics.
 *
 * The C of this folder becomes one bitcode file. lanewise-compile links it into every kernel
 * module, for every target, and inlines it. So it is plain C without a C library: integer and IEEE
 * operations, explicit fma and square root, nothing that a target could round differently. Thus
 * every device computes the same bits. The unit tests use a native build of the same files.
 *
 * Each function has a C name (lw__exp_f32) and an IR name (lw.exp.f32), which kernel.h declares.
 */
#ifndef LW_DEVLIB_H
#define LW_DEVLIB_H

#include <stdbool.h>
#include <stdint.h>

#define LW_IR_NAME(name) __asm__(name)

/* The maths functions, by number of arguments. Bounds and special values: docs/maths.md. */
/* clang-format off */
#define LW_MATHS_UNARY(X) \
    X(exp) X(exp2) X(log) X(log2) X(sin) X(cos) X(tan) X(tanh) X(erf) X(sqrt) X(rsqrt) X(cbrt) \
    X(fabs) X(floor) X(ceil) X(trunc) X(round) X(rint) X(logb) \
    X(exp10) X(expm1) X(log10) X(log1p) X(sinh) X(cosh) X(asinh) X(acosh) X(atanh) \
    X(asin) X(acos) X(atan) X(erfc)
#define LW_MATHS_BINARY(X) \
    X(pow) X(fmod) X(fmin) X(fmax) X(copysign) X(fdim) X(remainder) X(hypot) X(atan2)
/* clang-format on */

#define LW_DECLARE_UNARY(name)                                                                     \
    float lw__##name##_f32(float x) LW_IR_NAME("lw." #name ".f32");                                \
    double lw__##name##_f64(double x) LW_IR_NAME("lw." #name ".f64");
#define LW_DECLARE_BINARY(name)                                                                    \
    float lw__##name##_f32(float x, float y) LW_IR_NAME("lw." #name ".f32");                       \
    double lw__##name##_f64(double x, double y) LW_IR_NAME("lw." #name ".f64");
LW_MATHS_UNARY(LW_DECLARE_UNARY)
LW_MATHS_BINARY(LW_DECLARE_BINARY)
#undef LW_DECLARE_UNARY
#undef LW_DECLARE_BINARY
float lw__fma_f32(float x, float y, float z) LW_IR_NAME("lw.fma.f32");
double lw__fma_f64(double x, double y, double z) LW_IR_NAME("lw.fma.f64");

/* Of clang's builtins: frexp's significand and exponent; x * 2^n, rounded once; x to the n-th, by
 * squares. */
#define LW_DECLARE_PARTS(T, type)                                                                  \
    T lw__frexp_##type(T x) LW_IR_NAME("lw.frexp." #type);                                         \
    int32_t lw__frexp_exponent_##type(T x) LW_IR_NAME("lw.frexp_exponent." #type);                 \
    T lw__ldexp_##type(T x, int32_t n) LW_IR_NAME("lw.ldexp." #type);                              \
    T lw__powi_##type(T x, int32_t n) LW_IR_NAME("lw.powi." #type)
LW_DECLARE_PARTS(float, f32);
LW_DECLARE_PARTS(double, f64);
#undef LW_DECLARE_PARTS

/* v * 2^k, rounded once, for 0.5 < |v| < 2 and a whole k from -160 to 130; the low nine bits of n
 * are those of k + 254. For targets that have an instruction for it. */
float lw__scale_f32(float v, float k, uint32_t n) LW_IR_NAME("lw.scale.f32");

/* rare ? other : usual. `other` is computed only where a lane needs it, on targets that can. */
float lw__rarely_f32(float usual, float other, bool rare) LW_IR_NAME("lw.rarely.f32");

/* 16-bit floats travel as their bits; each conversion rounds once, to nearest even. */
uint16_t lw__f32_to_f16(float x) LW_IR_NAME("lw.f32_to_f16");
uint16_t lw__f64_to_f16(double x) LW_IR_NAME("lw.f64_to_f16");
uint16_t lw__i64_to_f16(int64_t x) LW_IR_NAME("lw.i64_to_f16");
uint16_t lw__u64_to_f16(uint64_t x) LW_IR_NAME("lw.u64_to_f16");
uint16_t lw__f32_to_bf16(float x) LW_IR_NAME("lw.f32_to_bf16");
uint16_t lw__f64_to_bf16(double x) LW_IR_NAME("lw.f64_to_bf16");
uint16_t lw__i64_to_bf16(int64_t x) LW_IR_NAME("lw.i64_to_bf16");
uint16_t lw__u64_to_bf16(uint64_t x) LW_IR_NAME("lw.u64_to_bf16");
float lw__f16_to_f32(uint16_t bits) LW_IR_NAME("lw.f16_to_f32");
float lw__bf16_to_f32(uint16_t bits) LW_IR_NAME("lw.bf16_to_f32");

/* LLVM's code generator calls these to keep a 16-bit float as a float between blocks, or for its
 * absolute value. libgcc has some of them. A 16-bit float is passed and returned in the low half of
 * a float's register. */
float lw__extendhfsf2(float half) LW_IR_NAME("__extendhfsf2");
float lw__truncsfhf2(float x) LW_IR_NAME("__truncsfhf2");
float lw__truncsfbf2(float x) LW_IR_NAME("__truncsfbf2");

/* The 16-bit types of the atomics. On the host they are only bits. gcc 12 has no __bf16. To keep
 * one in a register, clang 19 for plain x86-64 calls a conversion that libgcc 12 lacks. */
#if __STDC_HOSTED__
typedef uint16_t lw__f16;
typedef uint16_t lw__bf16;
#else
typedef _Float16 lw__f16;
typedef __bf16 lw__bf16;
#endif

/* Atomics, relaxed; all but store return the value that was there before. */
#define LW_DECLARE_ATOMIC(T, type)                                                                 \
    T lw__atomic_add_##type(volatile T *p, T v) LW_IR_NAME("lw.atomic_add." #type);                \
    T lw__atomic_sub_##type(volatile T *p, T v) LW_IR_NAME("lw.atomic_sub." #type);                \
    T lw__atomic_min_##type(volatile T *p, T v) LW_IR_NAME("lw.atomic_min." #type);                \
    T lw__atomic_max_##type(volatile T *p, T v) LW_IR_NAME("lw.atomic_max." #type);                \
    T lw__atomic_exchange_##type(volatile T *p, T v) LW_IR_NAME("lw.atomic_exchange." #type);      \
    T lw__atomic_cas_##type(volatile T *p, T expected, T v) LW_IR_NAME("lw.atomic_cas." #type);    \
    T lw__atomic_load_##type(volatile T *p) LW_IR_NAME("lw.atomic_load." #type);                   \
    void lw__atomic_store_##type(volatile T *p, T v) LW_IR_NAME("lw.atomic_store." #type)
#define LW_DECLARE_BITWISE(T, type)                                                                \
    T lw__atomic_and_##type(volatile T *p, T v) LW_IR_NAME("lw.atomic_and." #type);                \
    T lw__atomic_or_##type(volatile T *p, T v) LW_IR_NAME("lw.atomic_or." #type);                  \
    T lw__atomic_xor_##type(volatile T *p, T v) LW_IR_NAME("lw.atomic_xor." #type)
LW_DECLARE_ATOMIC(int8_t, i8);
LW_DECLARE_ATOMIC(int16_t, i16);
LW_DECLARE_ATOMIC(int32_t, i32);
LW_DECLARE_ATOMIC(int64_t, i64);
LW_DECLARE_ATOMIC(uint8_t, u8);
LW_DECLARE_ATOMIC(uint16_t, u16);
LW_DECLARE_ATOMIC(uint32_t, u32);
LW_DECLARE_ATOMIC(uint64_t, u64);
LW_DECLARE_ATOMIC(bool, bool);
LW_DECLARE_ATOMIC(lw__f16, f16);
LW_DECLARE_ATOMIC(lw__bf16, bf16);
LW_DECLARE_ATOMIC(float, f32);
LW_DECLARE_ATOMIC(double, f64);
LW_DECLARE_BITWISE(int8_t, i8);
LW_DECLARE_BITWISE(int16_t, i16);
LW_DECLARE_BITWISE(int32_t, i32);
LW_DECLARE_BITWISE(int64_t, i64);
LW_DECLARE_BITWISE(uint8_t, u8);
LW_DECLARE_BITWISE(uint16_t, u16);
LW_DECLARE_BITWISE(uint32_t, u32);
LW_DECLARE_BITWISE(uint64_t, u64);
LW_DECLARE_BITWISE(bool, bool);
#undef LW_DECLARE_BITWISE
#undef LW_DECLARE_ATOMIC

#endif
