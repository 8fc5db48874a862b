// SHARED at function and file scope, 2-D, of any type, passed to helpers like any pointer; each
// block has its own.
// run: -k transpose -b 3,2 -g 2,2 i32[4,6] i32[6,4]=iota
// expect: out: i32[4,6] = [[ 0,  4,  8, 12, 16, 20],
// expect:                  [ 1,  5,  9, 13, 17, 21],
// expect:                  [ 2,  6, 10, 14, 18, 22],
// expect:                  [ 3,  7, 11, 15, 19, 23]]
// run: -k scopes -b 64 -g 5 i32[1]
// expect: checked: i32[1] = [320]
#include <lanewise/kernel.h>

struct pair {
    short a;
    double b;
};

SHARED int file_scope[64];
SHARED struct pair pairs[64];
SHARED bool single;

KERNEL void transpose(int out[4][6], const int in[6][4])
{
    SHARED int tile[3][3];
    int x = thread_idx.x, y = thread_idx.y, row = block_idx.x * 3, column = block_idx.y * 2;
    tile[y][x] = in[row + x][column + y];
    barrier();
    int e = y * 3 + x;
    out[column + e / 3][row + e % 3] = tile[e / 3][e % 3];
}

static void put(int *to, int at, int value)
{
    to[at] = value;
}

static int *own(void)
{
    SHARED int inside[64];
    return inside;
}

static int reversed(const int *from)
{
    return from[63 - thread_idx.x];
}

KERNEL void scopes(int *checked)
{
    SHARED int function_scope[64];
    int me = thread_idx.x, block = block_idx.x;
    put(file_scope, me, block * 100 + me);
    put(function_scope, me, -me - block);
    put(own(), me, me * me + block);
    pairs[me] = (struct pair){(short)me, me * 0.5 + block};
    if (me == 5)
        single = block % 2;
    barrier();
    int other = 63 - me;
    assert(reversed(file_scope) == block * 100 + other);
    assert(reversed(function_scope) == -other - block);
    assert(reversed(own()) == other * other + block);
    assert(pairs[other].a == other && pairs[other].b == other * 0.5 + block);
    assert(single == block % 2);
    barrier();
    struct pair *moved = &pairs[(me + 1) % 64];
    *moved = (struct pair){1, block};
    barrier();
    assert(pairs[me].a == 1 && pairs[me].b == block);
    atomic_add(checked, 1);
}
