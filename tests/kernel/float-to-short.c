// What a float becomes in 8 or 16 bits is all there is of it when the number is used at once.
// sizes: 1 40 64
// device: !check it tells of numbers out of range
// run: -b @B i32[1] f32[64]=iota
// expect: wrong: i32[1] = [0]
#include <lanewise/kernel.h>

KERNEL void narrow(int *wrong, const float *a)
{
    int t = thread_idx.x;
    float x = a[t] * 3 - 40;
    int by_hand = t * 3 - 40, positive = by_hand < 0 ? 0 : by_hand;
    int numbers[4] = {(uint8_t)x, (int8_t)x, (uint16_t)(x * 300), (int16_t)(x * 300)};
    int expected[4] = {positive > 255 ? 255 : positive,
                       by_hand > 127 ? 127 : by_hand,
                       positive * 300 > 65535 ? 65535 : positive * 300,
                       by_hand * 300 > 32767 ? 32767 : by_hand * 300};
    for (int k = 0; k < 4; k++)
        if (numbers[k] != expected[k])
            atomic_add(wrong, 1);
    uint32_t sum = t & 20 ? 32u ^ (uint32_t)t : (uint16_t)(float)t;
    if (sum != (t & 20 ? 32u ^ (uint32_t)t : (uint32_t)t))
        atomic_add(wrong, 1);
}
