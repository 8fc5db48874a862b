// A file with a function of its own by a name of the header's, and an error elsewhere: that is what
// is told of, and nothing else.
// run: -k k 'f32[4]'
// status: 3
// stderr: own-name-wrong.c:15:12: error: use of undeclared identifier 'missing'
// stderr: own-name-wrong.c:16:35: error: passing 'float *' to parameter of incompatible type 'float'
#include <lanewise/kernel.h>
static float clamp(float x, float low, float high)
{
    return x < low ? low : x > high ? high : x;
}
KERNEL void k(float *o)
{
    o[0] = clamp(o[0], 0, max(1, 2));
    o[1] = missing;
    o[2] = clamp(min(o[1], 2.0f), o, 3);
}
