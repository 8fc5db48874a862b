// Every atomic of every T, on global and on shared memory: each returns the old value and leaves
// the new one; a float's max and min let a NaN lose and hold -0 below +0.
// run: -b 1 i32[1] u64[1]
// expect: checked: i32[1] = [1]
#include <lanewise/kernel.h>

SHARED uint64_t in_block[1];

#define IS(T, x) assert(_Generic((x), T: 1, default: 0))

/* On one cell: put a value, apply, compare the old value returned and the new one there. */
#define STEP(T, start, call, now)                                                                  \
    *p = (T)(start);                                                                               \
    assert((call) == (T)(start) && *p == (T)(now));                                                \
    IS(T, call)

#define NUMBER(T)                                                                                  \
    {                                                                                              \
        volatile T *p = (volatile T *)cell;                                                        \
        STEP(T, 5, atomic_add(p, 3), 8);                                                           \
        STEP(T, 5, atomic_sub(p, 3), 2);                                                           \
        STEP(T, 5, atomic_min(p, 3), 3);                                                           \
        STEP(T, 5, atomic_min(p, 7), 5);                                                           \
        STEP(T, 5, atomic_max(p, 7), 7);                                                           \
        STEP(T, 5, atomic_max(p, 3), 5);                                                           \
        STEP(T, 5, atomic_exchange(p, 9), 9);                                                      \
        STEP(T, 5, atomic_cas(p, 5, 6), 6);                                                        \
        STEP(T, 5, atomic_cas(p, 4, 6), 5);                                                        \
        atomic_store(p, 11);                                                                       \
        assert(atomic_load(p) == 11 && *p == 11);                                                  \
        IS(T, atomic_load(p));                                                                     \
        IS(T, atomic_load((const T *)p));                                                          \
    }

#define INTEGER(T)                                                                                 \
    NUMBER(T)                                                                                      \
    {                                                                                              \
        volatile T *p = (volatile T *)cell;                                                        \
        STEP(T, 12, atomic_and(p, 10), 8);                                                         \
        STEP(T, 12, atomic_or(p, 10), 14);                                                         \
        STEP(T, 12, atomic_xor(p, 10), 6);                                                         \
        STEP(T, (T)-1, atomic_add(p, 1), 0);                                                       \
        STEP(T, 0, atomic_sub(p, 1), (T)-1);                                                       \
        STEP(T, (T)-1, atomic_max(p, 1), (T)-1 < (T)1 ? (T)1 : (T)-1);                             \
        STEP(T, (T)-1, atomic_min(p, 1), (T)-1 < (T)1 ? (T)-1 : (T)1);                             \
    }

#define FLOATING(T)                                                                                \
    NUMBER(T)                                                                                      \
    {                                                                                              \
        volatile T *p = (volatile T *)cell;                                                        \
        STEP(T, 0.5f, atomic_add(p, 0.25f), 0.75f);                                                \
        STEP(T, -2, atomic_min(p, -3), -3);                                                        \
        STEP(T, -2, atomic_max(p, -3), -2);                                                        \
        STEP(T, 2, atomic_min(p, (T)NAN), 2);                                                      \
        STEP(T, 2, atomic_max(p, (T)NAN), 2);                                                      \
        *p = (T)NAN;                                                                               \
        atomic_max(p, -4);                                                                         \
        assert(*p == -4);                                                                          \
        *p = (T)0.0f;                                                                              \
        atomic_min(p, -0.0f);                                                                      \
        assert(1 / (double)*p < 0);                                                                \
        atomic_max(p, 0.0f);                                                                       \
        assert(1 / (double)*p > 0);                                                                \
    }

static void check(void *cell)
{
    INTEGER(char) INTEGER(signed char) INTEGER(unsigned char) INTEGER(short)
    INTEGER(unsigned short) INTEGER(int) INTEGER(unsigned) INTEGER(long) INTEGER(unsigned long)
    INTEGER(long long) INTEGER(unsigned long long)
    FLOATING(_Float16) FLOATING(__bf16) FLOATING(float) FLOATING(double)

    volatile bool *p = cell;
    STEP(bool, false, atomic_or(p, true), true);
    STEP(bool, true, atomic_and(p, false), false);
    STEP(bool, true, atomic_xor(p, true), false);
    STEP(bool, true, atomic_exchange(p, false), false);
    STEP(bool, false, atomic_cas(p, false, true), true);
    STEP(bool, false, atomic_max(p, true), true);
    STEP(bool, true, atomic_min(p, false), false);
    STEP(bool, false, atomic_add(p, true), true);
    atomic_store(p, true);
    assert(atomic_load(p));
}

KERNEL void atomics(int *checked, const uint64_t *global)
{
    check(in_block);
    check((void *)global);
    atomic_add(checked, 1);
}
