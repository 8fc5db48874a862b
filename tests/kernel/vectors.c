// Short vectors of every type: .x .y .z .w, operators element by element, in memory, as parameters.
// run: -b 4 i32[1] f32[16]=iota
// expect: checked: i32[1] = [4]
#include <lanewise/kernel.h>

#define NAMES(X)                                                                                   \
    X(char, char) X(schar, signed char) X(uchar, unsigned char) X(short, short)                    \
    X(ushort, unsigned short) X(int, int) X(uint, unsigned) X(long, long)                          \
    X(ulong, unsigned long) X(longlong, long long) X(ulonglong, unsigned long long)                \
    X(half, _Float16) X(bfloat, __bf16) X(float, float) X(double, double)

#define CHECK(name, T)                                                                             \
    {                                                                                              \
        name##2 a = {(T)1, (T)2};                                                                  \
        name##3 b = {(T)3, (T)4, (T)5};                                                            \
        name##4 c = {(T)6, (T)7, (T)8, (T)9};                                                      \
        assert(_Generic(a.x, T: 1) && _Generic(c.w, T: 1));                                        \
        a.y += (T)me;                                                                              \
        a = a + a;                                                                                 \
        b = b * b - b;                                                                             \
        c = -c;                                                                                    \
        c.w = b.z;                                                                                 \
        assert(a.x == (T)2 && a.y == (T)(4 + 2 * me));                                             \
        assert(b.x == (T)6 && b.y == (T)12 && b.z == (T)20);                                       \
        assert(c.x == (T)-6 && c.y == (T)-7 && c.z == (T)-8 && c.w == (T)20);                      \
        assert(sizeof(name##2) == 2 * sizeof(T) && sizeof(name##4) == 4 * sizeof(T));              \
    }

SHARED float4 tile[4];

static float dot(float4 a, float4 b)
{
    float4 p = a * b;
    return p.x + p.y + p.z + p.w;
}

KERNEL void vectors(int *checked, const float4 *in)
{
    int me = thread_idx.x;
    NAMES(CHECK)
    float4 v = in[me], w = v / 2.0f + (float4){1, 0, 0, 0};
    tile[3 - me] = w;
    barrier();
    float4 other = tile[me];
    float first = (3 - me) * 4;
    assert(other.x == first / 2 + 1 && other.w == (first + 3) / 2);
    assert(dot((float4){1, 2, 3, 4}, (float4){4, 3, 2, 1}) == 20);
    int2 pair = {me, -me};
    pair.x <<= 2;
    assert(pair.x == me * 4 && pair.y == -me);
    atomic_add(checked, 1);
}
