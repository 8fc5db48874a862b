// A kernel may set the pointer of its copy of a tensor; it is then to another buffer.
// run: -b 2 f32[4] f32[4] 2
// expect: a: f32[4] = [0.0, 0.0, 2.0, 0.0]
// expect: b: f32[4] = [0.0, 0.0, 2.0, 0.0]
#include <lanewise/kernel.h>

KERNEL void set(TENSOR(float, 1) a, TENSOR(float, 1) b, int n)
{
    for (int i = 0; i < n; i++) {
        if ((int)thread_idx.x > i)
            a.data = b.data;
        barrier();
        a.data[n] += 1;
    }
}
