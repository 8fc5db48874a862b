/* ordered_atomics.h - __nv_atomic_load_n and its like, which state an order and a scope.
 *
 * The operation is relaxed; a fence before it releases, and one after it acquires. Scopes above the
 * thread are the whole device.
 */
#ifndef LANEWISE_CUDA_ORDERED_ATOMICS_H
#define LANEWISE_CUDA_ORDERED_ATOMICS_H

#include "operations.h"

#define __NV_ATOMIC_RELAXED 0
#define __NV_ATOMIC_CONSUME 1
#define __NV_ATOMIC_ACQUIRE 2
#define __NV_ATOMIC_RELEASE 3
#define __NV_ATOMIC_ACQ_REL 4
#define __NV_ATOMIC_SEQ_CST 5
#define __NV_THREAD_SCOPE_THREAD 0
#define __NV_THREAD_SCOPE_BLOCK 1
#define __NV_THREAD_SCOPE_CLUSTER 2
#define __NV_THREAD_SCOPE_DEVICE 3
#define __NV_THREAD_SCOPE_SYSTEM 4

LW_DEVICE void lw_fence_of(int scope)
{
    if (scope == __NV_THREAD_SCOPE_BLOCK)
        lw_fence_block();
    else if (scope != __NV_THREAD_SCOPE_THREAD)
        lw_fence_device();
}
LW_DEVICE void lw_fence_before(int order, int scope)
{
    if (order >= __NV_ATOMIC_RELEASE)
        lw_fence_of(scope);
}
LW_DEVICE void lw_fence_after(int order, int scope)
{
    if (order != __NV_ATOMIC_RELAXED && order != __NV_ATOMIC_RELEASE)
        lw_fence_of(scope);
}

/* The integer type of T's size: other types go by their bits. */
template <int Size> struct lw_word_of;
template <> struct lw_word_of<1> {
    typedef unsigned char type;
};
template <> struct lw_word_of<2> {
    typedef unsigned short type;
};
template <> struct lw_word_of<4> {
    typedef unsigned type;
};
template <> struct lw_word_of<8> {
    typedef unsigned long type;
};
template <class T> using lw_bits = typename lw_word_of<sizeof(T)>::type;

template <class T> LW_DEVICE T lw_ordered_load(const volatile T *p, int order, int scope)
{
    lw_fence_before(order == __NV_ATOMIC_SEQ_CST ? order : 0, scope);
    const lw_bits<T> bits = lw_atomic_load((const volatile lw_bits<T> *)p);
    lw_fence_after(order, scope);
    return __builtin_bit_cast(T, bits);
}
template <class T> LW_DEVICE void lw_ordered_store(volatile T *p, T v, int order, int scope)
{
    lw_fence_before(order, scope);
    lw_atomic_store((volatile lw_bits<T> *)p, __builtin_bit_cast(lw_bits<T>, v));
    lw_fence_after(order == __NV_ATOMIC_SEQ_CST ? order : 0, scope);
}
template <class T> LW_DEVICE T lw_ordered_exchange(volatile T *p, T v, int order, int scope)
{
    lw_fence_before(order, scope);
    const lw_bits<T> old =
        lw_atomic_exchange((volatile lw_bits<T> *)p, __builtin_bit_cast(lw_bits<T>, v));
    lw_fence_after(order, scope);
    return __builtin_bit_cast(T, old);
}
template <class T>
LW_DEVICE bool lw_ordered_cas(volatile T *p, T *expected, T v, int order, int scope)
{
    const lw_bits<T> wanted = __builtin_bit_cast(lw_bits<T>, *expected);
    lw_fence_before(order, scope);
    const lw_bits<T> old = lw_atomic_cas((volatile lw_bits<T> *)p, wanted,
                                         __builtin_bit_cast(lw_bits<T>, v));
    lw_fence_after(order, scope);
    *expected = __builtin_bit_cast(T, old);
    return old == wanted;
}
#define LW_ORDERED(name)                                                                           \
    template <class T> LW_DEVICE T lw_ordered_##name(volatile T *p, T v, int order, int scope)     \
    {                                                                                              \
        lw_fence_before(order, scope);                                                             \
        const T old = lw_atomic_##name(p, v);                                                      \
        lw_fence_after(order, scope);                                                              \
        return old;                                                                                \
    }
LW_ORDERED(add)
LW_ORDERED(sub)
LW_ORDERED(min)
LW_ORDERED(max)
LW_ORDERED(and)
LW_ORDERED(or)
LW_ORDERED(xor)
#undef LW_ORDERED

#define LW_SCOPED int order, int scope = __NV_THREAD_SCOPE_SYSTEM
template <class T> LW_DEVICE T __nv_atomic_load_n(const T *p, LW_SCOPED)
{
    return lw_ordered_load(p, order, scope);
}
template <class T> LW_DEVICE void __nv_atomic_load(const T *p, T *to, LW_SCOPED)
{
    *to = lw_ordered_load(p, order, scope);
}
template <class T> LW_DEVICE void __nv_atomic_store_n(T *p, T v, LW_SCOPED)
{
    lw_ordered_store(p, v, order, scope);
}
template <class T> LW_DEVICE void __nv_atomic_store(T *p, T *v, LW_SCOPED)
{
    lw_ordered_store(p, *v, order, scope);
}
template <class T> LW_DEVICE T __nv_atomic_exchange_n(T *p, T v, LW_SCOPED)
{
    return lw_ordered_exchange(p, v, order, scope);
}
template <class T>
LW_DEVICE bool __nv_atomic_compare_exchange_n(T *p, T *expected, T v, bool, int order, int,
                                              int scope = __NV_THREAD_SCOPE_SYSTEM)
{
    return lw_ordered_cas(p, expected, v, order, scope);
}
#define LW_FETCH(name)                                                                             \
    template <class T> LW_DEVICE T __nv_atomic_fetch_##name(T *p, T v, LW_SCOPED)                  \
    {                                                                                              \
        return lw_ordered_##name(p, v, order, scope);                                              \
    }                                                                                              \
    template <class T> LW_DEVICE void __nv_atomic_##name(T *p, T v, LW_SCOPED)                     \
    {                                                                                              \
        lw_ordered_##name(p, v, order, scope);                                                     \
    }
LW_FETCH(add)
LW_FETCH(sub)
LW_FETCH(min)
LW_FETCH(max)
LW_FETCH(and)
LW_FETCH(or)
LW_FETCH(xor)
#undef LW_FETCH
#undef LW_SCOPED
LW_DEVICE void __nv_atomic_thread_fence(int, int scope = __NV_THREAD_SCOPE_SYSTEM)
{
    lw_fence_of(scope);
}

#endif
