// Buffers as they are filled and printed; device null leaves them alone.
// run: -d null -k floats f32[3] f64[0]
// expect: a: f32[3] = [0.0, 0.0, 0.0]
// expect: b: f64[0] = []
// run: -d null -k floats f32[2,3]=iota f64[2]=const:-0.1
// expect: a: f32[2,3] = [[0.0, 1.0, 2.0],
// expect:                [3.0, 4.0, 5.0]]
// expect: b: f64[2] = [-0.1, -0.1]
// run: -d null -k floats f32[4]=1e10,-0,inf,nan f64[2]=1e16,1e-5
// expect: a: f32[4] = [10000000000.0, -0.0, inf, nan]
// expect: b: f64[2] = [1e+16, 1e-05]
// run: -d null -k floats f32[4]=rand:7 f64[2]=rand:7
// expect: a: f32[4] = [0.9545971, 0.7501522, 0.114177346, 0.085657835]
// expect: b: f64[2] = [0.7501522221031126, 0.0856578653012815]
// run: -d null -k floats f32[2]=normal:7 f64[2]=normal:7
// expect: a: f32[2] = [0.65106523, 0.38868025]
// expect: b: f64[2] = [0.6510652288674289, 0.3886802390698433]
// run: -d null -k floats f32[1001]=iota f64[2,2,2]=iota
// expect: a: f32[1001] = [0.0, 1.0, 2.0, ..., 998.0, 999.0, 1000.0]
// expect: b: f64[2,2,2] = [[[0.0, 1.0],
// expect:                   [2.0, 3.0]],
// expect:
// expect:                  [[4.0, 5.0],
// expect:                   [6.0, 7.0]]]
// run: -d null -k floats f32[334,3]=iota f64[0,2]
// expect: a: f32[334,3] = [[   0.0,    1.0,    2.0],
// expect:                  [   3.0,    4.0,    5.0],
// expect:                  [   6.0,    7.0,    8.0],
// expect:                  ...,
// expect:                  [ 993.0,  994.0,  995.0],
// expect:                  [ 996.0,  997.0,  998.0],
// expect:                  [ 999.0, 1000.0, 1001.0]]
// expect: b: f64[0,2] = []
// run: -d null -k floats --quiet f32[3] f64[3]
// run: -d null -k halves f16[3]=0.1,65504,1e-7 bf16[3]=3.14159,1e30,256.5
// expect: h: f16[3] = [0.1, 65500.0, 1e-07]
// expect: w: bf16[3] = [3.14, 1e+30, 256.0]
// run: -d null -k halves f16[2]=rand:7 bf16[2]=rand:7
// expect: h: f16[2] = [0.9546, 0.75]
// expect: w: bf16[2] = [0.953, 0.75]
// run: -d null -k integers i8[3]=127,-128,0x7f u64[2]=18446744073709551615,1e3 bool[3]=iota
// expect: i: i8[3] = [127, -128, 127]
// expect: u: u64[2] = [18446744073709551615, 1000]
// expect: p: bool[3] = [false, true, false]
// run: -d null -k integers i8[2]=const:-1 u64[2]=rand:7 bool[2]=true,0
// expect: i: i8[2] = [-1, -1]
// expect: u: u64[2] = [13837866057460644397, 1580108719113026114]
// expect: p: bool[2] = [true, false]
// run: -d null -k structs struct[2]={1,{2,3}},{-4.5,{6,7}} u8[24]=iota {1,{2,3}} i16[2]
// expect: s: struct[2] = [{1.0, {2, 3}}, {-4.5, {6, 7}}]
// expect: raw: u8[24] = [0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16, 17, 18, 19, 20, 21, 22, 23]
// expect: any: i16[2] = [0, 0]
// run: -d null -k tensors f32[2,2]=iota f32[1]
// expect: t: f32[2,2] = [[0.0, 1.0],
// expect:                [2.0, 3.0]]
#include <lanewise/kernel.h>

struct pair {
    float x;
    int n[2];
};

KERNEL void floats(float *a, double *b)
{
    a[0] = (float)b[0];
}

KERNEL void halves(_Float16 *h, __bf16 *w)
{
    h[0] = 1, w[0] = 1;
}

KERNEL void integers(int8_t *i, uint64_t *u, bool *p)
{
    i[0] = 1, u[0] = 1, p[0] = true;
}

KERNEL void structs(struct pair *s, struct pair *raw, struct pair value, void *any)
{
    s[0] = value, raw[0] = value, *(short *)any = 1;
}

KERNEL void tensors(TENSOR(float, 2) t, CONST_TENSOR(float, 1) c)
{
    at(t, 0, 0) = at(c, 0);
}
