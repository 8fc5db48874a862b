// Helpers that call the one below twice, to a depth at which no compiler may copy them all: two to
// the power of 24 copies. Their calls are joined. They have early returns, loops, arrays of their
// own, structs by value and results through pointers; a helper below is called from all above it.
// sizes: 1 9 320
// run: -k deep -b @B --quiet @N u32[@N]=iota u32[@N]
// run: -k between -b @B --quiet @N u32[@N]=iota u32[@N]
// run: -k pointers -b @B --quiet @N u32[@N]=iota u32[@N]
#include <lanewise/kernel.h>

#define ME (warp_id() * WARP_SIZE + lane_id())
#define DEPTH 24
#define ROWS(ROW)                                                                                  \
    ROW(1, 0) ROW(2, 1) ROW(3, 2) ROW(4, 3) ROW(5, 4) ROW(6, 5) ROW(7, 6) ROW(8, 7) ROW(9, 8)      \
    ROW(10, 9) ROW(11, 10) ROW(12, 11) ROW(13, 12) ROW(14, 13) ROW(15, 14) ROW(16, 15)             \
    ROW(17, 16) ROW(18, 17) ROW(19, 18) ROW(20, 19) ROW(21, 20) ROW(22, 21) ROW(23, 22)            \
    ROW(24, 23)

static uint32_t base(uint32_t x)
{
    while (x > 1000)
        x = x / 3 + (x & 1);
    return x * 2654435761u;
}

/* Of the two calls below, a thread makes the second in one of eight cases only. */
static uint32_t f0(uint32_t x) { return base(x); }
#define LEVEL(k, below)                                                                            \
    static uint32_t f##k(uint32_t x)                                                               \
    {                                                                                              \
        uint32_t y = f##below(x ^ k);                                                              \
        if ((y & 7) != k % 8)                                                                      \
            return y + k;                                                                          \
        return y * 31 + f##below(y + x);                                                           \
    }
ROWS(LEVEL)

/* The same, as a loop over a stack of what is left to do. */
static uint32_t by_hand(uint32_t x, int depth)
{
    uint32_t in[DEPTH + 1], first[DEPTH + 1], result = 0;
    uint8_t state[DEPTH + 1];
    int k = depth;
    in[k] = x;
    state[k] = 0;
    while (k <= depth) {
        if (k == 0 || state[k] == 2) {
            result = k == 0 ? base(in[0]) : first[k] * 31 + result;
            k++;
            continue;
        }
        if (state[k] == 1) {
            first[k] = result;
            if ((result & 7) != (uint32_t)k % 8) {
                result += k;
                k++;
                continue;
            }
        }
        in[k - 1] = state[k] ? first[k] + in[k] : in[k] ^ (uint32_t)k;
        state[k]++;
        state[--k] = 0;
    }
    return result;
}

KERNEL void deep(int n, const uint32_t *in, uint32_t *out)
{
    if ((int)ME >= n)
        return;
    out[ME] = f24(in[ME]);
    assert(out[ME] == by_hand(in[ME], DEPTH));
}

/* Barriers between the calls, and calls that only some threads make. */
KERNEL void between(int n, const uint32_t *in, uint32_t *out)
{
    SHARED uint32_t all[1024];
    uint32_t x = in[ME];
    all[ME] = x & 1 ? f24(x) : x;
    barrier();
    uint32_t next = all[(ME + 1) % (uint32_t)n], total = warp_sum(x);
    barrier();
    if (next & 2)
        all[ME] += f24(next);
    barrier();
    out[ME] = all[ME];
    uint32_t mine = x & 1 ? by_hand(x, DEPTH) : x, other = (ME + 1) % (uint32_t)n;
    uint32_t after = in[other] & 1 ? by_hand(in[other], DEPTH) : in[other];
    assert(next == after && total >= x);
    assert(out[ME] == mine + (after & 2 ? by_hand(after, DEPTH) : 0));
}

struct pair {
    uint32_t a[3], b;
};

static struct pair g0(struct pair p, uint32_t *count)
{
    uint32_t turned[5];
    for (uint32_t i = 0; i < 5; i++)
        turned[(i + p.b) % 5] = p.a[i % 3] + i;
    p.a[p.b % 3] = turned[p.a[0] % 5];
    p.b = p.b * 5 + 1;
    ++*count;
    return p;
}
#define PAIRS(k, below)                                                                            \
    static struct pair g##k(struct pair p, uint32_t *count)                                        \
    {                                                                                              \
        uint32_t own = 0;                                                                          \
        struct pair q = g##below(p, &own);                                                         \
        if ((q.b ^ k) % 16 == 0)                                                                   \
            q = g##below(q, count);                                                                \
        *count += own;                                                                             \
        return q;                                                                                  \
    }
ROWS(PAIRS)

KERNEL void pointers(int n, const uint32_t *in, uint32_t *out)
{
    if ((int)ME >= n)
        return;
    uint32_t count = 0, steps;
    struct pair p = {{in[ME], 2, 3}, ME}, q = g24(p, &count);
    for (steps = 0; steps < count; steps++) {
        uint32_t once = 0;
        p = g0(p, &once);
    }
    out[ME] = count;
    assert(count > 0 && p.b == q.b);
    assert(p.a[0] == q.a[0] && p.a[1] == q.a[1] && p.a[2] == q.a[2]);
}
