/* 16-bit floats that live across branches and loop iterations, alone and in vectors: the code
 * generator keeps a bf16 as a float there and calls a function that no library has. */
// run: -k brain -b 2 bf16[5] bf16[4]=iota 4 1
// expect: out: bf16[5] = [11.0, 11.0, 39.0, 60.0, 27.0]
// run: -k half_precision -b 2 f16[5] f16[4]=iota 4 1
// expect: out: f16[5] = [11.0, 11.0, 39.0, 60.0, 27.0]
#include <lanewise/kernel.h>
KERNEL void brain(__bf16 *out, const __bf16 *in, int n, __bf16 start)
{
    __bf16 s = start, t = start * (__bf16)2;
    bfloat4 v = {s, t, s, t};
    for (int i = 0; i < n; i++) {
        if (i & 1) {
            s = s + t;
            v = v * v + s;
        } else if (i & 2) {
            t = t + in[i] * s;
        }
        if (s > t)
            v.x = v.x + in[i];
    }
    out[0] = s, out[1] = n > 3 ? s : t, out[2] = v.x, out[3] = v.y,
        out[4] = (float)s > 3 ? v.z : v.w;
}
KERNEL void half_precision(half *out, const half *in, int n, half start)
{
    half s = start, t = start * (half)2;
    half4 v = {s, t, s, t};
    for (int i = 0; i < n; i++) {
        if (i & 1) {
            s = s + t;
            v = v * v + s;
        } else if (i & 2) {
            t = t + in[i] * s;
        }
        if (s > t)
            v.x = v.x + in[i];
    }
    out[0] = s, out[1] = n > 3 ? s : t, out[2] = v.x, out[3] = v.y,
        out[4] = (float)s > 3 ? v.z : v.w;
}
