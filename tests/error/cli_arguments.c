// status: 2
// run: -d null -k one 42
// stderr: argument 1 (float *a): '42' is not a buffer; write f32[N] or @FILE.npy
// run: -d null -k one i32[8]
// stderr: argument 1 (float *a): a buffer of i32 given, f32 is needed
// run: -d null -k one struct[8]
// stderr: a buffer of struct given, f32 is needed
// run: -d null -k one float[8]
// stderr: 'float' is no dtype
// run: -d null -k one f32[]
// stderr: an extent of the shape is needed
// run: -d null -k one f32[8
// stderr: ']' is needed
// run: -d null -k one f32[8]x
// stderr: '=FILL' or ':OUT.npy' is needed at 'x'
// run: -d null -k one f32[99999999999999999999]
// stderr: the extent 99999999999999999999 is too large
// run: -d null -k one f32[4294967296,4294967296]
// stderr: the shape is larger than any memory
// run: -d null -k one f32[8]=1,2,3
// stderr: 3 values given, 8 needed
// run: -d null -k one f32[2]=1,x
// stderr: 'x' is not a number
// run: -d null -k one f32[8]=ramp
// stderr: 'ramp' is no fill
// run: -d null -k one f32[8]=rand
// stderr: rand needs a value: rand:SEED
// run: -d null -k one f32[8]=rand:-1
// stderr: the seed '-1' is not a whole number
// run: -d null -k one f32[8]:out
// stderr: the output 'out' must be a name that ends in .npy
// run: -d null -k one f32[8]:none/out.npy
// stderr: none/out.npy: No such file or directory
// run: -d null -k one @none.npy
// stderr: none.npy: No such file or directory
// run: -d null -k one @@DIR/cli_arguments.c
// stderr: not a NumPy file
// run: -d null -k one @@DIR
// stderr: not a regular file
// run: -d null -k one f32@a.npy
// stderr: only bf16@ and struct@ are known
// run: -d null -k one
// stderr: 0 arguments given, 1 needed: void one(float *a)
// run: -d null -k one f32[1] f32[1]
// stderr: 2 arguments given, 1 needed: void one(float *a)
// run: -d null -k whole 8.5
// stderr: argument 1 (int n): 8.5 is not a whole number, as i32 needs
// run: -d null -k whole 2147483648
// stderr: 2147483648 is out of the range of i32
// run: -d null -k whole eight
// stderr: 'eight' is not a number (i32 is needed)
// run: -d null -k whole f32[8]
// stderr: 'f32[8]' is not a number (i32 is needed)
// run: -d null -k whole {1}
// stderr: '{1}' has parts, one i32 is needed
// run: -d null -k halfway 1e6
// stderr: 1e6 is out of the range of f16
// run: -d null -k parts {1,2} struct[1]
// stderr: argument 1 (struct pair s): '2}' is one value, {...} with 2 is needed
// run: -d null -k parts {1,{2}} struct[1]
// stderr: 1 values in {...}, 2 are needed
// run: -d null -k parts {1,{2,3,4}} struct[1]
// stderr: more than 2 values in {...}, left is '4}}'
// run: -d null -k parts {1,{2,3} struct[1]
// stderr: '}' is missing
// run: -d null -k parts {1,{2,3}} f32[1]
// stderr: a buffer of f32 given, struct (of 12 bytes) or u8 is needed
// run: -d null -k parts {1,{2,3}} struct[1]=iota
// stderr: iota is not for structs
// run: -d null -k matrix f32[8]
// stderr: a shape of rank 1 given, rank 2 is needed
// run: -d null -k counts i32[8]=normal:1
// stderr: normal is for floats, not for i32
// run: -d null -k two f32[1]:o.npy f32[1]:o.npy
// stderr: argument 1 (float *a) and argument 2 (float *b) both write o.npy
// run: -d ref -k sized 4 5 f32[19]
// stderr: sized: parameter 3 'a'
#include <lanewise/kernel.h>

struct pair {
    float x;
    int n[2];
};

KERNEL void one(float *a)
{
    a[0] = 1;
}

KERNEL void two(float *a, float *b)
{
    a[0] = b[0];
}

KERNEL void whole(int n)
{
    (void)n;
}

KERNEL void halfway(_Float16 h)
{
    (void)h;
}

KERNEL void parts(struct pair s, struct pair *p)
{
    p[0] = s;
}

KERNEL void matrix(TENSOR(float, 2) t)
{
    at(t, 0, 0) = 1;
}

KERNEL void counts(int *n)
{
    n[0] = 1;
}

KERNEL void sized(int rows, int cols, float a[rows][cols])
{
    a[0][0] = 1;
}
