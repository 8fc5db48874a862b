// A negated number, half of one of 64 bits, shifted to the right and added to something: the
// assembler of CUDA 13.0 makes one instruction of it, as if what is shifted were negated.
// run: -b 8 i32[8] i64[8]=iota
// expect: sums: i32[8] = [0, -1, -1, -2, -2, -3, -3, -4]
// expect: numbers: i64[8] = [0, 5, 10, 15, 20, 25, 30, 35]
#include <lanewise/kernel.h>

KERNEL void halve(int *sums, int64_t *numbers)
{
    int64_t number = numbers[thread_idx.x];
    numbers[thread_idx.x] = number * 5;
    sums[thread_idx.x] += -(int)number >> 1;
}
