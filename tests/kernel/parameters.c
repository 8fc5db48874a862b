// Parameters: scalars of every type, structs by value and nested, pointers to each type.
// run: -k scalars -b 1 i32[1] -100 200 -30000 60000 -2000000000 4000000000 -9e18 18446744073709551615 true 0.5 -1.5 0.1 1e300
// expect: right: i32[1] = [13]
// run: -k by_value -b 1 f64[5] {1,2.5,{3,4}} {-7}
// expect: out: f64[5] = [1.0, 2.5, 3.0, 4.0, -7.0]
// run: -k pointers -b 1 i32[1] i8[1]=-1 u8[1]=255 i16[1]=-2 u16[1]=65535 i32[1]=-3 u32[1]=4000000000 i64[1]=-4 u64[1]=5 bool[1]=1 f16[1]=0.5 bf16[1]=1.5 f32[1]=0.1 f64[1]=0.1
// expect: right: i32[1] = [13]
// run: -k written -b 2 bool[2] f16[2] bf16[2] i8[2] u64[2]
// expect: b: bool[2] = [false, true]
// expect: h: f16[2] = [0.0, -0.5]
// expect: w: bf16[2] = [0.0, 1.5]
// expect: c: i8[2] = [0, -128]
// expect: u: u64[2] = [0, 18446744073709551615]
// run: -k structs -b 4 i32[1] struct[4]
// expect: right: i32[1] = [4]
// expect: s: struct[4] = [{0, 0.0, {0, 0.0}}, {1, 0.5, {-1, 2.0}}, {2, 1.0, {-2, 4.0}}, {3, 1.5, {-3, 6.0}}]
// run: -k unused -b 1 1 i32[1] 2.5
// expect: out: i32[1] = [7]
#include <lanewise/kernel.h>

struct inner {
    short a;
    double b;
};
struct outer {
    char first;
    float second;
    struct inner rest;
};
struct single {
    int only;
};

KERNEL void scalars(int *right, signed char c, unsigned char uc, short s, unsigned short us, int i,
                    unsigned u, long l, unsigned long ul, bool b, _Float16 h, __bf16 w, float f,
                    double d)
{
    *right = (c == -100) + (uc == 200) + (s == -30000) + (us == 60000) + (i == -2000000000) +
             (u == 4000000000u) + (l == -9000000000000000000) + (ul == ULONG_MAX) + (b == true) +
             (h == (_Float16)0.5f) + (w == (__bf16)-1.5f) + (f == 0.1f) + (d == 1e300);
}

KERNEL void by_value(double *out, struct outer o, struct single s)
{
    out[0] = o.first;
    out[1] = o.second;
    out[2] = o.rest.a;
    out[3] = o.rest.b;
    o.rest.b = 9; /* a parameter is the thread's own */
    out[4] = s.only;
}

KERNEL void pointers(int *right, const signed char *c, const unsigned char *uc, const short *s,
                     const unsigned short *us, const int *i, const unsigned *u, const long *l,
                     const unsigned long *ul, const bool *b, const _Float16 *h, const __bf16 *w,
                     const float *f, const double *d)
{
    *right = (*c == -1) + (*uc == 255) + (*s == -2) + (*us == 65535) + (*i == -3) +
             (*u == 4000000000u) + (*l == -4) + (*ul == 5) + (*b == true) +
             (*h == (_Float16)0.5f) + (*w == (__bf16)1.5f) + (*f == 0.1f) + (*d == 0.1);
}

KERNEL void written(bool *b, _Float16 *h, __bf16 *w, signed char *c, uint64_t *u)
{
    int me = thread_idx.x;
    b[me] = me;
    h[me] = me ? (_Float16)-0.5f : (_Float16)0;
    w[me] = (__bf16)(me * 1.5f);
    c[me] = (signed char)(me * -128);
    u[me] = me ? UINT64_MAX : 0;
}

/* Structs behind a pointer: each thread moves its neighbour's. */
KERNEL void structs(int *right, struct outer *s)
{
    int me = thread_idx.x;
    assert(s[me].first == 0 && s[me].rest.b == 0);
    barrier();
    s[me] = (struct outer){(char)me, me * 0.5f, {(short)-me, me * 2.0}};
    barrier();
    struct outer next = s[(me + 1) % 4];
    int n = (me + 1) % 4;
    assert(next.first == n && next.second == n * 0.5f && next.rest.a == -n && next.rest.b == n * 2);
    atomic_add(right, 1);
}

KERNEL void unused(int a, int *out, float b)
{
    *out = 7;
}
