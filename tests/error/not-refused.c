// What looks like something refused, and is not: this must compile and run.
// run: -b 1 'f32[12]' 3
// expect: out: f32[12] = [6.0, 8.0, 3.0, 105.0, 2.0, 7.0, 5.0, 9.0, 6.0, 1.0, 4.0, 2.0]
#include <lanewise/kernel.h>

struct flags {
    unsigned low : 3, high : 20;
};
union bits {
    float f;
    uint32_t u;
};
struct bytes {
    char b[3];
};

static const int table[4] = {9, 8, 7, 6};
const char *const names[2] = {"no", "yes"};

static int four()
{
    return 4;
}
inline int twice(int n)
{
    return 2 * n;
}
static struct bytes reversed(struct bytes s)
{
    return (struct bytes){{s.b[2], s.b[1], s.b[0]}};
}
static int sum_of(int n, const int v[n])
{
    int sum = 0;
    for (int i = 0; i < n; i++)
        sum += v[i];
    return sum;
}

KERNEL void k(float out[12], int n)
{
    static const float local[2] = {1.5f, 2.0f};
    struct flags f = {1, 2};
    union bits u = {.f = 1.0f};
    const int *literal = (const int[]){5, 6};
    int (*rows)[n] = (int (*)[n])table;
    out[0] = table[n];
    out[1] = twice(four());
    f.high += n + 100;
    f.low += 2;
    out[2] = f.low;
    out[3] = f.high;
    out[4] = local[1];
    out[5] = reversed((struct bytes){{1, 2, 7}}).b[0];
    out[6] = literal[0];
    out[7] = rows[0][0];
    switch (n) {
    case 3:
        out[8] = literal[1];
        goto end;
    default:
        out[8] = 0;
    }
    out[8] = 1;
end:
    out[9] = u.u == 0x3f800000;
    out[10] = sum_of(2, (const int[]){1, 3});
    out[11] = names[1][1] == 'e' ? local[1] : 0;
}
