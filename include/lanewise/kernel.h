/* kernel.h - the Lanewise kernel language: include it in every kernel file.
 *
 * A kernel is plain C, written as the work of one thread:
 *
 *     #include <lanewise/kernel.h>
 *     KERNEL void scale(int n, float x[n], float factor)
 *     {
 *         size_t i = global_idx.x;
 *         if (i < n) x[i] *= factor;
 *     }
 *
 * Everything here is a declaration or a macro; docs/kernel-language.md is the reference. Operations
 * that take "any T" are overloaded for C's integer types, bool, _Float16, __bf16, float and double.
 * The names that begin with lw__ are not for users.
 */
#ifndef LANEWISE_KERNEL_H
#define LANEWISE_KERNEL_H

/* This header needs extensions here and there; an editor need not say so at each kernel. */
#pragma clang diagnostic push
#pragma clang diagnostic ignored "-Wpedantic"

#ifndef __clang__
#error "kernel files are compiled by clang: lanewise run FILE, or clangd in an editor"
#endif

#include <float.h>
#include <limits.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#ifndef INFINITY
#define INFINITY (__builtin_inff())
#define NAN (__builtin_nanf(""))
#endif
#define memcpy(to, from, bytes) __builtin_memcpy(to, from, bytes)
#define memmove(to, from, bytes) __builtin_memmove(to, from, bytes)
#define memset(to, byte, bytes) __builtin_memset(to, byte, bytes)

/* ---- Program ------------------------------------------------------------------------------- */

/* KERNEL void name(...): an entry point. The convention gives one IR parameter for each C one. */
#define KERNEL __attribute__((ms_abi, used, annotate("lw.kernel")))

/* KERNEL BLOCK(256) void name(...): launches with another block size are an error. */
#define BLOCK(...) __attribute__((annotate("lw.block", __VA_ARGS__)))

/* A helper; any static function is one too. */
#define DEVICE __attribute__((unused))

/* SHARED float tile[32][33];  one for each block, uninitialised, at file or function scope. */
#define SHARED static __attribute__((section("lw.shared"), loader_uninitialized))

/* DYNAMIC_SHARED(float, name);  sized at launch; all such names start at the same byte. */
#define DYNAMIC_SHARED(T, name)                                                                    \
    extern T name[]                                                                                \
        __attribute__((section("lw.dynshared"), aligned(_Alignof(T) > 16 ? _Alignof(T) : 16)))

/* ---- Where am I ---------------------------------------------------------------------------- */

#define LW__PLACE __attribute__((const, nothrow))

LW__PLACE int lw__thread_idx_x(void) __asm__("lw.thread_idx.x");
LW__PLACE int lw__thread_idx_y(void) __asm__("lw.thread_idx.y");
LW__PLACE int lw__thread_idx_z(void) __asm__("lw.thread_idx.z");
LW__PLACE int lw__block_idx_x(void) __asm__("lw.block_idx.x");
LW__PLACE int lw__block_idx_y(void) __asm__("lw.block_idx.y");
LW__PLACE int lw__block_idx_z(void) __asm__("lw.block_idx.z");
LW__PLACE int lw__block_dim_x(void) __asm__("lw.block_dim.x");
LW__PLACE int lw__block_dim_y(void) __asm__("lw.block_dim.y");
LW__PLACE int lw__block_dim_z(void) __asm__("lw.block_dim.z");
LW__PLACE int lw__grid_dim_x(void) __asm__("lw.grid_dim.x");
LW__PLACE int lw__grid_dim_y(void) __asm__("lw.grid_dim.y");
LW__PLACE int lw__grid_dim_z(void) __asm__("lw.grid_dim.z");

struct lw__int3 {
    int x, y, z;
};
struct lw__size3 {
    size_t x, y, z;
};
#define LW__INT3(name) ((struct lw__int3){name##_x(), name##_y(), name##_z()})
#define LW__GLOBAL(axis)                                                                           \
    ((size_t)lw__block_idx_##axis() * (size_t)lw__block_dim_##axis() +                             \
     (size_t)lw__thread_idx_##axis())

#define thread_idx LW__INT3(lw__thread_idx) /* .x .y .z: int, within the block */
#define block_idx LW__INT3(lw__block_idx)   /* int, within the grid */
#define block_dim LW__INT3(lw__block_dim)   /* int, threads of a block */
#define grid_dim LW__INT3(lw__grid_dim)     /* int, blocks of the grid */
#define global_idx ((struct lw__size3){LW__GLOBAL(x), LW__GLOBAL(y), LW__GLOBAL(z)}) /* size_t */

#define WARP_SIZE 32

/* The lane in its warp, 0 to 31, and the warp in its block; warps are cut x-fastest. */
LW__PLACE int lane_id(void) __asm__("lw.lane_id");
LW__PLACE int warp_id(void) __asm__("lw.warp_id");

/* ---- Together ------------------------------------------------------------------------------ */

#define LW__TOGETHER __attribute__((overloadable, convergent, nothrow))
/* nodebug: a collective in it has its caller's line */
#define LW__INLINE                                                                                 \
    static __inline__ __attribute__((overloadable, always_inline, unused, nodebug))
#define LW__REFUSED(what) __attribute__((overloadable, unavailable(what)))

/* C's scalar types by the name of their representation. */
#define LW__INTEGERS(X, op)                                                                        \
    X(op, char, i8) X(op, signed char, i8) X(op, unsigned char, u8) X(op, short, i16)              \
    X(op, unsigned short, u16) X(op, int, i32) X(op, unsigned, u32) X(op, long, i64)               \
    X(op, unsigned long, u64) X(op, long long, i64) X(op, unsigned long long, u64)                 \
    X(op, bool, bool)
#define LW__FLOATS(X, op)                                                                          \
    X(op, _Float16, f16) X(op, __bf16, bf16) X(op, float, f32) X(op, double, f64)
#define LW__PROMOTED_INTEGERS(X, op)                                                               \
    X(op, int, i32) X(op, unsigned, u32) X(op, long, i64) X(op, unsigned long, u64)                \
    X(op, long long, i64) X(op, unsigned long long, u64)
#define LW__PROMOTED(X, op)                                                                        \
    LW__PROMOTED_INTEGERS(X, op) X(op, float, f32) X(op, double, f64)

/* ANY: every type as it is. SUMS: small integers promote by themselves; 16-bit floats are combined
 * in float and rounded once. Pointers would turn into bool without a row that refuses them. */
#define LW__ROW_VI(op, T, name) LW__TOGETHER T op(T value, int number) __asm__("lw." #op "." #name);
#define LW__ROW_V(op, T, name) LW__TOGETHER T op(T value) __asm__("lw." #op "." #name);
#define LW__ROW_VVI(op, T, name)                                                                   \
    LW__TOGETHER T lw__##op(T value, T identity, int step) __asm__("lw." #op "." #name);
#define LW__HALF_V(op)                                                                             \
    LW__INLINE _Float16 op(_Float16 value) { return (_Float16)op((float)value); }                  \
    LW__INLINE __bf16 op(__bf16 value) { return (__bf16)op((float)value); }
#define LW__NO_POINTER_VI(op)                                                                      \
    LW__REFUSED("it takes numbers; pointers are refused") int op(const volatile void *v, int n);
#define LW__NO_POINTER_V(op)                                                                       \
    LW__REFUSED("it takes numbers; pointers are refused") int op(const volatile void *v);

/* The words of a row are pasted, never expanded: -D N=8 may define any of them. */
#define LW_OP(op, scope, types, args, result, ...) LW__OP_##types##_##args##_##result(op)
#define LW__OP_ANY_VI_SAME(op)                                                                     \
    LW__INTEGERS(LW__ROW_VI, op) LW__FLOATS(LW__ROW_VI, op) LW__NO_POINTER_VI(op)
#define LW__OP_SUMS_V_SAME(op) LW__PROMOTED(LW__ROW_V, op) LW__HALF_V(op) LW__NO_POINTER_V(op)
#define LW__OP_INTS_V_SAME(op) LW__PROMOTED_INTEGERS(LW__ROW_V, op) LW__NO_POINTER_V(op)
#define LW__OP_SUMS_VVI_SAME(op) LW__PROMOTED(LW__ROW_VVI, op)
#define LW__OP_NONE_P_INT(op) LW__PLAIN(op, int, (bool p))
#define LW__OP_NONE_P_U32(op) LW__PLAIN(op, uint32_t, (bool p))
#define LW__OP_NONE_N_VOID(op) LW__PLAIN(op, void, (void))
#define LW__PLAIN(op, R, parameters)                                                               \
    __attribute__((convergent, nothrow)) R op parameters __asm__("lw." #op);
#include "warp_ops.def"
#undef LW_OP

/* WARP_REDUCE(v, identity, a, b, a + b), BLOCK_REDUCE(...): reduce by your own associative operator
 * over the names a and b, in the fixed tree of lane order; the result is in every thread. 16-bit
 * floats are combined in float. The butterfly keeps the lower lanes on the left. */
#define WARP_REDUCE(v, identity, a, b, expression)                                                 \
    LW__REDUCE(lw__warp_partner, 32, v, identity, a, b, expression)
#define BLOCK_REDUCE(v, identity, a, b, expression)                                                \
    LW__REDUCE(lw__block_partner, 1024, v, identity, a, b, expression)
#define LW__REDUCE(partner, width, v, identity, a, b, expression)                                  \
    __extension__({                                                                                \
        typedef __typeof__(_Generic((v), _Float16: 0.0f, __bf16: 0.0f, default: +(v))) lw__wide;   \
        typedef __typeof__(_Generic((v), _Float16: (v), __bf16: (v), default: +(v))) lw__kept;     \
        lw__wide lw__value = (lw__wide)(v);                                                        \
        const lw__wide lw__identity = (lw__wide)(identity);                                        \
        const int lw__place = warp_id() * WARP_SIZE + lane_id();                                   \
        for (int lw__step = 1; lw__step < (width); lw__step *= 2) {                                \
            const lw__wide lw__other = partner(lw__value, lw__identity, lw__step);                 \
            const bool lw__upper = (lw__place & lw__step) != 0;                                    \
            const lw__wide a = lw__upper ? lw__other : lw__value;                                  \
            const lw__wide b = lw__upper ? lw__value : lw__other;                                  \
            lw__value = (lw__wide)(expression);                                                    \
        }                                                                                          \
        (lw__kept) lw__value;                                                                      \
    })

/* ---- Memory -------------------------------------------------------------------------------- */

/* atomic_add(p, v) ... return the old value; relaxed; any T (and or xor: integers). */
#define atomic_add(p, v) lw__atomic_add((p), (__typeof__(*(p)))(v))
#define atomic_sub(p, v) lw__atomic_sub((p), (__typeof__(*(p)))(v))
#define atomic_min(p, v) lw__atomic_min((p), (__typeof__(*(p)))(v))
#define atomic_max(p, v) lw__atomic_max((p), (__typeof__(*(p)))(v))
#define atomic_and(p, v) lw__atomic_and((p), (__typeof__(*(p)))(v))
#define atomic_or(p, v) lw__atomic_or((p), (__typeof__(*(p)))(v))
#define atomic_xor(p, v) lw__atomic_xor((p), (__typeof__(*(p)))(v))
#define atomic_exchange(p, v) lw__atomic_exchange((p), (__typeof__(*(p)))(v))
#define atomic_cas(p, expected, v)                                                                 \
    lw__atomic_cas((p), (__typeof__(*(p)))(expected), (__typeof__(*(p)))(v))
#define atomic_load(p) lw__atomic_load(p)
#define atomic_store(p, v) lw__atomic_store((p), (__typeof__(*(p)))(v))

#define LW__ATOMIC __attribute__((overloadable, nothrow))
#define LW__ATOMIC_RMW(op, T, name)                                                                \
    LW__ATOMIC T lw__##op(volatile T *p, T value) __asm__("lw." #op "." #name);
#define LW__ATOMIC_CAS(op, T, name)                                                                \
    LW__ATOMIC T lw__##op(volatile T *p, T expected, T value) __asm__("lw." #op "." #name);
#define LW__ATOMIC_LOAD(op, T, name)                                                               \
    LW__ATOMIC T lw__##op(const volatile T *p) __asm__("lw." #op "." #name);
#define LW__ATOMIC_STORE(op, T, name)                                                              \
    LW__ATOMIC void lw__##op(volatile T *p, T value) __asm__("lw." #op "." #name);
#define LW__ALL_TYPES(X, op) LW__INTEGERS(X, op) LW__FLOATS(X, op)
LW__ALL_TYPES(LW__ATOMIC_RMW, atomic_add)
LW__ALL_TYPES(LW__ATOMIC_RMW, atomic_sub)
LW__ALL_TYPES(LW__ATOMIC_RMW, atomic_min)
LW__ALL_TYPES(LW__ATOMIC_RMW, atomic_max)
LW__INTEGERS(LW__ATOMIC_RMW, atomic_and)
LW__INTEGERS(LW__ATOMIC_RMW, atomic_or)
LW__INTEGERS(LW__ATOMIC_RMW, atomic_xor)
LW__ALL_TYPES(LW__ATOMIC_RMW, atomic_exchange)
LW__ALL_TYPES(LW__ATOMIC_CAS, atomic_cas)
LW__ALL_TYPES(LW__ATOMIC_LOAD, atomic_load)
LW__ALL_TYPES(LW__ATOMIC_STORE, atomic_store)

/* Order this thread's memory accesses, with atomics, for its block or for the whole device. */
__attribute__((nothrow)) void fence_block(void) __asm__("lw.fence_block");
__attribute__((nothrow)) void fence_device(void) __asm__("lw.fence_device");

/* The block's, by AMX: kernels/matmul_amx.c. */
__attribute__((nothrow)) void lw__amx_products(float *sums, const unsigned *x, const unsigned *y,
                                               size_t steps, size_t squares)
    __asm__("lw.amx_products");

/* ---- Numbers ------------------------------------------------------------------------------- */

#include "kernel_maths.h"

/* ---- Short vectors ------------------------------------------------------------------------- */

typedef _Float16 half;
typedef __bf16 bfloat16;

/* float2 float3 float4 and so on: .x .y .z .w, elementwise operators; a 3-vector has room for 4. */
#define LW__VECTORS(T, name)                                                                       \
    typedef T name##2 __attribute__((ext_vector_type(2)));                                         \
    typedef T name##3 __attribute__((ext_vector_type(3)));                                         \
    typedef T name##4 __attribute__((ext_vector_type(4)));
LW__VECTORS(char, char) LW__VECTORS(signed char, schar) LW__VECTORS(unsigned char, uchar)
LW__VECTORS(short, short) LW__VECTORS(unsigned short, ushort)
LW__VECTORS(int, int) LW__VECTORS(unsigned, uint)
LW__VECTORS(long, long) LW__VECTORS(unsigned long, ulong)
LW__VECTORS(long long, longlong) LW__VECTORS(unsigned long long, ulonglong)
LW__VECTORS(_Float16, half) LW__VECTORS(__bf16, bfloat)
LW__VECTORS(float, float) LW__VECTORS(double, double)

/* ---- Tensors ------------------------------------------------------------------------------- */

/* TENSOR(T, RANK), CONST_TENSOR(T, RANK): a view {T *data; extent[RANK]; stride[RANK]}, strides in
 * elements, passed by value. T is one name; TENSOR_TYPE(name) adds a user's type. */
#define TENSOR(T, RANK) LW__TENSOR(T, RANK)
#define LW__TENSOR(T, RANK) struct lw__tensor_##T##_##RANK
#define CONST_TENSOR(T, RANK) LW__CONST_TENSOR(T, RANK)
#define LW__CONST_TENSOR(T, RANK) struct lw__const_tensor_##T##_##RANK
#define TENSOR_TYPE(T) LW__TENSOR_TYPE(T)

/* lw__matrix takes no room: it names the rank-2 type that reshape gives. */
#define LW__TENSOR_RANK(tag, Q, T, RANK)                                                           \
    struct tag##_##T##_##RANK {                                                                    \
        Q T *data;                                                                                 \
        ptrdiff_t extent[RANK], stride[RANK];                                                      \
        struct tag##_##T##_2 *lw__matrix[0];                                                       \
    };
#define LW__TENSOR_RANKS(tag, Q, T)                                                                \
    LW__TENSOR_RANK(tag, Q, T, 1)                                                                  \
    LW__TENSOR_RANK(tag, Q, T, 2)                                                                  \
    LW__TENSOR_RANK(tag, Q, T, 3)                                                                  \
    LW__TENSOR_RANK(tag, Q, T, 4)
#define LW__TENSOR_TYPE(T)                                                                         \
    LW__TENSOR_RANKS(lw__tensor, , T)                                                              \
    LW__TENSOR_RANKS(lw__const_tensor, const, T)

TENSOR_TYPE(_Bool) TENSOR_TYPE(char) TENSOR_TYPE(short) TENSOR_TYPE(int) TENSOR_TYPE(unsigned)
TENSOR_TYPE(long) TENSOR_TYPE(float) TENSOR_TYPE(double) TENSOR_TYPE(_Float16) TENSOR_TYPE(__bf16)
TENSOR_TYPE(half) TENSOR_TYPE(bfloat16) TENSOR_TYPE(size_t) TENSOR_TYPE(ptrdiff_t)
TENSOR_TYPE(int8_t) TENSOR_TYPE(int16_t) TENSOR_TYPE(int32_t) TENSOR_TYPE(int64_t)
TENSOR_TYPE(uint8_t) TENSOR_TYPE(uint16_t) TENSOR_TYPE(uint32_t) TENSOR_TYPE(uint64_t)

/* at(t, i, j): the element, an lvalue. */
#define at(t, ...) ((t).data[LW__AT(__VA_ARGS__, 4, 3, 2, 1, 0)(t, __VA_ARGS__)])
#define LW__AT(i, j, k, l, LW__N, ...) LW__AT_##LW__N
#define LW__AT_1(t, i) LW__STEP(t, i, 0)
#define LW__AT_2(t, i, j) (LW__AT_1(t, i) + LW__STEP(t, j, 1))
#define LW__AT_3(t, i, j, k) (LW__AT_2(t, i, j) + LW__STEP(t, k, 2))
#define LW__AT_4(t, i, j, k, l) (LW__AT_3(t, i, j, k) + LW__STEP(t, l, 3))
__attribute__((nothrow)) ptrdiff_t lw__within(ptrdiff_t index, ptrdiff_t extent, int axis)
    __asm__("lw.within"); /* the index, which devices that check compare with the extent */
#define LW__STEP(t, i, axis)                                                                       \
    (lw__within((ptrdiff_t)(i), (t).extent[axis], axis) * (t).stride[axis])
#define extent(t, axis) ((t).extent[axis])
#define stride(t, axis) ((t).stride[axis])

/* tile(t, h, w, bi, bj): the h x w elements in row bi and column bj of tiles, cut at t's edge. */
#define tile(t, h, w, bi, bj)                                                                      \
    __extension__({                                                                                \
        __typeof__(t) lw__t = (t);                                                                 \
        LW__CUT(lw__t, 0, (ptrdiff_t)(bi) * (h), (ptrdiff_t)(bi) * (h) + (h));                     \
        LW__CUT(lw__t, 1, (ptrdiff_t)(bj) * (w), (ptrdiff_t)(bj) * (w) + (w));                     \
        lw__t;                                                                                     \
    })

/* slice(t, axis, begin, end): elements begin to end - 1 of an axis, cut at t's edge. */
#define slice(t, axis, begin, end)                                                                 \
    __extension__({                                                                                \
        __typeof__(t) lw__t = (t);                                                                 \
        LW__CUT(lw__t, axis, begin, end);                                                          \
        lw__t;                                                                                     \
    })
#define LW__CUT(t, axis, first, last)                                                              \
    do {                                                                                           \
        const ptrdiff_t lw__all = (t).extent[axis];                                                \
        const ptrdiff_t lw__begin = LW__CLAMP((ptrdiff_t)(first), lw__all);                        \
        const ptrdiff_t lw__end = LW__CLAMP((ptrdiff_t)(last), lw__all);                           \
        (t).data += lw__begin * (t).stride[axis];                                                  \
        (t).extent[axis] = lw__end > lw__begin ? lw__end - lw__begin : 0;                          \
    } while (0)
#define LW__CLAMP(i, n) ((i) < 0 ? 0 : (i) > (n) ? (n) : (i))

/* transposed(t): axes 0 and 1 exchanged. reshape(t, h, w): a contiguous view as h x w. */
#define transposed(t)                                                                              \
    __extension__({                                                                                \
        __typeof__(t) lw__t = (t);                                                                 \
        const ptrdiff_t lw__extent = lw__t.extent[0], lw__stride = lw__t.stride[0];                \
        lw__t.extent[0] = lw__t.extent[1], lw__t.stride[0] = lw__t.stride[1];                      \
        lw__t.extent[1] = lw__extent, lw__t.stride[1] = lw__stride;                                \
        lw__t;                                                                                     \
    })
#define reshape(t, h, w)                                                                           \
    ((__typeof__(*(t).lw__matrix[0])){(t).data, {(h), (w)}, {(w), 1}, {}})

/* SHARED_TENSOR(T, name, h, w);  at function scope: h x w elements of block memory. */
#define SHARED_TENSOR(T, name, h, w)                                                               \
    SHARED T lw__shared_##name[(h) * (w)];                                                         \
    TENSOR(T, 2) name = {lw__shared_##name, {(h), (w)}, {(w), 1}, {}}

/* All threads of the block copy together; what src has no element for becomes zero (load), what dst
 * has no element for is left out (store). Neither waits: a barrier() is the caller's. */
#define tile_load(dst, src)                                                                        \
    LW__COPY(dst, src, lw__i < lw__s.extent[0] && lw__j < lw__s.extent[1]                          \
                           ? at(lw__s, lw__i, lw__j)                                               \
                           : (__typeof__(*lw__d.data)){0})
#define tile_store(dst, src) LW__COPY(dst, LW__WITHIN(src, dst), at(lw__s, lw__i, lw__j))
#define LW__WITHIN(t, u) tile(t, extent(u, 0), extent(u, 1), 0, 0)
#define LW__COPY(dst, src, value)                                                                  \
    do {                                                                                           \
        const __typeof__(dst) lw__d = (dst);                                                       \
        const __typeof__(src) lw__s = (src);                                                       \
        const struct lw__int3 lw__dim = block_dim;                                                 \
        const ptrdiff_t lw__n = lw__d.extent[0] * lw__d.extent[1];                                 \
        for (ptrdiff_t lw__e = warp_id() * WARP_SIZE + lane_id(); lw__e < lw__n;                   \
             lw__e += lw__dim.x * lw__dim.y * lw__dim.z) {                                         \
            const ptrdiff_t lw__i = lw__e / lw__d.extent[1], lw__j = lw__e % lw__d.extent[1];      \
            at(lw__d, lw__i, lw__j) = value;                                                       \
        }                                                                                          \
    } while (0)

/* ---- Trying things ------------------------------------------------------------------------- */

/* printf("literal", ...): lines come out after the launch, each with its block and thread. */
__attribute__((format(printf, 1, 2), nothrow)) int printf(const char *format, ...)
    __asm__("lw.printf");

/* assert(condition): a failed one fails the launch. So does assert_that(condition, "literal", ...),
 * with a message as printf's, of at most 4 arguments. */
__attribute__((noreturn, nothrow)) void lw__assert_fail(const char *condition)
    __asm__("lw.assert_fail");
__attribute__((format(printf, 1, 2), noreturn, nothrow)) void lw__assert_that(const char *format,
                                                                              ...)
    __asm__("lw.assert_that");
#ifdef NDEBUG
#define assert(condition) ((void)0)
#define assert_that(condition, ...) ((void)0)
#else
#define assert(condition) ((condition) ? (void)0 : lw__assert_fail(#condition))
#define assert_that(condition, ...) ((condition) ? (void)0 : lw__assert_that(__VA_ARGS__))
#endif

/* trace("name", value): a row of `lanewise picture`; nothing anywhere else. */
#define LW__TRACE(op, T, name)                                                                     \
    __attribute__((overloadable, nothrow)) void op(const char *label, T value)                     \
        __asm__("lw." #op "." #name);
LW__ALL_TYPES(LW__TRACE, trace)
LW__REFUSED("it takes a number or an element of an array") void trace(const char *n,
                                                                      const volatile void *v);

/* Not in the language; the compiler says so by name. */
#pragma GCC poison _BitInt _ExtInt __int128 __int128_t __uint128_t _Complex __complex__ _Imaginary
#pragma GCC poison _Thread_local __thread __float80 __float128
#pragma clang diagnostic pop
#endif
