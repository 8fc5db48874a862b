// float a[rows][cols]: a shaped parameter; a buffer smaller than its declared sizes, which may be
// any expression of earlier parameters, is an error before anything runs.
// run: -k transpose -b 3,2 2 3 f32[3,2] f32[2,3]=iota
// expect: to: f32[3,2] = [[0.0, 3.0],
// expect:                 [1.0, 4.0],
// expect:                 [2.0, 5.0]]
// run: -k transpose -b 3,2 2 3 f32[3,2] f32[8]=iota
// expect: to: f32[3,2] = [[0.0, 3.0],
// expect:                 [1.0, 4.0],
// expect:                 [2.0, 5.0]]
// run: -k transpose -b 3,2 2 3 f32[3,2] f32[5]=iota
// status: 2
// stderr: from
// stderr: from[2][3]
// stderr: 24 bytes
// stderr: 5 x f32
// run: -k transpose -b 3,2 2 3 f32[2,2] f32[6]=iota
// status: 2
// stderr: to
// run: -k transpose -b 3,2 2 3 f32[4,2] f32[5,3]=iota
// expect: to: f32[4,2] = [[0.0, 3.0],
// expect:                 [1.0, 4.0],
// expect:                 [2.0, 5.0],
// expect:                 [0.0, 0.0]]
// run: -k transpose -b 3,2 2 3 f32[3,2] f32[3,2]=iota
// status: 2
// stderr: parameter 4 'from' (const float [rows][cols]) is declared from[2][3]; the array given has the shape [3, 2]; the first must be at least that, the others equal
// run: -k transpose -b 3,2 2 3 f32[3,2] f32[3,4]=iota
// status: 2
// stderr: from[2][3]; the array given has the shape [3, 4]
// run: -k transpose -b 3,2 2 3 f32[2,2] f32[2,3]=iota
// status: 2
// stderr: to[3][2]; the array given has the shape [2, 2]
// run: -k rows -b 2 2 'f32[2,2,4]' 'f32[2,8]=iota'
// expect: to: f32[2,2,4] = [[[ 0.0,  1.0,  2.0,  3.0],
// expect:                    [ 0.0,  0.0,  0.0,  0.0]],
// expect:
// expect:                   [[ 8.0,  9.0, 10.0, 11.0],
// expect:                    [ 0.0,  0.0,  0.0,  0.0]]]
// run: -k rows -b 2 2 'f32[2,8]' 'f32[4,4]=iota'
// status: 2
// stderr: from[2][2] of 4 x f32 each; the array given has the shape [4, 4]
// run: -k expression -b 1 3 i32[10]
// expect: a: i32[10] = [0, 0, 0, 0, 0, 0, 0, 0, 0, 10]
// run: -k expression -b 1 3 i32[9]
// status: 2
// stderr: 10
// run: -k cube -b 1 2 i32[2,3,4]
// expect: a: i32[2,3,4] = [[[ 0,  0,  0,  0],
// expect:                   [ 0,  0,  0,  0],
// expect:                   [ 0,  0,  0,  0]],
// expect:
// expect:                  [[ 0,  0,  0,  0],
// expect:                   [ 0,  0,  0,  0],
// expect:                   [ 0,  0,  0, 24]]]
// run: -k cube -b 1 2 i32[23]
// status: 2
// stderr: 96 bytes
// run: -k constant -b 1 i32[4]
// expect: a: i32[4] = [0, 0, 0, 1]
// run: -k constant -b 1 i32[3]
// status: 2
// stderr: 4
// run: -k none -b 1 0 i32[0]
// expect: a: i32[0] = []
#include <lanewise/kernel.h>

KERNEL void transpose(int rows, int cols, float to[cols][rows], const float from[rows][cols])
{
    to[thread_idx.x][thread_idx.y] = from[thread_idx.y][thread_idx.x];
}

KERNEL void expression(int n, int a[n * n + 1])
{
    a[n * n] = n * n + 1;
}

KERNEL void cube(int n, int a[n][n + 1][2 * n])
{
    a[n - 1][n][2 * n - 1] = (int)(n * sizeof a[0] / sizeof(int));
}

KERNEL void constant(int a[4])
{
    a[3] = 1;
}

KERNEL void none(int n, int a[n])
{
    if (n)
        a[0] = 1;
}

KERNEL void rows(int n, float4 to[n][2], const float4 from[n][2])
{
    to[thread_idx.x][0] = from[thread_idx.x][0];
}
