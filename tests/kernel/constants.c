// static const tables at file and function scope, of every kind, read at varying places.
// run: -b 8 i32[8]
// expect: out: i32[8] = [1000, 1102, 1204, 1306, 1408, 1510, 1612, 1714]
#include <lanewise/kernel.h>

struct entry {
    short low, high;
    float scale;
};

static const int table[8] = {1000, 1100, 1200, 1300, 1400, 1500, 1600, 1700};
static const struct entry entries[2] = {{1, 2, 0.5f}, {3, 4, 1.5f}};
static const float matrix[2][3] = {{1, 2, 3}, {4, 5, 6}};
static const char text[] = "abc";
static const char *const words[] = {"zero", "one"};
const long exported = 77;

static int lookup(int i)
{
    static const unsigned char inside[] = {0, 2, 4, 6, 8, 10, 12, 14};
    return inside[i];
}

KERNEL void constants(int *out)
{
    static const int only_here[2] = {5, 9};
    int i = thread_idx.x;
    out[i] = table[i] + lookup(i);
    assert(entries[i % 2].high == 2 + i % 2 * 2 && entries[i % 2].scale == 0.5f + i % 2);
    assert(matrix[i % 2][i % 3] == i % 2 * 3 + i % 3 + 1);
    assert(text[i % 4] == (i % 4 == 3 ? 0 : 'a' + i % 4) && words[i % 2][1] == (i % 2 ? 'n' : 'e'));
    assert(only_here[i / 4] == (i < 4 ? 5 : 9) && exported == 77);
}
