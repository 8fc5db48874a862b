// What is at the very edge of a buffer, a row, block memory or a private array and still within;
// and addresses outside that nothing is read from or written to.
// run: -b 1 -k ends f32[8]=iota
// expect: x: f32[8] = [7.0, 1.0, 2.0, 3.0, 4.0, 5.0, 6.0, 0.0]
// run: -b 1 -k walks f32[8]=iota f32[2]
// expect: x: f32[8] = [0.0, 1.0, 2.0, 3.0, 4.0, 5.0, 6.0, 7.0]
// expect: out: f32[2] = [28.0, 28.0]
// run: -b 1 -k guarded f32[4] f32[4]=iota
// expect: out: f32[4] = [0.0, 1.0, 2.0, 3.0]
// run: -b 1 -k row_ends 2 3 f32[2,3]=iota f32[4]
// expect: a: f32[2,3] = [[0.0, 1.0, 9.0],
// expect:                [3.0, 4.0, 5.0]]
// expect: out: f32[4] = [9.0, 3.0, 3.0, 5.0]
// run: -b 1 -k larger 2 f32[5]=iota
// expect: a: f32[5] = [1.0, 0.0, 2.0, 3.0, 4.0]
// run: -b 1 -k tensor f32[3,4]=iota f32[6]
// expect: t: f32[3,4] = [[ 0.0,  1.0,  2.0,  3.0],
// expect:                [ 4.0,  5.0,  6.0,  7.0],
// expect:                [ 8.0,  9.0, 10.0, 11.0]]
// expect: out: f32[6] = [11.0, 3.0, 11.0, 3.0, 38.0, 11.0]
// run: -b 4 -k block i32[4]
// expect: out: i32[4] = [3, 3, 3, 3]
// run: -b 1 --shared 24 -k dynamic i32[2]
// expect: out: i32[2] = [5, 7]
// run: -b 1 -k private_ends i32[4]
// expect: out: i32[4] = [15, 5, 9, 3]
// run: -b 1 -k pieces i32[6]
// expect: out: i32[6] = [1, 2, 3, 3, 3, 7]
// run: -b 1 -k vectors f32[8]=iota f32[4]
// expect: x: f32[8] = [0.0, 1.0, 2.0, 3.0, 4.0, 5.0, 6.0, 7.0]
// expect: out: f32[4] = [7.0, 6.0, 6.0, 5.0]
// run: -b 1 -k flexible i32[4]=3,5,6,7 i32[1]
// expect: list: i32[4] = [3, 5, 6, 7]
// expect: out: i32[1] = [18]
// run: -b 1 -k nothing f32[0] f32[1]
// expect: x: f32[0] = []
// expect: out: f32[1] = [0.0]
// run: -b 1 -k tables i32[4]
// expect: out: i32[4] = [2, 7, 11, 98]
// run: -b 1 -k compares f32[8] f32[8] i32[4]
// expect: a: f32[8] = [0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0]
// expect: b: f32[8] = [0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0]
// expect: out: i32[4] = [1, 8, 1, 1]
// run: -b 40 -k kept i32[40]=iota i32[40]
// expect: x: i32[40] = [0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16, 17, 18, 19, 20, 21, 22, 23, 24, 25, 26, 27, 28, 29, 30, 31, 32, 33, 34, 35, 36, 37, 38, 39]
// expect: out: i32[40] = [0, 2, 4, 6, 8, 10, 12, 14, 16, 18, 20, 22, 24, 26, 28, 30, 32, 34, 36, 38, 40, 42, 44, 46, 48, 50, 52, 54, 56, 58, 60, 62, 64, 66, 68, 70, 72, 74, 76, 78]
// run: -b 1 -k numbers f32[16]=iota i32[3]
// expect: x: f32[16] = [0.0, 1.0, 2.0, 3.0, 4.0, 5.0, 6.0, 7.0, 8.0, 9.0, 10.0, 11.0, 12.0, 13.0, 14.0, 15.0]
// expect: out: i32[3] = [1, 8, 3]
// run: -b 1 -k by_value i32[2] '{1,{2,3,4}}' 2
// expect: out: i32[2] = [4, 5]
// run: -b 4 -k small u8[4]
// expect: out: u8[4] = [4, 4, 4, 4]
// run: -b 4 --shared 16 -k integers i32[4] 2
// expect: out: i32[4] = [18, 19, 20, 21]
// run: -b 4 -k first_of i32[4] 3
// expect: out: i32[4] = [2, 2, 2, 2]
#include <lanewise/kernel.h>

KERNEL void ends(float *x)
{
    float t = x[0];
    x[0] = x[7];
    x[7] = t;
}
static float total(const float *begin, const float *end)
{
    float sum = 0;
    while (begin != end)
        sum += *begin++;
    return sum;
}
KERNEL void walks(float x[8], float *out)
{
    const float *end = &x[8], *before = x - 1;
    out[0] = total(x, end);
    out[1] = 0;
    for (const float *p = end - 1; p != before; p--)
        out[1] += *p;
}
KERNEL void guarded(float *out, const float *x)
{
    for (int i = -2; i < 1000; i++)
        if (i >= 0 && i < 4 && x[i] < 100)
            out[i] = x[i];
}
KERNEL void row_ends(int r, int c, float a[r][c], float *out)
{
    float *row = a[0], *end = &a[0][c];
    a[0][2] = 9;
    out[0] = row[2];
    out[1] = row[3]; // a pointer may go on to the next row
    out[2] = end[0];
    out[3] = a[r - 1][c - 1] + (end == a[1] ? 0 : 1);
}
KERNEL void larger(int n, float a[n])
{
    float t = a[0];
    a[0] = a[n - 1];
    a[n - 1] = t;
}
KERNEL void tensor(TENSOR(float, 2) t, float *out)
{
    TENSOR(float, 2) u = transposed(t), last = tile(t, 2, 3, 1, 1);
    out[0] = at(t, 2, 3);
    out[1] = at(u, 3, 0);
    out[2] = at(last, 0, 0);
    const float *end = &at(t, 0, 4);
    out[3] = end[-1];
    out[4] = total(&at(t, 2, 0), &at(t, 2, 0) + extent(t, 1));
    out[5] = at(reshape(t, 1, 12), 0, 11);
}
static void add(int *p, int n)
{
    atomic_add(p + n, 1);
}
KERNEL void block(int *out)
{
    SHARED int cell[2][5];
    if (thread_idx.x == 0)
        cell[1][4] = -1;
    barrier();
    add(cell[1], 4);
    barrier();
    out[thread_idx.x] = *(&cell[1][5] - 1);
}
KERNEL void dynamic(int *out)
{
    DYNAMIC_SHARED(int, words);
    DYNAMIC_SHARED(char, bytes);
    words[5] = 5;
    bytes[23] = 0;
    out[0] = words[5];
    bytes[20] = 7;
    out[1] = words[5];
}
struct wide {
    char c;
    int v[3];
    short s;
};
KERNEL void private_ends(int *out)
{
    int own[5], *p = own;
    struct wide a = {1, {2, 3, 4}, 5}, b;
    for (int i = 0; i < 5; i++)
        *p++ = i + 1;
    out[0] = 0;
    while (p != own)
        out[0] += *--p;
    memcpy(&b, &a, sizeof a);
    b.v[2] = 9;
    out[1] = b.s;
    out[2] = ((int *)(void *)&b)[3];
    memcpy(&b, &a, 16);
    out[3] = b.v[1];
}
union both {
    int n;
    unsigned char bytes[4];
    short halves[2];
};
KERNEL void pieces(int *out)
{
    unsigned char *first = (unsigned char *)out, *last = (unsigned char *)(out + 6);
    union both u = {0};
    for (int i = 0; i < 24; i++)
        first[i] = 0;
    last[-4] = 7;
    out[0] = 1;
    out[1] = 2;
    u.bytes[3] = 1;
    u.halves[1] = 3;
    out[2] = u.halves[1];
    memmove(out + 3, out + 2, sizeof *out);
    memcpy(out + 4, out + 3, 4);
    memcpy(out + 6, out, 0);
}
KERNEL void vectors(float *x, float *out)
{
    const float2 *pairs = (const float2 *)(const void *)x;
    const float4 *fours = (const float4 *)(const void *)x;
    float3 last = ((const float3 *)(const void *)x)[1];
    out[0] = pairs[3].y;
    out[1] = fours[1].z;
    out[2] = last.z;
    out[3] = last.y;
}
struct list {
    int count;
    int item[];
};
KERNEL void flexible(int *list, int *out)
{
    const struct list *l = (const struct list *)(const void *)list;
    out[0] = 0;
    for (int i = 0; i < l->count; i++)
        out[0] += l->item[i];
}
KERNEL void nothing(float *x, float *out)
{
    for (const float *p = x; p != x + 0; p++)
        out[0] += *p;
    memcpy(x, out, 0);
}
static const int primes[4] = {2, 3, 5, 7}, later[2] = {11, 13};
static const int *const tables_of[2] = {primes, later};
KERNEL void tables(int *out)
{
    const char *text = "ab";
    const int *end = primes + 4;
    out[0] = primes[out[0]];
    out[1] = end[-1];
    out[2] = tables_of[1][out[3]];
    out[3] = text[out[3] + 1];
}
KERNEL void compares(float *a, float *b, int *out)
{
    const float *end = a + 8;
    out[0] = a != b;
    out[1] = (int)(end - a);
    out[2] = end > a && a != NULL;
    out[3] = a == (out[3] ? b : a);
}
struct box {
    int *p;
};
KERNEL void kept(int *x, int *out)
{
    SHARED struct box boxes[40];
    int own[2] = {1, 1}, i = thread_idx.x;
    struct box mine = {&own[i % 2]};
    boxes[i].p = x + i;
    barrier();
    struct box other = boxes[39 - i];
    *mine.p += 1;
    barrier();
    out[39 - i] = *other.p * *mine.p; // 2 in mine
}
KERNEL void numbers(float *x, int *out)
{
    uintptr_t n = (uintptr_t)(x + 1);
    const float *aligned = (const float *)((n + 31) & ~(uintptr_t)31);
    out[0] = (int)*(const float *)n;
    out[1] = (int)*aligned;
    out[2] = (int)*(const float *)((uintptr_t)x + 3 * sizeof *x);
}
struct given {
    int n, v[3];
};
KERNEL void by_value(int *out, struct given g, int i)
{
    int *p = g.v;
    out[0] = g.v[i];
    p[i] += 1;
    out[1] = g.v[2];
}
KERNEL void small(uint8_t *out)
{
    SHARED uint8_t count[1];
    if (thread_idx.x == 0)
        count[0] = 0;
    barrier();
    atomic_add(&count[0], 1);
    barrier();
    atomic_exchange(&out[thread_idx.x], count[0]);
}
// Addresses of variables that are integers for a while.
KERNEL void integers(int *out, int n)
{
    static const int table[3] = {5, 6, 7};
    SHARED int near[4];
    DYNAMIC_SHARED(int, words);
    int own[3] = {1, 2, 3}, t = thread_idx.x;
    near[t] = words[t] = t;
    barrier();
    size_t at = n == 2 ? (size_t)own : (size_t)own + 4;
    out[t] = t + *(const int *)((size_t)table + 8) + *(const int *)((size_t)table + (size_t)n * 4) +
             *(const int *)((size_t)near + 4) + *(const int *)((size_t)near + (size_t)n * 4 - 4) -
             *(const int *)((size_t)words + (size_t)n * 4) + *(const int *)(at + (size_t)n * 4) +
             *(const int *)((size_t)near + 4);
}
// A pointer that a loop leaves as it is, or sets.
KERNEL void first_of(int *out, int n)
{
    int *p = NULL;
    for (int i = 0; i < 3; i++) {
        int own[4] = {i, n};
        if (i == 0)
            p = own;
        p[n] = i;
    }
    out[thread_idx.x] = p[3];
}
