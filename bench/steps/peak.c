/* peak - multiply-adds in registers: 8 chains a thread, which do not wait for each other, `steps`
 * links each. What arithmetic can do.
 */
#include <lanewise/kernel.h>

#ifndef T
#define T float
#endif

KERNEL void peak(T *out, int steps)
{
    T a = thread_idx.x, b = a + 1, c = a + 2, d = a + 3, e = a + 4, f = a + 5, g = a + 6, h = a + 7;
    const T x = (T)0.5, y = out[0];
    for (int i = 0; i < steps; i++) {
        a = fma(a, x, y), b = fma(b, x, y), c = fma(c, x, y), d = fma(d, x, y);
        e = fma(e, x, y), f = fma(f, x, y), g = fma(g, x, y), h = fma(h, x, y);
    }
    T sum = a + b + c + d + e + f + g + h;
    if (sum == -1) /* never: nothing here is below 0 */
        out[0] = sum;
}
