// Structs that helpers take and return by value. By the ABI of the host those with 16-bit floats go
// in as short vectors, of whose bits their other numbers are made.
// sizes: 1 33 8x8x4
// run: -k arguments -b @B --quiet f16[2048]=iota bf16[2048]=iota
#include <lanewise/kernel.h>

#define ME (warp_id() * WARP_SIZE + lane_id())

struct half_float {
    _Float16 h;
    float f, g;
};

struct two_halves {
    _Float16 h[2];
    uint32_t u;
};

struct bfloats {
    __bf16 a, b, c;
    uint16_t u;
};

struct mixed {
    float f;
    uint8_t u;
    _Float16 h;
};

static float of_half_float(struct half_float s)
{
    return (float)s.h + 2 * s.f + 3 * s.g;
}

static float only_second(struct half_float s)
{
    return s.f;
}

static float set_second(struct half_float s, uint32_t bits)
{
    memcpy(&s.f, &bits, 4);
    return only_second(s);
}

static struct two_halves swap(struct two_halves s)
{
    struct two_halves r = {{s.h[1], s.h[0]}, ~s.u};
    return r;
}

static struct bfloats turned(struct bfloats s)
{
    struct bfloats r = {s.b, s.c, s.a, (uint16_t)(s.u + 1)};
    return r;
}

static struct bfloats turn(struct bfloats s, bool again)
{
    struct bfloats r = turned(s);
    return again ? turned(r) : r;
}

static float of_mixed(struct mixed s)
{
    return s.f * s.u + (float)s.h;
}

KERNEL void arguments(const _Float16 *h, const __bf16 *b)
{
    int t = ME;
    float x = (float)(t & 7);
    struct half_float a = {h[t], x, x + 1};
    assert(of_half_float(a) == (float)h[t] + 5 * x + 3);
    const struct half_float *halves = (const struct half_float *)h;
    const uint32_t *words = (const uint32_t *)h;
    assert(only_second(halves[t]) == ((const float *)h)[3 * t + 1]);
    assert(set_second(halves[t], words[0] + t) == set_second(a, words[0] + t));
    struct two_halves c = swap(swap((struct two_halves){{h[t], h[t + 1]}, (uint32_t)t}));
    assert(c.h[0] == h[t] && c.h[1] == h[t + 1] && c.u == (uint32_t)t);
    struct two_halves row = swap(((const struct two_halves *)h)[t]);
    assert(row.h[0] == h[4 * t + 1] && row.h[1] == h[4 * t]);
    struct bfloats d = turn((struct bfloats){b[t], b[t + 1], b[t + 2], 7}, t & 1);
    assert(d.u == 8 + (t & 1) && (float)d.a == (float)(t & 1 ? b[t + 2] : b[t + 1]));
    struct bfloats e = turn(((const struct bfloats *)b)[t], false);
    assert((float)e.c == (float)b[4 * t] && (float)e.a == (float)b[4 * t + 1]);
    struct mixed m = {x, (uint8_t)t, h[t]};
    assert(of_mixed(m) == x * (uint8_t)t + (float)h[t]);
}
