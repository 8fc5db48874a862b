// Atomic operations on the last bytes of a buffer whose size is no multiple of four: hardware that
// has none for bytes takes the four around them. `cuda` gives any buffer 256 bytes, so it has more.
// run: -b 3 --quiet u8[259] i16[131]
#include <lanewise/kernel.h>

KERNEL void last(uint8_t *bytes, int16_t *halves)
{
    atomic_add(&bytes[256 + thread_idx.x], 1 + thread_idx.x);
    atomic_max(&halves[128 + thread_idx.x], 7);
    assert(bytes[256 + thread_idx.x] == 1 + thread_idx.x);
    assert(halves[128 + thread_idx.x] == 7);
}
