/* memory.h - loads and stores with cache hints, which have no effect here, and memory's functions.
 */
#ifndef LANEWISE_CUDA_MEMORY_H
#define LANEWISE_CUDA_MEMORY_H

#include "operations.h"

#define LW_HINTED_LOAD(name)                                                                       \
    template <class T> LW_DEVICE T name(const T *p) { return *p; }
LW_HINTED_LOAD(__ldg)
LW_HINTED_LOAD(__ldca)
LW_HINTED_LOAD(__ldcg)
LW_HINTED_LOAD(__ldcs)
LW_HINTED_LOAD(__ldlu)
LW_HINTED_LOAD(__ldcv)
#undef LW_HINTED_LOAD

/* The value converts to the pointer's type, as it does for CUDA's overloads. */
template <class T> struct lw_same {
    typedef T type;
};
#define LW_HINTED_STORE(name)                                                                      \
    template <class T> LW_DEVICE void name(T *p, typename lw_same<T>::type v) { *p = v; }
LW_HINTED_STORE(__stwb)
LW_HINTED_STORE(__stcg)
LW_HINTED_STORE(__stcs)
LW_HINTED_STORE(__stwt)
#undef LW_HINTED_STORE

LW_DEVICE void *memcpy(void *to, const void *from, size_t bytes)
{
    return __builtin_memcpy(to, from, bytes);
}
LW_DEVICE void *memmove(void *to, const void *from, size_t bytes)
{
    return __builtin_memmove(to, from, bytes);
}
LW_DEVICE void *memset(void *to, int byte, size_t bytes)
{
    return __builtin_memset(to, byte, bytes);
}
LW_DEVICE int memcmp(const void *a, const void *b, size_t bytes)
{
    const unsigned char *x = (const unsigned char *)a, *y = (const unsigned char *)b;
    for (size_t i = 0; i < bytes; i++)
        if (x[i] != y[i])
            return x[i] < y[i] ? -1 : 1;
    return 0;
}
LW_DEVICE size_t strlen(const char *text)
{
    size_t length = 0;
    while (text[length])
        length++;
    return length;
}

/* The compiler refuses these by name, at the place that calls them. */
LW_PLAIN void *malloc(size_t) __asm__("malloc");
LW_PLAIN void free(void *) __asm__("free");

/* Addresses are generic here: all spaces have one. */
LW_DEVICE size_t __cvta_generic_to_global(const void *p) { return (size_t)p; }
LW_DEVICE size_t __cvta_generic_to_shared(const void *p) { return (size_t)p; }
LW_DEVICE size_t __cvta_generic_to_constant(const void *p) { return (size_t)p; }
LW_DEVICE size_t __cvta_generic_to_local(const void *p) { return (size_t)p; }
LW_DEVICE void *__cvta_global_to_generic(size_t p) { return (void *)p; }
LW_DEVICE void *__cvta_shared_to_generic(size_t p) { return (void *)p; }
LW_DEVICE void *__cvta_constant_to_generic(size_t p) { return (void *)p; }
LW_DEVICE void *__cvta_local_to_generic(size_t p) { return (void *)p; }

#endif
