# `lanewise bench operations` times a list of operations: a row each in the table, in JSON and in
# the drawing; --filter chooses.
set -eu

fail() { echo "bench-operations.sh: $*"; cat out err 2>/dev/null; exit 1; }

"$LANEWISE" bench operations --small --seconds 0.005 --threads 1 --json results.json \
    --svg results.svg >out 2>err
[ ! -s err ] || fail "something on standard error"
grep -q '^cpu, 1 thread$' out || fail "no device"
if grep -q 'not measured' out; then fail "not measured"; fi

cat >look.py <<'TEXT'
import json
import xml.etree.ElementTree as tree
results = json.load(open("results.json"))
assert results["bench"] == "operations", results
rows = [row for row in results["rows"] if not row["is_limit"]]
assert not any("problem" in row for row in results["rows"]), results
used = {row["words"][0] for row in rows}
assert {"dot", "sum", "max", "argmax", "mean", "softmax", "layer_norm", "rms_norm", "scan",
        "permute", "map", "map_reduce", "matmul", "attention"} == used, used
assert {row["limit"] for row in rows if "limit" in row} >= {"read", "copy"}
assert len([row for row in rows if row["name"] == "matmul" and row["flops"] > 0]) == 3
one = next(row for row in rows if row["name"] == "attention, causal")
plain = next(row for row in rows if row["name"] == "attention")
assert one["flops"] * 2 == plain["flops"] > 0
for row in rows:
    assert row["size"] and row["samples"] >= 1 and row["bytes"] > 0, row
table = [line for line in open("out") if line.rstrip().count("  ") > 1][1:]
assert [line[:26].strip() for line in table] == [row["name"] for row in rows], table
assert [line[27:47].strip() for line in table] == [row["size"] for row in rows], table
drawing = tree.parse("results.svg").getroot()
texts = [text.text for text in drawing.iter("{http://www.w3.org/2000/svg}text")]
for row in rows:
    assert row["name"] + ", " + row["size"] in texts, row
TEXT
python3 look.py || fail "results"

"$LANEWISE" bench operations --small --seconds 0.005 --filter argmax -d cpu,ref >out
[ "$(grep -c '^argmax' out)" -eq 4 ] || fail "filter"
[ "$(grep -c 'ref$' out)" -eq 2 ] || fail "which device"
if grep -q '^dot' out; then fail "filter lets dot pass"; fi
"$LANEWISE" bench operations --small --seconds 0.005 --filter softmax --json >out
python3 -m json.tool out >/dev/null || fail "JSON"

status=0
"$LANEWISE" bench operations --filter nothing >out 2>err || status=$?
[ $status -eq 2 ] || fail "status $status"
grep -q "no operation has 'nothing' in its name; there are:" err || fail "which there are"
grep -q '^    softmax$' err || fail "the list"
status=0
"$LANEWISE" bench operations softmax >out 2>err || status=$?
[ $status -eq 2 ] || fail "a word: status $status"
grep -q -- '--filter softmax chooses' err || fail "a word"
