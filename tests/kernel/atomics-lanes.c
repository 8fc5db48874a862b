// Atomics on block memory at an address a lane, all lanes active: of indices from memory, linear,
// computed in another block than they are used in; with old values wanted and not.
// sizes: 32 64 256 1024
// run: -b @B i32[1]
// expect: checked: i32[1] = [1]
#include <lanewise/kernel.h>

SHARED int count[64];
SHARED uint8_t bytes[1024];
SHARED int64_t last[1024];
SHARED float sums[16];

KERNEL void lanes(int *checked)
{
    int t = thread_idx.x, n = block_dim.x;
    if (t < 32) {
        count[t] = count[t + 32] = 0;
        sums[t % 16] = 0;
    }
    bytes[t] = t * 7 % 61;
    last[t] = -1;
    barrier();
    int64_t far = bytes[t] + 3, slot = (int64_t)t * 5 % n /* a permutation */;
    atomic_add(&count[bytes[t]], 2);
    barrier();
    if (n > 2) /* another block of the program than that of the index */
        atomic_add(&count[far], (int)far);
    atomic_add(&sums[t & 15], 0.5f);
    int64_t old = atomic_exchange(&last[slot], (int64_t)t << 33);
    assert(old == -1);
    barrier();
    assert(atomic_max(&last[slot], -1) == (int64_t)t << 33);
    int sum = 0;
    for (int i = 0; i < 64; i++)
        sum += count[i];
    int expected = 0;
    for (int i = 0; i < n; i++)
        expected += 2 + i * 7 % 61 + 3;
    assert(sum == expected);
    assert(sums[t & 15] == 0.5f * n / 16);
    if (t == 0)
        *checked = 1;
}
