# check-schedules.sh - `lanewise check` runs a launch in several orders: the same again each time,
# the seed is told, what is printed and left is that of the first; wrong numbers are refused.
set -eu
LANEWISE_CACHE_DIR=$TMP/cache
export LANEWISE_CACHE_DIR

cat >order.c <<'C'
#include <lanewise/kernel.h>
KERNEL void order(unsigned *next, unsigned *out)
{
    unsigned mine = atomic_add(next, 1);
    out[global_idx.x] = mine;
    if (mine == 0)
        printf("first is %d", (int)global_idx.x);
}
KERNEL void late(unsigned *next)
{
    if (atomic_add(next, 1) == 0)
        assert(thread_idx.x == 0);
}
C

fail() { echo "$*"; exit 1; }
check() { "$LANEWISE" check order.c -k order -b 64 -g 3 "$@" 'u32[1]' 'u32[192]'; }

# two runs are alike, for any numbers; the orders are what the seed says
for words in '' '--schedules 1' '--schedules 2' '--schedules 7 --seed 12345678901234567890'; do
    # shellcheck disable=SC2086
    check $words >one
    # shellcheck disable=SC2086
    check $words >two
    cmp one two
done
grep -q '^clean: .*, 7 schedules (seed 12345678901234567890)$' one
check >out
grep -q '^clean: 1 launch, 3 blocks, 384 accesses, 3 schedules (seed 1)$' out
check --schedules 2 >out
grep -q ', 2 schedules$' out
grep -q 'reverse leaves another value than forward' out
check --schedules 1 >out
grep -q ', 1 schedule$' out
! grep -q nondeterministic out

# printed once, by the first; the buffers are those of ref
"$LANEWISE" check order.c -k order -b 64 -g 3 'u32[1]' 'u32[192]:checked.npy' >out
[ "$(grep -c 'first is' out)" = 1 ] || fail "printed more than once"
grep -q 'first is 0$' out
"$LANEWISE" run -d ref order.c -k order -b 64 -g 3 'u32[1]' 'u32[192]:ref.npy' >out
cmp checked.npy ref.npy

# each order starts from the same memory: of copies, updates and copies across words of the shadow
cat >memory.c <<'C'
#include <lanewise/kernel.h>
KERNEL void memory(int *next, int *x)
{
    int *own = x + 2048 + 40 * thread_idx.x, held[15];
    atomic_add(next, 1);
    atomic_cas(next + 1, (int)thread_idx.x, (int)thread_idx.x + 1);
    own[0] += 1;
    __builtin_memcpy(held, own + 9, sizeof held);
    for (int i = 0; i < 15; i++)
        held[i] += 1;
    __builtin_memcpy(own + 9, held, sizeof held);
}
C
for device in ref check; do
    "$LANEWISE" run -d $device memory.c -b 4 i32[2]=zeros:$device-1.npy \
        i32[2560]=iota:$device-2.npy >out
done
cmp ref-1.npy check-1.npy && cmp ref-2.npy check-2.npy

# JSON says the numbers; --strict makes an error of a warning
check --json >out
grep -q '"class": "nondeterministic", "warning": true' out
check --strict --json >out && fail "--strict: status 0"
grep -q '"class": "nondeterministic", "warning": false' out
grep -q '"verdict": "findings"' out

# what fails in another order only is not checked, and says in which
status=0
"$LANEWISE" check order.c -k late -b 8 'u32[1]' >out 2>err || status=$?
[ "$status" = 4 ] || fail "a failed assert: status $status"
[ ! -s out ] || fail "a verdict on a launch that failed: $(cat out)"
grep -q 'not checked: .*assert.*in schedule reverse$' err

for words in '--schedules 0' '--schedules reverse' '--schedules -1' '--schedules 1001' \
    '--seed 0' '--seed x' '--schedules'; do
    status=0
    # shellcheck disable=SC2086
    "$LANEWISE" check $words order.c >out 2>err || status=$?
    [ "$status" = 2 ] || fail "$words: status $status"
    grep -q -- "$(echo "$words" | sed 's/ .*//')" err || fail "$words: $(cat err)"
done
