# check-sarif-schema.sh - `lanewise check --sarif` writes what the schema of SARIF 2.1.0 allows:
# each object has its required members, no others, and values of their types. Findings in helpers
# have the calls that led there, and keep their fingerprints when lines are inserted above.
set -eu
LANEWISE_CACHE_DIR=$TMP/cache
export LANEWISE_CACHE_DIR
command -v python3 >/dev/null || { echo "there is no python3"; exit 77; }
fail() { echo "$*"; exit 1; }

cat >k.c <<'C'
#include <lanewise/kernel.h>
static void put(int *at)
{
    *at = thread_idx.x;
}
static void both(int *x)
{
    put(x);
}
KERNEL void calls(int *x)
{
    both(x);
    /* é 𝔘 */ x[1] = thread_idx.x;
    x[2] = 7; // lanewise-allow: benign-write
    x[3] = 7;
}
KERNEL void quiet(int *x) { x[thread_idx.x] = 1; }
KERNEL void fails(int *x) { assert(x[0]); }
C
{ printf '// one more\n\n'; cat k.c; } >moved.c
check() { "$LANEWISE" check "$@" -b 2 'i32[4]' >out 2>&1; }
check k.c -k calls --sarif one.sarif && fail "status 0"
check moved.c -k calls --sarif moved.sarif && fail "status 0"
check k.c -k quiet --sarif quiet.sarif || { cat out; fail "it is clean"; }
check k.c -k fails --sarif failed.sarif && fail "status 0"

python3 - <<'PY'
import json

# Members of each kind of object: their types, `!` where they are required. [x]: an array; *: any.
KINDS = {
    "log": {"$schema": str, "version!": {"2.1.0"}, "runs!": ["run"]},
    "run": {"tool!": "tool", "invocations": ["invocation"], "results": ["result"],
            "columnKind": {"utf16CodeUnits", "unicodeCodePoints"}},
    "tool": {"driver!": "component"},
    "component": {"name!": str, "version": str, "rules": ["rule"]},
    "rule": {"id!": str, "shortDescription": "text", "defaultConfiguration": "configuration"},
    "configuration": {"level": {"none", "note", "warning", "error"}},
    "text": {"text!": str},
    "invocation": {"executionSuccessful!": bool, "toolExecutionNotifications": ["notification"]},
    "notification": {"message!": "text", "level": {"none", "note", "warning", "error"}},
    "result": {"ruleId": str, "ruleIndex": int, "level": {"none", "note", "warning", "error"},
               "message!": "text", "locations": ["location"], "relatedLocations": ["location"],
               "partialFingerprints": dict, "occurrenceCount": int, "stacks": ["stack"],
               "suppressions": ["suppression"], "properties": dict},
    "location": {"id": int, "physicalLocation": "place", "message": "text"},
    "place": {"artifactLocation!": "file", "region": "region"},
    "file": {"uri": str},
    "region": {"startLine": int, "startColumn": int},
    "stack": {"frames!": ["frame"]},
    "frame": {"location": "location"},
    "suppression": {"kind!": {"inSource", "external"}, "justification": str},
}

def valid(value, kind, where="log"):
    if isinstance(kind, list):
        assert isinstance(value, list), where
        texts = [json.dumps(v) for v in value]
        assert len(set(texts)) == len(texts), f"{where}: an element twice"
        for i, v in enumerate(value):
            valid(v, kind[0], f"{where}[{i}]")
    elif isinstance(kind, set):
        assert value in kind, f"{where}: {value}"
    elif isinstance(kind, str):
        members = {name.rstrip("!"): k for name, k in KINDS[kind].items()}
        needed = {name[:-1] for name in KINDS[kind] if name.endswith("!")}
        assert isinstance(value, dict) and needed <= value.keys() <= members.keys(), \
            f"{where}: {sorted(value)}"
        for name, v in value.items():
            valid(v, members[name], f"{where}.{name}")
    else:
        assert type(value) is kind, f"{where}: {value}"
        assert kind is not int or value >= (0 if where.endswith(("ruleIndex", "id")) else 1), where

def load(name):
    with open(name, encoding="utf-8") as f:
        log = json.load(f)
    valid(log, "log")
    for result in log["runs"][0]["results"]:
        assert all(isinstance(v, str) for v in result["partialFingerprints"].values())
    return log["runs"][0]["results"]

def region(location):
    r = location["physicalLocation"]["region"]
    return r["startLine"], r["startColumn"]

one, moved = load("one.sarif"), load("moved.sarif")
assert load("quiet.sarif") == [] == load("failed.sarif")
found = {region(r["locations"][0])[0]: r for r in one}
assert found.keys() == {4, 13, 14, 15}, found.keys()
(stack,) = found[4]["stacks"]
assert [region(f["location"]) for f in stack["frames"]] == [(8, 5), (12, 5)], stack
assert all("stacks" not in found[n] for n in (13, 14, 15))
assert region(found[13]["locations"][0]) == (13, 21) == region(found[13]["relatedLocations"][0])
assert [n for n in found if "suppressions" in found[n]] == [14]

def prints(results, shift):
    return {region(r["locations"][0])[0] - shift: r["partialFingerprints"] for r in results}
assert prints(one, 0) == prints(moved, 2)
assert len({json.dumps(p) for p in prints(one, 0).values()}) == len(one)
PY
