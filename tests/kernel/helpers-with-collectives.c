// Helpers with collectives that call the one below twice: two to the power of 10 or 12 instances,
// which are not all copied. Each is an instance of its own, as in the loops that do the same by
// hand: there the leaves are counted, and a finished call goes on in the helper above it.
// sizes: 1 33 96
// run: -k plain -b @B --quiet u32[@N]=iota
// run: -k block -b @B --quiet u32[@N]=iota
// run: -k mixed -b @B --quiet u32[@N]=iota
// run: -k parts -b @B --quiet u32[@N]=iota
// run: -k arms -b @B --quiet u32[@N]=iota
#include <lanewise/kernel.h>

#define ME (warp_id() * WARP_SIZE + lane_id())
#define ROWS(ROW)                                                                                  \
    ROW(1, 0) ROW(2, 1) ROW(3, 2) ROW(4, 3) ROW(5, 4) ROW(6, 5) ROW(7, 6) ROW(8, 7) ROW(9, 8)      \
    ROW(10, 9) ROW(11, 10) ROW(12, 11)

/* What is between the two calls: lanes part, and go around a loop with a collective. */
static uint32_t between(uint32_t r, uint32_t k)
{
    if ((r ^ k) & 1)
        for (uint32_t i = 0; i < (r & 3); i++)
            r += warp_max(r & 1023) + i;
    return r;
}

static uint32_t p0(uint32_t x) { return x * 3 + warp_sum(x & 7); }
#define PLAIN(k, below)                                                                            \
    static uint32_t p##k(uint32_t x)                                                               \
    {                                                                                              \
        uint32_t r = between(p##below(x), k);                                                      \
        return r * 5 ^ p##below(r + k);                                                            \
    }
ROWS(PLAIN)

#define BY_HAND(leaf, depth, x)                                                                    \
    ({                                                                                             \
        uint32_t saved[depth + 1], value = 0, argument = x;                                        \
        for (uint32_t i = 0; i < 1u << depth; i++) {                                               \
            uint32_t k = 1;                                                                        \
            value = leaf(argument);                                                                \
            for (; k <= depth && i >> (k - 1) & 1; k++)                                            \
                value ^= saved[k] * 5;                                                             \
            if (k <= depth) {                                                                      \
                saved[k] = between(value, k);                                                      \
                argument = saved[k] + k;                                                           \
            }                                                                                      \
        }                                                                                          \
        value;                                                                                     \
    })

/* Some lanes come, and they are together behind the calls. */
KERNEL void plain(uint32_t *x)
{
    uint32_t mine = x[ME], together = warp_sum(1u), got = mine, wanted = mine;
    if (mine % 3)
        got = p12(mine);
    assert(warp_sum(1u) == together);
    if (mine % 3)
        wanted = BY_HAND(p0, 12, mine);
    assert(got == wanted);
}

/* Barriers: all threads go along. */
static uint32_t b0(uint32_t x)
{
    SHARED uint32_t all[96];
    barrier();
    all[ME] = x;
    uint32_t threads = block_sum(1u);
    return x + all[(ME + 1) % threads] * 7;
}
#define BLOCKS(k, below)                                                                           \
    static uint32_t b##k(uint32_t x)                                                               \
    {                                                                                              \
        uint32_t r = between(b##below(x), k);                                                      \
        return r * 5 ^ b##below(r + k);                                                            \
    }
ROWS(BLOCKS)

KERNEL void block(uint32_t *x)
{
    assert(b10(x[ME]) == BY_HAND(b0, 10, x[ME]));
}

/* Two helpers in turn, below others in turn, with results through pointers. */
static void g0(uint32_t *r) { *r += warp_sum(*r & 15); }
static uint32_t h0(uint32_t x, uint32_t y) { return x ^ warp_inclusive_sum(y & 3); }
#define MIXED(k, below)                                                                            \
    static uint32_t h##k(uint32_t x, uint32_t y);                                                  \
    static void g##k(uint32_t *r)                                                                  \
    {                                                                                              \
        g##below(r);                                                                               \
        *r ^= h##below(*r, k);                                                                     \
        g##below(r);                                                                               \
        *r += h##below(k, *r);                                                                     \
    }                                                                                              \
    static uint32_t h##k(uint32_t x, uint32_t y)                                                   \
    {                                                                                              \
        x += h##below(y, x);                                                                       \
        g##below(&x);                                                                              \
        return h##below(x, y + k);                                                                 \
    }
MIXED(1, 0) MIXED(2, 1) MIXED(3, 2) MIXED(4, 3) MIXED(5, 4) MIXED(6, 5)

/* What is left to do, a step at a time: a helper of a level, with up to four calls. */
static void mixed_by_hand(uint32_t *r, uint32_t depth)
{
    uint32_t level[8], step[8], is_h[8], x[8], y[8], top = 0, result = 0;
    level[0] = depth, step[0] = 0, is_h[0] = 0, x[0] = *r, y[0] = 0;
    for (;;) {
        uint32_t k = level[top], s = step[top]++, call_h = 0, a = 0, b = 0;
        bool done = false;
        if (k == 0) {
            result = is_h[top] ? h0(x[top], y[top]) : x[top];
            if (!is_h[top])
                g0(&result);
            done = true;
        } else if (is_h[top]) {
            if (s == 0)
                call_h = 1, a = y[top], b = x[top];
            else if (s == 1)
                a = x[top] += result;
            else if (s == 2)
                x[top] = result, call_h = 1, a = x[top], b = y[top] + k;
            else
                done = true;
        } else {
            if (s == 1 || s == 3)
                x[top] = result, call_h = 1;
            else if (s == 2)
                x[top] ^= result;
            else if (s == 4)
                result += x[top], done = true;
            a = s == 3 ? k : x[top];
            b = s == 3 ? x[top] : k;
        }
        if (done && top-- == 0)
            break;
        if (!done) {
            level[++top] = k - 1, step[top] = 0, is_h[top] = call_h, x[top] = a, y[top] = b;
        }
    }
    *r = result;
}

KERNEL void mixed(uint32_t *x)
{
    uint32_t got = x[ME], wanted = got;
    g6(&got);
    mixed_by_hand(&wanted, 6);
    assert(got == wanted);
}

/* Lanes that leave a loop in different trips call the helper in their own trip. */
KERNEL void parts(uint32_t *x)
{
    uint32_t got = x[ME], wanted = got, together = 0;
    for (uint32_t trip = 0; trip < 4; trip++) {
        if ((got + ME) % 4 == trip) {
            got = p9(got) ^ p9(got + 1);
            together = warp_sum(1u);
            break;
        }
    }
    for (uint32_t trip = 0; trip < 4; trip++)
        if ((wanted + ME) % 4 == trip && trip < 4) {
            uint32_t first = BY_HAND(p0, 9, wanted), second = BY_HAND(p0, 9, wanted + 1);
            wanted = first ^ second;
            assert(together == warp_sum(1u));
            break;
        }
    assert(got == wanted);
}

/* Calls in both arms of a branch, and behind it. */
KERNEL void arms(uint32_t *x)
{
    uint32_t got = x[ME], wanted = got, odd = got & 1;
    if (odd)
        got = p8(got) + p8(got + 2);
    else
        got = p8(got + 1) - p8(got);
    got ^= p8(got);
    if (odd)
        wanted = BY_HAND(p0, 8, wanted) + BY_HAND(p0, 8, wanted + 2);
    else
        wanted = BY_HAND(p0, 8, wanted + 1) - BY_HAND(p0, 8, wanted);
    wanted ^= BY_HAND(p0, 8, wanted);
    assert(got == wanted);
}
