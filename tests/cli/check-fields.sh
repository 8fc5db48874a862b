# check-fields.sh - a finding of `lanewise check --json` names the threads and blocks of both
# accesses, and counts accesses: one of 16 bytes is one.
set -eu
LANEWISE_CACHE_DIR=$TMP/cache
export LANEWISE_CACHE_DIR
command -v python3 >/dev/null || { echo "there is no python3"; exit 77; }
fail() { echo "$*"; exit 1; }

cat >k.c <<'C'
#include <lanewise/kernel.h>
KERNEL void wide(int4 *x)
{
    x[thread_idx.x % 32] = (int4){(int)thread_idx.x, 1, 2, 3};
}
KERNEL void fenced(int *x, int *out)
{
    const unsigned i = thread_idx.x + 8 * thread_idx.y;
    fence_block();
    if (block_idx.y == 1 && i == 13)
        out[0] = x[0];
    if (block_idx.y == 1 && i == 38)
        x[0] = 1;
}
C
"$LANEWISE" check k.c -k wide -b 64 'i32[128]' --json >wide && fail "status 0"
"$LANEWISE" check k.c -k fenced -b 8,8 -g 1,3 'i32[1]' 'i32[1]' --json >fenced && fail "status 0"
python3 - <<'PY'
import json

def load(name):
    with open(name, encoding="utf-8") as f:
        (finding,) = json.load(f)["findings"]
    return finding

assert load("wide")["count"] == 32, load("wide")
f = load("fenced")
assert (f["block"], f["other_block"], f["count"]) == ([0, 1, 0], [0, 1, 0], 1), f
assert (f["thread"], f["other_thread"]) == ([6, 4, 0], [5, 1, 0]), f
assert (f["line"], f["other_line"], f["object"]) == (13, 11, "x[0]"), f
PY
