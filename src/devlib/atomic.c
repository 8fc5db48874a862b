/* atomic.c - the atomics of the kernel language for every scalar type, relaxed.
 *
 * Integers use the compiler's own atomics, which become one instruction. For floats no instruction
 * keeps our rules everywhere: the GPU's flushes subnormals; min and max differ on NaN and -0. So
 * they loop on a compare-and-swap of the bits. The 16-bit ones compute in float and round once. The
 * bodies are in atomic_integer.inc and atomic_float.inc, included per type.
 */
#include "devlib.h"

#define CONCAT_(a, b) a##b
#define CONCAT(a, b) CONCAT_(a, b)
#define ATOMIC(op) CONCAT(lw__atomic_##op##_, TYPE)
#define LOCAL(name) CONCAT(name##_, TYPE)

#define T int8_t
#define TYPE i8
#include "atomic_integer.inc"
#define T int16_t
#define TYPE i16
#include "atomic_integer.inc"
#define T int32_t
#define TYPE i32
#include "atomic_integer.inc"
#define T int64_t
#define TYPE i64
#include "atomic_integer.inc"
#define T uint8_t
#define TYPE u8
#include "atomic_integer.inc"
#define T uint16_t
#define TYPE u16
#include "atomic_integer.inc"
#define T uint32_t
#define TYPE u32
#include "atomic_integer.inc"
#define T uint64_t
#define TYPE u64
#include "atomic_integer.inc"

/* FLOAT is the type computed in, BITS the integer of T's size. */
#define T float
#define TYPE f32
#define BITS uint32_t
#define FLOAT float
#define TO_FLOAT(bits) from_bits_f32(bits)
#define FROM_FLOAT(x) bits_f32(x)
#define FMIN lw__fmin_f32
#define FMAX lw__fmax_f32
#include "atomic_float.inc"
#define T double
#define TYPE f64
#define BITS uint64_t
#define FLOAT double
#define TO_FLOAT(bits) from_bits_f64(bits)
#define FROM_FLOAT(x) bits_f64(x)
#define FMIN lw__fmin_f64
#define FMAX lw__fmax_f64
#include "atomic_float.inc"
#define T lw__f16
#define TYPE f16
#define BITS uint16_t
#define FLOAT float
#define TO_FLOAT(bits) lw__f16_to_f32(bits)
#define FROM_FLOAT(x) lw__f32_to_f16(x)
#define FMIN lw__fmin_f32
#define FMAX lw__fmax_f32
#include "atomic_float.inc"
#define T lw__bf16
#define TYPE bf16
#define BITS uint16_t
#define FLOAT float
#define TO_FLOAT(bits) lw__bf16_to_f32(bits)
#define FROM_FLOAT(x) lw__f32_to_bf16(x)
#define FMIN lw__fmin_f32
#define FMAX lw__fmax_f32
#include "atomic_float.inc"

/* bool is a byte that holds 0 or 1. Arithmetic is that of int, made bool again (C17 6.3.1.2):
 * old + v and old - v are non-zero exactly for old | v and old ^ v; min is and, max is or. */
static inline volatile uint8_t *bool_byte(volatile bool *p)
{
    return (volatile uint8_t *)p;
}

bool lw__atomic_or_bool(volatile bool *p, bool v)
{
    return __atomic_fetch_or(bool_byte(p), (uint8_t)v, __ATOMIC_RELAXED) & 1;
}

bool lw__atomic_and_bool(volatile bool *p, bool v)
{
    return __atomic_fetch_and(bool_byte(p), (uint8_t)v, __ATOMIC_RELAXED) & 1;
}

bool lw__atomic_xor_bool(volatile bool *p, bool v)
{
    return __atomic_fetch_xor(bool_byte(p), (uint8_t)v, __ATOMIC_RELAXED) & 1;
}

bool lw__atomic_add_bool(volatile bool *p, bool v)
{
    return lw__atomic_or_bool(p, v);
}

bool lw__atomic_sub_bool(volatile bool *p, bool v)
{
    return lw__atomic_xor_bool(p, v);
}

bool lw__atomic_min_bool(volatile bool *p, bool v)
{
    return lw__atomic_and_bool(p, v);
}

bool lw__atomic_max_bool(volatile bool *p, bool v)
{
    return lw__atomic_or_bool(p, v);
}

bool lw__atomic_exchange_bool(volatile bool *p, bool v)
{
    return __atomic_exchange_n(bool_byte(p), (uint8_t)v, __ATOMIC_RELAXED) & 1;
}

bool lw__atomic_cas_bool(volatile bool *p, bool expected, bool v)
{
    return lw__atomic_cas_u8(bool_byte(p), expected, v) & 1;
}

bool lw__atomic_load_bool(volatile bool *p)
{
    return __atomic_load_n(bool_byte(p), __ATOMIC_RELAXED) & 1;
}

void lw__atomic_store_bool(volatile bool *p, bool v)
{
    __atomic_store_n(bool_byte(p), (uint8_t)v, __ATOMIC_RELAXED);
}
