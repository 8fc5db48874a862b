// Pointers that point to nothing: NULL, never set, computed, into memory of another.
// device: ref only it looks at each access
// status: 4
// run: -b 1 -k null i32[1] 0
// stderr: bounds-pointer.c:32:40: write of 4 bytes outside: byte 0 of a NULL pointer, block (0,0,0) thread (0,0,0)
// run: -b 1 -k null i32[1] 3
// stderr: write of 4 bytes outside: byte 12 of a NULL pointer
// run: -b 1 -k null_constant i32[1]
// stderr: byte 0 of a NULL pointer
// run: -b 1 -k null_struct i32[1]
// stderr: read of 4 bytes outside: byte 8 of a NULL pointer
// run: -b 1 -k null_atomic i32[1]
// stderr: atomic of 4 bytes outside: byte 0 of a NULL pointer
// run: -b 1 -k null_copied i32[1]
// stderr: read of 4 bytes outside: byte 0 of a NULL pointer
// run: -b 1 -k wild i32[1] 4096
// stderr: a pointer into no memory of the launch (0x1000)
// run: -b 1 -k wild i32[1] 140737488355328
// stderr: a pointer into no memory of the launch
// run: -b 1 -k far i32[1]
// stderr: write of 4 bytes outside
// run: -b 1 -k unset i32[1]
// stderr: write of 4 bytes outside: byte 0 of a NULL pointer
// run: -b 2 -k of_another i32[2]
// stderr: block (0,0,0) thread (1,0,0)
// run: -b 1 -k kept i32[4]
// stderr: read of 4 bytes outside: index 4 of 'x'
#include <lanewise/kernel.h>

KERNEL void null(int *out, int i)
{
    int *p = out[0] ? out : NULL; p[i] = 1;
}
KERNEL void null_constant(int *out)
{
    *(volatile int *)0 = 1;
    out[0] = 1;
}
struct node {
    int a, b, c;
};
KERNEL void null_struct(int *out)
{
    const struct node *node = out[0] ? (const struct node *)(void *)out : NULL;
    out[0] = node->c;
}
KERNEL void null_atomic(int *out) { atomic_add(out[0] ? out : (int *)NULL, 1); }
KERNEL void null_copied(int *out) { memcpy(out, out[0] ? out : NULL, sizeof *out); }
KERNEL void wild(int *out, size_t address)
{
    out[0] = *(const int *)address;
}
KERNEL void far(int *out) { out[(size_t)1 << 50] = 1; }
KERNEL void unset(int *out)
{
    int *p;
    p[0] = out[0];
}
// A private variable is its thread's alone.
KERNEL void of_another(int *out)
{
    SHARED int *where;
    int own[3] = {1, 2, 3};
    if (thread_idx.x == 0)
        where = own;
    barrier();
    if (thread_idx.x == 1)
        out[0] = where[out[0]];
    barrier();
}
// What a pointer was made of it keeps in memory, too.
KERNEL void kept(int *x)
{
    SHARED int *where[2];
    where[thread_idx.x] = x;
    barrier();
    x[0] = where[x[0]][4];
}
