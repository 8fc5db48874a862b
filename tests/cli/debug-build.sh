# -O0: gdb has the value of every variable of a kernel, in helpers, loops and behind barriers, also
# where nothing is kept on disk; the results stay; other devices refuse it.
# not under sanitizers: what runs is gdb
fail() { echo "$*"; cat out 2>/dev/null; exit 1; }

cat >k.c <<'K'
#include <lanewise/kernel.h>
struct pair {
    float weight;
    int count;
};
SHARED double whole[4];
static float square(float v, const float *table)
{
    float s = v * v;
    s = s + table[0];
    return s;
}
KERNEL void mix(struct pair p, const float *x, TENSOR(float, 1) out, int n)
{
    SHARED float tile[64];
    float local[4];
    float sum = 0;
    int i;
    struct pair own = {p.weight + 1, p.count - 1};
    for (i = 0; i < n; i++) {
        if (i == 3)
            break;
        local[i] = own.weight * (float)i;
        sum += square(local[i], x);
    }
    local[3] = (float)own.count;
    tile[thread_idx.x] = x[thread_idx.x];
    whole[thread_idx.x] = thread_idx.x;
    barrier();
    const float *next = x + (thread_idx.x + 1) % block_dim.x;
    float other = tile[(thread_idx.x + 1) % block_dim.x];
    if (thread_idx.x % 2 == 0) {
        other = -other + *next;
    }
    at(out, thread_idx.x) = sum + other + local[3] + (float)whole[0];
}
K
set -- k.c -d ref -b 4 '{2,5}' 'f32[4]=iota' 'f32[4]' 4
export LANEWISE_CACHE_DIR="$TMP/cache"
"$LANEWISE" run "$@" >plain
"$LANEWISE" run -O0 "$@" >debug
cmp plain debug || fail "-O0 has another result"
entries=$(find cache -name '*.so' | wc -l)
[ "$entries" -eq 2 ] || fail "the cache has $entries objects for two kinds of code"

status=0
"$LANEWISE" run -O0 k.c -d cpu -b 4 '{2,5}' 'f32[4]=iota' 'f32[4]' 4 >out 2>&1 || status=$?
[ "$status" -eq 2 ] || fail "-O0 on cpu ended with status $status"
grep -q 'O0 is for device ref, .* not for cpu; add -d ref' out || fail "-O0 on cpu does not say why"

command -v gdb >/dev/null || { echo "no gdb here"; exit 77; }

# stop PLACE WORDS... - the values of expressions at a place, one a line. LANEWISE_CACHE says where
# the code lies.
stop()
{
    place=$1
    shift
    for word; do set -- "$@" -ex "output $word" -ex 'echo \n'; shift; done
    timeout 100 gdb -batch -nx -ex 'set debuginfod enabled off' -ex 'set breakpoint pending on' \
        -ex "break $place" -ex run -ex 'echo BEGIN\n' "$@" --args "$LANEWISE" run -O0 k.c -d ref \
        -b 4 '{2,5}' 'f32[4]=iota' 'f32[4]' 4 >out 2>&1
    ! grep -q 'Could not trace the inferior\|ptrace' out ||
        { echo "gdb may not trace here"; exit 77; }
    sed -n '/^BEGIN/,$p' out | grep -v '^\[\|^BEGIN\|^$' >got
}

for kept in 1 0; do
    export LANEWISE_CACHE=$kept
    stop 'k.c:35 if thread_idx.x == 2' p.weight p n 'x[3]' '*x@4' own local sum i tile[0]@4 \
        whole other '*next' 'next - x' 'out.data == 0' 'out.extent[0]' thread_idx block_idx \
        block_dim grid_dim global_idx lane_id warp_id
    cat >expected <<'V'
2
{weight = 2, count = 5}
4
3
{0, 1, 2, 3}
{weight = 3, count = 4}
{0, 3, 6, 4}
45
3
{0, 1, 2, 3}
{0, 1, 2, 3}
0
3
3
0
4
{x = 2, y = 0, z = 0}
{x = 0, y = 0, z = 0}
{x = 4, y = 1, z = 1}
{x = 1, y = 1, z = 1}
{x = 2, y = 0, z = 0}
2
0
V
    diff expected got || fail "with LANEWISE_CACHE=$kept gdb shows something else"
done
# Commands: to another thread, also one that has begun or returned, and to stay with it.
cat >commands.gdb <<'G'
set debuginfod enabled off
source lanewise.py
break k.c:29
run
lanewise stay
lanewise thread 0 3
output thread_idx.x
next
lanewise threads
lanewise thread 0 4
lanewise thread 0
lanewise thread a 0
lanewise thread 0 0
finish
lanewise thread 0 1
lanewise thread 0 0
G
cp "$SOURCE/gdb/lanewise.py" .
sed 's/.*/-ex "&"/' commands.gdb | tr '\n' ' ' >words
eval "timeout 100 gdb -batch -nx $(cat words) --args \"\$LANEWISE\" run -O0 k.c -d ref -b 4 \
    '{2,5}' 'f32[4]=iota' 'f32[4]' 4" >out 2>&1
grep -v '^\[\|^#\|^warning\|^Using host\|^$\|pending\|^No \|hit Breakpoint' out |
    grep -v '^+ \|lw__ref_begin\|movq\|^0x\|^Run till exit' >got
cat >expected <<'V'
29	    barrier();
1 breakpoints stop block 0,0,0 thread 0,0,0 only
block 0,0,0 thread 3,0,0
17	    float sum = 0;
319	    struct pair own = {p.weight + 1, p.count - 1};
0,0,0 to 2,0,0: in barrier, line 29
3,0,0: runs
there is no thread 4,0,0; the launch has 4,1,1 of them
1 words; need the block and the thread, as in 0 5
the block is 'a'; need X, X,Y or X,Y,Z, whole numbers from 0
block 0,0,0 thread 0,0,0
29	    barrier();
block 0,0,0 thread 1,0,0
29	    barrier();
thread 0,0,0 of block 0,0,0 has returned
V
diff expected got || fail "the commands print something else"

stop 'square if v > 4' v 'table[2]' thread_idx.x
printf '6\n2\n0\n' | diff - got || fail "in a helper gdb shows something else"
