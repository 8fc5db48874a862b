/* atomics.h - CUDA's atomic functions: relaxed, they return the old value.
 *
 * The names _block and _system differ from the plain ones in scope alone. All are of the whole
 * machine here.
 */
#ifndef LANEWISE_CUDA_ATOMICS_H
#define LANEWISE_CUDA_ATOMICS_H

#include "operations.h"
#include "vector_types.h"

#define LW_SCOPES(T, name, parameters, arguments)                                                  \
    LW_DEVICE T name##_block parameters { return name arguments; }                                 \
    LW_DEVICE T name##_system parameters { return name arguments; }
#define LW_ATOMIC(name, op, T)                                                                     \
    LW_DEVICE T name(T *p, T v) { return lw_##op(p, v); }                                          \
    LW_SCOPES(T, name, (T * p, T v), (p, v))

LW_ATOMIC(atomicAdd, atomic_add, int)
LW_ATOMIC(atomicAdd, atomic_add, unsigned)
LW_ATOMIC(atomicAdd, atomic_add, unsigned long)
LW_ATOMIC(atomicAdd, atomic_add, unsigned long long)
LW_ATOMIC(atomicAdd, atomic_add, float)
LW_ATOMIC(atomicAdd, atomic_add, double)

LW_ATOMIC(atomicSub, atomic_sub, int)
LW_ATOMIC(atomicSub, atomic_sub, unsigned)

LW_ATOMIC(atomicExch, atomic_exchange, int)
LW_ATOMIC(atomicExch, atomic_exchange, unsigned)
LW_ATOMIC(atomicExch, atomic_exchange, unsigned long)
LW_ATOMIC(atomicExch, atomic_exchange, unsigned long long)
LW_ATOMIC(atomicExch, atomic_exchange, float)

#define LW_ATOMIC_INTEGERS(name, op)                                                               \
    LW_ATOMIC(name, op, int)                                                                       \
    LW_ATOMIC(name, op, unsigned)                                                                  \
    LW_ATOMIC(name, op, long)                                                                      \
    LW_ATOMIC(name, op, unsigned long)                                                             \
    LW_ATOMIC(name, op, long long)                                                                 \
    LW_ATOMIC(name, op, unsigned long long)
LW_ATOMIC_INTEGERS(atomicMin, atomic_min)
LW_ATOMIC_INTEGERS(atomicMax, atomic_max)
LW_ATOMIC_INTEGERS(atomicAnd, atomic_and)
LW_ATOMIC_INTEGERS(atomicOr, atomic_or)
LW_ATOMIC_INTEGERS(atomicXor, atomic_xor)
#undef LW_ATOMIC_INTEGERS
#undef LW_ATOMIC

#define LW_ATOMIC_CAS(T)                                                                           \
    LW_DEVICE T atomicCAS(T *p, T expected, T v) { return lw_atomic_cas(p, expected, v); }         \
    LW_SCOPES(T, atomicCAS, (T * p, T expected, T v), (p, expected, v))
LW_ATOMIC_CAS(int)
LW_ATOMIC_CAS(unsigned)
LW_ATOMIC_CAS(unsigned long)
LW_ATOMIC_CAS(unsigned long long)
LW_ATOMIC_CAS(unsigned short)
#undef LW_ATOMIC_CAS

/* atomicInc counts from 0 to `last` and begins again; atomicDec counts down so. */
LW_DEVICE unsigned atomicInc(unsigned *p, unsigned last)
{
    unsigned old = lw_atomic_load(p);
    for (;;) {
        const unsigned seen = lw_atomic_cas(p, old, old >= last ? 0 : old + 1);
        if (seen == old)
            return old;
        old = seen;
    }
}
LW_DEVICE unsigned atomicDec(unsigned *p, unsigned last)
{
    unsigned old = lw_atomic_load(p);
    for (;;) {
        const unsigned seen = lw_atomic_cas(p, old, old == 0 || old > last ? last : old - 1);
        if (seen == old)
            return old;
        old = seen;
    }
}
LW_SCOPES(unsigned, atomicInc, (unsigned *p, unsigned last), (p, last))
LW_SCOPES(unsigned, atomicDec, (unsigned *p, unsigned last), (p, last))

/* CUDA adds the elements of a float2 or float4 one by one, each atomically. */
LW_DEVICE float2 atomicAdd(float2 *p, float2 v)
{
    return float2{lw_atomic_add(&p->x, v.x), lw_atomic_add(&p->y, v.y)};
}
LW_DEVICE float4 atomicAdd(float4 *p, float4 v)
{
    return float4{lw_atomic_add(&p->x, v.x), lw_atomic_add(&p->y, v.y),
                  lw_atomic_add(&p->z, v.z), lw_atomic_add(&p->w, v.w)};
}

#endif
