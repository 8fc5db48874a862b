// A loop stores where later iterations of it read, one to five iterations ahead, or where earlier
// ones have read; or half of what the next reads. Step and distance are known to no compiler:
// however many iterations are made at once, each reads what those before it have left.
// run: -k ahead -b 1 13 1 1 i32[14]
// expect: memory: i32[14] = [0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13]
// run: -k ahead -b 1 12 1 2 i32[14]
// expect: memory: i32[14] = [0, 0, 1, 1, 2, 2, 3, 3, 4, 4, 5, 5, 6, 6]
// run: -k ahead -b 1 11 1 3 i32[14]
// expect: memory: i32[14] = [0, 0, 0, 1, 1, 1, 2, 2, 2, 3, 3, 3, 4, 4]
// run: -k ahead -b 1 10 1 4 i32[14]
// expect: memory: i32[14] = [0, 0, 0, 0, 1, 1, 1, 1, 2, 2, 2, 2, 3, 3]
// run: -k ahead -b 1 9 1 5 i32[14]
// expect: memory: i32[14] = [0, 0, 0, 0, 0, 1, 1, 1, 1, 1, 2, 2, 2, 2]
// run: -k ahead -b 1 13 3 3 i32[16]
// expect: memory: i32[16] = [0, 0, 0, 1, 0, 0, 2, 0, 0, 3, 0, 0, 4, 0, 0, 5]
// run: -k ahead -b 1 13 3 6 i32[19]
// expect: memory: i32[19] = [0, 0, 0, 0, 0, 0, 1, 0, 0, 1, 0, 0, 2, 0, 0, 2, 0, 0, 3]
// run: -k ahead -b 1 13 3 1 i32[14]
// expect: memory: i32[14] = [0, 1, 0, 0, 1, 0, 0, 1, 0, 0, 1, 0, 0, 1]
// run: -k ahead -b 1 13 1 0 i32[13]=iota
// expect: memory: i32[13] = [1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13]
// run: -k ahead -b 1 1 1 1 i32[2]
// expect: memory: i32[2] = [0, 1]
// run: -k ahead -b 1 0 1 1 i32[2]
// expect: memory: i32[2] = [0, 0]
// run: -k ahead -b 1 -2147483648 1 1 i32[2]
// expect: memory: i32[2] = [0, 0]
// run: -k ahead -b 1 13 2147483647 1 i32[2]
// expect: memory: i32[2] = [0, 1]
// run: -k back -b 1 13 2 i32[15]=iota
// expect: memory: i32[15] = [3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 13, 14]
// run: -k lower -b 1 12 2 u16[15]
// expect: memory: u16[15] = [0, 0, 1, 0, 2, 0, 3, 0, 4, 0, 5, 0, 6, 0, 0]
#include <lanewise/kernel.h>

KERNEL void ahead(int count, int step, int distance, int *memory)
{
    for (int i = 0; i < count; i += step)
        memory[i + distance] = memory[i] + 1;
}

KERNEL void back(int count, int distance, int *memory)
{
    for (int i = 0; i < count; i += 1)
        memory[i] = memory[i + distance] + 1;
}

/* reads four bytes, writes two */
KERNEL void lower(int count, int step, uint16_t *memory)
{
    for (int i = 0; i < count; i += step)
        memory[i + step] = (uint16_t)(*(uint32_t *)(memory + i) + 1);
}
