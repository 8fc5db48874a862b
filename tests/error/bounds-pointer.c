// Pointers that point to nothing: NULL, never set, computed, into memory of another.
// device: ref only it looks at each access
// status: 4
// run: -b 1 -k null i32[1] 0
// stderr: bounds-pointer.c:38:40: write of 4 bytes outside: byte 0 of a NULL pointer, block (0,0,0) thread (0,0,0)
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
// run: -b 1 -k returned i32[1]
// stderr: read of 4 bytes outside: 'own' of a function that has returned
// run: -b 1 -k returned_later i32[1] 1
// stderr: read of 4 bytes outside: 'own' of a function that has returned
// run: -b 1 -k returned_kept i32[1]
// stderr: write of 4 bytes outside: 'own' of a function that has returned
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

// A variable of a function is no more when that has returned.
static int *local(int n)
{
    int own[4] = {n, n, n, n}, *p = own;
    own[n] = 2;
    return p;
}
KERNEL void returned(int *out)
{
    out[0] = *local(1);
}
KERNEL void returned_later(int *out, int n)
{
    int mine[4] = {0}, *p = mine;
    for (int i = 0; i < n; i++)
        p = local(i);
    out[0] = p[n];
}
struct holder {
    int *p;
};
static void keep(struct holder *h, int n)
{
    int own[4] = {n};
    h->p = own;
    h->p[n] = 1;
}
KERNEL void returned_kept(int *out)
{
    struct holder h[2];
    keep(&h[out[0]], out[0]);
    h[out[0]].p[1] = 3;
    out[0] = h[0].p[1];
}
