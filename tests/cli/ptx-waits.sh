# ptx-waits.sh - on a GPU, threads in loops that wait look now and then whether the launch is to
# stop, and exit; kernels that do not wait have none of that.
set -eu

cat >kernel.c <<'TEXT'
#include <lanewise/kernel.h>
KERNEL void waits(int *word)
{
    while (atomic_load(word) == 0)
        ;
    barrier();
    word[1] = 1;
}
KERNEL void works(int *word, int n)
{
    for (int i = 0; i < n; i++)
        word[i] += atomic_add(word, 1);
    barrier();
    word[1] = 1;
}
TEXT
ptx() {
    "$BUILD/src/compile/lanewise-compile" --device cuda:sm_80 --block 64,1,1 --kernel "$1" \
        --show ptx --out 3 kernel.c 3>&1
}
ptx waits >built
for line in 'lw_uses = 9' ', 16383;' 'ld\.volatile\.global\.u32' '	exit;'; do
    grep -q "$line" built || { echo "no '$line' in:"; cat built; exit 1; }
done
ptx works >built
for line in 'lw_uses = ' 'volatile\.global\.u32' '	exit;'; do
    ! grep "$line" built || exit 1
done
