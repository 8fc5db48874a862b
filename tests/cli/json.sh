# json.sh - the object of --json, with python3 as the judge of its form where that is installed.
set -eu

cat >k.c <<'END'
#include <lanewise/kernel.h>
struct pair {
    float x;
    int n[2];
};
KERNEL void all(float *f, uint64_t *u, bool *b, struct pair *s, const int *hidden)
{
    printf("a \"quoted\" \\ line\tof %d\n", thread_idx.x);
    f[0] = -0.0f, f[1] = 0.1f, f[2] = INFINITY, f[3] = NAN;
    u[0] = UINT64_MAX;
}
KERNEL void dies(int *a) { assert(a[0] == 1); }
END

"$LANEWISE" run k.c -k all -b 1 --json 'f32[2,2]' 'u64[1]' 'bool[2]=iota' 'struct[1]={1.5,{2,3}}' \
    'i32[1]' >out
cat >expected <<'END'
{"kernel": "all", "device": "cpu", "grid": [1, 1, 1], "block": [1, 1, 1],
 "buffers": [
  {"name": "f", "dtype": "f32", "shape": [2, 2], "data": [-0.0, 0.1, "inf", "nan"]},
  {"name": "u", "dtype": "u64", "shape": [1], "data": [18446744073709551615]},
  {"name": "b", "dtype": "bool", "shape": [2], "data": [false, true]},
  {"name": "s", "dtype": "struct", "shape": [1], "data": [[1.5, [2, 3]]]}],
 "output": [
  {"block": [0, 0, 0], "thread": [0, 0, 0], "text": "a \"quoted\" \\ line\u0009of 0"}],
 "lost": 0}
END
diff expected out

status=0
"$LANEWISE" run k.c -k dies -b 1 --json 'i32[1]' >failed 2>err || status=$?
[ "$status" = 4 ]
grep -q '"error": "' failed

"$LANEWISE" run k.c -k dies -b 1 --json --quiet --time=3 'i32[1]=1' >timed
grep -q '"time_ns": {"launches": 3, "min": [0-9]*, "median": [0-9]*, "max": [0-9]*}' timed
grep -q '"buffers": \[\]' timed

if command -v python3 >/dev/null; then
    for file in out failed timed; do python3 -m json.tool "$file" >/dev/null; done
fi
