// The bits of a float sum are those of the fixed tree: 1e8 swallows a 1 that is added to it first,
// so the order shows. The numbers were worked out by hand from the rule.
// run: -k sum -b 4 f32[4] f32[4]=1e8,1,-1e8,1
// expect: out: f32[4] = [0.0, 0.0, 0.0, 0.0]
// run: -k sum -b 4 f32[4] f32[4]=1e8,-1e8,1,1
// expect: out: f32[4] = [2.0, 2.0, 2.0, 2.0]
// run: -k sum -b 3 f32[3] f32[3]=1e8,1,-1e8
// expect: out: f32[3] = [0.0, 0.0, 0.0]
// run: -k sum -b 3 f32[3] f32[3]=1,-1e8,1e8
// expect: out: f32[3] = [0.0, 0.0, 0.0]
// run: -k sum -b 3 f32[3] f32[3]=1e8,-1e8,1
// expect: out: f32[3] = [1.0, 1.0, 1.0]
// run: -k sum -b 8 f32[8] f32[8]=1e8,0,0,0,1,0,0,-1e8
// expect: out: f32[8] = [0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0]
// run: -k sum -b 8 f32[8] f32[8]=0,1e8,-1e8,0,1,0,0,2
// expect: out: f32[8] = [3.0, 3.0, 3.0, 3.0, 3.0, 3.0, 3.0, 3.0]
// A lane that does not take part is skipped, not counted as 0: -0 stays -0, and the product is that
// of the others.
// run: -k skipping -b 32 f32[2]
// expect: out: f32[2] = [-0.0, 8.0]
#include <lanewise/kernel.h>

KERNEL void sum(float *out, const float *in)
{
    out[thread_idx.x] = warp_sum(in[thread_idx.x]);
}

KERNEL void skipping(float *out)
{
    int lane = lane_id();
    if (lane == 5 || lane == 9 || lane == 30) {
        float zero = warp_sum(-0.0f);
        float product = warp_prod(2.0f);
        if (lane == 30) {
            out[0] = zero;
            out[1] = product;
        }
    }
}
