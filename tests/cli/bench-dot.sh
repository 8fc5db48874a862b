# `lanewise bench dot` times the dot product in steps, from a loop in C to all threads and a GPU,
# and compares what they give.
# not under sanitizers: bench-op.sh runs the same code
set -eu

fail() { echo "bench-dot.sh: $*"; cat out err 2>/dev/null; exit 1; }

export LANEWISE_NUM_THREADS=2
"$LANEWISE" bench dot -d cpu -n 5000 --seconds 0.2 --json results.json --svg results.svg >out 2>err
[ ! -s err ] || fail "something on standard error"
[ "$(grep -cE '^  [a-zC].* error [0-9.]+e' out)" -eq 10 ] || fail "steps"
[ "$(grep -cE -- '--.* the limit' out)" -eq 2 ] || fail "limits"

cat >look.py <<'TEXT'
import json
import xml.etree.ElementTree as tree
results = json.load(open("results.json"))
assert results["bench"] == "dot", results
rows = results["rows"]
assert not any("problem" in row for row in rows), rows
steps = [row for row in rows if not row["is_limit"]]
assert {row["on"] for row in rows} == {"cpu, 1 thread", "cpu, 2 threads"}, rows
assert [row["name"] for row in steps if row["on"] == "cpu, 1 thread"] == [
    "C loop, f32 x f32", "C loop, f32 x bool", "kernel: one block",
    "one line: map_reduce a*b, x+y", "operation dot, f32 x bool", "operation dot, f32 x f32"]
for row in steps:
    assert row["bytes"] == (25000 if "bool" in row["name"] else 40000), row
    assert row["flops"] == 10000 and 0 <= row["error"] < 1e-3 and row["limit"] == "read", row
drawing = tree.parse("results.svg").getroot()
bars = [box.get("class") for box in drawing.iter("{http://www.w3.org/2000/svg}rect")]
assert bars.count("bar") == 10 and bars.count("limit") == 2, bars
text = open("results.svg").read()
assert "GB/s" in text and "prefers-color-scheme: dark" in text
TEXT
python3 look.py || fail "results"

# A GPU that is not there is one line where nobody asked for it, else a failure.
if "$LANEWISE" devices | grep -A3 '^cuda' | grep -q 'not available'; then
    "$LANEWISE" bench dot -n 1000 --seconds 0.05 --svg results.svg >out
    [ "$(grep -c '^cuda: not measured: ' out)" -eq 1 ] || fail "no line for cuda"
    python3 -c 'import xml.etree.ElementTree as tree; tree.parse("results.svg")'
    status=0
    "$LANEWISE" bench dot -d cuda -n 1000 >out 2>err || status=$?
    [ $status -eq 4 ] || fail "cuda: status $status"
fi

# The steps of a GPU, on the simulator: they are right.
simulator=$BUILD/tests/ptxsim/libptxsim.so
if [ -e "$simulator" ]; then
    LANEWISE_CUDA_DRIVER=$simulator "$LANEWISE" bench dot -d cuda -n 700 --seconds 0.1 \
        --json >results.json
    python3 -c '
import json
rows = json.load(open("results.json"))["rows"]
names = [row["name"] for row in rows if not row["is_limit"]]
assert [name for name in names if name.startswith("kernel")] == [
    "kernel: an atomic a thread", "kernel: tree in block memory", "kernel: warp shuffles",
    "kernel: block_sum, 2048 blocks"], names
assert len(names) == 7 and all(row["error"] < 1e-5 for row in rows if not row["is_limit"]), rows'
fi

refuses() # TEXT WORDS...
{
    text=$1 status=0
    shift
    "$LANEWISE" bench dot "$@" >out 2>err || status=$?
    [ "$status" -eq 2 ] || fail "bench dot $*: status $status"
    grep -qF -- "$text" err || fail "bench dot $* does not say '$text'"
}
refuses "-n: '12x' is not a whole number" -n 12x
refuses "-n: at least 1 element is needed" -n 0
refuses "-n: 2000000000 is too large, at most 1073741824" -n 2000000000
refuses "the steps are for cpu and cuda, not for 'ref'" -d ref
refuses "bench dot takes no 'dot24'" dot24
