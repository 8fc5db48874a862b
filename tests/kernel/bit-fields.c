// Bit-fields of structs: as an ARG by value, in buffers that are given and printed.
// run: -k put -b 1 'struct[1]'
// expect: v: struct[1] = [{-1, 3, 2}]
// run: -k get -b 1 '{-5,4095,9}' 'i32[3]'
// expect: o: i32[3] = [-5, 4095, 9]
// run: -k get -b 1 '{524288,1,9}' 'i32[3]'
// status: 2
// stderr: 524288 is out of the range of a bit-field of 20 bits, i32
// run: -k get -b 1 '{0,-1,9}' 'i32[3]'
// status: 2
// stderr: -1 is out of the range of u32
// run: -k get -b 1 '{0,4096,9}' 'i32[3]'
// status: 2
// stderr: 4096 is out of the range of a bit-field of 12 bits, u32
// run: -k few -b 1 '{7,-16}' 'i32[2]'
// expect: o: i32[2] = [7, -16]
// run: -k many -b 1 'struct[2]={5,true,-3,1099511627775,{1,-2},{{2},{3}},{4},-1},{0,false,3,1,{0,1},{{0},{0}},{7},1}'
// expect: m: struct[2] = [{5, true, -3, 1099511627775, {1, -2}, {{2}, {3}}, {4}, 1}, {0, false, 3, 1, {0, 1}, {{0}, {0}}, {7}, 2}]
// run: -k packed -b 1 '{1,-2,70000000000}' i64[3]
// expect: o: i64[3] = [1, -2, 70000000000]
#include <lanewise/kernel.h>

struct s {
    int a : 20;
    unsigned b : 12;
    int c;
};

struct few {
    unsigned a : 3;
    int b : 5;
};

enum colour { RED, GREEN, BLUE };

struct many {
    uint8_t first;
    bool is : 1;
    int : 2;
    signed char narrow : 4;
    int : 0;
    uint64_t wide : 40;
    struct {
        enum colour colour : 2;
        int16_t low : 9;
    } inner;
    struct {
        unsigned x : 2;
    } pair[2];
    union {
        unsigned bits : 3;
        unsigned char byte;
    } either;
    int last : 3;
};

struct __attribute__((packed)) packed {
    unsigned a : 3;
    int b : 30;
    uint64_t c : 60;
};

KERNEL void put(struct s *v)
{
    v->a = -1;
    v->b = 3;
    v->c = 2;
}

KERNEL void get(struct s v, int *o)
{
    o[0] = v.a;
    o[1] = (int)v.b;
    o[2] = v.c;
}

KERNEL void few(struct few p, int *o)
{
    o[0] = (int)p.a;
    o[1] = p.b;
}

KERNEL void many(struct many *m)
{
    for (int i = 0; i < 2; i++)
        m[i].last = i + 1;
}

KERNEL void packed(struct packed p, int64_t *o)
{
    o[0] = p.a;
    o[1] = p.b;
    o[2] = (int64_t)p.c;
}
