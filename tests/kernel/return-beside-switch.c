// Some threads write and return; the others reconverge after a switch and read what was written.
// sizes: 1 2 32 33 64
// run: -b @B 2 i32[1]
// expect: wrong: i32[1] = [0]
#include <lanewise/kernel.h>

KERNEL void beside_switch(int which, int *wrong)
{
    SHARED int row[64];
    int t = thread_idx.x, most = 0;
    row[t] = 1;
    if (t) {
        row[t] = -t;
        return;
    }
    switch (which % 6) {
    case 2:
    case 3:
    case 4: break;
    case 0:
    case 1:
    case 5: most = warp_max(which); break;
    }
    barrier();
    int sum = most == (which == 1);
    for (int k = 1; k < block_dim.x; k++)
        sum += row[k] != -k;
    if (sum != 1)
        atomic_add(wrong, 1);
}
