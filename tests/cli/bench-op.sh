# `lanewise bench op` times one operation on each device and number of threads: statistics, a
# histogram, JSON, a drawing; it says what is wrong, and Ctrl-C ends it.
set -eu

fail() { echo "bench-op.sh: $*"; cat out err 2>/dev/null; exit 1; }

# refuses STATUS TEXT WORDS...
refuses()
{
    want=$1 text=$2 status=0
    shift 2
    "$LANEWISE" bench "$@" >out 2>err || status=$?
    [ "$status" = "$want" ] || fail "bench $*: status $status, not $want"
    grep -qF -- "$text" err || fail "bench $* does not say '$text'"
}

export LC_ALL=C
"$LANEWISE" bench op dot 'f32[4096]=rand:1' 'bool[4096]=rand:2' --seconds 0.2 --threads 1,2 \
    --json results.json --svg results.svg >out 2>err
[ ! -s err ] || fail "progress without a terminal"
grep -q '^dot f32\[4096\]=rand:1 bool\[4096\]=rand:2 on cpu, 1 thread: [0-9]* sam' out || fail "one"
grep -q ' on cpu, 2 threads: [0-9]* sample' out || fail "two threads"
[ "$(grep -c '^  min .* median .* mean .* deviation .* max ' out)" -eq 2 ] || fail "statistics"
[ "$(grep -c 'samples by time' out)" -eq 2 ] || fail "the axis"
grep -q '#' out || fail "histogram"
if grep -q '█' out; then fail "blocks in a locale without them"; fi
# Two results.
"$LANEWISE" bench op top_k k=3 'f32[99]=rand:1' --seconds 0.02 | grep -q '^top_k' || fail "top_k"
LC_ALL=C.UTF-8 "$LANEWISE" bench op sum 'f32[9]' --seconds 0.05 | grep -q '█' || fail "blocks"

cat >look.py <<'TEXT'
import json
import xml.etree.ElementTree as tree
results = json.load(open("results.json"))
assert results["bench"] == "op" and results["interrupted"] is False, results
assert {"machine", "date", "load"} <= set(results)
rows = [row for row in results["rows"] if not row["is_limit"]]
assert [row["on"] for row in rows] == ["cpu, 1 thread", "cpu, 2 threads"], rows
for row in results["rows"]:
    assert row["samples"] >= 1 and row["calls"] >= 1, row
    assert 0 < row["min_s"] <= row["median_s"] <= row["max_s"], row
    assert row["min_s"] <= row["mean_s"] <= row["max_s"] and row["deviation_s"] >= 0, row
    histogram = row["histogram"]
    assert sum(histogram["counts"]) == row["samples"], row
    assert histogram["from_s"] == row["min_s"] <= histogram["to_s"] <= row["max_s"], row
for row in rows:
    assert row["words"] == ["dot", "f32[4096]=rand:1", "bool[4096]=rand:2"], row
    assert row["bytes"] == 4096 * 5 + 4 and row["flops"] == 8192, row
    assert abs(row["bytes_per_s"] * row["median_s"] / row["bytes"] - 1) < 1e-4, row
    assert row["limit"] == "read", row
    assert abs(row["of_limit"] * row["median_s"] / row["limit_s"] - 1) < 1e-3, row
drawing = tree.parse("results.svg").getroot()
assert drawing.tag == "{http://www.w3.org/2000/svg}svg", drawing.tag
assert "prefers-color-scheme: dark" in open("results.svg").read()
assert len(drawing.findall("{http://www.w3.org/2000/svg}rect")) >= 2
TEXT
python3 look.py || fail "results"

# What is not plain text stays well-formed.
"$LANEWISE" bench op map 'expression=a<1&&a>0?a:"x"[0]' 'f32[99]' --seconds 0.02 --json \
    --svg odd.svg >odd.json
python3 -c '
import json, xml.etree.ElementTree as tree
tree.parse("odd.svg")
assert json.load(open("odd.json"))["rows"][0]["words"][1] == "expression=a<1&&a>0?a:\"x\"[0]"'

# Other devices; a product is compared with the peak of multiply-adds.
"$LANEWISE" bench op softmax axis=0 'f32[2,2]' -d cpu,ref --seconds 0.05 >out
grep -q 'softmax axis=0 f32\[2,2\] on ref: ' out || fail "no ref"
"$LANEWISE" bench op matmul 'f64[96,96]=rand:1' 'f64[96,96]=rand:2' --seconds 0.1 --json \
    --threads 1 >results.json
python3 -c '
import json
row, *limits = json.load(open("results.json"))["rows"]
assert row["flops"] == 2 * 96 ** 3 and "flops_per_s" in row, row
assert "multiply-adds" in [limit["name"] for limit in limits], limits
assert limits[-1]["words"][:2] == ["peak", "f64[1]=const:1"], limits'

refuses 2 "bench op needs the NAME of an operation" op
refuses 2 "the nearest are dot" op dott 'f32[2]'
refuses 2 "softmax has no parameter 'axes'; it has axis" op softmax axes=0 'f32[2]'
refuses 2 "dot needs 2 ARGs, 1 given" op dot 'f32[2]'
refuses 2 "need the same" op dot 'f32[2]' 'f32[3]'
refuses 2 "'out=x.npy' is of lanewise op" op sum 'f32[2]' out=x.npy
refuses 2 "there is no device 'cpux'; this library has cpu" op sum 'f32[2]' -d cpux
refuses 2 "--threads: '0' is not a number from 1 to 256" op sum 'f32[2]' --threads 1,0
refuses 2 "--seconds: '-1' is not a number of seconds above 0" op sum 'f32[2]' --seconds=-1
refuses 2 "--filter is not for this command" op sum 'f32[2]' --filter x
refuses 3 "use of undeclared identifier 'q'" op map expression=q 'f32[2]'
"$LANEWISE" bench op --help | grep -q '^usage: lanewise bench op NAME' || fail "--help"

# A device that is not there leaves the results of the others.
if "$LANEWISE" devices | grep -A3 '^cuda' | grep -q 'not available'; then
    refuses 4 "cuda: device 'cuda' cannot be used" op sum 'f32[8]' -d cuda,cpu --seconds 0.05
    grep -q 'sum f32\[8\] on cpu' out || fail "no cpu beside cuda"
fi

# Ctrl-C: between samples, of which there are at most 10,000 (a call of this sum is long enough that
# they take seconds), and in a call that takes for ever.
cat >interrupt.py <<'TEXT'
import os, pty, signal, subprocess, sys, time
command, want = sys.argv[1].split(), sys.argv[2]
own, theirs = pty.openpty()
plain = dict(os.environ, NO_COLOR="1")
process = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=theirs, env=plain)
seen = b""
while want.encode() not in seen: # progress on the terminal
    seen += os.read(own, 4096)
time.sleep(0.3)
process.send_signal(signal.SIGINT)
out = process.communicate(timeout=20)[0].decode()
os.close(theirs)
while True:
    try:
        seen += os.read(own, 4096)
    except OSError:
        break
last = seen.decode().split("\r\x1b[K")[-1]
assert process.returncode == 130, process.returncode
assert last.startswith("lanewise: interrupted"), last
print(last.strip(), out)
TEXT
python3 interrupt.py "$LANEWISE bench op sum f32[8388608] --seconds 60 --json" samples >out
grep -q 'these are the results so far' out || fail "interrupted"
grep -q '"interrupted": true' out || fail "interrupted, JSON"
python3 interrupt.py "$LANEWISE bench op matmul f32[3000,3000] f32[3000,3000] -d ref" \
    "first call" >out
grep -q 'interrupted before the first result' out || fail "interrupted in a call"
