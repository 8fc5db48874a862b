// clang's builtins for bits and for arithmetic that tells of overflow or saturates, of all widths.
// run: -k k -b 8 i32[80] 'i32[10]=0,1,-1,5,255,-2147483648,2147483647,4097,3,17'
// expect: out: i32[80] = [160131100, 150130001, 131032, 130128002, 83223108, 160100101, 100031, 30118002, 256, -25100289, -2147482241, 83951360, -1082130432, -1082065025, -2147483153, 286262016, 32896, 2113994496, 41055, -1610547201, -50331648, -67043839, 33142, -2012692288, 0, 67108855, 65786, 10283, 68155384, 33554430, 1073799679, 671089192, 960, 152, 680, 440, 1004, 70, 943, 920, 2, 2, 6, 261, -2147483392, 1, -2147479551, 4101, 255, 2, 249, 6, 254, 1, 253, 254, -6, -4, 6, 260, -2147483395, 6, 2147483645, 4098, -127898898, -127900899, -127894895, -127900895, -127899900, -127900900, -127898899, -127896895, 65532, 65534, 2, 65534, 258, -2147418116, -2147483646, 2147422206]
// run: -k zeros -b 5 i32[40] u32[5]=0,1,2147483648,0,5
// expect: out: i32[40] = [32, 32, 64, 64, 16, 8, 16, 32, 0, 31, 0, 63, 0, 0, 15, 31, 31, 0, 31, 32, 16, 8, 16, 0, 32, 32, 64, 64, 16, 8, 16, 32, 0, 29, 0, 61, 0, 0, 13, 29]
#include <lanewise/kernel.h>

KERNEL void k(int *out, const int *in)
{
    int i = thread_idx.x, x = in[i], y = in[i + 1], r;
    unsigned carry;
    uint64_t wide = (uint64_t)(unsigned)x << 17 | (unsigned)y;
    short small;
    int4 v = {x, y, 3, -4}, w = {1, x, y, -4};
    schar4 c = {(signed char)x, 100, -100, (signed char)y}, e = {100, (signed char)y, -100, 1};
    out[i] = __builtin_popcount((unsigned)x) + __builtin_parity((unsigned)y) * 100 +
             __builtin_clrsb(x) * 1000 + __builtin_ffs(y) * 100000 +
             __builtin_clzg((unsigned short)x, 16) * 10000000;
    out[8 + i] = (int)(__builtin_bswap64(wide) >> 9) ^ (int)__builtin_bswap32((unsigned)x) ^
                 __builtin_bswap16((unsigned short)y);
    out[16 + i] =
        (int)(__builtin_bitreverse64(wide) >> 7) ^ (int)__builtin_bitreverse32((unsigned)x) ^
        __builtin_bitreverse16((unsigned short)y) ^ __builtin_bitreverse8((unsigned char)y);
    out[24 + i] = (int)(__builtin_rotateleft64(wide, (unsigned)y) >> 5) ^
                  (int)__builtin_rotateright32((unsigned)x, (unsigned)y) ^
                  __builtin_rotateleft16((unsigned short)x, 3) ^
                  __builtin_rotateright8((unsigned char)x, (unsigned char)y);
    out[32 + i] = __builtin_add_overflow(x, y, &r) + 2 * __builtin_mul_overflow(x, 3, &r) +
                  4 * __builtin_sub_overflow(x, y, &small) + 8 * (r & 7) + 64 * (small & 15);
    out[40 + i] = (int)__builtin_addc((unsigned)x, (unsigned)y, 1u, &carry) + (int)carry;
    out[48 + i] =
        (int)__builtin_subcb((unsigned char)x, (unsigned char)y, 1, (unsigned char *)&small) +
        (small & 255);
    out[56 + i] = __builtin_elementwise_add_sat(x, y) ^ __builtin_elementwise_sub_sat(x, 5) ^
                  (int)__builtin_elementwise_sub_sat((unsigned)x, 7u);
    c = __builtin_elementwise_add_sat(c, e);
    out[64 + i] = c.x + 1000 * c.y + 1000000 * c.z + c.w;
    v = __builtin_elementwise_max(__builtin_elementwise_abs(v),
                                  __builtin_elementwise_bitreverse(w));
    v = __builtin_shufflevector(v, w, 5, 0, 3, 2);
    char4 narrow = __builtin_convertvector(v, char4);
    out[72 + i] = v.x ^ v.y ^ v.z ^ v.w ^ narrow.y;
    __builtin_memmove(&out[72 + i], &out[72 + i], sizeof *out);
    __builtin_memcpy_inline(&r, &out[72 + i], 4);
    __builtin_memset_inline(&out[72 + i], 0, 2);
    out[72 + i] ^= __builtin_nontemporal_load(&in[i]) + r;
}

/* Of 0 they have no value in C; here it is the width. */
KERNEL void zeros(int out[5][8], const unsigned *in)
{
    int i = thread_idx.x;
    unsigned x = in[i];
    out[i][0] = __builtin_ctz(x);
    out[i][1] = __builtin_clz(x);
    out[i][2] = __builtin_ctzll(x);
    out[i][3] = __builtin_clzl(x);
    out[i][4] = __builtin_ctzs((unsigned short)x);
    out[i][5] = __builtin_ctzg((unsigned char)x);
    out[i][6] = __builtin_clzs((unsigned short)x);
    out[i][7] = __builtin_clzg(x);
}
