// A divergent machine of so many gotos that a warp's code with masks and without would be too long.
// So lanes enter its loops under masks only, for all pieces of a warp or for groups of them.
// sizes: 1 9 45 320
// run: -k machine -b @B --quiet u32[@N]=iota u32[@N]
#include <lanewise/kernel.h>

#define ME (warp_id() * WARP_SIZE + lane_id())
#define STATE(k, far, near)                                                                        \
    L##k : s = s * 1664525u + 2 * k + 1;                                                           \
    if (++steps > 50)                                                                              \
        goto out;                                                                                  \
    if (s & 0x8000)                                                                                \
        goto L##far;                                                                               \
    if (s & 0x4000)                                                                                \
        goto L##near;

KERNEL void machine(const uint32_t *in, uint32_t *out)
{
    uint32_t s = in[ME], steps = 0;
    STATE(0, 3, 5)
    STATE(1, 10, 16)
    STATE(2, 17, 27)
    STATE(3, 24, 38)
    STATE(4, 31, 49)
    STATE(5, 38, 60)
    STATE(6, 45, 7)
    STATE(7, 52, 18)
    STATE(8, 59, 29)
    STATE(9, 2, 40)
    STATE(10, 9, 51)
    STATE(11, 16, 62)
    STATE(12, 23, 9)
    STATE(13, 30, 20)
    STATE(14, 37, 31)
    STATE(15, 44, 42)
    STATE(16, 51, 53)
    STATE(17, 58, 0)
    STATE(18, 1, 11)
    STATE(19, 8, 22)
    STATE(20, 15, 33)
    STATE(21, 22, 44)
    STATE(22, 29, 55)
    STATE(23, 36, 2)
    STATE(24, 43, 13)
    STATE(25, 50, 24)
    STATE(26, 57, 35)
    STATE(27, 0, 46)
    STATE(28, 7, 57)
    STATE(29, 14, 4)
    STATE(30, 21, 15)
    STATE(31, 28, 26)
    STATE(32, 35, 37)
    STATE(33, 42, 48)
    STATE(34, 49, 59)
    STATE(35, 56, 6)
    STATE(36, 63, 17)
    STATE(37, 6, 28)
    STATE(38, 13, 39)
    STATE(39, 20, 50)
    STATE(40, 27, 61)
    STATE(41, 34, 8)
    STATE(42, 41, 19)
    STATE(43, 48, 30)
    STATE(44, 55, 41)
    STATE(45, 62, 52)
    STATE(46, 5, 63)
    STATE(47, 12, 10)
    STATE(48, 19, 21)
    STATE(49, 26, 32)
    STATE(50, 33, 43)
    STATE(51, 40, 54)
    STATE(52, 47, 1)
    STATE(53, 54, 12)
    STATE(54, 61, 23)
    STATE(55, 4, 34)
    STATE(56, 11, 45)
    STATE(57, 18, 56)
    STATE(58, 25, 3)
    STATE(59, 32, 14)
    STATE(60, 39, 25)
    STATE(61, 46, 36)
    STATE(62, 53, 47)
    STATE(63, 60, 58)
    goto L0;
out:
    out[ME] = s;

    uint32_t by_table = in[ME], state = 0;
    for (int i = 0; i <= 50; i++) {
        by_table = by_table * 1664525u + 2 * state + 1;
        state = by_table & 0x8000   ? (state * 7 + 3) % 64
                : by_table & 0x4000 ? (state * 11 + 5) % 64
                                    : (state + 1) % 64;
    }
    assert(out[ME] == by_table);
}
