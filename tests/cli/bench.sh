# `lanewise bench` measures the rows that are named: every variant is right, ours has the bits of
# ref, and the results come as a table, as JSON and as a drawing.
set -eu

if find "$BUILD" -name liblanewise.so -exec nm -D {} + | grep -q __asan_init; then
    echo "peers do not run in a sanitizer's process"
    exit 77
fi
grep -qw avx2 /proc/cpuinfo || { echo "no processor with AVX2"; exit 77; }

"$LANEWISE" bench --device ref --level avx2 dot24 softmax --rows transpose,matmul_4x4,build \
    --json results.json --svg results.svg --commit abc123 >table

for title in 'dot, grid-stride' 'softmax of rows' 'transpose' 'matmul' 'build of a small kernel'; do
    grep -q "$title" table || { echo "no row '$title'"; cat table; exit 1; }
done
# One and two threads of dot where there are two processors.
[ "$(grep -c "ours has ref's bits" table)" -ge 4 ] || { echo "other bits"; cat table; exit 1; }
if grep -E 'wrong|refused|crashed|failed' table; then exit 1; fi
grep -qE '^    ours +[0-9.]+ (ms|us)' table || { echo "ours has no time"; cat table; exit 1; }
grep -q '"commit": "abc123"' results.json
grep -q '"row": "matmul_4x4"' results.json
grep -q '</svg>' results.svg

# Rows that count, sort or have a third array; not all of these have code by hand.
"$LANEWISE" bench --device ref --level avx2 --threads 1 bitonic histogram compact csr attention \
    barriers >table
[ "$(grep -c "ours has ref's bits" table)" -eq 6 ] || { echo "other bits"; cat table; exit 1; }
if grep -E 'wrong|refused|crashed|failed' table; then exit 1; fi

# JSON on standard output is all that stands there.
"$LANEWISE" bench --device ref --level avx2 dot24 --threads 1 --json >out 2>table
head -c 1 out | grep -q '{'
grep -q '"same_bits": true' out
grep -q 'dot, grid-stride' table

# A device that cannot be opened costs ours only.
LANEWISE_GANG=7 "$LANEWISE" bench --level avx2 --small scan >table
grep -q "ours .* refused: LANEWISE_GANG is '7'" table
grep -qE '^    hand +[0-9.]+ (ms|us)' table

# On a terminal standard error shows how far it is, and nothing in the end.
python3 - "$LANEWISE" <<'TEXT'
import os, pty, subprocess, sys
own, theirs = pty.openpty()
words = "bench --device ref --level avx2 --threads 1 scan transpose".split()
subprocess.run([sys.argv[1], *words], stdout=subprocess.DEVNULL, stderr=theirs, check=True)
os.close(theirs)
said = os.read(own, 4096)
assert said.count(b"\r\x1b[K") == 2 and said.endswith(b"\r\x1b[K"), said
assert said.startswith(b"1/2 transpose, avx2, 1 thread") or b"2/2 scan, avx2" in said, said
TEXT

# The object of a failure has the words as they were typed.
if "$LANEWISE" bench --json 'zählen' >failed; then exit 1; fi
grep -q "there is no row 'zählen'" failed
