// run: 'f32[8]'
// status: 3
// stderr: size-lane.c:6:
// stderr: the declared sizes of kernel 'k' depend on lane_id
#include <lanewise/kernel.h>
KERNEL void k(float out[lane_id()])
{
    out[0] = 1;
}
