#!/bin/sh
# A kernel of many printfs in a large block, on a small stack.
set -eu

cat >many.c <<'END'
#include <lanewise/kernel.h>

#define ONE(k)                                                                                     \
    if (n == (k))                                                                                  \
        printf("%d %d %d %d %d %d %d %d\n", k, t, t + 1, t + 2, t + 3, t + 4, t + 5, t + 6);
#define FIVE(k) ONE(k) ONE(k + 1) ONE(k + 2) ONE(k + 3) ONE(k + 4)
#define EIGHT(x) x, x, x, x, x, x, x, x
#define DIGITS "%d%d%d%d%d%d%d%d"

KERNEL void many(int n, int thread)
{
    int t = thread_idx.x;
    if (t != thread)
        return;
    FIVE(0) FIVE(5) FIVE(10) FIVE(15)
    printf(DIGITS DIGITS DIGITS DIGITS DIGITS DIGITS DIGITS DIGITS "\n", EIGHT(EIGHT(t % 10)));
}
END
digits=3333333333333333333333333333333333333333333333333333333333333333
printf '[block 0,0,0 thread 1023,0,0] 17 %s\n[block 0,0,0 thread 1023,0,0] %s\n' \
    '1023 1024 1025 1026 1027 1028 1029' $digits >expected
ulimit -S -s 1024
for device in ref cpu; do
    "$LANEWISE" run -d $device -b 1024 many.c 17 1023 >printed
    cmp expected printed
done
