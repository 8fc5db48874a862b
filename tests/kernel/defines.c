// -D NAME=VALUE fixes types, sizes and layouts when the program is built.
// run: -D T=float -D TPB=4 -b 4 f32[4] f32[4]=iota
// expect: out: f32[4] = [6.0, 6.0, 6.0, 6.0]
// run: -D T=double -D TPB=8 -b 8 f64[8] f64[8]=const:0.5
// expect: out: f64[8] = [4.0, 4.0, 4.0, 4.0, 4.0, 4.0, 4.0, 4.0]
// run: -D T=int8_t -D TPB=2 -D WIDE -b 2 i8[2] i8[2]=100,27
// expect: out: i8[2] = [127, 127]
// run: -D T=_Float16 -D TPB=2 -b 2 f16[2] f16[2]=0.5,0.25
// expect: out: f16[2] = [0.75, 0.75]
// run: -D T=__bf16 -D TPB=2 -b 2 bf16[2] bf16[2]=0.5,0.25
// expect: out: bf16[2] = [0.75, 0.75]
// The header's own names do not stand in the way of short ones.
// run: -D T=float -D TPB=1 -D N=8 -D M=8 -D K=8 -D P=2 -D V=3 -D VI=1 -D R=1 -D X=1 -D Q=1 -D W=1 -D RANK=1 -D NONE=0 -D ANY=1 -D SUMS=2 -D SAME=1 -D INT=int -D VOID=void -D WARP=32 -D SUM=1 -b 1 f32[1] f32[1]=7
// expect: out: f32[1] = [7.0]
// run: -D T=float -D TPB=4 -b 4 f64[4] f32[4]
// status: 2
// stderr: f64
#include <lanewise/kernel.h>

SHARED T tile[TPB];

KERNEL BLOCK(TPB) void sum(T *out, const T *in)
{
    tile[thread_idx.x] = in[thread_idx.x];
    barrier();
    T total = 0;
    for (int i = 0; i < TPB; i++)
        total += tile[i];
    out[thread_idx.x] = total;
}
