// The least number of 16 bits is its own negation; so it is for what is computed from that.
// run: -b 8 i16[8]=-32768,-32767,-4096,-1,0,1,4096,32767 i32[8] i32[8] i32[8] i32[8] f32[8] bool[8]
// expect: half: i32[8] = [-16384, 16383, 2048, 0, 0, -1, -2048, -16384]
// expect: eighth: i32[8] = [0, -1, -4096, 1, 0, -1, -4096, 1]
// expect: size: i32[8] = [-32768, 32767, 4096, 1, 0, 1, 4096, 32767]
// expect: low: i32[8] = [-8, -8, 1, 1, 0, 0, -1, -7]
// expect: number: f32[8] = [-32768.0, 32767.0, 4096.0, 1.0, 0.0, -1.0, -4096.0, -32767.0]
// expect: is_less: bool[8] = [true, false, false, false, false, true, true, true]
#include <lanewise/kernel.h>

struct four {
    int bits : 4;
};

KERNEL void negate(const int16_t *in, int *half, int *eighth, int *size, int *low, float *number,
                   bool *is_less)
{
    const int t = thread_idx.x;
    const int16_t x = in[t], minus = -x, times = x * -8, magnitude = x < 0 ? -x : x;
    const struct four four = {-(x >> 12)};
    half[t] = minus >> 1;
    eighth[t] = times >> 3;
    size[t] = magnitude;
    low[t] = four.bits;
    number[t] = minus;
    is_less[t] = minus < 0;
}
