// A thread that leaves loops with barriers in order to return is missed by none, where a variable
// says so and the loops become straight code.
// sizes: 2 31 33 64 100
// run: -k returns -b @B 517674315339939092 i32[2]=1,0 i32[1]=zeros
// expect: out: i32[1] = [6]
// run: -k flag -b @B 2 i32[2]=1,0 i32[1]=zeros
// expect: out: i32[1] = [6]
// run: -k number -b @B 2 i32[2]=1,0 i32[1]=zeros
// expect: out: i32[1] = [6]
#include <lanewise/kernel.h>

KERNEL void returns(uint64_t n, const int *in, int *out)
{
    for (int i = 0; i < 3; i++) {
        int k = -1;
        while (++k < (((int)n >> 1) & 3)) {
            barrier();
            if (thread_idx.x)
                if (in[0])
                    return;
            *out += 1;
        }
    }
}

KERNEL void flag(int n, const int *in, int *out)
{
    for (int i = 0; i < 3; i++) {
        bool done = false;
        for (int k = 0; k < (n & 3); k++) {
            barrier();
            if (thread_idx.x && in[0]) {
                done = true;
                break;
            }
            if (!thread_idx.x)
                *out += 1;
        }
        if (done)
            return;
    }
}

KERNEL void number(int n, const int *in, int *out)
{
    for (int i = 0; i < 3; i++) {
        int k;
        for (k = 0; k < (n & 3); k++) {
            barrier();
            if (thread_idx.x && in[0])
                break;
            if (!thread_idx.x)
                *out += 1;
        }
        if (k < (n & 3))
            return;
    }
}
