// block_sum/max/min/prod of every type, against a loop over the values; exact in every order.
// sizes: 1 31 33 256 8x8x4
// run: -b @B i32[1]
// expect: checked: i32[1] = [@N]
#include <lanewise/kernel.h>

#define TYPES(X)                                                                                   \
    X(char) X(signed char) X(unsigned char) X(short) X(unsigned short) X(int) X(unsigned) X(long)  \
    X(unsigned long) X(long long) X(unsigned long long) X(float) X(double)

/* Values -3 .. 3, those below zero as T has them. */
#define ROW(T)                                                                                     \
    {                                                                                              \
        T v = (T)(me % 7 - 3), sign = (T)(me % 2 + 1);                                             \
        __typeof__(+v) sum = 0, max = v, min = v, product = 1;                                     \
        for (int i = 0; i < threads; i++) {                                                        \
            T x = (T)(i % 7 - 3);                                                                  \
            sum += x;                                                                              \
            max = x > max ? x : max;                                                               \
            min = x < min ? x : min;                                                               \
            product *= i < 60 ? (T)(i % 2 + 1) : (T)1;                                             \
        }                                                                                          \
        assert(block_sum(v) == sum && block_max(v) == max && block_min(v) == min);                 \
        assert(block_prod(me < 60 ? sign : (T)1) == product);                                      \
    }

KERNEL void sums(int *checked)
{
    int threads = block_dim.x * block_dim.y * block_dim.z;
    int me = (thread_idx.z * block_dim.y + thread_idx.y) * block_dim.x + thread_idx.x;
    TYPES(ROW)
    assert(block_sum(me % 3 == 0) == (threads + 2) / 3);
    assert(block_sum((_Float16)0.125f) == (_Float16)(threads * 0.125f));
    assert(block_sum((__bf16)0.5f) == (__bf16)(threads * 0.5f));
    atomic_add(checked, 1);
}
